// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a trace file as snsar would: mktrace FILE NODES SAMPLES [THREAD]. Nodes are sampled each 10 ms.
 * Every node's counters grow steadily, except that the memory of node NODES-1 is busy all the time of
 * one interval in the middle. With it, a test knows every value of a trace as long as it likes.
 *
 * THREAD is the file of a thread that snrun would have recorded with it: on processor 1 first, then
 * on processor 2, with a region of interest and a barrier.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

/* SAMPLES at the times of the nodes' samples; the processor changes in the middle. */
static int thread(const char *path, const struct snt_header *h, uint64_t step, unsigned samples)
{
    static const struct snt_cpu cpu[] = { { 0, 0, 0, 10, 195000 },
                                          { 1, 0, 1, 10, 195000 },
                                          { 2, 1, 0, 10, 195000 } };
    static const char *const cols[] = { "cpuid" };
    static struct snt_file f;

    if (snt_file_create(&f, path, h) || snt_put_cpus(&f, cpu, 3) ||
        snt_put_object(&f, 0, SNT_THREAD, -1, 7, 8, cols, 1, "<i>fft</i>:8")) {
        return -1;
    }
    for (unsigned s = 0; s < samples; s++) {
        uint64_t on = s <= samples / 2 ? 1 : 2;

        snt_put_sample(&f, 0, h->start + s * step, 0, &on, 1);
    }
    snt_put_mark(&f, 0, SNT_REGION_BEGIN, h->start + step * 3 / 2, "<b>solve</b>");
    snt_put_mark(&f, 0, SNT_BARRIER, h->start + 4 * step, "");
    snt_put_mark(&f, 0, SNT_REGION_END, h->start + 6 * step, "");
    snt_put_end(&f, h->start, h->start + (samples - 1) * step, samples - 1, 0);
    return snt_file_close(&f);
}

int main(int argc, char **argv)
{
    static const char *const cols[] = {
        "mdidle", "mdblock", "mdrefr", "mddir", "mdmem", "mdother"
    };
    static const char *const system[] = { "sysname=Linux", "nodename=<b>nobody</b>", "release=1",
                                          "version=1",     "machine=mips64",         "tool=snsar",
                                          "command=snsar" };
    struct snt_header h = { .start = 1000, .wall = 1000000000 };
    uint64_t step = 10000000, cycles = 1000000; /* ns; Hub cycles in them */
    static struct snt_file f;
    unsigned nodes, samples;

    if (argc != 4 && argc != 5) {
        return 2;
    }
    nodes = (unsigned)atoi(argv[2]);
    samples = (unsigned)atoi(argv[3]);
    if (argc == 5 && thread(argv[4], &h, step, samples)) {
        return 1;
    }
    if (snt_file_create(&f, argv[1], &h) || snt_put_system(&f, system, 7)) {
        return 1;
    }
    for (unsigned n = 0; n < nodes; n++) {
        char name[64];

        snprintf(name, sizeof(name), "/hw/module/%u/slot/n%u/node", 1 + n / 4, 1 + n % 4);
        snt_put_object(&f, (uint16_t)n, SNT_NODE, (int32_t)n, -1, -1, cols, 6, name);
    }
    for (unsigned s = 0; s < samples; s++) {
        for (unsigned n = 0; n < nodes; n++) {
            bool peak = n == nodes - 1 && s > samples / 2;
            uint64_t busy = s * cycles / 10 + (peak ? cycles - cycles / 10 : 0);
            uint64_t v[6] = { s * cycles - busy, 0, 0, 0, busy, 0 };

            snt_put_sample(&f, (uint16_t)n, h.start + s * step, 0, v, 6);
        }
        if (s % 256 == 255 && snt_file_flush(&f)) {
            return 1;
        }
    }
    snt_put_end(&f, h.start, h.start + (samples - 1) * step, samples - 1, 0);
    return snt_file_close(&f) != 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes what snrun would: mkthread NODES THREAD. Node 0 is sampled each 10 ms, from 10 ms to 50 ms,
 * and counts 1000 reads of processor 0 in each interval. A thread on processor 0 is sampled each
 * 5 ms from 0 to 50 ms. It misses 500 times in an interval, but only 100 times in the last one.
 * So its --local is 100 %, unknown in the first two intervals, and 500 % in the last.
 */
#include "trace.h"

#define MS 1000000u

static const char *const system_text[] = { "sysname=Linux",  "nodename=made",  "release=1",
                                           "version=1",      "machine=mips64", "tool=snrun",
                                           "command=program" };

static int begin(struct snt_file *f, const char *path)
{
    static const struct snt_header h = { .start = 1000, .wall = 1000000000 };
    static const struct snt_cpu cpu[] = { { 0, 0, 0, 10, 195000 }, { 1, 0, 1, 10, 195000 } };

    return snt_file_create(f, path, &h) || snt_put_system(f, system_text, 7) ||
           snt_put_cpus(f, cpu, 2);
}

int main(int argc, char **argv)
{
    static const char *const node_cols[] = { "lp0read",  "lp0wback", "lp1read",
                                             "lp1wback", "lioread",  "liowinv" };
    static const char *const thread_cols[] = { "pc", "cpuid", "rsmisss" };
    static struct snt_file n, t;

    if (argc != 3 || begin(&n, argv[1]) || begin(&t, argv[2])) {
        return 1;
    }
    snt_put_object(&n, 0, SNT_NODE, 0, -1, -1, node_cols, 6, "/hw/module/1/slot/n1/node");
    for (unsigned i = 0; i <= 4; i++) {
        uint64_t v[6] = { 1000 * i };

        snt_put_sample(&n, 0, 1000 + (uint64_t)(i + 1) * 10 * MS, 0, v, 6);
    }
    snt_put_object(&t, 0, SNT_THREAD, -1, 7, 7, thread_cols, 3, "program:7");
    for (unsigned i = 0; i <= 10; i++) {
        uint64_t v[3] = { 0x10000000, 0, i < 10 ? 500 * i : 4600 };

        snt_put_sample(&t, 0, 1000 + (uint64_t)i * 5 * MS, 0, v, 3);
    }
    snt_put_end(&n, 1000 + 10 * MS, 1000 + 50 * MS, 4, 0);
    snt_put_end(&t, 1000, 1000 + 50 * MS, 10, 0);
    return snt_file_close(&n) || snt_file_close(&t);
}

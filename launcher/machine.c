// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine description, from a preset's name or a file, into a memfd.  The
 * board's own code reads it here too, so that a wrong description is refused before
 * QEMU starts.  Interface: machine.h.
 */
#include "machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dt/dt.h"
#include "fabric/topo.h"
#include "files.h"
#include "messages.h"
#include "tool.h"
#include "what.h"

/* A larger file is not a description that somebody wrote. */
#define DTB_MAX (4 << 20)

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && !strcmp(s + n - k, end);
}

/* Compile @path into @out with dtc, which complains on stderr.  0 or -1. */
static int compile(const struct options *opt, const char *path, int out)
{
    const char *const dtc[] = { "dtc", "-q", "-q",          "-I", "dts", "-O",
                                "dtb", "-i", opt->includes, path, NULL };

    if (run_tool(dtc, out, "device-tree-compiler"))
        return 0;
    complain(MSG_DTC_FAILED, path);
    return -1;
}

/*
 * How many CPUs there are, of which kinds, and what the fastest does.  A branch that is taken costs an
 * R10000 a cycle more than an R12000, whose target cache knows it: a turn of a loop of two instructions
 * takes two cycles or one.
 */
static void count_cpus(const struct sn_desc *desc, struct machine *m)
{
    enum sn_cpu_model first = SN_CPU_NONE;
    uint32_t khz, turns;

    m->cpus = 0;
    m->max_khz = m->max_turns = 0;
    m->mixed = false;
    for (unsigned int n = 0; n < desc->nnodes; n++)
        for (unsigned int s = 0; s < SN_NODE_CPUS; s++) {
            if (desc->node[n].cpu[s].model == SN_CPU_NONE)
                continue;
            m->cpus++;
            m->mixed |= first != SN_CPU_NONE && first != desc->node[n].cpu[s].model;
            first = desc->node[n].cpu[s].model;
            khz = desc->node[n].cpu[s].khz;
            turns = first == SN_CPU_R10000 ? khz / 2 : khz;
            m->max_khz = khz > m->max_khz ? khz : m->max_khz;
            m->max_turns = turns > m->max_turns ? turns : m->max_turns;
        }
}

/* The banks that have memory. */
static unsigned int banks(const struct sn_desc *desc)
{
    unsigned int n = 0;

    for (unsigned int i = 0; i < desc->nnodes; i++)
        for (unsigned int b = 0; b < SN_NODE_BANKS; b++)
            n += desc->node[i].bank_mb[b] != 0;
    return n;
}

/* Read and check the tree in m->dtb.  0; or -1 with the reason in @err. */
static int check(struct machine *m, char *err, size_t size)
{
    static struct sn_desc desc;
    static struct sn_topo topo;
    struct stat st;
    void *fdt;
    int rc;

    if (fstat(m->dtb, &st) < 0 || st.st_size == 0) {
        snprintf(err, size, "%s", MSG_EMPTY);
        return -1;
    }
    fdt = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, m->dtb, 0);
    if (fdt == MAP_FAILED) {
        snprintf(err, size, "%s", strerror(errno));
        return -1;
    }
    rc = origin_dt_read(fdt, (size_t)st.st_size, &desc, err, size);
    if (!rc)
        rc = sn_topo_build(&topo, &desc, err, (unsigned int)size);
    munmap(fdt, (size_t)st.st_size);
    if (rc < 0)
        return -1;
    snprintf(m->name, sizeof(m->name), "%s", desc.name);
    m->nodes = desc.nnodes;
    m->banks = banks(&desc);
    count_cpus(&desc, m);
    m->topo = &topo;
    return 0;
}

const char *machine_cpu(const struct options *opt, const struct machine *m)
{
    if (!strcmp(opt->quantum, "off"))
        return "simple";
    if (!m->mixed)
        return "pipeline";
    complain(MSG_MIXED, m->name);
    return "simple";
}

bool machine_is_preset(const char *name)
{
    return !strchr(name, '/') && !ends_with(name, ".dts") && !ends_with(name, ".dtb");
}

int machine_open(const struct options *opt, struct machine *m)
{
    const char *name = opt->machine;
    char path[4096], err[512] = "";
    size_t size;
    bool preset = machine_is_preset(name);

    if (preset)
        snprintf(path, sizeof(path), "%s/%s.dtb", opt->machines, name);
    else
        snprintf(path, sizeof(path), "%s%s", *name == '-' ? "./" : "", name); /* for dtc */
    if (access(path, R_OK) < 0) {
        if (preset)
            complain(MSG_NO_PRESET, name);
        else
            complain(MSG_MACHINE, path, strerror(errno));
        return -1;
    }
    m->dtb = memfd_create("machine.dtb", MFD_CLOEXEC);
    if (m->dtb < 0)
        die_errno("memfd_create");
    if (ends_with(path, ".dts")) {
        if (compile(opt, path, m->dtb) < 0)
            return -1;
    } else if (copy_file(path, m->dtb, DTB_MAX, &size) < 0) {
        complain(MSG_MACHINE, path, strerror(errno));
        return -1;
    }
    if (check(m, err, sizeof(err)) < 0) {
        complain(MSG_REFUSED, path, err);
        return -1;
    }
    if (opt->what) {
        what_describe(opt, m->dtb);
        if (check(m, err, sizeof(err)) < 0)
            die(EXIT_USAGE, MSG_WHAT, err);
    }
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hinv: prints what the machine has. hinv(1) is the manual.
 *
 * The inventory is made of rows of class, type, controller, unit and state. Each row prints one
 * line, or several with -v. Boards come from /hw/inventory, all else from /proc and /sys.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <snhw.h>
#include "../common/options.h"

enum { VERBOSE = 1, CLASS, TYPE, CONTROLLER, UNIT, SILENT };

static const struct opt_row options[] = {
    { "class", 'c', "CLASS", "only processor, memory, network, serial, disk, board", CLASS },
    { "type", 't', "TYPE", "only this type, as -v names it", TYPE },
    { "controller", 'b', "N", "only this controller (of a processor board: its MHz)", CONTROLLER },
    { "unit", 'u', "N", "only this unit", UNIT },
    { "verbose", 'v', NULL, "one line for each part", VERBOSE },
    { "silent", 's', NULL, "print nothing, only set the exit status", SILENT },
    { 0 },
};

static const struct opt_program prog = {
    .name = "hinv",
    .usage = "[-v | -s] [-c CLASS] [-t TYPE] [-b CONTROLLER] [-u UNIT]",
    .text = "Show the hardware inventory; exit status 1 if nothing matches.",
    .rows = options,
};

struct cpu {
    char path[SNHW_NAME_MAX];
    unsigned prid, fpu;
    int mhz, l2_mb, l2_mhz;
};

struct memory {
    char path[SNHW_NAME_MAX];
    int mb, bank[8];
    char dimm[16];
};

static struct cpu cpu[SNHW_MAX_CPUS];
static struct memory memory[SNHW_MAX_NODES];
static char board[4 * SNHW_MAX_NODES][SNHW_NAME_MAX + 64];
static int cpus, memories, boards;

static struct {
    const char *class, *type;
    long controller, unit;
    bool verbose, silent;
} want = { .controller = -1, .unit = -1 };

static int found;

/* --- the hardware graph --- */

static void read_line(const char *line)
{
    char path[SNHW_NAME_MAX];
    unsigned long long hz;
    int rev;

    if (cpus < SNHW_MAX_CPUS) {
        struct cpu *c = &cpu[cpus];

        if (sscanf(line, "cpu %255s %x %x %d %d %d", c->path, &c->prid, &c->fpu, &c->mhz, &c->l2_mb,
                   &c->l2_mhz) == 6)
            cpus++;
    }
    if (memories < SNHW_MAX_NODES) {
        struct memory *m = &memory[memories];
        int *b = m->bank;

        if (sscanf(line, "memory %255s %d %15s %d %d %d %d %d %d %d %d", m->path, &m->mb, m->dimm,
                   b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7) == 11)
            memories++;
    }
    if (boards < (int)(sizeof(board) / sizeof(board[0]))) {
        if (sscanf(line, "node %255s %d %llu", path, &rev, &hz) == 3)
            snprintf(board[boards++], sizeof(board[0]), "IP27 %s, Hub %llu MHz", path,
                     hz / 1000000);
        if (sscanf(line, "router %255s %d", path, &rev) == 2)
            snprintf(board[boards++], sizeof(board[0]), "Router %s", path);
    }
}

static void read_inventory(void)
{
    FILE *f = fopen("/hw/inventory", "r");
    char line[512];

    if (!f)
        opt_fail(&prog, "/hw/inventory: %s",
                 errno == ENOENT ? "there is no hardware graph: is the module hwgfs loaded?"
                                 : strerror(errno));
    while (fgets(line, sizeof(line), f))
        read_line(line);
    fclose(f);
}

/* --- rows --- */

/* Whether the options select the row. */
static bool matches(const char *class, const char *type, long controller, long unit)
{
    return (!want.class || !strcasecmp(want.class, class)) &&
           (!want.type || !strcasecmp(want.type, type)) &&
           (want.controller < 0 || want.controller == controller) &&
           (want.unit < 0 || want.unit == unit);
}

static void __attribute__((format(printf, 5, 6)))
row(const char *class, const char *type, long controller, long unit, const char *fmt, ...)
{
    va_list ap;

    if (!matches(class, type, controller, unit))
        return;
    found = 1;
    if (want.silent)
        return;
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

static const char *chip(unsigned prid)
{
    switch (prid >> 8) {
    case 0x09:
        return "R10000";
    case 0x0e:
        return "R12000";
    case 0x0f:
        return "R14000";
    }
    return "unknown";
}

/* "/hw/module/1/slot/n2/..." as "Module 1/Slot n2" */
static const char *place(const char *path)
{
    static char text[64];
    char slot[16];
    int module;

    if (sscanf(path, "/hw/module/%d/slot/%15[^/]", &module, slot) != 2)
        return path;
    snprintf(text, sizeof(text), "Module %d/Slot %s", module, slot);
    return text;
}

/* Equal processors share one line. */
static void processors(void)
{
    int i, k, n;

    for (i = 0; i < cpus; i++) {
        const struct cpu *c = &cpu[i];

        for (k = 0;
             k < i && (cpu[k].prid != c->prid || cpu[k].fpu != c->fpu || cpu[k].mhz != c->mhz);)
            k++;
        if (k < i)
            continue;
        for (n = 0; k < cpus; k++)
            n += cpu[k].prid == c->prid && cpu[k].mhz == c->mhz;
        row("processor", "fpu", 0, i, "FPU: MIPS R10010 Floating Point Chip Revision: %u.%u",
            c->fpu >> 4 & 15, c->fpu & 15);
        row("processor", "cpu", 0, i, "CPU: MIPS %s Processor Chip Revision: %u.%u", chip(c->prid),
            c->prid >> 4 & 15, c->prid & 15);
        row("processor", "cpuboard", c->mhz, n, "%d %d MHZ IP27 Processor%s", n, c->mhz,
            n == 1 ? "" : "s");
    }
}

static void each_processor(void)
{
    int i;

    for (i = 0; i < cpus; i++)
        row("processor", "cpuboard", cpu[i].mhz, i,
            "CPU %d at %s/Slice %c: %d MHZ MIPS %s Processor Chip (enabled)\n"
            "  Processor revision: %u.%u. Secondary cache: Size %d MB Speed %d MHz",
            i, place(cpu[i].path), cpu[i].path[strlen(cpu[i].path) - 1] - 32, cpu[i].mhz,
            chip(cpu[i].prid), cpu[i].prid >> 4 & 15, cpu[i].prid & 15, cpu[i].l2_mb,
            cpu[i].l2_mhz);
}

static void memories_and_caches(void)
{
    long total = 0;
    int i, b;

    for (i = 0; i < memories; i++)
        total += memory[i].mb;
    row("memory", "main", 0, 0, "Main memory size: %ld Mbytes", total);
    for (i = 0; i < memories && want.verbose; i++) {
        row("memory", "node", i, 0, "Memory at %s: %d MB (enabled)", place(memory[i].path),
            memory[i].mb);
        for (b = 0; b < 8; b++)
            if (memory[i].bank[b])
                row("memory", "bank", i, b, "  Bank %d contains %d MB (%s) DIMMS (enabled)", b,
                    memory[i].bank[b], memory[i].dimm);
    }
    row("memory", "icache", 0, 0, "Instruction cache size: 32 Kbytes");
    row("memory", "dcache", 0, 0, "Data cache size: 32 Kbytes");
    for (i = 0; i < cpus; i++) {
        for (b = 0; b < i && cpu[b].l2_mb != cpu[i].l2_mb;)
            b++;
        if (b == i)
            row("memory", "scache", 0, i,
                "Secondary unified instruction/data cache size: %d Mbyte%s", cpu[i].l2_mb,
                cpu[i].l2_mb == 1 ? "" : "s");
    }
}

/* The entries of a directory, sorted; returns how many. */
static int names(const char *dir, struct dirent ***list)
{
    int n = scandir(dir, list, NULL, alphasort);

    return n < 0 ? 0 : n;
}

/* Whether the device exists: Linux has names for more serial ports than there are. */
static bool is_there(const char *dir, const char *name)
{
    char path[320];
    int type = 1;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%.200s/type", dir, name);
    f = strcmp(dir, "/sys/class/tty") ? NULL : fopen(path, "r");
    if (f && fscanf(f, "%d", &type) != 1)
        type = 0;
    if (f)
        fclose(f);
    return type != 0;
}

static void devices(const char *class, const char *type, const char *dir, const char *prefix,
                    const char *text)
{
    struct dirent **list;
    int i, n = names(dir, &list), unit = 0;

    for (i = 0; i < n; i++) {
        if (!strncmp(list[i]->d_name, prefix, strlen(prefix)) && is_there(dir, list[i]->d_name)) {
            row(class, type, 0, unit, "%s: %s", text, list[i]->d_name);
            unit++;
        }
        free(list[i]);
    }
    if (n)
        free(list);
}

static void set(int id, const char *arg)
{
    switch (id) {
    case VERBOSE:
        want.verbose = true;
        break;
    case SILENT:
        want.silent = true;
        break;
    case CLASS:
        want.class = arg;
        break;
    case TYPE:
        want.type = arg;
        break;
    case CONTROLLER:
        want.controller = opt_unsigned(&prog, "--controller", arg, 0, 1 << 30);
        break;
    case UNIT:
        want.unit = opt_unsigned(&prog, "--unit", arg, 0, 1 << 30);
        break;
    }
}

int main(int argc, char **argv)
{
    struct opt_state *s = opt_begin(&prog, argc, argv);
    const char *arg;
    int id, i;

    while ((id = opt_next(s, &arg)) != 0)
        set(id, arg);
    if (argv[opt_index(s)])
        opt_usage_error(&prog, "unexpected argument '%s'", argv[opt_index(s)]);
    if (want.verbose && want.silent)
        opt_usage_error(&prog, "-v and -s exclude each other");
    read_inventory();
    processors();
    if (want.verbose)
        each_processor();
    memories_and_caches();
    devices("serial", "ioc3", "/sys/class/tty", "ttyS", "Integral IOC3 serial port");
    devices("network", "ethernet", "/sys/class/net", "eth", "Integral Fast Ethernet");
    devices("disk", "virtio", "/sys/block", "vd", "Disk drive");
    for (i = 0; i < boards && want.verbose; i++)
        row("board", strncmp(board[i], "IP27", 4) ? "router" : "node", 0, i, "Board: %s", board[i]);
    opt_close_stdout(&prog);
    return !found;
}

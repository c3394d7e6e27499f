// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reference counters, counted by hand: memory on node HOME, read by a process on node READER, line by line with the caches
 * emptied, by reading MB megabytes, before each of ROUNDS rounds.  Follows the calls of refcnt(5)'s programs.  Prints TAP without a plan.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <sys/SN/hwcntrs.h>

#define HPAGE 4096UL
#define LINE 128UL
#define BYTES (128UL << 10)
#define PAGES (BYTES / HPAGE)
#define MPOL_BIND 2

static void point(int ok, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    printf("%sok - ", ok ? "" : "not ");
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
}

static void fail(const char *what)
{
    printf("Bail out! %s: %s\n", what, strerror(errno));
    exit(1);
}

static void run_on(int node)
{
    cpu_set_t set;
    char path[80];
    int cpu;
    FILE *f;

    snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
    f = fopen(path, "r");
    if (!f || fscanf(f, "%d", &cpu) != 1)
        fail(path);
    fclose(f);
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        fail("sched_setaffinity");
}

static char *memory_on(int node, size_t bytes)
{
    unsigned long mask[2] = { 1UL << node, 0 };
    char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        fail("mmap");
    if (syscall(SYS_mbind, p, bytes, MPOL_BIND, mask, 65, 0))
        fail("mbind");
    memset(p, 1, bytes);
    return p;
}

static void read_lines(volatile char *p, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i += LINE)
        (void)p[i];
}

static void get(int fd, unsigned long cmd, char *p, size_t len, sn0_refcnt_buf_t *buf)
{
    sn0_refcnt_args_t args;

    memset(&args, 0, sizeof(args));
    args.vaddr = (unsigned long)p;
    args.len = len;
    args.buf = buf;
    if (ioctl(fd, cmd, &args) < 0)
        fail("PIOC");
}

int main(int argc, char **argv)
{
    static sn0_refcnt_buf_t hw[2][PAGES], ext[2][PAGES];
    int home, reader, rounds, fd, dev, i, s, n, nodes, bad, r;
    char path[64], *data, *trash;
    size_t size;
    rcb_slot_t slot[8];
    refcnt_t *mapped;
    rcb_info_t info;

    if (argc != 5)
        return 2;
    home = atoi(argv[1]);
    reader = atoi(argv[2]);
    rounds = atoi(argv[3]);
    size = strtoul(argv[4], 0, 0) << 20;
    setvbuf(stdout, 0, _IOLBF, 0);

    snprintf(path, sizeof(path), "/hw/nodenum/%d/refcnt", home);
    dev = open(path, O_RDONLY);
    if (dev < 0)
        fail(path);
    if (ioctl(dev, RCB_INFO_GET, &info) < 0)
        fail("RCB_INFO_GET");
    nodes = info.rcb_sw_counters_per_set;
    if (ioctl(dev, RCB_SLOT_GET, slot) != info.rcb_num_slots)
        fail("RCB_SLOT_GET");
    mapped = mmap(0, info.rcb_len, PROT_READ, MAP_SHARED, dev, 0);
    if (mapped == MAP_FAILED)
        fail("mmap of the counters");
    close(dev);

    run_on(reader);
    data = memory_on(home, BYTES);
    trash = memory_on(reader, size);
    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    if (fd < 0)
        fail(path);
    get(fd, PIOCSETSN0REFCNTRS, data, BYTES, 0);

    read_lines(trash, size);
    get(fd, PIOCGETSN0EXTREFCNTRS, data, BYTES, ext[0]);
    get(fd, PIOCGETSN0REFCNTRS, data, BYTES, hw[0]);
    for (r = 0; r < rounds; r++) {
        read_lines(trash, size);
        read_lines(data, BYTES);
    }
    get(fd, PIOCGETSN0EXTREFCNTRS, data, BYTES, ext[1]);
    get(fd, PIOCGETSN0REFCNTRS, data, BYTES, hw[1]);

    for (i = 0, bad = 0; i < (int)PAGES; i++)
        for (n = 0; n < nodes; n++) {
            long got = hw[1][i].refcnt_set.refcnt[n] + ext[1][i].refcnt_set.refcnt[n] -
                       hw[0][i].refcnt_set.refcnt[n] - ext[0][i].refcnt_set.refcnt[n];
            long want = n == reader ? rounds * (long)(HPAGE / LINE) : 0;

            if (got != want && bad++ < 5)
                printf("# page %d node %d: %ld references, want %ld\n", i, n, got, want);
        }
    point(!bad, "memory of node %d read from node %d: %lu references a page, all in column %d", home, reader,
          rounds * (HPAGE / LINE), reader);

    for (i = 0, bad = 0; i < (int)PAGES; i++) {
        sn0_refcnt_buf_t *b = &hw[1][i];

        for (s = 0; s < info.rcb_num_slots; s++)
            if (b->paddr >= slot[s].base && b->paddr < slot[s].base + slot[s].size)
                break;
        bad += s == info.rcb_num_slots || b->cnodeid != home || b->page_size != (unsigned long)getpagesize() ||
               b->paddr % HPAGE || b->paddr != ext[1][i].paddr;
    }
    point(!bad, "pages lie in a slot of their home %d", home);

    for (i = 0, bad = 0; i < (int)PAGES; i++) {
        unsigned long set = 0;

        for (s = 0; ext[1][i].paddr >= slot[s].base + slot[s].size || ext[1][i].paddr < slot[s].base; s++)
            set += slot[s].size / info.rcb_granularity;
        set += (ext[1][i].paddr - slot[s].base) / info.rcb_granularity;
        for (n = 0; n < nodes; n++)
            bad += mapped[set * nodes + n] != ext[1][i].refcnt_set.refcnt[n];
    }
    point(!bad, "extended counters are the same by mmap and by /proc");

    for (i = 0, bad = 0; i < (int)PAGES; i++)
        bad += hw[1][i].refcnt_set.refcnt[reader] > info.rcb_hw_counter_max ||
               (rounds * (long)(HPAGE / LINE) > info.rcb_abs_threshold) !=
               (ext[1][i].refcnt_set.refcnt[reader] > ext[0][i].refcnt_set.refcnt[reader]);
    point(!bad, "extended counters take over beyond %d references", info.rcb_abs_threshold);

    get(fd, PIOCGETSN0REFCNTRS, (char *)0x10, 1, hw[0]);
    point(hw[0][0].cnodeid == CNODEID_NONE && !hw[0][0].paddr && !hw[0][0].page_size, "no page, no home");
    return 0;
}

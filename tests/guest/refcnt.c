// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reference counters, counted by hand.  A process on node READER reads memory on node HOME, line by line, ROUNDS times.  Between rounds it empties the
 * secondary cache (MB megabytes, two ways replaced at random) of these lines by reading 32 others of each set.
 * Follows the calls of refcnt(5)'s programs.  Prints TAP without a plan.
 *
 *   refcnt HOME READER ROUNDS MB [WHAT [NODE]]
 *   refcnt info            prints a line for each node's device: the fields of rcb_info_t in their order, and the MB of its slots
 *
 * WHAT happens after half of the rounds:
 *   fork      a child reads on                   exec      another program does, by shared memory
 *   page      the pages move to NODE             process   the process moves to NODE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snhw.h>
#include <sys/SN/hwcntrs.h>
#include <sys/pmo.h>
#include <sys/sysmp.h>
#include "tap.h"

#define HPAGE     4096UL
#define LINE      128UL
#define BYTES     (128UL << 10)
#define PAGES     (BYTES / HPAGE)
#define SHARED_FD 77
#define PAGE      16384UL
#define OTHERS    32
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

static sn0_refcnt_buf_t hw[4][PAGES], ext[4][PAGES];
static int nodes, proc;
static size_t way; /* bytes of a way of the cache */
static int here;   /* the node on which the process runs */
static char *trash[BYTES / PAGE * OTHERS];
static int ntrash;

static pmo_handle_t mld_on(int node, long size)
{
    pmo_handle_t mld = mld_create(0, size), set = mldset_create(&mld, 1);
    const char *name = snhw_node_name(node);
    raff_info_t raff;

    raff.resource = (void *)name;
    raff.restype = RAFFIDT_NAME;
    raff.reslen = strlen(name);
    raff.radius = 0;
    raff.attr = RAFFATTR_ATTRACTION;
    if (mldset_place(set, TOPOLOGY_PHYSNODES, &raff, 1, RQMODE_MANDATORY) < 0)
        fail("mldset_place");
    return mld;
}

static void run_at(int node)
{
    pmo_handle_t mld = mld_on(node, 0);

    if (process_mldlink(0, mld, RQMODE_MANDATORY) < 0)
        fail("process_mldlink");
    /* Stay on one processor: the other one's cache would not be emptied. */
    if (process_cpulink(0, mld, 0, RQMODE_MANDATORY) < 0)
        fail("process_cpulink");
}

/* Maps memory on a node; its pages are not touched yet. */
static char *memory_on(int node, size_t bytes, int fd, char *migration)
{
    char *p = mmap(0, bytes, PROT_READ | PROT_WRITE,
                   fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    policy_set_t set;
    pmo_handle_t pm;

    if (p == MAP_FAILED)
        fail("mmap");
    pm_filldefault(&set);
    set.placement_policy_name = "PlacementFixed";
    set.placement_policy_args = (void *)mld_on(node, bytes);
    set.migration_policy_name = migration;
    pm = pm_create(&set);
    if (pm < 0)
        fail("pm_create");
    if (pm_attach(pm, p, bytes) < 0)
        fail("pm_attach");
    memset(p, 1, bytes);
    return p;
}

static void read_lines(volatile char *p, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i += LINE)
        (void)p[i];
}

static void get(unsigned long cmd, char *p, size_t len, sn0_refcnt_buf_t *buf)
{
    sn0_refcnt_args_t args;

    memset(&args, 0, sizeof(args));
    args.vaddr = (unsigned long)p;
    args.len = len;
    args.buf = buf;
    if (ioctl(proc, cmd, &args) < 0)
        fail("PIOC");
}

static void open_proc(void)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    proc = open(path, O_RDONLY);
    if (proc < 0)
        fail(path);
}

static unsigned long colour(char *page)
{
    sn0_refcnt_buf_t buf;

    get(PIOCGETSN0REFCNTRS, page, 1, &buf);
    return buf.paddr % way / PAGE;
}

/* Finds pages whose lines fall into the same sets as those of the data: OTHERS for each page of the data. */
static void gather(char *data)
{
    size_t pages = OTHERS * way / PAGE, i, k, missing = BYTES / PAGE * OTHERS;
    unsigned char found[BYTES / PAGE] = { 0 };
    unsigned long want[BYTES / PAGE], c;
    int pools;
    char *pool;

    for (k = 0; k < BYTES / PAGE; k++)
        want[k] = colour(data + k * PAGE);
    for (pools = 0, ntrash = 0; missing && pools < 4; pools++) {
        pool = memory_on(here, pages * PAGE, -1, "MigrationDefault");
        for (i = 0; i < pages; i++) {
            c = colour(pool + i * PAGE);
            for (k = 0; k < BYTES / PAGE && (want[k] != c || found[k] == OTHERS);)
                k++;
            if (k < BYTES / PAGE) {
                found[k]++;
                missing--;
                trash[ntrash++] = pool + i * PAGE;
            }
        }
    }
    if (missing) {
        printf("Bail out! too few pages of a colour\n");
        exit(1);
    }
}

static void empty(void)
{
    int i;

    for (i = 0; i < ntrash; i++)
        read_lines(trash[i], PAGE);
}

static void read_rounds(char *data, int rounds)
{
    for (; rounds; rounds--) {
        empty();
        read_lines(data, BYTES);
    }
    empty();
}

static void get_all(char *data, int i)
{
    get(PIOCGETSN0EXTREFCNTRS, data, BYTES, ext[i]);
    get(PIOCGETSN0REFCNTRS, data, BYTES, hw[i]);
}

static long delta(int a, int b, int page, int n)
{
    return hw[b][page].refcnt_set.refcnt[n] + ext[b][page].refcnt_set.refcnt[n] -
           hw[a][page].refcnt_set.refcnt[n] - ext[a][page].refcnt_set.refcnt[n];
}

/* Between readings a and b, column n1 must have grown by r1 rounds and column n2 by r2. */
static void check(int a, int b, int n1, int r1, int n2, int r2, const char *what)
{
    const long lines = HPAGE / LINE;
    int i, n, bad = 0;

    for (i = 0; i < (int)PAGES; i++)
        for (n = 0; n < nodes; n++) {
            long want = (n == n1 ? r1 * lines : 0) + (n == n2 ? r2 * lines : 0);

            if (delta(a, b, i, n) != want && bad++ < 5)
                printf("# page %d node %d: %ld references, want %ld\n", i, n, delta(a, b, i, n),
                       want);
        }
    point(!bad, "%s: %ld references a page in column %d, %ld in column %d", what, r1 * lines, n1,
          r2 * lines, n2);
}

/* The program after exec: reads the memory that it was handed. */
static int other(char **argv)
{
    char *p = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);

    way = strtoul(argv[4], 0, 0) << 19;
    here = atoi(argv[2]);
    run_at(here);
    if (p == MAP_FAILED)
        return 1;
    open_proc();
    if (madvise(p, BYTES, MADV_POPULATE_READ)) /* fills page tables only */
        fail("madvise");
    gather(p);
    empty();
    read_rounds(p, atoi(argv[3]));
    return 0;
}

static void in_child(char **argv, char *data, int reader, int rounds, int exec)
{
    char n[3][24];
    pid_t pid = fork();
    int status;

    if (!pid) {
        snprintf(n[0], 24, "%d", reader);
        snprintf(n[1], 24, "%d", rounds);
        snprintf(n[2], 24, "%lu", way >> 19);
        if (exec)
            execl(argv[0], argv[0], "other", n[0], n[1], n[2], (char *)0);
        else
            run_at(reader);
        if (!exec)
            read_rounds(data, rounds);
        _exit(exec);
    }
    if (waitpid(pid, &status, 0) < 0 || status)
        fail("child");
}

/* Slots are 512 MB apart, from the first one's address on. */
static void info_all(void)
{
    rcb_slot_t slot[8];
    rcb_info_t r;
    unsigned long bytes;
    char path[64];
    int node, fd, i;

    for (node = 0; node < sysmp(MP_NUMNODES); node++) {
        snprintf(path, sizeof(path), "/hw/nodenum/%d/refcnt", node);
        fd = open(path, O_RDONLY);
        if (fd < 0 || ioctl(fd, RCB_INFO_GET, &r) < 0 || ioctl(fd, RCB_SLOT_GET, slot) != 8)
            fail(path);
        close(fd);
        for (i = 0, bytes = 0; i < 8 && slot[i].base == r.rcb_base_paddr + i * (512UL << 20); i++)
            bytes += slot[i].size;
        printf("rcb %lu %d %d %d %d %d %lu %d %d %u %d %d %d %lu\n", (unsigned long)r.rcb_len,
               r.rcb_sw_sets, r.rcb_sw_counters_per_set, r.rcb_sw_counter_size, r.rcb_base_pages,
               r.rcb_base_page_size, (unsigned long)r.rcb_base_paddr, r.rcb_cnodeid,
               r.rcb_granularity, r.rcb_hw_counter_max, r.rcb_diff_threshold, r.rcb_abs_threshold,
               r.rcb_num_slots, bytes >> 20);
    }
}

int main(int argc, char **argv)
{
    int home, reader, rounds, half, dev, i, s, n, bad, node;
    refcnt_t *mapped;
    rcb_slot_t slot[8];
    rcb_info_t info;
    const char *what;
    char path[64], *data;

    if (argc == 2 && !strcmp(argv[1], "info")) {
        info_all();
        return 0;
    }
    if (argc < 5)
        return 2;
    if (!strcmp(argv[1], "other"))
        return other(argv);
    home = atoi(argv[1]);
    reader = atoi(argv[2]);
    rounds = atoi(argv[3]);
    half = rounds / 2;
    way = strtoul(argv[4], 0, 0) << 19;
    here = reader;
    what = argc > 5 ? argv[5] : "";
    node = argc > 6 ? atoi(argv[6]) : reader;
    setvbuf(stdout, 0, _IOLBF, 0);

    snprintf(path, sizeof(path), "/hw/nodenum/%d/refcnt", home);
    dev = open(path, O_RDONLY);
    if (dev < 0)
        fail(path);
    if (ioctl(dev, RCB_INFO_GET, &info) < 0)
        fail("RCB_INFO_GET");
    nodes = info.rcb_sw_counters_per_set;
    point(nodes == sysmp(MP_NUMNODES), "a counter a node: %d", nodes);
    if (ioctl(dev, RCB_SLOT_GET, slot) != info.rcb_num_slots)
        fail("RCB_SLOT_GET");
    mapped = mmap(0, info.rcb_len, PROT_READ, MAP_SHARED, dev, 0);
    if (mapped == MAP_FAILED)
        fail("mmap of the counters");
    close(dev);

    run_at(reader);
    if (!strcmp(what, "exec")) {
        int fd = memfd_create("data", 0);

        if (fd < 0 || ftruncate(fd, BYTES) || dup2(fd, SHARED_FD) < 0)
            fail("memfd");
        data = memory_on(home, BYTES, fd, "MigrationRefcnt");
    } else {
        data = memory_on(home, BYTES, -1, "MigrationRefcnt");
    }
    open_proc();
    gather(data);

    empty();
    get_all(data, 0);
    if (!*what) {
        read_rounds(data, rounds);
        get_all(data, 1);
        check(0, 1, reader, rounds, -1, 0, "counts");
    } else if (!strcmp(what, "page")) {
        read_rounds(data, half);
        get_all(data, 1);
        check(0, 1, reader, half, -1, 0, "before the pages move");
        if (migr_range_migrate(data, BYTES, mld_on(node, 0)) < 0)
            fail("migr_range_migrate");
        gather(data);
        empty();
        get_all(data, 0);
        for (i = 0, bad = 0; i < (int)PAGES; i++)
            bad += hw[0][i].cnodeid != node;
        point(!bad, "the pages are on node %d", node);
        read_rounds(data, rounds - half);
        get_all(data, 1);
        check(0, 1, reader, rounds - half, -1, 0, "after the pages moved");
    } else if (!strcmp(what, "process")) {
        read_rounds(data, half);
        run_at(node);
        read_rounds(data, rounds - half);
        get_all(data, 1);
        check(0, 1, reader, half, node, rounds - half, "the process moves");
    } else {
        read_rounds(data, half);
        in_child(argv, data, node, rounds - half, !strcmp(what, "exec"));
        get_all(data, 1);
        check(0, 1, reader, half, node, rounds - half, what);
    }

    for (i = 0, bad = 0; i < (int)PAGES; i++) {
        sn0_refcnt_buf_t *b = &hw[1][i];
        unsigned long set = 0;

        for (s = 0; s < info.rcb_num_slots; s++) {
            if (b->paddr >= slot[s].base && b->paddr < slot[s].base + slot[s].size)
                break;
            set += slot[s].size / info.rcb_granularity;
        }
        if (b->cnodeid != home)
            continue;
        bad += s == info.rcb_num_slots || b->page_size != (unsigned long)getpagesize() ||
               b->paddr % HPAGE || b->paddr != ext[1][i].paddr;
        set += (b->paddr - slot[s].base) / info.rcb_granularity;
        for (n = 0; n < nodes; n++)
            bad += mapped[set * nodes + n] != ext[1][i].refcnt_set.refcnt[n];
    }
    point(
        !bad,
        "pages lie in a slot of their home %d; extended counters are the same by mmap and by /proc",
        home);

    for (i = 0, bad = 0; i < (int)PAGES && !*what; i++)
        bad += hw[1][i].refcnt_set.refcnt[reader] > info.rcb_hw_counter_max ||
               (rounds * (long)(HPAGE / LINE) > info.rcb_abs_threshold) !=
                   (ext[1][i].refcnt_set.refcnt[reader] > ext[0][i].refcnt_set.refcnt[reader]);
    point(!bad, "extended counters take over beyond %d references", info.rcb_abs_threshold);

    point(!((unsigned long)hw >> 32), "programs lie below 4 GB, as refcnt(5)'s must");
    get(PIOCGETSN0REFCNTRS, (char *)0x10, 1, hw[0]);
    point(hw[0][0].cnodeid == CNODEID_NONE && !hw[0][0].paddr && !hw[0][0].page_size,
          "no page, no home");
    return 0;
}

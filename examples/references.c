// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who references a page: the experiment of the refcnt(5) manual page.
 *
 * A buffer is placed on one node and its references are counted.  The process, placed on another or the same,
 * changes each byte ROUNDS times, and uses another buffer in between, which displaces the first from the caches.
 * So each round requests each line once.  Then each hardware page of 4 KB has a line with its home and, for each
 * node that referenced it, the extended and (in parentheses) the hardware counter, which add up.
 *
 * Extended counters are read twice, through /proc and mapped from the home's device; the last line says how many differ.
 *
 *   references THREAD_NODE MEMORY_NODE
 */
#include <fcntl.h>
#include <procfs/procfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/SN/hwcntrs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pmo.h>
#include <sys/sysmp.h>
#include <unistd.h>

#define HPAGE  4096
#define LINE   128
#define BYTES  (128 << 10)
#define PAGES  (BYTES / HPAGE)
#define OTHER  (4 << 20)
#define ROUNDS 100

static char buffer[BYTES] __attribute__((aligned(16384)));
static volatile long other[OTHER / sizeof(long)];
static sn0_refcnt_buf_t extended[PAGES], hardware[PAGES];

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static pmo_handle_t memory_at(char *node, long bytes)
{
    raff_info_t raff = { .resource = node,
                         .restype = RAFFIDT_NAME,
                         .reslen = (unsigned short)strlen(node),
                         .attr = RAFFATTR_ATTRACTION };
    pmo_handle_t mld = mld_create(0, bytes), set = mldset_create(&mld, 1);

    if (set < 0 || mldset_place(set, TOPOLOGY_PHYSNODES, &raff, 1, RQMODE_ADVISORY) < 0)
        die(node);
    return mld;
}

static void place(char *thread_node, char *memory_node)
{
    policy_set_t set;
    pmo_handle_t pm;

    pm_filldefault(&set);
    set.placement_policy_name = "PlacementFixed";
    set.placement_policy_args = (void *)(long)memory_at(memory_node, BYTES);
    set.migration_policy_name = "MigrationRefcnt";
    pm = pm_create(&set);
    if (pm < 0 || pm_attach(pm, buffer, BYTES) < 0)
        die("pm_attach");
    memset(buffer, 1, BYTES);
    if (process_mldlink(0, memory_at(thread_node, 0), RQMODE_MANDATORY) < 0)
        die("process_mldlink");
}

static void reference(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BYTES; i++)
            buffer[i]++;
        for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
            other[i] = (long)i;
    }
}

static void get(int proc, unsigned long which, sn0_refcnt_buf_t *to)
{
    sn0_refcnt_args_t args = { .vaddr = (unsigned long)buffer, .len = BYTES, .buf = to };

    if (ioctl(proc, which, &args) < 0)
        die("ioctl");
}

/* The set of a page in the counters that its home maps. */
static const refcnt_t *mapped(int home, unsigned long long paddr)
{
    static const refcnt_t *counters;
    static rcb_info_t info;
    static rcb_slot_t slot[64];
    static int mapped_home = -1;
    unsigned long long sets = 0;
    char path[40];

    if (home != mapped_home) {
        int fd;

        snprintf(path, sizeof(path), "/hw/nodenum/%d/refcnt", home);
        fd = open(path, O_RDONLY);
        if (fd < 0 || ioctl(fd, RCB_INFO_GET, &info) < 0 || info.rcb_num_slots > 64 ||
            ioctl(fd, RCB_SLOT_GET, slot) < 0)
            die(path);
        counters = mmap(NULL, info.rcb_len, PROT_READ, MAP_SHARED, fd, 0);
        if (counters == MAP_FAILED)
            die("mmap");
        close(fd);
        mapped_home = home;
    }
    for (int s = 0; s < info.rcb_num_slots; s++) {
        if (paddr >= slot[s].base && paddr < slot[s].base + slot[s].size)
            return counters + (sets + (paddr - slot[s].base) / info.rcb_granularity) *
                                  (unsigned long long)info.rcb_sw_counters_per_set;
        sets += slot[s].size / info.rcb_granularity;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int nodes = (int)sysmp(MP_NUMNODES), differ = 0, proc;
    char path[32];

    if (argc != 3) {
        fprintf(stderr, "usage: references THREAD_NODE MEMORY_NODE    as /hw/nodenum/2\n");
        return 2;
    }
    place(argv[1], argv[2]);
    reference();
    snprintf(path, sizeof(path), "/proc/%05d", (int)getpid());
    proc = open(path, O_RDONLY);
    if (proc < 0)
        die(path);
    get(proc, PIOCGETSN0EXTREFCNTRS, extended);
    get(proc, PIOCGETSN0REFCNTRS, hardware);
    for (int p = 0; p < PAGES; p++) {
        const refcnt_t *set = mapped(extended[p].cnodeid, extended[p].paddr);

        printf("page %2d home %d:", p, extended[p].cnodeid);
        for (int n = 0; n < nodes; n++) {
            refcnt_t e = extended[p].refcnt_set.refcnt[n], h = hardware[p].refcnt_set.refcnt[n];

            differ += !set || set[n] != e;
            if (e + h)
                printf(" n%d=%llu (%llu)", n, e, h);
        }
        putchar('\n');
    }
    printf("references: %d pages, %d lines each, %d rounds; %d mapped counters differ\n", PAGES,
           HPAGE / LINE, ROUNDS, differ);
    return differ != 0;
}

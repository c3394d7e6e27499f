// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The calls of mmci(5) on a machine of 8 nodes: placement, errors, and pages that migrate to their users.  Prints TAP without a plan.
 *
 *   pmo             everything but the following
 *   pmo room        pages that move to a node until it has no memory left
 *   pmo confined    in a cpuset of nodes 0 to 3
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snhw.h>
#include <sys/SN/hwcntrs.h>
#include <sys/mmem.h>
#include <sys/pmo.h>
#include <sys/syssgi.h>
#include <sys/sysmp.h>
#include "tap.h"

#define PAGE 16384UL
#define LINE 128UL

/* The call failed with this errno. */
static void fails(long ret, int want, const char *what)
{
    point(ret == -1 && errno == want, "%s: %s", what, ret == -1 ? strerror(errno) : "no error");
}

static raff_info_t near(const char *name, int radius)
{
    raff_info_t r;

    r.resource = (void *)name;
    r.reslen = strlen(name);
    r.restype = RAFFIDT_NAME;
    r.radius = radius;
    r.attr = RAFFATTR_ATTRACTION;
    return r;
}

static int node_of(pmo_handle_t mld)
{
    char name[SNHW_NAME_MAX];
    int len = sizeof(name);

    return dev_to_devname(__mld_to_node(mld), name, &len) ? snhw_node_of(name) : -1;
}

static pmo_handle_t set_of(pmo_handle_t *mld, int n)
{
    int i;

    for (i = 0; i < n; i++)
        mld[i] = mld_create(0, 0);
    return mldset_create(mld, n);
}

static pmo_handle_t mld_on(int node)
{
    raff_info_t r = near(snhw_node_name(node), 0);
    pmo_handle_t mld, set = set_of(&mld, 1);

    mldset_place(set, TOPOLOGY_PHYSNODES, &r, 1, RQMODE_MANDATORY);
    return mld;
}

static char *pages(int n)
{
    return mmap(0, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The nodes of the pages that are in memory, one digit for each page. */
static const char *where(char *p, int n)
{
    static char text[65];
    pm_pginfo_t info[64];
    char name[SNHW_NAME_MAX];
    int i, len;

    n = __pm_get_page_info(p, n * PAGE, info, 64);
    for (i = 0; i < n; i++) {
        len = sizeof(name);
        text[i] = dev_to_devname(info[i].node_dev, name, &len) ? '0' + snhw_node_of(name) : '?';
    }
    text[n < 0 ? 0 : n] = 0;
    return text;
}

static char *attached(int n, char *placement, pmo_handle_t arg, char *migration, void *migr_arg,
                      pmo_handle_t *pm)
{
    policy_set_t s;
    char *p = pages(n);

    pm_filldefault(&s);
    s.placement_policy_name = placement;
    s.placement_policy_args = (void *)arg;
    s.migration_policy_name = migration;
    s.migration_policy_args = migr_arg;
    *pm = pm_create(&s);
    return *pm < 0 || pm_attach(*pm, p, n * PAGE) ? NULL : p;
}

static void placements(void)
{
    raff_info_t r[2] = { near("/hw/nodenum/3", 0), near("/hw/nodenum/5/cpu/a", 0) };
    pmo_handle_t mld[8], set = set_of(mld, 2), cube[8], cubes = set_of(cube, 8), one, pm;
    int i, j, bad, fd;
    char *p;

    point(!mldset_place(set, TOPOLOGY_PHYSNODES, r, 2, RQMODE_MANDATORY) && node_of(mld[0]) == 3 &&
              node_of(mld[1]) == 5,
          "PHYSNODES: MLDs on the nodes named");
    fd = open(snhw_node_name(6), O_RDONLY);
    r[0].resource = &fd;
    r[0].restype = RAFFIDT_FD;
    point(!mldset_place(set, TOPOLOGY_PHYSNODES, r, 2, RQMODE_MANDATORY) && node_of(mld[0]) == 6,
          "a resource by descriptor");
    r[0] = near("/hw/nodenum/3", 1);
    point(!mldset_place(set, TOPOLOGY_FREE, r, 1, RQMODE_MANDATORY) && node_of(mld[0]) == 3 &&
              node_of(mld[1]) == 2,
          "FREE: the node asked for and its neighbour");
    r[0].attr = RAFFATTR_REPULSION;
    r[0].radius = 2;
    point(!mldset_place(set, TOPOLOGY_FREE, r, 1, RQMODE_MANDATORY) &&
              snhw_hops(node_of(mld[0]), 3) > 2 && snhw_hops(node_of(mld[1]), 3) > 2,
          "repulsion: more than two hops away");
    bad = mldset_place(cubes, TOPOLOGY_CUBE_FIXED, NULL, 0, RQMODE_MANDATORY);
    for (i = 0; i < 8; i++)
        for (j = 0; j < 3; j++)
            bad |= snhw_hops(node_of(cube[i]), node_of(cube[i ^ 1 << j])) > 2 ||
                   node_of(cube[i]) == node_of(cube[i ^ 1 << j]);
    point(!bad, "CUBE_FIXED: neighbours of the index are neighbours");
    bad = mldset_place(cubes, TOPOLOGY_CPUCLUSTER,
                       &(raff_info_t){ "/hw/nodenum/4", 13, RAFFIDT_NAME, 3, RAFFATTR_ATTRACTION },
                       1, RQMODE_MANDATORY);
    for (i = 0; i < 8; i++)
        for (j = 0, one = 0; j < 8; j++)
            one += node_of(cube[i]) == node_of(cube[j]);
    point(!bad && one == 2 && node_of(cube[0]) == 4,
          "CPUCLUSTER: as many MLDs on a node as processors");

    r[0] = near("/hw/nodenum/2", 0);
    r[1] = near("/hw/nodenum/7", 0);
    mldset_place(set, TOPOLOGY_PHYSNODES, r, 2, RQMODE_MANDATORY);
    p = attached(4, "PlacementFixed", mld[1], "MigrationDefault", NULL, &pm);
    memset(p, 1, 4 * PAGE);
    point(!strcmp(where(p, 4), "7777"), "PlacementFixed: %s", where(p, 4));
    p = attached(4, "PlacementCacheColor", mld[0], "MigrationDefault", NULL, &pm);
    memset(p, 1, 2 * PAGE);
    point(!strcmp(where(p, 4), "22"), "PlacementCacheColor, two pages touched: %s", where(p, 4));
    p = attached(4, "PlacementRoundRobin", set, "MigrationDefault", NULL, &pm);
    memset(p, 1, 4 * PAGE);
    point(!strcmp(where(p, 4), "2727") || !strcmp(where(p, 4), "7272"), "PlacementRoundRobin: %s",
          where(p, 4));
    process_mldlink(0, mld_on(5), RQMODE_MANDATORY);
    p = attached(4, "PlacementFirstTouch", 0, "MigrationDefault", NULL, &pm);
    memset(p, 1, PAGE);
    process_mldlink(0, mld_on(1), RQMODE_MANDATORY);
    memset(p + PAGE, 1, PAGE);
    point(!strcmp(where(p, 4), "51"), "PlacementFirstTouch: %s", where(p, 4));
    p = attached(4, "PlacementThreadLocal", set, "MigrationDefault", NULL, &pm);
    process_mldlink(0, mld[1], RQMODE_MANDATORY);
    memset(p, 1, PAGE);
    process_mldlink(0, mld[0], RQMODE_MANDATORY);
    memset(p + PAGE, 1, PAGE);
    point(!strcmp(where(p, 4), "72"), "PlacementThreadLocal: %s", where(p, 4));
    point(!migr_range_migrate(p, 4 * PAGE, mld_on(4)) && !strcmp(where(p, 4), "44"),
          "migr_range_migrate to an MLD: %s", where(p, 4));
    point(!migr_range_migrate(p, 4 * PAGE, set) && !strcmp(where(p, 4), "27"), "to a set: %s",
          where(p, 4));
    {
        pmo_handle_t list[4], before;
        pmo_handle_list_t l = { list, 4 };
        pm_stat_t st;
        pm_pginfo_t info;

        point(pm_getall(p, PAGE, &l) == 1 && list[0] == pm &&
                  __pm_get_page_info(p, PAGE, &info, 1) == 1 && info.pm_handle == pm,
              "pm_getall and page info name the policy module");
        point(!pm_getstat(pm, &st) && !strcmp(st.placement_policy_name, "PlacementThreadLocal") &&
                  st.page_size == PAGE,
              "pm_getstat");
        before = pm_getdefault(MEM_DATA);
        pm = pm_create_simple("PlacementFixed", (void *)mld_on(6), NULL, NULL, PM_PAGESZ_DEFAULT);
        point(pm_setdefault(pm, MEM_DATA) == before && pm_getdefault(MEM_DATA) == pm,
              "pm_setdefault returns the one before");
        p = pages(2);
        memset(p, 1, 2 * PAGE);
        point(!strcmp(where(p, 2), "66"), "the default places: %s", where(p, 2));
        pm_setdefault(before, MEM_DATA);
        pm_destroy(pm);
    }
}

static void links(void)
{
    pmo_handle_t mld = mld_on(6);
    int cpu[2], status;

    snhw_node_cpus(6, cpu, 2);
    point(!process_cpulink(0, mld, 1, RQMODE_MANDATORY) && sched_getcpu() == cpu[1],
          "process_cpulink: processor b");
    point(!process_mldlink(0, mld, RQMODE_ADVISORY) && snhw_cpu_node(sched_getcpu()) == 6,
          "process_mldlink");
    if (!fork()) {
        cpu_set_t set;

        sched_getaffinity(0, sizeof(set), &set);
        _exit(CPU_COUNT(&set) != snhw_cpus());
    }
    wait(&status);
    point(!status, "a child has no link");
    fails(process_cpulink(0, mld, 2, RQMODE_MANDATORY), EINVAL, "processor c");
    fails(process_mldlink(1 << 22, mld, RQMODE_MANDATORY), ESRCH, "no such process");
    fails(process_mldlink(0, mld_create(0, 0), RQMODE_MANDATORY), EINVAL, "an MLD without a place");
}

static void errors(void)
{
    raff_info_t r = near("/hw/nodenum/1", 0), bad = r;
    pmo_handle_t mld[3], set = set_of(mld, 3), pm;
    migr_policy_uparms_t m;
    policy_set_t s;

    fails(mld_create(-1, 0), EINVAL, "mld_create, radius -1");
    fails(mldset_create(NULL, 1), EFAULT, "mldset_create without a list");
    fails(mldset_create(mld, 0), EINVAL, "mldset_create of none");
    fails(mldset_create(&(pmo_handle_t){ 12345 }, 1), EINVAL, "mldset_create of a bad handle");
    fails(mldset_create(&set, 1), EINVAL, "mldset_create of a set");
    fails(mldset_place(mld[0], TOPOLOGY_FREE, NULL, 0, RQMODE_ADVISORY), EINVAL,
          "mldset_place of an MLD");
    fails(mldset_place(set, 99, NULL, 0, RQMODE_ADVISORY), EINVAL, "bad topology");
    fails(mldset_place(set, TOPOLOGY_FREE, NULL, 1, RQMODE_ADVISORY), EINVAL,
          "length without a list");
    fails(mldset_place(set, TOPOLOGY_FREE, &r, 0, RQMODE_ADVISORY), EINVAL,
          "list without a length");
    fails(mldset_place(set, TOPOLOGY_FREE, &r, 1, 77), EINVAL, "bad request mode");
    bad.resource = NULL;
    fails(mldset_place(set, TOPOLOGY_FREE, &bad, 1, RQMODE_ADVISORY), EINVAL, "NULL resource");
    bad = near("/hw/nodenum/77", 0);
    fails(mldset_place(set, TOPOLOGY_FREE, &bad, 1, RQMODE_ADVISORY), EINVAL, "no such node");
    fails(mldset_place(set, TOPOLOGY_FREE, &r, 1, RQMODE_MANDATORY), EINVAL,
          "three MLDs on one node, mandatory");
    point(!mldset_place(set, TOPOLOGY_FREE, &r, 1, RQMODE_ADVISORY), "the same, advisory");
    fails(mldset_place(set, TOPOLOGY_CUBE, NULL, 0, RQMODE_MANDATORY), EINVAL, "a cube of three");
    fails(mld_destroy(mld[0]), EBUSY, "mld_destroy of a set's MLD");
    point(!mldset_destroy(set) && !mld_destroy(mld[0]), "after the set it goes");
    fails(mld_destroy(mld[0]), EINVAL, "twice");
    fails(mldset_destroy(set), EINVAL, "mldset_destroy twice");
    fails(pm_create(NULL), EFAULT, "pm_create of nothing");
    pm_filldefault(&s);
    s.placement_policy_name = "PlacementNowhere";
    fails(pm_create(&s), EINVAL, "unknown policy");
    s.placement_policy_name = "MigrationRefcnt";
    fails(pm_create(&s), EINVAL, "a policy of another kind");
    s.placement_policy_name = "PlacementFixed";
    s.placement_policy_args = (void *)mld[0];
    fails(pm_create(&s), EINVAL, "an MLD that is gone");
    pm_filldefault(&s);
    s.page_size = 32768;
    fails(pm_create(&s), EINVAL, "pages of 32 KB");
    pm_filldefault(&s);
    migr_policy_args_init(&m);
    m.migr_base_threshold = 101;
    s.migration_policy_name = "MigrationControl";
    s.migration_policy_args = &m;
    fails(pm_create(&s), EINVAL, "a threshold of 101 %");
    s.migration_policy_args = NULL;
    fails(pm_create(&s), EFAULT, "MigrationControl without parameters");
    pm_filldefault(&s);
    pm = pm_create(&s);
    fails(pm_attach(pm, pages(1), 0), EINVAL, "pm_attach of nothing");
    fails(pm_attach(pm, (void *)0x10000000000, PAGE), EFAULT, "pm_attach outside");
    fails(pm_attach(-1, pages(1), PAGE), EINVAL, "pm_attach of no module");
    point(!pm_destroy(pm), "pm_destroy");
    fails(pm_destroy(pm), EINVAL, "twice");
    fails(pm_setpagesize(pm, PAGE), EINVAL, "pm_setpagesize of what is gone");
    fails(migr_range_migrate(pages(1), PAGE, pm), EINVAL, "migration to a policy module");
    fails(sysmp(4711), EINVAL, "sysmp(4711)");
    fails(sysmp(MP_MUSTRUN, 4711), EINVAL, "sysmp(MP_MUSTRUN, 4711)");
    fails(sysmp(MP_NUMA_GETCPUNODEMAP, NULL, 0UL), EFAULT, "a map without room");
    fails(syssgi(4711), EINVAL, "syssgi(4711)");
}

static void questions(void)
{
    unsigned char hops[64];
    cnodeid_t map[16];
    char name[MAXSYSIDSIZE];
    int i, bad;

    point(sysmp(MP_NUMNODES) == 8 && sysmp(MP_NPROCS) == 16 && sysmp(MP_NAPROCS) == 16 &&
              sysmp(MP_PGSIZE) == PAGE,
          "sysmp counts");
    bad = sysmp(MP_NUMA_GETCPUNODEMAP, map, sizeof(map)) != 0;
    for (i = 0; i < 16; i++)
        bad |= map[i] != i / 2;
    point(!bad, "processors' nodes");
    bad = sysmp(MP_NUMA_GETDISTMATRIX, hops, sizeof(hops)) != 0;
    for (i = 0; i < 64; i++) {
        int a = i / 8, b = i % 8, d = a == b ? 0 : 1 + __builtin_popcount((a ^ b) >> 1);

        bad |= hops[i] != d;
    }
    point(!bad, "hops");
    point(!sysmp(MP_MUSTRUN, 9) && sched_getcpu() == 9 && sysmp(MP_GETMUSTRUN) == 9 &&
              !sysmp(MP_RUNANYWHERE),
          "MP_MUSTRUN");
    fails(sysmp(MP_GETMUSTRUN), EINVAL, "no processor it must run on");
    point(!syssgi(SGI_SYSID, name) && !strcmp(name, "ricotta"), "syssgi: %s", name);
    point(!syssgi(SGI_RDNAME, getpid(), name, (int)sizeof(name)) && !strcmp(name, "pmo"),
          "and its program: %s", name);
}

/* --- arenas --- */

static void arenas(void)
{
    char *a = numa_acreate(mld_on(4), 10 * PAGE, PM_PAGESZ_DEFAULT), *p[64], *q;
    int i, bad = 0, n;

    point(a && !strcmp(where(a, 10), "44"), "numa_acreate: on its MLD's node: %s", where(a, 10));
    for (i = 0; i < 64; i++) {
        p[i] = amalloc(1000 + i, a);
        bad |= !p[i] || p[i] < a || p[i] + 1000 + i > a + 10 * PAGE || (unsigned long)p[i] % 16;
        if (p[i])
            memset(p[i], i, 1000 + i);
    }
    for (i = 0; i < 64; i++)
        bad |= p[i][0] != i || p[i][999 + i] != i;
    point(!bad, "amalloc: pieces that do not overlap");
    for (i = 0, bad = 0; i < 10; i++)
        bad |= where(a, 10)[i] != '4' && where(a, 10)[i];
    point(!bad, "all of them on the node: %s", where(a, 10));
    fails(amalloc(10 * PAGE, a) ? 0 : -1, ENOMEM, "more than there is");
    fails(acalloc(1UL << 40, 1UL << 40, a) ? 0 : -1, ENOMEM, "more than can be");
    for (i = 0; i < 64; i += 2)
        afree(p[i], a);
    for (i = 1; i < 64; i += 2)
        afree(p[i], a);
    q = amalloc(9 * PAGE, a);
    point(q != NULL, "what is freed becomes one again");
    memset(q, 9, 9 * PAGE);
    p[0] = arealloc(q, 100, a);
    p[1] = acalloc(1, 8 * PAGE, a);
    for (n = 0; p[1] && n < (int)(8 * PAGE) && !p[1][n];)
        n++;
    point(p[0] == q && n == 8 * PAGE, "arealloc gives back, acalloc clears");
    p[0] = arealloc(q, 10000, a);
    point(p[0] && p[0] != q && p[0][0] == 9 && p[0][99] == 9, "arealloc moves what cannot grow");
    adelete(a);
    fails(msync(a, PAGE, MS_ASYNC), ENOMEM, "adelete: the memory is gone");
    fails(numa_acreate(-1, PAGE, 0) ? 0 : -1, EINVAL, "numa_acreate of no MLD");
    fails(numa_acreate(mld_create(0, 0), PAGE, 0) ? 0 : -1, EINVAL, "of an MLD without a place");
    fails(numa_acreate(mld_on(4), 16, 0) ? 0 : -1, EINVAL, "of 16 bytes");
    fails(numa_acreate(mld_on(4), PAGE, 12345) ? 0 : -1, EINVAL, "with pages of 12345 bytes");
    fails(amalloc(1, &n) ? 0 : -1, EINVAL, "amalloc from what is no arena");
}

/* --- the cycle counter --- */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void cycles(void)
{
    unsigned int picoseconds;
    long at = syssgi(SGI_QUERY_CYCLECNTR, &picoseconds);
    int fd = open("/dev/mmem", O_RDONLY), bits = syssgi(SGI_CYCLECNTR_SIZE);
    volatile unsigned long *counter;
    unsigned long c;
    double t[4];
    char *p;

    point(at > 0 && picoseconds == 800000 && bits == 52, "the cycle counter: %u ps, %d bits",
          picoseconds, bits);
    p = mmap(0, PAGE, PROT_READ, MAP_PRIVATE, fd, at & -(long)PAGE);
    if (p == MAP_FAILED) {
        point(0, "mmap of /dev/mmem: %s", strerror(errno));
        return;
    }
    counter = (volatile unsigned long *)(p + (at & (PAGE - 1)));
    t[0] = seconds();
    c = *counter;
    t[1] = seconds();
    usleep(200000);
    t[2] = seconds();
    c = *counter - c;
    t[3] = seconds();
    point(c * 800e-9 > t[2] - t[1] - 1e-6 && c * 800e-9 < t[3] - t[0] + 1e-6,
          "it counts as the clock does: %lu counts in %.6f to %.6f s", c, t[2] - t[1], t[3] - t[0]);
    fails((long)mmap(0, PAGE, PROT_READ, MAP_SHARED, fd, (at & -(long)PAGE) + PAGE), ENXIO,
          "/dev/mmem elsewhere");
    fails((long)mmap(0, 2 * PAGE, PROT_READ, MAP_SHARED, fd, at & -(long)PAGE), ENXIO,
          "beyond the counter's page");
    fails((long)mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, at & -(long)PAGE), EACCES,
          "to write");
    fails(mprotect(p, PAGE, PROT_READ | PROT_WRITE), EACCES, "to write, later");
    fails(ioctl(fd, MMEM_CYCLECNTR, 8), EFAULT, "its request without room");
    fails(ioctl(fd, 4711, 0), ENOTTY, "another request");
    close(fd);
    munmap(p, PAGE);
    fails(syssgi(SGI_QUERY_CYCLECNTR, NULL), EFAULT, "SGI_QUERY_CYCLECNTR without room");
}

/* --- dynamic migration --- */

static volatile char *trash;

static void use(volatile char *p, size_t bytes, int rounds)
{
    size_t i;

    while (rounds--) {
        for (i = 0; i < 4 << 20; i += LINE)
            (void)trash[i];
        for (i = 0; i < bytes; i += LINE)
            (void)p[i];
    }
}

static rcb_migr_t rules(int node, int set, const rcb_migr_t *new)
{
    char path[40];
    rcb_migr_t m;
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/refcnt", node);
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, set ? RCB_MIGR_SET : RCB_MIGR_GET, set ? new : &m) < 0)
        perror(path);
    close(fd);
    return set ? *new : m;
}

static unsigned long stat_of(int node, const char *name)
{
    char path[40], line[128];
    unsigned long v = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/stat", node);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
        if (!strncmp(line, "refcnt: ", 8) && !strncmp(line + 8, name, strlen(name)))
            v = strtoul(strchr(line + 8 + strlen(name), ':') + 1, NULL, 10);
    if (f)
        fclose(f);
    return v;
}

/* What the /proc ioctl says about a page. */
static sn0_refcnt_buf_t *told(char *p)
{
    static sn0_refcnt_buf_t buf;
    sn0_refcnt_args_t a = { .vaddr = (unsigned long)p, .len = 1, .buf = &buf };
    char path[32];
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    if (ioctl(fd, PIOCGETSN0REFCNTRS, &a) < 0)
        buf.cnodeid = -2;
    close(fd);
    return &buf;
}

static int home(char *p)
{
    return told(p)->cnodeid;
}

/* Mappings that are not memory (registers, the zero page) have no counters and no policy, and they do not move. */
static void no_memory(void)
{
    static const char *const registers[] = { "md", "rtc" };
    sn0_policy_args_t count = { .len = PAGE, .flags = SN0_POLICY_COUNT };
    unsigned long stuck = stat_of(2, "user migration skips");
    char path[40], *p;
    int fd, proc;
    unsigned i;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    proc = open(path, O_RDONLY);
    for (i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "/hw/nodenum/2/hub/%s", registers[i]);
        fd = open(path, O_RDONLY);
        p = mmap(0, PAGE, PROT_READ, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED)
            perror(path);
        point(home(p) == CNODEID_NONE, "the registers of hub/%s are no memory: node %d",
              registers[i], home(p));
        count.vaddr = (unsigned long)p;
        point(!ioctl(proc, PIOCSETSN0POLICY, &count) && !migr_range_migrate(p, PAGE, mld_on(3)) &&
                  stat_of(2, "user migration skips") == stuck,
              "nor do they move");
        munmap(p, PAGE);
        close(fd);
    }
    close(proc);
    p = pages(1);
    (void)*(volatile char *)p;
    point(home(p) == CNODEID_NONE, "a page that was only read is not there yet: node %d", home(p));
    *p = 1;
    point(home(p) >= 0, "one that was written is: node %d", home(p));
    munmap(p, PAGE);
}

/* The nodes count the pages that programs move. */
static void user_migration(void)
{
    unsigned long to = stat_of(3, "user migrations to"), from = stat_of(2, "user migrations from"),
                  stuck;
    sn0_migrate_args_t a = { .len = PAGE, .nodes = 1 };
    char path[32], *p;
    pmo_handle_t pm;
    int fd;

    p = attached(6, "PlacementFixed", mld_on(2), "MigrationDefault", NULL, &pm);
    memset(p, 5, 4 * PAGE); /* the last two pages are not touched */
    point(!migr_range_migrate(p, 6 * PAGE, mld_on(3)) && !strcmp(where(p, 6), "3333"),
          "migr_range_migrate: pages in memory go: %s", where(p, 6));
    point(stat_of(3, "user migrations to") - to == 4 &&
              stat_of(2, "user migrations from") - from == 4,
          "and are counted on both nodes");
    point(home(p) == 3 && home(p + 3 * PAGE) == 3 && home(p + 5 * PAGE) == CNODEID_NONE,
          "their counters are node 3's");
    point(!migr_range_migrate(p, 6 * PAGE, mld_on(3)) && stat_of(3, "user migrations to") - to == 4,
          "who is there stays and is not counted");
    munmap(p, 6 * PAGE);
    fails(migr_range_migrate(p, 0, mld_on(3)), EINVAL, "migr_range_migrate of nothing");
    fails(migr_range_migrate((void *)(1UL << 41), PAGE, mld_on(3)), EINVAL,
          "beyond the address space");
    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    a.node[0] = 8;
    fails(ioctl(fd, PIOCMIGRATESN0, &a), EINVAL, "to a node that is not there");
    a.node[0] = 3;
    a.nodes = 65;
    fails(ioctl(fd, PIOCMIGRATESN0, &a), EINVAL, "to 65 nodes");
    fails(ioctl(fd, PIOCMIGRATESN0, 8), EFAULT, "without arguments");
    close(fd);
    /* A page that two processes map moves only for a caller with CAP_SYS_NICE. */
    p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    migr_range_migrate(memset(p, 1, PAGE), PAGE, mld_on(2));
    stuck = stat_of(2, "user migration skips");
    if (!fork()) {
        (void)*(volatile char *)p;
        setresuid(1000, 1000, 1000);
        migr_range_migrate(p, PAGE, mld_on(3));
        p[2] = !strcmp(where(p, 1), "2");
        _exit(0);
    }
    wait(NULL);
    point(p[2] && stat_of(2, "user migration skips") == stuck + 1,
          "another's page stays, and is counted");
    munmap(p, PAGE);
}

/* --- migration control --- */

/* Migrate a page to a node whose count leads the home's by a tenth of the counters' maximum: 204. */
static migr_policy_uparms_t control(void)
{
    migr_policy_uparms_t m;

    migr_policy_args_init(&m);
    m.migr_base_enabled = 1;
    m.migr_base_threshold = 10;
    return m;
}

/* A page of node 1 with these migration parameters. */
static char *migrating(int n, migr_policy_uparms_t *m)
{
    pmo_handle_t pm;
    char *p = attached(n, "PlacementFixed", mld_on(1), "MigrationControl", m, &pm);

    return memset(p, 7, n * PAGE);
}

static void on_node(int node)
{
    process_mldlink(0, mld_on(node), RQMODE_MANDATORY);
}

/* A round makes 32 references to each 4 KB. */
static void use_on(int node, char *p, int rounds)
{
    on_node(node);
    use(p, PAGE, rounds);
}

static void threshold(void)
{
    migr_policy_uparms_t m = control();
    char *data = migrating(4, &m), *p;
    pmo_handle_t pm;
    int i;

    on_node(6);
    use(data, 4 * PAGE, 4);
    point(!strcmp(where(data, 4), "1111"), "below the threshold pages stay: %s", where(data, 4));
    use(data, 4 * PAGE, 8);
    point(!strcmp(where(data, 4), "6666"), "pages follow their user: %s", where(data, 4));
    point(stat_of(1, "auto migrations from") == 4 && stat_of(6, "auto migrations to") == 4,
          "and are counted on both nodes");
    for (i = 0; i < (int)(4 * PAGE) && data[i] == 7;)
        i++;
    point(i == 4 * PAGE, "their contents too");
    point(home(data) == 6 && home(data + 3 * PAGE) == 6, "their counters are the new home's");
    munmap(data, 4 * PAGE);

    /* The Hub interrupts at a lead of 204, the least that any page asks for.  For this page the kernel adds up the leads. */
    m.migr_base_threshold = 40;
    p = migrating(1, &m);
    use(p, PAGE, 22);
    point(!strcmp(where(p, 1), "1"), "a page with four times the threshold stays longer");
    use(p, PAGE, 8);
    point(!strcmp(where(p, 1), "6"), "and goes");
    munmap(p, PAGE);

    p = attached(2, "PlacementFixed", mld_on(1), "MigrationRefcnt", NULL, &pm);
    memset(p, 1, 2 * PAGE);
    use(p, 2 * PAGE, 14);
    point(!strcmp(where(p, 2), "11"), "MigrationRefcnt: pages stay: %s", where(p, 2));
    munmap(p, 2 * PAGE);
}

/* The lead at which a node's Hub interrupts. */
static int reported(int node)
{
    rcb_info_t info = { 0 };
    char path[40];
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%d/refcnt", node);
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, RCB_INFO_GET, &info))
        perror(path);
    close(fd);
    return info.rcb_diff_threshold;
}

/* Each rule takes its least and its greatest value, and none beyond. */
static void bounds(void)
{
    static const struct {
        const char *name;
        size_t at;
        int least, most;
    } fields[] = {
#define FIELD(name, least, most) { #name, offsetof(rcb_migr_t, name), least, most }
        FIELD(migr_mode, 0, 3),
        FIELD(refcnt_mode, 0, 3),
        FIELD(threshold, 0, 100),
        FIELD(distance, 0, 64),
        FIELD(memory_low, 0, 100),
        FIELD(dampening, 0, 1),
        FIELD(dampening_factor, 0, 100),
        FIELD(freeze, 0, 1),
        FIELD(freeze_threshold, 0, 100),
        FIELD(melt, 0, 1),
        FIELD(melt_threshold, 0, 100),
        FIELD(interval, 1, 3600),
        FIELD(unpeg, 0, 1),
        FIELD(unpeg_level, 0, 100),
        FIELD(unpeg_period, 1, 3600),
        FIELD(enqueue, 0, 1),
        FIELD(reserved, 0, 0),
#undef FIELD
    };
    rcb_migr_t old = rules(7, 0, NULL), least = old, most = old, new;
    int fd = open("/hw/nodenum/7/refcnt", O_RDONLY);
    unsigned i;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        int *field = (int *)((char *)&new + fields[i].at);

        new = old;
        *field = fields[i].least - 1;
        point(ioctl(fd, RCB_MIGR_SET, &new) == -1 && errno == EINVAL, "the rule %s is not %d",
              fields[i].name, *field);
        *field = fields[i].most + 1;
        point(ioctl(fd, RCB_MIGR_SET, &new) == -1 && errno == EINVAL, "nor %d", *field);
        memcpy((char *)&least + fields[i].at, &fields[i].least, sizeof(int));
        memcpy((char *)&most + fields[i].at, &fields[i].most, sizeof(int));
    }
    /* The modes stay, because they would affect all pages of the node: see modes(). */
    least.migr_mode = most.migr_mode = old.migr_mode;
    least.refcnt_mode = most.refcnt_mode = old.refcnt_mode;
    point(!ioctl(fd, RCB_MIGR_SET, &most), "the greatest values");
    point(!ioctl(fd, RCB_MIGR_SET, &least), "the least");
    rules(7, 1, &old);
    close(fd);
}

/* The node's modes, for pages that have no policy and for all pages. */
static void modes(void)
{
    static const struct {
        int mode, base;
        const char *migration, *where;
    } cases[] = {
        { RCB_OFF, 0, "MigrationDefault", "1" },  { RCB_ON, 0, "MigrationDefault", "6" },
        { RCB_ON, 0, "MigrationControl", "1" },   { RCB_FON, 0, "MigrationControl", "6" },
        { RCB_FOFF, 1, "MigrationControl", "1" },
    };
    rcb_migr_t old = rules(1, 0, NULL), new = old;
    migr_policy_uparms_t m = control();
    pmo_handle_t pm;
    unsigned i;
    char *p;

    new.threshold = 10;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        m.migr_base_enabled = cases[i].base;
        p = attached(1, "PlacementFixed", mld_on(1), (char *)cases[i].migration, &m, &pm);
        memset(p, 1, PAGE);
        new.migr_mode = cases[i].mode;
        rules(1, 1, &new);
        use_on(6, p, 10);
        point(!strcmp(where(p, 1), cases[i].where), "node's mode %d, %s %d: on %s", cases[i].mode,
              cases[i].migration, cases[i].base, where(p, 1));
        munmap(p, PAGE);
    }
    new.threshold = 5;
    rules(1, 1, &new);
    point(reported(1) == 102, "its Hub reports what it asks for: %d", reported(1));
    rules(1, 1, &old);
    point(reported(1) == 204, "or the least that a page asked for: %d", reported(1));
}

/* Nodes 1 and 6 are three hops from each other. */
static void distance_and_memory(void)
{
    rcb_migr_t old = rules(1, 0, NULL), new = old;
    migr_policy_uparms_t m = control();
    char *p = migrating(1, &m);

    new.distance = 4;
    rules(1, 1, &new);
    use_on(6, p, 10);
    point(!strcmp(where(p, 1), "1") && stat_of(1, "skips: near"),
          "a node that is too near gets none");
    new = old;
    new.memory_low = 100;
    rules(1, 1, &new);
    use(p, PAGE, 10);
    point(!strcmp(where(p, 1), "1") && stat_of(1, "skips: no memory"),
          "nor does one without memory");
    new = old;
    new.distance = 3;
    rules(1, 1, &new);
    use(p, PAGE, 10);
    point(!strcmp(where(p, 1), "6"), "one that is just far enough gets it");
    rules(1, 1, &old);
    munmap(p, PAGE);
}

static void dampening(void)
{
    migr_policy_uparms_t m = control();
    char *p;

    m.migr_dampening_enabled = 1;
    m.migr_dampening_factor = 75;
    p = migrating(1, &m);
    use_on(6, p, 14);
    point(!strcmp(where(p, 1), "1") && stat_of(1, "skips: dampened") == 2,
          "dampening: two requests are not enough of three");
    use(p, PAGE, 9);
    point(!strcmp(where(p, 1), "6"), "the third is honoured");
    munmap(p, PAGE);
    p = migrating(1, &m);
    use_on(6, p, 14);
    use_on(3, p, 14);
    point(!strcmp(where(p, 1), "1"), "another node's requests are counted anew");
    use_on(3, p, 9);
    point(!strcmp(where(p, 1), "3"), "the third of that one is honoured");
    munmap(p, PAGE);
}

/* By intervals of 100 s, which begin when a page moves: two moves freeze a page, two quiet intervals melt it. */
static void freezing(void)
{
    migr_policy_uparms_t m = control();
    unsigned long frozen;
    rcb_migr_t new;
    char *p;
    int i;

    m.migr_freeze_enabled = 1;
    m.migr_freeze_threshold = 20;
    m.migr_melt_enabled = 1;
    m.migr_melt_threshold = 20;
    for (i = 0; i < 8; i++) {
        new = rules(i, 0, NULL);
        new.interval = 100;
        rules(i, 1, &new);
    }
    p = migrating(1, &m);
    for (i = 0; i < 4; i++)
        use_on(i & 1 ? 3 : 6, p, 8);
    frozen = stat_of(3, "skips: frozen");
    point(!strcmp(where(p, 1), "3") && frozen, "a page that bounces twice freezes: on %s",
          where(p, 1));
    for (i = 0; i < 3; i++) {
        sleep(90);
        use_on(6, p, 17); /* eight were local */
    }
    point(!strcmp(where(p, 1), "3") && stat_of(3, "skips: frozen") >= frozen + 3,
          "it stays so while it is asked for in every interval");
    sleep(400);
    use(p, PAGE, 8);
    point(!strcmp(where(p, 1), "6"), "a molten page goes again");
    munmap(p, PAGE);

    p = migrating(1, &m);
    for (i = 0; i < 3; i++) {
        use_on(i & 1 ? 3 : 6, p, 9 + 9 * i);
        sleep(150);
    }
    point(!strcmp(where(p, 1), "6"), "one that moves once in an interval does not freeze: on %s",
          where(p, 1));
    munmap(p, PAGE);

    m.migr_melt_enabled = 0;
    p = migrating(1, &m);
    use_on(6, p, 8);
    use_on(3, p, 10); /* some of the first eight were local, after the page had moved */
    sleep(2000);
    use_on(6, p, 17);
    point(!strcmp(where(p, 1), "3"), "without melting it stays frozen: on %s", where(p, 1));
    munmap(p, PAGE);
}

/* Put the page into a pipe, so that it cannot move. */
static void hold(int held[2], char *p)
{
    struct iovec v = { p, 1 };

    if (pipe(held) || vmsplice(held[1], &v, 1, 0) != 1)
        perror("vmsplice");
}

static void release(int held[2])
{
    char byte;

    if (read(held[0], &byte, 1) != 1)
        perror("pipe");
    close(held[0]);
    close(held[1]);
}

/* A page that cannot move is not looked at again before the interval of 100 s is over. */
static void stuck(void)
{
    migr_policy_uparms_t m = control();
    unsigned long before = stat_of(1, "skips: not migratable");
    char *p = migrating(1, &m);
    int held[2];

    hold(held, p);
    use_on(6, p, 30);
    before = stat_of(1, "skips: not migratable") - before;
    point(!strcmp(where(p, 1), "1") && before == 1,
          "a page that cannot move is asked for once in an interval: %lu", before);
    release(held);
    sleep(150);
    use(p, PAGE, 8);
    point(!strcmp(where(p, 1), "6"), "when it can, it goes: on %s", where(p, 1));
    munmap(p, PAGE);
}

/* A page of node 1 that node 6 requested in vain, because it had no memory.  Otherwise the node has the rules @r. */
static char *wanted(migr_policy_uparms_t *m, rcb_migr_t r)
{
    char *p;

    r.memory_low = 100;
    rules(1, 1, &r);
    p = migrating(1, m);
    use_on(6, p, 10);
    return p;
}

/* A request that fails is queued and honoured later. */
static void queue(void)
{
    rcb_migr_t old = rules(1, 0, NULL), new = old;
    migr_policy_uparms_t m = control();
    unsigned long skips, honoured;
    int held[2];
    char *p;

    new.interval = 1;
    p = wanted(&m, new);
    rules(1, 1, &old); /* there is memory again, but the interval still runs */
    sleep(3);
    point(!strcmp(where(p, 1), "1"), "a request that failed is lost");
    munmap(p, PAGE);

    m.migr_enqonfail_enabled = 1;
    p = wanted(&m, new);
    sleep(3);
    point(!strcmp(where(p, 1), "1") && stat_of(1, "requests queued") >= 1,
          "or queued while there is no memory: on %s", where(p, 1));
    rules(1, 1, &new);
    sleep(3);
    honoured = stat_of(1, "queued requests honoured");
    point(!strcmp(where(p, 1), "6") && honoured == 1, "and honoured later: on %s", where(p, 1));
    munmap(p, PAGE);

    p = migrating(1, &m);
    hold(held, p);
    use_on(6, p, 10);
    sleep(3);
    release(held);
    sleep(3);
    honoured++;
    point(!strcmp(where(p, 1), "6") && stat_of(1, "queued requests honoured") == honoured,
          "so is one for a page that could not move: on %s", where(p, 1));
    munmap(p, PAGE);

    p = wanted(&m, new);
    new.migr_mode = RCB_FOFF;
    rules(1, 1, &new);
    sleep(3);
    new.migr_mode = old.migr_mode;
    rules(1, 1, &new);
    sleep(3);
    point(!strcmp(where(p, 1), "1"), "unless no page may move when its turn comes: on %s",
          where(p, 1));
    munmap(p, PAGE);

    skips = stat_of(1, "skips: near");
    p = wanted(&m, old);
    new = old;
    new.distance = 3;
    rules(1, 1, &new);
    use_on(3, p, 10);
    sleep(150);
    point(!strcmp(where(p, 1), "1") && stat_of(1, "skips: near") == skips + 1 &&
              stat_of(1, "queued requests honoured") == honoured,
          "or another node asked since, in vain: on %s", where(p, 1));
    rules(1, 1, &old);
    munmap(p, PAGE);
}

/*
 * If the counters of the home and of another node are both at their maximum, neither leads.  A page that both nodes used much, and that only one
 * of them still uses, can move only after full counters are cleared.
 */
static void unpegging(void)
{
    rcb_migr_t old = rules(1, 0, NULL), new = old;
    migr_policy_uparms_t m = control();
    unsigned long before;
    char *p;
    int i;

    new.unpeg_period = 1;
    new.unpeg_level = 90;
    for (i = 0; i < 2; i++) {
        p = migrating(1, &m);
        use_on(1, p, 80);
        new.unpeg = i;
        rules(1, 1, &new);
        sleep(3);
        use_on(6, p, 20);
        if (!i)
            point(!strcmp(where(p, 1), "1"), "home's full counters keep a page");
        else
            point(!strcmp(where(p, 1), "6") && stat_of(1, "pages unpegged"),
                  "unpegged, it goes: on %s", where(p, 1));
        munmap(p, PAGE);
    }
    before = stat_of(1, "pages unpegged");
    p = migrating(1, &m);
    use_on(1, p, 50);
    sleep(3);
    point(stat_of(1, "pages unpegged") == before, "counters below the level go on: %lu",
          stat_of(1, "pages unpegged") - before);
    rules(1, 1, &old);
    sleep(2);
    use(p, PAGE, 30);
    sleep(3);
    point(stat_of(1, "pages unpegged") == before, "full ones too when unpegging is off again");
    munmap(p, PAGE);
}

/*
 * Nodes 1 and 3 move pages that have no policy, node 1 at the third request.  Pages of node 1 that were requested twice are freed, and a page that
 * moves in gets their frames, whichever of node 3's processors moves it.  The frame's earlier requests must not count for it.
 */
static void others_requests(void)
{
    rcb_migr_t old = rules(3, 0, NULL), new = old;
    cpu_set_t all, one;
    int cpu, left = 8;
    pmo_handle_t pm;
    char *p, *q;

    new.dampening = 0;
    rules(3, 1, &new);
    p = memset(attached(1, "PlacementFixed", mld_on(3), "MigrationDefault", NULL, &pm), 1, PAGE);
    q = memset(attached(left, "PlacementFixed", mld_on(1), "MigrationDefault", NULL, &pm), 1,
               left * PAGE);
    on_node(6);
    use(q, left * PAGE, 17);
    point(!strcmp(where(q, left), "11111111"), "pages that are asked for twice: on %s",
          where(q, left));
    on_node(3);
    sched_getaffinity(0, sizeof(all), &all);
    for (cpu = 0; cpu < CPU_SETSIZE && left; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof(one), &one);
        left -= 4;
        munmap(q + left * PAGE, 4 * PAGE);
    }
    use_on(1, p, 8);
    use_on(6, p, 10);
    point(!strcmp(where(p, 1), "1"), "who takes their place is asked for anew: on %s", where(p, 1));
    munmap(p, PAGE);
    rules(3, 1, &old);
}

/* Free the page @p and return a page on @node that gets its frame. */
static char *heir(char *p, int node)
{
    unsigned long frame = told(p)->paddr;
    pmo_handle_t pm;
    char *q = attached(64, "PlacementFixed", mld_on(node), "MigrationDefault", NULL, &pm);
    void *any = (void *)trash;
    int i;

    /* The processor that frees a frame gets it again, unless the frame waits in a processor's list of new pages.  This call empties the lists. */
    syscall(SYS_move_pages, 0, 1UL, &any, &node, &i, 0);
    process_cpulink(0, mld_on(node), 0, RQMODE_MANDATORY);
    munmap(p, PAGE);
    for (i = 0; i < 64; i++, q += PAGE) {
        *q = 1;
        if (told(q)->paddr == frame)
            return q;
    }
    printf("# frame %lx went elsewhere\n", frame);
    return q - PAGE;
}

/* Does the page get to the node?  A move may still be under way. */
static int arrives(char *p, const char *node)
{
    for (int i = 0; i < 1000 && strcmp(where(p, 1), node); i++)
        usleep(1000);
    return !strcmp(where(p, 1), node);
}

/* Use the page from the node until it is there: a move fails while something else holds the page, and another request is needed. */
static void follows(char *p, int node, int rounds)
{
    const char at[] = { (char)('0' + node), 0 };

    for (int i = 0; i < 3; i++) {
        use_on(node, p, rounds);
        if (arrives(p, at))
            return;
    }
}

/* Nodes 1, 3 and 6 move pages that have no policy, and freeze a page that moves twice: the page, not the frame that it was in. */
static void heirs(void)
{
    rcb_migr_t old = rules(1, 0, NULL), new = old;
    pmo_handle_t pm;
    char *p;

    p = memset(attached(1, "PlacementFixed", mld_on(1), "MigrationDefault", NULL, &pm), 1, PAGE);
    follows(p, 6, 8);
    follows(p, 3, 17);
    use_on(6, p, 17);
    usleep(100000);
    point(!strcmp(where(p, 1), "3"), "a page that froze: on %s", where(p, 1));
    p = heir(p, 3);
    use_on(6, p, 8);
    point(arrives(p, "6"), "who takes its place may move: on %s", where(p, 1));

    new.memory_low = 100;
    new.interval = 1;
    new.enqueue = 1;
    rules(1, 1, &new);
    p = memset(attached(1, "PlacementFixed", mld_on(1), "MigrationDefault", NULL, &pm), 1, PAGE);
    use_on(6, p, 10);
    p = heir(p, 1);
    new.memory_low = old.memory_low;
    rules(1, 1, &new);
    sleep(3);
    point(!strcmp(where(p, 1), "1"), "and is not moved for a request of the page before: on %s",
          where(p, 1));
    rules(1, 1, &old);
}

/* The same filters for a page without a policy: its node's rules apply.  The memory that empties the cache must not move meanwhile. */
static void by_node(void)
{
    static const int nodes[] = { 1, 3, 6 };
    migr_policy_uparms_t m = control();
    sn0_policy_args_t a = { .vaddr = (unsigned long)trash,
                            .len = 4 << 20,
                            .flags = SN0_POLICY_STAY };
    rcb_migr_t old[3], new;
    char path[32], *p;
    pmo_handle_t pm;
    int fd, i;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    if (fd < 0 || ioctl(fd, PIOCSETSN0POLICY, &a))
        perror(path);
    for (i = 0; i < 3; i++) {
        new = old[i] = rules(nodes[i], 0, NULL);
        new.migr_mode = RCB_ON;
        new.threshold = 10;
        new.dampening = 1;
        new.dampening_factor = 75;
        rules(nodes[i], 1, &new);
    }
    p = memset(attached(1, "PlacementFixed", mld_on(1), "MigrationDefault", NULL, &pm), 1, PAGE);
    use_on(6, p, 14);
    point(!strcmp(where(p, 1), "1"), "the node's dampening: two requests are not enough: on %s",
          where(p, 1));
    use(p, PAGE, 9);
    point(!strcmp(where(p, 1), "6"), "three are: on %s", where(p, 1));
    munmap(p, PAGE);

    others_requests();

    for (i = 0; i < 3; i++) {
        new = rules(nodes[i], 0, NULL);
        new.dampening = 0;
        new.freeze = new.melt = 1;
        new.freeze_threshold = new.melt_threshold = 20;
        rules(nodes[i], 1, &new);
    }
    p = memset(attached(1, "PlacementFixed", mld_on(1), "MigrationDefault", NULL, &pm), 1, PAGE);
    use_on(6, p, 8);
    use_on(3, p, 17);
    use_on(6, p, 17);
    point(!strcmp(where(p, 1), "3"), "the node's freezing: two moves: on %s", where(p, 1));
    sleep(400);
    use(p, PAGE, 17);
    point(!strcmp(where(p, 1), "6"), "and melting: on %s", where(p, 1));
    munmap(p, PAGE);
    heirs();
    for (i = 0; i < 3; i++)
        rules(nodes[i], 1, &old[i]);
    a.flags = 0;
    if (ioctl(fd, PIOCSETSN0POLICY, &a))
        perror(path);
    close(fd);

    new = old[0];
    new.memory_low = 100;
    new.interval = 1;
    new.enqueue = 1;
    rules(1, 1, &new);
    p = migrating(1, &m);
    use_on(6, p, 10);
    rules(1, 1, &old[0]);
    sleep(3);
    point(!strcmp(where(p, 1), "6"), "the node's queue: on %s", where(p, 1));
    munmap(p, PAGE);
}

/* Pages that keep moving to a node do not delay its queue. */
static void intervals(void)
{
    rcb_migr_t old = rules(1, 0, NULL), new = old;
    migr_policy_uparms_t m = control();
    pmo_handle_t pm;
    char *p, *q;
    int i;

    new.memory_low = 100;
    new.interval = 2;
    m.migr_enqonfail_enabled = 1;
    rules(1, 1, &new);
    p = migrating(1, &m);
    use_on(6, p, 10);
    new.memory_low = old.memory_low;
    rules(1, 1, &new);
    q = memset(attached(1, "PlacementFixed", mld_on(6), "MigrationControl", &m, &pm), 1, PAGE);
    for (i = 0; i < 5; i++) {
        use_on(1, q, 10);
        if (strcmp(where(q, 1), "1"))
            break;
        migr_range_migrate(q, PAGE, mld_on(6));
        sleep(1);
    }
    point(i == 5 && !strcmp(where(p, 1), "6"),
          "an interval ends while pages move: %d moved, the queued one is on %s", i, where(p, 1));
    rules(1, 1, &old);
    munmap(p, PAGE);
    munmap(q, PAGE);
}

static void migration(void)
{
    trash = pages(256);
    memset((char *)trash, 1, 4 << 20);
    threshold();
    bounds();
    modes();
    distance_and_memory();
    dampening();
    freezing();
    stuck();
    queue();
    unpegging();
    by_node();
    intervals();
}

/* --- how long policies last --- */

/* The policies that refcnt.ko has, as "FIRST+PAGES ..." from @base on, and "default" with its flags. */
static const char *policies(char *base)
{
    static char text[200];
    sn0_policy_args_t a = { 0 };
    char path[32], *o = text;
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    for (*o = 0; !ioctl(fd, PIOCGETSN0POLICY, &a) && a.flags && o < text + 150; a.vaddr += a.len) {
        if (a.len)
            o += sprintf(o, "%ld+%ld ", (long)(a.vaddr - (unsigned long)base) / (long)PAGE,
                         (long)(a.len / PAGE));
        else
            o += sprintf(o, "default %u ", a.flags);
        if (!a.len)
            break;
    }
    close(fd);
    return text;
}

/* Node 6's extended counter. */
static unsigned long extended(int proc, char *p)
{
    static sn0_refcnt_buf_t buf;
    sn0_refcnt_args_t a = { .vaddr = (unsigned long)p, .len = 1, .buf = &buf };

    if (ioctl(proc, PIOCGETSN0EXTREFCNTRS, &a) < 0)
        perror("PIOCGETSN0EXTREFCNTRS");
    return buf.refcnt_set.refcnt[6];
}

/* Node 6's references to a page of node 1 that extended counters hold after 40 rounds: more than half of the maximum. */
static unsigned long kept(char *p)
{
    unsigned long before;
    char path[32];
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    memset(p, 1, PAGE);
    before = extended(fd, p);
    use_on(6, p, 40);
    before = extended(fd, p) - before;
    close(fd);
    return before;
}

static char *map_at(char *p, int n)
{
    unsigned long node = 1UL << 1;

    p = mmap(p, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (p ? MAP_FIXED : 0),
             -1, 0);
    syscall(SYS_mbind, p, n * PAGE, 2, &node, 64, 0);
    return p;
}

/* The pages of a node that have extended counters. */
static void counting(void)
{
    static const struct {
        int mode;
        const char *migration;
        int counts;
    } cases[] = { { RCB_OFF, "MigrationDefault", 0 },
                  { RCB_OFF, "MigrationRefcnt", 1 },
                  { RCB_ON, "MigrationDefault", 1 },
                  { RCB_FON, "MigrationDefault", 1 },
                  { RCB_FOFF, "MigrationRefcnt", 0 } };
    rcb_migr_t old = rules(1, 0, NULL), new = old;
    unsigned long n;
    pmo_handle_t pm;
    unsigned i;
    char *p;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        p = attached(1, "PlacementFixed", mld_on(1), (char *)cases[i].migration, NULL, &pm);
        new.refcnt_mode = cases[i].mode;
        rules(1, 1, &new);
        n = kept(p);
        point(cases[i].counts ? n > 1000 : n == 0, "node's counting %d, %s: %lu", cases[i].mode,
              cases[i].migration, n);
        munmap(p, PAGE);
    }
    rules(1, 1, &old);
}

/* When counting ends, the hardware's counts until then are not lost. */
static void end_of_counting(void)
{
    sn0_policy_args_t none = { .len = PAGE };
    unsigned long before;
    pmo_handle_t pm;
    char path[32], *p;
    int fd;

    p = memset(attached(1, "PlacementFixed", mld_on(1), "MigrationRefcnt", NULL, &pm), 1, PAGE);
    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    before = extended(fd, p);
    use_on(6, p, 10);
    point(extended(fd, p) == before, "so few references are in the hardware");
    none.vaddr = (unsigned long)p;
    if (ioctl(fd, PIOCSETSN0POLICY, &none))
        perror(path);
    point(extended(fd, p) - before > 250 && told(p)->refcnt_set.refcnt[6] == 0,
          "and in the extended counters when counting ends: %lu", extended(fd, p) - before);
    close(fd);
    munmap(p, PAGE);
}

static void lifetimes(void)
{
    pmo_handle_t pm, before, list[4];
    pmo_handle_list_t l = { list, 4 };
    policy_set_t set;
    char *p, *q;
    int status;

    p = attached(4, "PlacementFixed", mld_on(1), "MigrationRefcnt", NULL, &pm);
    point(!strcmp(policies(p), "0+4 ") && kept(p) > 1000, "a policy is the range's: %s",
          policies(p));
    madvise(p, 4 * PAGE, MADV_DONTNEED);
    point(!strcmp(policies(p), "0+4 ") && kept(p) > 1000, "other pages come, it stays: %s",
          policies(p));
    munmap(p + PAGE, PAGE);
    point(!strcmp(policies(p), "0+1 2+2 "), "it ends where a page is unmapped: %s", policies(p));
    if (!fork())
        _exit(!!strcmp(policies(p), "0+1 2+2 "));
    wait(&status);
    point(!status, "a child has what its parent has");
    map_at(p, 4);
    point(!*policies(p) && !kept(p) && !kept(p + 2 * PAGE),
          "what is mapped there later has none: %s", policies(p));
    if (!fork())
        _exit(!!*policies(p));
    wait(&status);
    point(!status, "nor has it in a child");
    pm_attach(pm, p, 4 * PAGE);
    point(pm_getall(p, 4 * PAGE, &l) == 1, "pm_getall: attached again");
    q = mremap(p, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, pages(4));
    point(!*policies(p) && !kept(q), "mremap ends it: %s", policies(p));
    munmap(q, 4 * PAGE);
    mmap(p, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    l.length = 4;
    point(pm_getall(p, 4 * PAGE, &l) == 0, "pm_getall: not any more");
    munmap(p, 4 * PAGE);

    pm_filldefault(&set);
    set.migration_policy_name = "MigrationRefcnt";
    before = pm_setdefault(pm_create(&set), MEM_DATA);
    p = map_at(NULL, 2);
    point(!strcmp(policies(p), "default 261 ") && kept(p) > 1000, "a default is for all memory: %s",
          policies(p));
    munmap(p, 2 * PAGE);
    p = map_at(p, 2);
    point(!strcmp(policies(p), "default 261 ") && kept(p) > 1000, "for what is mapped later too");
    if (!fork())
        _exit(!!strcmp(policies(p), "default 261 "));
    wait(&status);
    point(!status, "and a child's");
    pm_filldefault(&set);
    set.migration_policy_name = "MigrationControl";
    set.migration_policy_args = &(migr_policy_uparms_t){ 0 };
    pm_attach(pm_create(&set), p, PAGE);
    point(!strcmp(policies(p), "0+1 default 261 ") && !kept(p) && kept(p + PAGE) > 1000,
          "but not for a range: %s", policies(p));
    pm_setdefault(before, MEM_DATA);
    point(!strcmp(policies(p), "0+1 ") && !kept(p + PAGE), "and ends: %s", policies(p));
    munmap(p, 2 * PAGE);
}

/* A page that two processes map. */
static void sharing(void)
{
    unsigned long node = 1UL << 1;
    int child[2], parent[2], status;
    policy_set_t set;
    char *p, byte;
    pmo_handle_t pm;

    pm_filldefault(&set);
    set.migration_policy_name = "MigrationRefcnt";
    pm = pm_create(&set);
    if (pipe(child) || pipe(parent))
        fail("pipe");
    p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    syscall(SYS_mbind, p, PAGE, 2, &node, 64, 0);
    *p = 1;
    if (!fork()) {
        (void)*(volatile char *)p;
        status = write(child[1], p, 1) == 1 && read(parent[0], &byte, 1) == 1 && kept(p) == 0;
        _exit(!status);
    }
    if (read(child[0], &byte, 1) != 1)
        fail("read");
    pm_attach(pm, p, PAGE);
    point(kept(p) > 1000, "a page of two processes has the policy of one");
    munmap(p, PAGE);
    if (write(parent[1], "", 1) != 1)
        fail("write");
    wait(&status);
    point(!status, "and none when that one unmaps it");

    p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    syscall(SYS_mbind, p, PAGE, 2, &node, 64, 0);
    *p = 1;
    pm_attach(pm, p, PAGE);
    if (!fork())
        _exit(kept(p) <= 1000);
    wait(&status);
    point(!status && kept(p) > 1000, "if both gave it one, it stays while one of them maps it");
    munmap(p, PAGE);
    close(child[0]);
    close(child[1]);
    close(parent[0]);
    close(parent[1]);
}

/* Uses that many pages of stack; returns the node of the lowest one. */
static __attribute__((noinline)) int deep(int pages)
{
    volatile char frame[PAGE];
    int node;

    frame[0] = frame[PAGE - 1] = pages;
    node = pages ? deep(pages - 1) : *where((char *)((unsigned long)frame & -PAGE), 1) - '0';
    frame[1] = node;
    return frame[1];
}

static void stack(void)
{
    pmo_handle_t pm = pm_create_simple("PlacementFixed", (void *)mld_on(5), NULL, NULL,
                                       PM_PAGESZ_DEFAULT),
                 before;
    policy_set_t set;
    pm_stat_t st;
    int node, here;

    before = pm_setdefault(pm, MEM_STACK);
    node = deep(64);
    point(node == 5, "the stack's default: it grows on node %d", node);
    pm_filldefault(&set);
    set.migration_policy_name = "MigrationRefcnt";
    point(pm_setdefault(pm_create(&set), MEM_STACK) == pm && *policies((char *)&here),
          "and is counted: %s", policies((char *)&here));
    pm_setdefault(before, MEM_STACK);
    point(!*policies((char *)&here), "or not any more");
    fails(pm_setpagesize(pm, 12345), EINVAL, "pm_setpagesize, 12345 bytes");
    point(!pm_setpagesize(pm, 4 * PAGE) && !pm_getstat(pm, &st) && st.page_size == 4 * PAGE,
          "64 KB");
    pm_destroy(pm);
}

/* A node whose memory is nearly used up takes some more pages, and then none. */
static void room(void)
{
    enum { PAGES = 256 };
    unsigned long node = 1UL << 7, to = stat_of(7, "user migrations to"),
                  stuck = stat_of(2, "user migration skips");
    size_t bytes = 320UL << 20, i;
    pmo_handle_t pm;
    char *p, *q;
    long ret;

    q = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    syscall(SYS_mbind, q, bytes, 1, &node, 64, 0);
    for (i = 0; i < bytes; i += PAGE)
        q[i] = 1;
    point(home(q) == 7 && home(q + bytes - PAGE) != 7, "a node's memory and more");
    p = memset(attached(PAGES, "PlacementFixed", mld_on(2), "MigrationDefault", NULL, &pm), 1,
               PAGES * PAGE);
    ret = migr_range_migrate(p, PAGES * PAGE, mld_on(7));
    fails(ret, ENOMEM, "pages that go there");
    to = stat_of(7, "user migrations to") - to;
    stuck = stat_of(2, "user migration skips") - stuck;
    point(stuck == 1 && to < PAGES && home(p + to * PAGE) == 2 &&
              (!to || home(p + (to - 1) * PAGE) == 7),
          "the first that cannot is the last: after %lu", to);
}

/* A process in a cpuset cannot move pages out of it. */
static void confined(void)
{
    sn0_migrate_args_t a = { .len = PAGE, .nodes = 1, .node = { 5 } };
    int fd = open("/proc/self", O_RDONLY);
    char *p = pages(1);

    *p = 1;
    a.vaddr = (unsigned long)p;
    fails(ioctl(fd, PIOCMIGRATESN0, &a), EINVAL, "to a node of others");
    a.node[0] = home(p) == 3 ? 2 : 3;
    point(ioctl(fd, PIOCMIGRATESN0, &a) == 1 && home(p) == a.node[0], "to one of its own");
}

int main(int argc, char **argv)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    if (argc > 1) {
        if (!strcmp(argv[1], "room"))
            room();
        else
            confined();
        return 0;
    }
    questions();
    placements();
    links();
    errors();
    arenas();
    cycles();
    no_memory();
    user_migration();
    migration();
    counting();
    end_of_counting();
    lifetimes();
    sharing();
    stack();
    return 0;
}

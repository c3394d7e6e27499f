// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event counters of Hub and Router through <snpc.h>: each with traffic whose counts are computed by hand; ownership and mappings;
 * routes.  Prints TAP without a plan.
 *
 *   snpc MB MHZ FILE  MB: how much to read to displace everything from the caches; MHZ: the Hubs' clock; FILE: 1 MB, not yet read
 *   snpc extended     the devices of extended=1
 */
#define _GNU_SOURCE
#include <snpc.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <snhw.h>
#include "regs/lfsr.h"
#include "tap.h"

#define LINE  128UL
#define LINES 128UL /* in one page, so that they do not displace each other */
#define MANY  2048L
#define TRIES 8
#define PAGE  16384UL

enum { ACTIVITY, OUT, IVN, IN, DIRSTATE, LOCAL };

static size_t trash_size;
static unsigned long hub_mhz;
static char *trash;

static void run_at(int node, int slice)
{
    int cpu[2];

    if (snhw_node_cpus(node, cpu, 2) < slice + 1)
        fail("no such processor");
    run_on(cpu[slice]);
}

static char *memory_on(int node, size_t bytes)
{
    unsigned long mask = 1UL << node;
    char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || syscall(SYS_mbind, p, bytes, 2, &mask, 65, 0) < 0)
        fail("memory");
    memset(p, 1, bytes);
    return p;
}

static void read_lines(volatile char *p, size_t lines)
{
    for (; lines; lines--, p += LINE)
        (void)*p;
}

static void write_lines(volatile char *p, size_t lines)
{
    for (; lines; lines--, p += LINE)
        *p = 2;
}

static void flush(void)
{
    read_lines(trash, trash_size / LINE);
}

static int open_dev(int node, const char *dev, int flags)
{
    char path[PATH_MAX];
    int fd;

    sprintf(path, "/hw/nodenum/%d/%s/%s", node, SNPC_EDGE_HUB, dev);
    fd = open(path, flags);
    if (fd < 0)
        fail(path);
    return fd;
}

static snpc_query_t query(int fd)
{
    snpc_query_t q;

    if (ioctl(fd, SNPC_QUERY, &q) < 0)
        fail("SNPC_QUERY");
    return q;
}

/* As in figure 5.1. */
static hubmd_regs_t *hubmd_open(int node)
{
    int fd = open_dev(node, SNPC_EDGE_MD, O_RDWR), i;
    snpc_query_t info = query(fd);
    hubmd_regs_t *regs;
    size_t size;
    void *addr;

    ASSERT(info.snpc_id == SNPC_SNO_HUBMD);
    ASSERT(info.snpc_flags & SNPC_MAP);
    size = info.snpc_size;
    addr = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (addr == MAP_FAILED)
        return 0;
    regs = (hubmd_regs_t *)((char *)addr + (info.snpc_base & (size - 1)));
    regs->sel = 0;
    for (i = 0; i < HUBMD_COUNTERS; i++)
        regs->count[i] = 0;
    return regs;
}

static void hubmd_close(hubmd_regs_t *regs)
{
    munmap((void *)((unsigned long)regs & ~(PAGE - 1)), PAGE);
}

/* As in figure 5.2. */
static int hubni_open(int node)
{
    int fd = open_dev(node, SNPC_EDGE_NI, O_RDWR);
    snpc_query_t info = query(fd);
    link_hist_t hist;

    ASSERT(info.snpc_id == SNPC_SNO_LINK);
    ASSERT(info.snpc_flags & SNPC_LINK);
    if (ioctl(fd, SNPC_HIST_READ, (void *)&hist) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static hubrtc_regs_t *rtc_open(int node)
{
    int fd = open_dev(node, SNPC_EDGE_RTC, O_RDONLY);
    snpc_query_t q = query(fd);
    char *p = mmap(0, q.snpc_size, PROT_READ, MAP_SHARED, fd, 0);

    close(fd);
    if (p == MAP_FAILED)
        fail("rtc");
    return (hubrtc_regs_t *)(p + (q.snpc_base & (q.snpc_size - 1)));
}

static unsigned long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1000000000UL + t.tv_nsec;
}

static void start(hubmd_regs_t *md, int mode)
{
    int i;

    md->sel = 0;
    for (i = 0; i < HUBMD_COUNTERS; i++)
        md->count[i] = 0;
    md->sel = HUBMD_EN | mode;
}

/* --- counts --- */

static long count[HUBMD_COUNTERS];

/* The sum of all counters. */
static long sum(hubmd_regs_t *md)
{
    long n = 0;
    int i;

    for (i = 0; i < HUBMD_COUNTERS; i++)
        n += count[i] = md->count[i];
    return n;
}

/*
 * Reading LINES lines of @data, which were last written (@modified) or read, must make LINES events of @counter and none of the other counters.
 * Now and then the kernel adds events; then the test is repeated.  Fewer events are never right.
 */
static void only(hubmd_regs_t *md, int mode, int counter, char *data, int modified,
                 const char *what)
{
    int try;
    long n;

    for (try = 0; try < TRIES; try++) {
        if (modified)
            write_lines(data, LINES);
        else
            read_lines(data, LINES);
        flush();
        start(md, mode);
        read_lines(data, LINES);
        n = sum(md);
        if (count[counter] < (long)LINES || n == (long)LINES)
            break;
    }
    if (count[counter] != (long)LINES || n != (long)LINES)
        printf("# got %ld %ld %ld %ld %ld %ld\n", count[0], count[1], count[2], count[3], count[4],
               count[5]);
    point(count[counter] == (long)LINES && n == (long)LINES, "%s, one a line, and nothing else",
          what);
}

/*
 * The node, from @from on, that gets the fewest requests while a program on another node reads its own memory.  These requests are the
 * kernel's, and so rare that none comes while a page is read.
 */
static int quiet_node(int from, int reader)
{
    int i, n = snhw_nodes(), best = -1;
    long least = 0;

    for (i = 0; i < n; i++) {
        int node = (from + i) % n;
        hubmd_regs_t *md;
        long noise;

        if (node == reader || node == 0)
            continue;
        md = hubmd_open(node);
        start(md, IN);
        flush();
        noise = sum(md);
        if (best < 0 || noise < least) {
            best = node;
            least = noise;
        }
        hubmd_close(md);
    }
    return best;
}

/* A processor of another node reads and writes lines of a quiet node. */
static void check_md(int from, int reader)
{
    hubmd_regs_t *md;
    char *data;
    int home, try;
    long n = 0;

    run_at(reader, 0);
    trash = memory_on(reader, trash_size);
    home = quiet_node(from, reader);
    data = memory_on(home, MANY * LINE);
    md = hubmd_open(home);
    for (try = 0; try < TRIES && (!try || n > MANY + MANY / 50); try++) {
        flush();
        start(md, IN);
        write_lines(data, MANY);
        flush();
        n = md->count[1];
    }
    printf("# %ld write-backs of %ld lines\n", n, MANY);
    point(n >= MANY && n <= MANY + MANY / 50,
          "node %d, lines of %d: write-backs, and few of the kernel's", reader, home);
    only(md, DIRSTATE, 0, data, 1, "reads of unowned lines");
    only(md, DIRSTATE, 2, data, 0, "reads by the owner of lines that he dropped silently");
    only(md, IN, 0, data, 0, "read requests");
    only(md, OUT, 0, data, 0, "data replies");
    flush();
    start(md, LOCAL);
    read_lines(data, LINES);
    equal(sum(md), 0, "none of them local");
    md->sel = IN;
    n = sum(md); /* events of the kernel until now */
    flush();
    read_lines(data, LINES);
    equal(sum(md), n, "counters that are not enabled stand");
    hubmd_close(md);
    munmap(data, MANY * LINE);
    munmap(trash, trash_size);
}

static void check_local(int home, int slice, int other)
{
    hubmd_regs_t *md;
    long before, after, n;
    char *data;
    int try;

    run_at(home, slice);
    trash = memory_on(other, trash_size);
    data = memory_on(home, MANY * LINE);
    md = hubmd_open(home);
    for (try = 0; try < TRIES; try++) {
        flush();
        start(md, LOCAL);
        read_lines(data, LINES);
        sum(md);
        if (count[2 * slice] <= (long)LINES)
            break;
    }
    /* The program's stack and page tables are on this node, too, and a flush may displace a line of them. */
    n = count[2 * slice];
    point(n >= (long)LINES && n <= (long)LINES + 8,
          "processor %c of node %d: its reads, %ld of %d lines", 'a' + slice, home, n, (int)LINES);
    equal(count[2 * !slice], 0, "none of the other processor");
    flush();
    start(md, LOCAL);
    flush();
    before = md->count[2 * slice + 1];
    start(md, LOCAL);
    write_lines(data, MANY);
    flush();
    after = md->count[2 * slice + 1];
    printf("# %ld write-backs without, %ld with %ld lines; the other processor's: %d\n", before,
           after, MANY, (int)md->count[2 * !slice + 1]);
    point(labs(after - before - MANY) <= MANY / 10, "its write-backs, but for the kernel's own");
    point(md->count[2 * !slice + 1] < MANY / 32,
          "none of the other processor, which idles, but for its kernel's");
    hubmd_close(md);
    munmap(data, MANY * LINE);
    munmap(trash, trash_size);
}

/*
 * Opens node @home's link after a flush and reads @lines lines of @data twice, where the second time all hit.  Then takes two readings by
 * SNPC_HIST_POLL and two by SNPC_HIST_READ.  Returns the link.
 */
static int link_readings(int home, char *data, size_t lines, link_hist_t *h)
{
    int fd, i;

    flush();
    fd = hubni_open(home);
    if (fd < 0)
        fail("hubni_open");
    for (i = 0; i < 4; i++) {
        if (i < 2)
            read_lines(data, lines);
        if (ioctl(fd, i < 2 ? SNPC_HIST_POLL : SNPC_HIST_READ, &h[i]) < 0)
            fail("SNPC_HIST");
    }
    return fd;
}

/* Micropackets sent to and received from the node in @with, minus those in @base. */
static long sent(const link_hist_t *with, const link_hist_t *base)
{
    return (long)with->count[2] - (long)base->count[2];
}

static long received(const link_hist_t *with, const link_hist_t *base)
{
    return (long)with->count[1] - (long)base->count[1];
}

/*
 * The measurement itself sends the same number of packets each time, for lines of the kernel on that node.  Readings without lines give this
 * base.  Now and then the kernel sends more; then both readings are repeated.
 */
static void check_link(int from, int reader)
{
    link_hist_t h[4], base[4];
    int fd, home, try;
    char *all, *data;

    run_at(reader, 0);
    trash = memory_on(reader, trash_size);
    home = quiet_node(from, reader);
    all = memory_on(home, TRIES * LINES * LINE);
    for (try = 0; try < TRIES; try++) {
        /* Take another page for each try, because the code or the stack may displace lines of a page. */
        data = all + try * LINES * LINE;
        close(link_readings(home, data, 0, base));
        fd = link_readings(home, data, LINES, h);
        if (sent(&h[0], &base[0]) == LINES && received(&h[0], &base[0]) == 9 * LINES &&
            sent(&h[1], &base[1]) + received(&h[1], &base[1]) == 10 * LINES &&
            sent(&h[2], &base[2]) + received(&h[2], &base[2]) == 10 * LINES &&
            sent(&h[3], &base[3]) + received(&h[3], &base[3]) == 0)
            break;
        if (try < TRIES - 1)
            close(fd);
    }
    printf("# without lines: sent %d, received %d\n", (int)base[2].count[2], (int)base[2].count[1]);
    point(base[2].count[1] + base[2].count[2] < LINES, "the measurement itself sends little");
    equal(h[0].sel, SNPC_HIST_UTIL, "link of node %d counts utilisation", home);
    equal(sent(&h[0], &base[0]), LINES, "sent to the node: a micropacket a request");
    equal(received(&h[0], &base[0]), 9 * LINES, "received from it: nine a line");
    equal(sent(&h[1], &base[1]) + received(&h[1], &base[1]), 10 * LINES,
          "hits in the cache send nothing");
    equal(sent(&h[2], &base[2]) + received(&h[2], &base[2]), 10 * LINES,
          "SNPC_HIST_READ returns them");
    equal(sent(&h[3], &base[3]) + received(&h[3], &base[3]), 0, "and clears them");
    point(h[3].count[1] + h[3].count[2] < LINES, "but for the measurement's own");
    point(h[2].count[3] > h[1].count[3] && h[3].count[3] < h[2].count[3], "and the clocks");
    point(h[1].rtc >= h[0].rtc && h[3].rtc > h[0].rtc && h[3].rtc < h[0].rtc + 10000,
          "readings have their time");
    close(fd);
    munmap(all, TRIES * LINES * LINE);
    munmap(trash, trash_size);
}

static void check_activity(int node)
{
    hubrtc_regs_t *rtc = rtc_open(node);
    hubmd_regs_t *md = hubmd_open(node);
    unsigned long total = 0, busy = 0, old[HUBMD_COUNTERS], t;
    struct timespec ms5 = { 0, 5000000 };
    int i, n;

    run_at(0, 0);
    start(md, ACTIVITY);
    t = rtc->count;
    for (i = 0; i < HUBMD_COUNTERS; i++)
        old[i] = md->count[i];
    for (n = 0; n < 100; n++) {
        nanosleep(&ms5, 0);
        if (n == 99)
            t = rtc->count - t;
        for (i = 0; i < HUBMD_COUNTERS; i++) {
            unsigned long now = md->count[i], d = (now - old[i]) & 0xfffff;

            old[i] = now;
            total += d;
            busy += i ? d : 0;
        }
    }
    t = t * HUBRTC_PERIOD_NS * hub_mhz / 1000;
    printf("# node %d: %lu Hub cycles, %lu counted, %.3f %% busy\n", node, t, total,
           100.0 * busy / total);
    point(labs((long)(total - t)) <= (long)t / 10000,
          "node %d: idle and busy cycles are the Hub's within 0.01 %%", node);
    point(busy * 1000 >= total * 18 && busy * 1000 <= total * 20,
          "node %d: idle memory is 1.8 to 2 %% busy", node);
    hubmd_close(md);
}

/* A file arrives over node 0's crossbow: 16 micropackets of data for each line, and little else. */
static void check_io(const char *file)
{
    const long want = (1L << 20) / LINE * 16;
    int node, fd, f = open(file, O_RDONLY);
    static char buf[1 << 20];
    hubio_regs_t *io[2];
    long n;

    for (node = 0; node < 2; node++) {
        fd = open_dev(node, SNPC_EDGE_IO, O_RDWR);
        io[node] = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        if (io[node] == MAP_FAILED)
            fail("io");
        io[node]->sel = 0;
        io[node]->count = SN_LFSR_SEED;
        io[node]->sel = 0xf1; /* data-only micropackets received from the XBow */
    }
    if (read(f, buf, sizeof(buf)) != sizeof(buf))
        fail(file);
    n = sn_lfsr_decode(SN_LFSR_SEED, io[0]->count);
    printf("# %ld micropackets of data for 1 MB\n", n);
    point(n >= want && n <= want + want / 20, "I/O counter: data of a file that is read");
    equal(io[1]->count, SN_LFSR_SEED, "nothing where no I/O is");
    munmap((void *)io[0], PAGE);
    munmap((void *)io[1], PAGE);
    close(f);
}

/* --- the devices --- */

static void check_query(void)
{
    int nodes = snhw_nodes(), i, bad = 0;

    for (i = 0; i < nodes; i++) {
        int fd = open_dev(i, SNPC_EDGE_MD, O_RDONLY), io = open_dev(i, SNPC_EDGE_IO, O_RDONLY);
        snpc_query_t q = query(fd), p = query(io);
        char want[300];

        snprintf(want, sizeof(want), "%s/hub", snhw_node_name(i));
        if (q.snpc_base != ((unsigned long)i << 32 | 0x1a10000) || q.snpc_size != PAGE ||
            q.snpc_cnode != i || q.snpc_flags != (SNPC_MAP | SNPC_WRITE) || q.snpc_port != -1 ||
            q.snpc_owner || strcmp(q.snpc_master, want))
            bad++;
        if (p.snpc_base != ((unsigned long)i << 32 | 0x1c30000) || p.snpc_id != SNPC_SNO_HUBIO)
            bad++;
        close(fd);
        close(io);
    }
    equal(bad, 0, "SNPC_QUERY of md and io on every node");
    for (i = bad = 0; i < nodes; i++) {
        hubrtc_regs_t *rtc = rtc_open(i);
        unsigned long t = now(), u = rtc->count, d;

        usleep(10000);
        d = (rtc->count - u) * HUBRTC_PERIOD_NS;
        t = now() - t;
        if (d > t || t - d > 1000000)
            bad++;
    }
    equal(bad, 0, "real-time counters run as CLOCK_MONOTONIC_RAW");
}

static void check_owner(void)
{
    int a = open_dev(1, SNPC_EDGE_MD, O_RDWR), b = open_dev(1, SNPC_EDGE_MD, O_RDWR),
        r = open_dev(1, SNPC_EDGE_MD, O_RDONLY), st;
    snpc_query_t q = query(a);
    hubmd_regs_t *mine, *seen;
    unsigned int gen = q.snpc_gen, got;
    pid_t pid;

    equal(gen & 1, 0, "generation of a free set is even");
    mine = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, a, 0);
    point(mine != MAP_FAILED, "a writable mapping");
    q = query(a);
    point(q.snpc_gen == gen + 1 && q.snpc_owner == getpid() &&
              (q.snpc_flags & (SNPC_OWNED | SNPC_MINE)) == (SNPC_OWNED | SNPC_MINE),
          "makes its file the owner");
    q = query(b);
    point((q.snpc_flags & (SNPC_OWNED | SNPC_MINE)) == SNPC_OWNED, "the other file sees that");
    refused(EBUSY, mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, b, 0) == MAP_FAILED ? -1 : 0,
            "second writable mapping");
    refused(EBUSY, ioctl(b, SNPC_ACQUIRE, &got), "SNPC_ACQUIRE by another");
    refused(EPERM, ioctl(b, SNPC_RELEASE), "SNPC_RELEASE by another");
    refused(EBUSY, ioctl(a, SNPC_RELEASE), "SNPC_RELEASE with the mapping");
    refused(EBADF, ioctl(r, SNPC_ACQUIRE, &got), "SNPC_ACQUIRE of a file open for reading");
    seen = mmap(0, PAGE, PROT_READ, MAP_SHARED, r, 0);
    mine->sel = HUBMD_EN | IN;
    equal(seen->sel, HUBMD_EN | IN, "everyone may read");
    if ((pid = fork()) == 0) {
        mine->sel = HUBMD_EN | OUT;
        _exit(0);
    }
    waitpid(pid, &st, 0);
    equal(seen->sel, HUBMD_EN | OUT, "a child has its parent's mapping");
    equal(query(a).snpc_gen, gen + 1, "and does not end it");
    close(a);
    equal(query(b).snpc_gen, gen + 1, "neither does close(2) while there is a mapping");
    munmap(mine, PAGE);
    equal(query(b).snpc_gen, gen + 2, "munmap(2) does");
    equal(seen->sel, 0, "and stops the counters");
    point(ioctl(b, SNPC_ACQUIRE, &got) == 0 && got == gen + 3, "SNPC_ACQUIRE");
    point(ioctl(b, SNPC_ACQUIRE, &got) == 0 && got == gen + 3, "SNPC_ACQUIRE again");
    point(ioctl(b, SNPC_RELEASE) == 0 && query(b).snpc_gen == gen + 4, "SNPC_RELEASE");
    if ((pid = fork()) == 0) {
        mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, b, 0);
        raise(SIGKILL);
    }
    waitpid(pid, &st, 0);
    point(query(b).snpc_gen == gen + 5 && query(b).snpc_owner == 0,
          "the file lives on when its process is killed");
    close(b);
    equal(query(r).snpc_gen, gen + 6, "and its last close ends it");
    close(r);
}

static void check_link_owner(void)
{
    int a = open_dev(1, SNPC_EDGE_NI, O_RDWR), b, r, port;
    link_histsel_t damq = { SNPC_HIST_DAMQ, 2 }, sel, none = { 3, 0 };
    snpc_query_t q = query(a);
    unsigned int gen = q.snpc_gen;
    char path[200];
    link_hist_t h;

    port = q.snpc_port;
    snprintf(path, sizeof(path), "%s/stat/%d", q.snpc_master, port);
    b = open(path, O_RDWR);
    r = open(path, O_RDONLY);
    if (b < 0 || r < 0)
        fail(path);
    equal(query(b).snpc_cnode, 1, "%s leads to node 1", path);
    point(ioctl(a, SNPC_HISTSEL_SET, &damq) == 0 && query(b).snpc_gen == gen + 1,
          "SNPC_HISTSEL_SET makes its file the owner");
    refused(EBUSY, ioctl(b, SNPC_HIST_READ, &h), "SNPC_HIST_READ by the port's other name");
    refused(EBUSY, ioctl(b, SNPC_HISTSEL_SET, &damq), "SNPC_HISTSEL_SET by it");
    refused(EBADF, ioctl(r, SNPC_HIST_READ, &h), "SNPC_HIST_READ of a file open for reading");
    refused(EINVAL, ioctl(a, SNPC_HISTSEL_SET, &none), "mode 3");
    point(ioctl(r, SNPC_HISTSEL_GET, &sel) == 0 && sel.sel == SNPC_HIST_DAMQ && sel.vc == 2,
          "SNPC_HISTSEL_GET");
    point(ioctl(r, SNPC_HIST_POLL, &h) == 0 && h.sel == SNPC_HIST_DAMQ && h.vc == 2 &&
              h.gen == gen + 1,
          "SNPC_HIST_POLL by everyone, with mode and generation");
    close(open(path, O_RDWR));
    ioctl(r, SNPC_HISTSEL_GET, &sel);
    equal(sel.sel, SNPC_HIST_DAMQ, "opening leaves an owner's mode alone");
    close(a);
    ioctl(r, SNPC_HISTSEL_GET, &sel);
    point(sel.sel == SNPC_HIST_UTIL && query(r).snpc_gen == gen + 2,
          "close ends it and selects utilisation");
    refused(ENOTTY, ioctl(r, SNPC_VECOP, &sel), "SNPC_VECOP on a link");
    refused(EFAULT, ioctl(r, SNPC_HIST_POLL, (void *)8), "bad pointer");
    refused(ENODEV, mmap(0, PAGE, PROT_READ, MAP_SHARED, r, 0) == MAP_FAILED ? -1 : 0,
            "mmap of a link");
    close(b);
    close(r);
}

static sigjmp_buf back;

static void on_fault(int sig)
{
    siglongjmp(back, sig);
}

static int store_faults(volatile unsigned long long *p)
{
    int sig = sigsetjmp(back, 1);

    if (!sig)
        *p = 0;
    return sig;
}

static int load_faults(volatile unsigned long long *p)
{
    int sig = sigsetjmp(back, 1);

    if (!sig)
        (void)*p;
    return sig;
}

static void try_map(int fd, size_t len, int prot, int flags, off_t off, int err, const char *what)
{
    refused(err, mmap(0, len, prot, flags, fd, off) == MAP_FAILED ? -1 : 0, what);
}

/* The lines of the kernel's log that report bus errors. */
static int bus_error_lines(void)
{
    static char log[1 << 20];
    int n = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log, sizeof(log) - 1), lines = 0;

    log[n > 0 ? n : 0] = 0;
    for (char *p = log; (p = strstr(p, "bus error, epc")); p++)
        lines++;
    return lines;
}

static void check_rights(void)
{
    int rw = open_dev(2, SNPC_EDGE_MD, O_RDWR), ro = open_dev(2, SNPC_EDGE_MD, O_RDONLY),
        rtc = open_dev(2, SNPC_EDGE_RTC, O_RDONLY), n;
    hubmd_regs_t *p;

    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    try_map(rw, 2 * PAGE, PROT_READ, MAP_SHARED, 0, ENXIO, "mmap of more than the page");
    try_map(rw, PAGE, PROT_READ, MAP_SHARED, PAGE, ENXIO, "mmap of the next page");
    try_map(rw, PAGE, PROT_READ, MAP_SHARED, 1L << 40, ENXIO, "mmap far beyond");
    try_map(rw, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, 0, EACCES, "mmap to execute");
    try_map(rw, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, 0, EACCES,
            "mmap to write and execute");
    try_map(rw, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, EACCES, "private writable mmap");
    try_map(ro, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0, EACCES,
            "writable mmap of a file open for reading");
    try_map(rtc, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0, EACCES, "writable mmap of rtc");
    p = mmap(0, PAGE, PROT_READ, MAP_SHARED, rw, 0);
    refused(EACCES, mprotect(p, PAGE, PROT_READ | PROT_WRITE), "mprotect to writing");
    refused(EACCES, mprotect(p, PAGE, PROT_READ | PROT_EXEC), "mprotect to execution");
    refused(EFAULT, mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0,
            "growing by mremap");
    equal(store_faults(&p->sel), SIGSEGV, "a store there faults");
    munmap(p, PAGE);
    p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, rw, 0);
    p->sel = 3;
    mprotect(p, PAGE, PROT_READ);
    equal(store_faults(&p->sel), SIGSEGV, "so does one after mprotect to reading");
    equal(p->sel, 3, "which leaves the register alone");
    mprotect(p, PAGE, PROT_READ | PROT_WRITE);
    equal(store_faults(&p->sel) ?: (int)p->sel, 0, "one's own rights come back");
    mprotect(p, PAGE, PROT_NONE);
    equal(load_faults(&p->sel), SIGSEGV, "none at all: a load faults");
    mprotect(p, PAGE, PROT_READ);
    equal(load_faults(&p->pad), SIGBUS, "what is no register is a bus error");
    n = bus_error_lines();
    for (int i = 0; i < 100; i++)
        load_faults(&p->pad);
    n = bus_error_lines() - n;
    equal(n > 0 && n <= 10, 1, "the log gets at most ten lines about a hundred bus errors");
    munmap(p, PAGE);
    close(rw);
    close(ro);
    close(rtc);
}

/*
 * Register pages, memory and holes stand side by side in pairs of pages that share a TLB entry.  They are accessed again and again with the TLB
 * full of other pages; each must keep its kind.
 */
static void check_tlb(void)
{
    char *area = mmap(0, 16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
         *other = memory_on(0, 128 * PAGE);
    int i, n, bad = 0, fd[8];

    for (i = 0; i < 16; i += 2) {
        int node = i / 2 % snhw_nodes();

        fd[i / 2] = open_dev(node, SNPC_EDGE_MD, O_RDWR);
        if (mmap(area + (i + (i >> 1 & 1)) * PAGE, PAGE, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, fd[i / 2], 0) == MAP_FAILED)
            fail("mmap");
        if (i >= 8 && mmap(area + (i + !(i >> 1 & 1)) * PAGE, PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
            fail("mmap");
    }
    for (n = 0; n < 50; n++) {
        for (i = 0; i < 16; i += 2) {
            ((hubmd_regs_t *)(area + (i + (i >> 1 & 1)) * PAGE))->count[n % 6] = 1000 * n + i;
            if (i >= 8)
                *(volatile int *)(area + (i + !(i >> 1 & 1)) * PAGE) = n + i;
        }
        if (n % 3)
            for (i = 0; i < 128; i++)
                ((volatile char *)other)[i * PAGE + i * 128 % PAGE]++;
        for (i = 0; i < 16; i += 2) {
            if (((hubmd_regs_t *)(area + (i + (i >> 1 & 1)) * PAGE))->count[n % 6] !=
                (unsigned long)(1000 * n + i))
                bad++;
            if (i >= 8 && *(volatile int *)(area + (i + !(i >> 1 & 1)) * PAGE) != n + i)
                bad++;
        }
    }
    equal(bad, 0, "pages of registers and of memory in one TLB entry");
    munmap(area, 16 * PAGE);
    munmap(other, 128 * PAGE);
    for (i = 0; i < 8; i++)
        close(fd[i]);
}

/* A route has as many steps as there are routers on the way; from a node on the router itself it is empty. */
static void check_routes(void)
{
    int nodes = snhw_nodes(), i, j, bad = 0;
    snpc_vectbl_t t;

    for (i = 0; i < nodes; i++) {
        int fd = open_dev(i, SNPC_EDGE_NI, O_RDONLY);
        snpc_query_t q = query(fd);

        if (ioctl(fd, SNPC_VECTBL, &t) < 0)
            fail("SNPC_VECTBL");
        for (j = 0; j < SNPC_MAXNODES; j++) {
            int hops = 0, here = j < nodes ? snhw_hops(i, j) : 0;
            unsigned long long v = t.route[j];

            if (j >= nodes) {
                bad += v != ~0ULL;
                continue;
            }
            for (; v; v >>= 4, hops++)
                if ((v & 15) < 1 || (v & 15) > 6)
                    bad++;
            if (hops != (here ? here - 1 : 0))
                bad++;
        }
        if (q.snpc_port < 1 || q.snpc_port > 6 || t.nodes != (unsigned)nodes || t.route[i] != 0)
            bad++;
        run_at(nodes - 1 - i, 0);
        if (query(fd).snpc_route != t.route[nodes - 1 - i])
            bad++;
        close(fd);
    }
    equal(bad, 0, "vector routes of %d nodes", nodes);
}

/* --- extended=1 --- */

static void check_extended(void)
{
    char path[200];
    int nodes = snhw_nodes(), i, fd, bad = 0;
    volatile unsigned long long *p, *q;
    snpc_vecop_t op = { .op = SNPC_VEC_READ };
    snpc_query_t ni;

    for (i = 0; i < nodes; i++) {
        fd = open_dev(i, SNPC_EDGE_HUBREG, O_RDWR);
        p = mmap(0, query(fd).snpc_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED)
            fail("hubreg");
        if ((p[0x600000 / 8] >> 8 & 0x1ff) != (unsigned)i)
            bad++;
        p[0x600100 / 8] = 0x1234 + i;
        run_at(i, 0);
        close(fd);
        fd = open_dev(0, SNPC_EDGE_IALIAS, O_RDONLY);
        q = mmap(0, query(fd).snpc_size, PROT_READ, MAP_SHARED, fd, 0);
        if (q == MAP_FAILED)
            fail("ialias");
        if (q[0x600100 / 8] != 0x1234ULL + i)
            bad++;
        close(fd);
    }
    equal(bad, 0, "hubreg shows each Hub, ialias one's own");
    fd = open_dev(nodes - 1, SNPC_EDGE_NI, O_RDONLY);
    ni = query(fd);
    close(fd);
    snprintf(path, sizeof(path), "%s/rreg", ni.snpc_master);
    fd = open(path, O_RDWR);
    if (fd < 0)
        fail(path);
    run_at(0, 0);
    point(ioctl(fd, SNPC_VECOP, &op) == 0 && (op.data & 15) == 1,
          "SNPC_VECOP reads RR_STATUS_REV_ID");
    op = (snpc_vecop_t){ SNPC_VEC_WRITE, 0x20, 0x123456789abcdef0 };
    bad = ioctl(fd, SNPC_VECOP, &op);
    op = (snpc_vecop_t){ SNPC_VEC_EXCHANGE, 0x20, 77 };
    bad |= ioctl(fd, SNPC_VECOP, &op);
    point(!bad && op.data == 0x123456789abcdef0, "writes, exchanges");
    run_at(nodes - 1, 0);
    op = (snpc_vecop_t){ SNPC_VEC_READ, 0x20, 0 };
    point(ioctl(fd, SNPC_VECOP, &op) == 0 && op.data == 77, "from another node the same");
    op.addr = 0x24;
    refused(EINVAL, ioctl(fd, SNPC_VECOP, &op), "address between registers");
    op.addr = 0x100000;
    refused(EINVAL, ioctl(fd, SNPC_VECOP, &op), "address of 21 bits");
    op.addr = 0x40;
    refused(ENXIO, ioctl(fd, SNPC_VECOP, &op), "no such register");
    op = (snpc_vecop_t){ 2, 0x20, 0 };
    refused(EINVAL, ioctl(fd, SNPC_VECOP, &op), "operation 2");
    close(fd);
    fd = open(path, O_RDONLY);
    op.op = SNPC_VEC_WRITE;
    refused(EBADF, ioctl(fd, SNPC_VECOP, &op), "writing on a file open for reading");
    close(fd);
    if (chmod(path, 0666) < 0 || setuid(1000) < 0)
        fail("setuid");
    refused(EPERM, open(path, O_RDONLY), "rreg for a user whom the mode lets in");
}

int main(int argc, char **argv)
{
    int last = snhw_nodes() - 1;

    if (argc < 2)
        return 2;
    setvbuf(stdout, 0, _IOLBF, 0);
    if (!strcmp(argv[1], "extended")) {
        check_extended();
        return 0;
    }
    if (argc < 4)
        return 2;
    trash_size = strtoul(argv[1], 0, 0) << 20;
    hub_mhz = strtoul(argv[2], 0, 0);
    check_query();
    check_routes();
    check_owner();
    check_link_owner();
    check_rights();
    check_tlb();
    check_md(last, 1);
    check_md(2, last);
    check_local(last, 0, 1);
    check_local(last, 1, 1);
    check_link(last, 1);
    check_activity(1);
    check_activity(last);
    check_io(argv[3]);
    return 0;
}

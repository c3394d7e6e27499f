// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile use of every device of the graph and of the /proc ioctls.  Makes random calls, the same ones for each seed: open, ioctl, mmap, mprotect,
 * mremap, madvise, munmap, loads and stores, fork, read, write, close, with good and bad arguments; with DIR (which holds *.ko) also rmmod and
 * insmod.  Run it as root and as a user, alone and several at a time.  Prints "ok", or what a call allowed that it must not allow.
 *
 *   hostile [-f] [-r N] [-p CALLS [-a]] CALLS [DIR [SEED]]
 *
 *   -f        also futexes and other calls by which the kernel itself reads and writes a device's mapping
 *   -r N      calls that cost much (fork, moving pages, loading modules, sane rules of a node) come N times as rarely
 *   -p CALLS  a process for each so many calls, and another one if it is killed because memory is short; then prints how many calls were
 *             made, by how many processes, and how many of these were killed, instead of "ok"
 *   -a        allocations of these processes fail: /proc/self/make-it-fail
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snpc.h>
#include <sys/SN/hwcntrs.h>
#include <sys/mmem.h>

#define FILES 8
#define MAPS  8
#define PAGE  16384UL
#define ROOM  64 /* pages of a /proc ioctl that fit into the buffer */

enum { REFCNT, SNPC, PERF, GRAPH, PROC }; /* the module of a file; GRAPH's is never removed */

static const char *const module[] = { "refcnt", "snpc", "r10k_perf" };

static const struct device {
    const char *name; /* path below a node, or a whole path */
    int owner, mode;
    int writes; /* a shared mapping may be written, if the file is open for it */
} devices[] = {
    { "refcnt", REFCNT, 0444, 0 },    { "refcnt", REFCNT, 0444, 0 },
    { "stat", GRAPH, 0444, 0 },       { "hub/md", SNPC, 0666, 1 },
    { "hub/io", SNPC, 0666, 1 },      { "hub/ni", SNPC, 0666, 0 },
    { "hub/mon", SNPC, 0444, 0 },     { "hub/rtc", SNPC, 0444, 0 },
    { "link/stat/1", SNPC, 0666, 0 }, { "link/stat/4", SNPC, 0666, 0 },
    { "link/stat/6", SNPC, 0666, 0 }, { "link/stat", GRAPH, 0555, 0 },
    { "cpu/a", GRAPH, 0555, 0 },      { "/hw/stat", GRAPH, 0444, 0 },
    { "/hw/mmem", GRAPH, 0444, 0 },   { "/hw/inventory", GRAPH, 0444, 0 },
    { "/proc", PROC, 0555, 0 },       { "/proc", PROC, 0555, 0 },
    { "/proc", PROC, 0555, 0 },
};

static struct {
    const struct device *d;
    int fd, writes, others;
} file[FILES];
static struct {
    const struct device *d;
    char *p;
    size_t len;
    int prot;
} map[MAPS];
static unsigned long seed = 1;
static int bad, root, friends, nodes = 1, pipes[2];
static unsigned long rarely = 1;
static volatile int *made; /* calls of this process, for the one that waits for it */
static const char *dir;
static sigjmp_buf back;
static volatile sig_atomic_t touching;
static sn0_refcnt_buf_t buf[ROOM];
static unsigned int words[2048];

static unsigned long rnd(unsigned long n)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (seed >> 33) % n;
}

/* Is it the turn of a call that costs much, of which one in N is made? */
static int turn(unsigned long n)
{
    return rnd(n * rarely) == 0;
}

static void wrong(const char *what, const struct device *d)
{
    printf("%s is allowed: %s\n", what, d ? d->name : "");
    fflush(stdout);
    bad = 1;
}

static void *any_pointer(void *good)
{
    static void *const p[] = { 0, (void *)8, (void *)-8L, (void *)0x9000000000000000UL,
                               (void *)0xffffffff80000000UL };

    return rnd(3) ? good : p[rnd(sizeof(p) / sizeof(p[0]))];
}

static void on_fault(int sig)
{
    if (touching)
        siglongjmp(back, sig);
    signal(sig, SIG_DFL);
}

/* Loads and stores, and the kernel's own by read(2) and write(2).  There are holes between registers. */
static void touch(char *p)
{
    static char drain[64];

    touching = 1;
    if (sigsetjmp(back, 1)) {
        touching = 0;
        return;
    }
    if (write(pipes[1], p, rnd(64)) > 0)
        (void)!read(pipes[0], drain, 64);
    if (rnd(4) == 0 && write(pipes[1], drain, 8) > 0 && read(pipes[0], p, 8) < 0)
        (void)!read(pipes[0], drain, 64);
    if (rnd(4) == 0)
        *(volatile char *)p = 0;
    (void)*(volatile char *)p;
    touching = 0;
}

static void open_any(int i)
{
    const struct device *d = &devices[rnd(sizeof(devices) / sizeof(devices[0]))];
    int node = rnd(nodes + 1), flags = rnd(2) ? O_RDONLY : O_RDWR, others = 0;
    char path[64];

    if (file[i].fd >= 0)
        close(file[i].fd);
    if (d->owner == PROC) {
        pid_t pid = rnd(2) ? getpid() : (int)rnd(100);

        others = pid != getpid();
        snprintf(path, sizeof(path), "/proc/%05d", (int)pid);
    } else if (d->name[0] == '/') {
        strcpy(path, d->name);
    } else {
        snprintf(path, sizeof(path), "/hw/nodenum/%d/%s", node, d->name);
    }
    file[i].d = d;
    file[i].writes = flags == O_RDWR;
    file[i].others = others;
    file[i].fd = open(path, flags | (rnd(9) ? 0 : O_NONBLOCK | O_APPEND | O_TRUNC));
    if (file[i].fd >= 0 && flags == O_RDWR && !root && !(d->mode & 2))
        wrong("opening to write", d);
}

static void ioctl_migr(int i)
{
    rcb_migr_t m = { .threshold = rnd(101),
                     .distance = rnd(5),
                     .interval = 1 + rnd(3),
                     .unpeg_period = 1 + rnd(3) };
    int sane = turn(500);

    if (sane) {
        m.migr_mode = rnd(4);
        m.refcnt_mode = rnd(4);
        m.unpeg = rnd(2);
        m.enqueue = rnd(2);
    } else {
        ((int *)&m)[rnd(sizeof(m) / sizeof(int))] = seed | 1 << 30;
    }
    if (ioctl(file[i].fd, RCB_MIGR_SET, any_pointer(&m)) == 0 && !(sane && root))
        wrong(root ? "RCB_MIGR_SET of nonsense" : "RCB_MIGR_SET", file[i].d);
}

/* A random address of ours, in memory or in a device's mapping. */
static unsigned long any_address(void)
{
    int m = rnd(4 * MAPS);

    return (m < MAPS && map[m].p ? (unsigned long)map[m].p : (unsigned long)buf) + rnd(70000);
}

static void ioctl_proc(int i)
{
    sn0_refcnt_args_t args = { .vaddr = rnd(3) ? any_address() : seed };
    sn0_policy_args_t policy = { .vaddr = rnd(8) ? any_address() : rnd(1UL << 32) };
    sn0_migrate_args_t m = { .vaddr = any_address(), .nodes = rnd(20) ? 1 + rnd(8) : seed };
    long r;
    int k;

    args.len = rnd(3) ? rnd((ROOM - 4) * 4096) : rnd(2) ? seed | 1UL << 63 : rnd(4096);
    if (args.len > (ROOM - 4) * 4096 && args.vaddr + args.len >= args.vaddr)
        args.len = 1;
    args.buf = any_pointer(buf);
    policy.len = rnd(3) ? rnd(64 * 4096) : seed;
    policy.flags = rnd(2) ? rnd(512) : seed;
    policy.threshold = rnd(110);
    policy.dampening_factor = rnd(110);
    policy.reserved[rnd(4)] = rnd(8) ? 0 : seed;
    m.len = rnd(3) ? rnd(4 * PAGE) : seed;
    for (k = 0; k < 64; k++)
        m.node[k] = rnd(60) ? rnd(nodes) : seed;
    switch (rnd(3) + (rarely > 1 && !turn(1) ? -1 : 0)) {
    case -1:
    case 0:
        r = ioctl(file[i].fd, PIOC | (253 + rnd(2)), any_pointer(&args));
        break;
    case 1:
        if (policy.flags == SN0_POLICY_DEFAULT || rnd(8) == 0)
            policy.vaddr = policy.len = 0;
        r = ioctl(file[i].fd, rnd(4) ? PIOCSETSN0POLICY : PIOCGETSN0POLICY, any_pointer(&policy));
        break;
    default:
        r = ioctl(file[i].fd, PIOCMIGRATESN0, any_pointer(&m));
    }
    if (r >= 0 && file[i].d->owner != PROC)
        wrong("a request of /proc", file[i].d);
    if (r >= 0 && !root && file[i].others)
        wrong("another's process", file[i].d);
}

static void ioctl_any(int i)
{
    static const unsigned long cmd[] = { RCB_INFO_GET,     RCB_SLOT_GET,     RCB_MIGR_GET,
                                         SNPC_QUERY,       SNPC_HIST_POLL,   SNPC_HIST_READ,
                                         SNPC_HISTSEL_GET, SNPC_HISTSEL_SET, SNPC_HISTSEL_SET,
                                         SNPC_VECOP,       SNPC_VECTBL,      SNPC_ACQUIRE,
                                         SNPC_RELEASE,     SNPC_MON,         MMEM_CYCLECNTR };
    static rcb_info_t info;
    unsigned long c = rnd(8)   ? cmd[rnd(sizeof(cmd) / sizeof(cmd[0]))]
                      : rnd(2) ? rnd(300)
                               : seed >> 32;

    words[0] = rnd(3) ? rnd(4) : seed;
    words[1] = rnd(3) ? rnd(5) : seed >> 16;
    if (c == RCB_MIGR_SET || (c >> 8 & 0xff) == 'q')
        return;
    if (ioctl(file[i].fd, c, any_pointer(c == RCB_INFO_GET ? (void *)&info : words)) == 0 &&
        c == SNPC_VECOP)
        wrong("SNPC_VECOP", file[i].d);
}

static void unmap(int m)
{
    if (map[m].p)
        munmap(map[m].p, map[m].len);
    map[m].p = NULL;
}

static int map_any(int i, int m)
{
    const struct device *d = file[i].d;
    size_t len = rnd(2) ? (1 + rnd(8)) * PAGE : rnd(4) ? PAGE : rnd(1UL << 40);
    int prot = rnd(8), shared = rnd(2);
    off_t at = rnd(2) ? 0 : rnd(2) ? (off_t)(rnd(64) * PAGE) : (off_t)(seed & ~(PAGE - 1));
    char *p;

    if (file[i].fd < 0)
        return 0;
    if (d->name[1] == 'h' && !strcmp(d->name, "/hw/mmem") && rnd(2)) {
        mmem_cyclecntr_t c;

        if (ioctl(file[i].fd, MMEM_CYCLECNTR, &c) == 0)
            at = c.paddr & ~(PAGE - 1);
    }
    p = mmap(0, len, prot, shared ? MAP_SHARED : MAP_PRIVATE, file[i].fd, at);
    if (p == MAP_FAILED)
        return 1;
    if (prot & PROT_EXEC)
        wrong("a mapping for execution", d);
    if (prot & PROT_WRITE && !(d->writes && file[i].writes && shared))
        wrong("a mapping to write", d);
    unmap(m);
    map[m].d = d;
    map[m].p = p;
    map[m].len = (len + PAGE - 1) & -PAGE;
    map[m].prot = prot;
    return 1;
}

static int use_map(int m)
{
    static const int advice[] = { MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK, MADV_NORMAL,
                                  MADV_WILLNEED, MADV_HUGEPAGE, MADV_REMOVE };
    char *p = map[m].p, *q;
    size_t len = map[m].len, part;

    if (!p)
        return 0;
    part = (1 + rnd(len / PAGE > 16 ? 16 : len / PAGE)) * PAGE;
    switch (rnd(9)) {
    case 0:
        if (!(map[m].prot & PROT_WRITE) && mprotect(p, part, PROT_READ | PROT_WRITE) == 0)
            wrong("mprotect to writing", map[m].d);
        break;
    case 1:
        if (mprotect(p, part, PROT_READ | PROT_EXEC) == 0)
            wrong("mprotect to execution", map[m].d);
        mprotect(p, part, rnd(2) ? PROT_NONE : PROT_READ);
        break;
    case 2:
        if (mremap(p, len, len + PAGE, MREMAP_MAYMOVE) != MAP_FAILED)
            wrong("growing a mapping", map[m].d);
        break;
    case 3:
        if (len > PAGE) {
            munmap(p + len - PAGE, PAGE);
            map[m].len -= PAGE;
        }
        break;
    case 4:
        q = mmap(0, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (q == MAP_FAILED)
            break;
        if (mremap(p, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, q) == q)
            map[m].p = q;
        else
            munmap(q, len);
        break;
    case 5:
        madvise(p, part, advice[rnd(sizeof(advice) / sizeof(advice[0]))]);
        break;
    case 6:
        unmap(m);
        break;
    default:
        touch(p + (rnd(2) ? rnd(len) : rnd(64)));
    }
    return 1;
}

/* read(2), write(2) and seeks on any device, whether it is text or not. */
static void read_write(int i)
{
    if (rnd(2))
        (void)!read(file[i].fd, any_pointer(buf), rnd(sizeof(buf)));
    else
        lseek(file[i].fd, rnd(2) ? (off_t)seed : (off_t)rnd(5000), rnd(3));
    if (write(file[i].fd, buf, 8) >= 0)
        wrong("writing", file[i].d);
}

/* Do allocations of this task fail?  It may then be killed, for want of a page or a signal's frame. */
static int failing(void)
{
    char c = '0';
    int fd = open("/proc/self/make-it-fail", O_RDONLY);

    if (fd < 0)
        return errno != ENOENT; /* opening has failed for want of memory, too */
    if (read(fd, &c, 1) != 1)
        c = '1';
    close(fd);
    return c != '0';
}

/* An address in a mapping of a device, or in memory of ours, or none. */
static void *any_place(void)
{
    int m = rnd(MAPS);

    if (map[m].p && rnd(8))
        return map[m].p + (rnd(2) ? rnd(64) : rnd(map[m].len)) / 4 * 4;
    return any_pointer(words);
}

/* The kernel's own loads and stores in a mapping, with locks held or with faults off. */
static void futex(void)
{
    static const int op[] = {
        FUTEX_WAIT,    FUTEX_WAKE,      FUTEX_REQUEUE,    FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP,
        FUTEX_LOCK_PI, FUTEX_UNLOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_WAIT_BITSET, 999
    };
    struct timespec soon = { .tv_nsec = 1000 };
    int o = op[rnd(sizeof(op) / sizeof(op[0]))];
    /* The fourth argument of these is a number of waiters. */
    int counts = o >= FUTEX_REQUEUE && o <= FUTEX_WAKE_OP;

    /* FUTEX_LOCK_PI waits until a time of the clock, which has passed. */
    syscall(SYS_futex, any_place(), o | (rnd(3) ? FUTEX_PRIVATE_FLAG : 0), (int)seed,
            counts ? (void *)rnd(3) : (void *)&soon, any_place(), (int)(seed >> 8));
}

static void other_calls(void)
{
    static unsigned char in_core[64];
    struct iovec here = { words, 64 }, there = { any_place(), 64 };
    void *p = any_place(), *page = (void *)((unsigned long)p & -PAGE);

    switch (rnd(9)) {
    case 0:
        process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        break;
    case 1:
        process_vm_writev(getpid(), &here, 1, &there, 1, 0);
        break;
    case 2:
        mincore(page, PAGE, in_core);
        break;
    case 3:
        if (mlock(page, PAGE) == 0)
            munlock(page, PAGE);
        break;
    case 4:
        msync(page, PAGE, MS_SYNC);
        break;
    case 5:
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, p);
        break;
    case 6:
        vmsplice(pipes[1], &there, 1, SPLICE_F_NONBLOCK);
        while (read(pipes[0], buf, sizeof(buf)) > 0)
            ;
        break;
    case 7:
        if (turn(1))
            syscall(SYS_move_pages, 0, 1L, &page, rnd(2) ? &(int){ rnd(nodes) } : NULL, words, 2);
        break;
    default:
        syscall(SYS_getrandom, p, 64L, 0);
    }
}

/* Events of the processor, with ranges too. */
static void event(void)
{
    static int open_event = -1;
    struct perf_event_attr a = { .size = sizeof(a) };

    a.type = rnd(3) ? rnd(8) : seed;
    a.config = rnd(3) ? rnd(32) : rnd(2) ? seed : rnd(32) | rnd(1UL << 20) << 8;
    a.config1 = rnd(3) ? 0 : seed;
    a.config2 = rnd(3) ? 0 : seed;
    a.sample_period = rnd(2) ? 0 : 1 + rnd(100000);
    a.exclude_kernel = rnd(4) > 0;
    a.inherit = rnd(4) == 0;
    close(open_event);
    open_event = syscall(SYS_perf_event_open, &a, 0, rnd(4) ? -1 : (int)rnd(4), -1, 0);
    if (open_event >= 0)
        (void)!read(open_event, any_pointer(words), 64);
}

static void child(void)
{
    pid_t pid = fork();
    int i;

    if (pid == 0) {
        for (i = 0; i < 20; i++)
            use_map(rnd(MAPS));
        for (i = 0; i < 10; i++)
            ioctl_any(rnd(FILES));
        fflush(stdout);
        _exit(bad);
    }
    if (waitpid(pid, &i, 0) != pid)
        return;
    if (WIFSIGNALED(i) && !failing())
        wrong("a child's end by a signal", NULL);
    else if (WIFEXITED(i) && WEXITSTATUS(i))
        bad = 1;
}

static void load(int i)
{
    char path[256];
    int fd;

    snprintf(path, sizeof(path), "%s/%s.ko", dir, module[i]);
    fd = open(path, O_RDONLY);
    if (syscall(SYS_finit_module, fd, "", 0) == 0 && !root)
        wrong("insmod", NULL);
    close(fd);
}

/* A module can be removed only when none of its files and mappings is left. */
static void remove_module(void)
{
    int k = rnd(PERF + 1), i, used = 0;

    for (i = 0; i < FILES; i++)
        used |= file[i].fd >= 0 && (int)file[i].d->owner == k;
    for (i = 0; i < MAPS; i++)
        used |= map[i].p && map[i].d->owner == k;
    if (syscall(SYS_delete_module, module[k], O_NONBLOCK) == 0 && (used || !root))
        wrong("rmmod of a module in use", NULL);
    load(k);
}

static void find_nodes(void)
{
    char path[32];

    do
        snprintf(path, sizeof(path), "/hw/nodenum/%d", nodes);
    while (access(path, F_OK) == 0 && nodes++);
}

/* One call, if there is one to make with what is open and mapped. */
static int one_call(void)
{
    int f = rnd(FILES), m = rnd(MAPS), what = rnd(friends ? 24 : 20);

    if (what > 9 && what < 20 && what != 12 && what != 13 && file[f].fd < 0 && rnd(16))
        return 0;
    switch (what) {
    case 0:
    case 1:
    case 2:
        open_any(f);
        return 1;
    case 3:
    case 4:
    case 5:
        return map_any(f, m);
    case 6:
    case 7:
    case 8:
    case 9:
        return use_map(m);
    case 10:
        read_write(f);
        return 1;
    case 11:
        ioctl_migr(f);
        return 1;
    case 12:
        if (!turn(10))
            return 0;
        child();
        return 1;
    case 13:
        if (!dir || !turn(50))
            return 0;
        remove_module();
        return 1;
    case 14:
    case 15:
    case 16:
        ioctl_proc(f);
        return 1;
    case 20:
    case 21:
        futex();
        return 1;
    case 22:
        other_calls();
        return 1;
    case 23:
        event();
        return 1;
    default:
        ioctl_any(f);
        return 1;
    }
}

static void make_calls(int n)
{
    int i;

    for (i = 0; i < FILES; i++)
        file[i].fd = -1, file[i].d = devices;
    while (*made < n && !bad)
        *made += one_call();
    for (i = 0; dir && i <= PERF; i++)
        load(i);
}

/* A process for each PIECE of the N calls.  Says how far they are to a file of the share, for whoever waits for the end. */
static void make_pieces(int n, int piece, int fails)
{
    int sum = 0, started = 0, killed = 0, status;
    pid_t pid;

    while (sum < n && !bad && killed <= 100 + n / 100) {
        *made = 0;
        pid = fork();
        if (pid == 0) {
            int fd = fails ? open("/proc/self/make-it-fail", O_WRONLY) : -1;

            if (fails && write(fd, "1", 1) != 1)
                wrong("no failing of allocations", NULL);
            close(fd);
            make_calls(n - sum < piece ? n - sum : piece);
            _exit(bad);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            break;
        started++;
        sum += *made;
        seed += 10;
        killed += WIFSIGNALED(status);
        bad |= WIFEXITED(status) && WEXITSTATUS(status);
        fprintf(stderr, "%d\n", sum);
    }
    printf("%d calls of %d processes, %d killed\n", sum, started, killed);
}

int main(int argc, char **argv)
{
    int n, o, piece = 0, fails = 0;

    while ((o = getopt(argc, argv, "fr:p:a")) != -1) {
        if (o == '?')
            return 2;
        if (o == 'f')
            friends = 1;
        else if (o == 'r')
            rarely = strtoul(optarg, 0, 0);
        else if (o == 'p')
            piece = atoi(optarg);
        else
            fails = 1;
    }
    argc -= optind;
    argv += optind;
    n = argc > 0 ? atoi(argv[0]) : 1000;
    dir = argc > 1 ? argv[1] : NULL;
    seed = argc > 2 ? strtoul(argv[2], 0, 0) : 1;
    root = geteuid() == 0;
    made = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED || pipe2(pipes, O_NONBLOCK) < 0)
        return 1;
    signal(SIGBUS, on_fault);
    signal(SIGSEGV, on_fault);
    find_nodes();
    if (piece)
        make_pieces(n, piece, fails);
    else
        make_calls(n);
    if (!bad && !piece)
        puts("ok");
    return bad;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a program must not be able to do with the devices of the graph and the ioctls on /proc.  Prints TAP without a plan.
 *
 *   safety futex     futexes at addresses of a Hub where no register is, and in one that does not keep all bits: the call ends
 *   safety walk      another's memory shows in the counters of a range that is unmapped meanwhile; slow_walk.h draws that moment out
 *   safety rights    (root) pages that others map, and nodes that a process may not use
 *   safety busy      (root) a long ioctl on /proc, while the module is to be removed: nobody else waits
 *   safety samples   (root) counters that overflow before the interrupt of the last time has ended: the program goes on, and samples become rarer
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <procfs/procfs.h>
#include <snhw.h>
#include <snpc.h>
#include <sys/SN/hwcntrs.h>
#include "tap.h"

#define PAGE 16384UL
#define LINE 128
#define USER 1000

static int proc; /* /proc/self */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void *shared(size_t bytes)
{
    void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        fail("mmap");
    return p;
}

/* Wait for the child.  False: it does not end within @limit seconds. */
static int ends(pid_t pid, double limit)
{
    double end = seconds() + limit;

    while (waitpid(pid, NULL, WNOHANG) != pid) {
        if (seconds() > end)
            return 0;
        usleep(2000);
    }
    return 1;
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        fail(path);
    close(fd);
}

/* --- futexes in a hole between registers --- */

static const struct futex_call {
    const char *name;
    int op;
    int second; /* the hole is the second address */
    int val;
} futex_calls[] = {
    { "FUTEX_WAIT", FUTEX_WAIT, 0, 0 },
    { "FUTEX_LOCK_PI", FUTEX_LOCK_PI, 0, 0 },
    { "FUTEX_LOCK_PI2", FUTEX_LOCK_PI2, 0, 0 },
    { "FUTEX_TRYLOCK_PI", FUTEX_TRYLOCK_PI, 0, 0 },
    { "FUTEX_UNLOCK_PI", FUTEX_UNLOCK_PI, 0, 0 },
    { "FUTEX_WAKE_OP", FUTEX_WAKE_OP, 1, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0) },
    { "FUTEX_CMP_REQUEUE", FUTEX_CMP_REQUEUE, 1, 0 },
    { "FUTEX_CMP_REQUEUE_PI", FUTEX_CMP_REQUEUE_PI, 1, 0 },
    { "FUTEX_WAIT_REQUEUE_PI", FUTEX_WAIT_REQUEUE_PI, 1, 0 },
};

static uint32_t *hole_of(const char *edge)
{
    char path[64];
    int fd;
    hubmd_regs_t *p;

    snprintf(path, sizeof(path), "/hw/nodenum/0/hub/%s", edge);
    fd = open(path, O_RDWR);
    p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        fail(path);
    close(fd);
    return (uint32_t *)&p->pad;
}

/* Half of a counter of 20 bits. Its value names an owner that does not exist, and FUTEX_WAITERS is lost. */
static uint32_t *counter_of(const char *edge)
{
    hubmd_regs_t *p = (hubmd_regs_t *)(hole_of(edge) - 2);

    p->count[4] = 0xffff1;
    return (uint32_t *)&p->count[4] + 1;
}

/* In a child, which closes its output so that a child that never ends keeps nobody waiting. */
static int child_ends(void (*run)(uint32_t *at, const struct futex_call *c),
                      uint32_t *(*place)(const char *edge), const char *edge,
                      const struct futex_call *c)
{
    pid_t pid = fork();

    if (!pid) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        run_on(1);
        run(place(edge), c);
        _exit(0);
    }
    if (ends(pid, 1))
        return 1;
    kill(pid, SIGKILL);
    return ends(pid, 1);
}

static void one_futex(uint32_t *hole, const struct futex_call *c)
{
    static uint32_t word;
    struct timespec soon = { 0, 1000000 };
    int flag;

    for (flag = 0; flag <= FUTEX_PRIVATE_FLAG; flag += FUTEX_PRIVATE_FLAG)
        if (c->second)
            syscall(SYS_futex, &word, c->op | flag, c->op == FUTEX_WAIT_REQUEUE_PI ? 0 : 1,
                    c->op == FUTEX_WAIT_REQUEUE_PI ? &soon : (void *)1, hole, c->val);
        else
            syscall(SYS_futex, hole, c->op | flag, c->val, &soon, NULL, 0);
}

/* A thread ends that seems to hold a lock in the hole. */
static void robust(uint32_t *hole, const struct futex_call *c)
{
    static struct robust_list entry;
    static struct robust_list_head head;

    (void)c;
    entry.next = &head.list;
    head.list.next = &entry;
    head.futex_offset = (char *)hole - (char *)&entry;
    head.list_op_pending = &entry;
    syscall(SYS_set_robust_list, &head, sizeof(head));
}

static void robust_head(uint32_t *hole, const struct futex_call *c)
{
    (void)c;
    syscall(SYS_set_robust_list, hole, sizeof(struct robust_list_head));
}

static void clear_tid(uint32_t *hole, const struct futex_call *c)
{
    (void)c;
    syscall(SYS_set_tid_address, hole);
}

static void futexes(void)
{
    static const char *const edges[] = { SNPC_EDGE_MD, SNPC_EDGE_IO };
    static const struct {
        const char *name;
        void (*run)(uint32_t *hole, const struct futex_call *c);
    } others[] = { { "a robust futex", robust },
                   { "a list of robust futexes", robust_head },
                   { "set_tid_address", clear_tid } };
    unsigned int e, i;

    /* A child that does not end holds a processor, so the first one is the last. */
    run_on(0);
    for (e = 0; e < 2; e++) {
        for (i = 0; i < sizeof(futex_calls) / sizeof(futex_calls[0]); i++)
            if (!point(child_ends(one_futex, hole_of, edges[e], &futex_calls[i]),
                       "uid %d: %s in a hole of hub/%s ends", getuid(), futex_calls[i].name,
                       edges[e]))
                return;
        for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
            if (!point(child_ends(others[i].run, hole_of, edges[e], NULL),
                       "uid %d: %s in a hole of hub/%s ends", getuid(), others[i].name, edges[e]))
                return;
    }
    for (i = 0; i < sizeof(futex_calls) / sizeof(futex_calls[0]); i++)
        if (!point(child_ends(one_futex, counter_of, SNPC_EDGE_MD, &futex_calls[i]),
                   "uid %d: %s in a counter of hub/md ends", getuid(), futex_calls[i].name))
            return;
}

/* --- counters of a range that is unmapped --- */

#define TABLES  16           /* so that it takes a while to empty them */
#define TABLE   (32UL << 20) /* what a page table covers */
#define AREA    ((char *)(1UL << 38))
#define RANGE   (AREA + (TABLES - 1) * TABLE)
#define FOREIGN 0x400000UL /* memory of the kernel's */

static volatile int looked;

/*
 * Map and unmap the range, and give the memory of its page table another content: entries, as the kernel writes them, of a page that is not the
 * program's.
 */
static void *unmapper(void *arg)
{
    static uint64_t entries[PAGE / 8], sink[PAGE / 8];
    int pipes[2];
    unsigned int i;
    char *p;

    (void)arg;
    run_on(1);
    if (pipe2(pipes, O_NONBLOCK) < 0)
        fail("pipe");
    for (i = 0; i < PAGE / 8; i++)
        entries[i] = FOREIGN << 1 | 1; /* present, no flag that a program's page may not have */
    while (!looked) {
        p = mmap(AREA, TABLES * TABLE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        if (p != AREA)
            fail("mmap");
        for (; p <= RANGE; p += TABLE)
            *p = 1;
        munmap(AREA, TABLES * TABLE);
        for (i = 0; i < 6; i++)
            (void)!write(pipes[1], entries, PAGE);
        for (i = 0; i < 6; i++)
            (void)!read(pipes[0], sink, PAGE);
    }
    return NULL;
}

/* A huge page is one page, wherever it is looked at. */
static void huge(void)
{
    sn0_refcnt_buf_t buf[2];
    sn0_refcnt_args_t a = { .len = 1 };
    char *p;
    int i;

    write_file("/proc/sys/vm/nr_hugepages", "1");
    p = mmap(0, TABLE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (p == MAP_FAILED)
        fail("a huge page");
    *p = 1;
    for (i = 0; i < 2; i++) {
        a.vaddr = (unsigned long)p + i * (TABLE / 2 + 4096);
        a.buf = &buf[i];
        if (ioctl(proc, PIOCGETSN0REFCNTRS, &a))
            fail("PIOCGETSN0REFCNTRS");
    }
    point(buf[0].page_size == TABLE && buf[1].page_size == TABLE && buf[0].paddr % TABLE == 0 &&
              buf[1].paddr - buf[0].paddr == TABLE / 2 + 4096,
          "a huge page has its place and size");
    munmap(p, TABLE);
}

static void walk(void)
{
    static sn0_refcnt_buf_t buf[4];
    sn0_refcnt_args_t a = { .vaddr = (unsigned long)RANGE, .len = 4 * 4096, .buf = buf };
    unsigned int k, foreign = 0, pages = 0, failed = 0;
    double end;
    pthread_t t;

    huge();
    pthread_create(&t, NULL, unmapper, NULL);
    run_on(0);
    end = seconds() + 0.5;
    while (seconds() < end) {
        failed += ioctl(proc, PIOCGETSN0REFCNTRS, &a) != 0;
        for (k = 0; k < 4; k++) {
            pages += buf[k].paddr != 0;
            foreign += buf[k].paddr && (buf[k].paddr & -PAGE) == FOREIGN;
        }
    }
    looked = 1;
    pthread_join(t, NULL);
    equal(failed, 0, "counters of a range that comes and goes");
    point(pages > 0, "it was there sometimes: %u", pages);
    equal(foreign, 0, "a page of another's was never there");
}

/* --- rights --- */

/* The node of the page at @p; -1: there is none. */
static int home(int fd, void *p)
{
    sn0_refcnt_buf_t buf;
    sn0_refcnt_args_t a = { .vaddr = (unsigned long)p, .len = 1, .buf = &buf };

    if (ioctl(fd, PIOCGETSN0REFCNTRS, &a))
        fail("PIOCGETSN0REFCNTRS");
    return buf.paddr ? (int)buf.cnodeid : -1;
}

static int cpu_of(int node, int i)
{
    int cpu[2];

    if (snhw_node_cpus(node, cpu, 2) != 2)
        fail("processors of a node");
    return cpu[i];
}

static long to_node(pid_t pid, void *p, int node)
{
    sn0_migrate_args_t a = { .vaddr = (unsigned long)p, .len = PAGE, .nodes = 1, .node = { node } };
    char path[32];
    long r;
    int fd;

    snprintf(path, sizeof(path), "/proc/%05d", pid);
    fd = open(path, O_RDONLY);
    r = ioctl(fd, PIOCMIGRATESN0, &a);
    close(fd);
    return r;
}

/* Two processors of a node write the lines of a page in turn, so that each write is a request to the page's home. */
struct duel {
    volatile char *page;
    volatile int *turn;
    int node;
};

#define ROUNDS 40

static void fight(const struct duel *d, int me)
{
    int round, i;

    run_on(cpu_of(d->node, me));
    for (round = 0; round < ROUNDS; round++) {
        while (*d->turn % 2 != me)
            ;
        for (i = 0; i < (int)PAGE; i += LINE)
            d->page[i]++;
        ++*d->turn;
    }
}

static void *fight_0(void *d)
{
    fight(d, 0);
    return NULL;
}

enum who { THREADS, PROCESSES };

/* Where a page of node 1 with a policy to migrate is after two processors of @node have used it. */
static int after_duel(enum who who, int node)
{
    sn0_policy_args_t a = { .len = PAGE,
                            .flags = SN0_POLICY_MIGRATE | SN0_POLICY_THRESHOLD,
                            .threshold = 1 };
    int flags = who == THREADS ? MAP_PRIVATE : MAP_SHARED, i;
    struct duel d = { .turn = shared(PAGE), .node = node };
    pthread_t t;
    pid_t pid = 0;

    run_on(cpu_of(1, 0));
    d.page = mmap(0, PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    d.page[0] = 1;
    a.vaddr = (unsigned long)d.page;
    if (ioctl(proc, PIOCSETSN0POLICY, &a))
        fail("PIOCSETSN0POLICY");
    if (home(proc, (void *)d.page) != 1)
        return -1;
    if (who == THREADS) {
        pthread_create(&t, NULL, fight_0, &d);
        fight(&d, 1);
        pthread_join(t, NULL);
    } else {
        *d.turn = -2;
        pid = fork();
        if (!pid) {
            /* A page that is being mapped cannot move, so map it before. */
            (void)*d.page;
            *d.turn = 0;
            fight(&d, 0);
            /* The page stays shared until the other has looked. */
            while (*d.turn >= 0)
                usleep(1000);
            _exit(0);
        }
        while (*d.turn < 0)
            usleep(1000);
        fight(&d, 1);
    }
    for (i = 0; i < 20 && home(proc, (void *)d.page) == 1; i++)
        usleep(1000);
    i = home(proc, (void *)d.page);
    if (who == PROCESSES) {
        *d.turn = -1;
        waitpid(pid, NULL, 0);
    }
    munmap((void *)d.page, PAGE);
    munmap((void *)d.turn, PAGE);
    return i;
}

/* The result of @run in a child: as a user, or in a group that has nodes 0 to 3 only. */
static int in_child(enum who who, int node, int uid, const char *group)
{
    int *result = shared(PAGE);
    pid_t pid = fork();

    if (!pid) {
        if (group)
            write_file(group, "0");
        if (uid && setresuid(uid, uid, uid))
            fail("setresuid");
        proc = open("/proc/self", O_RDONLY);
        *result = after_duel(who, node);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return *result;
}

#define GROUPS "/tmp/groups"
#define HALF   GROUPS "/half/cgroup.procs"
#define PAGES  8

static void rights(void)
{
    volatile int *state = shared(PAGE);
    char *p = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid_t confined, caller;
    int status, i, moved = 0;

    equal(in_child(THREADS, 2, 0, NULL), 2, "root's page migrates");
    /* Both processes may fault at a page while it is being unmapped (kernel/patches/0039). It migrates all the same. */
    for (i = 0; i < PAGES; i++)
        moved += in_child(PROCESSES, 2, 0, NULL) == 2;
    equal(moved, PAGES, "so do pages that another process maps");
    equal(in_child(THREADS, 2, USER, NULL), 2, "a user's page migrates");
    equal(in_child(PROCESSES, 2, USER, NULL), 1, "not one that another process maps");
    equal(in_child(THREADS, 5, 0, NULL), 5, "a page migrates to node 5");
    equal(in_child(THREADS, 5, 0, HALF), 1, "not that of a process with nodes 0 to 3");

    /* Both the target's nodes and the caller's count. */
    run_on(cpu_of(1, 0));
    confined = fork();
    if (!confined) {
        write_file(HALF, "0");
        *p = 1;
        for (*state = 1; *state == 1;)
            usleep(1000);
        _exit(0);
    }
    while (!*state)
        usleep(1000);
    refused(EINVAL, to_node(confined, p, 5), "moving a page out of its process's nodes");
    equal(to_node(confined, p, 2), 1, "within them");
    *state = 2;
    waitpid(confined, NULL, 0);

    *p = 1;
    caller = fork();
    if (!caller) {
        write_file(HALF, "0");
        munmap(p, PAGE);
        refused(EINVAL, to_node(getppid(), p, 5), "moving a page out of the caller's nodes");
        _exit(to_node(getppid(), p, 2) != 1);
    }
    waitpid(caller, &status, 0);
    point(!status && home(proc, p) == 2, "within them, it moves another's page");
}

/* --- a long ioctl --- */

#define CHUNK  (1UL << 20)
#define CHUNKS 128

/* Counters of so many pages that it takes a second, all written to the same memory. */
static void long_ioctl(void)
{
    int fd = memfd_create("chunk", 0), i;
    char *at = (char *)(1UL << 37);
    sn0_refcnt_args_t a = { .vaddr = 1UL << 36,
                            .len = CHUNK * CHUNKS / sizeof(sn0_refcnt_buf_t) * 4096,
                            .buf = (sn0_refcnt_buf_t *)at };

    if (ftruncate(fd, CHUNK))
        fail("ftruncate");
    for (i = 0; i < CHUNKS; i++)
        if (mmap(at + i * CHUNK, CHUNK, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0) == MAP_FAILED)
            fail("mmap");
    ioctl(open("/proc/self", O_RDONLY), PIOCGETSN0REFCNTRS, &a);
}

static void busy(void)
{
    volatile int *state = shared(PAGE);
    pid_t reader, remover;
    double t;
    long r;

    reader = fork();
    if (!reader) {
        run_on(2);
        *state = 1;
        long_ioctl();
        _exit(0);
    }
    while (!*state)
        usleep(1000);
    usleep(200000);
    remover = fork();
    if (!remover) {
        run_on(3);
        r = syscall(SYS_delete_module, "refcnt", O_NONBLOCK);
        state[1] = r ? errno : -1;
        _exit(0);
    }
    usleep(20000);
    t = seconds();
    r = ioctl(proc, 0x5401, NULL);
    t = seconds() - t;
    refused(ENOTTY, r, "an unknown request on /proc");
    if (!point(t < 0.01, "it does not wait for one that takes long"))
        printf("# %.3f s\n", t);
    equal(waitpid(reader, NULL, WNOHANG), 0, "which still runs");
    kill(reader, SIGKILL);
    point(ends(reader, 0.1), "until its caller is killed");
    waitpid(remover, NULL, 0);
    equal(state[1], EAGAIN, "removing the module fails meanwhile");
}

static long most_samples(void)
{
    FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "r");
    long n = -1;

    if (!f || fscanf(f, "%ld", &n) != 1)
        fail("perf_event_max_sample_rate");
    fclose(f);
    return n;
}

static void samples(void)
{
    static const int period[] = { 5000, 100, 1 };
    long before = most_samples();
    unsigned int i;
    pid_t pid;

    for (i = 0; i < sizeof(period) / sizeof(period[0]); i++) {
        pid = fork();
        if (!pid) {
            struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
                                         .size = sizeof(a),
                                         .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .sample_period = period[i] };
            volatile long n;

            run_on(1);
            if (syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) < 0)
                fail("perf_event_open");
            for (n = 0; n < 1000000; n++) {}
            _exit(0);
        }
        if (!point(ends(pid, 20), "a program ends whose counter overflows all the time"))
            printf("# every %d instructions, the kernel's included\n", period[i]);
    }
    if (!point(most_samples() < before, "the kernel allows fewer samples than before"))
        printf("# %ld a second, %ld before\n", most_samples(), before);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = { { "futex", futexes },
                  { "walk", walk },
                  { "rights", rights },
                  { "busy", busy },
                  { "samples", samples } };
    unsigned int i;

    setvbuf(stdout, NULL, _IONBF, 0);
    proc = open("/proc/self", O_RDONLY);
    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (argc > 1 && !strcmp(argv[1], parts[i].name)) {
            parts[i].run();
            return 0;
        }
    return 2;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Work for every part of the kernel that crosses CPUs, over many machine minutes but with few
 * instructions.  There is a worker on each CPU.  In each round it does a burst of everything, then
 * sleeps until the next round.  Everything is checked; the first mistake ends the run.
 *
 *   stress WORKERS ROUNDS SECONDS    ROUNDS bursts, SECONDS apart
 *
 * A burst: fork and exit statuses; threads that share an address space while
 * pages appear, change protection and vanish (TLB shootdown IPIs); membarrier;
 * a futex passed around all workers; signals with payload to the neighbour; pipes;
 * files written, read back and truncated; pages migrated to another node; moving to another
 * CPU and back.
 *
 * Prints "done: ..." with what was done.  Left out: swap, network, devices.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORKERS 128
#define PAGES       4
#define THREADS     3

struct shared {
    _Atomic uint32_t turn;     /* the futex: number of the turn, which counts up */
    _Atomic unsigned long sum; /* every worker adds a known amount */
    _Atomic unsigned long signals, forks, shootdowns, migrated, bytes;
    pid_t pid[MAX_WORKERS];
};

static struct shared *sh;
static unsigned int me, workers;
static size_t page;

static void fail(const char *what)
{
    fprintf(stderr, "worker %u: %s: %s\n", me, what, strerror(errno));
    kill(0, SIGKILL);
    _exit(1);
}

#define CHECK(cond)      \
    do {                 \
        if (!(cond))     \
            fail(#cond); \
    } while (0)

static double seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void pin(unsigned int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
    CHECK(sched_getcpu() == (int)cpu);
}

static void forks(unsigned int round)
{
    for (unsigned int i = 0; i < 2; i++) {
        int want = (int)(round + i) % 200, w;
        pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid == 0)
            _exit(want);
        CHECK(waitpid(pid, &w, 0) == pid);
        CHECK(WIFEXITED(w) && WEXITSTATUS(w) == want);
        sh->forks++;
    }
}

/* Threads touch pages that another of them maps, protects and drops. */
static unsigned char *volatile area;
static pthread_barrier_t barrier;

static void *toucher(void *arg)
{
    unsigned int id = (unsigned int)(uintptr_t)arg;

    pin((me + id * 5) % workers);
    for (unsigned int i = 0; i < 3; i++) {
        pthread_barrier_wait(&barrier);
        for (size_t p = 0; p < PAGES; p++)
            CHECK(area[p * page + id] == 0);
        for (size_t p = 0; p < PAGES; p++)
            area[p * page + id] = (unsigned char)(id + p + i);
        pthread_barrier_wait(&barrier);
        /* The page is now read-only: everybody's writes must be visible. */
        for (size_t p = 0; p < PAGES; p++)
            for (unsigned int t = 1; t <= THREADS; t++)
                CHECK(area[p * page + t] == (unsigned char)(t + p + i));
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void shootdowns(void)
{
    pthread_t t[THREADS];

    CHECK(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, toucher, (void *)(i + 1)) == 0);
    for (unsigned int i = 0; i < 3; i++) {
        void *p =
            mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        CHECK(p != MAP_FAILED);
        area = p;
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        CHECK(mprotect(p, PAGES * page, PROT_READ) == 0);
        CHECK(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0);
        pthread_barrier_wait(&barrier);
        CHECK(munmap(p, PAGES * page) == 0);
        sh->shootdowns++;
    }
    for (unsigned int i = 0; i < THREADS; i++)
        CHECK(pthread_join(t[i], NULL) == 0);
    pthread_barrier_destroy(&barrier);
}

static void wait_turn(uint32_t until)
{
    uint32_t now;

    while ((int32_t)(until - (now = atomic_load(&sh->turn))) > 0)
        if (syscall(SYS_futex, &sh->turn, FUTEX_WAIT, now, NULL, NULL, 0) < 0)
            CHECK(errno == EAGAIN || errno == EINTR);
}

/* Each worker waits for its turn, adds its number and passes the turn on. */
static void pass_turn(unsigned int round)
{
    uint32_t mine = round * workers + me;

    wait_turn(mine);
    CHECK(atomic_load(&sh->turn) == mine);
    atomic_fetch_add(&sh->sum, me + 1);
    atomic_store(&sh->turn, mine + 1);
    CHECK(syscall(SYS_futex, &sh->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) >= 0);
}

static void signals(unsigned int round)
{
    union sigval v = { .sival_int = (int)(round * 1000 + me) };
    unsigned int from = (me + workers - 1) % workers;
    sigset_t set;
    siginfo_t si;

    wait_turn((2 * round + 1) * workers); /* wait until all workers are there */
    CHECK(sigqueue(sh->pid[(me + 1) % workers], SIGRTMIN, v) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    CHECK(sigwaitinfo(&set, &si) == SIGRTMIN);
    CHECK(si.si_value.sival_int == (int)(round * 1000 + from));
    sh->signals++;
}

static void pipes(unsigned int round)
{
    unsigned char buf[4096];
    int fd[2], w;
    pid_t pid;
    size_t n = 0;
    ssize_t got;

    CHECK(pipe(fd) == 0);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        memset(buf, (int)(round + me), sizeof(buf));
        close(fd[0]);
        for (int i = 0; i < 8; i++)
            if (write(fd[1], buf, sizeof(buf)) != (ssize_t)sizeof(buf))
                _exit(1);
        _exit(0);
    }
    close(fd[1]);
    while ((got = read(fd[0], buf, sizeof(buf))) > 0) {
        for (ssize_t i = 0; i < got; i += 97)
            CHECK(buf[i] == (unsigned char)(round + me));
        n += (size_t)got;
    }
    CHECK(n == 8 * sizeof(buf));
    close(fd[0]);
    CHECK(waitpid(pid, &w, 0) == pid && w == 0);
    sh->bytes += n;
}

static void files(unsigned int round)
{
    char name[64], to[80];
    uint32_t buf[1024], back[1024];
    int fd;

    snprintf(name, sizeof(name), "/tmp/stress.%u", me);
    snprintf(to, sizeof(to), "%s.new", name);
    fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0);
    for (uint32_t b = 0; b < 8; b++) {
        for (uint32_t i = 0; i < 1024; i++)
            buf[i] = round * 77 + me * 1000003 + b * 31 + i;
        CHECK(pwrite(fd, buf, sizeof(buf), b * 5000) == (ssize_t)sizeof(buf));
    }
    CHECK(rename(name, to) == 0);
    for (uint32_t b = 0; b < 8; b++) {
        CHECK(pread(fd, back, sizeof(back), b * 5000) == (ssize_t)sizeof(back));
        for (uint32_t i = 0; i < 1024; i += 13)
            CHECK(back[i] == round * 77 + me * 1000003 + b * 31 + i);
    }
    CHECK(ftruncate(fd, 100) == 0 && lseek(fd, 0, SEEK_END) == 100);
    CHECK(unlink(to) == 0 && close(fd) == 0);
    sh->bytes += 8 * sizeof(buf);
}

static void migrate(unsigned int round)
{
    unsigned char *p =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int to = (int)((me + round) % (unsigned int)(numa_max_node() + 1));
    void *pages[PAGES];
    int nodes[PAGES], status[PAGES];

    CHECK(p != MAP_FAILED);
    for (size_t i = 0; i < PAGES; i++) {
        memset(p + i * page, (int)(i + me), page);
        pages[i] = p + i * page;
        nodes[i] = to;
    }
    CHECK(move_pages(0, PAGES, pages, nodes, status, MPOL_MF_MOVE) == 0);
    CHECK(move_pages(0, PAGES, pages, NULL, status, 0) == 0);
    for (size_t i = 0; i < PAGES; i++) {
        CHECK(status[i] == to);
        for (size_t k = 0; k < page; k += 509)
            CHECK(p[i * page + k] == (unsigned char)(i + me));
    }
    CHECK(munmap(p, PAGES * page) == 0);
    sh->migrated += PAGES;
}

static void worker(unsigned int rounds, double apart, double begin)
{
    for (unsigned int r = 0; r < rounds; r++) {
        double next = begin + (r + 1) * apart;
        struct timespec ts = { (time_t)next, (long)((next - (double)(time_t)next) * 1e9) };

        pin(me);
        forks(r);
        shootdowns();
        pass_turn(2 * r);
        signals(r);
        pipes(r);
        files(r);
        migrate(r);
        pin((me + 7) % workers);
        pass_turn(2 * r + 1);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
            ;
        CHECK(seconds() >= next && seconds() < next + apart);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    unsigned int rounds;
    double apart, begin;
    sigset_t set;

    if (argc != 4 || (workers = (unsigned int)atoi(argv[1])) < 2 || workers > MAX_WORKERS ||
        (rounds = (unsigned int)atoi(argv[2])) < 1 || (apart = atof(argv[3])) <= 0) {
        fprintf(stderr, "usage: stress WORKERS ROUNDS SECONDS\n");
        return 2;
    }
    page = (size_t)sysconf(_SC_PAGESIZE);
    sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(sh != MAP_FAILED);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    begin = seconds();
    for (unsigned int i = 0; i < workers; i++) {
        pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid == 0) {
            me = i;
            sh->pid[i] = getpid();
            worker(rounds, apart, begin);
        }
    }
    for (unsigned int i = 0; i < workers; i++) {
        int w;

        CHECK(wait(&w) > 0);
        CHECK(w == 0);
    }
    CHECK(sh->sum == 2ul * rounds * workers * (workers + 1) / 2);
    printf("done: %u workers, %.0f s, %lu forks, %lu shootdowns, %lu signals, %lu bytes, %lu pages "
           "migrated\n",
           workers, seconds() - begin, sh->forks, sh->shootdowns, sh->signals, sh->bytes,
           sh->migrated);
    return 0;
}

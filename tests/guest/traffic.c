// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs of computable traffic under snsar: n lines of one node's memory
 * read, written and passed between processors.  Events of the sampler and of the
 * idle system in the same time are subtracted.  The bound allows for events that
 * the kernel makes because of the program.  Prints TAP without a plan.
 *
 *   traffic HOME READER OTHER     three nodes; nothing else should use HOME
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <snhw.h>
#include "tap.h"

#define LINE  128
#define BIG   65536UL /* lines: more than a cache keeps of them after flush() */
#define FEW   2048UL  /* lines that stay in a cache */
#define TRASH (48UL << 20)
#define WAY   (512UL << 10) /* bytes of one of two ways of 1 MB */
#define MAX   16

static int home, reader, other;
static char *memory, *trash;
static char *few_lines; /* FEW of memory */
static volatile uint64_t sink;

static char *on_node(int node, size_t bytes)
{
    unsigned long mask = 1UL << node;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || mbind(p, bytes, MPOL_BIND, &mask, sizeof(mask) * 8 + 1, 0) < 0)
        fail("mbind");
    memset(p, 1, bytes);
    return p;
}

/* The number of the frame that holds the page. */
static uint64_t frame(int map, const char *page)
{
    uint64_t entry;
    off_t at = (off_t)((uintptr_t)page / (size_t)getpagesize() * sizeof(entry));

    if (pread(map, &entry, sizeof(entry), at) != sizeof(entry))
        fail("pagemap");
    return entry & ((1ULL << 55) - 1);
}

/* How many pairs of the n pages at p compete for the same lines of a way. */
static unsigned competing(int map, const char *p, size_t n)
{
    size_t page = (size_t)getpagesize(), colours = WAY / page;
    unsigned pairs = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            pairs += frame(map, p + i * page) % colours == frame(map, p + k * page) % colours;
    return pairs;
}

/*
 * The FEW lines of memory that displace each other least. Which frames the kernel gives
 * changes with every image of the guest, and three pages that compete for two ways never
 * come to rest.
 */
static char *find_few(void)
{
    size_t page = (size_t)getpagesize(), pages = FEW * LINE / page;
    int map = open("/proc/self/pagemap", O_RDONLY);
    unsigned least = ~0u, pairs;
    char *best = memory;

    if (map < 0)
        fail("pagemap");
    for (char *p = memory; least && p + FEW * LINE <= memory + BIG * LINE; p += page) {
        pairs = competing(map, p, pages);
        if (pairs < least) {
            least = pairs;
            best = p;
        }
    }
    close(map);
    printf("# %u pairs of %zu pages compete\n", least, pages);
    return best;
}

static void load(size_t lines)
{
    const char *from = lines == FEW ? few_lines : memory;
    uint64_t s = 0;

    for (size_t i = 0; i < lines; i++)
        s += *(const volatile uint64_t *)(from + i * LINE);
    sink = s;
}

static void store(size_t lines)
{
    char *to = lines == FEW ? few_lines : memory;

    for (size_t i = 0; i < lines; i++)
        *(volatile uint64_t *)(to + i * LINE) = i;
}

/* Displaces everything from this processor's caches. */
static void flush(void)
{
    uint64_t s = 0;

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < TRASH; i += LINE)
            s += *(volatile uint64_t *)(trash + i);
    sink = s;
}

/* --- processors: a thread bound to each, which runs the functions that it is given --- */

struct processor {
    pthread_t thread;
    sem_t go, done;
    void (*job)(size_t);
    size_t arg;
};

static struct processor at_home, at_reader, at_other;

static void *work(void *arg)
{
    struct processor *p = arg;

    for (;;) {
        sem_wait(&p->go);
        p->job(p->arg);
        sem_post(&p->done);
    }
    return NULL;
}

static void start(struct processor *p, int node, int slice)
{
    pthread_attr_t attr;
    int cpu[2];
    cpu_set_t set;

    if (snhw_node_cpus(node, cpu, 2) <= slice)
        fail("snhw_node_cpus");
    CPU_ZERO(&set);
    CPU_SET(cpu[slice], &set);
    sem_init(&p->go, 0, 0);
    sem_init(&p->done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
    errno = pthread_create(&p->thread, &attr, work, p);
    if (errno)
        fail("pthread_create");
}

static void on(struct processor *p, void (*job)(size_t), size_t arg)
{
    p->job = job;
    p->arg = arg;
    sem_post(&p->go);
    sem_wait(&p->done);
}

static void do_flush(size_t unused)
{
    (void)unused;
    flush();
}

/* --- measuring --- */

#define ROWS 60
#define MS10 0.01

/*
 * Runs snsar ARGS with rows of 10 ms while the job runs.  Adds up the rows where the
 * first metric stands out, with one row before and one after, and subtracts as many
 * quiet rows.  Returns the number of metrics, or 0.
 */
static int snsar(const char *args, void (*job)(void), double value[MAX])
{
    static double row[ROWS][MAX];
    double quiet[MAX] = { 0 };
    char cmd[400], line[1000];
    int n = 0, rows = 0, first = ROWS, last = -1, busy;
    FILE *f;

    snprintf(cmd, sizeof(cmd), "snsar --csv --runon 0 %s %g %d 2>/tmp/snsar.err", args, MS10, ROWS);
    f = popen(cmd, "r");
    if (!f)
        fail("popen");
    usleep(300000);
    job();
    while (fgets(line, sizeof(line), f)) {
        char *p = strchr(line, ',');

        p = p ? strchr(p + 1, ',') : NULL;
        for (n = 0; p && n < MAX && rows < ROWS; p = strchr(p + 1, ','))
            row[rows][n++] = atof(p + 1);
        rows += line[0] != 't'; /* the header */
    }
    if (pclose(f) || rows != ROWS)
        return 0;
    for (int i = 1; i < ROWS; i++) {
        double least = row[i][0];

        for (int k = 0; k < ROWS; k++)
            least = row[k][0] < least ? row[k][0] : least;
        if (row[i][0] > least + 200) {
            first = i < first ? i : first;
            last = i;
        }
    }
    first = first > 1 ? first - 1 : first;
    last = last >= 0 && last < ROWS - 1 ? last + 1 : last;
    busy = last < first ? 0 : last - first + 1;
    for (int m = 0; m < n; m++) {
        value[m] = 0;
        for (int i = 0; i < ROWS; i++)
            *(i >= first && i <= last ? &value[m] : &quiet[m]) += row[i][m];
        value[m] -= busy ? quiet[m] / (ROWS - busy) * busy : 0;
    }
    return n;
}

/*
 * The arguments after slack are the expected counts, one for each option.  The kernel
 * may add up to slack events; if it adds more, everything is repeated, a few times.
 */
static void check(const char *what, const char *args, void (*prepare)(void), void (*job)(void),
                  double slack, ...)
{
    double got[MAX], want[MAX];
    char opts[400], *opt;
    va_list ap;
    int n, good;

    for (int tries = 0; tries < 4; tries++) {
        if (prepare)
            prepare();
        n = snsar(args, job, got);
        va_start(ap, slack);
        good = n > 0;
        for (int i = 0; i < n; i++) {
            want[i] = va_arg(ap, double);
            good = good && fabs(got[i] - want[i]) <= slack;
        }
        va_end(ap);
        if (good)
            break;
    }
    if (!n) {
        point(0, "%s: snsar %s gives its rows", what, args);
        return;
    }
    snprintf(opts, sizeof(opts), "%s", strstr(args, "--"));
    opt = strtok(opts, " ");
    for (int i = 0; i < n; i++, opt = strtok(NULL, " ")) {
        if (!strcmp(opt, "--vc")) {
            strtok(NULL, " ");
            opt = strtok(NULL, " ");
        }
        point(fabs(got[i] - want[i]) <= slack, "%s: %s is %.12g", what, opt, want[i]);
        if (fabs(got[i] - want[i]) > slack)
            printf("# got %.12g\n", got[i]);
    }
}

static void reader_flushes(void)
{
    on(&at_reader, do_flush, 0);
}

static void reader_loads(void)
{
    on(&at_reader, load, BIG);
}

static void home_flushes(void)
{
    on(&at_home, do_flush, 0);
    on(&at_reader, do_flush, 0);
}

static void home_loads(void)
{
    on(&at_home, load, BIG);
}

static void reader_dirties(void)
{
    on(&at_reader, do_flush, 0);
    for (int round = 0; round < 10; round++)
        on(&at_reader, store, FEW);
}

static void flush_all(void)
{
    on(&at_home, do_flush, 0);
    on(&at_reader, do_flush, 0);
    on(&at_other, do_flush, 0);
}

/* Replacement is random, so it takes some rounds until lines of one set no longer displace each other. */
static void other_owns(void)
{
    flush_all();
    for (int round = 0; round < 10; round++)
        on(&at_other, store, FEW);
}

static void few_loaded(void)
{
    on(&at_reader, load, FEW);
}

static void shared(void)
{
    other_owns();
    on(&at_reader, load, FEW);
}

static void other_stores(void)
{
    on(&at_other, store, FEW);
}

static void few_stored(void)
{
    on(&at_reader, store, FEW);
}

int main(int argc, char **argv)
{
    char args[200];
    double n = BIG, few = FEW;

    if (argc != 4)
        return 2;
    setlinebuf(stdout);
    home = atoi(argv[1]);
    reader = atoi(argv[2]);
    other = atoi(argv[3]);
    run_on(0); /* snsar inherits it */
    memory = on_node(home, BIG * LINE);
    few_lines = find_few();
    trash = on_node(reader, TRASH);
    start(&at_home, home, 1);
    start(&at_reader, reader, 0);
    start(&at_other, other, 0);
#define NODE(options) (snprintf(args, sizeof(args), "-n %d %s", home, options), args)

    /* Reads of lines from another node: the owner has dropped them silently and reads them again. */
    check("remote read", NODE("--in --inread --inwrite --inrev --inother"), reader_flushes,
          reader_loads, BIG / 100, n, n, 0., 0., 0.);
    check("remote read", NODE("--out --outdata --outwback --outivn --outboff --outnack"),
          reader_flushes, reader_loads, BIG / 100, n, n, 0., 0., 0., 0.);
    check("remote read", NODE("--rd --rduown --rdshrd --rdexclme --rdexcl --rdbusy --rdpois"),
          reader_flushes, reader_loads, BIG / 100, n, 0., 0., n, 0., 0., 0.);
    check("remote read", NODE("--lp0 --lp1 --lio --lp0read --lp1read"), reader_flushes,
          reader_loads, 100, 0., 0., 0., 0., 0.);

    check("write-back", NODE("--in --inread --inwrite"), reader_dirties, reader_flushes, FEW / 8,
          few, 0., few);
    check("write-back", NODE("--out --outdata --outwback"), reader_dirties, reader_flushes, FEW / 8,
          few, 0., few);
    check("local read", NODE("--lp1read --lp1wback --lp0read --lioread --liowinv"), home_flushes,
          home_loads, BIG / 100, n, 0., 0., 0., 0.);

    /* Transactions of three parties. */
    check("intervention", NODE("--ivn --ivnshrd --ivnexcl --ivninval --boffshrd"), other_owns,
          few_loaded, FEW / 8, few, few, 0., 0., 0.);
    check("intervention", NODE("--rd --rdexcl --rduown --rdshrd"), other_owns, few_loaded, FEW / 4,
          few, few, 0., 0.);
    check("ownership moves", NODE("--ivn --ivnexcl --ivnshrd --ivninval"), other_owns, few_stored,
          FEW / 8, few, few, 0., 0.);
    check("upgrade", NODE("--ivn --ivninval --ivnshrd --ivnexcl"), shared, other_stores, FEW / 8,
          few, few, 0., 0.);
    check("upgrade", NODE("--out --outdata --outivn --outother"), shared, other_stores, FEW / 8,
          2 * few, 0., few, few);

    /* On the node's link a request is one micropacket and a line nine. */
    check("link", NODE("--recvcnt --sendcnt --bypasscnt"), reader_flushes, reader_loads,
          9 * BIG / 20, 9 * n, n, 9 * n);
    check("link", NODE("--age0 --age64 --faged"), reader_flushes, reader_loads, BIG / 100, n, 0.,
          0.);
    check("link", NODE("--vc 1 --damq0 --damq1 --damq8 --damq15"), reader_flushes, reader_loads,
          9 * BIG / 20, 9 * n, 0., 0., 0.);
    check("link", NODE("--vc 0 --damq0 --damq1"), reader_flushes, reader_loads, BIG / 20, 0., 0.);

    return 0;
}

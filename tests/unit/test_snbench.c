/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snbench and snsuite without a guest: statistics and their rows, the search for the
 * restart latency, the generated loops (run by a small interpreter of their
 * instructions), the command line, the tables.
 */
/* clang-format off */
/* sources: tools/snbench/stats.c tools/snbench/code.c tools/snbench/spec.c tools/snsuite/plan.c tools/snsuite/table.c tools/common/options.c */
/* clang-format on */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../tools/snbench/code.h"
#include "../../tools/snbench/spec.h"
#include "../../tools/snbench/stats.h"
#include "../../tools/snsuite/plan.h"

/* options.c frees no memory before the process ends, and a test may end it during a parse. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* ---- statistics ---- */

static void stats(void **state)
{
    double even[] = { 9, 2, 4, 4, 5, 4, 5, 7 }, odd[] = { 3, 1, 2 }, one[] = { 7 };
    struct stats s = stats_of(even, 8);

    (void)state;
    assert_true(s.min == 2 && s.max == 9 && s.med == 4.5 && s.avg == 5);
    assert_true(fabs(s.stdev - sqrt(32. / 7)) < 1e-12);
    s = stats_of(odd, 3);
    assert_true(s.med == 2 && s.stdev == 1);
    s = stats_of(one, 1);
    assert_true(s.min == 7 && s.max == 7 && s.med == 7 && s.avg == 7 && s.stdev == 0);
}

/* Returns the output of f. */
static char *printed(void (*f)(FILE *, void *), void *arg)
{
    static char text[16384];
    FILE *m = fmemopen(text, sizeof(text), "w");

    assert_non_null(m);
    f(m, arg);
    fputc(0, m);
    fclose(m);
    return text;
}

static void figure_5_4(FILE *f, void *arg)
{
    struct stats a = { 304.243, 306.304, 305.26, 305.268, 0.62031 },
                 b = { 263.582, 264.967, 264.537, 264.477, 0.45990 };
    bool csv = arg != NULL;

    row_header(f, csv, 10);
    row(f, csv, 10, "bw-read", "UOWN", "3", &a, "MB/s");
    row(f, csv, 10, "bw-read", "UOWN", "5", &b, "MB/s");
}

static void rows_as_printed(void **state)
{
    (void)state;
    /* Thesis figure 5.4, lines 2 to 4, blank for blank. */
    assert_string_equal(
        printed(figure_5_4, NULL),
        "EXPERIMENT  STAT TID      MIN      MAX      MED      AVG      STDEV  UNIT\n"
        "bw-read     UOWN  3      304.243  306.304  305.26   305.268  0.6203 MB/s\n"
        "bw-read     UOWN  5      263.582  264.967  264.537  264.477  0.4599 MB/s\n");
    assert_string_equal(printed(figure_5_4, "csv"),
                        "EXPERIMENT,STAT,TID,MIN,MAX,MED,AVG,STDEV,UNIT\n"
                        "bw-read,UOWN,3,304.243,306.304,305.26,305.268,0.6203,MB/s\n"
                        "bw-read,UOWN,5,263.582,264.967,264.537,264.477,0.4599,MB/s\n");
}

static void no_number(FILE *f, void *arg)
{
    row_none(f, arg != NULL, 10, "bw-read", "CEXH", "3", "MB/s");
}

static void rows_without_number(void **state)
{
    char *text;

    (void)state;
    text = printed(no_number, NULL);
    assert_null(strpbrk(text + 25, "0123456789"));
    assert_string_equal(printed(no_number, "csv"), "bw-read,CEXH,3,,,,,,MB/s\n");
}

/* ---- restart search (thesis 4.2.3) ---- */

/* Feeds samples for 0, 1, 2 ... work steps until the search ends; returns their number. */
static int search(struct search *s, const struct search_options *o, double (*sample)(int))
{
    int n = 0;

    assert_true(search_begin(s, o));
    while (!search_add(s, sample(n))) {
        n++;
    }
    return n + 1;
}

static double flat(int k)
{
    (void)k;
    return 300;
}

/* Steep to 40 steps, then saw teeth of 12 ns around 300: figures 4.4 to 4.6. */
static double saw(int k)
{
    return k < 40 ? 300 + 4. * (40 - k) : 300 - 6 + k % 6 * 2;
}

static double falling(int k)
{
    return 1000 - 4. * k;
}

static void search_stable_stretch(void **state)
{
    struct search_options o = SEARCH_DEFAULTS;
    struct search s;

    (void)state;
    /* One window, then the average stays for 19 more steps. */
    assert_int_equal(search(&s, &o, flat), 13 + 19);
    assert_true(search_stable(&s));
    assert_true(search_result(&s) == 300);
    search_end(&s);

    search(&s, &o, saw);
    assert_true(search_stable(&s));
    assert_true(s.n >= 40 + 13 && s.n <= 40 + 13 + 19 + 13);
    assert_true(search_result(&s) == 294);
    search_end(&s);

    o.value = SEARCH_MAX;
    search(&s, &o, saw);
    assert_true(search_result(&s) >= 304);
    search_end(&s);
}

/* Teeth as in saw(), some of them broken, so the average is never stable for 19 steps. */
static double broken(int k)
{
    return saw(k) + (k >= 40 && (k - 40) % 28 >= 22 ? 16 : 0);
}

static void search_nearly_stable(void **state)
{
    struct search_options o = SEARCH_DEFAULTS;
    struct search s;

    (void)state;
    assert_int_equal(search(&s, &o, broken), 161);
    assert_false(search_stable(&s));
    assert_true(search_nearly(&s));
    assert_in_range(s.longest.steps, 10, 18);
    assert_true(search_result(&s) == 294);
    search_end(&s);
}

static void search_without_end(void **state)
{
    struct search_options o = SEARCH_DEFAULTS;
    struct search s;

    (void)state;
    o.max_work = 50;
    assert_int_equal(search(&s, &o, falling), 51);
    assert_false(search_stable(&s) || search_nearly(&s));
    /* Without a stable stretch the result is the least of the last window. */
    assert_true(search_result(&s) == falling(50));
    search_end(&s);

    /* With a wider bound the same slope, 4 ns a step over 2 windows, counts as stable. */
    o.bound = 100;
    assert_true(search(&s, &o, falling) == 13 + 19 && search_stable(&s));
    assert_true(search_expected(&s) == falling(31) + 100);
    search_end(&s);
}

/* ---- generated loops ---- */

enum { MEMORY = 1 << 16, BASE = 0x10000 };

struct access {
    char what; /* l load, s store, p prefetch */
    uint32_t address;
};

/* Interprets the instructions that code.c makes; any other fails the test. */
struct cpu {
    uint64_t r[32];
    double f[32];
    uint8_t memory[MEMORY];
    struct access log[8192];
    size_t accesses, instructions, adds, fp_adds;
};

static uint64_t *at(struct cpu *c, uint64_t address)
{
    assert_in_range(address, BASE, BASE + MEMORY - 8);
    assert_int_equal(address % 8, 0);
    return (uint64_t *)(c->memory + (address - BASE));
}

static void note(struct cpu *c, char what, uint64_t address)
{
    assert_true(c->accesses < sizeof(c->log) / sizeof(c->log[0]));
    c->log[c->accesses++] = (struct access){ what, (uint32_t)address };
}

/* One instruction at *pc that is no branch. */
static void step(struct cpu *c, uint32_t w)
{
    unsigned op = w >> 26, rs = w >> 21 & 31, rt = w >> 16 & 31, rd = w >> 11 & 31;
    uint64_t address = c->r[rs] + (int16_t)w;

    c->instructions++;
    switch (op) {
    case 0:
        if (w) {
            assert_int_equal(w & 0x7ff, 0x2d); /* daddu */
            c->r[rd] = c->r[rs] + c->r[rt];
            c->adds += rd == 4 && rt == 6;
        }
        break;
    case 0x11:
        if (rs == 5) { /* dmtc1 */
            memcpy(&c->f[rd], &c->r[rt], 8);
        } else { /* add.d */
            assert_true(rs == 17 && (w & 63) == 0);
            c->f[w >> 6 & 31] = c->f[rd] + c->f[rt];
            c->fp_adds++;
        }
        break;
    case 0x19: /* daddiu */
        c->r[rt] = address;
        break;
    case 0x37: /* ld */
        note(c, 'l', address);
        c->r[rt] = *at(c, address);
        break;
    case 0x3f: /* sd */
        note(c, 's', address);
        *at(c, address) = c->r[rt];
        break;
    case 0x35: /* ldc1 */
        note(c, 'l', address);
        memcpy(&c->f[rt], at(c, address), 8);
        break;
    case 0x3d: /* sdc1 */
        note(c, 's', address);
        memcpy(at(c, address), &c->f[rt], 8);
        break;
    case 0x33: /* pref, for load */
        assert_int_equal(rt, 0);
        at(c, address);
        note(c, 'p', address);
        break;
    default:
        fail_msg("instruction %08x", w);
    }
    c->r[0] = 0;
}

static void call(struct cpu *c, const uint32_t *code, size_t words)
{
    size_t pc = 0;

    for (int n = 0; n < 200000; n++) {
        uint32_t w = code[pc];
        unsigned op = w >> 26;
        bool taken = true;
        size_t target = words;

        assert_true(pc < words);
        if (op == 4 || op == 5) {
            taken = (c->r[w >> 21 & 31] == c->r[w >> 16 & 31]) == (op == 4);
            target = pc + 1 + (int16_t)w;
        } else if (w != 0x03e00008) { /* jr $31 */
            step(c, w);
            pc++;
            continue;
        }
        c->instructions++;
        step(c, code[pc + 1]);
        if (w == 0x03e00008) {
            return;
        }
        pc = taken ? target : pc + 2;
    }
    fail_msg("the loop does not end");
}

static struct cpu *run(enum code_kernel k, int stride, int work, long turns)
{
    static struct cpu c;
    size_t n = code_size(k, stride, work);
    uint32_t *code = malloc(n * 4);

    assert_non_null(code);
    c.accesses = c.instructions = c.adds = c.fp_adds = 0;
    memset(c.r, 0, sizeof(c.r));
    for (int i = 0; i < 32; i++) {
        c.f[i] = 1e6; /* no register may be zero by accident */
    }
    c.r[4] = BASE;
    c.r[5] = turns;
    c.r[7] = 77;
    code_make(k, stride, work, code);
    call(&c, code, n);
    free(code);
    return &c;
}

static void list_of(struct cpu *c, int elements, int stride)
{
    for (int i = 0; i < elements; i++) {
        *at(c, BASE + i * stride) = BASE + (i + 1) % elements * stride;
    }
}

static void chases(void **state)
{
    struct cpu *c = run(CODE_FILL, 128, 0, 1);

    (void)state;
    for (int work = 0; work < 40; work += 13) {
        list_of(c, 128, 128);
        run(CODE_WALK, 128, work, 4);
        assert_int_equal(c->accesses, 128);
        assert_int_equal(c->adds, 128 * work);
        /* 32 elements, then count, branch, delay slot; and two to return. */
        assert_int_equal(c->instructions, 4 * (32 * (1 + work) + 3) + 2);
        for (int i = 0; i < 128; i++) {
            assert_true(c->log[i].what == 'l' && c->log[i].address == BASE + 128u * i);
        }
        assert_int_equal(c->r[2], BASE);

        run(CODE_MODIFY, 128, work, 4);
        assert_int_equal(c->accesses, 256);
        for (int i = 0; i < 128; i++) {
            /* The store comes first, on the line of the load. */
            assert_true(c->log[2 * i].what == 's' && c->log[2 * i].address == BASE + 128u * i + 8);
            assert_true(c->log[2 * i + 1].what == 'l' &&
                        c->log[2 * i + 1].address == BASE + 128u * i);
            assert_int_equal(*at(c, BASE + 128 * i + 8), 77);
        }
    }
}

static void sweeps(void **state)
{
    static const int strides[] = { 16, 128, 1024, 2048, 8192 };
    struct cpu *c;

    (void)state;
    for (int s = 0; s < 5; s++) {
        int stride = strides[s], u = code_unroll(stride), n = MEMORY / stride / u * u;
        int lines = n > 512 ? 512 : n, turns = lines / u;

        c = run(CODE_FILL, stride, 0, turns);
        assert_int_equal(c->accesses, lines);
        for (int i = 0; i < lines; i++) {
            assert_true(c->log[i].what == 's' &&
                        c->log[i].address == BASE + (uint32_t)(i * stride));
            assert_int_equal(*at(c, BASE + i * stride), 0);
        }
        for (int i = 0; i < lines; i++) {
            double v = i;

            memcpy(at(c, BASE + i * stride), &v, 8);
        }
        run(CODE_SUM, stride, 0, turns);
        assert_int_equal(c->accesses, lines);
        for (int i = 0; i < lines; i++) {
            assert_true(c->log[i].what == 'l' &&
                        c->log[i].address == BASE + (uint32_t)(i * stride));
        }
        assert_true(c->f[0] == lines * (lines - 1) / 2.);

        /* Each line prefetched once, before its load, and none beyond the array. */
        for (turns = lines / u; turns; turns = turns > 1 ? 1 : 0) {
            int wanted = turns * u, loads = 0, prefetches = 0;

            run(CODE_PRESUM, stride, 0, turns);
            for (size_t i = 0; i < c->accesses; i++) {
                if (c->log[i].what == 'p') {
                    assert_int_equal(c->log[i].address, BASE + prefetches++ * stride);
                } else {
                    assert_int_equal(c->log[i].address, BASE + loads++ * stride);
                    assert_true(prefetches >= loads);
                }
            }
            assert_int_equal(loads, wanted);
            assert_int_equal(prefetches, wanted);
            assert_true(c->f[0] == wanted * (wanted - 1) / 2.);
        }
    }
}

/* ---- command line ---- */

static void lists(void **state)
{
    struct cpu_list l = { 0 };
    size_t n;

    (void)state;
    assert_int_equal(cpu_list_parse(&l, "3"), 0);
    assert_int_equal(cpu_list_parse(&l, "0,8-10"), 0);
    assert_int_equal(l.n, 5);
    assert_true(l.cpu[0] == 3 && l.cpu[1] == 0 && l.cpu[2] == 8 && l.cpu[4] == 10);
    assert_int_equal(cpu_list_parse(&l, ""), -1);
    assert_int_equal(cpu_list_parse(&l, "1,"), -1);
    assert_int_equal(cpu_list_parse(&l, "3-1"), -1);
    assert_int_equal(cpu_list_parse(&l, "-1"), -1);
    assert_int_equal(cpu_list_parse(&l, "1x"), -1);
    assert_int_equal(cpu_list_parse(&l, "0-5000"), -1);
    assert_int_equal(l.n, MAX_CPUS + 1);

    assert_true(!size_parse(&n, "512K") && n == 524288);
    assert_true(!size_parse(&n, "4M") && n == 4194304);
    assert_true(!size_parse(&n, "4096") && n == 4096);
    assert_true(size_parse(&n, "4G") && size_parse(&n, "K") && size_parse(&n, "1Kx") &&
                size_parse(&n, "-1") && size_parse(&n, ""));
}

/* Returns the exit status of a wrong command line and checks its one line on standard error. */
static int refused(char *line, size_t size, const char *first, ...)
{
    char *argv[16] = { "snbench" };
    int argc = 1, fd[2], status;
    size_t at = 0;
    ssize_t n;
    va_list ap;
    pid_t pid;

    va_start(ap, first);
    for (const char *a = first; a; a = va_arg(ap, const char *)) {
        argv[argc++] = (char *)a;
    }
    va_end(ap);
    assert_int_equal(pipe(fd), 0);
    pid = fork();
    if (!pid) {
        struct spec s;

        dup2(fd[1], 2);
        spec_parse(&s, argc, argv);
        _exit(0);
    }
    close(fd[1]);
    while (at < size - 1 && (n = read(fd[0], line + at, size - 1 - at)) > 0) {
        at += n;
    }
    line[at] = 0;
    close(fd[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define REFUSED(text, ...)                                                   \
    do {                                                                     \
        char line[512];                                                      \
        assert_int_equal(refused(line, sizeof(line), __VA_ARGS__, NULL), 2); \
        assert_non_null(strstr(line, text));                                 \
        assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);       \
    } while (0)

static void wrong_usage(void **state)
{
    (void)state;
    REFUSED("no experiment", "-h1", "-l2");
    REFUSED("no CPU", "-h1", "bw-read");
    REFUSED("'bw-sing' is not an experiment", "-l2", "bw-sing");
    REFUSED("--local: 'x'", "-lx", "bw-read");
    REFUSED("--size: '0'", "-a0", "-l2", "bw-read");
    REFUSED("not a power of two", "-d48", "-l2", "bw-read");
    REFUSED("CPU 2 given twice", "-l2", "-l0-3", "bw-read");
    REFUSED("only a shared line is upgraded", "-l2", "bw-upgrd");
    REFUSED("DEXT", "-l2", "-r3", "-sDEXD", "bw-rdex");
    REFUSED("DEXD", "-l2", "-r3", "-sDEXT", "lmbench-read");
    REFUSED("one remote CPU", "-l2", "-sCEXH", "bw-read");
    REFUSED("one remote CPU", "-l2", "-r3,4", "-sCEXM", "bw-read");
    REFUSED("no other CPU holds", "-l2", "-r3", "bw-read");
    REFUSED("name the sharers", "-l2", "-sSHRD", "bw-read");
    REFUSED("the only sharer", "-l2", "-r2", "-sSHRD", "bw-read");
    REFUSED("both local and remote", "-l2", "-r2", "-sCEXH", "bw-read");
    REFUSED("--curve", "-l2", "--curve", "bw-read");
    REFUSED("--md", "-l2", "--md", "-i1", "bw-read");
}

static void right_usage(void **state)
{
    char *argv[] = { "snbench",      "-h1",          "-l3", "-l5",       "-s",
                     "shrd",         "-r",           "6",   "--restart", "--bound=2.5",
                     "lmbench-rdex", "bw-read:CEXM", NULL };
    struct spec s;

    (void)state;
    spec_parse(&s, 12, argv);
    assert_true(s.home == 1 && s.local.n == 2 && s.local.cpu[1] == 5 && s.remote.n == 1);
    assert_int_equal(s.of[0], SHRD);
    assert_int_equal(s.of[1], CEXM);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.experiment[0]->name, "restart-rdex");
    assert_string_equal(s.experiment[1]->name, "bw-read");
    assert_true(s.search.bound == 2.5 && s.search.window == 13 && s.search.stable == 19);
    assert_int_equal(s.iterations, 10);
}

static void sizes(void **state)
{
    struct spec s = { .state = CEXH, .size = 512 << 10 };
    char error[256];

    (void)state;
    /* Half an L2 less the witnesses' page can be kept by its owner. */
    assert_int_equal(spec_size_possible(&s, experiment_named("bw-read"), 1 << 20, error, 256), -1);
    assert_int_equal(spec_size_possible(&s, experiment_named("bw-read"), 2 << 20, error, 256), 0);
    s.state = UOWN;
    assert_int_equal(spec_size_possible(&s, experiment_named("bw-read"), 1 << 20, error, 256), 0);
    assert_int_equal(spec_size_possible(&s, experiment_named("bw-zero"), 1 << 20, error, 256), 0);
    assert_int_equal(spec_size_possible(&s, experiment_named("bw-rdex"), 1 << 20, error, 256), -1);
    assert_int_equal(spec_default_size(8 << 20), 512 << 10);
    assert_int_equal(spec_default_size(1 << 20), 256 << 10);
}

/* ---- tables ---- */

/* Four nodes of two processors on two routers; home is node 1. */
static struct topology four = {
    .machine = "four",
    .system = "R12K 300/8",
    .nodes = 4,
    .cpus = { 2, 2, 2, 2 },
    .cpu = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } },
    .hops = { { 0, 1, 2, 2 }, { 1, 0, 2, 2 }, { 2, 2, 0, 1 }, { 2, 2, 1, 0 } },
};

static int node_of(int cpu)
{
    return cpu / 2;
}

/* A distinct number for each job, so that its place in a table can be checked. */
static void answer(struct job *j)
{
    double far = four.hops[j->home][node_of(j->local.cpu[0])];

    j->value[LEAST] = 400 + 100 * far + (strcmp(j->state, "UOWN") ? 50 : 0) + (j->remote.n ? 7 : 0);
    j->value[MOST] = 500 - 10 * far;
}

static void make(struct plan *p, const struct group *g, struct table *tables, int *n)
{
    *n = 0;
    assert_null(g->make(p, tables, n));
    for (int i = 0; i < *n; i++) {
        table_end(&tables[i]);
    }
    for (size_t i = 0; i < p->jobs; i++) {
        answer(&p->job[i]);
    }
    *n = 0;
    assert_null(g->make(p, tables, n));
}

static void print_csv(FILE *f, void *table)
{
    table_print(table, f, true);
}

static void has_header(struct plan *p, const char *group, int which, const char *name,
                       const char *header)
{
    struct table t[GROUP_TABLES];
    char *text;
    int n;

    make(p, group_named(group), t, &n);
    assert_true(which < n);
    assert_string_equal(t[which].name, name);
    text = printed(print_csv, &t[which]);
    text[strcspn(text, "\n")] = 0;
    assert_string_equal(text, header);
    assert_int_equal(t[which].cells % t[which].columns, 0);
    while (n--) {
        table_end(&t[n]);
    }
}

static void headers(void **state)
{
    static const char placed[] = "hops,UOWN_ns,xhops0_ns,xhops0_dU_ns,yhops0_ns,yhops0_dU_ns,"
                                 "zhops0_ns,zhops0_dU_ns";
    struct plan p;

    (void)state;
    plan_begin(&p, &four, 1, 3);
    has_header(&p, "local", 0, "local",
               "state,b2b_READ_ns,b2b_RDEX_ns,b2b_UPGRD_ns,restart_READ_ns,bw_READ_MB/s,"
               "bw_RDEX_MB/s,bw_zero_MB/s,bw_UPGRD_MB/s");
    has_header(&p, "remote", 0, "remote",
               "hops,nodes,b2b_latency_ns,latency_incr_%,READ_MB/s,READ_decr_%,zero_MB/s,"
               "zero_decr_%");
    has_header(&p, "remote", 1, "router-delay", "hop,four_nodes,four_delay_ns");
    has_header(&p, "remote-detail", 0, "remote-detail",
               "node,hops,b2b_latency_ns,restart_latency_ns,READ_MB/s,RDEX_MB/s,zero_MB/s");
    has_header(&p, "interventions", 0, "cexm", placed);
    has_header(&p, "interventions", 1, "cexh", placed);
    has_header(&p, "interventions", 2, "dext", placed);
    has_header(&p, "interventions", 3, "dexd", placed);
    has_header(&p, "single-sharer", 0, "single-sharer", placed);
    has_header(&p, "invalidations", 0, "invalidations",
               "sharers,node,hops,RDEX_latency_ns,UPGRD_latency_ns,RDEX_bw_MB/s,UPGRD_bw_MB/s,"
               "zero_bw_MB/s");
    has_header(&p, "contention", 0, "contention",
               "system,READ_latency_b-to-b_ns,READ_latency_restart_ns,READ_latency_delta_ns,"
               "READ_bw_1P_MB/s,READ_bw_SysAD_MB/s,SysAD_ratio,READ_bw_memory_MB/s,memory_ratio");
    plan_end(&p);
}

static void placements(void **state)
{
    struct table t[GROUP_TABLES];
    struct plan p;
    int n;

    (void)state;
    plan_begin(&p, &four, 1, 3);
    make(&p, group_named("single-sharer"), t, &n);
    /*
     * From h hops 400 + 100 h unowned, 57 more when shared; x measures at home.
     * The last row is the mean of nodes 0, 2 and 3.
     */
    assert_string_equal(printed(print_csv, &t[0]),
                        "hops,UOWN_ns,xhops0_ns,xhops0_dU_ns,yhops0_ns,yhops0_dU_ns,zhops0_ns,"
                        "zhops0_dU_ns\n"
                        "0,400.0,457.0,57.0,457.0,57.0,457.0,57.0\n"
                        "1,500.0,457.0,-43.0,557.0,57.0,557.0,57.0\n"
                        "2,600.0,457.0,-143.0,657.0,57.0,657.0,57.0\n"
                        "avg,566.7,457.0,-109.7,623.7,57.0,623.7,57.0\n");
    table_end(&t[0]);
    for (size_t i = 0; i < p.jobs; i++) {
        const struct job *j = &p.job[i];

        /* Requestor at home, sharer at home, or both on one node. */
        assert_true(!j->remote.n || node_of(j->local.cpu[0]) == 1 ||
                    node_of(j->remote.cpu[0]) == 1 ||
                    node_of(j->local.cpu[0]) == node_of(j->remote.cpu[0]));
        assert_true(!j->remote.n || j->remote.cpu[0] != j->local.cpu[0]);
    }
    plan_end(&p);
}

static void distances(void **state)
{
    struct table t[GROUP_TABLES];
    struct plan p;
    size_t jobs;
    int n;

    (void)state;
    plan_begin(&p, &four, 1, 3);
    make(&p, group_named("remote-detail"), t, &n);
    jobs = p.jobs;
    /* Home, then by distance and number (table 4.13). */
    assert_string_equal(
        printed(print_csv, &t[0]),
        "node,hops,b2b_latency_ns,restart_latency_ns,READ_MB/s,RDEX_MB/s,zero_MB/s\n"
        "1,0,400.0,400.0,500.0,500.0,500.0\n"
        "0,1,500.0,500.0,490.0,490.0,490.0\n"
        "2,2,600.0,600.0,480.0,480.0,480.0\n"
        "3,2,600.0,600.0,480.0,480.0,480.0\n");
    table_end(&t[0]);
    make(&p, group_named("remote"), t, &n);
    assert_int_equal(n, 2);
    /* Nothing is measured twice for two groups; nodes alone at 0 and 1 hops have two processors. */
    assert_int_equal(p.jobs, jobs + 2);
    assert_string_equal(printed(print_csv, &t[0]),
                        "hops,nodes,b2b_latency_ns,latency_incr_%,READ_MB/s,READ_decr_%,zero_MB/s,"
                        "zero_decr_%\n"
                        "0,1,400.0,,500.0,,500.0,\n"
                        "1,1,500.0,25,490.0,2,490.0,2\n"
                        "2,2,600.0,50,480.0,4,480.0,4\n");
    /* Hop 1 less the remote penalty of 230; the mean is of nodes (table 4.14). */
    assert_string_equal(printed(print_csv, &t[1]), "hop,four_nodes,four_delay_ns\n"
                                                   "1,1,-130.0\n"
                                                   "2,2,100.0\n"
                                                   "avg,,23.3\n");
    table_end(&t[0]);
    table_end(&t[1]);
    /* A node's latency is the better of its two processors'. */
    for (size_t i = 0; i < p.jobs; i++) {
        if (p.job[i].local.cpu[0] == four.cpu[1][1]) {
            p.job[i].value[LEAST] = 380;
        } else if (p.job[i].local.cpu[0] == four.cpu[0][1]) {
            p.job[i].value[LEAST] = 520;
        }
    }
    n = 0;
    assert_null(group_named("remote")->make(&p, t, &n));
    assert_non_null(strstr(printed(print_csv, &t[0]), "\n0,1,380.0,,500.0,,500.0,\n"
                                                      "1,1,500.0,32,490.0,2,490.0,2\n"));
    table_end(&t[0]);
    table_end(&t[1]);
    plan_end(&p);
}

static void unmeasured(void **state)
{
    struct table t[GROUP_TABLES];
    struct topology alone = { .nodes = 1, .cpus = { 1 } };
    struct plan p;
    int n = 0;

    (void)state;
    /* A missing number is an empty cell, not a zero. */
    plan_begin(&p, &four, 1, 3);
    assert_null(group_named("contention")->make(&p, t, &n));
    assert_string_equal(strchr(printed(print_csv, &t[0]), '\n'), "\nR12K 300/8,,,,,,,,\n");
    table_end(&t[0]);
    plan_end(&p);

    plan_begin(&p, &alone, 0, 3);
    n = 0;
    assert_non_null(group_named("remote")->make(&p, t, &n));
    assert_non_null(group_named("interventions")->make(&p, t, &n));
    assert_non_null(group_named("backoff")->make(&p, t, &n));
    assert_int_equal(n, 0);
    plan_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats),
        cmocka_unit_test(rows_as_printed),
        cmocka_unit_test(rows_without_number),
        cmocka_unit_test(search_stable_stretch),
        cmocka_unit_test(search_nearly_stable),
        cmocka_unit_test(search_without_end),
        cmocka_unit_test(chases),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(lists),
        cmocka_unit_test(wrong_usage),
        cmocka_unit_test(right_usage),
        cmocka_unit_test(sizes),
        cmocka_unit_test(headers),
        cmocka_unit_test(placements),
        cmocka_unit_test(distances),
        cmocka_unit_test(unmeasured),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

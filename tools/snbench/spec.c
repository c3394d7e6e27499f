/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Experiments and the command line; see spec.h. */
#include "spec.h"
#include "../common/options.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const state_name[STATES] = { "UOWN", "SHRD", "CEXH", "CEXM", "DEXD", "DEXT" };

/* Tables 4.3 and 4.4. */
const struct experiment experiments[] = {
    { "bw-read", BANDWIDTH, CODE_SUM, READ, false, false, "loads of independent lines" },
    { "bw-rdsh", BANDWIDTH, CODE_PRESUM, RDSH, false, false, "the same, prefetched" },
    { "bw-rdex", BANDWIDTH, CODE_FILL, RDEX, false, false, "stores" },
    { "bw-zero", BANDWIDTH, CODE_FILL, RDEX, true, false,
      "stores, each displacing a modified line" },
    { "bw-upgrd", BANDWIDTH, CODE_FILL, UPGRD, false, false,
      "stores to lines that the CPU shares" },
    { "bwmp-read", BANDWIDTH, CODE_SUM, READ, false, true,
      "loads; all CPUs stop when the first is done" },
    { "lmbench-read", LATENCY, CODE_WALK, READ, false, false,
      "back-to-back: each load has the next one's address" },
    { "lmbench-rdex", LATENCY, CODE_MODIFY, RDEX, false, false,
      "the same, a store to the line before the load" },
    { "lmbench-upgrd", LATENCY, CODE_MODIFY, UPGRD, false, false,
      "the same, of lines that the CPU shares" },
    { "restart-read", RESTART, CODE_WALK, READ, false, false,
      "lmbench-read with work behind each load, less the work" },
    { "restart-rdex", RESTART, CODE_MODIFY, RDEX, false, false, "lmbench-rdex likewise" },
    { "restart-upgrd", RESTART, CODE_MODIFY, UPGRD, false, false, "lmbench-upgrd likewise" },
};
const size_t n_experiments = sizeof(experiments) / sizeof(experiments[0]);

const struct experiment *experiment_named(const char *name)
{
    for (size_t i = 0; i < n_experiments; i++) {
        if (!strcmp(experiments[i].name, name)) {
            return &experiments[i];
        }
    }
    return NULL;
}

enum {
    OPT_HOME = 1,
    OPT_LOCAL,
    OPT_REMOTE,
    OPT_STATE,
    OPT_SIZE,
    OPT_STRIDE,
    OPT_ITERATIONS,
    OPT_DROP,
    OPT_RESTART,
    OPT_WINDOW,
    OPT_BOUND,
    OPT_STABLE,
    OPT_WORK,
    OPT_VALUE,
    OPT_CURVE,
    OPT_MD,
    OPT_CSV,
    OPT_VERBOSE,
    OPT_LIST,
};

static const struct opt_row rows[] = {
    { 0, 0, 0, "Where:", 0 },
    { "home", 'h', "NODE", "memory is on this node (default: that of the first local CPU)",
      OPT_HOME },
    { "local", 'l', "CPUS",
      "these CPUs measure, each on an array of its own: a list as 0,2,8-11; repeatable",
      OPT_LOCAL },
    { "remote", 'r', "CPUS",
      "these hold the lines before: the sharers of SHRD, the owner of CEXH to DEXT", OPT_REMOTE },
    { 0, 0, 0, "What:", 0 },
    { "list", 0, 0, "list the experiments", OPT_LIST },
    { "state", 's', "STATE",
      "UOWN (default), SHRD, CEXH, CEXM, DEXD or DEXT, where an experiment names none", OPT_STATE },
    { "size", 'a', "BYTES",
      "array of each local CPU, as 512K or 4M (default 512K, or a quarter of the L2)", OPT_SIZE },
    { "stride", 'd', "BYTES", "from one access to the next (default 128)", OPT_STRIDE },
    { "iterations", 'i', "N", "measurements of each experiment (default 10)", OPT_ITERATIONS },
    { "drop", 0, 0, "SHRD: the sharers drop their copies again", OPT_DROP },
    { 0, 0, 0, "Restart latency:", 0 },
    { "restart", 0, 0, "lmbench-* mean restart-*", OPT_RESTART },
    { "window", 0, "N", "samples in the moving average (13)", OPT_WINDOW },
    { "bound", 0, "NS", "how far the average may move in the stable stretch (5)", OPT_BOUND },
    { "stable", 0, "N", "work steps of a stable stretch (19)", OPT_STABLE },
    { "max-work", 0, "N", "most work instructions to try (160)", OPT_WORK },
    { "value", 0, "WHICH", "min (default), med, avg or max of the stable stretch", OPT_VALUE },
    { "curve", 0, 0, "print the latencies of each number of work instructions up to --max-work",
      OPT_CURVE },
    { 0, 0, 0, "Output:", 0 },
    { "csv", 0, 0, "print CSV", OPT_CSV },
    { "md", 0, 0, "also what the home's memory controller counted", OPT_MD },
    { "verbose", 'v', 0, "say on standard error how the states were verified", OPT_VERBOSE },
    { 0 },
};

const struct opt_program spec_program = {
    .name = "snbench",
    .usage = "[OPTION]... EXPERIMENT[:STATE]...",
    .text = "Measure memory latency and bandwidth with lines in a known state of the coherence "
            "protocol.",
    .rows = rows,
};

static void fail(char *error, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void fail(char *error, size_t size, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(error, size, fmt, ap);
    va_end(ap);
}

/* Reads a whole number from lo to hi; *end is the text behind it. */
static int number(const char *text, long lo, long hi, long *v, char **end)
{
    if (!isdigit((unsigned char)*text)) {
        return -1;
    }
    errno = 0;
    *v = strtol(text, end, 10);
    return errno || *v < lo || *v > hi ? -1 : 0;
}

int size_parse(size_t *v, const char *text)
{
    char *end;
    long n;
    int shift = 0;

    if (number(text, 1, LONG_MAX >> 20, &n, &end)) {
        return -1;
    }
    if (*end == 'k' || *end == 'K') {
        shift = 10;
    } else if (*end == 'm' || *end == 'M') {
        shift = 20;
    }
    if (end[shift != 0]) {
        return -1;
    }
    *v = (size_t)n << shift;
    return 0;
}

int cpu_list_parse(struct cpu_list *l, const char *text)
{
    char *end;
    long a, b;

    do {
        if (number(text, 0, 99999, &a, &end)) {
            return -1;
        }
        b = a;
        if (*end == '-' && (number(end + 1, 0, 99999, &b, &end) || b < a)) {
            return -1;
        }
        for (; a <= b; a++) {
            if (l->n > MAX_CPUS) {
                return -1;
            }
            l->cpu[l->n++] = a;
        }
        text = end + 1;
    } while (*end == ',');
    return *end ? -1 : 0;
}

size_t spec_default_size(size_t l2)
{
    return l2 / 4 < 512u << 10 ? l2 / 4 : 512u << 10;
}

/* Whether an experiment of the command line has lines that other CPUs hold. */
static bool other_states(const struct spec *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->of[i] != UOWN) {
            return true;
        }
    }
    return false;
}

int spec_state_possible(const struct spec *s, const struct experiment *e, char *error, size_t size)
{
    enum state st = s->state;
    const char *name = state_name[st];
    bool owned = st == CEXH || st == CEXM || st == DEXD || st == DEXT;

    if (e->request == UPGRD && st != SHRD) {
        fail(error, size,
             "%s in state %s is impossible: only a shared line is upgraded, use -s SHRD", e->name,
             name);
    } else if (st == DEXT && e->request != RDEX) {
        fail(error, size,
             "%s in state DEXT is impossible: only a store takes a modified line over, a load "
             "downgrades it (DEXD)",
             e->name);
    } else if (st == DEXD && e->request != READ && e->request != RDSH) {
        fail(error, size,
             "%s in state DEXD is impossible: only a load downgrades a modified line, a store "
             "takes it over (DEXT)",
             e->name);
    } else if (owned && s->remote.n != 1) {
        fail(error, size,
             "%s in state %s is impossible: the lines have one owner, name one remote CPU with -r",
             e->name, name);
    } else if (st == UOWN && s->remote.n && !other_states(s)) {
        fail(error, size,
             "%s in state UOWN is impossible with remote CPUs: no other CPU holds the lines",
             e->name);
    } else if (st == SHRD && !s->remote.n) {
        fail(error, size, "%s in state SHRD is impossible: name the sharers with -r", e->name);
    } else {
        return 0;
    }
    return -1;
}

int spec_size_possible(const struct spec *s, const struct experiment *e, size_t l2, char *error,
                       size_t size)
{
    size_t most = l2 / 2 - PAGE_BYTES;
    const char *why = NULL;

    if (s->state == CEXH || s->state == DEXD || s->state == DEXT) {
        why = "stays in the owner's cache";
    } else if (s->state == SHRD && !s->drop && s->size > most) {
        why = "stays in the sharers' caches (or use --drop)";
    } else if (e->request == UPGRD) {
        why = "stays in the local CPU's cache";
    } else if (e->request == RDEX && !e->displace) {
        why = "is stored to without displacing its own modified lines";
    }
    if (why && s->size > most) {
        fail(error, size,
             "%s in state %s is impossible with %zu KB: at most %zu KB, half an L2 less a page, %s",
             e->name, state_name[s->state], s->size >> 10, most >> 10, why);
        return -1;
    }
    return 0;
}

static const struct experiment *restart_of(const struct experiment *e)
{
    char name[32];

    if (e->unit != LATENCY) {
        return e;
    }
    snprintf(name, sizeof(name), "restart-%s", e->name + strlen("lmbench-"));
    return experiment_named(name);
}

static void list(struct cpu_list *l, const char *option, const char *text)
{
    if (!cpu_list_parse(l, text)) {
        return;
    }
    if (l->n > MAX_CPUS) {
        opt_usage_error(&spec_program, "%s: '%s' makes more than %d CPUs", option, text, MAX_CPUS);
    }
    opt_usage_error(&spec_program, "%s: '%s' is not a list of CPUs such as 0,2,8-11", option, text);
}

/* The index of text among n words, ignoring case. */
static int word(const char *option, const char *text, const char *const *words, int n)
{
    for (int i = 0; i < n; i++) {
        if (!strcasecmp(text, words[i])) {
            return i;
        }
    }
    opt_usage_error(&spec_program, "%s: '%s' is none of the values that --help lists", option,
                    text);
}

static int whole(const char *option, const char *text, int lo, int hi)
{
    return opt_unsigned(&spec_program, option, text, lo, hi);
}

static bool has(const struct cpu_list *l, int cpu, int before)
{
    for (int i = 0; i < before; i++) {
        if (l->cpu[i] == cpu) {
            return true;
        }
    }
    return false;
}

/* Checks that the experiment is possible with these CPUs and options. */
static int check(const struct spec *s, const struct experiment *e, char *error, size_t size)
{
    const char *state = state_name[s->state];

    for (int i = 0; i < s->local.n && s->state != SHRD && s->state != UOWN; i++) {
        if (has(&s->remote, s->local.cpu[i], s->remote.n)) {
            fail(error, size, "state %s is impossible: CPU %d is both local and remote", state,
                 s->local.cpu[i]);
            return -1;
        }
    }
    if (s->state == SHRD && s->remote.n == 1 && has(&s->local, s->remote.cpu[0], s->local.n)) {
        fail(error, size, "state SHRD is impossible: CPU %d would be the only sharer",
             s->remote.cpu[0]);
        return -1;
    }
    if (s->md && (e->unit != BANDWIDTH || s->iterations < 2)) {
        fail(error, size, "--md needs bandwidth experiments and at least two iterations");
        return -1;
    }
    if (s->curve && e->unit != RESTART) {
        fail(error, size, "--curve needs a restart experiment, not %s", e->name);
        return -1;
    }
    return spec_state_possible(s, e, error, size);
}

int spec_check(const struct spec *s, char *error, size_t size)
{
    struct spec one = *s;

    for (int i = 0; i < s->local.n; i++) {
        if (has(&s->local, s->local.cpu[i], i)) {
            fail(error, size, "--local: CPU %d given twice", s->local.cpu[i]);
            return -1;
        }
    }
    for (int i = 0; i < s->remote.n; i++) {
        if (has(&s->remote, s->remote.cpu[i], i)) {
            fail(error, size, "--remote: CPU %d given twice", s->remote.cpu[i]);
            return -1;
        }
    }
    for (int i = 0; i < s->n; i++) {
        one.state = s->of[i];
        if (check(&one, s->experiment[i], error, size)) {
            return -1;
        }
    }
    return 0;
}

/* Adds "EXPERIMENT" or "EXPERIMENT:STATE". */
static void add_experiment(struct spec *s, const char *text, bool restart)
{
    const struct opt_program *p = &spec_program;
    const char *colon = strchr(text, ':');
    const struct experiment *e;
    char name[32];

    snprintf(name, sizeof(name), "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
    e = experiment_named(name);
    if (!e) {
        opt_usage_error(p, "'%s' is not an experiment; --list has them", name);
    }
    if (s->n == sizeof(s->experiment) / sizeof(s->experiment[0])) {
        opt_usage_error(p, "more than %d experiments", s->n);
    }
    s->of[s->n] = colon ? (enum state)word(text, colon + 1, state_name, STATES) : s->state;
    s->experiment[s->n++] = restart ? restart_of(e) : e;
}

static void print_experiments(void)
{
    for (size_t i = 0; i < n_experiments; i++) {
        printf("%-14s %s\n", experiments[i].name, experiments[i].help);
    }
    opt_close_stdout(&spec_program);
}

/* Sets an option of the search for a restart latency; false: it is another option. */
static bool set_search(struct search_options *o, int id, const char *arg)
{
    static const char *const values[] = { "min", "med", "avg", "max" };

    switch (id) {
    case OPT_WINDOW:
        o->window = whole("--window", arg, 1, 1000);
        return true;
    case OPT_BOUND:
        o->bound = opt_number(&spec_program, "--bound", arg, 0.001, 1e6);
        return true;
    case OPT_STABLE:
        o->stable = whole("--stable", arg, 1, 1000);
        return true;
    case OPT_WORK:
        o->max_work = whole("--max-work", arg, 1, 1000);
        return true;
    case OPT_VALUE:
        o->value = word("--value", arg, values, 4);
        return true;
    }
    return false;
}

static void set_option(struct spec *s, int id, const char *arg, bool *restart)
{
    const struct opt_program *p = &spec_program;

    switch (id) {
    case OPT_HOME:
        s->home = whole("--home", arg, 0, 9999);
        break;
    case OPT_LOCAL:
        list(&s->local, "--local", arg);
        break;
    case OPT_REMOTE:
        list(&s->remote, "--remote", arg);
        break;
    case OPT_STATE:
        s->state = word("--state", arg, state_name, STATES);
        break;
    case OPT_SIZE:
        if (size_parse(&s->size, arg)) {
            opt_usage_error(p, "--size: '%s' is not a number of bytes such as 512K or 4M", arg);
        }
        break;
    case OPT_STRIDE:
        s->stride = whole("--stride", arg, 16, 8192);
        if (s->stride & (s->stride - 1)) {
            opt_usage_error(p, "--stride: %s is not a power of two", arg);
        }
        break;
    case OPT_ITERATIONS:
        s->iterations = whole("--iterations", arg, 1, 100000);
        break;
    case OPT_DROP:
        s->drop = true;
        break;
    case OPT_RESTART:
        *restart = true;
        break;
    case OPT_CURVE:
        s->curve = true;
        break;
    case OPT_MD:
        s->md = true;
        break;
    case OPT_CSV:
        s->csv = true;
        break;
    case OPT_VERBOSE:
        s->verbose = true;
        break;
    case OPT_LIST:
        print_experiments();
        exit(0);
    }
}

void spec_parse(struct spec *s, int argc, char **argv)
{
    const struct opt_program *p = &spec_program;
    struct opt_state *o = opt_begin(p, argc, argv);
    bool restart = false;
    const char *arg;
    char why[256];
    int id;

    *s = (struct spec){
        .home = -1, .stride = LINE_BYTES, .iterations = 10, .search = SEARCH_DEFAULTS
    };
    while ((id = opt_next(o, &arg))) {
        if (!set_search(&s->search, id, arg)) {
            set_option(s, id, arg, &restart);
        }
    }
    for (int i = opt_index(o); i < argc; i++) {
        add_experiment(s, argv[i], restart);
    }
    if (!s->n) {
        opt_usage_error(p, "no experiment given");
    }
    if (!s->local.n) {
        opt_usage_error(p, "no CPU given to measure, name it with --local");
    }
    if (spec_check(s, why, sizeof(why))) {
        opt_usage_error(p, "%s", why);
    }
}

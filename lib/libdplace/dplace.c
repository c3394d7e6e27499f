// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdplace: placement files.  docs/man/dplace.1 has their grammar.
 *
 *   dplace_file()  dplace_line()   for programs that place themselves
 *
 * dplace(1) has the library preloaded: it then reads what the environment says before main() runs,
 * and threads go to their memories as they are made, in the order of their creation; thread 0 is
 * main()'s.  Children start without placement unless DPLACE_PROPAGATE is set.
 *
 *   DPLACE_FILE        placement file           DPLACE_MIGRATION  off, or a threshold in percent
 *   DPLACE_PROPAGATE   children are placed too  DPLACE_VERBOSE    say what is done, on standard
 * error DPLACE_PAGESIZE    "data=N stack=N text=N"  DPLACE_MUSTRUN    threads stay on one processor
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <dplace.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <snhw.h>
#include <sys/pmo.h>
#include <unistd.h>

#define MAX_THREADS 256
#define LINE        4096

static struct {
    pmo_handle_t mld[SNHW_MAX_CPUS];
    int memories;
    int threads;
    short memory[MAX_THREADS]; /* of each thread; -1: free */
    short cpu[MAX_THREADS];    /* of the memory's; -1: any */
    pthread_t thread[MAX_THREADS];
    bool running[MAX_THREADS];
    bool verbose, must_run;
} place;

static const char *where = "dplace";
static int line_number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
    va_list ap;

    if (line_number)
        fprintf(stderr, "dplace: %s:%d: ", where, line_number);
    else
        fprintf(stderr, "dplace: ");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(1);
}

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
    char line[512];
    va_list ap;
    int n;

    if (!place.verbose)
        return;
    va_start(ap, fmt);
    n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    n = n < (int)sizeof(line) - 1 ? n : (int)sizeof(line) - 2;
    line[n] = '\n';
    /* at once: processes say it together */
    fwrite(line, 1, (size_t)n + 1, stderr);
}

/* --- words and expressions --- */

static const char *at;

static void blanks(void)
{
    while (isspace((unsigned char)*at))
        at++;
}

/* The next word if it is W. */
static bool word(const char *w)
{
    size_t n = strlen(w);

    blanks();
    if (strncmp(at, w, n) || isalnum((unsigned char)at[n]) || at[n] == '_')
        return false;
    at += n;
    return true;
}

static void need(const char *w)
{
    blanks();
    if (!word(w))
        die("'%s' is wanted before '%.20s'", w, at);
}

static bool sign(char c)
{
    blanks();
    if (*at != c)
        return false;
    at++;
    return true;
}

static long expression(void);

/* A number, $VARIABLE of the environment, or (EXPRESSION). */
static long factor(void)
{
    char name[64], *end;
    const char *value;
    size_t n = 0;
    long v;

    if (sign('-'))
        return -factor();
    if (sign('(')) {
        v = expression();
        if (!sign(')'))
            die("')' is wanted before '%.20s'", at);
        return v;
    }
    if (sign('$')) {
        while ((isalnum((unsigned char)*at) || *at == '_') && n < sizeof(name) - 1)
            name[n++] = *at++;
        name[n] = 0;
        value = getenv(name);
        v = value ? strtol(value, &end, 0) : 0;
        if (!value || end == value || *end)
            die("$%s is %s", name, value ? "no number" : "not set");
        return v;
    }
    blanks();
    v = strtoul(at, &end, 0);
    if (end == at)
        die("a number is wanted before '%.20s'", at);
    at = end;
    /* 16k, 1m */
    if ((*at == 'k' || *at == 'K') && !isalnum((unsigned char)at[1]))
        v <<= 10, at++;
    else if ((*at == 'm' || *at == 'M') && !isalnum((unsigned char)at[1]))
        v <<= 20, at++;
    return v;
}

static long term(void)
{
    long v = factor(), w;
    char op;

    for (blanks(); *at == '*' || *at == '/' || *at == '%'; blanks()) {
        op = *at++;
        w = factor();
        if (op != '*' && !w)
            die("division by 0");
        v = op == '*' ? v * w : op == '/' ? v / w : v % w;
    }
    return v;
}

static long expression(void)
{
    long v = term();

    for (blanks(); *at == '+' || *at == '-'; blanks())
        v = *at++ == '+' ? v + term() : v - term();
    return v;
}

static long number(const char *what, long lo, long hi)
{
    long v = expression();

    if (v < lo || v > hi)
        die("%s %ld: not from %ld to %ld", what, v, lo, hi);
    return v;
}

static int a_memory(void)
{
    if (!place.memories)
        die("no memories yet");
    return number("memory", 0, place.memories - 1);
}

static int a_thread(void)
{
    if (!place.threads)
        die("no threads yet");
    return number("thread", 0, place.threads - 1);
}

/* --- what the statements do --- */

static int node_of(int memory)
{
    dev_t dev = __mld_to_node(place.mld[memory]);
    int n;

    for (n = 0; n < snhw_nodes(); n++)
        if (snhw_node_dev(n) == dev)
            return n;
    return -1;
}

/* memories M in topology cube|none|physical [near PATH...] */
static void memories(void)
{
    raff_info_t raff[SNHW_MAX_CPUS];
    char path[SNHW_MAX_CPUS][SNHW_NAME_MAX];
    topology_type_t topology = TOPOLOGY_FREE;
    int n = number("memories", 1, SNHW_MAX_CPUS), i, raffs = 0;
    pmo_handle_t set;

    if (place.memories)
        die("memories are there already");
    if (word("in")) {
        need("topology");
        if (word("cube"))
            topology = TOPOLOGY_CUBE;
        else if (word("physical"))
            topology = TOPOLOGY_PHYSNODES;
        else
            need("none");
    }
    if (word("near"))
        for (blanks(); *at == '/'; blanks()) {
            size_t len = strcspn(at, " \t\n");

            if (raffs == SNHW_MAX_CPUS || len >= SNHW_NAME_MAX)
                die("too much to be near to");
            memcpy(path[raffs], at, len);
            path[raffs][len] = 0;
            if (snhw_node_of(path[raffs]) < 0)
                die("%s: no node", path[raffs]);
            raff[raffs] =
                (raff_info_t){path[raffs], len, RAFFIDT_NAME, SNHW_MAX_NODES, RAFFATTR_ATTRACTION};
            raffs++;
            at += len;
        }
    for (i = 0; i < n; i++)
        place.mld[i] = mld_create(0, 0);
    set = mldset_create(place.mld, n);
    if (topology == TOPOLOGY_PHYSNODES && raffs < n)
        die("%d memories in topology physical want as many nodes", n);
    if (set < 0 || mldset_place(set, topology, raffs ? raff : NULL, raffs, RQMODE_ADVISORY))
        die("cannot place %d memories: %s", n, strerror(errno));
    place.memories = n;
    for (i = 0; i < n; i++)
        say("memory %d is on %s", i, snhw_node_name(node_of(i)));
}

/* The calling thread, or one that is running, goes to its memory. */
static void link_thread(pid_t pid, int thread)
{
    int memory = place.memory[thread], cpu = place.cpu[thread];

    if (memory < 0)
        return;
    if (cpu < 0 && place.must_run)
        cpu = thread & 1;
    if (cpu < 0 ? process_mldlink(pid, place.mld[memory], RQMODE_ADVISORY)
                : process_cpulink(pid, place.mld[memory], cpu, RQMODE_ADVISORY))
        die("thread %d: cannot run on memory %d: %s", thread, memory, strerror(errno));
    say("thread %d runs on %s", thread, snhw_node_name(node_of(memory)));
}

static void assign(int thread, int memory, int cpu)
{
    place.memory[thread] = memory;
    place.cpu[thread] = cpu;
    if (!thread)
        link_thread(getpid(), 0);
}

/* run thread I on memory J [using cpu K] */
static void run_thread(void)
{
    int thread, memory, cpu = -1;

    need("thread");
    thread = a_thread();
    need("on");
    need("memory");
    memory = a_memory();
    if (word("using")) {
        need("cpu");
        cpu = number("cpu", 0, 1);
    }
    assign(thread, memory, cpu);
}

struct triple {
    int first, last, step;
};

static struct triple triple(int total)
{
    struct triple t = {0, total - 1, 1};

    blanks();
    if (!isdigit((unsigned char)*at) && *at != '$' && *at != '(')
        return t;
    t.first = number("first", 0, total - 1);
    t.last = sign(':') ? number("last", t.first, total - 1) : t.first;
    if (sign(':'))
        t.step = number("step", 1, total);
    return t;
}

/* distribute threads T0:T1:DT across memories M0:M1:DM [block K | cyclic K] */
static void distribute(void)
{
    struct triple t, m;
    int i, k = 0, nt, nm, index;

    need("threads");
    t = triple(place.threads);
    need("across");
    need("memories");
    m = triple(place.memories);
    if (!place.threads || !place.memories)
        die("no threads or no memories yet");
    nt = (t.last - t.first) / t.step + 1;
    nm = (m.last - m.first) / m.step + 1;
    if (word("cyclic"))
        k = -number("cyclic", 1, MAX_THREADS);
    else if (word("block"))
        k = number("block", 1, MAX_THREADS);
    else
        k = (nt + nm - 1) / nm;
    for (i = 0; i < nt; i++) {
        index = k > 0 ? i / k : i / -k % nm;
        assign(t.first + i * t.step, m.first + index % nm * m.step, -1);
    }
}

static void bounds(unsigned long *from, unsigned long *to)
{
    need("range");
    *from = expression();
    need("to");
    *to = expression();
    if (*to <= *from)
        die("range 0x%lx to 0x%lx: ends before it begins", *from, *to);
}

/* place range A to B on memory J [with pagesize N] */
static void place_range(void)
{
    unsigned long from, to;
    policy_set_t set;
    pmo_handle_t pm;
    int memory;

    bounds(&from, &to);
    need("on");
    need("memory");
    memory = a_memory();
    pm_filldefault(&set);
    set.placement_policy_name = "PlacementFixed";
    set.placement_policy_args = (void *)place.mld[memory];
    if (word("with")) {
        need("pagesize");
        set.page_size = expression();
    }
    pm = pm_create(&set);
    if (pm < 0 || pm_attach(pm, (void *)from, to - from))
        die("cannot place 0x%lx to 0x%lx: %s", from, to, strerror(errno));
    say("0x%lx to 0x%lx goes to %s", from, to, snhw_node_name(node_of(memory)));
}

/* migrate range A to B to memory J */
static void migrate_range(void)
{
    unsigned long from, to;
    int memory;

    bounds(&from, &to);
    need("to");
    need("memory");
    memory = a_memory();
    if (migr_range_migrate((void *)from, to - from, place.mld[memory]))
        die("cannot migrate 0x%lx to 0x%lx: %s", from, to, strerror(errno));
}

/* move thread I to memory J */
static void move_thread(void)
{
    int thread;

    need("thread");
    thread = a_thread();
    need("to");
    need("memory");
    place.memory[thread] = a_memory();
    place.cpu[thread] = -1;
    if (!thread)
        link_thread(getpid(), 0);
    else if (place.running[thread] && pthread_equal(pthread_self(), place.thread[thread]))
        link_thread(0, thread);
}

static void page_size(mem_type_t type, size_t size)
{
    policy_set_t set;
    pmo_handle_t pm;

    pm_filldefault(&set);
    set.page_size = size;
    pm = pm_create(&set);
    if (pm < 0 || pm_setdefault(pm, type) < 0)
        die("page size %zu: %s", size, strerror(errno));
}

/* policy data|stack|text pagesize N */
static void policy(void)
{
    mem_type_t type = MEM_DATA;

    if (word("stack"))
        type = MEM_STACK;
    else if (word("text"))
        type = MEM_TEXT;
    else
        need("data");
    need("pagesize");
    page_size(type, expression());
}

static void statement(void)
{
    blanks();
    if (!*at)
        return;
    if (word("memories"))
        memories();
    else if (word("threads")) {
        place.threads = number("threads", 1, MAX_THREADS);
        memset(place.memory, -1, sizeof(place.memory));
        memset(place.cpu, -1, sizeof(place.cpu));
    } else if (word("run"))
        run_thread();
    else if (word("distribute"))
        distribute();
    else if (word("place"))
        place_range();
    else if (word("migrate"))
        migrate_range();
    else if (word("move"))
        move_thread();
    else if (word("policy"))
        policy();
    else if (word("mode")) {
        need("verbose");
        if (word("on"))
            place.verbose = true;
        else {
            need("off");
            place.verbose = false;
        }
    } else
        die("'%.*s': no such statement", (int)strcspn(at, " \t\n"), at);
    blanks();
    if (*at)
        die("'%.20s' is too much", at);
}

void dplace_line(char *line)
{
    char text[LINE];

    if (strlen(line) >= sizeof(text))
        die("a line of more than %d bytes", LINE);
    strcpy(text, line);
    text[strcspn(text, "#\n")] = 0;
    pthread_mutex_lock(&lock);
    at = text;
    statement();
    pthread_mutex_unlock(&lock);
}

/* A line that ends with a backslash goes on. */
void dplace_file(char *path)
{
    char line[LINE], more[LINE];
    FILE *f = fopen(path, "r");
    size_t n;

    if (!f)
        die("%s: %s", path, strerror(errno));
    where = path;
    for (line_number = 0; fgets(line, sizeof(line), f);) {
        line_number++;
        for (n = strcspn(line, "\n"); n && line[n - 1] == '\\' && fgets(more, sizeof(more), f);
             n = strcspn(line, "\n")) {
            line_number++;
            line[n - 1] = ' ';
            line[n] = 0;
            if (strlen(line) + strlen(more) >= sizeof(line))
                die("a line of more than %d bytes", LINE);
            strcat(line, more);
        }
        dplace_line(line);
    }
    line_number = 0;
    fclose(f);
}

/* --- preloaded --- */

struct start {
    void *(*run)(void *);
    void *arg;
    int thread;
};

static void *start_thread(void *arg)
{
    struct start s = *(struct start *)arg;

    free(arg);
    if (s.thread < place.threads) {
        place.thread[s.thread] = pthread_self();
        place.running[s.thread] = true;
        link_thread(0, s.thread);
    }
    return s.run(s.arg);
}

/* Threads are placed as they start. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static atomic_int made = 1;
    struct start *s;
    int err;

    if (!create)
        *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    if (!place.threads)
        return create(thread, attr, run, arg);
    s = malloc(sizeof(*s));
    if (!s)
        return EAGAIN;
    *s = (struct start){run, arg, atomic_fetch_add(&made, 1)};
    err = create(thread, attr, start_thread, s);
    if (err)
        free(s);
    return err;
}

static void set_migration(const char *how)
{
    migr_policy_uparms_t m;
    policy_set_t set;
    pmo_handle_t pm;

    migr_policy_args_init(&m);
    m.migr_base_enabled = strcmp(how, "off") != 0;
    if (m.migr_base_enabled && strcmp(how, "on"))
        m.migr_base_threshold = atoi(how);
    pm_filldefault(&set);
    set.migration_policy_name = "MigrationControl";
    set.migration_policy_args = &m;
    pm = pm_create(&set);
    if (pm < 0 || pm_setdefault(pm, MEM_DATA) < 0)
        die("migration %s: %s", how, strerror(errno));
}

static void set_page_sizes(const char *text)
{
    static const struct {
        const char *name;
        mem_type_t type;
    } part[] = {
        {"data=", MEM_DATA},
        {"stack=", MEM_STACK},
        {"text=", MEM_TEXT},
    };
    size_t i;

    for (i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        const char *p = strstr(text, part[i].name);

        if (p)
            page_size(part[i].type, strtoul(p + strlen(part[i].name), NULL, 10));
    }
}

static void __attribute__((constructor)) begin(void)
{
    const char *file = getenv("DPLACE_FILE"), *how = getenv("DPLACE_MIGRATION"),
               *size = getenv("DPLACE_PAGESIZE");

    if (!getenv("DPLACE_VERSION"))
        return;
    place.verbose = getenv("DPLACE_VERBOSE");
    place.must_run = getenv("DPLACE_MUSTRUN");
    if (size)
        set_page_sizes(size);
    if (how)
        set_migration(how);
    if (file)
        dplace_file((char *)file);
    if (!getenv("DPLACE_PROPAGATE")) {
        unsetenv("LD_PRELOAD");
        unsetenv("DPLACE_VERSION");
    }
}

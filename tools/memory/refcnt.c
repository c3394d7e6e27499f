// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refcnt: prints the reference counters of a process's memory, or of a node's, hottest pages first.
 * refcnt(1) is the manual.
 *
 * The counters of a process come through /proc: the extended counters plus what the hardware holds.
 * Those of a node come through mmap and are the extended counters only, because only those who may
 * read a process may read the hardware's counters of its pages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include "../common/nodearg.h"

enum { PID = 1, RANGE, MAP, NODE, KEEP, HARDWARE, EXTENDED, TOP, FORMAT, EVERY, COUNT, ZEROS };

#define HPAGE 4096UL
#define BATCH 256UL

static const struct opt_row rows[] = {
    { NULL, 0, NULL, "What to read:", 0 },
    { "pid", 'p', "PID", "the memory of a process", PID },
    { "range", 'r', "START-END", "these addresses only (hexadecimal)", RANGE },
    { "map", 'm', "NAME", "only mappings whose name holds this, such as [heap]", MAP },
    { "node", 'n', "NODE", "all memory of a node", NODE },
    { "keep", 'k', NULL, "keep extended counters of the range from now on", KEEP },
    { "hardware", 'H', NULL, "the hardware's counters only", HARDWARE },
    { "extended", 'x', NULL, "the extended counters only", EXTENDED },
    { NULL, 0, NULL, "How to show it:", 0 },
    { "top", 't', "N", "number of pages (table: 20, csv and json: all; 0: all)", TOP },
    { "zeros", 'z', NULL, "pages without references, too", ZEROS },
    { "format", 'f', "table|csv|json", "form of the output", FORMAT },
    { "interval", 'i', "SECONDS", "repeat, with the increase since the last sample", EVERY },
    { "count", 'c', "N", "number of samples with -i", COUNT },
    { 0 },
};

static const struct opt_program prog = {
    .name = "refcnt",
    .usage = "-p PID [-r START-END | -m NAME] [-k] [OPTION...]\n-n NODE [OPTION...]",
    .text = "Show how often each node referred to each 4 KB page.",
    .rows = rows,
};

struct page {
    unsigned long vaddr; /* 0 with -n */
    unsigned long long paddr;
    int home;
    refcnt_t total;
    refcnt_t count[SNHW_MAX_NODES];
};

struct snapshot {
    struct page *page;
    size_t n, room;
};

static struct {
    long pid;
    int node, proc, top, format;
    unsigned long start, end;
    const char *map;
    bool keep, hardware, extended, zeros, again;
    double every;
    unsigned long count;
} opt = { .node = -1, .end = ~0UL, .top = -1, .count = ~0UL };

static int nodes;

static struct page *add(struct snapshot *s)
{
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->page = reallocarray(s->page, s->room, sizeof(*s->page));
        if (!s->page)
            opt_fail(&prog, "no memory for %zu pages", s->room);
    }
    memset(&s->page[s->n], 0, sizeof(*s->page));
    return &s->page[s->n++];
}

/* --- a process --- */

static void read_pages(struct snapshot *s, unsigned long from, unsigned long pages)
{
    static sn0_refcnt_buf_t ext[BATCH], hw[BATCH];
    unsigned long i;
    int n;

    if (snhw_refcnt(opt.proc, from, pages, ext, hw) < 0)
        opt_fail(&prog, "process %ld: %s", opt.pid, strerror(errno));
    for (i = 0; i < pages; i++) {
        struct page *p;

        if (ext[i].cnodeid == CNODEID_NONE || ext[i].paddr != hw[i].paddr)
            continue;
        p = add(s);
        p->vaddr = from + i * HPAGE;
        p->paddr = ext[i].paddr;
        p->home = ext[i].cnodeid;
        for (n = 0; n < nodes; n++)
            p->count[n] = (opt.hardware ? 0 : ext[i].refcnt_set.refcnt[n]) +
                          (opt.extended ? 0 : hw[i].refcnt_set.refcnt[n]);
    }
}

static void keep(unsigned long start, unsigned long end)
{
    sn0_policy_args_t args = { .vaddr = start, .len = end - start, .flags = SN0_POLICY_COUNT };

    if (ioctl(opt.proc, PIOCSETSN0POLICY, &args) < 0)
        opt_fail(&prog, "process %ld: cannot keep counters: %s", opt.pid, strerror(errno));
}

/* Calls read_pages() or keep() for every mapping that the options select. */
static void each_mapping(struct snapshot *s)
{
    unsigned long start, end, n;
    char path[40], line[1024];
    int name, found = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%ld/maps", opt.pid);
    f = fopen(path, "r");
    if (!f)
        opt_fail(&prog, "process %ld: %s", opt.pid, strerror(errno));
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = 0;
        name = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &name) < 2 ||
            (opt.map && !strstr(line + name, opt.map)))
            continue;
        if (start < opt.start)
            start = opt.start & -HPAGE;
        if (end > opt.end)
            end = (opt.end + HPAGE - 1) & -HPAGE;
        if (start >= end)
            continue;
        found = 1;
        if (!s)
            keep(start, end);
        for (; s && start < end; start += n * HPAGE) {
            n = (end - start) / HPAGE < BATCH ? (end - start) / HPAGE : BATCH;
            read_pages(s, start, n);
        }
    }
    fclose(f);
    if (!found)
        opt_fail(&prog, "process %ld: it has no such mapping", opt.pid);
}

static void open_process(void)
{
    char path[40];

    snprintf(path, sizeof(path), "/proc/%05ld", opt.pid);
    opt.proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opt.proc < 0)
        opt_fail(&prog, "process %ld: %s", opt.pid, strerror(errno));
    if (opt.keep)
        each_mapping(NULL);
}

/* --- a node --- */

static void read_node(struct snapshot *s)
{
    static rcb_info_t info;
    static const refcnt_t *counter;
    static rcb_slot_t *slot;
    const refcnt_t *c;
    refcnt_t total;
    int fd, i, n;

    if (!counter) {
        fd = node_refcnt(&prog, opt.node);
        if (ioctl(fd, RCB_INFO_GET, &info) < 0)
            opt_fail(&prog, "node %d: %s", opt.node, strerror(errno));
        slot = calloc(info.rcb_num_slots, sizeof(*slot));
        if (!slot || ioctl(fd, RCB_SLOT_GET, slot) < 0)
            opt_fail(&prog, "node %d: %s", opt.node, strerror(errno));
        counter = mmap(NULL, info.rcb_len, PROT_READ, MAP_SHARED, fd, 0);
        if (counter == MAP_FAILED)
            opt_fail(&prog, "node %d: cannot map the counters: %s", opt.node, strerror(errno));
        close(fd);
    }
    for (i = 0, c = counter; i < info.rcb_num_slots; i++) {
        unsigned long long at = slot[i].base, end = at + slot[i].size;

        for (; at < end; at += info.rcb_granularity, c += info.rcb_sw_counters_per_set) {
            struct page *p;

            for (n = 0, total = 0; n < nodes; n++)
                total += c[n];
            if (!total)
                continue;
            p = add(s);
            p->paddr = at;
            p->home = opt.node;
            memcpy(p->count, c, nodes * sizeof(*c));
        }
    }
}

/* --- output --- */

static int by_place(const void *a, const void *b)
{
    const struct page *p = a, *q = b;

    if (p->vaddr != q->vaddr)
        return p->vaddr < q->vaddr ? -1 : 1;
    return p->paddr < q->paddr ? -1 : p->paddr > q->paddr;
}

static int by_heat(const void *a, const void *b)
{
    const struct page *p = a, *q = b;

    return p->total != q->total ? (p->total > q->total ? -1 : 1) : by_place(a, b);
}

/*
 * Subtracts the counts of the snapshot `before`, which is sorted by place. A page that has moved
 * since starts at 0.
 */
static void subtract(struct snapshot *s, const struct snapshot *before)
{
    size_t i;
    int n;

    for (i = 0; i < s->n; i++) {
        struct page *p = &s->page[i],
                    *q = before->n ? bsearch(p, before->page, before->n, sizeof(*p), by_place)
                                   : NULL;

        for (n = 0; n < nodes; n++) {
            if (q && p->count[n] >= q->count[n])
                p->count[n] -= q->count[n];
            p->total += p->count[n];
        }
    }
}

static int busiest(const struct page *p)
{
    int n, best = 0;

    for (n = 1; n < nodes; n++)
        if (p->count[n] > p->count[best])
            best = n;
    return best;
}

static void print_table(const struct page *p, size_t n)
{
    int k;

    if (opt.pid)
        printf("%-14s ", "address");
    printf("%-12s %4s %10s %4s", "physical", "home", "references", "most");
    for (k = 0; k < nodes; k++)
        printf(" %7s%d", "n", k);
    putchar('\n');
    for (; n--; p++) {
        if (opt.pid)
            printf("0x%-12lx ", p->vaddr);
        printf("0x%-10llx %4d %10llu %4d", p->paddr, p->home, p->total, busiest(p));
        for (k = 0; k < nodes; k++)
            printf(" %*llu", k < 10 ? 8 : 9, p->count[k]);
        putchar('\n');
    }
}

static void print_csv(const struct page *p, size_t n, unsigned long turn)
{
    int k;

    if (!turn) {
        printf("%svaddr,paddr,home,total", opt.again ? "sample," : "");
        for (k = 0; k < nodes; k++)
            printf(",n%d", k);
        putchar('\n');
    }
    for (; n--; p++) {
        if (opt.again)
            printf("%lu,", turn);
        printf("0x%lx,0x%llx,%d,%llu", p->vaddr, p->paddr, p->home, p->total);
        for (k = 0; k < nodes; k++)
            printf(",%llu", p->count[k]);
        putchar('\n');
    }
}

/* One JSON object a sample, each on a line. */
static void print_json(const struct page *p, size_t n, unsigned long turn)
{
    int k;

    printf("{\"sample\":%lu,\"nodes\":%d,\"pages\":[", turn, nodes);
    for (; n--; p++) {
        printf("{\"vaddr\":%lu,\"paddr\":%llu,\"home\":%d,\"total\":%llu,\"counts\":[", p->vaddr,
               p->paddr, p->home, p->total);
        for (k = 0; k < nodes; k++)
            printf("%s%llu", k ? "," : "", p->count[k]);
        printf("]}%s", n ? "," : "");
    }
    puts("]}");
}

static void print(struct snapshot *s, unsigned long turn)
{
    size_t n = 0, i;

    for (i = 0; i < s->n; i++)
        if (s->page[i].total || opt.zeros)
            s->page[n++] = s->page[i];
    qsort(s->page, n, sizeof(*s->page), by_heat);
    if (opt.top > 0 && n > (size_t)opt.top)
        n = opt.top;
    switch (opt.format) {
    case 0:
        print_table(s->page, n);
        break;
    case 1:
        print_csv(s->page, n, turn);
        break;
    case 2:
        print_json(s->page, n, turn);
        break;
    }
    fflush(stdout);
}

static void pause_for(double seconds)
{
    struct timespec t = { .tv_sec = seconds, .tv_nsec = (seconds - (long)seconds) * 1e9 };

    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static void run(void)
{
    struct snapshot now = { 0 }, before = { 0 }, copy = { 0 };
    unsigned long turn;
    size_t i;

    for (turn = 0; turn < opt.count; turn++) {
        if (turn)
            pause_for(opt.every);
        now.n = 0;
        if (opt.pid)
            each_mapping(&now);
        else
            read_node(&now);
        qsort(now.page, now.n, sizeof(*now.page), by_place);
        copy.n = 0;
        for (i = 0; i < now.n; i++)
            *add(&copy) = now.page[i];
        subtract(&now, &before);
        print(&now, turn);
        free(before.page);
        before = copy;
        copy = (struct snapshot){ 0 };
        if (!opt.again)
            break;
    }
}

static void set(int id, const char *arg)
{
    static const char *const formats[] = { "table", "csv", "json" };
    char *end;

    switch (id) {
    case PID:
        opt.pid = opt_unsigned(&prog, "--pid", arg, 1, 4194304);
        break;
    case RANGE:
        opt.start = strtoul(arg, &end, 16);
        if (*end == '-')
            opt.end = strtoul(end + 1, &end, 16);
        if (*end || opt.end == ~0UL || opt.start >= opt.end)
            opt_usage_error(&prog, "--range: '%s' is not START-END in hexadecimal", arg);
        break;
    case MAP:
        opt.map = arg;
        break;
    case NODE:
        opt.node = node_arg(&prog, arg);
        break;
    case KEEP:
        opt.keep = true;
        break;
    case HARDWARE:
        opt.hardware = true;
        break;
    case EXTENDED:
        opt.extended = true;
        break;
    case ZEROS:
        opt.zeros = true;
        break;
    case TOP:
        opt.top = opt_unsigned(&prog, "--top", arg, 0, 1 << 30);
        break;
    case FORMAT:
        for (opt.format = 0; opt.format < 3 && strcmp(arg, formats[opt.format]);)
            opt.format++;
        if (opt.format == 3)
            opt_usage_error(&prog, "--format: '%s' is not table, csv or json", arg);
        break;
    case EVERY:
        opt.every = opt_number(&prog, "--interval", arg, 0.001, 1e6);
        opt.again = true;
        break;
    case COUNT:
        opt.count = opt_unsigned(&prog, "--count", arg, 1, 1UL << 40);
        break;
    }
}

int main(int argc, char **argv)
{
    struct opt_state *s = opt_begin(&prog, argc, argv);
    const char *arg;
    int id;

    while ((id = opt_next(s, &arg)) != 0)
        set(id, arg);
    if (argv[opt_index(s)])
        opt_usage_error(&prog, "unexpected argument '%s'", argv[opt_index(s)]);
    if (!opt.pid == (opt.node < 0))
        opt_usage_error(&prog, "give either -p PID or -n NODE");
    if (opt.node >= 0 && (opt.keep || opt.hardware || opt.map || opt.end != ~0UL))
        opt_usage_error(&prog, "-k, -H, -m and -r need -p");
    if (opt.hardware && opt.extended)
        opt_usage_error(&prog, "-H and -x exclude each other");
    if (opt.count != ~0UL && !opt.again)
        opt_usage_error(&prog, "-c needs -i");
    if (opt.top < 0)
        opt.top = opt.format ? 0 : 20;
    nodes = snhw_nodes();
    if (nodes < 0)
        opt_fail(&prog, "/hw/nodenum: there is no hardware graph: is the module hwgfs loaded?");
    if (opt.pid)
        open_process();
    run();
    opt_close_stdout(&prog);
    return 0;
}

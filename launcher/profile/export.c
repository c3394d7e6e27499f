// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The profile in the formats of other programs.  Interface: export.h.
 *
 *   CSV, JSON   the columns of docs/profile.md; the version is in the first column's name
 *               and in "format"
 *   callgrind   KCachegrind and callgrind_annotate: "Callgrind Format Specification" of
 *               Valgrind's manual.  How often a function is called is not in a profile.
 *   folded      flame graphs, speedscope: a stack, a blank, nanoseconds of stall
 */
#include "computing.h"
#include "export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "table.h"
#include "what/what.h"

#define EXPORT_VERSION 1

static const char *const columns[] = {
    "cause",        "kind",  "tx",      "cpu",   "node",     "home",       "hops",     "region",
    "pid",          "tid",   "comm",    "image", "function", "file",       "line",     "object",
    "object_where", "place", "address", "count", "backoff",  "latency_ns", "stall_ns", "mode",
};

static double ns(const struct tally *t, uint64_t ticks)
{
    return (double)ticks * t->p->tick_us * 1e3;
}

static char *decimal(uint64_t v)
{
    return v == UNKNOWN ? g_strdup("-") : g_strdup_printf("%" PRIu64, v);
}

/* The fields of a miss, in the order of columns[].  Free them. */
static void fields(const struct tally *t, const struct miss *m, char *f[G_N_ELEMENTS(columns)])
{
    const struct code *c = code_at(t->r, m->code);
    const struct object *o = object_at(t->r, m->object);
    int n = 0;

    f[n++] = g_strdup(cause_name[m->cause]);
    f[n++] = g_strdup(m->kind);
    f[n++] = g_strdup(m->tx);
    f[n++] = decimal(m->cpu);
    f[n++] = decimal(profile_node(t->p, m->cpu));
    f[n++] = decimal(m->home);
    f[n++] = decimal(m->hops);
    f[n++] = decimal(m->region);
    f[n++] = m->who ? decimal(m->who->pid) : g_strdup("-");
    f[n++] = m->who ? decimal(m->who->tid) : g_strdup("-");
    f[n++] = g_strdup(m->who ? m->who->comm : "-");
    f[n++] = g_strdup(c->image);
    f[n++] = g_strdup(c->function);
    f[n++] = g_strdup(c->file ? c->file : "-");
    f[n++] = c->file ? decimal((uint64_t)c->line) : g_strdup("-");
    f[n++] = g_strdup(o->name);
    f[n++] = g_strdup(*o->where ? o->where : "-");
    f[n++] = resolve_place(t->r, m);
    f[n++] = m->address == UNKNOWN ? g_strdup("-") : g_strdup_printf("0x%" PRIx64, m->address);
    f[n++] = decimal(m->count);
    f[n++] = decimal(m->backoff);
    f[n++] = decimal(m->latency_ns);
    f[n++] = g_strdup_printf("%.3f", ns(t, m->ticks));
    f[n++] = g_strdup(resolve_mode(t->r, m));
}

static void free_fields(char *f[G_N_ELEMENTS(columns)])
{
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        g_free(f[i]);
}

/* --- CSV and JSON ---------------------------------------------------------------------- */

void export_csv(const struct tally *t)
{
    char *f[G_N_ELEMENTS(columns)];
    const char *what = profile_run(t->p, "hypothetical");

    printf("origin_profile_%d", EXPORT_VERSION);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        printf(",%s", columns[i]);
    puts(what ? ",hypothetical" : "");
    for (guint k = 0, n = 0; k < t->p->misses->len; k++) {
        const struct miss *m = AT(t->p->misses, struct miss, k);

        if (m->object < 0)
            continue;
        fields(t, m, f);
        printf("%u", n++);
        for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
            putchar(',');
            table_put(f[i]);
        }
        if (what) {
            putchar(',');
            table_put(what);
        }
        putchar('\n');
        free_fields(f);
    }
}

static bool is_number(const char *s)
{
    char *end;

    g_ascii_strtod(s, &end);
    return g_ascii_isdigit(*s) && !*end && !s[strspn(s, "0123456789.")];
}

void export_json(const struct tally *t)
{
    char *f[G_N_ELEMENTS(columns)];
    const char *what = profile_run(t->p, "hypothetical");
    bool first = true;

    printf("{\"format\":%d,\"complete\":%s,", EXPORT_VERSION, t->p->complete ? "true" : "false");
    if (what) {
        fputs("\"hypothetical\":", stdout);
        json_string(stdout, what);
        putchar(',');
    }
    if (t->p->pipeline)
        computing_json(t);
    fputs("\"misses\":[", stdout);
    for (guint k = 0; k < t->p->misses->len; k++) {
        const struct miss *m = AT(t->p->misses, struct miss, k);

        if (m->object < 0)
            continue;
        fields(t, m, f);
        printf("%s\n{", first ? "" : ",");
        first = false;
        for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
            printf("%s\"%s\":", i ? "," : "", columns[i]);
            if (!strcmp(f[i], "-"))
                fputs("null", stdout);
            else if (is_number(f[i]) && strcmp(columns[i], "comm"))
                fputs(f[i], stdout);
            else
                json_string(stdout, f[i]);
        }
        putchar('}');
        free_fields(f);
    }
    printf("\n]}\n");
}

/* --- folded stacks ---------------------------------------------------------------------- */

/* The codes of a miss's callers, innermost first.  Returns their number. */
static int callers(const struct tally *t, const struct miss *m, int code[], int most)
{
    uint64_t path = m->path;
    int n = 0;

    while (path && n < most) {
        const struct call *c = g_hash_table_lookup(t->p->call_by_path, GSIZE_TO_POINTER(path));

        if (!c)
            break;
        /* The call is two instructions before where it returns to. */
        code[n++] = resolve_code(t->r, m->who, c->pc - 8);
        path = c->parent;
    }
    return n;
}

/* The frames of one place, outermost first. */
static void append_frames(GString *s, const struct code *c)
{
    for (int i = c->frames - 1; i >= 0; i--) {
        const char *name = i == c->frames - 1 ? c->function : c->frame[i].function;

        g_string_append_c(s, ';');
        for (name = name ? name : "?"; *name; name++)
            g_string_append_c(s, *name == ';' || *name == ' ' ? '_' : *name);
    }
}

#define DEEPEST 64

void export_folded(const struct tally *t)
{
    GHashTable *sums = g_hash_table_new(text_hash, g_str_equal);
    GPtrArray *order = g_ptr_array_new();
    int code[DEEPEST];

    for (guint k = 0; k < t->p->misses->len; k++) {
        const struct miss *m = AT(t->p->misses, struct miss, k);
        GString *s;
        uint64_t *sum;

        if (m->object < 0)
            continue;
        s = g_string_new(m->who ? m->who->comm : "unknown");
        g_strdelimit(s->str, "; ", '_');
        for (int i = callers(t, m, code, DEEPEST) - 1; i >= 0; i--)
            append_frames(s, code_at(t->r, code[i]));
        append_frames(s, code_at(t->r, m->code));
        g_string_append_printf(s, ";[%s]", cause_name[m->cause]);
        sum = g_hash_table_lookup(sums, s->str);
        if (!sum) {
            sum = g_new0(uint64_t, 1);
            g_ptr_array_add(order, s->str);
            g_hash_table_insert(sums, g_string_free(s, FALSE), sum);
        } else
            g_string_free(s, TRUE);
        *sum += m->ticks;
    }
    for (guint i = 0; i < order->len; i++)
        printf("%s %.0f\n", (char *)order->pdata[i],
               ns(t, *(uint64_t *)g_hash_table_lookup(sums, order->pdata[i])));
}

/* --- callgrind ---------------------------------------------------------------------------- */

#define EVENTS (2 + CAUSES)

/* Costs of one line, or of one call in a function. */
struct cost {
    const char *function, *image, *file; /* of the machine function; file: of the line */
    int line;
    const struct code *callee; /* NULL: the line's own cost */
    uint64_t v[EVENTS];        /* ns of stall, misses, then each cause: see add_miss() */
};

/*
 * Each miss is rounded to ns by itself, so that sums of the file's numbers agree to the digit.  The
 * ticks of a damaged profile may be more ns than a number holds.
 */
static void add_miss(const struct tally *t, uint64_t v[EVENTS], const struct miss *m)
{
    v[0] += (uint64_t)fmin(ns(t, m->ticks) + 0.5, 0x1p63);
    v[1] += m->count;
    v[2 + m->cause] += m->count;
}

static gint by_function(gconstpointer a, gconstpointer b)
{
    const struct cost *x = *(struct cost *const *)a, *y = *(struct cost *const *)b;
    int c = strcmp(x->image, y->image);

    if (!c)
        c = strcmp(x->function, y->function);
    if (!c)
        c = strcmp(x->file, y->file);
    if (!c)
        c = x->line - y->line;
    if (!c)
        c = (x->callee != NULL) - (y->callee != NULL);
    if (!c && x->callee)
        c = strcmp(x->callee->function, y->callee->function);
    return c;
}

/* Add @m's costs to those of @c, or of the call from @c to @callee. */
static void charge(const struct tally *t, GHashTable *known, GPtrArray *all, const struct code *c,
                   const struct code *callee, const struct miss *m)
{
    const char *file = c->file ? c->file : "???";
    g_autofree char *key =
        g_strdup_printf("%s|%s|%s|%d|%s|%s", c->image, c->function, file, c->line,
                        callee ? callee->image : "", callee ? callee->function : "");
    struct cost *x = g_hash_table_lookup(known, key);

    if (!x) {
        x = g_new0(struct cost, 1);
        *x = (struct cost){ c->function, c->image, file, c->line, callee, { 0 } };
        g_hash_table_insert(known, g_steal_pointer(&key), x);
        g_ptr_array_add(all, x);
    }
    add_miss(t, x->v, m);
}

static bool same(const struct code *a, const struct code *b)
{
    return !strcmp(a->function, b->function) && !strcmp(a->image, b->image);
}

/*
 * Charge the calls that led to @m.  A call that recursion repeats is charged once, so
 * that inclusive costs stay below the total.
 */
static void charge_calls(const struct tally *t, GHashTable *known, GPtrArray *all,
                         const struct miss *m)
{
    const struct code *callee[DEEPEST + 1];
    int code[DEEPEST], n = callers(t, m, code, DEEPEST);

    callee[0] = code_at(t->r, m->code);
    for (int i = 0; i < n; i++) {
        bool again = false;

        callee[i + 1] = code_at(t->r, code[i]);
        for (int j = 0; j < i; j++)
            again |= same(callee[j], callee[i]) && same(callee[j + 1], callee[i + 1]);
        if (!again)
            charge(t, known, all, callee[i + 1], callee[i], m);
    }
}

static void print_costs(int line, const uint64_t v[EVENTS])
{
    printf("%d", line);
    for (int i = 0; i < EVENTS; i++)
        printf(" %" PRIu64, v[i]);
    putchar('\n');
}

/* Where a function begins to be described: the file of its own lines, not of inlined ones. */
static const char *own_file(const struct code *c)
{
    const char *file = c->frame[c->frames - 1].file;

    return file ? file : "???";
}

static void print_functions(GPtrArray *all)
{
    const struct cost *before = NULL;

    for (guint i = 0; i < all->len; i++) {
        const struct cost *x = all->pdata[i];

        if (!before || strcmp(before->image, x->image) || strcmp(before->function, x->function))
            printf("\nob=%s\nfl=%s\nfn=%s\n", x->image, x->file, x->function);
        else if (strcmp(before->file, x->file))
            printf("fi=%s\n", x->file);
        before = x;
        if (!x->callee) {
            print_costs(x->line, x->v);
            continue;
        }
        printf("cob=%s\ncfi=%s\ncfn=%s\ncalls=0 0\n", x->callee->image, own_file(x->callee),
               x->callee->function);
        print_costs(x->line, x->v);
    }
}

void export_callgrind(const struct tally *t)
{
    GHashTable *known = g_hash_table_new(text_hash, g_str_equal);
    GPtrArray *all = g_ptr_array_new();
    uint64_t total[EVENTS] = { 0 };
    const char *command = profile_run(t->p, "command");
    const char *what = profile_run(t->p, "hypothetical");

    for (guint k = 0; k < t->p->misses->len; k++) {
        const struct miss *m = AT(t->p->misses, struct miss, k);

        if (m->object < 0)
            continue;
        charge(t, known, all, code_at(t->r, m->code), NULL, m);
        charge_calls(t, known, all, m);
        add_miss(t, total, m);
    }
    g_ptr_array_sort(all, by_function);
    printf("# callgrind format\nversion: 1\ncreator: origin report\ncmd: %s\npositions: line\n"
           "%s%s%sevent: StallNs : nanoseconds that misses stalled the processors\n"
           "event: Misses : transactions\nevents: StallNs Misses",
           command ? command : "-", what ? "desc: " SN_WHAT_MARK("h") : "", what ? what : "",
           what ? "\n" : "");
    for (int c = 0; c < CAUSES; c++)
        printf(" %s", cause_name[c]);
    printf("\nsummary:");
    for (int i = 0; i < EVENTS; i++)
        printf(" %" PRIu64, total[i]);
    putchar('\n');
    print_functions(all);
}

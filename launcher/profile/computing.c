// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks of cycles by thread, function and line.  Interface: computing.h. */
#include "computing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "rows.h"
#include "table.h"

/* --- sums ------------------------------------------------------------------------ */

static void add_cycles(const struct tally *t, struct stack *s, uint64_t cpu, uint64_t ticks)
{
    const struct cpu *c = profile_cpu(t->p, cpu);

    if (c)
        s->cycles += (double)ticks * t->p->tick_us * (double)c->khz / 1000;
}

void stack_compute(const struct tally *t, struct stack *s, const struct computing *c)
{
    uint64_t all = 0;

    s->insns += c->insns;
    for (int b = 0; b < BOUNDS; b++) {
        s->ticks[b] += c->ticks[b];
        all += c->ticks[b];
    }
    if (c->mode != STATES)
        s->mode[c->mode] += all;
    add_cycles(t, s, c->cpu, all);
}

void stack_wait(const struct tally *t, struct stack *s, const struct stall *w)
{
    s->wait += w->ticks;
    if (w->mode != STATES)
        s->mode[w->mode] += w->ticks;
    add_cycles(t, s, w->cpu, w->ticks);
}

void stack_print(const struct tally *t, const struct stack *s)
{
    for (int b = 0; b < BOUNDS; b++)
        if (tally_us(t, s->ticks[b]) >= 0.05)
            printf(" %s=%.1f", bound_name[b], tally_us(t, s->ticks[b]));
    if (tally_us(t, s->wait) >= 0.05)
        printf(" waiting=%.1f", tally_us(t, s->wait));
}

/* Are modes of both computing and waits known? */
static bool has_modes(const struct tally *t)
{
    return t->p->modes && t->p->computed;
}

/* Where all of it is of one mode, the function's name says which. */
static void print_modes(const struct tally *t, const struct stack *s)
{
    int several = 0;

    for (int m = 0; m <= STATE_INTERRUPT; m++)
        several += tally_us(t, s->mode[m]) >= 0.05;
    for (int m = 0, first = 1; has_modes(t) && several > 1 && m <= STATE_INTERRUPT; m++)
        if (tally_us(t, s->mode[m]) >= 0.05) {
            printf("%s %s %.1f", first ? ";" : ",", state_name[m], tally_us(t, s->mode[m]));
            first = 0;
        }
}

/* --- by place ---------------------------------------------------------------------- */

/* A row: @who is NULL if all threads are one, @c if all code is. */
struct row {
    char *key;
    const struct thread *who;
    const struct code *c;
    struct stack stack;
};

enum by { BY_THREAD, BY_FUNCTION, BY_LINE };

struct sums {
    const struct tally *t;
    enum by by;
    GHashTable *known; /* by key */
    GHashTable *quick; /* by numbers of thread and code */
    GPtrArray *rows;
};

static struct row *find_row(struct sums *s, const struct thread *who, int code)
{
    const struct code *c = code_at(s->t->r, code);
    g_autofree char *key = NULL;
    struct row *w;

    who = s->by == BY_FUNCTION ? NULL : who;
    c = s->by == BY_THREAD ? NULL : c;
    key = g_strdup_printf("%" PRIu64 "|%s|%s|%s|%d", who ? who->thread : 0, c ? c->image : "",
                          c ? c->function : "", s->by == BY_LINE && c->file ? c->file : "",
                          s->by == BY_LINE ? c->line : 0);
    w = g_hash_table_lookup(s->known, key);
    if (!w) {
        w = g_new0(struct row, 1);
        w->key = g_steal_pointer(&key);
        w->who = who;
        w->c = c;
        g_hash_table_insert(s->known, w->key, w);
        g_ptr_array_add(s->rows, w);
    }
    return w;
}

static struct row *row_of(struct sums *s, const struct thread *who, int code)
{
    gpointer key = GSIZE_TO_POINTER((who ? who->thread : 0) << 32 ^ (uint64_t)code);
    struct row *w = g_hash_table_lookup(s->quick, key);

    if (!w)
        g_hash_table_insert(s->quick, key, w = find_row(s, who, code));
    return w;
}

static gint by_ticks(gconstpointer a, gconstpointer b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    uint64_t m = stack_ticks(&x->stack), n = stack_ticks(&y->stack);

    return m != n ? (m < n ? 1 : -1) : strcmp(x->key, y->key);
}

static struct sums sums_new(const struct tally *t, enum by by)
{
    struct sums s = { t, by, g_hash_table_new(text_hash, g_str_equal),
                      g_hash_table_new(number_hash, NULL), g_ptr_array_new() };

    for (guint i = 0; i < t->p->computing->len; i++) {
        const struct computing *c = AT(t->p->computing, struct computing, i);

        if (c->code >= 0)
            stack_compute(t, &row_of(&s, c->who, c->code)->stack, c);
    }
    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *w = AT(t->p->stalls, struct stall, i);

        if (w->code >= 0)
            stack_wait(t, &row_of(&s, w->who, w->code)->stack, w);
    }
    g_ptr_array_sort(s.rows, by_ticks);
    return s;
}

static void sums_free(struct sums *s)
{
    for (guint i = 0; i < s->rows->len; i++) {
        struct row *w = s->rows->pdata[i];

        g_free(w->key);
        g_free(w);
    }
    g_ptr_array_free(s->rows, TRUE);
    g_hash_table_destroy(s->known);
    g_hash_table_destroy(s->quick);
}

/* --- text --------------------------------------------------------------------------- */

static char *name_of(const struct row *w)
{
    g_autofree char *function = w->c ? name_short(w->c->function) : NULL;

    return w->c     ? g_strdup_printf("%s (%s)", function, w->c->image)
           : w->who ? g_strdup_printf("%" PRIu64 " %s", w->who->tid, w->who->comm)
                    : g_strdup("-");
}

static void table(const struct tally *t, enum by by, int top)
{
    struct sums s = sums_new(t, by);

    printf("\nCYCLES of the command's %s: computing by bound, and waiting; both by mode; us\n%11s "
           "%12s %8s  %s\n",
           by == BY_THREAD ? "threads" : "functions", "TIME us", "INSNS", "CPI",
           by == BY_THREAD ? "THREAD" : "FUNCTION");
    for (guint i = 0; i < s.rows->len && (int)i < top; i++) {
        const struct row *w = s.rows->pdata[i];
        g_autofree char *name = name_of(w);

        printf("%11.1f %12" PRIu64 " %8.2f  %-28s", tally_us(t, stack_ticks(&w->stack)),
               w->stack.insns, w->stack.insns ? w->stack.cycles / (double)w->stack.insns : 0, name);
        stack_print(t, &w->stack);
        print_modes(t, &w->stack);
        putchar('\n');
    }
    sums_free(&s);
}

void report_computing(const struct tally *t, int top)
{
    table(t, BY_THREAD, top);
    table(t, BY_FUNCTION, top);
}

/* --- for a page --------------------------------------------------------------------- */

#define PAGE_ROWS 1000u

static const char *const mode_meaning[] = {
    [STATE_USER] = "of these, computing and waiting in user mode",
    [STATE_KERNEL] = "of these, in the kernel",
    [STATE_INTERRUPT] = "of these, while the kernel handled an interrupt",
};

static void page_table(const struct tally *t, enum by by)
{
    struct sums s = sums_new(t, by);

    rows_begin(by == BY_THREAD ? "thread_cycles" : "function_cycles");
    rows_column(by == BY_THREAD ? "thread" : "function", "", "of the command");
    rows_column("insns", "instructions", "that graduated");
    rows_column("cycles", "cycles", "of the processors that it ran on, waits among them");
    for (int b = 0; b < BOUNDS; b++)
        rows_column(bound_name[b], "us", bound_meaning[b]);
    rows_column("waiting", "us", "for caches and memory");
    for (int m = 0; m <= STATE_INTERRUPT; m++)
        rows_column(state_name[m], "us", mode_meaning[m]);
    for (guint i = 0; i < s.rows->len && rows_room(i, PAGE_ROWS); i++) {
        const struct row *w = s.rows->pdata[i];
        g_autofree char *name = name_of(w);

        rows_next();
        cell_text(name);
        cell_number(w->stack.insns);
        cell_number((uint64_t)(w->stack.cycles + 0.5));
        for (int b = 0; b < BOUNDS; b++)
            cell_us(tally_us(t, w->stack.ticks[b]));
        cell_us(tally_us(t, w->stack.wait));
        for (int m = 0; m <= STATE_INTERRUPT; m++)
            if (has_modes(t))
                cell_us(tally_us(t, w->stack.mode[m]));
            else
                cell_text(NULL);
    }
    rows_end();
    sums_free(&s);
}

void page_computing(const struct tally *t)
{
    page_table(t, BY_THREAD);
    page_table(t, BY_FUNCTION);
}

/* --- for programs --------------------------------------------------------------------- */

static const char *const columns[] = { "pid",      "tid",  "comm", "image",
                                       "function", "file", "line", "insns" };

enum { TEXTS = G_N_ELEMENTS(columns), COMM = 2 };

/* The fields of a row, in the order of columns[]; NULL: not known.  Free them. */
static void fields(const struct row *w, char *f[TEXTS])
{
    f[0] = w->who ? g_strdup_printf("%" PRIu64, w->who->pid) : NULL;
    f[1] = w->who ? g_strdup_printf("%" PRIu64, w->who->tid) : NULL;
    f[2] = g_strdup(w->who ? w->who->comm : NULL);
    f[3] = g_strdup(w->c->image);
    f[4] = g_strdup(w->c->function);
    f[5] = g_strdup(w->c->file);
    f[6] = w->c->file ? g_strdup_printf("%d", w->c->line) : NULL;
    f[7] = g_strdup_printf("%" PRIu64, w->stack.insns);
}

static bool is_text(int i)
{
    return i >= COMM && i < 6;
}

void computing_csv(const struct tally *t)
{
    struct sums s = sums_new(t, BY_LINE);
    char *f[TEXTS];

    fputs("origin_stack_2", stdout);
    for (int i = 0; i < TEXTS; i++)
        printf(",%s", columns[i]);
    for (int b = 0; b < BOUNDS; b++)
        printf(",%s", bound_name[b]);
    fputs(",waiting", stdout);
    for (int m = 0; m <= STATE_INTERRUPT; m++)
        printf(",%s", state_name[m]);
    putchar('\n');
    for (guint i = 0; i < s.rows->len; i++) {
        const struct row *w = s.rows->pdata[i];

        printf("%u", i);
        fields(w, f);
        for (int k = 0; k < TEXTS; k++) {
            putchar(',');
            table_put(f[k] ? f[k] : "-");
            g_free(f[k]);
        }
        for (int b = 0; b < BOUNDS; b++)
            printf(",%" PRIu64, w->stack.ticks[b]);
        printf(",%" PRIu64, w->stack.wait);
        for (int m = 0; m <= STATE_INTERRUPT; m++)
            if (has_modes(t))
                printf(",%" PRIu64, w->stack.mode[m]);
            else
                fputs(",-", stdout);
        putchar('\n');
    }
    sums_free(&s);
}

void computing_json(const struct tally *t)
{
    struct sums s = sums_new(t, BY_LINE);
    char *f[TEXTS];

    printf("\n\"tick_hz\":%" PRIu64 ",\"stack\":[",
           g_ascii_strtoull(profile_meta(t->p, "tick_hz"), NULL, 0));
    for (guint i = 0; i < s.rows->len; i++) {
        const struct row *w = s.rows->pdata[i];

        printf("%s\n{", i ? "," : "");
        fields(w, f);
        for (int k = 0; k < TEXTS; k++) {
            printf("\"%s\":", columns[k]);
            if (f[k] && is_text(k))
                json_string(stdout, f[k]);
            else
                fputs(f[k] ? f[k] : "null", stdout);
            putchar(',');
            g_free(f[k]);
        }
        for (int b = 0; b < BOUNDS; b++)
            printf("\"%s\":%" PRIu64 ",", bound_name[b], w->stack.ticks[b]);
        printf("\"waiting\":%" PRIu64, w->stack.wait);
        for (int m = 0; m <= STATE_INTERRUPT; m++)
            if (has_modes(t))
                printf(",\"%s\":%" PRIu64, state_name[m], w->stack.mode[m]);
            else
                printf(",\"%s\":null", state_name[m]);
        putchar('}');
    }
    printf("\n],");
    sums_free(&s);
}

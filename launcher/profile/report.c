// SPDX-License-Identifier: GPL-2.0-or-later
/* The report for a person.  Interface: report.h. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "computing.h"
#include "locks.h"
#include "what/what.h"

static double us(const struct tally *t, double ticks)
{
    return ticks * t->p->tick_us;
}

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : 0;
}

/* --- the first line, and the problems ---------------------------------------------------- */

char *report_headline(const struct tally *t, const struct blocked *b)
{
    static const bool many[PROBLEMS] = { [PROBLEM_UPGRADE] = true,
                                         [PROBLEM_PREFETCH] = true,
                                         [PROBLEM_CONFLICT] = true,
                                         [PROBLEM_FETCH] = true,
                                         [PROBLEM_TLB] = true };
    const struct problem *q;
    const struct code *c;
    g_autofree char *object = NULL, *spot = NULL, *through = NULL;
    char *blocked = b ? blocked_headline(t, b) : NULL;

    if (blocked)
        return blocked;
    q = tally_first(t);
    if (!q)
        return g_strdup_printf("No problem stands out: %" PRIu64 " misses cost %.1f us.",
                               t->all.all_count, us(t, (double)t->all.all_ticks));
    object = object_text(object_at(t->r, q->object));
    c = q->code >= 0 ? code_at(t->r, q->code) : NULL;
    spot = c ? code_spot(c) : g_strdup("-");
    through = q->lock ? g_strdup_printf(" through %s()", q->lock)
              : c     ? code_through(c)
                      : g_strdup("");
    return g_strdup_printf(
        "%s: %s %s %.1f us, %.0f %% of all %s, most of it at %s%s", object, problem_name[q->kind],
        many[q->kind] ? "cost" : "costs", us(t, (double)q->cost),
        percent((double)q->cost,
                (double)(q->kind == PROBLEM_TLB ? t->stall_ticks : t->all.all_ticks)),
        q->kind == PROBLEM_TLB ? "waits" : "misses", spot, through);
}

/* What found no room in the profile, by the key of its count in meta.csv. */
static void lost(const struct tally *t)
{
    static const char *const what[][2] = {
        { "lost", "transactions and stalls (--rows)" },
        { "paths_lost", "calls, which count for their callers (--depth)" },
        { "blocks_lost", "blocks of the heap, which have no name (--rows)" },
        { "regions_lost", "names of regions, which count for the region around" },
        { "blocked_lost", "ticks of threads in blocked.csv (--rows)" },
        { "locks_lost", "times that a lock was taken (--rows)" },
        { "computing_merged", "runs of instructions, which count for their threads (--rows)" },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(what); i++) {
        const char *count = profile_meta(t->p, what[i][0]);

        if (count && strcmp(count, "0"))
            printf("No room was left for %s %s\n", count, what[i][1]);
    }
}

char *report_kernel_note(const struct tally *t)
{
    return t->p->kernel || !tally_is_of_kernel(t)
               ? NULL
               : g_strdup_printf("Sharing of the kernel's objects costs %.0f %% of all misses: "
                                 "--kernel tells their problems",
                                 percent((double)t->kernel_sharing, (double)t->all.all_ticks));
}

/* The model's word for the launcher's option */
char *report_merged(const struct tally *t)
{
    static const char option[] = "raise profile-rows";
    const char *merged = profile_meta(t->p, "merged");

    if (!merged || !*merged)
        return NULL;
    return g_str_has_suffix(merged, option)
               ? g_strdup_printf("Merged: %.*sraise --rows", (int)(strlen(merged) - strlen(option)),
                                 merged)
               : g_strdup_printf("Merged: %s", merged);
}

static void notes(const struct tally *t)
{
    g_autofree char *merged = report_merged(t), *kernel = report_kernel_note(t);
    const char *why = profile_meta(t->p, "kernel_why");
    const char *what = profile_run(t->p, "hypothetical");
    const char *blind = profile_meta(t->p, "blocked_why");

    if (what)
        printf(SN_WHAT_MARK("H") "%s\n", what);
    if (!t->p->complete)
        printf("The machine did not end by itself: this is what was written until then.\n");
    if (merged)
        puts(merged);
    lost(t);
    if (why && *why)
        printf("Threads are not known: %s\n", why);
    if (blind && *blind)
        printf("What threads wait for is not known: %s\n", blind);
    if (kernel)
        puts(kernel);
}

/* By which calls the blocks were asked for: the object has the place of one of them. */
static void allocated(const struct object *o)
{
    if (!o->path || !strstr(o->path, " < "))
        return;
    printf("%36sallocated by %s", "", o->path);
    if (o->paths > 1)
        printf(", and %d other call paths", o->paths - 1);
    putchar('\n');
}

static void problems(const struct tally *t, int top)
{
    printf("\nPROBLEMS, by what their remedy would save; us of processor time\n");
    printf("%11s %11s %10s  %s\n", "SAVES us", "COST us", "COUNT", "OBJECT: PROBLEM");
    for (guint i = 0; i < t->problems->len && (int)i < top; i++) {
        const struct problem *q = AT(t->problems, struct problem, i);
        g_autofree char *object = object_text(object_at(t->r, q->object));
        g_autofree char *spot = q->code >= 0 ? code_spot(code_at(t->r, q->code)) : g_strdup("-");
        g_autofree char *command = NULL;

        printf("%11.1f %11.1f %10" PRIu64 "  %s: %s\n%36s%s; at %s\n", us(t, q->saving),
               us(t, (double)q->cost), q->count, object, problem_name[q->kind], "",
               problem_remedy(t, q), spot);
        allocated(object_at(t->r, q->object));
        command = advice_command(t, q);
        if (command)
            printf("%36stry: %s\n", "", command);
    }
}

/* --- causes, and where the time went -------------------------------------------------------- */

static void causes(const struct tally *t)
{
    printf("\nCAUSES\n%10s %11s %6s  %s\n", "COUNT", "STALL us", "%", "CAUSE");
    for (int c = 0; c < CAUSES; c++)
        if (t->all.count[c])
            printf("%10" PRIu64 " %11.1f %6.1f  %s: %s\n", t->all.count[c],
                   us(t, (double)t->all.ticks[c]),
                   percent((double)t->all.ticks[c], (double)t->all.all_ticks), cause_name[c],
                   cause_meaning[c]);
    printf("%10" PRIu64 " %11.1f %6.1f  all\n", t->all.all_count, us(t, (double)t->all.all_ticks),
           100.0);
}

/* Each processor's time: its parts add up to its clock. */
static void stack(const struct tally *t)
{
    uint64_t(*ticks)[PARTS] = g_malloc0(TALLY_CPUS * sizeof(*ticks));
    bool used[PARTS] = { [PART_BUSY] = true, [PART_IDLE] = true };

    tally_parts(t, true, ticks);
    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *s = AT(t->p->stalls, struct stall, i);

        used[s->part] |= s->ticks > 0;
    }
    used[PART_BUSY] = !t->p->pipeline;
    printf("\nTIME of each processor since it was switched on, us\n%5s", "CPU");
    for (int b = 0; t->p->pipeline && b < BOUNDS; b++)
        printf(" %12s", bound_name[b]);
    for (int k = 0; k < PARTS; k++)
        if (used[k])
            printf(" %12s", part_name[k]);
    printf(" %13s\n", "all");
    for (guint i = 0; i < t->p->cpus->len; i++) {
        const struct cpu *c = AT(t->p->cpus, struct cpu, i);

        if (c->cpu >= TALLY_CPUS)
            continue;
        printf("%5" PRIu64, c->cpu);
        for (int b = 0; t->p->pipeline && b < BOUNDS; b++)
            printf(" %12.1f", us(t, (double)c->bound[b]));
        for (int k = 0; k < PARTS; k++)
            if (used[k])
                printf(" %12.1f", us(t, (double)ticks[c->cpu][k]));
        printf(" %13.1f\n", us(t, (double)c->ticks));
    }
    g_free(ticks);
}

static void waited(const struct tally *t, uint64_t ticks)
{
    if (t->p->modes)
        printf(" %12.1f", us(t, (double)ticks));
    else
        printf(" %12s", "-");
}

/* The same time by what the processor's threads did, since it switches between them. */
static void modes(const struct tally *t)
{
    printf("\nMODES of each processor since its first switch between threads, us; idle: its idle "
           "thread\n"
           "MEM: what it waited for memory in the mode before it, since it was switched on\n"
           "%5s %12s %12s %12s %12s %12s %12s %12s %12s %13s\n",
           "CPU", "user", "MEM", "kernel", "MEM", "interrupt", "MEM", "idle", "MEM", "all");
    for (guint i = 0; i < t->p->cpus->len; i++) {
        const struct cpu *c = AT(t->p->cpus, struct cpu, i);
        uint64_t all = c->idled;

        printf("%5" PRIu64, c->cpu);
        for (int s = 0; s <= STATE_INTERRUPT; s++) {
            printf(" %12.1f", us(t, (double)c->mode[s]));
            waited(t, c->waited[s]);
            all += c->mode[s];
        }
        printf(" %12.1f", us(t, (double)c->idled));
        waited(t, c->waited[STATE_INTERRUPT + 1]);
        printf(" %13.1f\n", us(t, (double)all));
    }
    if (!t->p->modes)
        puts("  MEM is not known: stalls.csv of this profile does not say in which mode a "
             "processor waited");
}

/* --- functions and objects --------------------------------------------------------------------- */

struct row {
    char *name;
    uint64_t count, ticks, part[PARTS];
    uint64_t interrupt; /* of a function: while the kernel handled one */
};

/* The row of this name, which is freed if there is one already. */
static struct row *row_of(GHashTable *known, GPtrArray *rows, char *name)
{
    struct row *w = g_hash_table_lookup(known, name);

    if (w) {
        g_free(name);
    } else {
        w = g_new0(struct row, 1);
        w->name = name;
        g_hash_table_insert(known, name, w);
        g_ptr_array_add(rows, w);
    }
    return w;
}

static gint by_ticks(gconstpointer a, gconstpointer b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void functions(const struct tally *t, int top)
{
    g_autoptr(GHashTable) known = g_hash_table_new(text_hash, g_str_equal);
    g_autoptr(GPtrArray) rows = g_ptr_array_new();

    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *s = AT(t->p->stalls, struct stall, i);
        const struct code *c = s->code >= 0 ? code_at(t->r, s->code) : NULL;
        g_autofree char *function = c ? name_short(c->function) : NULL;
        struct row *w;

        if (!c)
            continue;
        w = row_of(known, rows, g_strdup_printf("%s (%s)", function, c->image));
        w->ticks += s->ticks;
        w->count += s->count;
        w->part[s->part] += s->ticks;
        w->interrupt += s->mode == STATE_INTERRUPT ? s->ticks : 0;
    }
    g_ptr_array_sort(rows, by_ticks);
    printf("\nFUNCTIONS of the command and the kernel for it, by stalls\n%11s %10s  %-40s %s\n",
           "STALL us", "COUNT", "FUNCTION", "PARTS us");
    for (guint i = 0; i < rows->len && (int)i < top; i++) {
        const struct row *w = rows->pdata[i];

        printf("%11.1f %10" PRIu64 "  %-40s", us(t, (double)w->ticks), w->count, w->name);
        for (int k = 0; k < PARTS; k++)
            if (w->part[k])
                printf(" %s=%.1f", part_name[k], us(t, (double)w->part[k]));
        if (w->interrupt)
            printf("; in interrupts %.1f", us(t, (double)w->interrupt));
        putchar('\n');
    }
}

static void print_causes(const struct tally *t, const struct sum *s)
{
    for (int c = 0; c < CAUSES; c++)
        if (s->count[c])
            printf(" %s=%" PRIu64 "/%.1f", cause_name[c], s->count[c], us(t, (double)s->ticks[c]));
}

static void object_table(const struct tally *t, int top)
{
    int n = object_count(t->r);
    g_autofree int *order = tally_objects(t);

    printf("\nOBJECTS, by stalls\n%11s %10s  %s\n", "STALL us", "COUNT",
           "OBJECT  CAUSE=COUNT/us...");
    for (int i = 0; i < n && i < top; i++) {
        const struct sum *s = &t->object[order[i]];
        g_autofree char *text = object_text(object_at(t->r, order[i]));

        if (!s->all_count)
            break; /* a lock that never missed */
        printf("%11.1f %10" PRIu64 "  %s ", us(t, (double)s->all_ticks), s->all_count, text);
        print_causes(t, s);
        putchar('\n');
    }
}

/* --- lines and pages ------------------------------------------------------------------------------ */

/* Rows of a line that agree in offset, thread, processor's node, code and cause are one. */
static void line_rows(const struct tally *t, const struct line *l, int top)
{
    g_autoptr(GHashTable) known = g_hash_table_new(text_hash, g_str_equal);
    g_autoptr(GPtrArray) rows = g_ptr_array_new();

    for (guint i = 0; i < l->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, g_array_index(l->misses, guint, i));
        const struct code *c = code_at(t->r, m->code);
        g_autofree char *place = code_place(c), *what = resolve_place(t->r, m);
        char *name = g_strdup_printf("%6" PRIu64 "  %-5s %6" PRIu64 " %4" PRIu64 "  %-13s %s at %s",
                                     m->address % t->p->line, m->kind, m->who ? m->who->tid : 0,
                                     profile_node(t->p, m->cpu), cause_name[m->cause], what, place);
        struct row *w = row_of(known, rows, name);

        w->count += m->count;
        w->ticks += m->ticks;
    }
    g_ptr_array_sort(rows, by_ticks);
    for (guint i = 0; i < rows->len && (int)i < top; i++) {
        const struct row *w = rows->pdata[i];

        printf("%11.1f %10" PRIu64 "  %s\n", us(t, (double)w->ticks), w->count, w->name);
    }
    if ((int)rows->len > top)
        printf("%22s  (%u more)\n", "", rows->len - (guint)top);
}

static void contended(const struct tally *t, int top)
{
    int n = 0;

    printf("\nCONTENDED LINES, by stalls\n%11s %10s  %6s  %-5s %6s %4s  %-13s %s\n", "STALL us",
           "COUNT", "OFFSET", "KIND", "TID", "NODE", "CAUSE", "WHAT");
    for (guint i = 0; i < t->lines->len && n < top; i++) {
        const struct line *l = t->lines->pdata[i];
        g_autofree char *text = NULL;

        if (!line_is_contended(l))
            continue;
        text = object_text(object_at(t->r, l->object));
        printf("%11.1f %10" PRIu64 "  line 0x%" PRIx64 " of %s\n", us(t, (double)l->sum.all_ticks),
               l->sum.all_count, l->address, text);
        line_rows(t, l, 8);
        n++;
    }
    if (!n)
        printf("  none\n");
}

static void page_table(const struct tally *t, int top)
{
    int n = 0;

    printf("\nMISPLACED PAGES, by what placing them saves\n%11s %10s  %-14s %4s %4s  %s\n",
           "SAVES us", "COUNT", "PAGE", "HOME", "BEST", "OBJECT  NODE=COUNT...");
    for (guint i = 0; i < t->pages->len && n < top; i++) {
        const struct page *g = t->pages->pdata[i];
        g_autofree char *text = object_text(object_at(t->r, g->object));

        if (g->best == UNKNOWN)
            continue;
        printf("%11.1f %10" PRIu64 "  0x%-12" PRIx64 " %4" PRIu64 " %4" PRIu64 "  %s ",
               us(t, g->saving), g->count, g->address, g->home, g->best, text);
        for (guint k = 0; k < g->nodes->len; k++) {
            const struct page_node *node = AT(g->nodes, struct page_node, k);

            if (node->memory)
                printf(" %" PRIu64 "=%" PRIu64, node->node, node->memory);
        }
        putchar('\n');
        n++;
    }
    if (!n) {
        printf("  none\n");
        return;
    }
}

void report_text(const struct tally *t, int top)
{
    const char *command = profile_run(t->p, "command"), *machine = profile_run(t->p, "machine"),
               *build = profile_run(t->p, "build");
    struct blocked *b = blocked_sum(t);
    g_autofree char *headline = report_headline(t, b);

    puts(headline);
    if (command)
        printf("%s on %s, time %s, build %s\n", command, machine ? machine : "-",
               profile_meta(t->p, "time") ? profile_meta(t->p, "time") : "-", build ? build : "-");
    notes(t);
    problems(t, top);
    causes(t);
    object_table(t, top);
    functions(t, top);
    if (t->p->pipeline)
        report_computing(t, top);
    if (b)
        report_blocked(t, b, top);
    report_locks(t, top);
    contended(t, top > 5 ? 5 : top);
    page_table(t, top);
    stack(t);
    if (t->p->lives)
        modes(t);
    blocked_free(b);
}

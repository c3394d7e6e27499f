// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines with what they cost, and placement files.  Interface: report.h. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 2 /* lines of source before and after one that costs something */

/* What the lines of one file cost. */
struct file {
    const char *name;
    GHashTable *lines; /* number -> struct sum */
    int first, last;
    uint64_t ticks;
};

static struct sum *line_of(struct file *f, int line)
{
    struct sum *s = g_hash_table_lookup(f->lines, GINT_TO_POINTER(line));

    if (!s) {
        s = g_new0(struct sum, 1);
        g_hash_table_insert(f->lines, GINT_TO_POINTER(line), s);
    }
    f->first = MIN(f->first, line);
    f->last = MAX(f->last, line);
    return s;
}

static struct file *file_of(GHashTable *known, GPtrArray *all, const char *name)
{
    struct file *f = g_hash_table_lookup(known, name);

    if (!f) {
        f = g_new0(struct file, 1);
        f->name = name;
        f->first = INT32_MAX;
        f->lines = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        g_hash_table_insert(known, (gpointer)name, f);
        g_ptr_array_add(all, f);
    }
    return f;
}

/* Is the code in @function, or inlined from it? */
static bool in_function(const struct code *c, const char *function)
{
    if (!strcmp(c->function, function))
        return true;
    for (int i = 0; i < c->frames; i++)
        if (c->frame[i].function && !strcmp(c->frame[i].function, function))
            return true;
    return false;
}

static void collect(const struct tally *t, const char *function, GHashTable *known,
                    GPtrArray *files, GHashTable *without)
{
    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        const struct code *c = m->code >= 0 ? code_at(t->r, m->code) : NULL;
        struct file *f;
        struct sum *s;

        if (!c || (function && !in_function(c, function)))
            continue;
        if (!c->file) {
            g_hash_table_insert(without, (gpointer)c->function, (gpointer)c->image);
            continue;
        }
        f = file_of(known, files, c->file);
        s = line_of(f, c->line);
        s->count[m->cause] += m->count;
        s->ticks[m->cause] += m->ticks;
        s->all_count += m->count;
        s->all_ticks += m->ticks;
        f->ticks += m->ticks;
    }
}

static void print_line(const struct tally *t, const struct sum *s, int number, const char *text)
{
    if (!s) {
        printf("%10s %10s %5d  %s\n", "", "", number, text);
        return;
    }
    printf("%10.1f %10" PRIu64 " %5d  %s\n%27s  ^", (double)s->all_ticks * t->p->tick_us,
           s->all_count, number, text, "");
    for (int c = 0; c < CAUSES; c++)
        if (s->count[c])
            printf(" %s=%" PRIu64, cause_name[c], s->count[c]);
    putchar('\n');
}

static bool near_cost(const struct file *f, int line)
{
    for (int i = line - CONTEXT; i <= line + CONTEXT; i++)
        if (g_hash_table_contains(f->lines, GINT_TO_POINTER(i)))
            return true;
    return false;
}

static void print_file(const struct tally *t, const struct file *f)
{
    char *path = resolve_source(t->r, f->name), *text = NULL;
    char **line = NULL;
    int n = 0;

    if (path && g_file_get_contents(path, &text, NULL, NULL))
        line = g_strsplit(text, "\n", -1);
    while (line && line[n])
        n++;
    printf("%s\n%10s %10s %5s\n", f->name, "STALL us", "COUNT", "LINE");
    for (int i = MAX(f->first - CONTEXT, 1); i <= f->last + CONTEXT; i++)
        if (near_cost(f, i) && (i <= n || g_hash_table_contains(f->lines, GINT_TO_POINTER(i))))
            print_line(t, g_hash_table_lookup(f->lines, GINT_TO_POINTER(i)), i,
                       i <= n ? line[i - 1] : "(the source is not there)");
    putchar('\n');
    g_strfreev(line);
    g_free(text);
    g_free(path);
}

static gint by_ticks(gconstpointer a, gconstpointer b)
{
    const struct file *x = *(struct file *const *)a, *y = *(struct file *const *)b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return strcmp(x->name, y->name);
}

bool report_annotate(const struct tally *t, const char *function)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) without = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) files = g_ptr_array_new();
    GHashTableIter i;
    gpointer name, image;

    collect(t, function, known, files, without);
    g_ptr_array_sort(files, by_ticks);
    for (guint k = 0; k < files->len; k++) {
        const struct file *f = files->pdata[k];

        if (function || f->ticks * 100 >= t->all.all_ticks)
            print_file(t, f);
    }
    g_hash_table_iter_init(&i, without);
    while (function && g_hash_table_iter_next(&i, &name, &image))
        printf("%s() of %s: its source lines are not known\n", (char *)name, (char *)image);
    return files->len || g_hash_table_size(without);
}

/* --- placement ------------------------------------------------------------------------------ */

static gint by_address(gconstpointer a, gconstpointer b)
{
    const struct page *x = *(struct page *const *)a, *y = *(struct page *const *)b;

    return x->address < y->address ? -1 : x->address > y->address;
}

void report_placement(const struct tally *t)
{
    g_autoptr(GPtrArray) pages = g_ptr_array_new();
    g_autofree bool *used = g_new0(bool, t->p->nodes);
    g_autofree uint64_t *memory = g_new0(uint64_t, t->p->nodes);
    uint64_t n = 0;

    for (guint i = 0; i < t->pages->len; i++) {
        struct page *g = t->pages->pdata[i];

        if (g->best == UNKNOWN)
            continue;
        used[g->best] = true;
        g_ptr_array_add(pages, g);
    }
    g_ptr_array_sort(pages, by_address);
    for (uint64_t node = 0; node < t->p->nodes; node++)
        n += used[node];
    if (!n) {
        printf("# no page is misplaced\n");
        return;
    }
    printf("memories %" PRIu64 " in topology physical near", n);
    n = 0;
    for (uint64_t node = 0; node < t->p->nodes; node++)
        if (used[node]) {
            memory[node] = n++;
            printf(" /hw/nodenum/%" PRIu64, node);
        }
    putchar('\n');
    for (guint i = 0; i < pages->len;) {
        const struct page *g = pages->pdata[i], *last = g;

        while (++i < pages->len) {
            const struct page *next = pages->pdata[i];

            if (next->best != g->best || next->mm != g->mm ||
                next->address != last->address + t->p->page)
                break;
            last = next;
        }
        printf("place range 0x%" PRIx64 " to 0x%" PRIx64 " on memory %" PRIu64 "\n", g->address,
               last->address + t->p->page, memory[g->best]);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines with what they cost, and placement files.  Interface: report.h. */
#include "report.h"
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 2 /* lines of source before and after one that costs something */

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

static void print_file(const struct tally *t, const struct source_file *f)
{
    char **line = source_text(t, f);
    int n = line ? (int)g_strv_length(line) : 0;

    printf("%s\n%10s %10s %5s\n", f->name, "STALL us", "COUNT", "LINE");
    for (int i = MAX(f->first - CONTEXT, 1); i <= f->last + CONTEXT; i++)
        if (source_near(f, i, CONTEXT) &&
            (i <= n || g_hash_table_contains(f->lines, GINT_TO_POINTER(i))))
            print_line(t, g_hash_table_lookup(f->lines, GINT_TO_POINTER(i)), i,
                       i <= n ? line[i - 1] : "(the source is not there)");
    putchar('\n');
    g_strfreev(line);
}

bool report_annotate(const struct tally *t, const char *function)
{
    g_autoptr(GHashTable) without = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) files = source_files(t, function, without);
    GHashTableIter i;
    gpointer name, image;

    for (guint k = 0; k < files->len; k++) {
        const struct source_file *f = files->pdata[k];

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

// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines with what they cost.  Interface: annotate.h. */
#include "annotate.h"
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
    g_autoptr(GHashTable) without = g_hash_table_new(text_hash, g_str_equal);
    g_autoptr(GPtrArray) files = source_files(t, function, without);
    g_autoptr(GList) names = NULL;

    for (guint k = 0; k < files->len; k++) {
        const struct source_file *f = files->pdata[k];

        if (function || f->ticks * 100 >= t->all.all_ticks)
            print_file(t, f);
    }
    names = g_list_sort(g_hash_table_get_keys(without), (GCompareFunc)strcmp);
    for (const GList *n = function ? names : NULL; n; n = n->next)
        printf("%s() of %s: its source lines are not known\n", (const char *)n->data,
               (const char *)g_hash_table_lookup(without, n->data));
    return files->len || g_hash_table_size(without);
}

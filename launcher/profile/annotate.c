// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines with what they cost.  Interface: annotate.h. */
#include "annotate.h"
#include "computing.h"
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
    printf("%10.1f %10" PRIu64 " %5d  %s\n", tally_us(t, s->all_ticks), s->all_count, number, text);
}

/* The same with what the line takes in all */
static void print_stack(const struct tally *t, const struct stack *k, const struct sum *s,
                        int number, const char *text)
{
    if (k)
        printf("%10.1f ", tally_us(t, stack_ticks(k)));
    else
        printf("%10s ", "");
    print_line(t, s, number, text);
    if (k) {
        printf("%38s  ^ CPI=%.2f", "", k->insns ? k->cycles / (double)k->insns : 0);
        stack_print(t, k);
        putchar('\n');
    }
}

static void print_causes(const struct sum *s, int indent)
{
    printf("%*s  ^", indent, "");
    for (int c = 0; c < CAUSES; c++)
        if (s->count[c])
            printf(" %s=%" PRIu64, cause_name[c], s->count[c]);
    putchar('\n');
}

static void print_file(const struct tally *t, const struct source_file *f)
{
    char **line = source_text(t, f);
    int n = line ? (int)g_strv_length(line) : 0;

    printf("%s\n", f->name);
    if (t->p->pipeline)
        printf("%10s ", "TIME us");
    printf("%10s %10s %5s\n", "STALL us", "COUNT", "LINE");
    for (int i = MAX(f->first - CONTEXT, 1); i <= f->last + CONTEXT; i++) {
        const struct sum *s = g_hash_table_lookup(f->lines, GINT_TO_POINTER(i));
        const struct stack *k =
            f->stacks ? g_hash_table_lookup(f->stacks, GINT_TO_POINTER(i)) : NULL;
        const char *text = i <= n ? line[i - 1] : "(the source is not there)";

        if (!source_near(f, i, CONTEXT) || (i > n && !s && !k))
            continue;
        if (t->p->pipeline)
            print_stack(t, k, s, i, text);
        else
            print_line(t, s, i, text);
        if (s)
            print_causes(s, t->p->pipeline ? 38 : 27);
    }
    putchar('\n');
    g_strfreev(line);
}

bool report_annotate(const struct tally *t, const char *function)
{
    g_autoptr(GHashTable) without = g_hash_table_new(text_hash, g_str_equal);
    g_autoptr(GPtrArray) files = source_files(t, function, without);
    g_autoptr(GList) names = NULL;
    uint64_t all = t->all.all_ticks;

    if (t->p->pipeline) {
        source_computing(t, function, files, without);
        all = 0;
        for (guint k = 0; k < files->len; k++)
            all += ((const struct source_file *)files->pdata[k])->ticks;
    }
    for (guint k = 0; k < files->len; k++) {
        const struct source_file *f = files->pdata[k];

        if (function || f->ticks * 100 >= all)
            print_file(t, f);
    }
    names = g_list_sort(g_hash_table_get_keys(without), (GCompareFunc)strcmp);
    for (const GList *n = function ? names : NULL; n; n = n->next)
        printf("%s() of %s: its source lines are not known\n", (const char *)n->data,
               (const char *)g_hash_table_lookup(without, n->data));
    return files->len || g_hash_table_size(without);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Source files with what their lines cost.  Interface: source.h. */
#include "source.h"

#include <string.h>

/* What @lines has of the line: @bytes, zero at first */
static void *line_of(struct source_file *f, GHashTable *lines, int line, gsize bytes)
{
    void *s = g_hash_table_lookup(lines, GINT_TO_POINTER(line));

    if (!s) {
        s = g_malloc0(bytes);
        g_hash_table_insert(lines, GINT_TO_POINTER(line), s);
    }
    f->first = MIN(f->first, line);
    f->last = MAX(f->last, line);
    return s;
}

static struct source_file *file_of(GHashTable *known, GPtrArray *all, const char *name)
{
    struct source_file *f = g_hash_table_lookup(known, name);

    if (!f) {
        f = g_new0(struct source_file, 1);
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
    if (name_is(c->function, function))
        return true;
    for (int i = 0; i < c->frames; i++)
        if (c->frame[i].function && name_is(c->frame[i].function, function))
            return true;
    return false;
}

static void collect(const struct tally *t, const char *function, GHashTable *known,
                    GPtrArray *files, GHashTable *without)
{
    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        const struct code *c = m->code >= 0 ? code_at(t->r, m->code) : NULL;
        struct source_file *f;
        struct sum *s;

        if (!c || (function && !in_function(c, function)))
            continue;
        if (!c->file) {
            g_hash_table_insert(without, (gpointer)c->function, (gpointer)c->image);
            continue;
        }
        f = file_of(known, files, c->file);
        s = line_of(f, f->lines, c->line, sizeof(*s));
        sum_add(s, m);
        f->ticks += m->ticks;
    }
}

static gint by_ticks(gconstpointer a, gconstpointer b)
{
    const struct source_file *x = *(struct source_file *const *)a;
    const struct source_file *y = *(struct source_file *const *)b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return strcmp(x->name, y->name);
}

GPtrArray *source_files(const struct tally *t, const char *function, GHashTable *without)
{
    g_autoptr(GHashTable) known = g_hash_table_new(text_hash, g_str_equal);
    GPtrArray *files = g_ptr_array_new();

    collect(t, function, known, files, without);
    g_ptr_array_sort(files, by_ticks);
    return files;
}

/* The stack of the line that the code is of; NULL: none is wanted. */
static struct stack *stack_of(const struct tally *t, const char *function, int code,
                              GHashTable *known, GPtrArray *files, GHashTable *without)
{
    const struct code *c = code >= 0 ? code_at(t->r, code) : NULL;
    struct source_file *f;

    if (!c || (function && !in_function(c, function)))
        return NULL;
    if (!c->file) {
        g_hash_table_insert(without, (gpointer)c->function, (gpointer)c->image);
        return NULL;
    }
    f = file_of(known, files, c->file);
    if (!f->stacks)
        f->stacks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return line_of(f, f->stacks, c->line, sizeof(struct stack));
}

void source_computing(const struct tally *t, const char *function, GPtrArray *files,
                      GHashTable *without)
{
    g_autoptr(GHashTable) known = g_hash_table_new(text_hash, g_str_equal);
    GHashTableIter at;
    gpointer value;

    for (guint i = 0; i < files->len; i++)
        g_hash_table_insert(known, (gpointer)((struct source_file *)files->pdata[i])->name,
                            files->pdata[i]);
    for (guint i = 0; i < t->p->computing->len; i++) {
        const struct computing *c = AT(t->p->computing, struct computing, i);
        struct stack *s = stack_of(t, function, c->code, known, files, without);

        if (s)
            stack_compute(t, s, c);
    }
    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *w = AT(t->p->stalls, struct stall, i);
        struct stack *s = stack_of(t, function, w->code, known, files, without);

        if (s)
            stack_wait(t, s, w);
    }
    for (guint i = 0; i < files->len; i++) {
        struct source_file *f = files->pdata[i];

        f->ticks = 0;
        if (f->stacks)
            g_hash_table_iter_init(&at, f->stacks);
        while (f->stacks && g_hash_table_iter_next(&at, NULL, &value))
            f->ticks += stack_ticks(value);
    }
    g_ptr_array_sort(files, by_ticks);
}

char **source_text(const struct tally *t, const struct source_file *f)
{
    g_autofree char *path = resolve_source(t->r, f->name);
    g_autofree char *text = path ? plain_text(path, 0, TEXT_MOST) : NULL;

    return text ? g_strsplit(text, "\n", -1) : NULL;
}

bool source_near(const struct source_file *f, int line, int context)
{
    for (int i = line - context; i <= line + context; i++)
        if (g_hash_table_contains(f->lines, GINT_TO_POINTER(i)) ||
            (f->stacks && g_hash_table_contains(f->stacks, GINT_TO_POINTER(i))))
            return true;
    return false;
}

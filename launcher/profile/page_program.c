// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a page by data and code.  Interface: page_program.h. */
#include "page_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "source.h"

/* Rows of the longest tables; the page says when there are more. */
#define MAX_PAGES     4000u
#define MAX_LINES     100u
#define MAX_LINE_ROWS 60u
#define MAX_OBJECTS   1000u
#define MAX_FUNCTIONS 1000u

#define CONTEXT 4 /* lines of source before and after one that costs something */

void page_cause_columns(const struct tally *t)
{
    for (int c = 0; c < CAUSES; c++)
        if (t->all.count[c])
            rows_column(cause_name[c], "us", cause_meaning[c]);
}

void page_cause_cells(const struct tally *t, const struct sum *s)
{
    for (int c = 0; c < CAUSES; c++)
        if (t->all.count[c])
            cell_us(s ? tally_us(t, s->ticks[c]) : 0);
}

/* --- objects and functions ------------------------------------------------------------------- */

void page_objects(const struct tally *t)
{
    static const char *const kinds[] = {
        [OBJECT_STATIC] = "variable", [OBJECT_HEAP] = "heap",     [OBJECT_STACK] = "stack",
        [OBJECT_CODE] = "code",       [OBJECT_KERNEL] = "kernel", [OBJECT_OTHER] = "other",
    };
    int n = object_count(t->r);
    g_autofree int *order = tally_objects(t);

    rows_begin("objects");
    rows_column("object", "", "variable, heap block, stack, code");
    rows_column("type", "", "its type");
    rows_column("where", "", "where it is declared or allocated");
    rows_column("what", "", "sort of memory");
    rows_column("count", "transactions", "for it");
    rows_column("stall", "us", "what processors waited for it");
    page_cause_columns(t);
    for (int i = 0; i < n && rows_room((unsigned int)i, MAX_OBJECTS); i++) {
        const struct object *o = object_at(t->r, order[i]);
        const struct sum *s = &t->object[order[i]];

        if (!s->all_count)
            continue;
        rows_next();
        cell_text(o->name);
        cell_text(*o->type ? o->type : NULL);
        cell_text(*o->where ? o->where : NULL);
        cell_text(o->kernel ? "kernel" : kinds[o->kind]);
        cell_number(s->all_count);
        cell_us(tally_us(t, s->all_ticks));
        page_cause_cells(t, s);
    }
    rows_end();
}

struct function {
    const struct code *code;
    uint64_t count, ticks, interrupt, part[PARTS];
};

static gint by_function_ticks(gconstpointer a, gconstpointer b)
{
    const struct function *x = *(struct function *const *)a, *y = *(struct function *const *)b;
    int c = strcmp(x->code->function, y->code->function);

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return c ? c : strcmp(x->code->image, y->code->image);
}

void page_functions(const struct tally *t)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    bool used[PARTS] = { false };

    for (guint i = 0; i < t->p->stalls->len; i++) {
        const struct stall *s = AT(t->p->stalls, struct stall, i);
        const struct code *c = s->code >= 0 ? code_at(t->r, s->code) : NULL;
        g_autofree char *key = c ? g_strdup_printf("%s\n%s", c->function, c->image) : NULL;
        struct function *f = key ? g_hash_table_lookup(known, key) : NULL;

        if (!c)
            continue;
        if (!f) {
            f = g_new0(struct function, 1);
            f->code = c;
            g_hash_table_insert(known, g_steal_pointer(&key), f);
            g_ptr_array_add(all, f);
        }
        f->count += s->count;
        f->ticks += s->ticks;
        f->part[s->part] += s->ticks;
        f->interrupt += s->mode == STATE_INTERRUPT ? s->ticks : 0;
        used[s->part] |= s->ticks > 0;
    }
    g_ptr_array_sort(all, by_function_ticks);
    rows_begin("functions");
    rows_column("function", "", "machine function");
    rows_column("image", "", "its file in the guest");
    rows_column("count", "accesses", "that it waited for");
    rows_column("stall", "us", "what it waited");
    rows_column("interrupt", "us", "of this, while the kernel handled an interrupt");
    for (int k = 0; k < PARTS; k++)
        if (used[k])
            rows_column(part_name[k], "us", part_meaning[k]);
    for (guint i = 0; i < all->len && rows_room(i, MAX_FUNCTIONS); i++) {
        const struct function *f = all->pdata[i];

        rows_next();
        cell_text(f->code->function);
        cell_text(f->code->image);
        cell_number(f->count);
        cell_us(tally_us(t, f->ticks));
        if (t->p->modes)
            cell_us(tally_us(t, f->interrupt));
        else
            cell_number(UNKNOWN);
        for (int k = 0; k < PARTS; k++)
            if (used[k])
                cell_us(tally_us(t, f->part[k]));
    }
    rows_end();
}

/* --- contended lines ---------------------------------------------------------------------------- */

/* Misses of a line that agree in offset, kind, thread, node, cause, object and source line. */
struct access {
    const struct miss *m;
    uint64_t count, ticks;
};

static gint by_access_ticks(gconstpointer a, gconstpointer b)
{
    const struct access *x = *(struct access *const *)a, *y = *(struct access *const *)b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return x->m < y->m ? -1 : x->m > y->m;
}

static void access_row(const struct tally *t, const struct line *l, const char *object,
                       const struct access *x)
{
    const struct miss *m = x->m;
    g_autofree char *place = m ? code_place(code_at(t->r, m->code)) : NULL;
    g_autofree char *what = m ? resolve_place(t->r, m) : NULL;

    rows_next();
    cell_address(l->address);
    cell_text(object);
    cell_number(m ? m->address % t->p->line : UNKNOWN);
    cell_text(m ? m->kind : NULL);
    cell_text(m && m->who ? m->who->comm : NULL);
    cell_number(m && m->who ? m->who->tid : UNKNOWN);
    cell_number(m ? profile_node(t->p, m->cpu) : UNKNOWN);
    cell_text(m ? cause_name[m->cause] : NULL);
    cell_text(what);
    cell_text(place);
    cell_number(x->count);
    cell_us(tally_us(t, x->ticks));
}

static void line_accesses(const struct tally *t, const struct line *l)
{
    g_autofree char *object = object_text(object_at(t->r, l->object));
    g_autoptr(GHashTable) known = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    struct access rest = { 0 };

    for (guint i = 0; i < l->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, g_array_index(l->misses, guint, i));
        g_autofree char *place = code_place(code_at(t->r, m->code));
        g_autofree char *key = g_strdup_printf(
            "%" PRIu64 " %s %" PRIu64 " %" PRIu64 " %d %d %s", m->address % t->p->line, m->kind,
            m->who ? m->who->tid : 0, profile_node(t->p, m->cpu), m->cause, m->object, place);
        struct access *x = g_hash_table_lookup(known, key);

        if (!x) {
            x = g_new0(struct access, 1);
            x->m = m;
            g_hash_table_insert(known, g_steal_pointer(&key), x);
            g_ptr_array_add(all, x);
        }
        x->count += m->count;
        x->ticks += m->ticks;
    }
    g_ptr_array_sort(all, by_access_ticks);
    for (guint i = 0; i < all->len; i++) {
        const struct access *x = all->pdata[i];

        if (i < MAX_LINE_ROWS) {
            access_row(t, l, object, x);
        } else {
            rest.count += x->count;
            rest.ticks += x->ticks;
        }
    }
    if (rest.count)
        access_row(t, l, object, &rest);
}

void page_contended(const struct tally *t)
{
    guint n = 0;

    rows_begin("contended");
    rows_column("line", "address",
                "its first byte; a row without an offset sums up what is not listed");
    rows_column("object", "", "whose misses on it cost most");
    rows_column("offset", "", "byte in the line");
    rows_column("kind", "", "load, store, ...");
    rows_column("thread", "", "name of its program");
    rows_column("tid", "", "thread");
    rows_column("node", "", "of the processor");
    rows_column("cause", "", "of the miss");
    rows_column("what", "", "what was touched");
    rows_column("at", "", "source line");
    rows_column("count", "transactions", "of these accesses");
    rows_column("stall", "us", "what they waited");
    for (guint i = 0; i < t->lines->len && n < MAX_LINES; i++) {
        const struct line *l = t->lines->pdata[i];

        if (line_is_contended(l)) {
            line_accesses(t, l);
            n++;
        }
    }
    rows_end();
}

/* --- pages ------------------------------------------------------------------------------------------ */

static gint by_page_ticks(gconstpointer a, gconstpointer b)
{
    const struct page *x = *(struct page *const *)a, *y = *(struct page *const *)b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* "0:20 3:7": node 0 had 20 transactions, node 3 had 7. */
static void cell_by_node(const struct page *g, bool homes)
{
    g_autoptr(GString) s = g_string_new("");

    for (guint i = 0; i < g->nodes->len; i++) {
        const struct page_node *n = AT(g->nodes, struct page_node, i);
        uint64_t count = homes ? n->homes : n->users;

        if (count)
            g_string_append_printf(s, "%s%" PRIu64 ":%" PRIu64, s->len ? " " : "", n->node, count);
    }
    cell_text(s->str);
}

static void page_row(const struct tally *t, const struct page *g)
{
    g_autofree char *object = object_text(object_at(t->r, g->object));
    uint64_t homes = 0, user = 0, most = 0;

    for (guint i = 0; i < g->nodes->len; i++) {
        const struct page_node *n = AT(g->nodes, struct page_node, i);

        homes += n->homes > 0;
        if (n->users > most) {
            most = n->users;
            user = n->node;
        }
    }
    rows_next();
    cell_address(g->address);
    cell_number(g->mm);
    cell_text(object);
    cell_number(g->home);
    cell_number(user);
    cell_number(homes ? homes - 1 : 0);
    cell_number(g->best == UNKNOWN ? g->home : g->best);
    cell_number(g->count);
    cell_us(tally_us(t, g->ticks));
    cell_us(g->best == UNKNOWN ? 0 : g->saving * t->p->tick_us);
    cell_by_node(g, false);
    cell_by_node(g, true);
}

void page_pages(const struct tally *t)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();

    for (guint i = 0; i < t->pages->len; i++)
        g_ptr_array_add(all, t->pages->pdata[i]);
    g_ptr_array_sort(all, by_page_ticks);
    rows_begin("pages");
    rows_column("page", "address", "first byte");
    rows_column("space", "", "address space");
    rows_column("object", "", "first seen in it");
    rows_column("home", "", "node of the memory, at last");
    rows_column("user", "", "node with the most transactions");
    rows_column("migrations", "", "homes that it had, less one");
    rows_column("best", "", "node where it would cost least");
    rows_column("count", "transactions", "on this page, without instruction fetches");
    rows_column("stall", "us", "what they waited");
    rows_column("saves", "us", "what the best node would save, an estimate");
    rows_column("users", "", "node:transactions");
    rows_column("homes", "", "node:transactions that found the page there");
    for (guint i = 0; i < all->len && i < MAX_PAGES; i++)
        page_row(t, all->pdata[i]);
    rows_end();
}

/* --- source -------------------------------------------------------------------------------------------- */

static void source_rows(const struct tally *t, const struct source_file *f, char **text)
{
    int n = (int)g_strv_length(text);

    for (int i = MAX(f->first - CONTEXT, 1); i <= MIN(f->last + CONTEXT, n); i++) {
        const struct sum *s = g_hash_table_lookup(f->lines, GINT_TO_POINTER(i));

        if (!source_near(f, i, CONTEXT))
            continue;
        rows_next();
        cell_text(f->name);
        cell_number((uint64_t)i);
        cell_number(s ? s->all_count : 0);
        cell_us(s ? tally_us(t, s->all_ticks) : 0);
        cell_text(*text[i - 1] ? text[i - 1] : " ");
        page_cause_cells(t, s);
    }
}

void page_source(const struct tally *t)
{
    g_autoptr(GHashTable) without = g_hash_table_new(text_hash, g_str_equal);
    g_autoptr(GPtrArray) files = source_files(t, NULL, without);

    rows_begin("source");
    rows_column("file", "", "as the debug information names it");
    rows_column("line", "", "number");
    rows_column("count", "transactions", "of the line's code");
    rows_column("stall", "us", "what it waited");
    rows_column("text", "", "the source");
    page_cause_columns(t);
    for (guint i = 0; i < files->len; i++) {
        const struct source_file *f = files->pdata[i];
        char **text = f->ticks * 200 >= t->all.all_ticks ? source_text(t, f) : NULL;

        if (text)
            source_rows(t, f, text);
        g_strfreev(text);
    }
    rows_end();
}

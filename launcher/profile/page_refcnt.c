// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of pages, which refcnt(1) printed as CSV, as an input of a page (docs/report-data.md).
 * Several samples of a page are added up, because each is the increase since the one before; a
 * home that changes between them is a migration.
 */
#include "page_refcnt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "rows.h"

#define NODES     128
#define MAX_PAGES 4000u /* the most used ones */

enum { VADDR, PADDR, HOME, COLUMNS };

struct counted {
    uint64_t address, home, migrations, total;
    GArray *count; /* uint64_t by node, as far as there are any */
};

static gint by_total(gconstpointer a, gconstpointer b)
{
    const struct counted *x = *(struct counted *const *)a, *y = *(struct counted *const *)b;

    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void add(GHashTable *known, GPtrArray *all, const struct table *t)
{
    uint64_t virtual = table_number(t, VADDR), home = table_number(t, HOME);
    uint64_t address = virtual && virtual != UNKNOWN ? virtual : table_number(t, PADDR);
    struct counted *g = g_hash_table_lookup(known, GSIZE_TO_POINTER(address));

    if (!g) {
        g = g_new0(struct counted, 1);
        g->address = address;
        g->home = home;
        g->count = g_array_new(FALSE, TRUE, sizeof(uint64_t));
        g_hash_table_insert(known, GSIZE_TO_POINTER(address), g);
        g_ptr_array_add(all, g);
    }
    g->migrations += home != g->home;
    g->home = home;
    for (int n = 0; n < NODES; n++) {
        uint64_t v = table_number(t, COLUMNS + n);

        if (v == UNKNOWN)
            continue;
        if ((guint)n >= g->count->len)
            g_array_set_size(g->count, (guint)n + 1);
        *AT(g->count, uint64_t, n) += v;
        g->total += v;
    }
}

static void put_row(const struct counted *g)
{
    g_autoptr(GString) users = g_string_new("");
    guint user = 0;

    for (guint n = 0; n < g->count->len; n++) {
        uint64_t count = *AT(g->count, uint64_t, n);

        if (count)
            g_string_append_printf(users, "%s%u:%" PRIu64, users->len ? " " : "", n, count);
        if (count > *AT(g->count, uint64_t, user))
            user = n;
    }
    rows_next();
    cell_address(g->address);
    cell_number(g->home);
    cell_number(user);
    cell_number(g->migrations);
    cell_number(g->total);
    cell_text(users->str);
}

/* The pages of @path, the most used first; NULL if it cannot be read. */
static GPtrArray *read_pages(const char *path)
{
    static const char *const first[COLUMNS] = { "vaddr", "paddr", "home" };
    const char *columns[COLUMNS + NODES];
    g_autoptr(GHashTable) known = g_hash_table_new(number_hash, NULL);
    GPtrArray *all;
    struct table *t;

    for (int i = 0; i < COLUMNS + NODES; i++)
        columns[i] = i < COLUMNS ? first[i] : g_strdup_printf("n%d", i - COLUMNS);
    t = table_open(path, 0, columns, COLUMNS + NODES);
    for (int i = COLUMNS; i < COLUMNS + NODES; i++)
        g_free((char *)columns[i]);
    if (!t)
        return NULL;
    all = g_ptr_array_new();
    while (table_next(t))
        add(known, all, t);
    table_close(t);
    g_ptr_array_sort(all, by_total);
    return all;
}

bool export_refcnt(const char *path, const struct page_parts *parts)
{
    g_autoptr(GPtrArray) all = read_pages(path);

    if (!all || !all->len) {
        fprintf(stderr, "origin: %s: %s\n", path,
                all ? "no counters of pages: the file ends after its first line"
                    : plain_why(errno));
        return false;
    }
    fputs("{\"kind\":\"refcnt\"", stdout);
    if (!page_put_parts(parts))
        return false;
    printf(",\n\"tables\":{");
    rows_begin("pages");
    rows_column("page", "address", "first byte: virtual, or physical if refcnt read a whole node");
    rows_column("home", "", "node of the memory, at last");
    rows_column("user", "", "node with the most references");
    rows_column("migrations", "", "changes of the home between samples");
    rows_column("count", "references", "of all nodes");
    rows_column("users", "", "node:references");
    for (guint i = 0; i < all->len && i < MAX_PAGES; i++)
        put_row(all->pdata[i]);
    rows_end();
    puts("}}");
    return true;
}

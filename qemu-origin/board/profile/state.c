/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Containers in an archive; see state.h. */
#include "qemu/osdep.h"
#include "state.h"

uint32_t guest_move_count(struct sn_archive *a, uint32_t n)
{
    SN_MOVE(a, n);
    sn_must(a, n <= GUEST_STATE_MAX);
    return a->failed ? 0 : n;
}

void guest_move_array(struct sn_archive *a, GArray *g)
{
    uint32_t n = guest_move_count(a, g->len);

    if (a->loading) {
        g_array_set_size(g, n);
    }
    sn_move(a, g->data, (size_t)n * g_array_get_element_size(g));
}

void guest_move_table(struct sn_archive *a, GHashTable *t)
{
    uint32_t n = guest_move_count(a, g_hash_table_size(t));
    GHashTableIter at;
    gpointer key, value;

    if (a->loading) {
        for (; n && !a->failed; n--) {
            SN_MOVE(a, key);
            SN_MOVE(a, value);
            if (!a->failed) {
                g_hash_table_insert(t, key, value);
            }
        }
        return;
    }
    g_hash_table_iter_init(&at, t);
    while (g_hash_table_iter_next(&at, &key, &value)) {
        SN_MOVE(a, key);
        SN_MOVE(a, value);
    }
}

void guest_move_text(struct sn_archive *a, char **text)
{
    uint32_t n = guest_move_count(a, *text ? strlen(*text) + 1 : 0);

    if (a->loading) {
        *text = n ? g_malloc0(n + 1) : NULL;
    }
    sn_move(a, *text, n);
}

void guest_move_name(struct sn_archive *a, const char **name)
{
    g_autofree char *text = a->loading ? NULL : g_strdup(*name);

    guest_move_text(a, &text);
    if (a->loading) {
        *name = g_intern_string(text);
    }
}

const void *guest_move_row(struct sn_archive *a, const void *row,
                           const void *rows, size_t size, uint32_t n)
{
    /* From 1; 0: none */
    uint32_t number = 0;

    if (!a->loading && row) {
        number = ((const char *)row - (const char *)rows) / size + 1;
    }
    SN_MOVE(a, number);
    sn_must(a, number <= n);
    if (a->failed || !number) {
        return NULL;
    }
    return (const char *)rows + (number - 1) * size;
}

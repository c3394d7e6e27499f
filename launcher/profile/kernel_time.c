// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of the kernel's locks.  Interface: kernel_time.h. */
#include "kernel_time.h"

#include <stdio.h>
#include <string.h>

/* From a quarter of all threads' time on, locks are what the first line tells. */
#define MUCH 0.25

struct sums {
    const struct tally *t;
    struct kernel_time *k;
    GByteArray *is_lock; /* by code: 0: not known, 1: no function of a lock, 2: one */
};

static bool is_lock(struct sums *s, int code)
{
    guint n = s->is_lock->len;

    if (n <= (guint)code) {
        g_byte_array_set_size(s->is_lock, (guint)code + 1);
        memset(s->is_lock->data + n, 0, (guint)code + 1 - n);
    }
    if (!s->is_lock->data[code])
        s->is_lock->data[code] = resolve_is_lock(s->t->r, code) ? 2 : 1;
    return s->is_lock->data[code] == 2;
}

static uint64_t add_to(GHashTable *sums, gpointer key, uint64_t n)
{
    uint64_t *sum = g_hash_table_lookup(sums, key);

    if (!sum)
        g_hash_table_insert(sums, key, sum = g_new0(uint64_t, 1));
    return *sum += n;
}

/* --- time ---------------------------------------------------------------------------- */

static void add_time(struct sums *s)
{
    g_autoptr(GHashTable) who = g_hash_table_new(number_hash, NULL);
    const struct profile *p = s->t->p;

    for (guint i = 0; i < p->computing->len; i++) {
        const struct computing *c = AT(p->computing, struct computing, i);

        if (c->code < 0 || c->mode == STATE_INTERRUPT || !is_lock(s, c->code))
            continue;
        for (int b = 0; b < BOUNDS; b++)
            s->k->ticks += c->ticks[b];
        g_hash_table_add(who, GSIZE_TO_POINTER(c->who ? c->who->tid : 0));
    }
    for (guint i = 0; i < p->stalls->len; i++) {
        const struct stall *w = AT(p->stalls, struct stall, i);

        if (w->code >= 0 && w->mode != STATE_INTERRUPT && is_lock(s, w->code))
            s->k->ticks += w->ticks;
    }
    s->k->threads = g_hash_table_size(who);
}

/* --- locks --------------------------------------------------------------------------- */

static void add_lock(struct kernel_time *k, const char *function, int object, uint64_t ticks)
{
    GHashTable *of = g_hash_table_lookup(k->locks, function);

    if (!of) {
        of = g_hash_table_new_full(number_hash, NULL, NULL, g_free);
        g_hash_table_insert(k->locks, g_strdup(function), of);
    }
    add_to(of, GINT_TO_POINTER(object + 1), ticks);
}

/* By object: ticks of the misses that functions of locks made.  g_free(). */
static uint64_t *add_misses(struct sums *s)
{
    const struct tally *t = s->t;
    uint64_t *ticks = g_new0(uint64_t, (gsize)object_count(t->r) + 1);

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        const char *lock;
        int code;

        if (m->object < 0 || !is_lock(s, m->code) || m->cause == CAUSE_FETCH ||
            resolve_is_queue(object_at(t->r, m->object)))
            continue;
        code = resolve_taker(t->r, m, &lock);
        if (!lock)
            continue;
        add_lock(s->k, code_at(t->r, code)->function, m->object, m->ticks);
        ticks[m->object] += m->ticks;
    }
    return ticks;
}

/* What of the lock's misses adds up to most: places, or, if @place is not NULL, the functions of locks that it calls. */
static const char *find_most(struct sums *s, const char *place)
{
    g_autoptr(GHashTable) sums = g_hash_table_new_full(number_hash, NULL, NULL, g_free);
    const struct tally *t = s->t;
    const char *best = NULL;
    uint64_t most = 0;

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        const char *lock, *at;
        uint64_t sum;
        int code;

        if (m->object != s->k->object || !is_lock(s, m->code) || m->cause == CAUSE_FETCH)
            continue;
        code = resolve_taker(t->r, m, &lock);
        at = lock ? resolve_code_place(t->r, code) : NULL;
        if (!at || (place && place != at))
            continue;
        if (place)
            s->k->code = code;
        at = place ? g_intern_string(lock) : at;
        sum = add_to(sums, (gpointer)at, m->ticks);
        if (sum > most) {
            most = sum;
            best = at;
        }
    }
    return best;
}

/* Which line takes the lock that has most misses, and by what */
static void find_line(struct sums *s)
{
    const char *place = find_most(s, NULL);

    s->k->lock = place ? find_most(s, place) : NULL;
    if (s->k->code >= 0)
        s->k->code = resolve_outer(s->t->r, s->k->code);
}

struct kernel_time *kernel_time_sum(const struct tally *t)
{
    struct sums s = { t, g_new0(struct kernel_time, 1), g_byte_array_new() };
    g_autofree uint64_t *ticks = NULL;

    s.k->object = s.k->code = -1;
    s.k->locks =
        g_hash_table_new_full(text_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_destroy);
    if (t->p->pipeline)
        add_time(&s);
    ticks = add_misses(&s);
    for (int o = 0; o < object_count(t->r); o++)
        if (ticks[o] && (s.k->object < 0 || ticks[o] > ticks[s.k->object]))
            s.k->object = o;
    if (s.k->object >= 0)
        find_line(&s);
    g_byte_array_free(s.is_lock, TRUE);
    return s.k;
}

void kernel_time_free(struct kernel_time *k)
{
    g_hash_table_destroy(k->locks);
    g_free(k);
}

int kernel_time_lock(const struct kernel_time *k, const char *function)
{
    GHashTable *of = g_hash_table_lookup(k->locks, function);
    GHashTableIter it;
    gpointer object, ticks;
    uint64_t most = 0;
    int best = -1;

    if (!of)
        return -1;
    g_hash_table_iter_init(&it, of);
    while (g_hash_table_iter_next(&it, &object, &ticks)) {
        int number = GPOINTER_TO_INT(object) - 1;
        uint64_t n = *(uint64_t *)ticks;

        if (n > most || (n == most && number < best)) {
            most = n;
            best = number;
        }
    }
    return best;
}

char *kernel_time_headline(const struct tally *t, const struct kernel_time *k, uint64_t time,
                           uint64_t more)
{
    g_autofree char *object = NULL, *spot = NULL;

    if (k->object < 0 || k->code < 0 || !k->ticks || k->ticks <= more ||
        (double)k->ticks < MUCH * (double)time)
        return NULL;
    object = object_text(object_at(t->r, k->object));
    spot = code_spot(code_at(t->r, k->code));
    return g_strdup_printf("%s: %u thread%s %.1f us in locks of the kernel, %.0f %% of all "
                           "threads' time, most of it at %s through %s()",
                           object, k->threads, k->threads == 1 ? " spends" : "s spend",
                           tally_us(t, k->ticks), 100 * (double)k->ticks / (double)time, spot,
                           k->lock);
}

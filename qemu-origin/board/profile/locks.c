/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks by address, and rows by who takes them; see locks.h. */
#include "qemu/osdep.h"
#include "system/mp-time.h"
#include "target/mips/cpu.h"
#include "sn.h"
#include "profile/lock_functions.h"
#include "calls.h"
#include "heap.h"
#include "locks.h"
#include "regions.h"
#include "state.h"
#include "threads.h"

enum { V0 = 2, A0 = 4, SP = 29, RA = 31 };

/* profile/lock_functions.h says what they mean. */
enum act { TAKE, GIVE, WAIT, FORGET };

static const struct function {
    const char *name;
    enum act act;
    uint8_t lock; /* number of an argument */
} functions[] = {
#define X(name, ACT, lock) { #name, ACT, lock },
    SN_LOCKS(X)
#undef X
};

typedef struct Where {
    uint64_t space, address;
} Where;

typedef struct Lock {
    Where where;
    uint32_t holder, last; /* threads; 0: none */
    uint32_t depth;        /* how often the holder has it */
    uint16_t from;         /* node where `last` gave it back */
    int64_t since;         /* ticks: the holder has it */
    GuestLockRow *row;     /* of the holder; NULL: there was no room */
} Lock;

/* The outermost call of a watched function that a thread is in */
typedef struct Pending {
    uint64_t ra, sp, address;
    const struct function *f; /* NULL: in none */
    int64_t since;
    uint32_t path;
    bool contended;
} Pending;

static struct {
    GHashTable *lock;  /* by where it is */
    GHashTable *known; /* rows by key */
    GPtrArray *rows;
    GArray *pending; /* by thread */
    uint32_t max;
    uint64_t lost;
} locks;

QEMU_BUILD_BUG_ON(sizeof(GuestLockKey) != 40);

static uint64_t mix(const uint64_t *word, unsigned n)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < n; i++) {
        h = (h ^ word[i]) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h >> 32;
}

static guint hash_of_key(gconstpointer p)
{
    uint64_t word[sizeof(GuestLockKey) / 8];

    memcpy(word, p, sizeof(word));
    return mix(word, ARRAY_SIZE(word));
}

static gboolean same_key(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, sizeof(GuestLockKey));
}

static guint hash_of_where(gconstpointer p)
{
    const Where *w = p;
    const uint64_t word[] = { w->space, w->address };

    return mix(word, ARRAY_SIZE(word));
}

static gboolean same_where(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, sizeof(Where));
}

void guest_locks_init(uint32_t rows)
{
    locks.max = rows;
    locks.lock = g_hash_table_new_full(hash_of_where, same_where, NULL, g_free);
    locks.known = g_hash_table_new(hash_of_key, same_key);
    locks.rows = g_ptr_array_new_with_free_func(g_free);
    /* Others may look at theirs while a new one comes, so none ever moves. */
    locks.pending =
        g_array_sized_new(false, true, sizeof(Pending), GUEST_THREADS_MAX);
}

int guest_locks_function(const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(functions); i++) {
        if (!strcmp(functions[i].name, name)) {
            return i;
        }
    }
    return -1;
}

/* ---- locks ---- */

static unsigned cpu_of(CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);

    return env->r10k.nasid * SN_NODE_CPUS + env->r10k.slice;
}

static Where where_is(uint32_t thread, uint64_t address)
{
    uint32_t n;

    return (Where){ guest_threads(&n)[thread].space, address };
}

static Lock *find(uint32_t thread, uint64_t address)
{
    const Where w = where_is(thread, address);

    return g_hash_table_lookup(locks.lock, &w);
}

/* NULL: there are too many. */
static Lock *find_or_make(uint32_t thread, uint64_t address)
{
    Lock *l = find(thread, address);

    if (!l && g_hash_table_size(locks.lock) < locks.max) {
        l = g_new0(Lock, 1);
        l->where = where_is(thread, address);
        g_hash_table_insert(locks.lock, &l->where, l);
    }
    return l;
}

static GuestLockRow *row_of(const GuestLockKey *key)
{
    GuestLockRow *r = g_hash_table_lookup(locks.known, key);

    if (!r && locks.rows->len < locks.max) {
        r = g_new0(GuestLockRow, 1);
        r->key = *key;
        g_hash_table_insert(locks.known, &r->key, r);
        g_ptr_array_add(locks.rows, r);
    }
    return r;
}

static void take(CPUState *cs, uint32_t thread, const Pending *p)
{
    Lock *l = find_or_make(thread, p->address);
    bool other = l && l->last && l->last != thread;
    const GuestLockKey key = {
        .address = p->address,
        .pc = p->ra,
        .thread = thread,
        .path = p->path,
        .block =
            guest_heap_block(where_is(thread, p->address).space, p->address),
        .cpu = cpu_of(cs),
        .from = other ? l->from : GUEST_NO_NODE,
        .region = guest_region(thread),
    };

    if (l && l->holder == thread) {
        l->depth++;
        return;
    }
    if (l) {
        l->holder = thread;
        l->depth = 1;
        l->since = mp_time_local(cs);
        l->row = row_of(&key);
    }
    if (!l || !l->row) {
        locks.lost++;
        return;
    }
    l->row->count++;
    l->row->contended += p->contended;
    if (p->f->act == TAKE) {
        l->row->waited += MAX(l->since - p->since, 0);
    }
}

static void give(CPUState *cs, uint32_t thread, uint64_t address)
{
    Lock *l = find(thread, address);

    if (!l || l->holder != thread || --l->depth) {
        return;
    }
    if (l->row) {
        l->row->held += MAX(mp_time_local(cs) - l->since, 0);
    }
    l->holder = 0;
    l->last = thread;
    l->from = cpu_of(cs) / SN_NODE_CPUS;
}

/* ---- calls ---- */

static Pending *pending_of(uint32_t thread)
{
    if (thread >= locks.pending->len) {
        g_array_set_size(locks.pending, thread + 1);
    }
    return &g_array_index(locks.pending, Pending, thread);
}

void guest_locks_enter(CPUState *cs, uint32_t thread, uint64_t pc,
                       unsigned function)
{
    const target_ulong *gpr = cpu_env(cs)->active_tc.gpr;
    const struct function *f = &functions[function];
    uint64_t address = gpr[A0 + f->lock];
    Pending *p = pending_of(thread);
    const Lock *l;
    Where w;

    if (p->f && (gpr[SP] < p->sp || (gpr[SP] == p->sp && gpr[RA] == p->ra))) {
        return; /* called by that function */
    }
    p->f = NULL;
    if (f->act == FORGET) {
        w = where_is(thread, address);
        g_hash_table_remove(locks.lock, &w);
        return;
    }
    if (f->act == GIVE || f->act == WAIT) {
        give(cs, thread, address);
    }
    if (f->act == TAKE || f->act == WAIT) {
        l = find(thread, address);
        *p = (Pending){
            .ra = gpr[RA],
            .sp = gpr[SP],
            .address = address,
            .f = f,
            .since = mp_time_local(cs),
            .path = guest_calls_caller(cs, thread, pc),
            .contended =
                f->act == TAKE && l && l->holder && l->holder != thread,
        };
    }
}

void guest_locks_leave(CPUState *cs, uint32_t thread, uint64_t to)
{
    const target_ulong *gpr = cpu_env(cs)->active_tc.gpr;
    Pending *p;

    if (thread >= locks.pending->len) {
        return;
    }
    p = &g_array_index(locks.pending, Pending, thread);
    if (!p->f || to != p->ra || gpr[SP] != p->sp) {
        return;
    }
    mp_time_in_turn();
    if (p->f) { /* a broken kernel may run the thread on another processor, too */
        if (p->f->act == WAIT || !gpr[V0]) {
            take(cs, thread, p);
        }
        p->f = NULL;
    }
}

/* ---- tables ---- */

void guest_locks_rows(void (*see)(void *opaque, const GuestLockRow *r),
                      void *opaque)
{
    for (guint i = 0; i < locks.rows->len; i++) {
        see(opaque, locks.rows->pdata[i]);
    }
}

uint64_t guest_locks_lost(void)
{
    return locks.lost;
}

void guest_locks_reset(void)
{
    g_hash_table_remove_all(locks.lock);
    g_hash_table_remove_all(locks.known);
    g_ptr_array_set_size(locks.rows, 0);
    g_array_set_size(locks.pending, 0);
    locks.lost = 0;
}

/* ---- saved and loaded ---- */

static void rows_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, locks.rows->len);

    for (uint32_t i = 0; i < n; i++) {
        GuestLockRow *r =
            a->loading ? g_new0(GuestLockRow, 1) : locks.rows->pdata[i];

        SN_MOVE(a, *r);
        if (a->loading) {
            g_ptr_array_add(locks.rows, r);
            g_hash_table_insert(locks.known, &r->key, r);
        }
    }
}

/* A lock's row is named by its key. */
static void lock_state(struct sn_archive *a, Lock *l)
{
    GuestLockKey key = { 0 };
    bool has_row = l->row;

    SN_MOVE(a, *l);
    SN_MOVE(a, has_row);
    sn_must_be_bool(a, &has_row);
    if (has_row && !a->loading) {
        key = l->row->key;
    }
    SN_MOVE(a, key);
    if (a->loading) {
        l->row = has_row ? g_hash_table_lookup(locks.known, &key) : NULL;
    }
}

static void all_locks_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, g_hash_table_size(locks.lock));
    GHashTableIter at;
    gpointer lock;

    if (a->loading) {
        for (; n && !a->failed; n--) {
            Lock *l = g_new0(Lock, 1);

            lock_state(a, l);
            g_hash_table_insert(locks.lock, &l->where, l);
        }
        return;
    }
    g_hash_table_iter_init(&at, locks.lock);
    while (g_hash_table_iter_next(&at, NULL, &lock)) {
        lock_state(a, lock);
    }
}

static void pending_state(struct sn_archive *a, Pending *p)
{
    const void *f = p->f;

    SN_MOVE(a, *p);
    p->f = guest_move_row(a, f, functions, sizeof(functions[0]),
                          ARRAY_SIZE(functions));
}

void guest_locks_state(struct sn_archive *a)
{
    uint32_t n;

    rows_state(a);
    all_locks_state(a);
    n = guest_move_count(a, locks.pending->len);
    if (a->loading) {
        g_array_set_size(locks.pending, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        pending_state(a, &g_array_index(locks.pending, Pending, i));
    }
    SN_MOVE(a, locks.lost);
}

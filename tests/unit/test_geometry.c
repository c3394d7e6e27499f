/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches of all geometries against a slow one that is written from the definition: a set
 * is a list of lines, the one used last first.  Which line hits, misses and leaves, and what
 * each hit of the L2 costs, must be the same for each access.  With random replacement any
 * line of a full set may leave, and no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "what/what.h"

#define CPUS  2
#define SETS  8192 /* at most, of a cache */
#define WAYS  16
#define STEPS 6000

struct entry {
    uint64_t line; /* its first byte */
    bool shared;   /* a store must ask the L2, or the L2 the home */
};

struct cache {
    unsigned line, sets, ways;
    struct {
        unsigned n;
        struct entry e[WAYS];
        uint64_t last; /* the line used last, though it may be gone */
    } set[SETS];
};

struct cpu {
    struct cache d, i, l2;
    uint64_t miss_d, miss_i, l2_miss_d, l2_miss_i, mispredict;
};

struct rig {
    struct mach k;
    bool lru, general; /* the L2's replacement; sn_any_...() for usual caches, too */
    struct cpu cpu[CPUS];
};

static uint64_t number;
static uint32_t any(void)
{
    number ^= number << 13;
    number ^= number >> 7;
    number ^= number << 17;
    return (uint32_t)(number >> 16);
}

static void new_cache(struct cache *c, unsigned bytes, unsigned ways, unsigned line)
{
    c->line = line;
    c->ways = ways;
    c->sets = bytes / ways / line;
    assert_true(c->sets <= SETS && ways <= WAYS);
    for (unsigned s = 0; s < c->sets; s++) {
        c->set[s].n = 0;
        c->set[s].last = UINT64_MAX;
    }
}

static unsigned set_of(const struct cache *c, uint64_t pa)
{
    return (unsigned)(pa / c->line % c->sets);
}

static struct entry *find(struct cache *c, uint64_t pa)
{
    unsigned s = set_of(c, pa);

    for (unsigned i = 0; i < c->set[s].n; i++) {
        if (c->set[s].e[i].line == pa / c->line * c->line) {
            return &c->set[s].e[i];
        }
    }
    return NULL;
}

static void take_out(struct cache *c, struct entry *e)
{
    unsigned s = set_of(c, e->line);
    struct entry *end = &c->set[s].e[--c->set[s].n];

    memmove(e, e + 1, (size_t)(end - e) * sizeof(*e));
}

static void put_first(struct cache *c, struct entry new)
{
    unsigned s = set_of(c, new.line);

    memmove(&c->set[s].e[1], &c->set[s].e[0], c->set[s].n++ * sizeof(new));
    c->set[s].e[0] = new;
    c->set[s].last = new.line;
}

/* The line is used: it goes to the front. */
static struct entry *use(struct cache *c, struct entry *e)
{
    struct entry was = *e;
    unsigned s = set_of(c, was.line);

    take_out(c, e);
    put_first(c, was);
    return &c->set[s].e[0];
}

/* A line enters, the least recently used one leaves. */
static void enter(struct cache *c, uint64_t pa, bool shared)
{
    unsigned s = set_of(c, pa);

    if (c->set[s].n == c->ways) {
        take_out(c, &c->set[s].e[c->ways - 1]);
    }
    put_first(c, (struct entry){ pa / c->line * c->line, shared });
}

/* All of an L2 line leaves the primary caches. */
static void purge(struct cpu *c, uint64_t line)
{
    struct cache *const l1[2] = { &c->d, &c->i };

    for (unsigned k = 0; k < 2; k++) {
        for (uint64_t pa = line; pa < line + c->l2.line; pa += l1[k]->line) {
            struct entry *e = find(l1[k], pa);

            if (e) {
                take_out(l1[k], e);
            }
        }
    }
}

/* ---- the engine's side ---- */

static bool engine_has(const struct rig *r, unsigned cpu, uint64_t pa)
{
    return sn_cpu_state(&r->k.m->cpu[cpu], pa) != SN_I;
}

static unsigned engine_lines(const struct sn_cache *c, uint64_t pa)
{
    const uint32_t *s = sn_cache_set(c, pa);
    unsigned n = 0;

    for (unsigned w = 0; w < c->ways; w++) {
        n += sn_tag_state(s, w) != SN_I;
    }
    return n;
}

/* The sets of an address have the same lines. */
static void same_set(struct cache *c, const struct sn_cache *e, uint64_t pa)
{
    unsigned s = set_of(c, pa);

    assert_int_equal(engine_lines(e, pa), c->set[s].n);
    for (unsigned i = 0; i < c->set[s].n; i++) {
        uint64_t line = c->set[s].e[i].line;

        assert_true(sn_cache_find(e, sn_cache_set(e, line), sn_cache_tag(e, line)) >= 0);
    }
}

/* One access as the board makes it.  Ticks of the stall */
static uint32_t access_of(struct rig *r, unsigned cpu, enum sn_kind kind, uint64_t pa, uint64_t now)
{
    struct sn_fast *f = sn_cpu_fast(r->k.m, cpu);
    bool quick = f->usual && !r->general;
    uint32_t ticks = 0;
    unsigned flags;

    if (kind == SN_IFETCH ? quick
                                ? sn_fast_fetch_l1(f, pa) || sn_fast_fetch_l2(f, pa, false, &ticks)
                                : sn_any_fetch_l1(f, pa) || sn_any_fetch_l2(f, pa, false, &ticks)
                          : (quick ? sn_fast_data(f, pa, kind == SN_STORE, false, &ticks)
                                   : sn_any_data(f, pa, kind == SN_STORE, false, &ticks)) != SN_I) {
        return ticks;
    }
    return sn_access(r->k.m, cpu, pa, kind, now, 0, &flags);
}

/* ---- both ---- */

/* The L2 misses, and a full set loses a line: which one does the engine say? */
static void make_room(struct rig *r, unsigned cpu, uint64_t pa)
{
    struct cache *l2 = &r->cpu[cpu].l2;
    unsigned s = set_of(l2, pa), gone = 0, left = 0;

    for (unsigned i = 0; i < l2->set[s].n; i++) {
        if (!engine_has(r, cpu, l2->set[s].e[i].line)) {
            gone = i;
            left++;
        }
    }
    assert_int_equal(left, l2->set[s].n == l2->ways);
    if (left) {
        if (r->lru) {
            assert_int_equal(gone, l2->ways - 1);
        }
        purge(&r->cpu[cpu], l2->set[s].e[gone].line);
        take_out(l2, &l2->set[s].e[gone]);
    }
}

/* The definition's L2 after the engine's access.  Ticks of a hit, or UINT32_MAX: it missed */
static uint32_t through_l2(struct rig *r, unsigned cpu, enum sn_kind kind, uint64_t pa)
{
    struct cpu *c = &r->cpu[cpu];
    struct entry *e = find(&c->l2, pa);
    const struct sn_fast *f = sn_cpu_fast(r->k.m, cpu);
    uint32_t ticks = UINT32_MAX;

    if (e) {
        bool predicted = c->l2.set[set_of(&c->l2, pa)].last == e->line;

        c->mispredict += !predicted;
        ticks = f->t_l2hit + (predicted ? 0 : f->t_way);
        e = use(&c->l2, e);
        if (kind == SN_STORE && e->shared) { /* an upgrade */
            ticks = UINT32_MAX;
        }
    } else {
        *(kind == SN_IFETCH ? &c->l2_miss_i : &c->l2_miss_d) += 1;
        make_room(r, cpu, pa);
        enter(&c->l2, pa, false);
        e = find(&c->l2, pa);
    }
    /* Which copy it is, the protocol says. */
    e->shared = sn_cpu_state(&r->k.m->cpu[cpu], pa) == SN_S;
    return ticks;
}

/* What the access has done to the other processor's copies, by the protocol */
static void others(struct rig *r, unsigned cpu, uint64_t pa)
{
    struct cpu *o = &r->cpu[!cpu];
    struct entry *e = find(&o->l2, pa);
    unsigned st = sn_cpu_state(&r->k.m->cpu[!cpu], pa);

    assert_true(e || st == SN_I);
    if (e && st == SN_I) {
        purge(o, e->line);
        take_out(&o->l2, e);
    } else if (e && st == SN_S && !e->shared) {
        e->shared = true;
        for (uint64_t a = e->line; a < e->line + o->l2.line; a += o->d.line) {
            struct entry *part = find(&o->d, a);

            if (part) {
                part->shared = true;
            }
        }
    }
}

static void step(struct rig *r, unsigned cpu, enum sn_kind kind, uint64_t pa, uint64_t now)
{
    struct cpu *c = &r->cpu[cpu];
    struct cache *l1 = kind == SN_IFETCH ? &c->i : &c->d;
    const uint64_t *ev = sn_cpu_events(r->k.m, cpu);
    const struct sn_fast *f = sn_cpu_fast(r->k.m, cpu);
    uint32_t ticks = access_of(r, cpu, kind, pa, now), expected = 0;
    struct entry *e = find(l1, pa);

    if (!e) {
        *(kind == SN_IFETCH ? &c->miss_i : &c->miss_d) += 1;
    }
    if (!e || (kind == SN_STORE && e->shared)) {
        bool hit = e != NULL;

        expected = through_l2(r, cpu, kind, pa);
        e = hit ? find(l1, pa) : NULL;
    }
    if (e) {
        e = use(l1, e);
        e->shared &= kind != SN_STORE;
    } else {
        enter(l1, pa, kind != SN_STORE && find(&c->l2, pa)->shared);
    }
    others(r, cpu, pa);
    if (expected != UINT32_MAX) {
        assert_int_equal(ticks, expected);
    }
    assert_int_equal(ev[SN_R10K_L1D_MISS], c->miss_d);
    assert_int_equal(ev[SN_R10K_L1I_MISS], c->miss_i);
    assert_int_equal(ev[SN_R10K_L2D_MISS], c->l2_miss_d);
    assert_int_equal(ev[SN_R10K_L2I_MISS], c->l2_miss_i);
    assert_int_equal(ev[SN_R10K_D_MISPREDICT_WAY] + ev[SN_R10K_I_MISPREDICT_WAY], c->mispredict);
    same_set(&c->d, &f->d, pa);
    same_set(&c->i, &f->i, pa);
    same_set(&c->l2, &f->l2, pa);
}

/* A place within 384 KB, or one of a few places 64 KB apart, whose sets are the same */
static uint64_t place(void)
{
    uint32_t x = any();

    return at(0, x & 1 ? (x >> 1) % (384u << 10) : (x >> 8 & 31) << 16 | (x >> 16 & 7) << 5);
}

static void begin(struct rig *r, const char *keys, unsigned l2_bytes)
{
    char err[160];

    mach_desc(&r->k, 1, l2_bytes, &mach_r12k300, false);
    if (sn_what_set(&r->k.desc, keys, err, sizeof(err)) ||
        sn_what_check(&r->k.desc, err, sizeof(err))) {
        fail_msg("%s: %s", keys, err);
    }
    mach_start(&r->k, 1);
}

static void run(struct rig *r, unsigned steps)
{
    number = 88172645463325252ull;
    for (unsigned i = 0; i < steps; i++) {
        uint32_t x = any();

        step(r, x & 1, x & 2 ? SN_LOAD : x & 4 ? SN_STORE : SN_IFETCH, place(), i * 10000ull);
    }
}

static struct rig rig;

static void one(const char *keys, unsigned l1d, unsigned l1i, unsigned l1_ways, unsigned l2,
                unsigned l2_ways, unsigned line, bool lru)
{
    char err[200];

    memset(rig.cpu, 0, sizeof(rig.cpu));
    begin(&rig, keys, l2);
    rig.lru = lru;
    for (unsigned c = 0; c < CPUS; c++) {
        new_cache(&rig.cpu[c].d, l1d, l1_ways, 32);
        new_cache(&rig.cpu[c].i, l1i, l1_ways, line < 64 ? line : 64);
        new_cache(&rig.cpu[c].l2, l2, l2_ways, line);
    }
    run(&rig, STEPS);
    if (sn_check(rig.k.m, err, sizeof(err))) {
        fail_msg("%s: %s", keys, err);
    }
    sn_machine_free(rig.k.m);
}

static void test_definition(void **state)
{
    static const struct {
        unsigned d, i, ways; /* KB */
    } l1[] = { { 8, 8, 1 },   { 8, 16, 2 },  { 16, 64, 4 },   { 32, 32, 1 },   { 32, 32, 2 },
               { 32, 32, 8 }, { 64, 32, 4 }, { 128, 128, 1 }, { 128, 128, 2 }, { 128, 64, 8 } };
    char keys[160];

    (void)state;
    for (unsigned general = 0; general < 2; general++) {
        rig.general = general;
        for (unsigned i = 0; i < sizeof(l1) / sizeof(l1[0]); i++) {
            for (unsigned ways = 1; ways <= 16; ways *= 2) {
                bool lru = (i + (ways > 2) + general) & 1;
                unsigned line = general ? 32u << (i + ways / 4) % 4 : 128;

                snprintf(keys, sizeof(keys), "L1D=%uK,L1I=%uK,L1-ways=%u,L2-ways=%u,L2-line=%u%s",
                         l1[i].d, l1[i].i, l1[i].ways, ways, line,
                         lru ? ",L2-replacement=lru" : "");
                one(keys, l1[i].d << 10, l1[i].i << 10, l1[i].ways, (i & 1 ? 64 : 128) << 10, ways,
                    line, lru);
            }
        }
    }
}

/* sn_any_...() do to the caches of an R10000 what sn_fast_...() do, to the last bit. */
static void test_general(void **state)
{
    static struct rig r[2];
    static const size_t words = 2 * (128 << 10) / 256;
    uint64_t now = 0;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(&r[i], "L2-ways=2,L2-replacement=random,L1=32K,L1-ways=2", 128 << 10);
        assert_string_equal(r[i].k.desc.what.keys, "");
        r[i].general = i;
        assert_true(sn_cpu_fast(r[i].k.m, 0)->usual);
    }
    number = 1;
    for (unsigned i = 0; i < 100000; i++) {
        uint32_t x = any();
        enum sn_kind kind = x & 2 ? SN_LOAD : x & 4 ? SN_STORE : SN_IFETCH;
        uint64_t pa = place();

        now += 1000;
        assert_int_equal(access_of(&r[0], x & 1, kind, pa, now),
                         access_of(&r[1], x & 1, kind, pa, now));
    }
    for (unsigned c = 0; c < CPUS; c++) {
        struct sn_cpu *a = &r[0].k.m->cpu[c], *b = &r[1].k.m->cpu[c];

        assert_memory_equal(a->fast.l1d, b->fast.l1d, sizeof(a->fast.l1d));
        assert_memory_equal(a->fast.l1i, b->fast.l1i, sizeof(a->fast.l1i));
        assert_memory_equal(a->fast.l2.tag, b->fast.l2.tag, words * sizeof(uint32_t));
        assert_memory_equal(a->fast.ev, b->fast.ev, sizeof(a->fast.ev));
        assert_int_equal(a->rng, b->rng);
    }
    for (unsigned i = 0; i < 2; i++) {
        sn_machine_free(r[i].k.m);
    }
}

/* Each way of a full set is the victim about as often. */
static void test_random(void **state)
{
    struct sn_cache c = { .random = true };
    uint64_t rng = 1;
    unsigned times[WAYS] = { 0 };
    uint32_t *set;

    (void)state;
    assert_int_equal(sn_cache_init(&c, 64 << 10, WAYS, SN_LINE_SHIFT, NULL), 0);
    set = sn_cache_set(&c, 0);
    for (unsigned w = 0; w < WAYS; w++) {
        assert_int_equal(sn_cache_victim(&c, set, &rng), w);
        sn_tag_put(set, w, w << 2, SN_S);
    }
    for (unsigned i = 0; i < WAYS * 1000; i++) {
        times[sn_cache_victim(&c, set, &rng)]++;
    }
    for (unsigned w = 0; w < WAYS; w++) {
        assert_in_range(times[w], 850, 1150); /* five standard deviations of 31 */
    }
    sn_cache_free(&c);
}

/*
 * The only way of a set has the line of an LL.  Code that belongs there is used and does not
 * stay, so that the SC succeeds, and each fetch of it misses.  Afterwards it stays.
 */
static void test_link(void **state)
{
    uint64_t x = at(0, 0x1000), code = x + (64 << 10);
    unsigned flags;

    (void)state;
    begin(&rig, "L2-ways=1", 64 << 10);
    rig.general = true;
    for (unsigned i = 0; i < 3; i++) {
        sn_access(rig.k.m, 0, x, SN_LL, i * 100000, 0, &flags);
        access_of(&rig, 0, SN_IFETCH, code, i * 100000 + 20000);
        assert_false(engine_has(&rig, 0, code));
        assert_int_equal(sn_cpu_events(rig.k.m, 0)[SN_R10K_L2I_MISS], i + 1);
        sn_access(rig.k.m, 0, x, SN_SC, i * 100000 + 40000, 0, &flags);
        assert_int_equal(flags & SN_F_SCFAIL, 0);
    }
    access_of(&rig, 0, SN_IFETCH, code, 400000);
    assert_true(engine_has(&rig, 0, code));
    assert_false(engine_has(&rig, 0, x));
    sn_machine_free(rig.k.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_general),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine's state as a sequence of bytes: what was saved goes on elsewhere as if nothing had
 * happened.  Whole structures are compared, so a field that state.c forgets makes this fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "memory.h"
#include "regs/md_dir.h"
#include "sn_state.h"
#include "time/full_state.h"

#define NODES 8
#define CPUS  (NODES * 2)

static void save(struct mach *k, struct memory *s)
{
    memory_begin(s);
    assert_int_equal(sn_machine_state(k->m, &s->a), 0);
}

static int load(struct mach *k, struct memory *s)
{
    memory_again(s);
    return sn_machine_state(k->m, &s->a);
}

/* --- traffic --- */

/* A program of loads, each of which uses the last one's result or not. */
static bool insn(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    (void)opaque;
    (void)cpu;
    *word = pc & 16 ? 0xdc620000 /* ld v0,0(v1) */ : 0xdc430000 /* ld v1,0(v0) */;
    return true;
}

static bool where(void *opaque, unsigned cpu, uintptr_t from, struct sn_where *w)
{
    insn(opaque, cpu, from, &w->word);
    w->pc = from;
    return true;
}

static const struct sn_ops ops = { .where = where, .insn = insn };

/* What is rarer than an access */
static void rare(struct sn_machine *m, uint64_t x, uint64_t now)
{
    unsigned cpu = x >> 8 & (CPUS - 1), node = x >> 16 & (NODES - 1), v = x >> 32 & 0xff;
    uint64_t pa = at(node, (uint64_t)(x >> 40 & 0xff) << 7);

    switch (x & 15) {
    case 0:
        sn_dma(m, node, pa, 256, v & 1, now, NULL);
        break;
    case 1:
        sn_bte(m, node, pa, at(node ^ 1, 0x800000), 256, v & SN_BTE_ZERO, now, NULL);
        break;
    case 2:
        sn_fetchop(m, cpu, pa, v & 1, v & 2, now);
        break;
    case 3:
        sn_uncached(m, cpu, node, SN_UC_HUB, v & 1, now);
        break;
    case 4:
        sn_md_perf_sel_set(m, node, 8 | (v & 7), now);
        break;
    case 5:
        sn_io_perf_sel_set(m, node, v);
        break;
    case 6:
        sn_rr_parms_set(m, node / 2, 1 + v % 6, (x >> 40 & 15) << 16, now);
        break;
    case 7:
        sn_md_mig_thresh_set(m, node, v & 1, 1ull << 63 | v);
        break;
    case 8:
        sn_bdprt_write(m, pa, cpu / 2, SN_PPROT_INIT | (x >> 40 & 3) << 3);
        break;
    case 9:
        sn_cpu_event_watch(m, cpu, SN_R10K_L1D_MISS, 1000 + v);
        break;
    case 10:
        sn_cacheop(m, cpu, 0x17, pa, now);
        break;
    case 11:
        sn_interrupt_sent(m, v & 1 ? v : 0);
        break;
    case 12:
        sn_md_moq_set(m, node, v & 31);
        break;
    case 13:
        sn_vector(m, node, 1, 1, now);
        break;
    case 14:
        sn_md_mig_candidate(m, node, true);
        break;
    }
}

/* Accesses of all CPUs; returns a sum of all that the CPUs notice. */
static uint64_t traffic(struct mach *k, unsigned n, uint64_t seed, uint64_t *now)
{
    static const uint8_t kinds[8] = { SN_LOAD, SN_LOAD, SN_STORE,  SN_STORE,
                                      SN_LL,   SN_SC,   SN_IFETCH, SN_PREF };
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++) {
        uint64_t x = mach_next(&seed);
        unsigned cpu = x >> 40 & (CPUS - 1), flags;
        /* Lines that all want, and more than a cache holds */
        uint64_t pa = at(x % NODES, x >> 60 ? (x >> 8 & 0xffff) * 32 : (x >> 8 & 15) * 128);
        int64_t after;
        uint32_t wait;

        *now += x >> 44 & 63;
        if (contested(k->m, cpu, pa) && order(k->m, cpu, pa, SN_STORE, *now, &wait, &after))
            sum = sum * 3 + wait + (uint64_t)after;
        sum = sum * 3 + sn_access(k->m, cpu, pa, kinds[x >> 50 & 7], *now,
                                  (uintptr_t)(x >> 53 & 0xff) * 4, &flags);
        sum = sum * 3 + flags;
        if ((x >> 20 & 31) == 0)
            rare(k->m, mach_next(&seed), *now);
    }
    return sum;
}

/* --- comparison --- */

static void same_calendar(struct sn_cal *a, struct sn_cal *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->busy, b->busy, (a->n + 1) * sizeof(*a->busy));
    /* What is behind the last entry does not count in the comparisons below. */
    memset(a->busy + a->n + 1, 0, (SN_CAL_SLOTS - a->n) * sizeof(*a->busy));
    memset(b->busy + b->n + 1, 0, (SN_CAL_SLOTS - b->n) * sizeof(*b->busy));
}

static void same_full(struct sn_machine *a, struct sn_machine *b)
{
    struct sn_full *f = sn_full(a), *g = sn_full(b);

    for (unsigned i = 0; i < NODES; i++) {
        same_calendar(&f->node[i].sysad, &g->node[i].sysad);
        same_calendar(&f->node[i].md, &g->node[i].md);
        same_calendar(&f->node[i].ni, &g->node[i].ni);
        same_calendar(&f->node[i].busy, &g->node[i].busy);
    }
    for (unsigned i = 0; i < CPUS; i++) {
        same_calendar(&f->cpu[i].l2, &g->cpu[i].l2);
        same_calendar(&f->cpu[i].pi, &g->cpu[i].pi);
    }
    for (unsigned i = 0; i < a->nrouters * 7; i++)
        same_calendar(&f->out[i], &g->out[i]);
    assert_memory_equal(f->node, g->node, NODES * sizeof(*f->node));
    assert_memory_equal(f->cpu, g->cpu, CPUS * sizeof(*f->cpu));
}

static void same_directory(const struct sn_dirmem *a, const struct sn_dirmem *b)
{
    assert_int_equal(mach_chunks(a), mach_chunks(b));
    assert_int_equal(mach_entries(a), mach_entries(b));
    for (uint32_t i = 0; i < a->nchunks; i++) {
        const struct sn_chunk *c = a->chunk[i], *d = b->chunk[i];

        assert_int_equal(c != NULL, d != NULL);
        if (!c)
            continue;
        assert_memory_equal(c->vec, d->vec, sizeof(c->vec));
        assert_memory_equal(c->st, d->st, sizeof(c->st));
        assert_int_equal(c->high != NULL, d->high != NULL);
        if (c->high)
            assert_memory_equal(c->high, d->high, SN_CHUNK_LINES * sizeof(*c->high));
        for (unsigned p = 0; p < SN_CHUNK_PAGES; p++)
            for (unsigned r = 0; r < NODES; r++)
                assert_int_equal(sn_prot_get(c, p, r), sn_prot_get(d, p, r));
    }
}

static void same(struct sn_machine *a, struct sn_machine *b)
{
    const size_t from = offsetof(struct sn_node, md_recv);

    assert_ptr_equal(a->time, b->time);
    for (unsigned i = 0; i < NODES; i++) {
        same_directory(&a->node[i].dir, &b->node[i].dir);
        assert_memory_equal((char *)&a->node[i] + from, (char *)&b->node[i] + from,
                            sizeof(a->node[i]) - from);
    }
    for (unsigned i = 0; i < CPUS; i++) {
        struct sn_fast *x = &a->cpu[i].fast, *y = &b->cpu[i].fast;
        struct sn_cache *cache[3][2] = { { &x->l2, &y->l2 }, { &x->d, &y->d }, { &x->i, &y->i } };
        uint32_t *tags[3];

        for (unsigned c = 0; c < 3; c++) {
            struct sn_cache *own = cache[c][1], *other = cache[c][0];

            tags[c] = own->tag;
            assert_memory_equal(other->tag, own->tag,
                                (own->set_mask + 1) * own->stride * sizeof(*own->tag));
            own->tag = other->tag;
        }
        assert_memory_equal(&a->cpu[i], &b->cpu[i], sizeof(a->cpu[i]));
        for (unsigned c = 0; c < 3; c++) {
            cache[c][1]->tag = tags[c];
        }
    }
    assert_memory_equal(a->port, b->port, a->nrouters * 7 * sizeof(*a->port));
    assert_memory_equal(a->flow.f, b->flow.f, (size_t)NODES * NODES * sizeof(*a->flow.f));
    assert_int_equal(a->flow.nused, b->flow.nused);
    assert_memory_equal(a->flow.used, b->flow.used, a->flow.nused * sizeof(*a->flow.used));
    assert_int_equal(a->flow.left, b->flow.left);
    assert_int_equal(a->flow.until, b->flow.until);
    assert_int_equal(a->seed, b->seed);
    assert_memory_equal(&a->order, &b->order, sizeof(a->order));
    if (a->time->queues)
        same_full(a, b);
}

static struct mach *start(enum sn_time time)
{
    struct mach *k = malloc(sizeof(*k));

    mach_desc(k, NODES, 65536, &mach_r10k195, true);
    k->time = time;
    k->quantum = 3000;
    k->ops = &ops;
    mach_start(k, 1);
    return k;
}

/* --- tests --- */

/* The machine that loads has run something else, under the other time model, before. */
static void goes_on(enum sn_time time)
{
    struct mach *k = start(time), *l = start(!time);
    uint64_t now = 0, then = 0, later;
    struct memory s, s2, s3;

    traffic(k, 30000, 7, &now);
    traffic(l, 20000, 99, &then);
    save(k, &s);
    assert_int_equal(load(l, &s), 0);
    assert_int_equal(s.at, s.n);
    same(k->m, l->m);
    later = now;
    assert_int_equal(traffic(k, 20000, 11, &now), traffic(l, 20000, 11, &later));
    same(k->m, l->m);
    save(k, &s2);
    save(l, &s3);
    assert_int_equal(s2.n, s3.n);
    assert_memory_equal(s2.p, s3.p, s2.n);
    free(s.p);
    free(s2.p);
    free(s3.p);
    mach_free(k);
    mach_free(l);
}

static void test_unloaded(void **state)
{
    (void)state;
    goes_on(SN_TIME_UNLOADED);
}

static void test_full(void **state)
{
    (void)state;
    goes_on(SN_TIME_FULL);
}

/* An archive that ends anywhere is refused, and the machine can be reset or freed. */
static void test_short(void **state)
{
    struct mach *k = start(SN_TIME_FULL), *l = start(SN_TIME_FULL);
    uint64_t now = 0;
    struct memory s;

    (void)state;
    traffic(k, 5000, 7, &now);
    save(k, &s);
    for (size_t n = 0; n < s.n; n += 1 + n) {
        size_t all = s.n;

        s.n = n;
        assert_int_equal(load(l, &s), -1);
        s.n = all;
    }
    sn_machine_reset(l->m);
    traffic(l, 5000, 7, &now);
    free(s.p);
    mach_free(k);
    mach_free(l);
}

/* Counts that are impossible are refused before anything is read by them. */
static void test_impossible(void **state)
{
    struct mach *k = start(SN_TIME_FULL);
    uint64_t now = 0, seed = 5;
    struct memory s;

    (void)state;
    traffic(k, 5000, 7, &now);
    save(k, &s);
    for (unsigned i = 0; i < 60; i++) {
        size_t at = mach_next(&seed) % (s.n - 4);
        uint32_t was;

        memcpy(&was, s.p + at, 4);
        memset(s.p + at, 0xff, 4);
        load(k, &s); /* what is only a wrong number is taken */
        memcpy(s.p + at, &was, 4);
    }
    memset(s.p, 0xff, 4); /* the time model's number */
    assert_int_equal(load(k, &s), -1);
    free(s.p);
    mach_free(k);
}

/* A state that would make the engine leave its arrays or loop, each spoilt in one place */
#define SPOILT 16

static void spoil(struct mach *k, unsigned i)
{
    static const uint8_t neither = 2; /* a bool of no value */
    struct sn_machine *m = k->m;
    struct sn_full *f = sn_full(m);
    struct sn_cal *c = &f->node[0].md;
    uint32_t *l1d = m->cpu[0].fast.l1d[0];

    switch (i) {
    case 0:
        m->cpu[0].fast.pending.n = SN_OOO_MAX + 1;
        break;
    case 1: /* a line that the L2 has not */
        l1d[0] = sn_cache_tag(&m->cpu[0].fast.d, at(0, 0x3fff0000)) | SN_M;
        break;
    case 2: /* the L2's is contested, the L1D's is not */
        l1d[0] = sn_cache_tag(&m->cpu[0].fast.d, at(0, 0)) | SN_S;
        sn_cache_set(&m->cpu[0].fast.l2, at(0, 0))[0] =
            sn_cache_tag(&m->cpu[0].fast.l2, at(0, 0)) | SN_CONTESTED | SN_S;
        break;
    case 3:
        m->port[1].mode = 4;
        break;
    case 4:
        m->port[1].vc = SN_VCS;
        break;
    case 5:
        m->port[1].cnt[0] = 65536;
        break;
    case 6:
        m->flow.nused = 1;
        m->flow.used[0] = NODES * NODES;
        break;
    case 7:
        m->flow.f[1].packets = UINT64_MAX;
        break;
    case 8:
        c->n = 2;
        c->busy[1] = (struct sn_busy){ 10, 20 };
        c->busy[2] = (struct sn_busy){ 5, 30 };
        break;
    case 9:
        c->n = 1;
        c->busy[1] = (struct sn_busy){ 20, 10 };
        break;
    case 10:
        c->n = 1;
        c->busy[1] = (struct sn_busy){ 10, UINT64_MAX };
        break;
    case 11:
        memcpy(&m->node[0].fop[1].valid, &neither, 1);
        break;
    case 12:
        memcpy(&m->port[1].wired, &neither, 1);
        break;
    case 13:
        memcpy(&f->node[0].md_wrote, &neither, 1);
        break;
    case 14:
        memcpy(&f->node[0].oq_full, &neither, 1);
        break;
    case 15:
        memcpy(&f->cpu[0].behind, &neither, 1);
        break;
    }
}

static void test_spoilt(void **state)
{
    struct mach *l = start(SN_TIME_FULL);

    (void)state;
    for (unsigned i = 0; i <= SPOILT; i++) {
        struct mach *k = start(SN_TIME_FULL);
        struct memory s;

        spoil(k, i);
        save(k, &s);
        print_message("# spoilt %u\n", i);
        assert_int_equal(load(l, &s), i < SPOILT ? -1 : 0); /* the last one is good */
        free(s.p);
        mach_free(k);
    }
    mach_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unloaded), cmocka_unit_test(test_full),
        cmocka_unit_test(test_short),    cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_spoilt),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}

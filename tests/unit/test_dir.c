/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory memory: sharer sets, entries as the back door shows them, chunks.
 * Expected words are written out from hubmd.h's field positions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"

/* Host bytes of chunks, and of what is allocated for them when it is needed. */
static uint64_t bytes_of(const struct sn_dirmem *d)
{
    uint64_t bytes = mach_entries(d) * sizeof(uint32_t);

    for (uint32_t i = 0; i < d->nchunks; i++) {
        const struct sn_chunk *c = d->chunk[i];

        if (c) {
            bytes += sizeof(c) + sizeof(*c) + mach_blocks(d) * sizeof(c->prot[0]);
            bytes += c->high ? SN_CHUNK_LINES * sizeof(c->high[0]) : 0;
        }
    }
    return bytes;
}

static unsigned members(const struct sn_dirent *d, unsigned nnodes, unsigned *out)
{
    unsigned n = 0;

    for (unsigned i = sn_vec_next(d->vec, d->oct, d->coarse, 0, nnodes); i < nnodes;
         i = sn_vec_next(d->vec, d->oct, d->coarse, i + 1, nnodes)) {
        out[n++] = i;
    }
    assert_int_equal(n, sn_vec_count(d->vec, d->oct, d->coarse, nnodes));
    return n;
}

static void test_fine(void **state)
{
    struct sn_dirent d = { .state = SN_SHRD };
    unsigned got[256];

    (void)state;
    sn_dir_only(&d, 3);
    sn_dir_add(&d, 63);
    sn_dir_add(&d, 0);
    assert_int_equal(members(&d, 64, got), 3);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 3);
    assert_int_equal(got[2], 63);
    assert_true(sn_dir_has(&d, 63) && !sn_dir_has(&d, 62));
    /* a machine of 48 nodes has no node 63 to be invalidated */
    assert_int_equal(members(&d, 48, got), 2);
}

/* Beyond 64 nodes: fine while one group has all sharers; then each bit stands for eight nodes. */
static void test_coarse(void **state)
{
    struct sn_dirent d = { .state = SN_SHRD };
    unsigned got[256];

    (void)state;
    sn_dir_only(&d, 130);
    sn_dir_add(&d, 191);
    assert_false(d.coarse);
    assert_int_equal(d.oct, 2);
    assert_int_equal(members(&d, 256, got), 2);
    assert_int_equal(got[0], 130);
    assert_int_equal(got[1], 191);
    sn_dir_add(&d, 5);
    assert_true(d.coarse);
    assert_int_equal(members(&d, 256, got), 24); /* 0-7, 128-135, 184-191 */
    assert_int_equal(got[0], 0);
    assert_int_equal(got[7], 7);
    assert_int_equal(got[8], 128);
    assert_int_equal(got[23], 191);
    assert_true(sn_dir_has(&d, 130) && sn_dir_has(&d, 191) && sn_dir_has(&d, 5));
    assert_true(sn_dir_has(&d, 6)); /* too many is allowed */
    assert_false(sn_dir_has(&d, 8));
    /* never too few */
    for (unsigned seed = 1; seed < 2000; seed++) {
        unsigned x = seed * 2654435761u, nodes[6];

        sn_dir_only(&d, nodes[0] = x >> 24);
        for (unsigned i = 1; i < 6; i++) {
            x = x * 1664525 + 1013904223;
            sn_dir_add(&d, nodes[i] = x >> 24);
        }
        for (unsigned i = 0; i < 6; i++) {
            assert_true(sn_dir_has(&d, nodes[i]));
        }
        members(&d, 256, got);
    }
}

struct word {
    struct sn_dirent e;
    bool premium;
    uint64_t low, high;
};

static void test_words(void **state)
{
    static const struct word w[] = {
        /* premium: unowned as firmware leaves it (MD_PDIR_INIT_LO) */
        { { .state = SN_UOWN }, true, 7ull << 13 | 1 << 7, 0 },
        /* exclusive, node 31 CPU B: pointer 31 << 2 | 1 at 32:22 */
        { { .state = SN_EXCL, .ptr = 31 << 2 | 1 },
          true,
          (31ull << 2 | 1) << 22 | 2 << 13 | 1 << 7,
          0 },
        { { .state = SN_BUSYE, .ptr = 255 << 2 | 3, .prio = 15 },
          true,
          (255ull << 2 | 3) << 22 | 4 << 13 | 15 << 8 | 1 << 7,
          0 },
        { { .state = SN_POIS }, true, 1 << 13 | 1 << 7, 0 },
        /* shared, format A: fine, octant 0; nodes 0, 37, 38, 63 */
        { { .state = SN_SHRD, .vec = 1ull << 63 | 3ull << 37 | 1 },
          true,
          (1ull << 25 | 1) << 22 | 1 << 12 | 1 << 7,
          (1ull << 37 | 1) << 10 },
        /* shared, format A in octant 3 */
        { { .state = SN_SHRD, .vec = 1, .oct = 3 }, true, 3 << 13 | 1 << 12 | 1 << 7, 1ull << 10 },
        /* shared, format B: coarse, 16 nodes in 2 bits */
        { { .state = SN_SHRD, .vec = 5, .coarse = 1 }, true, 16ull << 16 | 1 << 7, 5ull << 10 },
        /* standard (MD_SDIR_INIT_LO) */
        { { .state = SN_UOWN }, false, 7 << 7 | 1 << 5, 0 },
        { { .state = SN_EXCL, .ptr = 15 << 2 | 1, .prio = 1 },
          false,
          (15 << 2 | 1) << 10 | 2 << 7 | 1 << 6 | 1 << 5,
          0 },
        /* nodes 0, 10, 11, 15: vector 10:0 high, 15:11 low */
        { { .state = SN_SHRD, .vec = 0x8c01 }, false, 0x11 << 11 | 1 << 5, 0x401 << 5 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
        struct sn_dirent e = { .state = SN_UOWN };
        bool ax = false;

        assert_int_equal(sn_dir_encode(&w[i].e, true, w[i].premium, false, 256), w[i].low);
        assert_int_equal(sn_dir_encode(&w[i].e, true, w[i].premium, true, 256), w[i].high);
        sn_dir_decode(&e, &ax, w[i].premium, false, w[i].low);
        sn_dir_decode(&e, &ax, w[i].premium, true, w[i].high);
        assert_true(ax);
        assert_memory_equal(&e, &w[i].e, sizeof(e));
    }
}

/* The machine's back door: a read allocates nothing; a write changes the counts. */
static void test_back_door(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    uint64_t a = at(2, 0x5080);

    (void)state;
    assert_int_equal(sn_bddir_read(k->m, a, false), SN_PDIR_INIT_LO);
    assert_int_equal(sn_bddir_read(k->m, a, true), SN_PDIR_INIT_HI);
    assert_int_equal(sn_bdprt_read(k->m, a, 3), SN_PPROT_INIT);
    assert_int_equal(sn_bdprt_read(k->m, a, 63), SN_PPROT_INIT);
    assert_int_equal(mach_chunks(&k->m->node[2].dir), 0);
    acc(k, 1, SN_LOAD, a);
    assert_int_equal(sn_bddir_read(k->m, a, false), 1ull << 22 | 2 << 13 | 1 << 7);
    acc(k, 7, SN_LOAD, a);
    assert_int_equal(sn_bddir_read(k->m, a, false), 1 << 12 | 1 << 7);
    assert_int_equal(sn_bddir_read(k->m, a, true), 9ull << 10);
    assert_int_equal(sn_bddir_read(k->m, a + 128, false), SN_PDIR_INIT_LO);
    /* poison by hand, then take it off again */
    sn_bddir_write(k->m, a + 128, false, 1 << 13);
    assert_int_equal(sn_bddir_read(k->m, a + 128, false), 1 << 13); /* AX cleared */
    {
        unsigned f;

        sn_access(k->m, 0, a + 128, SN_LOAD, 0, 0, &f);
        assert_true(f & SN_F_BUSERR);
        sn_bddir_write(k->m, a + 128, false, SN_PDIR_INIT_LO);
        sn_access(k->m, 0, a + 128, SN_LOAD, 0, 0, &f);
        assert_false(f & SN_F_BUSERR);
    }
    assert_string_equal(pic(k, a + 128), "EXCL:0.A c0:E");
    /* protection and mode bits are kept beside the count */
    sn_bdprt_write(k->m, a, 1, 3ull << 45 | 100ull << 5 | 3 << 3 | 3);
    assert_int_equal(sn_bdprt_read(k->m, a, 1), 3ull << 45 | 100ull << 5 | 3 << 3 | 3);
    assert_int_equal(sn_bdprt_read(k->m, a, 2), SN_PPROT_INIT);
    mach_free(k);

    k = mach_new(4, 1 << 20, &mach_r12k300, false);
    assert_int_equal(sn_bddir_read(k->m, a, false), SN_SDIR_INIT_LO);
    assert_int_equal(sn_bdprt_read(k->m, a, 3), SN_SPROT_INIT);
    assert_int_equal(sn_bdprt_read(k->m, a, 15), SN_SPROT_INIT);
    assert_int_equal(sn_bdprt_read(k->m, a, 16), 0); /* not on these DIMMs */
    acc(k, 1, SN_LOAD, a);
    assert_int_equal(sn_bddir_read(k->m, a, false), 1 << 10 | 2 << 7 | 1 << 5);
    mach_free(k);
}

/* An address without memory has no entry, gives a bus error and allocates nothing. */
static void test_absent(void **state)
{
    struct mach *k = mach_new(2, 1 << 20, &mach_r12k300, true);
    unsigned f;

    (void)state;
    sn_access(k->m, 0, at(0, 128 << 20), SN_LOAD, 0, 0, &f);
    assert_true(f & SN_F_BUSERR);
    sn_access(k->m, 0, at(77, 0), SN_STORE, 0, 0, &f);
    assert_true(f & SN_F_BUSERR);
    sn_access(k->m, 0, at(77, 0), SN_IFETCH, 0, 0, &f);
    assert_true(f & SN_F_BUSERR);
    assert_int_equal(sn_bddir_read(k->m, at(77, 0), false), 0);
    sn_bddir_write(k->m, at(77, 0), false, 0);
    sn_bdprt_write(k->m, at(0, 1ull << 31), 0, 0);
    assert_int_equal(sn_dma(k->m, 0, at(77, 0), 128, true, 0, NULL), SN_ERR_RANGE);
    assert_int_equal(mach_chunks(&k->m->node[0].dir), 0);
    mach_free(k);
}

/* Host bytes in directory, counters and tags; guest bytes that they describe. */
static void footprint(const struct sn_machine *m, uint64_t *host, uint64_t *guest)
{
    *host = *guest = 0;
    for (unsigned n = 0; n < m->nnodes; n++) {
        const struct sn_dirmem *d = &m->node[n].dir;

        *guest += (uint64_t)mach_chunks(d) << SN_CHUNK_SHIFT;
        *host += bytes_of(d) + sizeof(struct sn_node);
    }
    for (unsigned i = 0; i < m->nnodes * SN_NODE_CPUS; i++) {
        const struct sn_cache *l2 = &m->cpu[i].fast.l2;

        *host += sizeof(struct sn_cpu);
        for (uint32_t s = 0; l2->tag && s <= l2->set_mask; s++) {
            if (l2->tag[2 * s] || l2->tag[2 * s + 1]) {
                *host += 8; /* other sets are untouched memory */
            }
        }
    }
}

/* Directory, counters and tags take at most a quarter of the memory they describe. */
static void test_footprint(void **state)
{
    struct mach *k = mach_new(4, 1 << 20, &mach_r12k300, true);
    struct sn_dirmem d;
    struct sn_chunk *c;
    uint64_t host, guest;

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        for (uint64_t p = 0; p < 64 << 20; p += 4096) {
            acc(k, 2 * n, SN_LOAD, at(n, p));
        }
    }
    footprint(k->m, &host, &guest);
    assert_int_equal(guest, 4ull * (64 << 20));
    print_message("# host %llu KB for guest %llu KB\n", (unsigned long long)host >> 10,
                  (unsigned long long)guest >> 10);
    assert_true(host * 4 < guest);
    mach_free(k);
    /* 64 regions: size of the chunks before and after a sharer beyond node 31 */
    assert_int_equal(sn_dirmem_init(&d, 1 << SN_CHUNK_SHIFT, 64, true, SN_LINE_SHIFT), 0);
    c = sn_chunk_get(&d, 0);
    sn_vec_put(c, 3, 1u << 31);
    *sn_prot_word(&d, c, 3, 40) += 1 << SN_PROT_REFCNT_SHIFT;
    assert_true((bytes_of(&d) - sizeof(c)) * 1000 < 61 << SN_CHUNK_SHIFT);
    sn_vec_put(c, 5, 1ull << 63 | 1);
    for (unsigned r = 0; r < 64; r += SN_PROT_BLOCK) {
        *sn_prot_word(&d, c, 0, r) += 1 << SN_PROT_REFCNT_SHIFT;
    }
    assert_true((bytes_of(&d) - sizeof(c)) * 1000 < 150 << SN_CHUNK_SHIFT);
    assert_true(sn_vec_get(c, 3) == 1u << 31 && sn_vec_get(c, 5) == (1ull << 63 | 1));
    sn_vec_put(c, 5, 2);
    assert_true(sn_vec_get(c, 5) == 2 && sn_vec_get(c, 4) == 0);
    sn_dirmem_free(&d);
    assert_null(d.chunk);
}

/*
 * Compares protection entries, as the back door shows them, with a copy of all words,
 * on machines whose last block of regions is complete or not.  Absent words read as
 * the firmware left them, and only words that differ from that take memory.
 */
static void test_blocks(void **state)
{
    static const struct {
        unsigned nodes, regions;
        uint64_t entries; /* of one chunk, all blocks */
    } m[] = { { 3, 3, 12 },    { 8, 8, 32 },    { 9, 9, 36 },
              { 61, 61, 244 }, { 64, 64, 256 }, { 72, 9, 36 } };

    (void)state;
    for (unsigned i = 0; i < sizeof(m) / sizeof(m[0]); i++) {
        struct mach *k = mach_new(m[i].nodes, 1 << 20, &mach_r12k300, true);
        const struct sn_dirmem *d = &k->m->node[1].dir;
        uint64_t word[SN_CHUNK_PAGES][64], a = at(1, 0x8000);
        unsigned x = 1 + i;
        char err[200];

        assert_int_equal(k->m->nregions, m[i].regions);
        for (unsigned p = 0; p < SN_CHUNK_PAGES; p++) {
            for (unsigned r = 0; r < m[i].regions; r++) {
                word[p][r] = SN_PPROT_INIT;
                sn_bdprt_write(k->m, a + p * 4096, r, SN_PPROT_INIT);
            }
        }
        assert_int_equal(mach_chunks(d), 1);
        assert_int_equal(mach_entries(d), 0);
        for (unsigned n = 0; n < 600; n++) {
            unsigned p, r;

            x = x * 1664525 + 1013904223;
            p = x >> 30;
            r = (x >> 16 & 0xff) % m[i].regions;
            word[p][r] = x & 1 << 9 ? SN_PPROT_INIT : (uint64_t)(x >> 5 & 7) << 45 | (x >> 8);
            sn_bdprt_write(k->m, a + p * 4096, r, word[p][r]);
            /* few at first, so that some blocks are absent and others not */
            if (n < 3 || n % 50 == 0) {
                for (p = 0; p < SN_CHUNK_PAGES; p++) {
                    for (r = 0; r < m[i].regions; r++) {
                        assert_int_equal(sn_bdprt_read(k->m, a + p * 4096, r), word[p][r]);
                    }
                }
                assert_int_equal(sn_check(k->m, err, sizeof(err)), 0);
            }
            if (n < 1) {
                assert_true(mach_entries(d) <= 4 * SN_PROT_BLOCK);
            }
        }
        assert_int_equal(mach_entries(d), m[i].entries);
        assert_int_equal(sn_bdprt_read(k->m, a + 0x4000, 0), SN_PPROT_INIT);
        /* directory entries beside them are as they were */
        for (unsigned l = 0; l < SN_CHUNK_LINES; l++) {
            assert_int_equal(sn_bddir_read(k->m, a + l * 128, false), SN_PDIR_INIT_LO);
        }
        sn_machine_reset(k->m);
        assert_int_equal(mach_chunks(d) + mach_entries(d), 0);
        assert_int_equal(sn_bdprt_read(k->m, a, 0), SN_PPROT_INIT);
        mach_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine),   cmocka_unit_test(test_coarse),
        cmocka_unit_test(test_words),  cmocka_unit_test(test_back_door),
        cmocka_unit_test(test_absent), cmocka_unit_test(test_footprint),
        cmocka_unit_test(test_blocks),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

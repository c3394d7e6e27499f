/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Causes of misses (docs/causes.md).  A story is a line of text: accesses of processors, each with what it must be.
 *
 *   0r100        processor 0 reads the 4 bytes at 0x100; no transaction
 *   0r100=first  it misses, and the cause is known at once
 *   0r100?       it misses, and the cause is open
 *   0r100? 0.true_sharing, 0w100 1.false_sharing?
 *                a miss that was open is decided: after this one, before it
 *   w store, p prefetch to write, i fetch, b read of one byte, B store of one byte, f CACHE hit write-back invalidate
 *   Dw100        a device writes the line
 *   @r100        processor 16: the character is '0' plus its number
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mach.h"
#include "memory.h"
#include "observe/record.h"
#include "what/what.h"

/* 8 KB of L2: 32 sets of two lines, so that lines 0x1000 apart are of one set. */
#define L2_BYTES 8192

/* What is known of causes is saved and loaded before each step of a story: the stories stay the same. */
static bool saved;

struct rig {
    struct mach *k;
    struct sn_causes *causes;
    struct sn_cause_config cfg;
    uint32_t lines[64];
    char seen[256]; /* what the latest access made known */
    uint32_t number;
    unsigned cpu_of[4096];
};

static void decided(void *opaque, uint32_t pending, enum sn_cause cause)
{
    struct rig *r = opaque;
    size_t n = strlen(r->seen);

    snprintf(r->seen + n, sizeof(r->seen) - n, " %u.%s", r->cpu_of[pending], sn_cause_name(cause));
}

static void on_done(void *opaque, const struct sn_observed *o)
{
    struct rig *r = opaque;
    struct sn_cause_tx t = { .pa = o->pa,
                             .cpu = o->cpu,
                             .fetch = o->kind == SN_IFETCH,
                             .upgrade = o->upgrade,
                             .refused = o->refused,
                             .owner = o->owner,
                             .pending = ++r->number };
    bool open;
    enum sn_cause cause = sn_cause_miss(r->causes, &t, &open);
    size_t n = strlen(r->seen);

    r->cpu_of[r->number] = o->cpu;
    snprintf(r->seen + n, sizeof(r->seen) - n, "%s%s", open ? "?" : "=",
             open ? "" : sn_cause_name(cause));
}

static void on_shared(void *opaque, unsigned cpu, uint64_t pa)
{
    sn_cause_shared(((struct rig *)opaque)->causes, cpu, pa);
}

static void on_flushed(void *opaque, unsigned cpu, uint64_t pa)
{
    sn_cause_flushed(((struct rig *)opaque)->causes, cpu, pa);
}

static void on_evicted(void *opaque, unsigned cpu, uint64_t pa)
{
    sn_cause_evicted(((struct rig *)opaque)->causes, cpu, pa);
}

static void on_io(void *opaque, uint64_t pa, unsigned size)
{
    sn_cause_io(((struct rig *)opaque)->causes, pa, size);
}

static struct sn_observer observer = {
    .done = on_done, .shared = on_shared, .flushed = on_flushed, .io = on_io, .evicted = on_evicted
};

/* what: a key of a hypothetical machine, or NULL */
static void rig_with(struct rig *r, unsigned nodes, const char *what)
{
    char err[256];

    memset(r, 0, sizeof(*r));
    r->cfg = (struct sn_cause_config){ .ncpus = 2 * nodes,
                                       .l2_lines = r->lines,
                                       .line_shift = SN_LINE_SHIFT,
                                       .decided = decided,
                                       .opaque = r };
    r->k = malloc(sizeof(*r->k));
    mach_desc(r->k, nodes, L2_BYTES, &mach_r12k300, true);
    if (what) {
        assert_int_equal(sn_what_set(&r->k->desc, what, err, sizeof(err)), 0);
    }
    mach_start(r->k, 1);
    for (unsigned c = 0; c < 2 * nodes; c++) {
        r->lines[c] = L2_BYTES / SN_LINE_SIZE;
    }
    r->causes = sn_causes_new(&r->cfg);
    assert_non_null(r->causes);
    observer.opaque = r;
    sn_observe(r->k->m, &observer);
}

static void rig_of(struct rig *r, unsigned nodes)
{
    rig_with(r, nodes, NULL);
}

static void rig_new(struct rig *r)
{
    rig_of(r, 2);
}

static void rig_free(struct rig *r)
{
    sn_causes_free(r->causes);
    mach_free(r->k);
}

static void access(struct rig *r, unsigned cpu, char what, uint64_t pa)
{
    bool byte = what == 'b' || what == 'B', write = what == 'w' || what == 'B';
    uint64_t before = sn_cpu_events(r->k->m, cpu)[SN_R10K_L1D_MISS], misses = r->number;

    if (what == 'f') {
        sn_cacheop(r->k->m, cpu, 3 | 5 << 2, pa, 0);
        return;
    }
    acc(r->k, cpu,
        what == 'p'   ? SN_PREFX
        : what == 'i' ? SN_IFETCH
        : write       ? SN_STORE
                      : SN_LOAD,
        pa);
    if (misses == r->number && sn_cpu_events(r->k->m, cpu)[SN_R10K_L1D_MISS] != before) {
        sn_cause_hit(r->causes, cpu, pa);
    }
    if (what != 'p' && what != 'i') {
        sn_cause_access(r->causes, cpu, pa, byte ? 1 : 4, write);
    }
}

static void save_and_load(struct rig *r)
{
    struct memory m;

    memory_begin(&m);
    sn_causes_state(r->causes, &m.a, r->number + 1);
    sn_causes_free(r->causes);
    r->causes = sn_causes_new(&r->cfg);
    memory_again(&m);
    sn_causes_state(r->causes, &m.a, r->number + 1);
    assert_false(m.a.failed);
    assert_int_equal(m.at, m.n);
    free(m.p);
}

/* One word of a story: make the access, and compare what became known with what follows it. */
static void step(struct rig *r, const char *word, char *after)
{
    unsigned cpu = (unsigned)(word[0] - '0');
    char *end;
    uint64_t pa = strtoull(word + 2, &end, 16);
    size_t n = (size_t)(end - word);

    r->seen[0] = '\0';
    if (saved) {
        save_and_load(r);
    }
    if (word[0] == 'D') {
        sn_dma(r->k->m, 0, pa, SN_LINE_SIZE, true, 0, NULL);
    } else {
        access(r, cpu, word[1], pa);
    }
    snprintf(after, 512, "%.*s%s", (int)n, word, r->seen);
}

/* Accesses are separated by ", "; the story as it went must be the story. */
static void story_on(struct rig *r, const char *story)
{
    char went[4096] = "", text[4096], *save = NULL;

    snprintf(text, sizeof(text), "%s", story);
    for (char *w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        char after[512];
        size_t n = strlen(went);

        step(r, w + strspn(w, " "), after);
        snprintf(went + n, sizeof(went) - n, "%s%s", n ? ", " : "", after);
    }
    assert_string_equal(went, story);
}

static void story(const char *text)
{
    struct rig r;

    rig_new(&r);
    story_on(&r, text);
    rig_free(&r);
}

static void test_first(void **state)
{
    (void)state;
    story("0r100=first, 0r104, 0w108, 1r100=first, 1r17c");
    story("0i100=fetch, 0i140, 1i100=fetch");
}

/* Lines of one set: the third takes one of the two ways.  32 sets make 64 lines. */
static void test_replaced(void **state)
{
    struct rig r;
    char text[512];
    bool again = false;

    (void)state;
    rig_new(&r);
    story_on(&r, "0r0=first, 0r1000=first, 0r2000=first");
    /* One of the first two has gone; the other 61 lines of the associative cache are free. */
    for (unsigned i = 0; i < 2; i++) {
        step(&r, i ? "0r1000" : "0r0", text);
        again |= !strcmp(strchr(text, '=') ? strchr(text, '=') : "", "=conflict");
        assert_null(strstr(text, "capacity"));
    }
    assert_true(again);
    rig_free(&r);

    /* 128 lines in turn, twice: the associative cache of 64 has none of them when its turn comes */
    rig_new(&r);
    again = false;
    for (unsigned i = 0; i < 256; i++) {
        snprintf(text, sizeof(text), "0r%x", i % 128 * SN_LINE_SIZE);
        step(&r, text, text);
        if (i >= 128 && strchr(text, '=')) {
            assert_string_equal(strchr(text, '='), "=capacity");
            again = true;
        }
    }
    assert_true(again);
    rig_free(&r);
}

/* The flushed line, and one that a device wrote. */
static void test_taken(void **state)
{
    (void)state;
    story("0r100=first, 0f100, 0r100=flushed");
    story("0r100=first, Dw100, 0r100=true_sharing");
}

/* Of three readers on three nodes one has lost its copy to the third, if the directory has two pointers. */
static void test_evicted(void **state)
{
    static const char *const what[] = { NULL, "directory=limited:2:evict" };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct rig r;
        char first[512], second[512];

        rig_with(&r, 4, what[i]);
        story_on(&r, "0r100=first, 2r100=first, 4r100=first");
        step(&r, "0r100", first);
        step(&r, "2r100", second);
        assert_int_equal(!!strstr(first, "=evicted") + !!strstr(second, "=evicted"), i ? 2 : 0);
        /* What another has written since is a sharing miss, whatever took the line. */
        step(&r, "4w100", first);
        story_on(&r, "0r100? 0.true_sharing, 2r100? 2.true_sharing");
        rig_free(&r);
    }
}

static void test_sharing(void **state)
{
    (void)state;
    /* producer and consumer: the consumer reads what was written */
    story("0w100=first, 1r100=first, 0w100=upgrade_lost, 1r100? 1.true_sharing");
    /* two counters in one line: neither uses the other's bytes */
    story("0w100=first, 1w104=first, 0w100?, 1w104 0.false_sharing?, 0w100 1.false_sharing?");
    /* the first access is to another word, a later one of the same life is to a written one (Dubois) */
    story("0w100=first, 1r120=first, 0w100=upgrade_lost, 1r120?, 1r124, 1r100 1.true_sharing");
    /* an essential miss brings the whole line: what was written before it counts no more */
    story("0w100=first, 1r100=first, 0w100=upgrade_lost, 0w140, 1r100? 1.true_sharing, "
          "0w100=upgrade_lost, 1r140?");
}

/* What accesses of several processors cause comes in the order of the processors. */
static void test_apart(void **state)
{
    struct rig r;

    (void)state;
    rig_new(&r);
    story_on(&r, "1r100=first, 2r200=first, 0w100=first, 0w200=first, 1r120?, 2r220?");
    story_on(&r, "3w300=first, 3f300, 0r300=first");
    sn_causes_apart(r.causes);
    r.seen[0] = '\0';
    access(&r, 2, 'r', 0x200);
    access(&r, 1, 'r', 0x100);
    access(&r, 0, 'w', 0x300);
    assert_string_equal(r.seen, "");
    assert_int_equal(sn_cause_peek(r.causes, 3, 0x300, false, false), SN_CAUSE_FALSE_SHARING);
    sn_causes_together(r.causes);
    assert_string_equal(r.seen, " 1.true_sharing 2.true_sharing");
    r.seen[0] = '\0';
    sn_causes_together(r.causes);
    assert_string_equal(r.seen, "");
    rig_free(&r);
}

/* With more than 16 processors some share a bit of a line: 0 and 16 here. */
static void test_many(void **state)
{
    struct rig r;

    (void)state;
    rig_of(&r, 9);
    story_on(&r,
             "0w100=first, @w104=first, 0w100?, @w104 0.false_sharing?, 0w100 16.false_sharing?, "
             "@r100? 16.true_sharing");
    rig_free(&r);
    rig_of(&r, 9);
    story_on(&r,
             "0w100=first, @r100=first, 1r120=first, 0w100=upgrade_lost, @r100? 16.true_sharing, "
             "1r120?, 1r100 1.true_sharing");
    rig_free(&r);
    /* what 0 has not seen stays known when 16 has seen it */
    rig_of(&r, 9);
    story_on(&r, "0r100=first, @r120=first, 1w100=first, @r100? 16.true_sharing, "
                 "0r100? 0.true_sharing");
    rig_free(&r);
}

static void test_bytes(void **state)
{
    (void)state;
    /* two chars of one word */
    story("0B100=first, 1B101=first, 0B100?, 1B101 0.false_sharing?");
    /* a word that contains a written byte */
    story("0B100=first, 1r100=first, 0B103=upgrade_lost, 1r100? 1.true_sharing");
}

static void test_upgrade(void **state)
{
    (void)state;
    /* both read first: nobody had it exclusive when the store came */
    story("0r100=first, 1r100=first, 0w100=upgrade_lost");
    story("0r100=first, 1r100=first, 2r100=first, 2w100=upgrade");
    /* a write prefetch takes the line and writes nothing */
    story("0r100=first, 1p100=first, 0r100=false_sharing");
}

static void test_moved(void **state)
{
    struct rig r;

    (void)state;
    rig_new(&r);
    story_on(&r, "0r100=first, 1r180=first, 0r200=first");
    sn_cause_moved(r.causes, 0x8000, 0);
    story_on(&r, "0r8100=moved, 0r8180=first, 1r8180=moved");
    /* then the frame is another page's */
    sn_cause_moved(r.causes, 0x8000, SN_CAUSE_NOWHERE);
    story_on(&r, "0r8200=first");
    rig_free(&r);
}

/* What the caller may leave out. */
static void test_left_out(void **state)
{
    struct rig r;

    (void)state;
    rig_new(&r);
    acc(r.k, 0, SN_STORE, 0x100);
    assert_int_equal(sn_cause_access(r.causes, 0, 0x100, 4, true),
                     SN_CAUSE_LOADS | SN_CAUSE_STORES);
    acc(r.k, 1, SN_STORE, 0x100);
    assert_int_equal(sn_cause_access(r.causes, 1, 0x100, 4, true), SN_CAUSE_LOADS);
    for (unsigned b = 4; b < 28; b += 4) {
        assert_int_equal(sn_cause_access(r.causes, 1, 0x100 + b, 4, true), SN_CAUSE_LOADS);
    }
    assert_int_equal(sn_cause_access(r.causes, 1, 0x11c, 4, true),
                     SN_CAUSE_LOADS | SN_CAUSE_STORES);
    /* the reader's next use of these bytes decides; of the other L1 lines, it does not */
    acc(r.k, 0, SN_LOAD, 0x120);
    assert_int_equal(sn_cause_access(r.causes, 0, 0x120, 4, false), SN_CAUSE_LOADS);
    acc(r.k, 0, SN_LOAD, 0x140);
    assert_int_equal(sn_cause_access(r.causes, 0, 0x140, 4, false), SN_CAUSE_LOADS);
    rig_free(&r);
}

static void test_mask_edges(void **state)
{
    struct rig r;

    (void)state;
    /* a device writes across the middle of the line: the byte before and those behind are not written */
    for (unsigned off = 0x38; off < 0x48; off++) {
        rig_new(&r);
        acc(r.k, 1, SN_LOAD, 0x100);
        sn_cause_io(r.causes, 0x13c, 8);
        sn_cacheop(r.k->m, 1, 3 | 5 << 2, 0x100, 0);
        acc(r.k, 1, SN_LOAD, 0x100);
        r.seen[0] = '\0';
        sn_cause_access(r.causes, 1, 0x100 + off, 1, false);
        assert_string_equal(r.seen, off >= 0x3c && off < 0x44 ? " 1.true_sharing" : "");
        rig_free(&r);
    }
    story("0r100=first, 1r100=first, Dw100, 0r17c=true_sharing, 1r100=true_sharing");
}

static void test_shadow(void **state)
{
    void *memory = calloc(1, sn_shadow_bytes(3));
    struct sn_shadow s;

    (void)state;
    assert_non_null(memory);
    sn_shadow_init(&s, 3, memory);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_false(sn_shadow_use(&s, i));
    }
    assert_true(sn_shadow_use(&s, 1));
    assert_false(sn_shadow_use(&s, 4)); /* 2 leaves */
    assert_true(sn_shadow_use(&s, 1));
    assert_true(sn_shadow_use(&s, 3));
    assert_false(sn_shadow_use(&s, 2)); /* 4 leaves */
    sn_shadow_drop(&s, 3);
    assert_false(sn_shadow_use(&s, 4)); /* takes 3's place */
    assert_true(sn_shadow_use(&s, 1));
    assert_true(sn_shadow_use(&s, 2));
    free(memory);
}

/* The same as an array in the order of use, the last one first. */
struct plain {
    uint64_t line[200];
    unsigned n, size;
};

static bool plain_drop(struct plain *p, uint64_t line)
{
    for (unsigned i = 0; i < p->n; i++) {
        if (p->line[i] == line) {
            p->n--;
            memmove(&p->line[i], &p->line[i + 1], (p->n - i) * sizeof(line));
            return true;
        }
    }
    return false;
}

static bool plain_use(struct plain *p, uint64_t line)
{
    bool here = plain_drop(p, line);

    p->n -= p->n == p->size;
    memmove(&p->line[1], &p->line[0], p->n * sizeof(line));
    p->line[0] = line;
    p->n++;
    return here;
}

/* Uses, touches and drops at random, of caches of several sizes. */
static void test_shadow_random(void **state)
{
    static const unsigned sizes[] = { 1, 2, 3, 16, 64, 100, 200 };
    uint32_t seed = 1;

    (void)state;
    for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        struct plain p = { .size = sizes[k] };
        void *memory = calloc(1, sn_shadow_bytes(p.size));
        struct sn_shadow s;

        assert_non_null(memory);
        sn_shadow_init(&s, p.size, memory);
        for (unsigned i = 0; i < 100000; i++) {
            uint64_t line;
            unsigned what;

            seed = seed * 1664525 + 1013904223;
            what = seed >> 28;
            /* Some share a bucket; in every second thousand, few are used. */
            line = (seed >> 8) % (i / 1000 % 2 ? p.size : p.size * 2 + 1);
            line |= (uint64_t)(seed >> 26 & 3) << 30;
            if (what == 0) {
                plain_drop(&p, line);
                sn_shadow_drop(&s, line);
            } else if (what < 12) {
                plain_use(&p, line);
                sn_shadow_touch(&s, line);
            } else {
                assert_int_equal(sn_shadow_use(&s, line), plain_use(&p, line));
            }
        }
        free(memory);
    }
}

static int save_too(void **state)
{
    (void)state;
    saved = true;
    return 0;
}

static int save_no_more(void **state)
{
    (void)state;
    saved = false;
    return 0;
}

#define SAVED(test)                                         \
    {                                                       \
#test ", saved", test, save_too, save_no_more, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_evicted),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_upgrade),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_mask_edges),
        cmocka_unit_test(test_shadow),
        cmocka_unit_test(test_shadow_random),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_many),
        SAVED(test_first),
        SAVED(test_replaced),
        SAVED(test_taken),
        SAVED(test_evicted),
        SAVED(test_sharing),
        SAVED(test_bytes),
        SAVED(test_upgrade),
        SAVED(test_moved),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of blocks, and sums of their instructions; see computing.h. */
#include "qemu/osdep.h"
#include "qemu/memalign.h"
#include "qemu/thread.h"
#include "system/mp-time.h"
#include "target/mips/r10k.h"
#include "origin.h"
#include "observe/rows.h"
#include "profile/profile.h"
#include "regions.h"
#include "state.h"
#include "threads.h"
#include "computing.h"

QEMU_BUILD_BUG_ON(PROFILE_WIDTH != (int)CORE_WIDTH ||
                  PROFILE_UNIT != (int)CORE_UNIT ||
                  PROFILE_DEPENDENCE != (int)CORE_DEPENDENCE ||
                  PROFILE_BRANCH != (int)CORE_BRANCH);

#define USER_END (1ull << 62)
/* A block is often followed by one that was translated with it: they lie together. */
#define CODE_CHUNK 1024
/* Rows of a refill under way; beyond it, they are merged. */
#define REFILL_ROWS 4096

/*
 * Generated code writes down the blocks that a processor begins.  They are
 * counted when there are so many, or when anything changes by which runs are
 * told apart.
 */
#define BEGUN (R10K_BEGUN_BYTES / sizeof(void *))

/* A block of generated code */
typedef struct Code {
    uint32_t number, n;
    uint32_t all[CORE_BOUNDS]; /* their sum */
    /* what its instructions take, in quarters of a cycle */
    uint16_t (*cost)[CORE_BOUNDS];
    uint64_t pc;
} Code;

/* Rows that a processor has lately added to other than by blocks, by pc */
#define LATE 256

/*
 * Blocks that a runner has run lately are counted beside the places: most runs
 * are of few blocks.
 */
#define RECENT 64

/* Blocks that are counted together */
typedef struct Batch {
    unsigned n;
    const Code *code[RECENT];
    int32_t runs[RECENT];
    uint32_t at[RECENT]; /* hash_of_block() */
} Batch;

/*
 * Runs of a block that are not yet in rows.  Small, because most runs come to a
 * place that the host's caches do not have.
 */
typedef struct Place {
    /* the block's number + 1 in 31:0, and the thread above; 0: free */
    uint64_t what;
    uint16_t region, mode;
    int32_t runs;
} Place;

QEMU_BUILD_BUG_ON(sizeof(Place) != 16);

/* A processor, by QEMU's index. Several may count at the same time, each its own. */
typedef struct QEMU_ALIGNED(64) Runner {
    void **begun;      /* [BEGUN], of which env->r10k.begun says how many are */
    CPUMIPSState *env; /* NULL: it has not run yet */
    const Code *code;  /* the block under way, if none are */
    uint32_t thread;
    uint16_t index; /* QEMU's */
    uint8_t cpu, region, mode;
    bool refill;
    bool switching;   /* it is in resume(), and its thread the same as before */
    uint32_t quarter; /* ticks of a quarter of a cycle */
    uint32_t salt;    /* where its places are, see hash_of_block() */
    /* [place_mask + 1], by hash, of which so many are not free */
    Place *place;
    uint32_t place_mask, places;
    ProfileComputing *late[LATE];
    /* runs that are in no place yet, of what the runner still does */
    const Code *recent[RECENT];
    int32_t recent_runs[RECENT];
    uint64_t recent_used; /* a bit for each */
    Batch begun_batch, recent_batch;
    GArray *pending; /* ProfileComputing, of the refill under way */
} Runner;

QEMU_BUILD_BUG_ON(RECENT != 64 || BEGUN > RECENT);
QEMU_BUILD_BUG_ON(MP_TIME_MAX_CPUS > UINT16_MAX);

static struct {
    OriginMachineState *machine; /* NULL: nothing is recorded */
    uint8_t (*doing)(const CPUState *cs);
    bool boot; /* process 1 has not got its job yet */
    uint32_t limit;
    uint64_t merged;
    /* how many rows the runs in places may need; each gets its row at once */
    uint64_t pending;
    bool claims;
    bool at_once;     /* rows may become scarce: no block is written down */
    uint32_t longest; /* instructions of a block so far */
    unsigned cpus;
    GPtrArray *codes; /* chunks of CODE_CHUNK, by number */
    uint32_t numbers;
    unsigned age;  /* mp_time_code_age() of the codes */
    bool emptying; /* empty_all() is at work: what it needs has room */
    Runner runner[MP_TIME_MAX_CPUS];
    GPtrArray *rows; /* chunks of ROW_CHUNK, by number */
    uint32_t nrows;
    /* [mask + 1], by hash: a row's number + 1 in 31:0, and the hash above */
    uint64_t *index;
    uint32_t mask;
    QemuSpin lock; /* of rows and index, in a phase that is spread */
    Notifier mark;
} computing;

/* To be called when anything that it is made of has changed */
static inline void set_salt(Runner *r)
{
    r->salt =
        (r->thread * 0xcc9e2d51u ^ r->index << 16 ^ r->region << 8 ^ r->mode) *
        0x1b873593u;
    r->salt ^= r->salt >> 16;
}

/* ---- rows ---- */

#define ROW_CHUNK 4096

static inline ProfileComputing *row_at(uint32_t number)
{
    ProfileComputing *chunk =
        g_ptr_array_index(computing.rows, number / ROW_CHUNK);

    return chunk + number % ROW_CHUNK;
}

static inline uint64_t hash(const ProfileComputing *c)
{
    uint64_t h = (c->pc ^ (uint64_t)c->thread << 40) * 0x9e3779b97f4a7c15ull ^
                 ((uint64_t)c->cpu << 48 | (uint64_t)c->region << 40 |
                  (uint64_t)c->mode << 32 | c->thread);

    h = (h ^ h >> 32) * 0xe7037ed1a0b428dbull;
    return h ^ h >> 32;
}

static inline bool same(const ProfileComputing *x, const ProfileComputing *y)
{
    return x->pc == y->pc && x->thread == y->thread && x->cpu == y->cpu &&
           x->region == y->region && x->mode == y->mode;
}

static void sum_up(ProfileComputing *to, const ProfileComputing *c)
{
    to->insns += c->insns;
    for (unsigned b = 0; b < PROFILE_BOUNDS; b++) {
        to->ticks[b] += c->ticks[b];
    }
}

/* The place in the index that has the row of this key, or where it would be. */
static uint64_t *slot(const ProfileComputing *key, uint64_t h)
{
    uint64_t e;

    for (uint32_t i = h & computing.mask;; i = (i + 1) & computing.mask) {
        e = computing.index[i];
        if (!e || (!((e ^ h) >> 32) && same(row_at((uint32_t)e - 1), key))) {
            return &computing.index[i];
        }
    }
}

/* An index for so many rows.  No two have the same key. */
static void grow(uint64_t rows)
{
    if (2 * rows < computing.mask) {
        return;
    }
    computing.mask = MAX(pow2ceil(2 * rows + 2), 8192) - 1;
    g_free(computing.index);
    computing.index = g_new0(uint64_t, (size_t)computing.mask + 1);
    for (uint32_t i = 0; i < computing.nrows; i++) {
        uint64_t h = hash(row_at(i));

        *slot(row_at(i), h) = h >> 32 << 32 | (i + 1);
    }
}

static ProfileComputing *new_row(const ProfileComputing *key)
{
    ProfileComputing *row;
    uint64_t h = hash(key), *e;

    grow((uint64_t)computing.nrows + 1);
    if (computing.nrows % ROW_CHUNK == 0) {
        g_ptr_array_add(computing.rows, g_new(ProfileComputing, ROW_CHUNK));
    }
    e = slot(key, h);
    g_assert(!*e); /* a second row of the key would take another one's room */
    *e = h >> 32 << 32 | (computing.nrows + 1);
    row = row_at(computing.nrows++);
    *row = *key;
    return row;
}

/* NULL: there is none. */
static inline ProfileComputing *find_row(const ProfileComputing *key)
{
    uint32_t number = computing.mask ? (uint32_t)*slot(key, hash(key)) : 0;

    return number ? row_at(number - 1) : NULL;
}

static void empty_all(void);
static void count_recent(Runner *r);

/* Rows that the blocks need at most that are in no place yet */
static uint64_t rows_begun(void)
{
    return (uint64_t)computing.cpus * (BEGUN + RECENT) * computing.longest;
}

/*
 * Blocks that overlap need fewer rows than they have instructions.  So before
 * these seem to become scarce, count what there is.
 */
static void look_at_places(uint64_t rows)
{
    uint64_t all = computing.nrows + computing.pending + rows + rows_begun();

    if (!computing.claims && !computing.at_once &&
        computing.pending > computing.limit / 8 &&
        all > computing.limit / 8 * 7) {
        empty_all();
    }
}

/* Is there room for all that is not counted, and for so many rows more? */
static void look_at_begun(uint64_t rows)
{
    if (!computing.at_once && rows + rows_begun() >= computing.limit) {
        computing.at_once = true;
        for (unsigned i = 0; i < MP_TIME_MAX_CPUS; i++) {
            count_recent(&computing.runner[i]);
        }
    }
}

/*
 * So many rows come next.  When a place is emptied depends on the numbers of
 * blocks, which a machine that begins with a kept boot does not share.  So where
 * not all may have rows, those that run first get them, and not those whose
 * places are emptied first.  True: rows have come, maybe the one that is looked for.
 */
static bool look_at_room(unsigned rows)
{
    uint32_t before = computing.nrows;
    uint64_t have;

    if (computing.emptying || mp_time_beside) {
        return false; /* profile_computing_ready() has looked */
    }
    look_at_places(rows);
    look_at_begun(computing.nrows + computing.pending + rows);
    have = computing.nrows + computing.pending;
    if (!computing.claims && have + rows >= computing.limit) {
        computing.claims = true;
        empty_all();
    }
    return computing.nrows != before;
}

/*
 * Add to the row of the instruction.  If there is no room it is that of the thread,
 * and at last that of no thread.
 */
static ProfileComputing *find_or_make(const ProfileComputing *c)
{
    ProfileComputing key = *c, *row;

    while (!(row = find_row(&key))) {
        uint64_t n = computing.nrows;

        if (look_at_room(1)) {
            continue;
        }
        if (key.pc != SN_ROW_NO_PC && n >= computing.limit) {
            key.pc = SN_ROW_NO_PC;
            computing.merged += c->insns;
        } else if (key.thread && n >= 2ull * computing.limit) {
            key.thread = 0;
        } else {
            row = new_row(&key);
            row->insns = 0;
            memset(row->ticks, 0, sizeof(row->ticks));
            break;
        }
    }
    return row;
}

/* A row has one processor, so only finding it is shared. */
static ProfileComputing *add(const ProfileComputing *c)
{
    ProfileComputing *row;

    if (mp_time_beside) {
        qemu_spin_lock(&computing.lock);
        row = find_or_make(c);
        qemu_spin_unlock(&computing.lock);
    } else {
        row = find_or_make(c);
    }
    sum_up(row, c);
    return row;
}

/* Add to a row that often had something added lately. */
static inline ProfileComputing *add_late(Runner *r, const ProfileComputing *c)
{
    ProfileComputing **row = &r->late[c->pc / 4 % LATE];

    if (likely(*row && same(*row, c))) {
        sum_up(*row, c);
    } else {
        *row = add(c);
    }
    return *row;
}

/* The same, but what a refill computes waits until the refill ends. */
static void note(Runner *r, const ProfileComputing *c)
{
    if (likely(!r->refill)) {
        add_late(r, c);
        return;
    }
    if (r->pending->len == REFILL_ROWS) {
        for (unsigned i = 1; i < REFILL_ROWS; i++) {
            sum_up((ProfileComputing *)r->pending->data,
                   &g_array_index(r->pending, ProfileComputing, i));
        }
        ((ProfileComputing *)r->pending->data)->pc = SN_ROW_NO_PC;
        g_array_set_size(r->pending, 1);
    }
    g_array_append_val(r->pending, *c);
}

/*
 * A boot executes the kernel's code in hundreds of threads on all processors, and
 * would take all rows.  So it has a row for each thread and mode only.
 */
static ProfileComputing row_of(const Runner *r, uint64_t pc)
{
    return (ProfileComputing){ .pc = computing.boot ? SN_ROW_NO_PC : pc,
                               .thread = r->thread,
                               .cpu = r->cpu,
                               .region = r->region,
                               .mode = r->mode };
}

/* The row of the merged instructions of the runner's thread */
static inline ProfileComputing *thread_row(Runner *r)
{
    const ProfileComputing c = row_of(r, SN_ROW_NO_PC);

    return add_late(r, &c);
}

/* An instruction of a block was executed so often. */
static ProfileComputing insn_row(const Runner *r, const Code *code, unsigned i,
                                 int64_t times)
{
    ProfileComputing c = row_of(r, code->pc + 4 * i);

    c.insns = times;
    for (unsigned b = 0; b < CORE_BOUNDS; b++) {
        c.ticks[b] = times * code->cost[i][b] * r->quarter;
    }
    return c;
}

/* What the instructions of a block from @first on compute together */
static inline void sum_code(Runner *r, const Code *code, unsigned first,
                            int64_t times, ProfileComputing *to)
{
    uint64_t all[CORE_BOUNDS];

    for (unsigned b = 0; b < CORE_BOUNDS; b++) {
        all[b] = code->all[b];
        for (unsigned i = 0; i < first; i++) {
            all[b] -= code->cost[i][b];
        }
        to->ticks[b] += times * (int64_t)all[b] * r->quarter;
    }
    to->insns += times * (code->n - first);
}

/* The instructions of a block from @first on were executed so often. */
static void note_code(Runner *r, const Code *code, unsigned first,
                      int64_t times)
{
    ProfileComputing all;

    if (computing.boot) {
        all = row_of(r, SN_ROW_NO_PC);
        sum_code(r, code, first, times, &all);
        note(r, &all);
        return;
    }
    for (unsigned i = first; i < code->n; i++) {
        const ProfileComputing c = insn_row(r, code, i, times);

        note(r, &c);
    }
}

/* ---- places ---- */

static Code *code_of(uint32_t number)
{
    Code *chunk = g_ptr_array_index(computing.codes, number / CODE_CHUNK);

    return chunk + number % CODE_CHUNK;
}

/* The block gets a place: its instructions get their rows if these are scarce. */
static void claim(const Runner *r, const Code *code)
{
    look_at_room(code->n);
    qatomic_add(&computing.pending, code->n);
    for (unsigned i = 0; computing.claims && i < code->n; i++) {
        const ProfileComputing c = row_of(r, code->pc + 4 * i);

        add(&c);
    }
}

static inline Place key_of(const Runner *r, const Code *code)
{
    return (Place){ .what = (uint64_t)r->thread << 32 | (code->number + 1),
                    .region = r->region,
                    .mode = r->mode };
}

/* The block of a place, and in `of` what the runner did when it ran it */
static const Code *whose(const Runner *r, const Place *p, Runner *of)
{
    of->thread = p->what >> 32;
    of->index = r->index;
    of->cpu = r->cpu;
    of->region = p->region;
    of->mode = p->mode;
    of->quarter = r->quarter;
    return code_of((uint32_t)p->what - 1);
}

/* Its runs become rows. */
static void flush_place(const Runner *r, const Place *p)
{
    Runner of;
    const Code *code = whose(r, p, &of);

    /* Their places in the index are far from each other in the host's memory. */
    for (unsigned i = 0; i < code->n; i++) {
        const ProfileComputing key = row_of(&of, code->pc + 4 * i);

        __builtin_prefetch(&computing.index[hash(&key) & computing.mask], 1);
    }
    for (unsigned i = 0; p->runs && i < code->n; i++) {
        const ProfileComputing c = insn_row(&of, code, i, p->runs);

        add(&c);
    }
}

/* The runs of the runner's places become rows, and all places free. */
static void empty_places(Runner *r)
{
    if (!r->places) {
        return;
    }
    for (uint32_t i = 0; i <= r->place_mask; i++) {
        if (r->place[i].what) {
            flush_place(r, &r->place[i]);
        }
    }
    memset(r->place, 0, (r->place_mask + 1ull) * sizeof(*r->place));
    r->places = 0;
}

static void empty_all(void)
{
    if (computing.emptying) {
        return;
    }
    computing.emptying = true;
    for (unsigned i = 0; i < MP_TIME_MAX_CPUS; i++) {
        count_recent(&computing.runner[i]);
    }
    grow(computing.nrows + MIN(computing.pending, computing.limit));
    for (unsigned i = 0; i < MP_TIME_MAX_CPUS; i++) {
        empty_places(&computing.runner[i]);
    }
    computing.pending = 0;
    computing.emptying = false;
}

/* The boot is over when process 1 has got its job.  A machine without one has no boot. */
static void look_at_boot(void)
{
    const OriginJob *job = &computing.machine->job;

    if (!job->fd || job->ready) {
        empty_all();
        computing.boot = false;
    }
}

/*
 * Blocks that were translated one after the other lie together, as many as a
 * line of the host's cache has places for.
 */
#define TOGETHER 4
QEMU_BUILD_BUG_ON(TOGETHER * sizeof(Place) != 64);

static inline uint32_t hash_of_block(uint32_t salt, uint32_t number)
{
    uint32_t h = (number / TOGETHER * 0x9e3779b1u ^ salt) * 0x85ebca6bu;

    return (h ^ h >> 15) * TOGETHER + number % TOGETHER;
}

static void more_places(Runner *r)
{
    uint32_t mask = r->place_mask, size = mask ? 2 * (mask + 1) : 1024;
    Place *old = r->place;

    r->place = qemu_memalign(64, (size_t)size * sizeof(*old));
    memset(r->place, 0, (size_t)size * sizeof(*old));
    r->place_mask = size - 1;
    for (uint32_t i = 0; old && i <= mask; i++) {
        const Code *code;
        uint32_t at;
        Runner of;

        if (!old[i].what) {
            continue;
        }
        code = whose(r, &old[i], &of);
        set_salt(&of);
        at = hash_of_block(of.salt, code->number);
        while (r->place[at & r->place_mask].what) {
            at++;
        }
        r->place[at & r->place_mask] = old[i];
    }
    qemu_vfree(old);
}

/* The block has no place yet.  There may be fewer others afterwards. */
static Place *new_place(Runner *r, const Code *code, const Place *key,
                        uint32_t at)
{
    Place *p;

    claim(r, code);
    if (2 * r->places >= r->place_mask) {
        more_places(r);
    }
    while (r->place[at & r->place_mask].what) {
        at++;
    }
    r->places++;
    p = &r->place[at & r->place_mask];
    *p = *key;
    return p;
}

/* at: hash_of_block() */
static inline void count_at(uint32_t at, Runner *r, const Code *code,
                            int32_t times)
{
    const Place key = key_of(r, code);
    Place *p;

    for (uint32_t i = at;; i++) {
        p = &r->place[i & r->place_mask];
        if (likely(p->what == key.what && p->region == key.region &&
                   p->mode == key.mode)) {
            break;
        }
        if (unlikely(!p->what)) {
            p = new_place(r, code, &key, at);
            break;
        }
    }
    if (unlikely(p->runs > INT32_MAX - (int32_t)BEGUN)) {
        int32_t runs = p->runs;

        p->runs = times;
        note_code(r, code, 0, runs);
        return;
    }
    p->runs += times;
}

static inline void count(Runner *r, const Code *code, int32_t times)
{
    if (unlikely(r->refill)) {
        note_code(r, code, 0, times);
    } else {
        count_at(hash_of_block(r->salt, code->number), r, code, times);
    }
}

/* The same while the machine boots */
static inline void count_boot(Runner *r, const Code *code, int64_t times)
{
    if (unlikely(r->refill)) {
        note_code(r, code, 0, times);
    } else {
        sum_code(r, code, 0, times, thread_row(r));
    }
}

/* None of them is of a refill, even if one is under way now. */
static void count_batch(Runner *r, Batch *b)
{
    for (unsigned i = 0; i < b->n && !computing.boot; i++) {
        b->at[i] = hash_of_block(r->salt, b->code[i]->number);
        __builtin_prefetch(&r->place[b->at[i] & r->place_mask], 1);
    }
    for (unsigned i = 0; i < b->n; i++) {
        if (unlikely(computing.boot)) {
            sum_code(r, b->code[i], 0, b->runs[i], thread_row(r));
        } else {
            count_at(b->at[i], r, b->code[i], b->runs[i]);
        }
    }
}

/*
 * By the guest's address and not by the host's: which block leaves its place decides when
 * rows are claimed, and so who gets the last ones.
 */
static inline unsigned place_of_recent(const Code *code)
{
    return (code->pc * 0x9e3779b97f4a7c15ull >> 32) % RECENT;
}

/* Count what generated code has written down.  It tells the next block itself. */
static void count_begun(Runner *r)
{
    size_t n = r->env && r->env->r10k.begun ? r->env->r10k.begun - r->begun : 0;
    Batch *out = &r->begun_batch;

    if (!n) {
        return;
    }
    r->env->r10k.begun = NULL;
    r->code = r->begun[n - 1];
    out->n = 0;
    for (size_t i = 0; i < n; i++) {
        const Code *code = r->begun[i];
        unsigned k = place_of_recent(code);

        if (likely(r->recent[k] == code)) {
            r->recent_runs[k]++;
            continue;
        }
        if (r->recent_used >> k & 1) {
            out->code[out->n] = r->recent[k];
            out->runs[out->n++] = r->recent_runs[k];
        }
        r->recent[k] = code;
        r->recent_runs[k] = 1;
        r->recent_used |= 1ull << k;
    }
    count_batch(r, out);
}

/* The same, and what the runner has run lately.  It may do something else next. */
static void count_recent(Runner *r)
{
    Batch *out = &r->recent_batch;
    uint64_t used;

    count_begun(r);
    used = r->recent_used;
    if (!used) {
        return;
    }
    r->recent_used = 0;
    out->n = 0;
    for (; used; used &= used - 1) {
        unsigned k = ctz64(used);

        out->code[out->n] = r->recent[k];
        out->runs[out->n++] = r->recent_runs[k];
        r->recent[k] = NULL;
    }
    count_batch(r, out);
}

/* The block that the runner is in; NULL: not known */
static inline const Code *under_way(const Runner *r)
{
    return r->env && r->env->r10k.begun ? r->env->r10k.begun[-1] : r->code;
}

/* ---- what the pipeline tells ---- */

static void free_codes(void)
{
    empty_all();
    for (unsigned i = 0; i < MP_TIME_MAX_CPUS; i++) {
        computing.runner[i].code = NULL;
    }
    for (uint32_t i = 0; i < computing.numbers; i++) {
        g_free(code_of(i)->cost);
    }
    g_ptr_array_set_size(computing.codes, 0);
    computing.numbers = 0;
}

static void *on_block(uint64_t pc)
{
    Code *c;

    if (computing.age != mp_time_code_age()) {
        computing.age = mp_time_code_age();
        free_codes();
    }
    if (computing.numbers % CODE_CHUNK == 0) {
        g_ptr_array_add(computing.codes, g_new0(Code, CODE_CHUNK));
    }
    c = code_of(computing.numbers);
    c->pc = pc;
    c->number = computing.numbers++;
    return c;
}

static void on_line(void *block, unsigned n, const uint16_t (*by)[CORE_BOUNDS])
{
    Code *c = block;

    g_free(c->cost);
    c->cost = g_memdup2(by, n * sizeof(*by));
    c->n = n;
    if (n > computing.longest) {
        computing.longest = n;
        look_at_begun(computing.nrows + computing.pending);
    }
    memset(c->all, 0, sizeof(c->all));
    for (unsigned i = 0; i < n; i++) {
        for (unsigned b = 0; b < CORE_BOUNDS; b++) {
            c->all[b] += by[i][b];
        }
    }
}

static Runner *runner_of(CPUState *cs)
{
    Runner *r = &computing.runner[cs->cpu_index];
    const MIPSR10KState *s = &cpu_env(cs)->r10k;

    if (unlikely(!r->quarter)) {
        const struct sn_cpu_desc *d =
            &computing.machine->desc.node[s->nasid].cpu[s->slice];

        r->begun = qemu_memalign(R10K_BEGUN_BYTES, R10K_BEGUN_BYTES);
        r->env = cpu_env(cs);
        more_places(r);
        qatomic_inc(&computing.cpus);
        r->index = cs->cpu_index;
        set_salt(r);
        r->cpu = s->nasid * SN_NODE_CPUS + s->slice;
        r->quarter = origin_insn_ticks(computing.machine, d->khz * 1000ull);
        r->pending = g_array_new(false, false, sizeof(ProfileComputing));
    }
    return r;
}

/*
 * May generated code write down what the runner does next?  Not where the thread
 * may become another one at any block.
 */
static bool may_write_down(const Runner *r)
{
    return r->thread && r->mode && !r->refill && !computing.at_once &&
           (r->mode == 1 + PROFILE_STATE_USER || !r->switching);
}

/* What the runner does when it begins a block */
static void look_at(Runner *r, CPUState *cs)
{
    uint32_t thread = guest_thread_quick(cs);
    uint8_t region = guest_region(thread), mode = computing.doing(cs);

    if (likely(thread == r->thread && region == r->region && mode == r->mode)) {
        return;
    }
    count_recent(r);
    if (thread != r->thread) {
        r->switching = false;
    }
    r->thread = thread;
    r->region = region;
    r->mode = mode;
    set_salt(r);
}

static void on_run(CPUMIPSState *env, void *block, void *other)
{
    CPUState *cs = env_cpu(env);
    Runner *r = runner_of(cs);

    if (unlikely(computing.boot)) {
        look_at_boot();
    }
    if (!other) {
        count_begun(r);
        look_at(r, cs);
        if (may_write_down(r)) {
            r->code = block;
            r->begun[0] = block;
            env->r10k.begun = r->begun + 1;
            return;
        }
    }
    r->code = other ?: block;
    if (unlikely(computing.boot)) {
        if (other) {
            count_boot(r, block, -1);
        }
        count_boot(r, r->code, 1);
    } else if (other) {
        count(r, block, -1);
        count(r, other, 1);
    } else {
        count(r, block, 1);
    }
}

void profile_computing_turn(CPUState *cs)
{
    count_begun(&computing.runner[cs->cpu_index]);
}

/*
 * In a phase that is spread nobody looks at the room for rows, so look here.
 * When blocks become rows does not matter as long as all have room.  Before
 * process 1 has its job, each block looks whether it has it now.
 */
bool profile_computing_ready(uint64_t rows)
{
    uint64_t have;

    if (!computing.machine) {
        return true;
    }
    if (computing.boot || computing.claims) {
        return false;
    }
    look_at_places(rows);
    look_at_begun(computing.nrows + computing.pending + rows);
    have = computing.nrows + computing.pending;
    return have + rows + (computing.at_once ? 0 : rows_begun()) <
           computing.limit;
}

void profile_computing_switch(CPUState *cs)
{
    if (computing.machine) {
        runner_of(cs)->switching = true;
    }
}

static void on_left(CPUMIPSState *env, unsigned insns)
{
    Runner *r = runner_of(env_cpu(env));

    const Code *code = under_way(r);

    if (code && insns <= code->n) {
        note_code(r, code, code->n - insns, -1);
    }
}

static void on_more(CPUMIPSState *env, uint64_t pc, unsigned count, bool wrong)
{
    Runner *r = runner_of(env_cpu(env));
    unsigned bound = wrong ? PROFILE_MISPREDICT : PROFILE_BRANCH;
    int64_t ticks = (int64_t)count * r->quarter;
    ProfileComputing *late = r->late[pc / 4 % LATE], c;

    /* What note() would do, for a loop may have a wrong prediction in each turn */
    if (likely(late && late->pc == pc && late->thread == r->thread &&
               late->region == r->region && late->mode == r->mode &&
               !r->refill && !computing.boot)) {
        late->ticks[bound] += ticks;
        return;
    }
    c = row_of(r, pc);
    c.ticks[bound] = ticks;
    note(r, &c);
}

/* ---- what others tell ---- */

/* Threads may be in other regions from here on. */
static void on_mark(Notifier *n, void *data)
{
    for (unsigned i = 0; i < MP_TIME_MAX_CPUS; i++) {
        count_begun(&computing.runner[i]);
    }
}

/*
 * Who waits for the load has its cycle in the schedule: take it from the next
 * instructions, and first from what they wait for operands.
 */
void profile_computing_awaited(CPUState *cs, uint64_t ticks, uintptr_t ra)
{
    static const uint8_t order[CORE_BOUNDS] = { CORE_DEPENDENCE, CORE_UNIT,
                                                CORE_WIDTH, CORE_BRANCH };
    Runner *r = runner_of(cs);
    const Code *code = under_way(r);
    ProfileComputing c = row_of(r, SN_ROW_NO_PC);
    MPTimeWhere w;

    if (code && ra && mp_time_where(cs, ra, &w) && w.left < (int)code->n) {
        unsigned load = code->n - 1 - w.left;

        for (unsigned k = 1; k <= code->n && ticks; k++) {
            unsigned i = (load + k) % code->n;

            c = row_of(r, code->pc + 4 * i);
            for (unsigned b = 0; b < CORE_BOUNDS; b++) {
                uint64_t n =
                    MIN(ticks, (uint64_t)code->cost[i][order[b]] * r->quarter);

                c.ticks[order[b]] = -(int64_t)n;
                ticks -= n;
            }
            note(r, &c);
        }
        c = row_of(r, w.pc);
    }
    if (ticks) {
        c.ticks[CORE_DEPENDENCE] = -(int64_t)ticks;
        note(r, &c);
    }
}

void profile_computing_refill(CPUState *cs, bool begins, bool kept)
{
    Runner *r = runner_of(cs);

    if (r->refill && kept) {
        for (unsigned i = 0; i < r->pending->len; i++) {
            add(&g_array_index(r->pending, ProfileComputing, i));
        }
    }
    g_array_set_size(r->pending, 0);
    r->refill = begins;
}

/* ---- saved and loaded ---- */

void profile_computing_rest(void)
{
    if (computing.machine) {
        empty_all();
        look_at_boot();
    }
}

static void rows_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, computing.nrows);

    if (a->loading && !a->failed) {
        grow(MIN(n, computing.limit));
    }
    for (uint32_t i = 0; i < n && !a->failed; i++) {
        ProfileComputing c;

        if (!a->loading) {
            c = *row_at(i);
        }
        SN_MOVE(a, c);
        if (a->loading && !a->failed && !find_row(&c)) {
            new_row(&c);
        }
    }
}

void profile_computing_state(struct sn_archive *a)
{
    CPUState *cs;

    if (!computing.machine) {
        return;
    }
    SN_MOVE(a, computing.boot);
    SN_MOVE(a, computing.merged);
    rows_state(a);
    CPU_FOREACH(cs) {
        Runner *r = runner_of(cs);

        SN_MOVE(a, r->thread);
        SN_MOVE(a, r->region);
        SN_MOVE(a, r->mode);
        SN_MOVE(a, r->refill);
        SN_MOVE(a, r->switching);
        set_salt(r);
        guest_move_array(a, r->pending);
    }
}

/* ---- tables ---- */

/* A row, and by what it is sorted */
typedef struct Sorted {
    uint64_t thread, pc; /* with the processor above, and the region below */
    uint8_t mode;
    const ProfileComputing *row;
} Sorted;

static gint by_place(gconstpointer a, gconstpointer b)
{
    const Sorted *x = a, *y = b;

#define ORDER(field)                         \
    if (x->field != y->field) {              \
        return x->field < y->field ? -1 : 1; \
    }
    ORDER(thread)
    ORDER(pc)
    ORDER(mode)
#undef ORDER
    return 0;
}

static void put_sorted(GArray *all, const ProfileComputing *row)
{
    const Sorted s = { .thread = (uint64_t)row->cpu << 40 |
                                 (uint64_t)row->thread << 8 | row->region,
                       .pc = row->pc,
                       .mode = row->mode,
                       .row = row };

    g_array_append_val(all, s);
}

/* What is less than 0 in the rows of a thread comes from its other bounds and rows. */
static void settle(ProfileComputing *c, unsigned n)
{
    int64_t debt = 0, take;

    for (unsigned i = 0; i < n; i++) {
        for (unsigned b = 0; b < PROFILE_BOUNDS; b++) {
            debt -= MIN(c[i].ticks[b], 0);
            c[i].ticks[b] = MAX(c[i].ticks[b], 0);
        }
    }
    for (unsigned i = 0; i < n && debt; i++) {
        for (unsigned b = 0; b < PROFILE_BOUNDS; b++) {
            take = MIN(debt, c[i].ticks[b]);
            c[i].ticks[b] -= take;
            debt -= take;
        }
    }
}

/* The rows, and those of refills that have not ended; each key once */
static GArray *merged(void)
{
    GArray *all = g_array_new(false, false, sizeof(ProfileComputing));
    g_autoptr(GArray) rows = g_array_new(false, false, sizeof(Sorted));

    for (uint32_t i = 0; i < computing.nrows; i++) {
        put_sorted(rows, row_at(i));
    }
    for (unsigned i = 0; i < MP_TIME_MAX_CPUS; i++) {
        const Runner *r = &computing.runner[i];

        for (unsigned k = 0; r->refill && k < r->pending->len; k++) {
            put_sorted(rows, &g_array_index(r->pending, ProfileComputing, k));
        }
    }
    g_array_sort(rows, by_place);
    for (unsigned i = 0; i < rows->len; i++) {
        const ProfileComputing *row = g_array_index(rows, Sorted, i).row;
        ProfileComputing *last =
            all->len ? &g_array_index(all, ProfileComputing, all->len - 1)
                     : NULL;

        if (last && same(last, row)) {
            sum_up(last, row);
        } else {
            g_array_append_vals(all, row, 1);
        }
    }
    return all;
}

void profile_computing_rows(void (*fn)(void *opaque, const ProfileComputing *c),
                            void *opaque)
{
    g_autoptr(GArray) rows = NULL;
    ProfileComputing *c;

    empty_all();
    rows = merged();
    c = (ProfileComputing *)rows->data;
    for (unsigned i = 0, n; i < rows->len; i += n) {
        for (n = 1; i + n < rows->len && c[i + n].cpu == c[i].cpu &&
                    c[i + n].thread == c[i].thread;) {
            n++;
        }
        settle(c + i, n);
    }
    for (unsigned i = 0; i < rows->len; i++) {
        fn(opaque, c + i);
    }
}

uint64_t profile_computing_merged(void)
{
    return computing.merged;
}

bool profile_computing_on(void)
{
    return computing.machine;
}

void profile_computing_attach(OriginMachineState *m, uint32_t limit,
                              uint8_t (*doing)(const CPUState *cs))
{
    static const MIPSR10KCoreOps ops = {
        .block = on_block,
        .line = on_line,
        .run = on_run,
        .left = on_left,
        .more = on_more,
    };

    if (m->pipeline) {
        computing.machine = m;
        computing.boot = true;
        computing.limit = limit;
        computing.doing = doing;
        computing.codes = g_ptr_array_new_with_free_func(g_free);
        computing.rows = g_ptr_array_new_with_free_func(g_free);
        qemu_spin_init(&computing.lock);
        computing.mark.notify = on_mark;
        mips_r10k_add_mark_notifier(&computing.mark);
        guest_threads_tell(profile_computing_turn);
        mips_r10k_set_core_ops(&ops);
    }
}

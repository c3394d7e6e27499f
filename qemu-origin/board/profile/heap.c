/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An interval tree of living blocks for each address space; see heap.h. */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/interval-tree.h"
#include "qemu/thread.h"
#include "system/mp-time.h"
#include "target/mips/cpu.h"
#include "target/mips/r10k.h"
#include "profile/allocators.h"
#include "clock.h"
#include "kernel.h"
#include "calls.h"
#include "maps.h"
#include "state.h"
#include "threads.h"
#include "heap.h"

#define USER_END  (1ull << 62)
#define PAGE_MASK 0x3fffull

enum { V0 = 2, A0 = 4, SP = 29, RA = 31 };

/* profile/allocators.h says what they mean. */
enum act { NEW, NEW_AT, CHANGE, MORE, MOVE_END, FREE, UNMAP };

/* The second factor, if a size is only one argument and no product */
#define ONE 3
static const struct function {
    const char *name, *how;
    enum act act;
    uint8_t size, times; /* numbers of arguments */
} functions[] = {
#define X(name, how, ACT, size, times) { #name, #how, ACT, size, times },
    SN_ALLOCATORS(X)
#undef X
};

/* The outermost call of a watched function that a thread is in */
typedef struct Pending {
    uint64_t ra, sp, a[3], brk;
    const struct function *f; /* NULL: in none */
    uint32_t path;
} Pending;

typedef struct Block {
    IntervalTreeNode in;
    uint32_t number; /* in heap.named; 0: not there, no miss fell in it */
    GuestBlock about;
} Block;

typedef struct Space {
    IntervalTreeRoot root;
    uint64_t mm;
} Space;

static struct {
    GPtrArray *space; /* Space by number */
    /* from an mm to the number of the space that has it now */
    GHashTable *by_mm;
    GArray *pending; /* by thread */
    GArray *named;   /* GuestBlock */
    uint32_t live, max;
    uint64_t lost;
    /* of the trees: a processor may look for a block out of its turn */
    QemuSpin lock;
} heap;

int guest_heap_function(const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(functions); i++) {
        if (!strcmp(functions[i].name, name)) {
            return i;
        }
    }
    return -1;
}

void guest_heap_init(uint32_t max)
{
    /* Others may look at theirs while a new one comes, so none ever moves. */
    heap.space = g_ptr_array_sized_new(GUEST_SPACES_MAX + 1);
    heap.by_mm = g_hash_table_new(NULL, NULL);
    heap.pending =
        g_array_sized_new(false, true, sizeof(Pending), GUEST_THREADS_MAX);
    qemu_spin_init(&heap.lock);
    heap.named = g_array_new(false, false, sizeof(GuestBlock));
    heap.max = max;
}

/* ---- blocks ---- */

static void drop(Space *s, Block *b)
{
    qemu_spin_lock(&heap.lock);
    interval_tree_remove(&b->in, &s->root);
    qemu_spin_unlock(&heap.lock);
    if (b->number) {
        g_array_index(heap.named, GuestBlock, b->number - 1).last =
            origin_now();
    }
    g_free(b);
    heap.live--;
}

/* The address space has ended: another one has its mm now. Drop its blocks. */
static void drop_space(uint32_t n)
{
    Space *s = heap.space->pdata[n];
    IntervalTreeNode *in;

    while (s && (in = interval_tree_iter_first(&s->root, 0, UINT64_MAX))) {
        drop(s, container_of(in, Block, in));
    }
    qemu_spin_lock(&heap.lock);
    heap.space->pdata[n] = NULL;
    qemu_spin_unlock(&heap.lock);
    g_free(s);
}

static Space *space_of(uint32_t n)
{
    gpointer mm;
    uint32_t before;

    if (n < heap.space->len && heap.space->pdata[n]) {
        return heap.space->pdata[n];
    }
    mm = (gpointer)(uintptr_t)guest_space_mm(n);
    before = GPOINTER_TO_UINT(g_hash_table_lookup(heap.by_mm, mm));
    if (before) {
        drop_space(before);
    }
    g_hash_table_insert(heap.by_mm, mm, GUINT_TO_POINTER(n));
    if (n >= heap.space->len) {
        g_ptr_array_set_size(heap.space, n + 1);
    }
    return heap.space->pdata[n] = g_new0(Space, 1);
}

/* The smallest block that an address is in; NULL: none. */
static Block *block_at(Space *s, uint64_t addr)
{
    IntervalTreeNode *in = interval_tree_iter_first(&s->root, addr, addr);
    Block *best = NULL;

    for (; in; in = interval_tree_iter_next(in, addr, addr)) {
        Block *b = container_of(in, Block, in);

        if (!best || b->about.bytes < best->about.bytes) {
            best = b;
        }
    }
    return best;
}

/* Drop the blocks that lie wholly in [from, to]. */
static void clear(Space *s, uint64_t from, uint64_t to)
{
    IntervalTreeNode *in = interval_tree_iter_first(&s->root, from, to), *next;

    for (; in; in = next) {
        next = interval_tree_iter_next(in, from, to);
        if (in->start >= from && in->last <= to) {
            drop(s, container_of(in, Block, in));
        }
    }
}

static void release(Space *s, uint64_t addr)
{
    IntervalTreeNode *in = interval_tree_iter_first(&s->root, addr, addr);

    while (in && in->start != addr) {
        in = interval_tree_iter_next(in, addr, addr);
    }
    if (in) {
        drop(s, container_of(in, Block, in));
    }
}

static void add(Space *s, const GuestBlock *about)
{
    uint64_t last = about->address + about->bytes - 1;
    Block *b;

    if (!about->address || !about->bytes || last < about->address ||
        last >= USER_END) {
        return;
    }
    clear(s, about->address, last);
    if (heap.live == heap.max) {
        heap.lost++;
        return;
    }
    b = g_new0(Block, 1);
    b->about = *about;
    b->in.start = about->address;
    b->in.last = last;
    qemu_spin_lock(&heap.lock);
    interval_tree_insert(&b->in, &s->root);
    qemu_spin_unlock(&heap.lock);
    heap.live++;
}

uint32_t guest_heap_name(const GuestBlock *about)
{
    if (heap.named->len == heap.max) {
        heap.lost++;
        return 0;
    }
    g_array_append_val(heap.named, *about);
    return heap.named->len;
}

uint32_t guest_heap_block(uint32_t n, uint64_t addr)
{
    uint32_t number = 0;
    Block *b;

    if (!n || n >= heap.space->len) {
        return 0;
    }
    qemu_spin_lock(&heap.lock);
    b = heap.space->pdata[n] ? block_at(heap.space->pdata[n], addr) : NULL;
    if (b) {
        number = b->number;
    }
    qemu_spin_unlock(&heap.lock);
    if (!b || number) {
        return number;
    }
    /* A program that uses what it has given back may have dropped it meanwhile. */
    mp_time_in_turn();
    b = heap.space->pdata[n] ? block_at(heap.space->pdata[n], addr) : NULL;
    if (b && !b->number) {
        b->number = guest_heap_name(&b->about);
    }
    return b ? b->number : 0;
}

const GuestBlock *guest_heap_blocks(uint32_t *n)
{
    *n = heap.named->len;
    return (const GuestBlock *)heap.named->data;
}

uint64_t guest_heap_lost(void)
{
    return heap.lost;
}

/* ---- calls ---- */

static Pending *pending_of(uint32_t thread)
{
    if (thread >= heap.pending->len) {
        g_array_set_size(heap.pending, thread + 1);
    }
    return &g_array_index(heap.pending, Pending, thread);
}

static uint64_t break_of(uint32_t space)
{
    uint64_t brk = 0;

    GUEST_U64(guest_space_mm(space), mm_struct_brk, &brk);
    return brk;
}

void guest_heap_enter(CPUState *cs, uint32_t thread, uint64_t pc,
                      unsigned function)
{
    const target_ulong *gpr = cpu_env(cs)->active_tc.gpr;
    const struct function *f = &functions[function];
    uint32_t n, space = guest_threads(&n)[thread].space;
    Pending *p = pending_of(thread);

    if (p->f && (gpr[SP] < p->sp || (gpr[SP] == p->sp && gpr[RA] == p->ra))) {
        return; /* called by that function, on whose behalf it allocates */
    }
    *p = (Pending){ .ra = gpr[RA], .sp = gpr[SP], .f = f };
    memcpy(p->a, gpr + A0, sizeof(p->a));
    if (f->act == FREE) {
        release(space_of(space), p->a[0]);
    } else if (f->act == MOVE_END) {
        p->brk = break_of(space);
    }
    if (f->act != FREE && f->act != UNMAP) {
        p->path = guest_calls_caller(cs, thread, pc);
    }
}

static void result(CPUState *cs, const Pending *p, uint32_t thread, uint64_t v0)
{
    uint32_t n, space = guest_threads(&n)[thread].space;
    Space *s = space_of(space);
    bool failed = v0 >= USER_END; /* MAP_FAILED, -1 */
    GuestBlock b = {
        .address = v0,
        .bytes =
            p->a[p->f->size] * (p->f->times == ONE ? 1 : p->a[p->f->times]),
        .pc = p->ra,
        .space = space,
        .thread = thread,
        .path = p->path,
        .how = p->f->how,
        .first = origin_now(),
    };

    switch (p->f->act) {
    case NEW_AT:
        if (v0 || !mips_r10k_rw_ram(cs, p->a[0], &b.address, 8, false)) {
            return;
        }
        be64_to_cpus(&b.address);
        break;
    case CHANGE:
        if (p->a[0] && (v0 || !b.bytes)) {
            release(s, p->a[0]);
        }
        break;
    case MORE:
        if ((int64_t)b.bytes < 0) {
            clear(s, v0 + b.bytes, v0 - 1);
            return;
        }
        break;
    case MOVE_END:
        if (v0 || !p->brk || p->a[0] <= p->brk) {
            return;
        }
        b.address = p->brk;
        b.bytes = p->a[0] - p->brk;
        break;
    case UNMAP:
        if (!v0) {
            clear(s, p->a[0], ((p->a[0] + p->a[1] - 1) | PAGE_MASK));
        }
        return;
    case FREE:
        return;
    case NEW:
        break;
    }
    if (!failed) {
        add(s, &b);
    }
}

void guest_heap_leave(CPUState *cs, uint32_t thread, uint64_t to)
{
    const target_ulong *gpr = cpu_env(cs)->active_tc.gpr;
    Pending *p;

    if (thread >= heap.pending->len) {
        return;
    }
    p = &g_array_index(heap.pending, Pending, thread);
    if (!p->f || to != p->ra || gpr[SP] != p->sp) {
        return;
    }
    mp_time_in_turn();
    if (p->f) { /* a broken kernel may run the thread on another processor, too */
        result(cs, p, thread, gpr[V0]);
        p->f = NULL;
    }
}

/* ---- saved and loaded ---- */

static void about_state(struct sn_archive *a, GuestBlock *b)
{
    const char *how = b->how;

    SN_MOVE(a, *b);
    guest_move_name(a, &how);
    b->how = how;
}

static void block_state(struct sn_archive *a, Space *s, Block *b)
{
    SN_MOVE(a, b->number);
    sn_must(a, b->number <= heap.named->len);
    about_state(a, &b->about);
    if (a->loading && !a->failed) {
        b->in.start = b->about.address;
        b->in.last = b->about.address + b->about.bytes - 1;
        interval_tree_insert(&b->in, &s->root);
        heap.live++;
    }
}

static void space_state(struct sn_archive *a, Space *s)
{
    IntervalTreeNode *in = interval_tree_iter_first(&s->root, 0, UINT64_MAX);
    bool more;

    SN_MOVE(a, s->mm);
    for (;;) {
        more = in;
        SN_MOVE(a, more);
        sn_must_be_bool(a, &more);
        if (a->failed || !more) {
            return;
        }
        if (a->loading) {
            block_state(a, s, g_new0(Block, 1));
        } else {
            block_state(a, s, container_of(in, Block, in));
            in = interval_tree_iter_next(in, 0, UINT64_MAX);
        }
    }
}

static void spaces_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, heap.space->len);

    if (a->loading) {
        g_ptr_array_set_size(heap.space, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        bool here = heap.space->pdata[i];

        SN_MOVE(a, here);
        sn_must_be_bool(a, &here);
        if (a->failed || !here) {
            continue;
        }
        if (a->loading) {
            heap.space->pdata[i] = g_new0(Space, 1);
        }
        space_state(a, heap.space->pdata[i]);
    }
}

static void pending_state(struct sn_archive *a, Pending *p)
{
    const void *f = p->f;

    SN_MOVE(a, *p);
    p->f = guest_move_row(a, f, functions, sizeof(functions[0]),
                          ARRAY_SIZE(functions));
}

void guest_heap_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, heap.named->len);

    if (a->loading) {
        g_array_set_size(heap.named, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        about_state(a, &g_array_index(heap.named, GuestBlock, i));
    }
    spaces_state(a);
    guest_move_table(a, heap.by_mm);
    n = guest_move_count(a, heap.pending->len);
    if (a->loading) {
        g_array_set_size(heap.pending, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        pending_state(a, &g_array_index(heap.pending, Pending, i));
    }
    SN_MOVE(a, heap.lost);
}

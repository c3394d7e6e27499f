/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of calls; see calls.h. */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "system/mp-time.h"
#include "target/mips/cpu.h"
#include "kernel.h"
#include "paths.h"
#include "state.h"
#include "threads.h"
#include "calls.h"

#define USER_END   (1ull << 62)
#define FRAMES_MAX 4096 /* of a stack; deeper calls are not kept */
/* kernel stacks that are remembered, one for each thread */
#define STACKS_MAX 262144u
#define SP         29
#define RA         31
/*
 * The most bytes from a stub's beginning to its return address.  A stub has a
 * load, two instructions for an index, a move, and the call with its delay
 * slot.
 */
#define STUB_MAX 24

typedef struct Frame {
    uint64_t sp, ret, to;
    uint32_t path; /* path from `root` to this call; 0: not known yet */
    uint32_t root;
} Frame;

typedef struct Stack {
    Frame *frame;
    uint32_t n, room;
} Stack;

typedef struct Calls {
    Stack user, kernel;
    uint64_t taken; /* see take() */
    uint64_t made;  /* user calls so far */
    /* `entry` is what entry_of() found when these had such values. */
    uint64_t epc, sp, seen;
    uint32_t entry;
} Calls;

static struct {
    unsigned depth;
    GPtrArray *thread; /* Calls, by the thread's number; NULL: none yet */
    /* from a kernel stack's address to its thread's number */
    GHashTable *at;
    struct QEMU_ALIGNED(64) {
        Stack stack;
    } irq[MP_TIME_MAX_CPUS];
    GPtrArray *dropped; /* Calls, to be freed when the phase is over */
} calls;

static void free_calls(gpointer opaque)
{
    Calls *c = opaque;

    g_free(c->user.frame);
    g_free(c->kernel.frame);
    g_free(c);
}

void guest_calls_init(unsigned depth)
{
    calls.depth = depth;
    /* Others may look at theirs while a new one comes, so it never moves. */
    calls.thread = g_ptr_array_sized_new(GUEST_THREADS_MAX);
    calls.at = g_hash_table_new(NULL, NULL);
    calls.dropped = g_ptr_array_new_with_free_func(free_calls);
}

/*
 * May the processor use the stacks? Only one does in a phase: a broken kernel may run
 * a thread on two processors at the same time.
 */
static bool take(Calls *c, const CPUState *cs)
{
    uint64_t mine = (uint64_t)mp_time_beside << 32 | cs->cpu_index, taken;

    if (likely(!mp_time_beside)) {
        return true;
    }
    taken = qatomic_read(&c->taken);
    return taken == mine || (taken >> 32 != mp_time_beside &&
                             qatomic_cmpxchg(&c->taken, taken, mine) == taken);
}

void guest_calls_over(void)
{
    if (unlikely(calls.dropped->len)) {
        g_ptr_array_set_size(calls.dropped, 0);
    }
}

static void forget(CPUState *cs, uint32_t thread)
{
    Calls *c = calls.thread->pdata[thread];

    if (c && take(c, cs)) {
        g_ptr_array_add(calls.dropped, c);
        calls.thread->pdata[thread] = NULL;
    }
}

/*
 * Make the stacks of a new thread.  If another thread had its kernel stack
 * before, that one has ended, and its stacks are dropped.
 */
static Calls *new_calls(CPUState *cs, uint32_t thread)
{
    gpointer at = (gpointer)(uintptr_t)(guest_kernel_stack(cs) &
                                        -guest_layout.size_thread_union);
    uint32_t before;

    mp_time_in_turn();
    if (thread < calls.thread->len && calls.thread->pdata[thread]) {
        return calls.thread->pdata[thread];
    }
    before = GPOINTER_TO_UINT(g_hash_table_lookup(calls.at, at));
    if (before && before != thread) {
        forget(cs, before);
    }
    if (g_hash_table_size(calls.at) == STACKS_MAX) {
        g_hash_table_remove_all(calls.at);
    }
    g_hash_table_insert(calls.at, at, GUINT_TO_POINTER(thread));
    if (thread >= calls.thread->len) {
        g_ptr_array_set_size(calls.thread, thread + 1);
    }
    return calls.thread->pdata[thread] = g_new0(Calls, 1);
}

/* NULL: another processor uses them. */
static inline Calls *calls_of(CPUState *cs, uint32_t thread)
{
    Calls *c = thread < calls.thread->len ? calls.thread->pdata[thread] : NULL;

    c = likely(c) ? c : new_calls(cs, thread);
    return likely(take(c, cs)) ? c : NULL;
}

static inline Stack *stack_of(CPUState *cs, Calls *c, uint64_t sp)
{
    if (sp < USER_END) {
        return &c->user;
    }
    return (sp ^ guest_kernel_stack(cs)) < guest_layout.size_thread_union
               ? &c->kernel
               : &calls.irq[cs->cpu_index].stack;
}

/*
 * A stub of lazy binding (section .MIPS.stubs) calls the dynamic linker right
 * after it was called.  The linker then jumps to the function, which returns
 * to the caller of the stub.
 */
static bool calls_for_a_stub(const Stack *s, uint64_t ret, uint64_t sp)
{
    const Frame *f = s->n ? &s->frame[s->n - 1] : NULL;

    return f && f->sp == sp && ret - f->to <= STUB_MAX;
}

void guest_call(CPUState *cs, uint64_t ret, uint64_t sp, uint64_t to)
{
    uint32_t thread = guest_thread_quick(cs);
    Calls *c;
    Stack *s;

    if (unlikely(!thread)) {
        return;
    }
    c = calls_of(cs, thread);
    if (unlikely(!c)) {
        return;
    }
    s = stack_of(cs, c, sp);
    if (calls_for_a_stub(s, ret, sp)) {
        return;
    }
    c->made += s == &c->user;
    while (s->n && s->frame[s->n - 1].sp <= sp) {
        s->n--;
    }
    if (unlikely(s->n == s->room)) {
        if (s->room == FRAMES_MAX) {
            return;
        }
        s->room = s->room ? 2 * s->room : 8;
        s->frame = g_renew(Frame, s->frame, s->room);
    }
    s->frame[s->n++] = (Frame){ .sp = sp, .ret = ret, .to = to };
}

/*
 * Is the newest call over? Its stack pointer is the present one, so only the
 * code at pc can tell: the call is over if pc is in the caller.  Of a function
 * only its beginning is known, so pc is taken to be in the function that begins
 * nearest before it.
 */
static bool returned(const Stack *s, uint64_t pc)
{
    const Frame *f = &s->frame[s->n - 1];
    uint64_t caller = s->n > 1 ? f[-1].to : 0;

    if (!caller || caller > f->ret) {
        return pc < f->to && f->ret < f->to;
    }
    return pc >= caller && (pc < f->to || f->to < caller);
}

/*
 * How many calls of a stack are not over, given the stack pointer and the code
 * that is executed
 */
static uint32_t open_calls(const Stack *s, uint64_t sp, uint64_t pc,
                           unsigned bytes)
{
    Stack o = *s;

    while (o.n && o.frame[o.n - 1].sp < sp) {
        o.n--;
    }
    if (o.n && o.frame[o.n - 1].sp == sp && returned(&o, pc) &&
        returned(&o, pc + bytes - 1)) {
        o.n--;
    }
    return o.n;
}

/* The path of the first n calls of a stack that begins below `root`. */
static uint32_t path_of(Stack *s, uint32_t n, uint32_t root)
{
    uint32_t first = n, path = root;
    Frame *f;

    while (first && n - first < calls.depth) {
        f = &s->frame[first - 1];
        if (f->path && f->root == root &&
            (first <= calls.depth || first == n)) {
            path = f->path;
            break;
        }
        first--;
    }
    for (uint32_t i = first; i < n; i++) {
        f = &s->frame[i];
        path = guest_path(path, f->ret);
        /*
         * A path that is cut off at the depth limit is not that of the frames
         * between, so it is kept in the last frame only.
         */
        if (i + 1 <= calls.depth || i + 1 == n) {
            f->path = path;
            f->root = root;
        }
    }
    return path;
}

/*
 * The path of the user's instruction that entered the kernel.  The path shows it
 * as a call that returns two instructions later.  Nothing is taken off the
 * user's stack here: while the kernel still saves the registers, its memory has
 * those of an earlier entry.
 */
static uint32_t entry_of(CPUState *cs, Calls *c)
{
    uint64_t epc, sp;

    if (!guest_entry(cs, &epc, &sp) || epc >= USER_END || sp >= USER_END) {
        return 0;
    }
    if (epc != c->epc || sp != c->sp || c->made != c->seen) {
        c->entry = guest_path(
            path_of(&c->user, open_calls(&c->user, sp, epc, 1), 0), epc + 8);
        c->epc = epc;
        c->sp = sp;
        c->seen = c->made;
    }
    return c->entry;
}

uint64_t guest_calls_fetched(CPUState *cs, uint32_t thread, uint64_t line,
                             unsigned bytes)
{
    uint64_t sp = cpu_env(cs)->active_tc.gpr[SP];
    const Frame *f;
    Calls *c;
    Stack *s;

    c = calls.depth && thread ? calls_of(cs, thread) : NULL;
    if (!c) {
        return line;
    }
    s = stack_of(cs, c, sp);
    f = s->n ? &s->frame[s->n - 1] : NULL;
    return f && f->sp == sp && f->to - line < bytes ? f->to : line;
}

uint32_t guest_calls_path(CPUState *cs, uint32_t thread, uint64_t pc,
                          unsigned bytes)
{
    uint64_t sp = cpu_env(cs)->active_tc.gpr[SP];
    uint32_t n, root = 0;
    Calls *c;
    Stack *s;

    c = calls.depth && thread ? calls_of(cs, thread) : NULL;
    if (!c) {
        return 0;
    }
    s = stack_of(cs, c, sp);
    /*
     * At the beginning of an exception the stack pointer is still the user's.
     * Then no call of the user is over.
     */
    if (s != &c->user || pc < USER_END) {
        s->n = open_calls(s, sp, pc, bytes);
    }
    if (s == &c->kernel && guest_threads(&n)[thread].space) {
        root = entry_of(cs, c);
    }
    return path_of(s, s->n, root);
}

uint32_t guest_calls_caller(CPUState *cs, uint32_t thread, uint64_t pc)
{
    uint32_t n, path = guest_calls_path(cs, thread, pc, 1);
    const GuestPath *p = guest_paths(&n);

    /* The last call of the path is the one of this function. */
    return path && p[path].pc == cpu_env(cs)->active_tc.gpr[RA] ? p[path].parent
                                                                : path;
}

static void stack_state(struct sn_archive *a, Stack *s)
{
    SN_MOVE(a, s->n);
    SN_MOVE(a, s->room);
    sn_must(a, s->room <= FRAMES_MAX && s->n <= s->room);
    if (a->loading && !a->failed) {
        s->frame = g_renew(Frame, s->frame, s->room);
    }
    if (!a->failed) {
        sn_move(a, s->frame, s->n * sizeof(*s->frame));
    }
}

void guest_calls_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, calls.thread->len);

    if (a->loading) {
        g_ptr_array_set_size(calls.thread, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        Calls *c = calls.thread->pdata[i];
        bool here = c;

        SN_MOVE(a, here);
        sn_must_be_bool(a, &here);
        if (a->failed || !here) {
            continue;
        }
        if (a->loading) {
            c = calls.thread->pdata[i] = g_new0(Calls, 1);
        }
        stack_state(a, &c->user);
        stack_state(a, &c->kernel);
        SN_MOVE(a, c->made);
        SN_MOVE(a, c->epc);
        SN_MOVE(a, c->sp);
        SN_MOVE(a, c->seen);
        SN_MOVE(a, c->entry);
    }
    guest_move_table(a, calls.at);
    for (unsigned i = 0; i < ARRAY_SIZE(calls.irq); i++) {
        stack_state(a, &calls.irq[i].stack);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of threads, and rows that they are summed up in; see waits.h.
 *
 * All that is read of the guest is checked where it is read (guest_read()), and
 * nothing of it is an index here.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "system/mp-time.h"
#include "target/mips/cpu.h"
#include "target/mips/r10k.h"
#include "sn.h"
#include "profile/system_calls.h"
#include "calls.h"
#include "heap.h"
#include "kernel.h"
#include "refills.h"
#include "regions.h"
#include "state.h"
#include "threads.h"
#include "waits.h"

#define USER_END  (1ull << 62)
#define TASKS_MAX 262144u /* a guest may start any number of threads */
#define CPUS_MAX  MP_TIME_MAX_CPUS

enum { V0 = 2, A0 = 4, A1 = 5 };

/* Linux 6.12: task_struct.__state */
#define TASK_DEAD   0x80
#define TASK_WAKING 0x200

/* Cause.ExcCode */
enum { EXC_MOD = 1, EXC_TLBL, EXC_TLBS, EXC_SYS = 8 };

/* Linux 6.12: the commands of a futex that wait */
#define FUTEX_CMD_MASK 0x7f
#define FUTEX_WAITS    (1u << 0 | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13)

/* inode.i_mode */
#define MODE_TYPE   0170000
#define MODE_FIFO   0010000
#define MODE_SOCKET 0140000
#define MODE_CHAR   0020000

typedef struct Task {
    uint64_t address;    /* of its task_struct */
    uint64_t ending;     /* key in waits.endings; 0: it is not there */
    int64_t born, since; /* ticks */
    /*
     * The state that it is in.  A thread that has not run yet has no number; by
     * whom the wait ends is not known before it does.
     */
    ProfileWaitKey key;
    uint32_t early; /* who has woken it before it was gone */
} Task;

typedef struct Life {
    int64_t begun, ended;
    bool known;
} Life;

static struct {
    bool on;
    uint32_t max;
    GHashTable *tasks;   /* by address */
    GHashTable *endings; /* tasks by what others wait for to join them */
    GHashTable *known;   /* rows by key */
    GPtrArray *rows;     /* ProfileWait */
    GArray *open;        /* ProfileWait: of states that last */
    GArray *lives;       /* by thread */
    Notifier mark;
    uint64_t lost;
    struct QEMU_ALIGNED(64) {
        Task *task; /* that runs; NULL: not known yet */
        bool user;
        unsigned interrupts; /* that it handles */
    } cpu[CPUS_MAX];
} waits;

static const struct {
    const char *name;
    uint16_t number;
    uint8_t what; /* FD: see there */
} system_calls[] = {
#define PROFILE_WAIT_FD       UINT8_MAX
#define X(name, number, WHAT) { #name, number, PROFILE_WAIT_##WHAT },
    SN_SYSTEM_CALLS(X)
#undef X
};

/* ---- rows ---- */

QEMU_BUILD_BUG_ON(sizeof(ProfileWaitKey) != 32);

static guint hash_of_key(gconstpointer p)
{
    uint64_t h = 0, word[sizeof(ProfileWaitKey) / 8];

    memcpy(word, p, sizeof(word));
    for (unsigned i = 0; i < ARRAY_SIZE(word); i++) {
        h = (h ^ word[i]) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h >> 32;
}

static gboolean same_key(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, sizeof(ProfileWaitKey));
}

static guint hash_of_number(gconstpointer p)
{
    return (*(const uint64_t *)p * 0x9e3779b97f4a7c15ull) >> 32;
}

/* The row of a key, a new one if there are fewer than max.  NULL: no room. */
static ProfileWait *row_of(const ProfileWaitKey *key, uint64_t max)
{
    ProfileWait *w = g_hash_table_lookup(waits.known, key);

    if (!w && waits.rows->len < max) {
        w = g_new0(ProfileWait, 1);
        w->key = *key;
        g_hash_table_insert(waits.known, &w->key, w);
        g_ptr_array_add(waits.rows, w);
    }
    return w;
}

static void add(const ProfileWaitKey *key, uint64_t count, uint64_t ticks)
{
    ProfileWait *w = row_of(key, waits.max);

    if (unlikely(!w)) {
        const ProfileWaitKey less = {
            .thread = key->thread,
            .state = key->state,
            .what = key->what,
            .region = key->region,
            .cpu = key->cpu,
        };

        w = row_of(&less, 2ull * waits.max);
    }
    if (unlikely(!w)) {
        waits.lost += ticks;
        return;
    }
    w->count += count;
    w->ticks += ticks;
}

/* ---- tasks ---- */

static Life *life_of(uint32_t thread)
{
    if (thread >= waits.lives->len) {
        g_array_set_size(waits.lives, thread + 1);
    }
    return &g_array_index(waits.lives, Life, thread);
}

/* Its time until now belongs to the state that it is in. */
static void pass(Task *t, int64_t now, uint64_t count)
{
    uint64_t ticks = now > t->since ? now - t->since : 0;

    t->since += ticks;
    if (t->key.thread) {
        add(&t->key, count, ticks);
        life_of(t->key.thread)->ended = t->since;
    }
}

/* Another state begins, in which it waits for nothing. */
static void enter_state(Task *t, enum profile_state state, unsigned cpu)
{
    t->key = (ProfileWaitKey){
        .thread = t->key.thread,
        .state = state,
        .region = guest_region(t->key.thread),
        .cpu = cpu,
    };
}

/*
 * The thread that a processor runs has this number.  It is told it when it runs
 * first, and has another one when it executes another program.
 */
static void name_task(Task *t, uint32_t thread, int64_t now)
{
    bool first = !t->key.thread;
    Life *life;

    if (likely(t->key.thread == thread) || !thread) {
        return;
    }
    if (!first) {
        pass(t, now, 1);
    }
    t->key.thread = thread;
    t->key.region = guest_region(thread);
    life = life_of(thread);
    if (!life->known) {
        life->known = true;
        life->begun = first ? t->born : t->since;
    }
    if (first && t->since > t->born) {
        const ProfileWaitKey k = {
            .thread = thread,
            .state = PROFILE_STATE_READY,
            .what = PROFILE_WAIT_NEW,
            .region = t->key.region,
            .cpu = PROFILE_NO_CPU,
        };

        add(&k, 1, t->since - t->born);
    }
    life->ended = t->since;
}

/*
 * When a thread ends, the kernel clears this word and wakes who waits for it,
 * which is how pthread_join() works.
 */
static uint64_t ending_of(uint32_t pid, uint64_t word)
{
    return word ^ (uint64_t)pid << 40;
}

static Task *new_task(uint64_t address, int64_t now)
{
    uint64_t word;
    uint32_t pid;
    Task *t;

    if (g_hash_table_size(waits.tasks) == TASKS_MAX) {
        return NULL;
    }
    t = g_new0(Task, 1);
    t->address = address;
    t->born = t->since = now;
    enter_state(t, PROFILE_STATE_READY, PROFILE_NO_CPU);
    t->key.what = PROFILE_WAIT_NEW;
    g_hash_table_insert(waits.tasks, &t->address, t);
    if (GUEST_U64(address, task_struct_clear_child_tid, &word) && word &&
        GUEST_U32(address, task_struct_tgid, &pid)) {
        t->ending = ending_of(pid, word);
        g_hash_table_replace(waits.endings, &t->ending, t);
    }
    return t;
}

/* It is new if nobody has seen it.  NULL: there are too many. */
static Task *task_of(uint64_t address, int64_t now)
{
    Task *t = g_hash_table_lookup(waits.tasks, &address);

    return t ? t : new_task(address, now);
}

static void end_task(Task *t)
{
    for (unsigned i = 0; i < CPUS_MAX; i++) {
        if (waits.cpu[i].task == t) {
            waits.cpu[i].task = NULL;
        }
    }
    if (t->ending && g_hash_table_lookup(waits.endings, &t->ending) == t) {
        g_hash_table_remove(waits.endings, &t->ending);
    }
    g_hash_table_remove(waits.tasks, &t->address);
    g_free(t);
}

/* ---- what a thread waits for ---- */

/* The inode that a file of the task is; 0: it has no such file. */
static uint64_t inode_of(uint64_t task, uint64_t fd)
{
    uint64_t files, table, array, file, inode;
    uint32_t n;

    return GUEST_U64(task, task_struct_files, &files) &&
                   GUEST_U64(files, files_struct_fdt, &table) &&
                   GUEST_U32(table, fdtable_max_fds, &n) && fd < n &&
                   GUEST_U64(table, fdtable_fd, &array) &&
                   guest_read_u64(array + 8 * fd, &file) && file &&
                   GUEST_U64(file, file_f_inode, &inode)
               ? inode
               : 0;
}

static void wait_for_file(ProfileWaitKey *k, uint64_t task, uint64_t fd)
{
    uint64_t inode = inode_of(task, fd);
    uint16_t mode;

    k->what = PROFILE_WAIT_CALL;
    if (!inode || !guest_read(inode + guest_layout.inode_i_mode, &mode, 2)) {
        return;
    }
    k->address = inode;
    switch (be16_to_cpu(mode) & MODE_TYPE) {
    case MODE_FIFO:
        k->what = PROFILE_WAIT_PIPE;
        break;
    case MODE_SOCKET:
        k->what = PROFILE_WAIT_SOCKET;
        break;
    case MODE_CHAR:
        k->what = PROFILE_WAIT_DEVICE;
        break;
    default:
        k->what = PROFILE_WAIT_FILE;
    }
}

static void wait_for_word(ProfileWaitKey *k, const GuestThread *t,
                          uint64_t word, uint64_t command)
{
    uint64_t ending = ending_of(t->pid, word);

    if (command >= 32 || !(FUTEX_WAITS >> command & 1) || word >= USER_END) {
        k->what = PROFILE_WAIT_CALL;
        return;
    }
    k->address = word;
    k->block = guest_heap_block(t->space, word);
    if (g_hash_table_contains(waits.endings, &ending)) {
        k->what = PROFILE_WAIT_JOIN;
    }
}

static bool saved(uint64_t regs, unsigned reg, uint64_t *v)
{
    return guest_read_u64(regs + guest_layout.pt_regs_regs + 8 * reg, v);
}

/* In a system call, with the registers that it was made with. */
static void wait_in_call(ProfileWaitKey *k, const GuestThread *t, uint64_t regs)
{
    uint64_t number, a0, a1;
    unsigned i = 0;

    k->what = PROFILE_WAIT_CALL;
    if (!saved(regs, V0, &number) || !saved(regs, A0, &a0) ||
        !saved(regs, A1, &a1) || !number || number > UINT16_MAX) {
        return;
    }
    k->call = number;
    while (i < ARRAY_SIZE(system_calls) && system_calls[i].number != number) {
        i++;
    }
    if (i == ARRAY_SIZE(system_calls)) {
        return;
    }
    k->what = system_calls[i].what;
    if (system_calls[i].what == PROFILE_WAIT_FD) {
        wait_for_file(k, t->task, a0);
    } else if (k->what == PROFILE_WAIT_FUTEX) {
        wait_for_word(k, t, a0, a1 & FUTEX_CMD_MASK);
    }
}

/* Of the thread that the processor still runs */
static void find_wait(CPUState *cs, ProfileWaitKey *k)
{
    uint64_t regs = guest_kernel_stack(cs) - guest_layout.size_pt_regs, cause;
    uint32_t n;
    const GuestThread *t = &guest_threads(&n)[k->thread];

    k->what = PROFILE_WAIT_OTHER;
    if (!k->thread || !t->space ||
        !GUEST_U64(regs, pt_regs_cp0_cause, &cause)) {
        return;
    }
    switch (extract64(cause, 2, 5)) {
    case EXC_SYS:
        wait_in_call(k, t, regs);
        break;
    case EXC_MOD:
    case EXC_TLBL:
    case EXC_TLBS:
        k->what = PROFILE_WAIT_PAGE_FAULT;
        if (GUEST_U64(regs, pt_regs_cp0_badvaddr, &k->address)) {
            k->address &= -(1ull << GUEST_PAGE_SHIFT);
            k->block = k->address < USER_END
                           ? guest_heap_block(t->space, k->address)
                           : 0;
        }
        break;
    default:
        break;
    }
}

/* ---- changes ---- */

/*
 * The number of the thread that the processor runs; 0: not known.  In the midst
 * of a switch it is still that of the one before.
 */
static uint32_t number_now(CPUState *cs, const Task *t)
{
    uint32_t n, thread = guest_thread(cs);

    return guest_threads(&n)[thread].task == t->address ? thread : 0;
}

static unsigned number_of(CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);

    return env->r10k.nasid * SN_NODE_CPUS + env->r10k.slice;
}

/* What it does, whether the thread is known or not */
static inline enum profile_state doing(const CPUState *cs)
{
    typeof(&waits.cpu[0]) c = &waits.cpu[cs->cpu_index];

    return c->interrupts ? PROFILE_STATE_INTERRUPT
           : c->user     ? PROFILE_STATE_USER
                         : PROFILE_STATE_KERNEL;
}

uint8_t profile_waits_doing(const CPUState *cs)
{
    return waits.on || waits.cpu[cs->cpu_index].user ? 1 + doing(cs) : 0;
}

/* The processor may have changed what it does for the thread. */
static void turn(CPUState *cs)
{
    typeof(&waits.cpu[0]) c = &waits.cpu[cs->cpu_index];
    enum profile_state state = doing(cs);
    Task *t = qatomic_read(&c->task);

    if (!t || qatomic_read(&t->key.state) == state) {
        return;
    }
    mp_time_in_turn();
    t = c->task; /* a broken kernel may have ended it elsewhere */
    if (!t) {
        return;
    }
    name_task(t, number_now(cs, t), mp_time_local(cs));
    pass(t, mp_time_local(cs), 1);
    enter_state(t, state, number_of(cs));
}

static uint32_t who(CPUState *cs)
{
    const Task *t = waits.cpu[cs->cpu_index].task;

    return waits.cpu[cs->cpu_index].interrupts ? PROFILE_BY_INTERRUPT
           : t                                 ? t->key.thread
                                               : PROFILE_BY_NOBODY;
}

/* A wait is over.  What it was for stays known while the thread is ready. */
static void make_ready(Task *t, uint32_t by, int64_t now)
{
    t->key.by = by;
    pass(t, now, 1);
    t->key.state = PROFILE_STATE_READY;
}

static void on_wake(CPUState *cs, const target_ulong *gpr)
{
    uint64_t address = gpr[A0];
    Task *t = g_hash_table_lookup(waits.tasks, &address);
    uint32_t state;

    if (!t || !GUEST_U32(t->address, task_struct___state, &state) ||
        !(state & (uint32_t)gpr[A1])) {
        return;
    }
    if (t->key.state == PROFILE_STATE_BLOCKED) {
        make_ready(t, who(cs), mp_time_local(cs));
    } else {
        t->early = who(cs);
    }
}

static void on_enqueue(CPUState *cs, const target_ulong *gpr)
{
    Task *t = task_of(gpr[A1], mp_time_local(cs));

    if (t && t->key.state == PROFILE_STATE_BLOCKED) {
        make_ready(t, who(cs), mp_time_local(cs));
    }
}

/* The state of a thread that leaves its processor */
static void leave(CPUState *cs, Task *t)
{
    uint32_t state = 0, on_rq = 1;
    uint8_t delayed = 0;

    GUEST_U32(t->address, task_struct___state, &state);
    GUEST_U32(t->address, task_struct_on_rq, &on_rq);
    guest_read(t->address + guest_layout.task_struct_se +
                   guest_layout.sched_entity_sched_delayed,
               &delayed, 1);
    enter_state(t, PROFILE_STATE_READY, PROFILE_NO_CPU);
    t->key.path = guest_calls_path(cs, t->key.thread, guest_layout.resume, 1);
    if (state && (!on_rq || delayed)) {
        find_wait(cs, &t->key);
        if (state == TASK_WAKING) {
            t->key.by = t->early;
        } else {
            t->key.state = PROFILE_STATE_BLOCKED;
        }
    } else {
        find_wait(cs, &t->key);
        t->key.what = t->key.what == PROFILE_WAIT_YIELD
                          ? PROFILE_WAIT_YIELD
                          : PROFILE_WAIT_PREEMPTED;
        t->key.address = t->key.block = 0;
    }
    t->early = PROFILE_BY_NOBODY;
}

static bool is_dead(const Task *t)
{
    uint32_t state;

    return GUEST_U32(t->address, task_struct___state, &state) &&
           state == TASK_DEAD;
}

static void on_switch(CPUState *cs, const target_ulong *gpr)
{
    typeof(&waits.cpu[0]) c = &waits.cpu[cs->cpu_index];
    int64_t now = mp_time_local(cs);
    Task *from = task_of(gpr[A0], now), *to = task_of(gpr[A1], now);

    if (!from || !to || from == to) {
        return;
    }
    if (c->task != from) {
        enter_state(from, PROFILE_STATE_KERNEL, number_of(cs));
        c->task = from;
    }
    name_task(from, number_now(cs, from), now);
    pass(from, now, 1);
    if (is_dead(from)) {
        end_task(from);
    } else {
        leave(cs, from);
    }
    pass(to, now, 1);
    enter_state(to, PROFILE_STATE_KERNEL, number_of(cs));
    c->task = to;
    c->user = false;
    c->interrupts = 0;
}

static void on_interrupt(CPUState *cs, const target_ulong *gpr)
{
    waits.cpu[cs->cpu_index].interrupts++;
    turn(cs);
}

static void on_interrupt_end(CPUState *cs, const target_ulong *gpr)
{
    if (waits.cpu[cs->cpu_index].interrupts) {
        waits.cpu[cs->cpu_index].interrupts--;
    }
    turn(cs);
}

static const struct {
    const uint64_t *pc;
    void (*told)(CPUState *cs, const target_ulong *gpr);
} watched[] = {
    { &guest_layout.resume, on_switch },
    { &guest_layout.try_to_wake_up, on_wake },
    { &guest_layout.enqueue_task_fair, on_enqueue },
    { &guest_layout.enqueue_task_rt, on_enqueue },
    { &guest_layout.enqueue_task_dl, on_enqueue },
    { &guest_layout.enqueue_task_stop, on_enqueue },
    { &guest_layout.plat_irq_dispatch, on_interrupt },
    { &guest_layout.ret_from_irq, on_interrupt_end },
};

unsigned profile_waits_code(uint64_t pc)
{
    for (unsigned i = 0; waits.on && i < ARRAY_SIZE(watched); i++) {
        if (*watched[i].pc == pc) {
            return R10K_CODE_ENTER;
        }
    }
    return 0;
}

void profile_waits_enter(CPUState *cs, uint64_t pc)
{
    for (unsigned i = 0; waits.on && i < ARRAY_SIZE(watched); i++) {
        if (*watched[i].pc == pc) {
            mp_time_in_turn();
            watched[i].told(cs, cpu_env(cs)->active_tc.gpr);
            return;
        }
    }
}

/* A TLB refill belongs to what it interrupts. */
void profile_waits_mode(CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);

    if (!profile_refill_on(cs)) {
        waits.cpu[cs->cpu_index].user =
            extract32(env->CP0_Status, CP0St_KSU, 2) == MIPS_HFLAG_UM &&
            !(env->CP0_Status & (1 << CP0St_EXL | 1 << CP0St_ERL));
        turn(cs);
    }
}

static gint by_address(gconstpointer a, gconstpointer b)
{
    const Task *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* Threads may be in other regions from here on.  Their order is that of rows. */
static void on_mark(Notifier *n, void *data)
{
    const MIPSR10KMark *mark = data;
    g_autoptr(GList) all = g_hash_table_get_values(waits.tasks);

    all = g_list_sort(all, by_address);
    for (GList *i = all; i; i = i->next) {
        Task *t = i->data;
        uint8_t region = guest_region(t->key.thread);

        if (region != t->key.region) {
            pass(t, mp_time_local(mark->cs), 0);
            t->key.region = region;
        }
    }
}

/* ---- tables ---- */

void profile_waits_init(uint32_t rows)
{
    waits.on = guest_known() && !guest_layout_no_switch;
    waits.max = rows;
    waits.tasks = g_hash_table_new(hash_of_number, g_int64_equal);
    waits.endings = g_hash_table_new(hash_of_number, g_int64_equal);
    waits.known = g_hash_table_new(hash_of_key, same_key);
    waits.rows = g_ptr_array_new_with_free_func(g_free);
    waits.open = g_array_new(false, false, sizeof(ProfileWait));
    waits.lives = g_array_new(false, true, sizeof(Life));
    if (waits.on) {
        waits.mark.notify = on_mark;
        mips_r10k_add_mark_notifier(&waits.mark);
    }
}

bool profile_waits_on(void)
{
    return waits.on;
}

static gint by_thread(gconstpointer a, gconstpointer b)
{
    const ProfileWait *x = a, *y = b;

    return x->key.thread < y->key.thread ? -1 : x->key.thread > y->key.thread;
}

/* Running threads under the numbers that they have now */
static void name_running(void)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        Task *t = waits.cpu[cs->cpu_index].task;

        if (t) {
            name_task(t, number_now(cs, t), mp_time_local(cs));
        }
    }
}

/* The state that a task is in lasts until now. */
static void put_open(const Task *t, int64_t now)
{
    ProfileWait w = { .key = t->key, .count = 1 };
    int64_t until = MAX(now, t->since);

    if (t->key.thread) {
        w.ticks = until - t->since;
        life_of(t->key.thread)->ended = until;
        g_array_append_val(waits.open, w);
    }
}

/*
 * A thread that waits has waited until the last processor's clock.  One that
 * runs has run until its own processor's.
 */
void profile_waits_look(bool own)
{
    int64_t now = 0;
    GHashTableIter i;
    CPUState *cs;
    gpointer t;

    if (own) {
        name_running();
    }
    g_array_set_size(waits.open, 0);
    CPU_FOREACH(cs) {
        const Task *r = waits.cpu[cs->cpu_index].task;

        now = MAX(now, mp_time_local(cs));
        if (r && r->key.cpu != PROFILE_NO_CPU) {
            put_open(r, mp_time_local(cs));
        }
    }
    g_hash_table_iter_init(&i, waits.tasks);
    while (g_hash_table_iter_next(&i, NULL, &t)) {
        if (((const Task *)t)->key.cpu == PROFILE_NO_CPU) {
            put_open(t, now);
        }
    }
    g_array_sort(waits.open, by_thread);
}

void profile_waits_rows(void (*see)(void *opaque, const ProfileWait *w),
                        void *opaque)
{
    for (guint i = 0; i < waits.rows->len; i++) {
        see(opaque, waits.rows->pdata[i]);
    }
    for (guint i = 0; i < waits.open->len; i++) {
        see(opaque, &g_array_index(waits.open, ProfileWait, i));
    }
}

bool profile_waits_life(uint32_t thread, uint64_t *begun, uint64_t *ended)
{
    const Life *life;

    if (thread >= waits.lives->len) {
        return false;
    }
    life = &g_array_index(waits.lives, Life, thread);
    *begun = life->begun;
    *ended = life->ended;
    return life->known;
}

const char *profile_waits_call(uint16_t call)
{
    for (unsigned i = 0; i < ARRAY_SIZE(system_calls); i++) {
        if (system_calls[i].number == call) {
            return system_calls[i].name;
        }
    }
    return NULL;
}

uint64_t profile_waits_lost(void)
{
    return waits.lost;
}

void profile_waits_reset(void)
{
    GHashTableIter i;
    gpointer t;

    g_hash_table_iter_init(&i, waits.tasks);
    while (g_hash_table_iter_next(&i, NULL, &t)) {
        g_hash_table_iter_steal(&i);
        g_free(t);
    }
    g_hash_table_remove_all(waits.endings);
    g_hash_table_remove_all(waits.known);
    g_ptr_array_set_size(waits.rows, 0);
    g_array_set_size(waits.open, 0);
    g_array_set_size(waits.lives, 0);
    memset(waits.cpu, 0, sizeof(waits.cpu));
    waits.lost = 0;
}

/* ---- saved and loaded ---- */

static void rows_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, waits.rows->len);

    for (uint32_t i = 0; i < n; i++) {
        ProfileWait *w =
            a->loading ? g_new0(ProfileWait, 1) : waits.rows->pdata[i];

        SN_MOVE(a, *w);
        if (a->loading) {
            g_ptr_array_add(waits.rows, w);
            g_hash_table_insert(waits.known, &w->key, w);
        }
    }
}

static void task_state(struct sn_archive *a, Task *t)
{
    bool ending = !a->loading && t->ending &&
                  g_hash_table_lookup(waits.endings, &t->ending) == t;

    SN_MOVE(a, *t);
    SN_MOVE(a, ending);
    sn_must_be_bool(a, &ending);
    if (a->loading) {
        g_hash_table_insert(waits.tasks, &t->address, t);
        if (ending) {
            g_hash_table_replace(waits.endings, &t->ending, t);
        }
    }
}

static void tasks_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, g_hash_table_size(waits.tasks));
    GHashTableIter at;
    gpointer t;

    if (a->loading) {
        for (; n && !a->failed; n--) {
            task_state(a, g_new0(Task, 1));
        }
        return;
    }
    g_hash_table_iter_init(&at, waits.tasks);
    while (g_hash_table_iter_next(&at, NULL, &t)) {
        task_state(a, t);
    }
}

void profile_waits_state(struct sn_archive *a)
{
    rows_state(a);
    tasks_state(a);
    guest_move_array(a, waits.lives);
    SN_MOVE(a, waits.lost);
    for (unsigned i = 0; i < CPUS_MAX; i++) {
        typeof(&waits.cpu[0]) c = &waits.cpu[i];
        uint64_t address = c->task ? c->task->address : 0;

        SN_MOVE(a, address);
        SN_MOVE(a, c->user);
        SN_MOVE(a, c->interrupts);
        if (a->loading) {
            c->task = g_hash_table_lookup(waits.tasks, &address);
        }
    }
}

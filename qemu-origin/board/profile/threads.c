/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of the guest; see threads.h. */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "system/mp-time.h"
#include "target/mips/cpu.h"
#include "origin.h"
#include "clock.h"
#include "kernel.h"
#include "maps.h"
#include "state.h"
#include "threads.h"

/* CP0 Context: SMP_CPUID_PTRSHIFT of Linux' thread_info.h */
#define CONTEXT_SHIFT 23
#define CPUS_MAX      1024
#define COMM_LEN      16
#define SP            29
/*
 * What was read last for a processor.  As long as it does not change, the
 * processor runs the same thread.
 */
typedef struct QEMU_ALIGNED(64) Running {
    uint64_t sp, task, mm, pid;
    const uint64_t *at;              /* where kernelsp[] has sp */
    const uint64_t *task_at, *mm_at; /* host addresses, big-endian */
    const uint32_t *pid_at;
    /* where the kernel has saved the user's registers */
    const uint64_t *epc_at, *user_sp_at;
    uint32_t thread;
    bool exec; /* the thread has an mm whose program is not loaded yet */
    /* transactions of the thread since the mode changed last */
    GuestMisses stay;
} Running;

static struct {
    const uint64_t *kernelsp; /* host address */
    bool checked;             /* the layout is this kernel's */
    Running cpu[MP_TIME_MAX_CPUS];
    GArray *thread;
    GHashTable *latest; /* from task and tid to the latest thread's number */
    /* from task, tid and address space to the thread's number */
    GHashTable *by_space;
    void (*tell)(CPUState *cs); /* NULL: nobody asked */
} guest;

/* ---- threads ---- */

void guest_threads_init(void)
{
    const GuestThread none = { 0 };

    /* Others may look at theirs while a new one comes, so none ever moves. */
    guest.thread =
        g_array_sized_new(false, true, sizeof(GuestThread), GUEST_THREADS_MAX);
    guest.latest = g_hash_table_new(NULL, NULL);
    guest.by_space = g_hash_table_new(NULL, NULL);
    g_array_append_val(guest.thread, none);
}

void guest_threads_tell(void (*fn)(CPUState *cs))
{
    guest.tell = fn;
}

static GuestThread *thread_of(uint32_t n)
{
    return &g_array_index(guest.thread, GuestThread, n);
}

static void name_of(GuestThread *t)
{
    uint32_t tid;

    /* The task may have ended, and its memory may belong to another one. */
    if (GUEST_U32(t->task, task_struct_pid, &tid) && tid == t->tid) {
        guest_read(t->task + guest_layout.task_struct_comm, t->comm,
                   COMM_LEN - 1);
    }
}

static uint32_t new_thread(const GuestThread *t)
{
    uint32_t n = guest.thread->len;

    g_array_append_val(guest.thread, *t);
    name_of(thread_of(n));
    return n;
}

/*
 * Two tasks may differ in their addresses and in their numbers by the same
 * bits, so one is mixed before the other comes to it.
 */
static gpointer key_of(uint64_t task, uint32_t tid, uint32_t more)
{
    uint64_t h = task * 0x9e3779b97f4a7c15ull;

    h = (h ^ h >> 32 ^ (uint64_t)tid << 32) * 0xd6e8feb86659fd93ull;
    return (gpointer)(uintptr_t)(h + more);
}

static uint32_t find_key(GHashTable *table, gpointer key)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(table, key));
}

/*
 * The number of a thread.  It is new if its task has another address space than
 * before (exec). t->space is 0 if the task has none yet, or none any more: then
 * it is still the same thread.
 */
static uint32_t find_thread(const GuestThread *t)
{
    gpointer task_key = key_of(t->task, t->tid, 0);
    gpointer key = key_of(t->task, t->tid, t->space + 1);
    uint32_t n;

    n = find_key(guest.latest, task_key);
    if (n && !t->space) {
        return n;
    }
    n = find_key(guest.by_space, key);
    if (!n && guest.thread->len == GUEST_THREADS_MAX) {
        warn_report_once("profile: more than %u threads: later ones have no "
                         "name",
                         GUEST_THREADS_MAX);
        return 0;
    }
    if (!n) {
        n = new_thread(t);
        g_hash_table_insert(guest.by_space, key, GUINT_TO_POINTER(n));
    }
    g_hash_table_insert(guest.latest, task_key, GUINT_TO_POINTER(n));
    return n;
}

/*
 * Also true in the first instructions of an exception that came from user mode,
 * because a program may need a TLB refill before its first instruction.
 */
static bool user_mode(CPUState *cs)
{
    return extract32(cpu_env(cs)->CP0_Status, CP0St_KSU, 2) == MIPS_HFLAG_UM;
}

/*
 * The address space of an mm. 0: its program may not be loaded yet.  It is when
 * a thread of it has come back to user mode.
 */
static uint32_t space_of(CPUState *cs, uint64_t mm, uint32_t pid)
{
    uint64_t stack = 0;

    return mm && GUEST_U64(mm, mm_struct_start_stack, &stack)
               ? guest_space(mm, pid, stack, user_mode(cs))
               : 0;
}

/*
 * This processor's entry of kernelsp[]. NULL: the kernel has not set Context up
 * yet.  Until then Context is 0, which is right for the first processor only.
 */
static const uint64_t *stack_pointer_at(CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);
    uint64_t at = (uint64_t)env->CP0_Context >> CONTEXT_SHIFT;

    if (at >= 8 * CPUS_MAX || at % 8 || (!at && cs != first_cpu)) {
        return NULL;
    }
    if (unlikely(!guest.kernelsp)) {
        guest.kernelsp = guest_host(guest_layout.kernelsp, 8);
    }
    return guest.kernelsp ? guest.kernelsp + at / 8 : NULL;
}

/*
 * The processor has another kernel stack, or another task is on it: find the
 * thread.
 */
static void look_again(CPUState *cs, Running *r)
{
    uint64_t ti = r->sp & -guest_layout.size_thread_union, parent;
    uint64_t regs = r->sp - guest_layout.size_pt_regs;
    GuestThread t = { .first = origin_now(), .last = origin_now() };

    if (r->thread) {
        thread_of(r->thread)->last = origin_now();
        name_of(thread_of(r->thread));
    }
    r->thread = 0;
    r->epc_at = guest_host(regs + guest_layout.pt_regs_cp0_epc, 8);
    r->user_sp_at = guest_host(regs + guest_layout.pt_regs_regs + 8 * SP, 8);
    r->task_at = guest_host(ti + guest_layout.thread_info_task, 8);
    if (!r->sp || !r->task_at) {
        r->task_at = NULL;
        return;
    }
    r->task = t.task = be64_to_cpu(*r->task_at);
    r->mm_at = guest_host(r->task + guest_layout.task_struct_mm, 8);
    r->pid_at = guest_host(r->task + guest_layout.task_struct_pid, 4);
    if (!r->mm_at || !r->pid_at) {
        r->task_at = NULL;
        return;
    }
    r->mm = *r->mm_at;
    r->pid = *r->pid_at;
    t.tid = be32_to_cpu(*r->pid_at);
    GUEST_U32(t.task, task_struct_tgid, &t.pid);
    if (GUEST_U64(t.task, task_struct_real_parent, &parent)) {
        GUEST_U32(parent, task_struct_tgid, &t.ppid);
    }
    t.space = space_of(cs, be64_to_cpu(r->mm), t.pid);
    r->exec = r->mm && !t.space;
    r->thread = find_thread(&t);
}

/*
 * Does the layout fit the kernel that runs? If so, the name of the first task
 * is where the layout says.
 */
static void check_kernel(void)
{
    char comm[COMM_LEN] = "";

    guest_read(guest_layout.init_task + guest_layout.task_struct_comm, comm,
               COMM_LEN - 1);
    if (!g_str_has_prefix(comm, "swapper")) {
        error_report("origin2000: profile-kernel: it is not of the kernel that "
                     "runs: no task at its init_task");
        _exit(1); /* exit() would write a profile, which would look complete */
    }
    guest.checked = true;
}

uint32_t guest_thread(CPUState *cs)
{
    Running *r = &guest.cpu[cs->cpu_index];
    const uint64_t *at;
    uint64_t sp;

    if (!guest_known()) {
        return 0;
    }
    if (unlikely(!guest.checked) && user_mode(cs)) {
        mp_time_in_turn();
        check_kernel();
    }
    at = stack_pointer_at(cs);
    if (unlikely(!at)) {
        return 0;
    }
    sp = be64_to_cpu(*at);
    if (unlikely(sp != r->sp || !r->task_at ||
                 be64_to_cpu(*r->task_at) != r->task || *r->mm_at != r->mm ||
                 *r->pid_at != r->pid || r->exec)) {
        mp_time_in_turn();
        if (guest.tell) {
            guest.tell(cs);
        }
        r->sp = sp;
        r->at = at;
        look_again(cs, r);
    }
    return r->thread;
}

uint32_t guest_thread_quick(CPUState *cs)
{
    const Running *r = &guest.cpu[cs->cpu_index];

    return likely(r->at && r->sp == be64_to_cpu(*r->at) && r->thread)
               ? r->thread
               : guest_thread(cs);
}

bool guest_enters(CPUState *cs, const char *comm)
{
    const uint64_t *at = user_mode(cs) ? stack_pointer_at(cs) : NULL;
    uint64_t ti = at ? be64_to_cpu(*at) & -guest_layout.size_thread_union : 0;
    char name[COMM_LEN] = "";
    uint64_t task;

    if (!ti || !GUEST_U64(ti, thread_info_task, &task)) {
        return false;
    }
    guest_read(task + guest_layout.task_struct_comm, name, COMM_LEN - 1);
    return !strcmp(name, comm);
}

uint64_t guest_kernel_stack(CPUState *cs)
{
    return guest.cpu[cs->cpu_index].sp;
}

bool guest_entry(CPUState *cs, uint64_t *epc, uint64_t *sp)
{
    const Running *r = &guest.cpu[cs->cpu_index];

    if (!r->epc_at || !r->user_sp_at) {
        return false;
    }
    *epc = be64_to_cpu(*r->epc_at);
    *sp = be64_to_cpu(*r->user_sp_at);
    return true;
}

void guest_refresh(void)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        Running *r = &guest.cpu[cs->cpu_index];

        if (r->thread) {
            thread_of(r->thread)->last = origin_now();
            name_of(thread_of(r->thread));
        }
    }
}

static void count(GuestMisses *n, bool upgrade, bool code)
{
    ++*(upgrade ? &n->upgrades : code ? &n->code : &n->data);
}

void guest_missed(CPUState *cs, uint32_t thread, bool upgrade, bool code)
{
    count(&thread_of(thread)->misses, upgrade, code);
    count(&guest.cpu[cs->cpu_index].stay, upgrade, code);
}

void guest_mode(CPUState *cs)
{
    guest.cpu[cs->cpu_index].stay = (GuestMisses){ 0 };
}

void guest_counters_begin(CPUState *cs, uint32_t thread, uint64_t ns)
{
    const GuestMisses *stay = &guest.cpu[cs->cpu_index].stay;
    GuestThread *t = thread_of(thread);

    if (thread) {
        t->counted = true;
        t->counted_ns = ns;
        t->before = (GuestMisses){
            .data = t->misses.data - stay->data,
            .code = t->misses.code - stay->code,
            .upgrades = t->misses.upgrades - stay->upgrades,
        };
    }
}

void guest_threads_reset(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(guest.cpu); i++) {
        guest.cpu[i].stay = (GuestMisses){ 0 };
    }
    for (uint32_t i = 0; i < guest.thread->len; i++) {
        GuestThread *t = thread_of(i);

        t->counted = false;
        memset(&t->misses, 0, sizeof(t->misses));
    }
}

uint32_t guest_parent(uint32_t pid)
{
    for (uint32_t i = guest.thread->len; i; i--) {
        if (thread_of(i - 1)->pid == pid) {
            return thread_of(i - 1)->ppid;
        }
    }
    return 0;
}

const GuestThread *guest_threads(uint32_t *n)
{
    *n = guest.thread->len;
    return (const GuestThread *)guest.thread->data;
}

static void running_state(struct sn_archive *a, Running *r)
{
    SN_MOVE(a, r->sp);
    SN_MOVE(a, r->task);
    SN_MOVE(a, r->mm);
    SN_MOVE(a, r->pid);
    guest_move_host(a, (const void **)&r->at);
    guest_move_host(a, (const void **)&r->task_at);
    guest_move_host(a, (const void **)&r->mm_at);
    guest_move_host(a, (const void **)&r->pid_at);
    guest_move_host(a, (const void **)&r->epc_at);
    guest_move_host(a, (const void **)&r->user_sp_at);
    SN_MOVE(a, r->thread);
    SN_MOVE(a, r->exec);
    SN_MOVE(a, r->stay);
    sn_must(a, r->thread < guest.thread->len);
    sn_must(a, !r->task_at || (r->mm_at && r->pid_at));
}

void guest_threads_state(struct sn_archive *a)
{
    guest_move_host(a, (const void **)&guest.kernelsp);
    SN_MOVE(a, guest.checked);
    guest_move_array(a, guest.thread);
    sn_must(a, guest.thread->len);
    guest_move_table(a, guest.latest);
    guest_move_table(a, guest.by_space);
    for (unsigned i = 0; i < ARRAY_SIZE(guest.cpu); i++) {
        running_state(a, &guest.cpu[i]);
    }
}

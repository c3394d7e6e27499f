/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual remedies between QEMU and the model; see whatif.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "exec/exec-all.h"
#include "system/mp-time.h"
#include "system/system.h"
#include "target/mips/internal.h"
#include "command.h"
#include "origin.h"
#include "profile/kernel.h"
#include "profile/modules.h"
#include "profile/threads.h"
#include "sn.h"
#include "sn_fast.h"
#include "observe/cause.h"
#include "remedy/remedy.h"
#include "whatif.h"

#define USER_END (1ull << 62)

QEMU_BUILD_BUG_ON(SN_EASE_ONE != SN_REMEDY_ONE);

static struct {
    OriginMachineState *machine;
    const MemoryModelOps *ops; /* of what is behind */
    const MIPSR10KMemOps *mops;
    MemoryModelOps own;
    MIPSR10KMemOps own_m;
    OriginWhatifCause *cause; /* NULL: nobody knows */
    const char *comm, *roi;   /* options */
    GArray *wanted;           /* struct sn_remedy */
    struct sn_remedies *r;
    bool live; /* they have begun */
    /* what there is of them */
    bool easing, by_code, by_cause, ahead, huge, copies;
    bool refill[SN_BOARD_NODES *
                SN_NODE_CPUS]; /* one that takes no time is under way */
    struct easing {
        uint32_t part; /* of its misses that the access under way costs */
        uint32_t hits; /* of its L2 hits: what the engine was told */
        bool mine;     /* its thread has the remedies */
        bool fetch;
    } easing_of[SN_BOARD_NODES * SN_NODE_CPUS];
    Notifier command, exit;
} whatif;

/* ---- options ---- */

/* KIND:LOW-HIGH[:ARGUMENT] */
static bool parse(const char *s, struct sn_remedy *y)
{
    g_auto(GStrv) part = g_strsplit(s, ":", 3);
    unsigned n = g_strv_length(part), kind;
    const char *end;

    for (kind = 0; n >= 2 && kind < SN_REMEDIES; kind++) {
        if (!strcmp(part[0], sn_remedy_name(kind))) {
            break;
        }
    }
    *y = (struct sn_remedy){ .kind = kind };
    return n >= 2 && kind < SN_REMEDIES &&
           !qemu_strtou64(part[1], &end, 16, &y->low) && *end == '-' &&
           !qemu_strtou64(end + 1, NULL, 16, &y->high) &&
           (n == 2 || !qemu_strtou64(part[2], NULL, 10, &y->argument));
}

/* The first item that is no remedy, else NULL; adds those before it to wanted. */
static char *parse_all(const char *list, GArray *wanted)
{
    g_auto(GStrv) item = g_strsplit(list, ";", 0);
    struct sn_remedy y;

    for (unsigned i = 0; item[i]; i++) {
        if (!parse(item[i], &y)) {
            return g_strdup(item[i]);
        }
        g_array_append_val(wanted, y);
    }
    return NULL;
}

bool origin_whatif_check(const char *name, const char *value, Error **errp)
{
    g_autoptr(GArray) all = g_array_new(false, false, sizeof(struct sn_remedy));
    g_autofree char *bad = parse_all(value, all);

    if (bad) {
        error_setg(errp, "%s: KIND:LOW-HIGH[:ARGUMENT], not '%s'", name, bad);
    }
    return !bad;
}

/* ---- what happens to an access ---- */

static unsigned number_of(CPUState *cs)
{
    const CPUMIPSState *env = cpu_env(cs);

    return env->r10k.nasid * SN_NODE_CPUS + env->r10k.slice;
}

/* The thread is one that has the objects. */
static bool is_owner(uint32_t thread)
{
    uint32_t n;

    return !whatif.comm ||
           (thread && !strcmp(guest_threads(&n)[thread].comm, whatif.comm));
}

static bool fills_page(uint64_t pc)
{
    const GuestLayout *g = &guest_layout;

    return (pc >= g->__clear_page_start && pc < g->__clear_page_end) ||
           (pc >= g->__copy_page_start && pc < g->__copy_page_end);
}

/*
 * The kernel clears or fills a new page of an object at an address of its own,
 * while it handles the fault.  The fault's address, which has not changed since
 * then, says what the page will be.  Lines of it that stay in a cache would
 * otherwise be missed when the program comes.
 */
static vaddr __attribute__((noinline))
filled(CPUState *cs, vaddr va, hwaddr pa, uintptr_t ra)
{
    const uint64_t in_page = (1 << GUEST_PAGE_SHIFT) - 1;
    MPTimeWhere w;

    return ra && mp_time_where(cs, ra, &w) && fills_page(w.pc)
               ? (cpu_env(cs)->CP0_BadVAddr & ~in_page) | (pa & in_page)
               : va;
}

static bool __attribute__((noinline))
map(CPUState *cs, vaddr va, hwaddr *pa, bool write)
{
    uint32_t thread = guest_thread(cs);
    const struct sn_touch t = {
        .va = va,
        .pa = *pa,
        .thread = thread,
        .node = number_of(cs) / SN_NODE_CPUS,
        .write = write,
    };

    if (!is_owner(thread)) {
        return false;
    }
    if (mp_time_beside && sn_remedies_known(whatif.r, &t, pa)) {
        return true;
    }
    mp_time_in_turn();
    return sn_remedies_map(whatif.r, &t, pa);
}

/*
 * An access to a modelled address is about to be made.  Those to copies of the same
 * memory are made in the order of the processors, as the engine does not order them.
 */
static inline void about_to_access(void)
{
    if (unlikely(whatif.copies)) {
        mp_time_in_turn();
    }
}

/* Set *pa to the modelled address.  False: the access is as it is. */
static inline QEMU_ALWAYS_INLINE bool
remedied(CPUState *cs, vaddr va, hwaddr *pa, bool write, uintptr_t ra)
{
    if (unlikely(!whatif.live)) {
        return false;
    }
    if (va >= USER_END && write &&
        sn_remedies_near(whatif.r, cpu_env(cs)->CP0_BadVAddr)) {
        va = filled(cs, va, *pa, ra);
    }
    return unlikely(va < USER_END && sn_remedies_has(whatif.r, va)) &&
           map(cs, va, pa, write);
}

/* ---- what a miss costs ---- */

static uint32_t least(uint32_t a, enum sn_remedy_kind kind, uint64_t at)
{
    return MIN(a, sn_remedies_ease(whatif.r, kind, at));
}

/* An access begins of data at va, or a fetch; pc: 0 if it is not known. */
static void __attribute__((noinline))
ease_access(CPUState *cs, vaddr va, uint64_t pc, bool fetch)
{
    unsigned cpu = number_of(cs);
    struct easing *e = &whatif.easing_of[cpu];
    uint32_t part = SN_REMEDY_ONE, hits;

    e->fetch = fetch;
    e->mine = whatif.live && is_owner(guest_thread(cs));
    if (e->mine && !fetch && va < USER_END) {
        part = least(part, SN_REMEDY_FREE, va);
    }
    if (e->mine && pc) {
        part = least(part, SN_REMEDY_FREE_CODE, pc);
    }
    e->part = hits = part;
    if (e->mine) {
        hits = least(hits, SN_REMEDY_FREE_CAUSE, WHATIF_L2_HIT);
    }
    if (hits != e->hits) {
        e->hits = hits;
        sn_ease_hits(whatif.machine->engine, cpu, hits);
    }
}

static inline QEMU_ALWAYS_INLINE void ease(CPUState *cs, vaddr va, uintptr_t ra)
{
    MPTimeWhere w;

    if (unlikely(whatif.easing)) {
        ease_access(cs, va,
                    whatif.by_code && ra && mp_time_where(cs, ra, &w) ? w.pc
                                                                      : 0,
                    false);
    }
}

static uint32_t part_of(void *opaque, unsigned cpu, uint64_t pa, bool upgrade)
{
    const struct easing *e = &whatif.easing_of[cpu];

    return e->mine && whatif.by_cause
               ? least(e->part, SN_REMEDY_FREE_CAUSE,
                       whatif.cause(cpu, pa, e->fetch, upgrade))
               : e->part;
}

/* Its TLB entry may be missing: then the prefetch is dropped. */
static void __attribute__((noinline))
prefetch(CPUState *cs, vaddr va, bool write, uintptr_t ra)
{
    CPUMIPSState *env = cpu_env(cs);
    uint32_t lines =
        is_owner(guest_thread(cs)) ? sn_remedies_ahead(whatif.r, va) : 0;
    CPUTLBEntryFull *full;
    void *host;

    va += (uint64_t)lines << sn_desc_line(&whatif.machine->desc);
    if (lines && sn_remedies_has(whatif.r, va) &&
        !(probe_access_full(env, va, 0, MMU_DATA_LOAD, mips_env_mmu_index(env),
                            true, &host, &full, ra) &
          TLB_INVALID_MASK) &&
        full->attrs.memory) {
        whatif.mops->pref(env, write, va,
                          full->phys_addr | (va & ~TARGET_PAGE_MASK), ra);
    }
}

/* ---- TLB refills ---- */

/*
 * The handler runs, for the guest needs the entry.  Its instructions take no
 * time, and its accesses do not reach the caches: no other one waits for them
 * or finds their lines.
 */
static void refill(CPUState *cs, bool on)
{
    whatif.refill[number_of(cs)] = on;
    mp_time_free(cs, on);
}

static bool in_refill(CPUState *cs)
{
    return unlikely(whatif.huge) && whatif.refill[number_of(cs)];
}

static void whatif_mode(CPUMIPSState *env)
{
    CPUState *cs = env_cpu(env);
    bool handler = env->CP0_Status & (1 << CP0St_EXL | 1 << CP0St_ERL);

    if (!handler && in_refill(cs)) {
        refill(cs, false);
    } else if (handler && whatif.live &&
               (cs->exception_index == EXCP_TLBL ||
                cs->exception_index == EXCP_TLBS) &&
               env->error_code & EXCP_TLB_NOMATCH &&
               is_owner(guest_thread(cs)) &&
               sn_remedies_huge(whatif.r, env->CP0_BadVAddr)) {
        refill(cs, true);
    }
    if (whatif.mops->mode) {
        whatif.mops->mode(env);
    }
}

/* ---- accesses ---- */

/*
 * The filter has one line of each set of the L1D, the one used last.  An access
 * to a modelled address, which it does not get, may make another one the last.
 */
static uint64_t set_of(CPUState *cs, hwaddr pa)
{
    return sn_l1d_mru(sn_cpu_fast(whatif.machine->engine, number_of(cs)), pa);
}

static void keep_filter(CPUState *cs, hwaddr pa, uint64_t before)
{
    if (before != SN_NO_LINE && before != set_of(cs, pa)) {
        memory_model_drop(cs, before);
    }
}

static inline QEMU_ALWAYS_INLINE unsigned
data(CPUState *cs, const CPUTLBEntryFull *full, vaddr addr, unsigned size,
     hwaddr pa, unsigned access, uintptr_t ra)
{
    bool write = access == MEMORY_MODEL_STORE;
    bool moved;
    unsigned perm;
    uint64_t before;

    if (in_refill(cs) && full->attrs.memory) {
        mp_time_in_turn(); /* the engine does not order it */
        return 0;
    }
    moved = full->attrs.memory && remedied(cs, addr, &pa, write, ra);
    ease(cs, addr, ra);
    if (likely(!moved)) {
        perm = whatif.ops->data[access](cs, full, addr, size, pa, ra);
        if (unlikely(whatif.ahead) && whatif.live && full->attrs.memory &&
            addr < USER_END && sn_remedies_has(whatif.r, addr)) {
            before = set_of(cs, pa);
            prefetch(cs, addr, write, ra);
            keep_filter(cs, pa, before);
            /* Each access to the object asks for its line ahead. */
            perm &= MEMORY_MODEL_FAULT;
        }
        return perm;
    }
    before = set_of(cs, pa);
    perm = whatif.ops->data[access](cs, full, addr, size, pa, ra);
    keep_filter(cs, pa, before);
    about_to_access();
    return perm & MEMORY_MODEL_FAULT;
}

static unsigned whatif_load(CPUState *cs, const CPUTLBEntryFull *full,
                            vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, addr, size, pa, MEMORY_MODEL_LOAD, ra);
}

static unsigned whatif_awaited(CPUState *cs, const CPUTLBEntryFull *full,
                               vaddr addr, unsigned size, hwaddr pa,
                               uintptr_t ra)
{
    return data(cs, full, addr, size, pa, MEMORY_MODEL_AWAITED, ra);
}

static unsigned whatif_store(CPUState *cs, const CPUTLBEntryFull *full,
                             vaddr addr, unsigned size, hwaddr pa, uintptr_t ra)
{
    return data(cs, full, addr, size, pa, MEMORY_MODEL_STORE, ra);
}

static void whatif_fetch(CPUState *cs, hwaddr pa)
{
    if (in_refill(cs)) {
        memory_model_drop_code(cs, pa);
        return;
    }
    if (whatif.easing &&
        !sn_l1i_holds(sn_cpu_fast(whatif.machine->engine, number_of(cs)), pa)) {
        uint64_t va = guest_code_address(cpu_env(cs), pa);

        ease_access(cs, va, va, true);
    }
    whatif.ops->fetch(cs, pa);
}

static void whatif_pref(CPUMIPSState *env, unsigned hint, uint64_t va,
                        hwaddr pa, uintptr_t ra)
{
    CPUState *cs = env_cpu(env);

    remedied(cs, va, &pa, hint & 1, ra);
    ease(cs, va, ra);
    whatif.mops->pref(env, hint, va, pa, ra);
}

static void whatif_ll(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra)
{
    CPUState *cs = env_cpu(env);

    bool moved = remedied(cs, va, &pa, false, ra);

    ease(cs, va, ra);
    whatif.mops->ll(env, va, pa, ra);
    if (moved) {
        about_to_access();
    }
}

static bool whatif_sc(CPUMIPSState *env, uint64_t va, hwaddr pa, uintptr_t ra)
{
    CPUState *cs = env_cpu(env);

    bool moved = remedied(cs, va, &pa, true, ra), linked;

    ease(cs, va, ra);
    linked = whatif.mops->sc(env, va, pa, ra);
    if (moved) {
        about_to_access();
    }
    return linked;
}

/* ---- beginning and end ---- */

void origin_whatif_causes(OriginWhatifCause *cause)
{
    whatif.cause = cause;
}

static void go_live(void)
{
    CPUState *cs;

    whatif.live = true;
    CPU_FOREACH(cs) {
        memory_model_drop_all(cs);
    }
}

void origin_whatif_region(const char *name)
{
    if (whatif.wanted && whatif.wanted->len && !whatif.live && whatif.roi &&
        !strcmp(name, whatif.roi)) {
        go_live();
    }
}

static void begin_due(void *opaque)
{
    if (whatif.wanted && whatif.wanted->len && !whatif.live) {
        go_live();
    }
}

static void command_begins(Notifier *n, void *data)
{
    mp_time_at_end(begin_due, NULL);
}

bool origin_whatif_modelled(uint64_t pa)
{
    const OriginMachineState *m = whatif.machine;

    return whatif.r && SN_PA_NASID(pa) < m->desc.nnodes &&
           sn_remedies_beyond(whatif.r, pa);
}

static void at_exit(Notifier *n, void *data)
{
    const char *log = whatif.machine->remedy_log;
    FILE *f = log ? fopen(log, "we") : NULL;

    for (unsigned i = 0; f && i < whatif.wanted->len; i++) {
        fprintf(f, "%" PRIu64 " %" PRIu64 "\n",
                sn_remedies_touched(whatif.r, i),
                sn_remedies_refused(whatif.r));
    }
    if (f) {
        fclose(f);
    }
    sn_remedies_free(whatif.r);
    g_clear_pointer(&whatif.wanted, g_array_unref);
    whatif.r = NULL;
    whatif.live = false;
}

static void refuse(const char *why)
{
    error_report("origin2000: remedy: %s", why);
    exit(1);
}

static void add_all(void)
{
    static const char *const why[] = {
        [-SN_REMEDY_BAD] = "no such range, granule or node",
        [-SN_REMEDY_OVERLAP] = "two are about the same addresses",
        [-SN_REMEDY_FULL] = "there are too many",
    };

    for (unsigned i = 0; i < whatif.wanted->len; i++) {
        int n = sn_remedies_add(
            whatif.r, &g_array_index(whatif.wanted, struct sn_remedy, i));

        if (n < 0) {
            refuse(why[-n]);
        }
    }
}

/* Which kinds there are, and who has to be asked */
static void look_at_kinds(const OriginMachineState *m)
{
    for (unsigned i = 0; i < whatif.wanted->len; i++) {
        const struct sn_remedy *y =
            &g_array_index(whatif.wanted, struct sn_remedy, i);

        whatif.by_code |= y->kind == SN_REMEDY_FREE_CODE;
        whatif.by_cause |= y->kind == SN_REMEDY_FREE_CAUSE;
        whatif.easing |= y->kind <= SN_REMEDY_FREE_CAUSE;
        whatif.ahead |= y->kind == SN_REMEDY_PREFETCH;
        whatif.huge |= y->kind == SN_REMEDY_HUGE;
        whatif.copies |= sn_remedy_copies(y->kind);
    }
    if (whatif.by_cause && !whatif.cause) {
        refuse("causes are known while a profile is recorded (profile=DIR)");
    }
    for (unsigned i = 0; i < ARRAY_SIZE(whatif.easing_of); i++) {
        whatif.easing_of[i].part = whatif.easing_of[i].hits = SN_REMEDY_ONE;
    }
    if (whatif.easing && sn_ease(m->engine, part_of, NULL) < 0) {
        refuse("no memory");
    }
    if (whatif.easing || whatif.huge) {
        whatif.own.fetch = whatif_fetch;
    }
    if (whatif.huge) {
        whatif.own_m.mode = whatif_mode;
    }
}

void origin_whatif_add(const char *list)
{
    whatif.comm = whatif.machine->remedy_comm;
    g_free(parse_all(list, whatif.wanted));
    add_all();
    look_at_kinds(whatif.machine);
    go_live();
}

/* A profile has an observer of its own, which serves both. */
static bool begins(void)
{
    return true;
}

static void over(void)
{
}

static const MPTimeObserver phases = { .begins = begins, .over = over };

void origin_whatif_attach(OriginMachineState *m, const MemoryModelOps **ops,
                          const MIPSR10KMemOps **mops)
{
    whatif.machine = m;
    whatif.comm = m->remedy_comm;
    whatif.roi = m->remedy_roi;
    whatif.wanted = g_array_new(false, false, sizeof(struct sn_remedy));
    g_free(parse_all(m->remedy, whatif.wanted));
    whatif.r = sn_remedies_new(&m->desc);
    if (!whatif.r || sn_machine_extend(m->engine)) {
        refuse("no memory");
    }
    whatif.live = !whatif.roi && !m->command;
    whatif.ops = *ops;
    whatif.mops = *mops;
    whatif.own = **ops;
    whatif.own.data[MEMORY_MODEL_LOAD] = whatif_load;
    whatif.own.data[MEMORY_MODEL_STORE] = whatif_store;
    whatif.own.data[MEMORY_MODEL_AWAITED] = whatif_awaited;
    whatif.own_m = **mops;
    whatif.own_m.pref = whatif_pref;
    whatif.own_m.ll = whatif_ll;
    whatif.own_m.sc = whatif_sc;
    if (!m->profile_dir) {
        mp_time_observe(&phases);
    }
    add_all();
    look_at_kinds(m);
    *ops = &whatif.own;
    *mops = &whatif.own_m;
    if (m->command && !whatif.roi) {
        whatif.command.notify = command_begins;
        origin_command_add_notifier(&whatif.command);
    }
    whatif.exit.notify = at_exit;
    qemu_add_exit_notifier(&whatif.exit);
}

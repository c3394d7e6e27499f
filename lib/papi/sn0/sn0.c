/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PAPI's component sn0: event sets over the counters of an Origin 2000;
 * docs/papi.md says what its events and options mean.  This file has names of
 * events, event sets, options and PAPI's vector.  The other parts:
 *
 *   sn0_events.c   the table of native events
 *   sn0_cpu.c      R10000 events of threads: perf_event_open of the PMU "r10k"
 *   sn0_hub.c      Hub and router counters: libsnpc's devices
 *   sn0_refcnt.c   reference counters of the process's pages
 *
 * It is component 0, to which PAPI's presets belong.
 */
#include "sn0_cpu.h"
#include "sn0_hub.h"
#include "sn0_refcnt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>

#include "papi_preset.h"
#include "pmu.h"

#define USER_END (1ULL << 40)

extern papi_vector_t _sn0_vector; /* PAPI finds the component by this name */

/* --- the events --- */

static bool have_cpu, have_monitor;

static const char *name_of(const struct sn0_event *e)
{
    const char *name = e->class == SN0_CPU ? sn0_cpu_name(e->index) : NULL;

    return name ? name : e->name;
}

static bool is_here(const struct sn0_event *e)
{
    switch (e->class) {
    case SN0_CPU:
        return have_cpu;
    case SN0_LINK:
        return sn0_nquals && sn0_quals[sn0_nquals - 1].node < 0; /* nodes come first */
    default:
        return sn0_nquals;
    }
}

/* Is the event one of those that modifier enumerates? */
static bool is_kind(const struct sn0_event *e, int modifier)
{
    switch (modifier) {
    case PAPI_ENUM_EVENTS:
    case PAPI_ENUM_FIRST:
        return true;
    case PAPI_NTV_ENUM_DARR:
        return have_monitor && e->class == SN0_CPU ? sn0_cpu_restricts(e->index, false)
                                                   : e->class == SN0_REFCNT;
    case PAPI_NTV_ENUM_IARR:
        return have_monitor && e->class == SN0_CPU && sn0_cpu_restricts(e->index, true);
    }
    return false; /* no event address registers, no matching of operation codes */
}

static int next_qualifier(unsigned *code)
{
    const struct sn0_event *e = sn0_event_of(*code);

    for (int q = (int)sn0_has_qual(*code); q < sn0_nquals; q++) {
        if (sn0_hub_takes(e, &sn0_quals[q])) {
            *code = sn0_base(*code) | (unsigned)(q + 1) << SN0_QUAL_SHIFT;
            return PAPI_OK;
        }
    }
    return PAPI_ENOEVNT;
}

static int enum_events(unsigned *code, int modifier)
{
    int i;

    switch (modifier) {
    case PAPI_NTV_ENUM_UMASKS:
        return next_qualifier(code);
    case PAPI_ENUM_FIRST:
        i = 0;
        break;
    case PAPI_ENUM_EVENTS:
    case PAPI_NTV_ENUM_DARR:
    case PAPI_NTV_ENUM_IARR:
    case PAPI_NTV_ENUM_DEAR:
    case PAPI_NTV_ENUM_IEAR:
    case PAPI_NTV_ENUM_OPCM:
        i = (int)sn0_base(*code) + 1;
        break;
    default:
        return PAPI_EINVAL;
    }
    for (; i < sn0_nevents; i++) {
        if (is_here(&sn0_events[i]) && is_kind(&sn0_events[i], modifier)) {
            *code = (unsigned)i;
            return PAPI_OK;
        }
    }
    return PAPI_ENOEVNT;
}

static bool is_code(unsigned code)
{
    return (int)sn0_base(code) < sn0_nevents && (int)sn0_has_qual(code) <= sn0_nquals &&
           is_here(sn0_event_of(code));
}

/* NAME or NAME:QUALIFIER */
static int name_to_code(const char *name, unsigned *code)
{
    size_t len = strcspn(name, ":");

    for (int i = 0; i < sn0_nevents; i++) {
        const struct sn0_event *e = &sn0_events[i];

        if (!is_here(e) || strlen(name_of(e)) != len || strncasecmp(name, name_of(e), len)) {
            continue;
        }
        *code = (unsigned)i;
        if (!name[len]) {
            return PAPI_OK;
        }
        while (next_qualifier(code) == PAPI_OK) {
            if (!strcmp(sn0_qual_of(*code)->text, name + len + 1)) {
                return PAPI_OK;
            }
        }
    }
    return PAPI_ENOEVNT;
}

static int code_to_name(unsigned code, char *name, int len)
{
    int n;

    if (!is_code(code)) {
        return PAPI_ENOEVNT;
    }
    n = snprintf(name, (size_t)len, "%s%s%s", name_of(sn0_event_of(code)),
                 sn0_has_qual(code) ? ":" : "", sn0_has_qual(code) ? sn0_qual_of(code)->text : "");
    return n < len ? PAPI_OK : PAPI_EBUF;
}

static int code_to_descr(unsigned code, char *descr, int len)
{
    static const char *const all[] = {
        [SN0_CPU] = "",
        [SN0_MD] = ", all nodes",
        [SN0_IO] = ", all nodes",
        [SN0_LINK] = ", all router ports",
        [SN0_REFCNT] = ", from all nodes",
    };
    const struct sn0_event *e;

    if (!is_code(code)) {
        return PAPI_ENOEVNT;
    }
    e = sn0_event_of(code);
    if (sn0_has_qual(code)) {
        const struct sn0_qual *q = sn0_qual_of(code);

        snprintf(descr, (size_t)len, "%s masks:%s %s", e->text,
                 q->node < 0              ? q->port
                 : e->class == SN0_REFCNT ? "from"
                 : e->class == SN0_LINK   ? "router port of"
                                          : "at",
                 q->node < 0 ? "" : q->text);
    } else {
        snprintf(descr, (size_t)len, "%s%s", e->r12k[0] && !sn0_cpu_is_r10000() ? e->r12k : e->text,
                 all[e->class]);
    }
    return PAPI_OK;
}

/* --- event sets --- */

static int init_control_state(hwd_control_state_t *ctl)
{
    struct sn0_set *s = (struct sn0_set *)ctl;

    memset(s, 0, sizeof(*s));
    for (int i = 0; i < SN0_MAX_EVENTS; i++) {
        s->counter[i].fd = -1;
    }
    s->leader = -1;
    s->cpu = -1;
    s->signal = _sn0_vector.cmp_info.hardware_intr_sig;
    s->domain = _sn0_vector.cmp_info.default_domain;
    s->granularity = _sn0_vector.cmp_info.default_granularity;
    return PAPI_OK;
}

/* Can every event of the set be restricted to the set's ranges? */
static int check_ranges(const struct sn0_set *s)
{
    int memory = 0, pages = 0;

    if (!s->data && !s->code_range) {
        return PAPI_OK;
    }
    for (int i = 0; i < s->n; i++) {
        const struct sn0_event *e = sn0_event_of(s->code[i]);

        if (e->class == SN0_REFCNT && !s->code_range) {
            pages++;
        } else if (e->class == SN0_CPU && (!s->data || sn0_cpu_restricts(e->index, false)) &&
                   (!s->code_range || sn0_cpu_restricts(e->index, true))) {
            memory++;
        } else {
            return PAPI_EATTR;
        }
    }
    /* PAPI has one pair of offsets, but bytes and pages are rounded differently. */
    return memory && pages ? PAPI_ECOMBO : PAPI_OK;
}

static bool counts_pages(const struct sn0_set *s)
{
    return s->n && sn0_event_of(s->code[0])->class == SN0_REFCNT;
}

static int cover(struct sn0_set *s, bool code, uint64_t start, uint64_t end, struct sn_range *r)
{
    if (end <= start || end > USER_END) {
        return PAPI_EINVAL;
    }
    if (!code && counts_pages(s)) {
        uint64_t from = start & -SN0_REFCNT_PAGE;
        uint64_t to = (end + SN0_REFCNT_PAGE - 1) & -SN0_REFCNT_PAGE;

        *r = (struct sn_range){ start, end, start - from, to - end, .npairs = 1 };
    } else if (!have_monitor) {
        return PAPI_ENOSUPP;
    } else if (sn_range_cover_kind(code, start, end, r) < 0) {
        return PAPI_ECOUNT;
    }
    if (r->end + r->end_off > USER_END) {
        return PAPI_EINVAL;
    }
    return r->start_off > INT_MAX || r->end_off > INT_MAX ? PAPI_ECOUNT : PAPI_OK;
}

/* Make all events ready.  Those before `first` are ready already. */
static int open_from(struct sn0_set *s, int first)
{
    int err = sn0_hub_plan(s);

    if (err == PAPI_OK) {
        err = check_ranges(s);
    }
    return err == PAPI_OK ? sn0_cpu_open(s, first) : err;
}

static int open_all(struct sn0_set *s)
{
    return open_from(s, 0);
}

/* An event that overflows keeps its period when it moves to another position in the set. */
static void move_periods(struct sn0_set *s, const NativeInfo_t *native, int count)
{
    int period[SN0_MAX_EVENTS] = { 0 };

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < s->n; j++) {
            if (s->code[j] == native[i].ni_event) {
                period[i] = s->counter[j].period;
            }
        }
    }
    for (int i = 0; i < SN0_MAX_EVENTS; i++) {
        s->counter[i].period = period[i];
    }
}

static int update_control_state(hwd_control_state_t *ctl, NativeInfo_t *native, int count,
                                hwd_context_t *ctx)
{
    struct sn0_set *s = (struct sn0_set *)ctl;
    bool pages = counts_pages(s);
    int err, ready = 0;

    (void)ctx;
    if (count > SN0_MAX_EVENTS) {
        return PAPI_ECOUNT;
    }
    while (ready < s->n && ready < count && s->code[ready] == native[ready].ni_event &&
           sn0_cpu_is_ready(s, ready)) {
        ready++;
    }
    if (ready < s->n) {
        ready = 0; /* not just more of them */
    }
    move_periods(s, native, count);
    for (int i = 0; i < count; i++) {
        s->code[i] = native[i].ni_event;
        native[i].ni_position = i;
    }
    s->n = count;
    if (s->data && counts_pages(s) != pages && count) {
        err = cover(s, false, s->data_buf.start, s->data_buf.end, &s->data_buf);
        if (err != PAPI_OK) {
            return err;
        }
    }
    return open_from(s, ready);
}

static int set_range(struct sn0_set *s, bool code, _papi_int_addr_range_t *o)
{
    uint64_t start = (uintptr_t)o->start, end = (uintptr_t)o->end;
    struct sn_range *buf = code ? &s->code_buf : &s->data_buf;
    const struct sn_range **now = code ? &s->code_range : &s->data, *before = *now;
    struct sn_range saved = *buf;
    int err;

    o->start_off = o->end_off = -1;
    if (!start && !end) {
        *now = NULL; /* both addresses NULL disable the range, as PAPI's header says */
        return open_all(s);
    }
    err = cover(s, code, start, end, buf);
    if (err == PAPI_OK) {
        *now = buf;
        err = open_all(s);
    }
    if (err != PAPI_OK) {
        *buf = saved;
        *now = before;
        open_all(s);
        return err;
    }
    o->start_off = (int)buf->start_off;
    o->end_off = (int)buf->end_off;
    return PAPI_OK;
}

/* Change a field that matters at opening, and open the events again.  On failure restore it. */
#define CHANGE(s, field, value)                 \
    __extension__({                             \
        typeof((s)->field) before = (s)->field; \
        int rc;                                 \
        (s)->field = (value);                   \
        rc = open_all(s);                       \
        if (rc != PAPI_OK) {                    \
            (s)->field = before;                \
            open_all(s);                        \
        }                                       \
        rc;                                     \
    })

static int ctl(hwd_context_t *ctx, int code, _papi_int_option_t *o)
{
    struct sn0_set *s;

    (void)ctx;
    switch (code) {
    case PAPI_MULTIPLEX:
        s = (struct sn0_set *)o->multiplex.ESI->ctl_state;
        return CHANGE(s, multiplexed, true);
    case PAPI_ATTACH:
        s = (struct sn0_set *)o->attach.ESI->ctl_state;
        return CHANGE(s, tid, (pid_t)o->attach.tid);
    case PAPI_DETACH:
        s = (struct sn0_set *)o->attach.ESI->ctl_state;
        return CHANGE(s, tid, 0);
    case PAPI_CPU_ATTACH:
        s = (struct sn0_set *)o->cpu.ESI->ctl_state;
        return CHANGE(s, cpu, (int)o->cpu.cpu_num);
    case PAPI_DOMAIN:
        s = (struct sn0_set *)o->domain.ESI->ctl_state;
        return CHANGE(s, domain, o->domain.domain);
    case PAPI_INHERIT:
        s = (struct sn0_set *)o->inherit.ESI->ctl_state;
        return CHANGE(s, inherit, o->inherit.inherit != 0);
    case PAPI_GRANUL:
        s = (struct sn0_set *)o->granularity.ESI->ctl_state;
        if (o->granularity.granularity == PAPI_GRN_SYS) {
            /* perf counts one processor: the present one, until PAPI_CPU_ATTACH names another. */
            s->cpu = s->cpu < 0 ? sched_getcpu() : s->cpu;
        } else if (o->granularity.granularity != PAPI_GRN_THR) {
            return PAPI_ECMP;
        }
        return CHANGE(s, granularity, o->granularity.granularity);
    case PAPI_DATA_ADDRESS:
        s = (struct sn0_set *)o->address_range.ESI->ctl_state;
        return set_range(s, false, &o->address_range);
    case PAPI_INSTR_ADDRESS:
        s = (struct sn0_set *)o->address_range.ESI->ctl_state;
        return set_range(s, true, &o->address_range);
    case PAPI_DEF_ITIMER:
    case PAPI_DEF_ITIMER_NS:
        return PAPI_OK;
    }
    return PAPI_ENOSUPP;
}

static int set_domain(hwd_control_state_t *ctl, int domain)
{
    ((struct sn0_set *)ctl)->domain = domain;
    return PAPI_OK;
}

/* --- counting --- */

/* Is event i counted by the machine's counters, which perf does not reset? */
static bool is_machine(const struct sn0_set *s, int i)
{
    return sn0_event_of(s->code[i])->class != SN0_CPU;
}

/* Updates s->count, the counts since the last reset, and s->lost, whether counts were lost. */
static int read_all(struct sn0_set *s)
{
    int err = sn0_cpu_read(s);

    if (err == PAPI_OK) {
        err = sn0_hub_read(s);
    }
    if (err == PAPI_OK) {
        err = sn0_refcnt_read(s);
    }
    for (int i = 0; i < s->n && err == PAPI_OK; i++) {
        s->count[i] -= s->base[i];
    }
    return err;
}

static int do_stop(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
    struct sn0_set *s = (struct sn0_set *)ctl;
    int err = sn0_cpu_stop(s);

    (void)ctx;
    /* After this, others may own the Hub counters, so keep their last values in count[]. */
    if (err == PAPI_OK) {
        err = read_all(s);
    }
    sn0_hub_stop(s);
    sn0_refcnt_stop(s);
    s->running = false;
    return err == PAPI_OK && s->lost ? PAPI_ECLOST : err;
}

static int do_start(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
    struct sn0_set *s = (struct sn0_set *)ctl;
    int err;

    (void)ctx;
    memset(s->base, 0, sizeof(s->base));
    memset(s->count, 0, sizeof(s->count));
    s->lost = false;
    err = sn0_hub_start(s);
    if (err == PAPI_OK) {
        err = sn0_refcnt_start(s);
    }
    if (err == PAPI_OK) {
        err = sn0_cpu_start(s);
    }
    s->running = err == PAPI_OK;
    if (err != PAPI_OK) {
        sn0_hub_stop(s);
        sn0_refcnt_stop(s);
    }
    return err;
}

static int do_read(hwd_context_t *ctx, hwd_control_state_t *ctl, long long **counts, int flags)
{
    struct sn0_set *s = (struct sn0_set *)ctl;
    int err = s->running ? read_all(s) : PAPI_OK;

    (void)ctx;
    (void)flags;
    *counts = s->count;
    return err == PAPI_OK && s->lost ? PAPI_ECLOST : err;
}

static int do_reset(hwd_context_t *ctx, hwd_control_state_t *ctl)
{
    struct sn0_set *s = (struct sn0_set *)ctl;
    int err = read_all(s);

    (void)ctx;
    for (int i = 0; i < s->n && err == PAPI_OK; i++) {
        s->base[i] += is_machine(s, i) ? s->count[i] : 0;
    }
    s->lost = false;
    return err == PAPI_OK ? sn0_cpu_reset(s) : err;
}

static int cleanup_eventset(hwd_control_state_t *ctl)
{
    struct sn0_set *s = (struct sn0_set *)ctl;

    sn0_cpu_close(s);
    sn0_hub_stop(s);
    sn0_refcnt_stop(s);
    s->n = 0;
    s->data = s->code_range = NULL;
    return PAPI_OK;
}

/* --- overflow --- */

static int set_overflow(EventSetInfo_t *esi, int index, int threshold)
{
    struct sn0_set *s = (struct sn0_set *)esi->ctl_state;
    int sig = _sn0_vector.cmp_info.hardware_intr_sig, i = esi->EventInfoArray[index].pos[0], err;
    int before;

    if (i < 0 || is_machine(s, i)) {
        return PAPI_EINVAL;
    }
    before = s->counter[i].period;
    if (threshold == before) {
        return threshold ? PAPI_OK : PAPI_EINVAL;
    }
    if (threshold && !before) {
        err = _papi_hwi_start_signal(sig, 1, _sn0_vector.cmp_info.CmpIdx);
        if (err != PAPI_OK) {
            return err;
        }
    }
    err = CHANGE(s, counter[i].period, threshold);
    if (err != PAPI_OK ? !before : !threshold) {
        _papi_hwi_stop_signal(sig);
    }
    return err;
}

static void dispatch_timer(int sig, hwd_siginfo_t *info, void *uc)
{
    int cidx = _sn0_vector.cmp_info.CmpIdx, index;
    ThreadInfo_t *thread = _papi_hwi_lookup_thread(0);
    EventSetInfo_t *esi = thread ? thread->running_eventset[cidx] : NULL;
    _papi_hwi_context_t ctx = { .si = info, .ucontext = uc };
    uint64_t pc;

    (void)sig;
    if (!esi || !esi->overflow.flags) {
        return;
    }
    if (esi->overflow.flags & PAPI_OVERFLOW_FORCE_SW) {
        _papi_hwi_dispatch_overflow_signal(&ctx, GET_OVERFLOW_ADDRESS(ctx), NULL, 0, 0, &thread,
                                           cidx);
    } else if (sn0_cpu_sample((struct sn0_set *)esi->ctl_state, info->si_fd, &index, &pc)) {
        _papi_hwi_dispatch_overflow_signal(&ctx, (vptr_t)(uintptr_t)pc, NULL, 1LL << index, 0,
                                           &thread, cidx);
    }
}

/* --- the component --- */

static void describe_hardware(void)
{
    PAPI_hw_info_t *hw = &_papi_hwi_system_info.hw_info;
    char line[256];
    int prid, fpu, mhz;
    FILE *f = fopen("/hw/inventory", "re");

    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "cpu %*s %x %x %d", &prid, &fpu, &mhz) == 3) {
            hw->cpu_max_mhz = hw->cpu_min_mhz = mhz;
            hw->vendor = PAPI_VENDOR_MIPS;
            hw->model = prid >> 8;
            hw->revision = (float)(prid >> 4 & 15) + (float)(prid & 15) / 10;
            snprintf(hw->model_string, sizeof(hw->model_string), "MIPS %s",
                     sn0_cpu_is_r10000() ? "R10000" : "R12000");
            break;
        }
    }
    if (f) {
        fclose(f);
    }
}

static int init_component(int cidx)
{
    PAPI_component_info_t *info = &_sn0_vector.cmp_info;
    int err;

    info->CmpIdx = cidx;
    have_cpu = sn0_cpu_probe();
    have_monitor = have_cpu && sn0_cpu_has_monitor();
    err = sn0_hub_probe();
    if (err == PAPI_OK && !have_cpu && !sn0_nquals) {
        snprintf(info->disabled_reason, sizeof(info->disabled_reason),
                 "not an Origin 2000: no PMU r10k (module r10k_perf), no hardware graph at /hw");
        err = PAPI_ENOSUPP;
    }
    if (err != PAPI_OK) {
        info->disabled = err;
        return err;
    }
    snprintf(info->description, sizeof(info->description),
             "Origin 2000: %s%sHub, routers, refcnt; %s",
             have_cpu ? (sn0_cpu_is_r10000() ? "R10000" : "R12000") : "no r10k_perf module",
             have_cpu ? ", " : "; ",
             have_monitor ? "address ranges"
                          : "no address ranges: these processors have no range monitor");
    info->num_cntrs = !have_cpu ? 1 : sn0_cpu_is_r10000() ? 2 : 4;
    info->num_mpx_cntrs = SN0_MAX_EVENTS;
    info->hardware_intr_sig = SIGRTMIN + 2;
    info->num_native_events = 0;
    for (int i = 0; i < sn0_nevents; i++) {
        info->num_native_events += is_here(&sn0_events[i]);
    }
    describe_hardware();
    if (have_cpu) {
        char pmu[] = "R10000";

        if (!sn0_cpu_is_r10000()) {
            pmu[2] = '2';
        }
        _papi_load_preset_table(pmu, 0, cidx);
    }
    info->disabled = PAPI_OK;
    return PAPI_OK;
}

/* A thread has no state besides its event sets. */
static int init_thread(hwd_context_t *ctx)
{
    (void)ctx;
    return PAPI_OK;
}

static int shutdown_component(void)
{
    sn0_hub_forget();
    return PAPI_OK;
}

papi_vector_t _sn0_vector = {
    .cmp_info =
        {
            .name = "sn0",
            .short_name = "sn0",
            .version = "1.0",
            .description = "Origin 2000: R10000, Hub, routers, refcnt",
            .default_domain = PAPI_DOM_USER,
            .available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR,
            .default_granularity = PAPI_GRN_THR,
            .available_granularities = PAPI_GRN_THR | PAPI_GRN_SYS,
            .hardware_intr = 1,
            .kernel_multiplex = 1,
            .attach = 1,
            .attach_must_ptrace = 1, /* as in perf_event: who attaches must trace */
            .cpu = 1,
            .inherit = 1,
            .cntr_umasks = 1,
        },
    .size =
        {
            .context = sizeof(int),
            .control_state = sizeof(struct sn0_set),
            .reg_value = sizeof(int),
            .reg_alloc = sizeof(int),
        },
    .init_component = init_component,
    .shutdown_component = shutdown_component,
    .init_thread = init_thread,
    .shutdown_thread = init_thread,
    .init_control_state = init_control_state,
    .update_control_state = update_control_state,
    .cleanup_eventset = cleanup_eventset,
    .ctl = ctl,
    .set_domain = set_domain,
    .start = do_start,
    .stop = do_stop,
    .read = do_read,
    .reset = do_reset,
    .set_overflow = set_overflow,
    .dispatch_timer = dispatch_timer,
    .ntv_enum_events = enum_events,
    .ntv_name_to_code = name_to_code,
    .ntv_code_to_name = code_to_name,
    .ntv_code_to_descr = code_to_descr,
};

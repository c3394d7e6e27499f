/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions of interest: see roi.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "system/mp-time.h"
#include "system/system.h"
#include "target/mips/r10k.h"
#include "clock.h"
#include "command.h"
#include "origin.h"
#include "property.h"
#include "whatif/whatif.h"

/* A mark of the guest, which takes effect at the end of the quantum */
typedef struct Mark {
    OriginMachineState *m;
    bool begin;
    char name[ORIGIN_REGION_NAME];
} Mark;

typedef struct Change {
    OriginMachineState *m;
    OriginModel to;
} Change;

static uint64_t now_ns(void)
{
    return mp_time_to_ns(mp_time_now());
}

static uint64_t all_insns(void)
{
    uint64_t n = 0;
    CPUState *cs;

    CPU_FOREACH(cs) {
        n += origin_insns(MIPS_CPU(cs));
    }
    return n;
}

/* --- the log --- */

#define LOG_COLUMNS                                                   \
    "at_ns,event,model,was,why,ns,instructions,local,remote,backoff," \
    "latency_ns,writebacks,region\n"

/* The name in quotes, as CSV has it; a control character becomes ?. */
static void put_name(FILE *f, const char *name)
{
    putc('"', f);
    for (; *name; name++) {
        if (*name == '"') {
            putc('"', f);
        }
        putc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, f);
    }
    fputs("\"\n", f);
}

static void log_flush(OriginRegions *r)
{
    if (r->log && fflush(r->log) != 0) {
        warn_report("region-log: %s", strerror(errno));
        fclose(r->log);
        r->log = NULL;
    }
}

static void log_begin(OriginMachineState *m, const char *name)
{
    OriginRegions *r = &m->regions;

    if (r->log) {
        fprintf(r->log, "%" PRIu64 ",begin,%s,,,,,,,,,,", now_ns(),
                origin_model_name(origin_model_now(m)));
        put_name(r->log, name);
        log_flush(r);
    }
}

static void log_switch(OriginRegions *r, const OriginSwitch *s)
{
    static const char *const why[ORIGIN_WHYS] = {
        [ORIGIN_WHY_REGION] = "region",   [ORIGIN_WHY_END] = "end",
        [ORIGIN_WHY_TIME] = "time",       [ORIGIN_WHY_WARM] = "warm",
        [ORIGIN_WHY_REQUEST] = "request", [ORIGIN_WHY_FUTURE] = "future",
    };

    if (r->log) {
        fprintf(r->log, "%" PRIu64 ",model,%s,%s,%s,,,,,,,,\n", s->at,
                origin_model_name(s->model), origin_model_name(s->was),
                why[s->why]);
        log_flush(r);
    }
}

static void count_begin(OriginMachineState *m, OriginRegion *g)
{
    g->ns = now_ns();
    g->insns = all_insns();
    memset(&g->sums, 0, sizeof(g->sums));
    if (m->engine) {
        sn_sums(m->engine, &g->sums);
    }
}

static void log_end(OriginMachineState *m, const char *event,
                    const OriginRegion *g)
{
    OriginRegions *r = &m->regions;
    struct sn_sums s = g->sums;

    if (!r->log) {
        return;
    }
    if (m->engine) {
        sn_sums(m->engine, &s);
    }
    fprintf(r->log,
            "%" PRIu64 ",%s,%s,,,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
            now_ns(), event, origin_model_name(origin_model_now(m)),
            now_ns() - g->ns, all_insns() - g->insns, s.local - g->sums.local,
            s.remote - g->sums.remote, s.backoff - g->sums.backoff,
            s.latency_ns - g->sums.latency_ns,
            s.writebacks - g->sums.writebacks);
    put_name(r->log, g->name);
    log_flush(r);
}

/* --- the models --- */

static void switch_to(OriginMachineState *m, OriginModel to, OriginWhy why)
{
    OriginRegions *r = &m->regions;
    OriginModel was = origin_model_now(m);
    const OriginSwitch s = {
        .at = now_ns(),
        .model = to,
        .was = was,
        .why = why,
    };

    if (to == was) {
        return;
    }
    if (!origin_model_switch(m, to)) {
        warn_report("no memory for the model %s: %s goes on",
                    origin_model_name(to), origin_model_name(was));
        return;
    }
    if (!m->job.ready && r->nboot_switches < ORIGIN_BOOT_SWITCHES) {
        r->boot_switches[r->nboot_switches++] = s;
    }
    log_switch(r, &s);
}

/* The model of the option "before", which is_model() has looked at */
static OriginModel model_before(OriginMachineState *m)
{
    OriginModel model = ORIGIN_MODEL_OFF;

    origin_model_by_name(m->regions.before, &model);
    return model;
}

/* The region that the machine waited for, if it is open */
static OriginRegion *started(OriginRegions *r)
{
    unsigned i;

    for (i = 0; i < r->nopen; i++) {
        if (r->open[i].start) {
            return &r->open[i];
        }
    }
    return NULL;
}

/* The time `warm` is over. */
static void timer_due(void *opaque)
{
    OriginMachineState *m = opaque;
    OriginRegions *r = &m->regions;
    OriginRegion *g = started(r);

    switch_to(m, m->time, ORIGIN_WHY_WARM);
    if (g) {
        count_begin(m, g);
    }
}

static void start(OriginMachineState *m, OriginWhy why)
{
    OriginRegions *r = &m->regions;

    if (r->warm) {
        switch_to(m, ORIGIN_MODEL_UNLOADED, why);
        timer_mod_ns(r->timer, now_ns() + r->warm);
    } else {
        switch_to(m, m->time, why);
    }
}

static void from_is_over(OriginMachineState *m)
{
    timer_free(m->regions.timer);
    m->regions.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_due, m);
    m->regions.from_over = true;
}

static void from_due(void *opaque)
{
    OriginMachineState *m = opaque;

    from_is_over(m);
    start(m, ORIGIN_WHY_TIME);
}

/* --- the marks --- */

static void region_begin(OriginMachineState *m, const char *name)
{
    OriginRegions *r = &m->regions;
    OriginRegion *g;

    if (r->nopen == ORIGIN_REGIONS_OPEN) {
        r->lost++;
        return;
    }
    log_begin(m, name);
    origin_whatif_region(name);
    g = &r->open[r->nopen];
    pstrcpy(g->name, sizeof(g->name), name);
    g->start = r->before && !r->from && !started(r) &&
               (!r->roi || !strcmp(r->roi, name));
    if (g->start) {
        start(m, ORIGIN_WHY_REGION);
    }
    count_begin(m, g);
    r->nopen++;
}

static void region_end(OriginMachineState *m)
{
    OriginRegions *r = &m->regions;
    OriginRegion *g;

    if (r->lost) {
        r->lost--;
        return;
    }
    if (!r->nopen) {
        return; /* an end without a begin */
    }
    g = &r->open[--r->nopen];
    log_end(m, "end", g);
    if (g->start) {
        timer_del(r->timer);
        switch_to(m, model_before(m), ORIGIN_WHY_END);
    }
}

/* A future may have a model of its own, which runs from the split on. */
static void future_model(OriginMachineState *m)
{
    OriginFutures *f = &m->futures;

    if (!f->switched) {
        return;
    }
    f->switched = false;
    m->time = f->model;
    if (!m->regions.before && m->engine) {
        switch_to(m, f->model, ORIGIN_WHY_FUTURE);
    }
}

static void mark_due(void *opaque)
{
    g_autofree Mark *k = opaque;

    future_model(k->m);
    if (k->begin) {
        region_begin(k->m, k->name);
    } else {
        region_end(k->m);
    }
}

/* The machine splits here. Each future then goes on with mark_due(). */
static void split_due(void *opaque)
{
    origin_futures_split(opaque);
}

/*
 * The command starts, and the machine shall split there.  Runs that do not split
 * know nothing of it, so the quantum is as long as theirs.
 */
static void command_begins(Notifier *n, void *data)
{
    OriginMachineState *m =
        container_of(n, OriginMachineState, regions.command);

    if (origin_futures_wanted(m)) {
        mp_time_at_end(split_due, m);
    }
}

/* The machine stops: write the row of the whole run. */
static void ended(Notifier *n, void *data)
{
    OriginMachineState *m = container_of(n, OriginMachineState, regions.exit);
    const OriginRegion all = { .name = "" };

    log_end(m, "run", &all);
}

/* In the thread of the processors, in the middle of an instruction */
static void marked(Notifier *n, void *data)
{
    OriginMachineState *m = container_of(n, OriginMachineState, regions.mark);
    const MIPSR10KMark *mark = data;
    Mark *k;

    if (mark->hint == R10K_MARK_COUNT) {
        return;
    }
    BQL_LOCK_GUARD();
    k = g_new0(Mark, 1);
    k->m = m;
    k->begin = mark->hint == R10K_MARK_BEGIN;
    pstrcpy(k->name, sizeof(k->name), mark->name);
    if (k->begin && origin_futures_wanted(m) && !m->split_at_command &&
        (!m->regions.roi || !strcmp(m->regions.roi, k->name))) {
        mp_time_at_boundary(split_due, m);
    }
    mp_time_at_boundary(mark_due, k);
}

/* A machine that begins behind a boot logs what the boot has logged. */
static void switches_state(OriginRegions *r, struct sn_archive *a)
{
    SN_MOVE(a, r->nboot_switches);
    SN_MOVE(a, r->boot_switches);
    if (a->failed || r->nboot_switches > ORIGIN_BOOT_SWITCHES) {
        a->failed = true;
        r->nboot_switches = 0;
    }
    for (unsigned i = 0; a->loading && i < r->nboot_switches; i++) {
        const OriginSwitch *s = &r->boot_switches[i];

        if (s->model >= ORIGIN_MODELS || s->was >= ORIGIN_MODELS ||
            s->why >= ORIGIN_WHYS) {
            a->failed = true;
            return;
        }
        log_switch(r, s);
    }
}

void origin_regions_state(OriginMachineState *m, struct sn_archive *a)
{
    OriginRegions *r = &m->regions;
    bool over = r->from_over;

    SN_MOVE(a, r->open);
    SN_MOVE(a, r->nopen);
    SN_MOVE(a, r->lost);
    SN_MOVE(a, over);
    switches_state(r, a);
    for (unsigned i = 0; i < ORIGIN_REGIONS_OPEN; i++) {
        r->open[i].name[ORIGIN_REGION_NAME - 1] = '\0';
    }
    if (a->failed || r->nopen > ORIGIN_REGIONS_OPEN) {
        a->failed = true;
        r->nopen = 0;
        return;
    }
    if (!r->timer) {
        return;
    }
    if (over && !r->from_over) {
        from_is_over(m);
    }
    origin_timer_state(r->timer, a);
}

/* --- options --- */

static void change_due(void *opaque)
{
    g_autofree Change *c = opaque;

    switch_to(c->m, c->to, ORIGIN_WHY_REQUEST);
}

static bool is_model(const char *name, const char *value, Error **errp)
{
    g_autofree char *names = origin_names(origin_model_name, ORIGIN_MODEL_OFF);
    OriginModel model;

    if (!origin_model_by_name(value, &model)) {
        error_setg(errp, "%s is %s, not '%s'", name, names, value);
        return false;
    }
    return true;
}

static char *get_model_now(Object *obj, Error **errp)
{
    return g_strdup(origin_model_name(origin_model_now(ORIGIN_MACHINE(obj))));
}

static void set_model_now(Object *obj, const char *value, Error **errp)
{
    OriginMachineState *m = ORIGIN_MACHINE(obj);
    OriginModel to;
    Change *c;

    if (!is_model("model-now", value, errp)) {
        return;
    }
    origin_model_by_name(value, &to);
    if (!m->engine) {
        error_setg(errp, "model-now: this machine has model=off, and no caches "
                         "to switch on");
    } else if (!mp_time_enabled()) {
        error_setg(errp, "model-now needs machine time (-icount mode=mp)");
    } else {
        c = g_new(Change, 1);
        *c = (Change){ .m = m, .to = to };
        mp_time_at_boundary(change_due, c);
    }
}

static const OriginProperty properties[] = {
    ORIGIN_PROPERTY("before", TEXT, regions.before,
                    "the model that runs until the start", .check = is_model),
    ORIGIN_PROPERTY("roi", TEXT, regions.roi,
                    "the region whose begin is the start"),
    ORIGIN_PROPERTY("region-log", TEXT, regions.log_path,
                    "file that gets a line for each region and switch"),
    ORIGIN_PROPERTY("from", UINT64, regions.from,
                    "ns of machine time at which the start is"),
    ORIGIN_PROPERTY("warm", UINT64, regions.warm,
                    "ns of the unloaded model after the start"),
    {},
};

static void refuse(const char *why)
{
    error_report("origin2000: %s", why);
    exit(1);
}

void origin_regions_init(OriginMachineState *m)
{
    OriginRegions *r = &m->regions;

    if (r->log_path) {
        r->log = fopen(r->log_path, "we");
        if (!r->log) {
            error_report("origin2000: region-log %s: %s", r->log_path,
                         strerror(errno));
            exit(1);
        }
        fputs(LOG_COLUMNS, r->log);
        log_flush(r);
        r->exit.notify = ended;
        qemu_add_exit_notifier(&r->exit);
    }
    if (!r->before && (r->from || r->warm)) {
        refuse("from and warm need before");
    }
    if (!mp_time_enabled()) {
        if (r->before || r->log) {
            refuse("before and region-log need machine time (-icount mode=mp)");
        }
        return;
    }
    r->mark.notify = marked;
    mips_r10k_add_mark_notifier(&r->mark);
    if (m->split_at_command) {
        r->command.notify = command_begins;
        origin_command_add_notifier(&r->command);
    }
    if (!r->before) {
        return;
    }
    if (!m->engine) {
        refuse("before: a machine with model=off has no caches to switch on");
    }
    r->timer =
        timer_new_ns(QEMU_CLOCK_VIRTUAL, r->from ? from_due : timer_due, m);
    if (r->from) {
        timer_mod_ns(r->timer, r->from);
    }
    origin_model_switch(m, model_before(m));
}

void origin_regions_class_init(ObjectClass *oc)
{
    origin_properties_add(oc, properties);
    object_class_property_add_str(oc, "model-now", get_model_now,
                                  set_model_now);
    object_class_property_set_description(
        oc, "model-now", "the model that runs; may be written at any time");
}

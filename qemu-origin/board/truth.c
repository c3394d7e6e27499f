/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the model knows and the guest cannot ask, as properties of the machine
 * for QMP and HMP (docs/engine.md describes the JSON):
 *
 *   qom-get /machine truth           transaction mix and latencies of every
 *                                    CPU and node, as JSON text
 *   qom-get /machine picture         time, instructions, counts of memory
 *                                    controllers, and truth, of one moment
 *   qom-set /machine line-address A  the line that ...
 *   qom-get /machine line            ... shows: directory state and holders
 *   qom-get /machine page            reference counters of the page around it
 *   qom-get /machine invariants      "ok", or the first broken law
 *
 * With -M order-log=FILE, the machine writes a line into FILE when it ends:
 * TRANSFERS EARLY EARLY_NS, of `order` in the truth.
 *
 * Left out: writing.  Reading changes nothing that the guest could see.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "system/system.h"
#include "clock.h"
#include "system/mp-time.h"
#include "origin.h"
#include "property.h"
#include "sn.h"

typedef int TextFn(OriginMachineState *m, char *buf, size_t len, size_t *need);

static int truth_text(OriginMachineState *m, char *buf, size_t len,
                      size_t *need)
{
    return sn_truth_json(m->engine, buf, len, need);
}

static int line_text(OriginMachineState *m, char *buf, size_t len, size_t *need)
{
    return sn_line_json(m->engine, m->line_address, buf, len, need);
}

static int md_text(OriginMachineState *m, char *buf, size_t len, size_t *need)
{
    return sn_md_json(m->engine, origin_now(), buf, len, need);
}

static int page_text(OriginMachineState *m, char *buf, size_t len, size_t *need)
{
    return sn_page_json(m->engine, m->line_address, buf, len, need);
}

/* What @fn writes; free it. */
static char *text_of(OriginMachineState *m, TextFn *fn)
{
    size_t need = 0;
    char nothing[1];
    char *buf;

    fn(m, nothing, sizeof(nothing), &need);
    buf = g_malloc(need + 1);
    fn(m, buf, need + 1, NULL);
    return buf;
}

static char *get_text(Object *obj, TextFn *fn, Error **errp)
{
    OriginMachineState *m = ORIGIN_MACHINE(obj);

    if (!m->engine) {
        error_setg(errp, "model=off: there are no caches to ask");
        return NULL;
    }
    return text_of(m, fn);
}

/* All of one moment: two questions could be answered at two times. */
static char *get_picture(Object *obj, Error **errp)
{
    OriginMachineState *m = ORIGIN_MACHINE(obj);
    g_autofree char *truth = m->engine ? text_of(m, truth_text) : NULL;
    g_autofree char *md = m->engine ? text_of(m, md_text) : NULL;
    GString *s = g_string_new(NULL);
    const char *sep = "";

    g_string_append_printf(
        s, "{\"tick\":%" PRIu64 ",\"tick_hz\":%" PRIu64 ",\"instructions\":{",
        origin_now(), m->tick_hz);
    for (unsigned i = 0; i < m->desc.nnodes * SN_NODE_CPUS; i++) {
        MIPSCPU *cpu = origin_cpu(m, i);

        if (cpu) {
            g_string_append_printf(s, "%s\"%u\":%" PRIu64, sep, i,
                                   origin_insns(cpu));
            sep = ",";
        }
    }
    g_string_append_printf(s, "},\"md\":%s,\"truth\":%s}", md ? md : "null",
                           truth ? truth : "null");
    return g_string_free(s, FALSE);
}

static char *get_truth(Object *obj, Error **errp)
{
    return get_text(obj, truth_text, errp);
}

/* The same for text about line-address. */
static char *get_text_there(Object *obj, TextFn *fn, Error **errp)
{
    OriginMachineState *m = ORIGIN_MACHINE(obj);

    if (!origin_ram_present(&m->desc, m->line_address, 1)) {
        error_setg(errp, "line-address 0x%" PRIx64 ": no memory there",
                   m->line_address);
        return NULL;
    }
    return get_text(obj, fn, errp);
}

static char *get_line(Object *obj, Error **errp)
{
    return get_text_there(obj, line_text, errp);
}

static char *get_page(Object *obj, Error **errp)
{
    return get_text_there(obj, page_text, errp);
}

static char *get_invariants(Object *obj, Error **errp)
{
    OriginMachineState *m = ORIGIN_MACHINE(obj);
    char err[256];

    if (!m->engine) {
        error_setg(errp, "model=off: there are no caches to ask");
        return NULL;
    }
    return g_strdup(sn_check(m->engine, err, sizeof(err)) < 0 ? err : "ok");
}

static void ended(Notifier *n, void *data)
{
    OriginMachineState *m = container_of(n, OriginMachineState, order.exit);
    struct sn_sums s;

    sn_sums(m->engine, &s);
    fprintf(m->order.log, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s.transfers,
            s.early, s.early_ns);
    fclose(m->order.log);
}

void origin_truth_init(OriginMachineState *m)
{
    if (!m->order.path || !m->engine) {
        return;
    }
    m->order.log = fopen(m->order.path, "we");
    if (!m->order.log) {
        error_report("origin2000: order-log %s: %s", m->order.path,
                     strerror(errno));
        exit(1);
    }
    m->order.exit.notify = ended;
    qemu_add_exit_notifier(&m->order.exit);
}

static const OriginProperty properties[] = {
    ORIGIN_PROPERTY(
        "order-log", TEXT, order.path,
        "file that gets a line about accesses out of order at the end"),
    ORIGIN_PROPERTY("line-address", UINT64, line_address,
                    "physical address, nasid in bits 39:32"),
    {},
};

static char *get_spread(Object *obj, Error **errp)
{
    return g_strdup_printf("%" PRIu64, mp_time_spread_phases());
}

void origin_truth_class_init(ObjectClass *oc)
{
    static const struct {
        const char *name;
        char *(*get)(Object *obj, Error **errp);
        const char *help;
    } text[] = {
        { "truth", get_truth,
          "transactions and latencies of CPUs and nodes, JSON" },
        { "picture", get_picture,
          "tick, instructions of CPUs, counts of MDs, and truth, JSON" },
        { "spread-phases", get_spread,
          "phases that threads of the host have run together" },
        { "page", get_page,
          "reference counters of the 4 KB page at line-address, JSON" },
        { "line", get_line,
          "directory state and holders of the line at line-address, JSON" },
        { "invariants", get_invariants,
          "\"ok\", or the first conservation or coherence law that is broken" },
    };

    origin_properties_add(oc, properties);
    for (unsigned i = 0; i < ARRAY_SIZE(text); i++) {
        object_class_property_add_str(oc, text[i].name, text[i].get, NULL);
        object_class_property_set_description(oc, text[i].name, text[i].help);
    }
}

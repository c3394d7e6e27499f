/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a debugger asks of the machine: see debug.h.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "system/cpus.h"
#include "clock.h"
#include "debug.h"

#define PAUSE_AFTER_MAX (366 * 86400 * NANOSECONDS_PER_SECOND)

/* In the thread of the vCPUs, between two quanta */
static void stop_here(void *opaque)
{
    OriginMachineState *m = opaque;
    CPUState *cpu;

    info_report("stopped at tick %" PRIu64, origin_now());
    timer_free(m->break_timer);
    m->break_timer = NULL;
    cpu_handle_guest_debug(first_cpu);
    CPU_FOREACH(cpu) {
        cpu->stopped = true;
    }
}

void origin_debug_init(OriginMachineState *m)
{
    if (m->break_at) {
        m->break_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, stop_here, m);
        timer_mod_ns(m->break_timer, mp_time_to_ns(m->break_at));
    }
}

static void get_tick(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    uint64_t now = origin_now();

    visit_type_uint64(v, name, &now, errp);
}

static void set_pause_after(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    uint64_t ns;

    if (!visit_type_uint64(v, name, &ns, errp)) {
        return;
    }
    if (!mp_time_enabled()) {
        error_setg(errp, "pause-after needs machine time (-icount mode=mp)");
    } else if (ns > PAUSE_AFTER_MAX) {
        error_setg(errp, "pause-after: %" PRIu64 " ns is more than a year", ns);
    } else {
        mp_time_pause_at(mp_time_now() + mp_time_from_ns(ns));
    }
}

void origin_debug_class_init(ObjectClass *oc)
{
    object_class_property_add(oc, "pause-after", "uint64", NULL,
                              set_pause_after, NULL, NULL);
    object_class_property_set_description(
        oc, "pause-after", "ns of machine time until the machine pauses, once");
    object_class_property_add(oc, "tick", "uint64", get_tick, NULL, NULL, NULL);
    object_class_property_set_description(oc, "tick", "machine time in ticks");
}

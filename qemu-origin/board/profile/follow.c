/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that a profile follows; see follow.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "threads.h"
#include "regs/addr.h"
#include "observe/event.h"
#include "follow.h"

#define USER_END (1ull << 62)

/* Events: the default, the limits of the option */
#define EVENTS     200000u
#define EVENTS_MIN 1024u
#define EVENTS_MAX 4000000u
/* Writing them takes no more time than the rest of a profile does. */
#define EVENTS_NEWEST 4000u

static struct {
    char *comm;         /* NULL: of all threads */
    uint64_t low, high; /* addresses, the last one included */
    unsigned hottest;   /* as many lines; 0: those of the addresses */
    bool wanted, physical;
    uint32_t events;
    struct sn_follow *f;
} follow = { .events = EVENTS };

/* ---- options ---- */

/* "LOW-HIGH", hexadecimal */
static bool range(const char *s)
{
    const char *end;

    return !qemu_strtou64(s, &end, 16, &follow.low) && *end == '-' &&
           !qemu_strtou64(end + 1, NULL, 16, &follow.high) &&
           follow.low <= follow.high;
}

static void set_follow(Object *obj, const char *value, Error **errp)
{
    const char *s;

    follow.physical = strstart(value, "phys:", &s);
    follow.hottest = 0;
    follow.wanted = strstart(value, "hottest:", &s)
                        ? !qemu_strtoui(s, NULL, 10, &follow.hottest) &&
                              follow.hottest >= 1 &&
                              follow.hottest <= SN_FOLLOW_LINES
                        : range(follow.physical ? s : value);
    if (!follow.wanted) {
        error_setg(errp,
                   "follow: hottest:N, N from 1 to %u, LOW-HIGH or "
                   "phys:LOW-HIGH, not '%s'",
                   SN_FOLLOW_LINES, value);
    }
}

static void set_comm(Object *obj, const char *value, Error **errp)
{
    g_free(follow.comm);
    follow.comm = g_strdup(value);
}

static void set_max(Object *obj, Visitor *v, const char *name, void *opaque,
                    Error **errp)
{
    uint32_t n;

    if (!visit_type_uint32(v, name, &n, errp)) {
        return;
    }
    if (n < EVENTS_MIN || n > EVENTS_MAX) {
        error_setg(errp, "follow-max is %u to %u, not %u", EVENTS_MIN,
                   EVENTS_MAX, n);
        return;
    }
    follow.events = n;
}

void profile_follow_class_init(ObjectClass *oc)
{
    object_class_property_add_str(oc, "follow", NULL, set_follow);
    object_class_property_set_description(
        oc, "follow", "lines that a profile follows (docs/follow.md)");
    object_class_property_add_str(oc, "follow-comm", NULL, set_comm);
    object_class_property_set_description(
        oc, "follow-comm", "at user addresses: only of threads of this name");
    object_class_property_add(oc, "follow-max", "uint32", NULL, set_max, NULL,
                              NULL);
    object_class_property_set_description(oc, "follow-max",
                                          "limit of the events of all lines");
}

bool profile_follow_wanted(void)
{
    return follow.wanted;
}

void profile_follow_begin(void)
{
    if (!follow.wanted) {
        return;
    }
    sn_follow_free(follow.f);
    follow.f = sn_follow_new(follow.events);
    if (!follow.f) {
        error_report("origin2000: no memory to follow lines");
        exit(1);
    }
}

/* ---- what happens ---- */

bool profile_follow_has(uint64_t pa)
{
    static const struct sn_profile_where nowhere;
    uint64_t line = pa & ~(uint64_t)(SN_LINE_SIZE - 1);

    if (follow.physical && line <= follow.high &&
        line + SN_LINE_SIZE > follow.low) {
        return sn_follow_add(follow.f, pa, &nowhere);
    }
    return sn_follow_has(follow.f, pa);
}

/* Is the access one of the program's, or of the kernel's if that is asked for? */
static bool of_program(const struct sn_profile_where *w)
{
    uint32_t n;
    const GuestThread *t = guest_threads(&n);

    if (w->addr >= USER_END) {
        return !follow.hottest;
    }
    return w->thread &&
           (!follow.comm || !strcmp(t[w->thread].comm, follow.comm));
}

bool profile_follow_access(uint64_t pa, const struct sn_profile_where *w)
{
    uint64_t line = w->addr & ~(uint64_t)(SN_LINE_SIZE - 1);

    if (follow.physical || !of_program(w)) {
        return profile_follow_has(pa);
    }
    if (follow.hottest) {
        sn_follow_candidate(follow.f, pa, w);
        return true;
    }
    if (line <= follow.high && line + SN_LINE_SIZE > follow.low) {
        sn_follow_add(follow.f, pa, w);
    }
    return sn_follow_has(follow.f, pa);
}

void profile_follow_message(void *opaque, const struct sn_message *o)
{
    sn_follow_message(follow.f, o);
}

void profile_follow_dropped(void *opaque, unsigned cpu, uint64_t pa,
                            uint64_t now)
{
    sn_follow_left(follow.f, SN_EVENT_DROPPED, cpu, pa, now);
}

void profile_follow_flushed(unsigned cpu, uint64_t pa, uint64_t now)
{
    if (follow.wanted) {
        sn_follow_left(follow.f, SN_EVENT_FLUSHED, cpu, pa, now);
    }
}

void profile_follow_done(const struct sn_observed *o,
                         const struct sn_profile_where *w)
{
    if (o->transaction) {
        sn_follow_access(follow.f, o, w);
    }
}

void profile_follow_cause(unsigned cpu, uint64_t transaction,
                          enum sn_cause cause)
{
    sn_follow_cause(follow.f, cpu, transaction, cause);
}

/* ---- tables ---- */

/* The hottest lines, or all. */
static unsigned lines(struct sn_followed l[SN_FOLLOW_LINES])
{
    unsigned n = sn_follow_lines(follow.f, l);

    return follow.hottest ? MIN(n, follow.hottest) : n;
}

void profile_follow_put_lines(FILE *f)
{
    struct sn_followed l[SN_FOLLOW_LINES];
    unsigned n = lines(l);

    for (unsigned i = 0; i < n; i++) {
        fprintf(f, "0x%" PRIx64 ",%u,", l[i].pa, l[i].thread);
        if (l[i].thread) {
            fprintf(f, "0x%" PRIx64, l[i].addr);
        } else {
            fputc('-', f);
        }
        fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", l[i].transactions,
                l[i].events, l[i].lost);
    }
}

typedef struct Put {
    FILE *f;
    uint64_t pa;
    uint64_t skip; /* so many events */
} Put;

static void put_event(void *opaque, const struct sn_event *e)
{
    Put *p = opaque;
    char row[SN_EVENT_TEXT];

    if (p->skip) {
        p->skip--;
        return;
    }
    sn_event_text(e, row);
    fprintf(p->f, "0x%" PRIx64 ",%s\n", p->pa, row);
}

void profile_follow_put_events(FILE *f, bool newest)
{
    struct sn_followed l[SN_FOLLOW_LINES];
    unsigned n = lines(l);

    for (unsigned i = 0; i < n; i++) {
        uint64_t most = newest ? EVENTS_NEWEST / n : UINT64_MAX;
        Put p = { f, l[i].pa, l[i].events - MIN(l[i].events, most) };

        sn_follow_events(follow.f, l[i].pa, put_event, &p);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that a profile follows; see follow.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "origin.h"
#include "threads.h"
#include "regs/addr.h"
#include "observe/event.h"
#include "follow.h"

#define USER_END (1ull << 62)

/* Writing them takes no more time than the rest of a profile does. */
#define EVENTS_NEWEST 4000u

/* Which lines */
struct wanted {
    uint64_t low, high; /* addresses, the last one included */
    unsigned hottest;   /* as many lines; 0: those of the addresses */
    bool physical;
};

static struct {
    struct wanted lines;
    const char *comm;    /* NULL: of all threads */
    struct sn_follow *f; /* NULL: none */
    unsigned bytes;      /* of a line */
} follow;

/* ---- options ---- */

/* "LOW-HIGH", hexadecimal */
static bool range(const char *s, struct wanted *w)
{
    const char *end;

    return !qemu_strtou64(s, &end, 16, &w->low) && *end == '-' &&
           !qemu_strtou64(end + 1, NULL, 16, &w->high) && w->low <= w->high;
}

static bool parse(const char *value, struct wanted *w)
{
    const char *s;

    *w = (struct wanted){ .physical = strstart(value, "phys:", &s) };
    if (w->physical) {
        return range(s, w);
    }
    if (strstart(value, "hottest:", &s)) {
        return !qemu_strtoui(s, NULL, 10, &w->hottest) && w->hottest >= 1 &&
               w->hottest <= SN_FOLLOW_LINES;
    }
    return range(value, w);
}

bool profile_follow_check(const char *name, const char *value, Error **errp)
{
    struct wanted w;
    bool good = parse(value, &w);

    if (!good) {
        error_setg(errp,
                   "%s: hottest:N, N from 1 to %u, LOW-HIGH or phys:LOW-HIGH, "
                   "not '%s'",
                   name, SN_FOLLOW_LINES, value);
    }
    return good;
}

void profile_follow_begin(const OriginMachineState *m)
{
    if (!m->follow) {
        return;
    }
    parse(m->follow, &follow.lines);
    follow.comm = m->follow_comm;
    follow.bytes = 1u << sn_desc_line(&m->desc);
    sn_follow_free(follow.f);
    follow.f = sn_follow_new(m->follow_max, follow.bytes);
    if (!follow.f) {
        error_report("origin2000: no memory to follow lines");
        exit(1);
    }
}

/* ---- what happens ---- */

bool profile_follow_has(uint64_t pa)
{
    static const struct sn_profile_where nowhere;
    uint64_t line = pa & -(uint64_t)follow.bytes;

    if (follow.lines.physical && line <= follow.lines.high &&
        line + follow.bytes > follow.lines.low) {
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
        return !follow.lines.hottest;
    }
    return w->thread &&
           (!follow.comm || !strcmp(t[w->thread].comm, follow.comm));
}

bool profile_follow_access(uint64_t pa, const struct sn_profile_where *w)
{
    uint64_t line = w->addr & -(uint64_t)follow.bytes;

    if (follow.lines.physical || !of_program(w)) {
        return profile_follow_has(pa);
    }
    if (follow.lines.hottest) {
        sn_follow_candidate(follow.f, pa, w);
        return true;
    }
    if (line <= follow.lines.high && line + follow.bytes > follow.lines.low) {
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
    if (follow.f) {
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

    return follow.lines.hottest ? MIN(n, follow.lines.hottest) : n;
}

bool profile_follow_any(void)
{
    struct sn_followed l[SN_FOLLOW_LINES];

    return follow.f && sn_follow_lines(follow.f, l);
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

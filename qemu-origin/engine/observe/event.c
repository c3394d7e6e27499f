/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event of a line as a row of follow.csv; see event.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "machine.h"
#include "observe/event.h"
#include "proto/names.h"

static const char *const tx_name[SN_NTX] = {
#define X(name, json, text) json,
    SN_TX_LIST(X)
#undef X
};

/* How docs/protocol.md calls what row `row` of a rule is about. */
static const char *rule_state(enum sn_rule rule, unsigned row)
{
    switch (rule) {
    case SN_RULE_HOME:
    case SN_RULE_BACKOFF:
        return col_name(row);
    case SN_RULE_RRB:
        return rrb_name(row);
    case SN_RULE_WRB:
        return wrb_name(row);
    case SN_RULE_SNOOP:
        return sn_mesi_name(row);
    default:
        return "?";
    }
}

/* A row under way.  The longest one fits: two lists of all nodes, all waits. */
struct text {
    char *at;
    size_t left;
};

static void __attribute__((format(printf, 2, 3)))
put(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    SN_ASSERT(n >= 0 && (size_t)n < t->left);
    t->at += n;
    t->left -= (size_t)n;
}

static void put_agent(struct text *t, unsigned agent)
{
    put(t, "%u%c", sn_agent_node((sn_agent)agent),
        "ABMI"[sn_agent_unit((sn_agent)agent)]);
}

/* ",SHRD:0 2", ",EXCL:1A", ",UOWN" */
static void put_entry(struct text *t, const struct sn_entry *e)
{
    unsigned end = SN_MAX_NODES;
    char before = ':';

    put(t, ",%s", sn_dstate_name(e->state));
    if (e->state == SN_SHRD) {
        for (unsigned n = sn_vec_next(e->sharers, e->oct, e->coarse, 0, end);
             n < end;
             n = sn_vec_next(e->sharers, e->oct, e->coarse, n + 1, end)) {
            put(t, "%c%u", before, n);
            before = ' ';
        }
    } else if (e->state == SN_EXCL || e->state == SN_BUSYS ||
               e->state == SN_BUSYE) {
        put(t, ":");
        put_agent(t, e->owner);
    }
}

static void put_waits(struct text *t, const struct sn_event *e)
{
    static const char *const leg[SN_NLEGS] = { "send", "way", "take" };
    static const char *const what[] = { "sysad", "memory", "ni", "link",
                                        "line" };

    put(t, "%s", e->message.waits ? "," : ",-");
    for (unsigned i = 0; i < e->message.waits; i++) {
        const struct sn_wait *w = &e->wait[i];

        put(t, "%s%s %s %u %u", i ? "; " : "", leg[w->leg], what[w->what],
            w->at, w->time);
    }
}

static void put_message(struct text *t, const struct sn_event *e)
{
    static const char *const rule[] = { "-",         "home",   "backoff",
                                        "requestor", "writer", "copy" };
    static const char *const step[] = { "-",     "done",  "once", "retry",
                                        "error", "retry", "done", "-" };
    const struct sn_message *o = &e->message;

    put(t, "message,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,", o->transaction,
        o->number, o->parent, sn_msg_name(o->type));
    put_agent(t, o->from);
    put(t, ",");
    put_agent(t, o->to);
    put(t, ",");
    put_agent(t, o->req);
    put(t, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, o->sent, o->left,
        o->arrived, o->taken);
    put_waits(t, e);
    put(t, ",%s,%s,%s", rule[o->rule], rule_state(o->rule, o->row),
        step[o->step]);
    if (o->home) {
        put_entry(t, &o->before);
        put_entry(t, &o->after);
    } else {
        put(t, ",-,-");
    }
    put(t, "%s", o->copies ? "," : ",-");
    for (unsigned i = 0; i < o->copies; i++) {
        put(t, "%s%u %s %s", i ? "; " : "", o->copy[i].cpu,
            sn_mesi_name(o->copy[i].before), sn_mesi_name(o->copy[i].after));
    }
    put(t, ",-,-,-,-,-,-,-,-,-,-");
}

/* A program counter or an address */
static void put_address(struct text *t, uint64_t v)
{
    if (v == SN_ROW_NO_PC) {
        put(t, ",-");
    } else {
        put(t, ",0x%" PRIx64, v);
    }
}

static void put_access(struct text *t, const struct sn_followed_access *a)
{
    put(t, "access,%" PRIu64 ",-,-,%s,-,-,%u%c,%" PRIu64 ",-,-,%" PRIu64,
        a->transaction, sn_kind_name(a->kind), a->cpu / SN_NODE_CPUS,
        "AB"[a->cpu % SN_NODE_CPUS], a -> start, a -> end);
    put(t, ",-,-,-,-,-,-,-,%u,%s,%s,%" PRIu64 ",%u", a->cpu, tx_name[a->tx],
        a->cause == SN_NCAUSES ? "-" : sn_cause_name(a->cause), a->now,
        a->where.thread);
    put_address(t, a->where.pc);
    put(t, ",%u", a->where.path);
    put_address(t, a->where.addr);
    put(t, ",%u,%u", a->where.object, a->stall);
}

void sn_event_text(const struct sn_event *e, char text[SN_EVENT_TEXT])
{
    struct text t = { text, SN_EVENT_TEXT };

    switch (e->kind) {
    case SN_EVENT_MESSAGE:
        put_message(&t, e);
        break;
    case SN_EVENT_ACCESS:
        put_access(&t, &e->access);
        break;
    default:
        put(&t,
            "%s,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,%u,-,-,%" PRIu64
            ",-,-,-,-,-,-",
            e->kind == SN_EVENT_DROPPED ? "dropped" : "flushed", e->left.cpu,
            e->left.now);
    }
}

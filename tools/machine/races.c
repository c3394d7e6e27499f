/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line and the protocol's functions, message by message (races.h).  The home
 * of the line and the buffers of all processors stand still but for the one message
 * that the caller lets arrive.
 */
#include "races.h"

#include <stdbool.h>
#include <string.h>

#include "machine.h"
#include "proto/names.h"
#include "proto/proto.h"
#include "text.h"

#define NODES_MOST  8
#define CPUS_MOST   (2 * NODES_MOST)
#define FLYING_MOST 64

/* The tables of struct sn_message (sn.h), whose numbers the page knows. */
enum { TABLE_NONE, TABLE_HOME, TABLE_BACKOFF, TABLE_RRB, TABLE_WRB, TABLE_SNOOP };

struct flying {
    struct sn_msg msg;
    uint32_t number, parent;
};

static struct {
    unsigned nodes;
    sn_agent home;
    struct sn_dirent entry;
    uint8_t mem, latest; /* ages of the data */
    struct sn_cpu_line cpu[CPUS_MOST];
    bool again[CPUS_MOST], wagain[CPUS_MOST]; /* refused: to be sent again */
    struct flying flying[FLYING_MOST];
    unsigned nflying;
    uint32_t sent;
    const char *broken; /* the first thing that was wrong, or NULL */
} r;

static int refuse(const char *why)
{
    text_clear();
    text_add("%s", why);
    return -1;
}

static void broke(const char *what)
{
    if (!r.broken) {
        r.broken = what;
    }
}

static sn_agent agent(unsigned cpu)
{
    return sn_agent_make(cpu / 2, cpu & 1);
}

static unsigned cpu_of(sn_agent a)
{
    return sn_agent_node(a) * 2 + (sn_agent_unit(a) & 1);
}

/* ---- messages on their way ---- */

static void fly(const struct sn_msg *m, uint32_t parent)
{
    if (r.nflying == FLYING_MOST) {
        broke("more messages are on their way than the page has room for");
        return;
    }
    r.flying[r.nflying++] = (struct flying){ *m, ++r.sent, parent };
}

/* What somebody sent.  The network interface makes one INVAL a node. */
static void post(const struct sn_out *out, uint32_t parent)
{
    for (unsigned i = 0; i < out->n; i++) {
        struct sn_msg m = out->m[i];

        if (m.type != SN_INVAL) {
            fly(&m, parent);
            continue;
        }
        for (unsigned n = sn_vec_next(m.vec, m.oct, m.coarse, 0, r.nodes); n < r.nodes;
             n = sn_vec_next(m.vec, m.oct, m.coarse, n + 1, r.nodes)) {
            m.dst = sn_agent_make(n, SN_AG_A);
            fly(&m, parent);
        }
    }
}

/* ---- JSON ---- */

static void say_entry(const char *name, const struct sn_dirent *e)
{
    const char *sep = "";

    text_add("\"%s\":{\"state\":\"%s\",\"prio\":%u", name, sn_dstate_name(e->state), e->prio);
    if (e->state == SN_SHRD) {
        text_add(",\"sharers\":[");
        for (unsigned n = sn_vec_next(e->vec, e->oct, e->coarse, 0, r.nodes); n < r.nodes;
             n = sn_vec_next(e->vec, e->oct, e->coarse, n + 1, r.nodes)) {
            text_add("%s%u", sep, n);
            sep = ",";
        }
        text_add("]");
    } else if (e->state != SN_UOWN && e->state != SN_POIS) {
        text_add(",\"owner\":%u", e->ptr);
    }
    text_add("}");
}

static void say_message(const struct flying *f)
{
    text_add("\"n\":%u,\"parent\":%u,\"type\":\"%s\",\"from\":%u,\"to\":%u,\"req\":%u", f->number,
             f->parent, sn_msg_name(f->msg.type), f->msg.src, f->msg.dst, f->msg.req);
}

static void say_cpu(unsigned i)
{
    const struct sn_cpu_line *c = &r.cpu[i];

    text_add(
        "{\"cpu\":%u,\"copy\":\"%s\",\"phase\":\"%s\",\"request\":\"%s\",\"acks\":%d,\"inv\":%d,"
        "\"held\":\"%s\",\"wphase\":\"%s\",\"again\":%d,\"wagain\":%d,\"denied\":%u}",
        i, sn_mesi_name(c->mesi), rrb_name(c->rrb),
        c->rrb != SN_RR_IDLE || r.again[i] ? sn_msg_name(c->req) : "", c->acks, c->inv,
        c->iv == SN_NOMSG ? "" : sn_msg_name(c->iv), wrb_name(c->wrb), r.again[i], r.wagain[i],
        c->denied);
}

/* The state, behind what happened. */
static void say_state(void)
{
    const char *sep = "";

    text_add(",\n");
    say_entry("entry", &r.entry);
    text_add(",\"cpus\":[");
    for (unsigned i = 0; i < r.nodes * 2; i++) {
        text_add("%s", i ? "," : "");
        say_cpu(i);
    }
    text_add("],\n\"flying\":[");
    for (unsigned i = 0; i < r.nflying; i++) {
        text_add("%s{", sep);
        say_message(&r.flying[i]);
        text_add("}");
        sep = ",";
    }
    text_add("],\"broken\":\"%s\"}", r.broken ? r.broken : "");
}

/* ---- what must hold ---- */

static void check_one_writer(void)
{
    unsigned owners = 0, copies = 0;

    for (unsigned i = 0; i < r.nodes * 2; i++) {
        owners += r.cpu[i].mesi >= SN_E;
        copies += r.cpu[i].mesi != SN_I;
    }
    if (owners && copies > 1) {
        broke("a processor has the line exclusive, and another has a copy");
    }
}

/* A processor's request is complete: it uses its data. */
static void use(unsigned cpu)
{
    struct sn_cpu_line *c = &r.cpu[cpu];

    if (c->mesi == SN_I) { /* used once: checked when it came */
        return;
    }
    if (c->val != r.latest) {
        broke("a processor has old data");
    }
    if (c->mesi == SN_M) {
        c->val = ++r.latest;
    }
}

/* ---- steps ---- */

int races_new(uint32_t nodes, uint32_t home)
{
    if (nodes < 1 || nodes > NODES_MOST || home >= nodes) {
        return refuse("races have 1 to 8 nodes, of which one is the home");
    }
    memset(&r, 0, sizeof(r));
    r.nodes = nodes;
    r.home = sn_agent_make(home, SN_AG_RSVD);
    r.entry.state = SN_UOWN;
    for (unsigned i = 0; i < CPUS_MOST; i++) {
        r.cpu[i].iv = SN_NOMSG;
        r.cpu[i].prio_max = 1;
    }
    text_clear();
    text_add("{\"did\":\"new\"");
    say_state();
    return 0;
}

static bool busy(unsigned cpu)
{
    return r.cpu[cpu].rrb != SN_RR_IDLE || r.cpu[cpu].wrb != SN_WR_IDLE || r.wagain[cpu];
}

static const char *why_not(unsigned cpu, unsigned type)
{
    unsigned copy = r.cpu[cpu].mesi;

    if (busy(cpu)) {
        return "the processor's buffers for the line are in use";
    }
    if (type > SN_UPGRD) {
        return "processors send READ, RDSH, RDEX and UPGRD";
    }
    if (type == SN_UPGRD ? copy != SN_S : copy != SN_I) {
        return type == SN_UPGRD ? "UPGRD is for a processor that has a shared copy"
                                : "the processor has a copy: it needs no message";
    }
    return NULL;
}

int races_request(uint32_t cpu, uint32_t type)
{
    struct sn_out out = { .n = 0 };
    const char *why;

    if (cpu >= r.nodes * 2) {
        return refuse("the machine has no such processor");
    }
    why = r.again[cpu] ? NULL : why_not(cpu, type);
    if (why) {
        return refuse(why);
    }
    sn_cpu_request(&r.cpu[cpu], r.again[cpu] ? r.cpu[cpu].req : type, agent(cpu), r.home, &out);
    r.again[cpu] = false;
    post(&out, 0);
    text_clear();
    text_add("{\"did\":\"request\",\"cpu\":%u,\"type\":\"%s\"", (unsigned)cpu,
             sn_msg_name(r.cpu[cpu].req));
    say_state();
    return 0;
}

/* The write buffer of a refused write-back sends it again. */
static void write_again(unsigned cpu)
{
    const struct sn_cpu_line *c = &r.cpu[cpu];
    struct sn_msg m = {
        .type = c->wreq, .src = agent(cpu), .dst = r.home, .req = agent(cpu), .val = c->wval
    };

    r.wagain[cpu] = false;
    fly(&m, 0);
}

int races_evict(uint32_t cpu)
{
    struct sn_out out = { .n = 0 };
    struct sn_cpu_line *c = &r.cpu[cpu < CPUS_MOST ? cpu : 0];

    if (cpu >= r.nodes * 2) {
        return refuse("the machine has no such processor");
    }
    if (r.wagain[cpu]) {
        write_again(cpu);
    } else if (busy(cpu) || c->mesi == SN_I) {
        return refuse(busy(cpu) ? "the processor's buffers for the line are in use"
                                : "the processor has no copy");
    } else if (c->mesi == SN_M) {
        sn_cpu_writeback(c, SN_WB, agent(cpu), r.home, &out);
        post(&out, 0);
    }
    c->mesi = SN_I;
    c->val = 0;
    text_clear();
    text_add("{\"did\":\"evict\",\"cpu\":%u", (unsigned)cpu);
    say_state();
    return 0;
}

/* A message reaches the home. */
static void to_home(const struct flying *f, bool full)
{
    struct sn_out out = { .n = 0 };
    const struct sn_home_row *row;
    size_t at;

    text_add(",");
    say_entry("before", &r.entry);
    row = sn_home_step(&r.entry, &f->msg, r.home, full, r.nodes, &r.mem, &out);
    text_add(",");
    say_entry("after", &r.entry);
    if (!row->legal) {
        broke("a message without a row at the home");
        text_add(",\"table\":%u,\"row\":0", TABLE_NONE);
        return;
    }
    at = (size_t)(row - &sn_home_rows[0][0][0]);
    text_add(",\"table\":%u,\"row\":%u", at / SN_NCOL / SN_NMSG ? TABLE_BACKOFF : TABLE_HOME,
             (unsigned)(at % SN_NCOL));
    post(&out, f->number);
}

/* What a step of a processor means for what it does next. */
static void settle(unsigned cpu, enum sn_step step, uint32_t parent)
{
    struct sn_out out = { .n = 0 };

    switch (step) {
    case SN_STEP_NONE:
    case SN_STEP_WDONE:
        return;
    case SN_STEP_ILLEGAL:
        broke("a message without a row at a processor");
        return;
    case SN_STEP_WRETRY:
        r.wagain[cpu] = true;
        return;
    case SN_STEP_RETRY:
        r.again[cpu] = true;
        break;
    case SN_STEP_DONE:
        use(cpu);
        break;
    default:
        break;
    }
    if (sn_cpu_replay(&r.cpu[cpu], agent(cpu), r.home, &out) == SN_STEP_ILLEGAL) {
        broke("a held intervention without a row");
    }
    post(&out, parent);
}

/* The row that a processor's buffers or its copy have for a message. */
static void say_row(const struct sn_cpu_line *c, unsigned type)
{
    bool asks = type == SN_IRDSH || type == SN_IRDEX;

    if (c->wrb != SN_WR_IDLE && type != SN_INVAL) {
        text_add(",\"table\":%u,\"row\":%u", TABLE_WRB, c->wrb);
    } else if (asks || type == SN_INVAL) {
        bool held = asks && c->rrb != SN_RR_IDLE;

        text_add(",\"table\":%u,\"row\":%u", held ? TABLE_NONE : TABLE_SNOOP, c->mesi);
    } else {
        text_add(",\"table\":%u,\"row\":%u", TABLE_RRB, c->rrb);
    }
}

/* An INVAL reaches both processors of a node, which answers once. */
static void to_node(const struct flying *f)
{
    struct sn_msg ack = {
        .type = SN_IVACK, .src = f->msg.dst, .dst = f->msg.req, .req = f->msg.req
    };
    unsigned first = cpu_of(f->msg.dst);
    const char *sep = "";

    say_row(&r.cpu[first], SN_INVAL);
    text_add(",\"copies\":[");
    for (unsigned i = first; i < first + 2; i++) {
        struct sn_out none = { .n = 0 };
        unsigned before = r.cpu[i].mesi;

        if (sn_cpu_step(&r.cpu[i], &f->msg, agent(i), r.home, &none) == SN_STEP_ILLEGAL) {
            broke("an INVAL reached an exclusive copy");
        }
        if (r.cpu[i].mesi != before) {
            text_add("%s[%u,\"%s\",\"%s\"]", sep, i, sn_mesi_name(before),
                     sn_mesi_name(r.cpu[i].mesi));
            sep = ",";
        }
    }
    text_add("]");
    fly(&ack, f->number);
}

static void to_cpu(const struct flying *f)
{
    unsigned cpu = cpu_of(f->msg.dst), before = r.cpu[cpu].mesi;
    struct sn_out out = { .n = 0 };
    enum sn_step step;

    say_row(&r.cpu[cpu], f->msg.type);
    step = sn_cpu_step(&r.cpu[cpu], &f->msg, agent(cpu), r.home, &out);
    post(&out, f->number);
    settle(cpu, step, f->number);
    text_add(",\"step\":%u,\"copies\":[", step);
    if (r.cpu[cpu].mesi != before) {
        text_add("[%u,\"%s\",\"%s\"]", cpu, sn_mesi_name(before), sn_mesi_name(r.cpu[cpu].mesi));
    }
    text_add("]");
}

int races_deliver(uint32_t number, uint32_t full)
{
    unsigned i = 0;
    struct flying f;

    while (i < r.nflying && r.flying[i].number != number) {
        i++;
    }
    if (i == r.nflying) {
        return refuse("no such message is on its way");
    }
    f = r.flying[i];
    memmove(&r.flying[i], &r.flying[i + 1], (r.nflying - i - 1) * sizeof(f));
    r.nflying--;
    text_clear();
    text_add("{\"did\":\"arrive\",");
    say_message(&f);
    if (f.msg.dst == r.home) {
        to_home(&f, full);
    } else if (f.msg.type == SN_INVAL) {
        to_node(&f);
    } else {
        to_cpu(&f);
    }
    check_one_writer();
    say_state();
    return 0;
}

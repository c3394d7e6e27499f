/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the page shows of the engine's tables, as JSON: the vocabulary and the rows
 * of the protocol, and the parts of latencies.
 */
#include "machine.h"
#include "parts/timing.h"
#include "proto/names.h"
#include "sn.h"
#include "text.h"

static const char *sep; /* before the next element of a list */

static void begin(const char *name)
{
    text_add("\"%s\":[", name);
    sep = "";
}

static void end(const char *after)
{
    text_add("]%s\n", after);
}

/* A list of names that end with "?". */
static void say_names(const char *list, const char *(*name)(unsigned), const char *after)
{
    begin(list);
    for (unsigned i = 0; name(i)[0] != '?'; i++) {
        text_add("%s\"%s\"", sep, name(i));
        sep = ",";
    }
    end(after);
}

static const char *message(unsigned i)
{
    return i < SN_NMSG_HW ? sn_msg_name(i) : "?";
}

static const char *column(unsigned i)
{
    return i < SN_NCOL_HW ? col_name(i) : "?";
}

static const char *entry_op(unsigned i)
{
    return i <= SN_ENTRY_CLR ? entry_op_name(i) : "?";
}

static const char *wait_name(unsigned i)
{
    static const char *const names[] = { "SysAD", "memory", "NI", "link" };

    return i < SN_NWAITS ? names[i] : "?";
}

static const char *time_name(unsigned i)
{
    const char *name = sn_time_name(i);

    return name ? name : "?";
}

static void say_vocabulary(void)
{
    static const char *const cls[] = { "request", "reply", "forwarded", "revision" };

    begin("messages");
    for (unsigned t = 0; t < SN_NMSG_HW; t++) {
        text_add("%s{\"name\":\"%s\",\"class\":\"%s\",\"data\":%d,\"text\":\"%s\"}", sep,
                 message(t), cls[sn_msg_class[t]], sn_msg_data[t], msg_text(t));
        sep = ",";
    }
    end(",");
    text_add("\"states\":{");
    sep = "";
#define X(name, value, text)                                                      \
    text_add("%s\"" #name "\":{\"value\":%d,\"text\":\"" text "\"}", sep, value); \
    sep = ",";
    SN_DSTATE_LIST(X)
#undef X
    text_add("},\n");
    say_names("columns", column, ",");
    say_names("phases", rrb_name, ",");
    say_names("wphases", wrb_name, ",");
    say_names("acts", act_name, ",");
    say_names("entries", entry_op, ",");
    say_names("waits", wait_name, ",");
    say_names("times", time_name, ",");
}

/* [backing off, message, column, next, entry, memory, reply, to, forward, to] */
static void say_home(void)
{
    begin("home");
    for (unsigned b = 0; b < 2; b++) {
        for (unsigned t = 0; t < SN_NMSG_HW; t++) {
            for (unsigned c = 0; c < SN_NCOL_HW; c++) {
                const struct sn_home_row *r = &sn_home_rows[b][t][c];

                if (r->legal) {
                    text_add("%s[%u,%u,%u,\"%s\",%u,%u,%u,%u,%u,%u]", sep, b, t, c,
                             sn_dstate_name(r->next), r->entry, r->mem, r->out1, r->to1, r->out2,
                             r->to2);
                    sep = ",";
                }
            }
        }
    }
    end(",");
}

/* [phase, message, next, action]; [phase, message, next]; [message, copy, next, answer, revision] */
static void say_others(void)
{
    begin("requestor");
    for (unsigned p = 0; p < SN_NRRB; p++) {
        for (unsigned t = 0; t < SN_NMSG_HW; t++) {
            const struct sn_rrb_row *r = &sn_rrb_rows[p][t];

            if (r->legal) {
                text_add("%s[%u,%u,%u,%u]", sep, p, t, r->next, r->act);
                sep = ",";
            }
        }
    }
    end(",");
    begin("writeback");
    for (unsigned p = 0; p < SN_NWRB; p++) {
        for (unsigned t = 0; t < SN_NMSG_HW; t++) {
            if (sn_wrb_rows[p][t].legal) {
                text_add("%s[%u,%u,%u]", sep, p, t, sn_wrb_rows[p][t].next);
                sep = ",";
            }
        }
    }
    end(",");
    begin("snoop");
    for (unsigned t = 0; t < SN_NMSG_HW; t++) {
        for (unsigned s = 0; s < 4; s++) {
            const struct sn_snoop_row *r = &sn_snoop_rows[t][s];

            if (r->legal) {
                text_add("%s[%u,\"%s\",\"%s\",%u,%u]", sep, t, sn_mesi_name(s),
                         sn_mesi_name(r->next), r->answer, r->revision);
                sep = ",";
            }
        }
    }
    end(",");
}

/* The number of Hub cycles, L2 cycles, core cycles and ps of each part. */
static void say_parts(void)
{
    begin("parts");
    for (unsigned p = 0; p < SN_NPARTS; p++) {
        const struct sn_part_desc *d = &sn_parts[p];

        text_add("%s\n{\"name\":\"%s\",\"hub\":%g,\"l2\":%g,\"core\":%g,\"ps\":%g,\"what\":\"%s\","
                 "\"source\":\"%s\"}",
                 sep, d->name, d->hub, d->l2, d->core, d->ps, d->what, d->source);
        sep = ",";
    }
    end(",");
}

void machine_tables(void)
{
    text_clear();
    text_add("{");
    say_vocabulary();
    say_home();
    say_others();
    say_parts();
    begin("ops");
#define X(name, kind, text)                                                     \
    text_add("%s{\"name\":\"" #name "\",\"io\":%d,\"text\":\"" text "\"}", sep, \
             OP_##name >= OP_io_read);                                          \
    sep = ",";
    MACHINE_OPS(X)
#undef X
    end("}");
}

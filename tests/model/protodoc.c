/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the tables of docs/protocol.md from proto.h.inc; `make docs` puts them into the page. */
#include <stdio.h>
#include <string.h>

#include "proto/names.h"

typedef const struct sn_home_row (*table)[SN_NMSG][SN_NCOL];

static void messages(const char *title, unsigned from, unsigned to)
{
    static const char *const cls[] = { "request", "reply", "forwarded", "revision" };

    printf("%s\n\n| message | class | micropackets | meaning |\n"
           "|---|---|--:|---|\n",
           title);
    for (unsigned t = from; t < to; t++) {
        printf("| %s | %s | %d | %s |\n", sn_msg_name(t), cls[sn_msg_class[t]],
               sn_msg_data[t] ? 9 : 1, msg_text(t));
    }
}

static void home_cell(const struct sn_home_row *r, const char *note)
{
    static const char *const to[] = { "", " to owner/pending", " to sharers", " to the other" };
    const char *sep = "";

    printf("%s%s", note, sn_dstate_name(r->next));
    if (*entry_op_name(r->entry)) {
        printf(" (%s)", entry_op_name(r->entry));
    }
    if (r->mem == SN_MEM_WR) {
        printf(", memory written");
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned m = i ? r->out2 : r->out1, t = i ? r->to2 : r->to1;

        if (m != SN_NOMSG) {
            printf("%s%s%s", *sep ? sep : "; ", sn_msg_name(m), to[t]);
            sep = " + ";
        }
    }
}

#define HOME_TABLE \
    "| message | directory | next; messages | when backing off |\n|---|---|---|---|\n"

static void home_row(table rows, unsigned t, unsigned c)
{
    if (!rows[0][t][c].legal) {
        return;
    }
    printf("| %s | %s | ", sn_msg_name(t), col_name(c));
    home_cell(&rows[0][t][c], "");
    printf(" | ");
    if (rows[1][t][c].legal) {
        home_cell(&rows[1][t][c], "");
    }
    printf(" |\n");
}

static void home(void)
{
    printf("\n## Home\n\nA cell has the next state, the change of sharers or owner, and the "
           "messages, which go to the\nsender unless it says otherwise. A combination without a "
           "row is a protocol error.\n\n" HOME_TABLE);
    for (unsigned t = 0; t < SN_NMSG_HW; t++) {
        for (unsigned c = 0; c < SN_NCOL_HW; c++) {
            home_row(sn_home_rows, t, c);
        }
    }
}

static void requestor(unsigned from, unsigned to)
{
    printf("| state of the buffer | message | next | action |\n|---|---|---|---|\n");
    for (unsigned p = 0; p < SN_NRRB; p++) {
        for (unsigned t = from; t < to; t++) {
            const struct sn_rrb_row *r = &sn_rrb_rows[p][t];

            if (r->legal) {
                printf("| %s | %s | %s | %s |\n", rrb_name(p), sn_msg_name(t), rrb_name(r->next),
                       act_name(r->act));
            }
        }
    }
}

static void writer(unsigned from, unsigned to)
{
    printf("| state of the buffer | message | next |\n|---|---|---|\n");
    for (unsigned p = 0; p < SN_NWRB; p++) {
        for (unsigned t = from; t < to; t++) {
            if (sn_wrb_rows[p][t].legal) {
                printf("| %s | %s | %s |\n", wrb_name(p), sn_msg_name(t),
                       wrb_name(sn_wrb_rows[p][t].next));
            }
        }
    }
}

static const char *name(unsigned t)
{
    return t == SN_NOMSG ? "" : sn_msg_name(t);
}

static void copies(unsigned from, unsigned to)
{
    printf("| message | copy | next | answer to requestor | revision to home |\n"
           "|---|---|---|---|---|\n");
    for (unsigned t = from; t < to; t++) {
        for (unsigned s = 0; s < 4; s++) {
            const struct sn_snoop_row *r = &sn_snoop_rows[t][s];

            if (r->legal) {
                printf("| %s | %s | %s | %s | %s |\n", sn_msg_name(t), sn_mesi_name(s),
                       sn_mesi_name(r->next), name(r->answer), name(r->revision));
            }
        }
    }
}

/* The home's rows that a variant has in place of others, or besides them */
static void variant(const char *key, const struct sn_variant *v)
{
    static sn_home_table rows;

    memcpy(rows, sn_home_rows, sizeof(rows));
    sn_home_vary(rows, v);
    printf("\n`%s`:\n\n" HOME_TABLE, key);
    for (unsigned t = 0; t < SN_NMSG; t++) {
        for (unsigned c = 0; c < SN_NCOL; c++) {
            if (memcmp(&rows[0][t][c], &sn_home_rows[0][t][c], sizeof(rows[0][t][c])) ||
                memcmp(&rows[1][t][c], &sn_home_rows[1][t][c], sizeof(rows[1][t][c]))) {
                home_row((table)rows, t, c);
            }
        }
    }
}

static void hypothetical(void)
{
    messages("\n## Rows of hypothetical protocols\n\nThe messages that they have besides:",
             SN_NMSG_HW, SN_NMSG);
    printf("\nThe home, `directory=limited:N:evict`:\n\n" HOME_TABLE);
    for (unsigned t = 0; t < SN_NMSG; t++) {
        for (unsigned c = SN_NCOL_HW; c < SN_NCOL; c++) {
            home_row(sn_home_rows, t, c);
        }
    }
    variant("protocol=msi", &(struct sn_variant){ .msi = true });
    variant("no-speculation", &(struct sn_variant){ .no_spec = true });
    variant("four-hop", &(struct sn_variant){ .four_hop = true });
    printf("\nThe requestor. Whatever its buffers do, it sends the message that BFSH, BFEX, BHSH "
           "or BHEX asks for:\n\n");
    requestor(SN_NMSG_HW, SN_NMSG);
    printf("\nThe write-back buffer:\n\n");
    writer(SN_NMSG_HW, SN_NMSG);
    printf("\nOwner and sharer:\n\n");
    copies(SN_NMSG_HW, SN_NMSG);
}

int main(void)
{
    messages("## Messages", 0, SN_NMSG_HW);
    home();
    printf("\n## Requestor\n\n");
    requestor(0, SN_NMSG_HW);
    printf("\n## Write-back buffer\n\n");
    writer(0, SN_NMSG_HW);
    printf("\n## Owner and sharer\n\n");
    copies(0, SN_NMSG_HW);
    hypothetical();
    return 0;
}

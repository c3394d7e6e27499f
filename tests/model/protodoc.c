/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the tables of docs/protocol.md from proto.h.inc; `make docs` puts them into the page. */
#include <stdio.h>

#include "proto/names.h"

static void messages(void)
{
    static const char *const cls[] = { "request", "reply", "forwarded", "revision" };

    printf("## Messages\n\n| message | class | micropackets | meaning |\n"
           "|---|---|--:|---|\n");
    for (unsigned t = 0; t < SN_NMSG; t++) {
        printf("| %s | %s | %d | %s |\n", sn_msg_name(t), cls[sn_msg_class[t]],
               sn_msg_data[t] ? 9 : 1, msg_text(t));
    }
}

static void home_cell(const struct sn_home_row *r, const char *note)
{
    static const char *const to[] = { "", " to owner/pending", " to sharers" };
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

static void home(void)
{
    printf(
        "\n## Home\n\nA cell has the next state, the change of sharers or owner, and the "
        "messages, which go to the\nsender unless it says otherwise. A combination without a row "
        "is a protocol error.\n\n| message | directory | next; messages | when backing off |\n"
        "|---|---|---|---|\n");
    for (unsigned t = 0; t < SN_NMSG; t++) {
        for (unsigned c = 0; c < SN_NCOL; c++) {
            if (!sn_home_rows[0][t][c].legal) {
                continue;
            }
            printf("| %s | %s | ", sn_msg_name(t), col_name(c));
            home_cell(&sn_home_rows[0][t][c], "");
            printf(" | ");
            if (sn_home_rows[1][t][c].legal) {
                home_cell(&sn_home_rows[1][t][c], "");
            }
            printf(" |\n");
        }
    }
}

static void others(void)
{
    printf(
        "\n## Requestor\n\n| state of the buffer | message | next | action |\n|---|---|---|---|\n");
    for (unsigned p = 0; p < SN_NRRB; p++) {
        for (unsigned t = 0; t < SN_NMSG; t++) {
            const struct sn_rrb_row *r = &sn_rrb_rows[p][t];

            if (r->legal) {
                printf("| %s | %s | %s | %s |\n", rrb_name(p), sn_msg_name(t), rrb_name(r->next),
                       act_name(r->act));
            }
        }
    }
    printf("\n## Write-back buffer\n\n| state of the buffer | message | next |\n|---|---|---|\n");
    for (unsigned p = 0; p < SN_NWRB; p++) {
        for (unsigned t = 0; t < SN_NMSG; t++) {
            if (sn_wrb_rows[p][t].legal) {
                printf("| %s | %s | %s |\n", wrb_name(p), sn_msg_name(t),
                       wrb_name(sn_wrb_rows[p][t].next));
            }
        }
    }
    printf("\n## Owner and sharer\n\n| message | copy | next | answer to requestor |"
           " revision to home |\n|---|---|---|---|---|\n");
    for (unsigned t = 0; t < SN_NMSG; t++) {
        for (unsigned s = 0; s < 4; s++) {
            const struct sn_snoop_row *r = &sn_snoop_rows[t][s];

            if (r->legal) {
                printf("| %s | %s | %s | %s | %s |\n", sn_msg_name(t), sn_mesi_name(s),
                       sn_mesi_name(r->next), sn_msg_name(r->answer),
                       r->revision == SN_NOMSG ? "" : sn_msg_name(r->revision));
            }
        }
    }
}

int main(void)
{
    messages();
    home();
    others();
    return 0;
}

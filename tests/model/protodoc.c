/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the tables of docs/protocol.md from proto.h.inc.
 *
 *   protodoc              print the tables
 *   protodoc -w FILE      rewrite what FILE has after its line "<!-- tables -->"
 *   protodoc -c FILE      check that it is up to date
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto.h"

static FILE *out;

static void messages(void)
{
    static const char *const cls[] = { "request", "reply", "forwarded", "revision" };

    fprintf(out, "## Messages\n\n| message | class | micropackets | meaning |\n"
            "|---|---|--:|---|\n");
    for (unsigned t = 0; t < SN_NMSG; t++) {
        fprintf(out, "| %s | %s | %d | %s |\n", sn_msg_name(t), cls[sn_msg_class[t]],
                sn_msg_data[t] ? 9 : 1, sn_msg_text(t));
    }
}

static void home_cell(const struct sn_home_row *r, const char *note)
{
    static const char *const to[] = { "", " to owner/pending", " to sharers" };
    const char *sep = "";

    fprintf(out, "%s%s", note, sn_dstate_name(r->next));
    if (*sn_dirop_name(r->dir)) {
        fprintf(out, " (%s)", sn_dirop_name(r->dir));
    }
    if (r->mem == SN_MEM_WR) {
        fprintf(out, ", memory written");
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned m = i ? r->out2 : r->out1, t = i ? r->to2 : r->to1;

        if (m != SN_NOMSG) {
            fprintf(out, "%s%s%s", *sep ? sep : "; ", sn_msg_name(m), to[t]);
            sep = " + ";
        }
    }
}

static void home(void)
{
    fprintf(out, "\n## Home\n\nNext state, what happens to the sharers or the owner, "
            "messages (to the sender unless said).\nAn absent combination is a protocol "
            "error.\n\n| message | directory | next; messages | when backing off |\n"
            "|---|---|---|---|\n");
    for (unsigned t = 0; t < SN_NMSG; t++) {
        for (unsigned c = 0; c < SN_NCOL; c++) {
            if (!sn_home_rows[0][t][c].legal) {
                continue;
            }
            fprintf(out, "| %s | %s | ", sn_msg_name(t), sn_col_name(c));
            home_cell(&sn_home_rows[0][t][c], "");
            fprintf(out, " | ");
            if (sn_home_rows[1][t][c].legal) {
                home_cell(&sn_home_rows[1][t][c], "");
            }
            fprintf(out, " |\n");
        }
    }
}

static void others(void)
{
    fprintf(out, "\n## Requestor\n\n| phase | message | next | action |\n|---|---|---|---|\n");
    for (unsigned p = 0; p < SN_NPHASE; p++) {
        for (unsigned t = 0; t < SN_NMSG; t++) {
            const struct sn_rrb_row *r = &sn_rrb_rows[p][t];

            if (r->legal) {
                fprintf(out, "| %s | %s | %s | %s |\n", sn_phase_name(p), sn_msg_name(t),
                        sn_phase_name(r->next), sn_act_name(r->act));
            }
        }
    }
    fprintf(out, "\n## Write-back buffer\n\n| phase | message | next |\n|---|---|---|\n");
    for (unsigned p = 0; p < SN_NWPHASE; p++) {
        for (unsigned t = 0; t < SN_NMSG; t++) {
            if (sn_wrb_rows[p][t].legal) {
                fprintf(out, "| %s | %s | %s |\n", sn_wphase_name(p), sn_msg_name(t),
                        sn_wphase_name(sn_wrb_rows[p][t].next));
            }
        }
    }
    fprintf(out, "\n## Owner and sharer\n\n| message | copy | next | answer to requestor |"
            " revision to home |\n|---|---|---|---|---|\n");
    for (unsigned t = 0; t < SN_NMSG; t++) {
        for (unsigned s = 0; s < 4; s++) {
            const struct sn_snoop_row *r = &sn_snoop_rows[t][s];

            if (r->legal) {
                fprintf(out, "| %s | %s | %s | %s | %s |\n", sn_msg_name(t), sn_mesi_name(s),
                        sn_mesi_name(r->next), sn_msg_name(r->answer),
                        r->revision == SN_NOMSG ? "" : sn_msg_name(r->revision));
            }
        }
    }
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    char *buf;
    long n;

    if (!f) {
        perror(path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    buf = calloc(1, (size_t)n + 1);
    if (!buf || fread(buf, 1, (size_t)n, f) != (size_t)n) {
        perror(path);
        exit(2);
    }
    fclose(f);
    return buf;
}

int main(int argc, char **argv)
{
    static const char mark[] = "<!-- tables -->\n";
    char *tables = NULL, *file, *at;
    size_t n = 0;

    out = open_memstream(&tables, &n);
    messages();
    home();
    others();
    fclose(out);
    if (argc == 1) {
        fputs(tables, stdout);
        return 0;
    }
    if (argc != 3 || (strcmp(argv[1], "-c") && strcmp(argv[1], "-w"))) {
        fprintf(stderr, "usage: protodoc [-c|-w FILE]\n");
        return 2;
    }
    file = slurp(argv[2]);
    at = strstr(file, mark);
    if (!at) {
        fprintf(stderr, "%s: no line %s", argv[2], mark);
        return 2;
    }
    at += sizeof(mark) - 1;
    if (argv[1][1] == 'c') {
        if (strcmp(at, tables)) {
            fprintf(stderr, "%s: tables differ from proto.h.inc; run protodoc -w\n", argv[2]);
            return 1;
        }
        return 0;
    }
    *at = '\0';
    out = fopen(argv[2], "w");
    if (!out || fputs(file, out) < 0 || fputs(tables, out) < 0 || fclose(out)) {
        perror(argv[2]);
        return 2;
    }
    return 0;
}

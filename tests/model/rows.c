/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts rows that a file has in the form of proto.h.inc into the home's tables (model.h).  A line is
 * SN_HOME(...) or SN_HOME_BACKOFF(...), empty, or a comment after #.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/proto.h"
#include "model.h"

/* clang-format off */
static const char *const columns[] = {
#define X(name, text, md_state) #name,
    SN_COL_LIST(X) SN_COL_WHAT_LIST(X)
#undef X
};
static const char *const messages[] = {
#define X(name, cls, data, text) #name,
    SN_MSG_LIST(X) SN_MSG_WHAT_LIST(X)
#undef X
    "NOMSG"
};
static const char *const states[8] = {
#define X(name, value, text) [value] = #name,
    SN_DSTATE_LIST(X) SN_DSTATE_WHAT_LIST(X)
#undef X
};
static const char *const entries[] = { "KEEP", "OWN",  "ADD",  "ONE", "PTR1",
                                       "PAIR", "SELF", "CLR", "SWAP" };
static const char *const memory[] = { "NO", "RD", "WR" };
static const char *const to[] = { "REQ", "PTR", "VEC", "OUT" };
/* clang-format on */

/* The words of a row, in their order. */
static const struct {
    const char *what;
    const char *const *word;
    unsigned n;
} part[] = {
#define WORDS(list) list, sizeof(list) / sizeof(list[0])
    { "column", WORDS(columns) },    { "message", WORDS(messages) },
    { "next state", WORDS(states) }, { "directory", WORDS(entries) },
    { "memory", WORDS(memory) },     { "reply", WORDS(messages) },
    { "its receiver", WORDS(to) },   { "forward", WORDS(messages) },
    { "its receiver", WORDS(to) },
};
#define PARTS (sizeof(part) / sizeof(part[0]))

static int index_of(const char *word, unsigned i)
{
    for (unsigned k = 0; k < part[i].n; k++) {
        if (part[i].word[k] && !strcmp(part[i].word[k], word)) {
            return (int)k;
        }
    }
    return -1;
}

/* A row from its line; NULL, or what is wrong with it. */
static const char *read_row(const char *line, char *said, size_t size)
{
    static const char blanks[] = " \t\r\n";
    unsigned v[PARTS];
    bool backoff = !strncmp(line, "SN_HOME_BACKOFF(", 16);
    struct sn_home_row row;

    if (!backoff && strncmp(line, "SN_HOME(", 8)) {
        return "a row begins with SN_HOME( or SN_HOME_BACKOFF(";
    }
    line += backoff ? 16 : 8;
    for (unsigned i = 0; i < PARTS; i++) {
        char word[16];
        size_t n;
        int k;

        line += strspn(line, blanks);
        n = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_01");
        snprintf(word, sizeof(word), "%.*s", (int)(n < 15 ? n : 15), line);
        k = index_of(word, i);
        if (k < 0) {
            snprintf(said, size, "'%s' is no word for the %s", word, part[i].what);
            return said;
        }
        v[i] = (unsigned)k;
        line += n;
        line += strspn(line, blanks);
        if (*line++ != (i + 1 < PARTS ? ',' : ')')) {
            return "a row has nine words with commas between them";
        }
    }
    if (line[strspn(line, blanks)]) {
        return "there is something behind the row";
    }
    row = (struct sn_home_row){ 1,
                                (uint8_t)v[2],
                                (uint8_t)v[3],
                                (uint8_t)v[4],
                                (uint8_t)v[5],
                                (uint8_t)v[6],
                                (uint8_t)v[7],
                                (uint8_t)v[8],
                                0,
                                0,
                                0,
                                0 };
    row.two_step = row.out2 == SN_NOMSG && (row.out1 == SN_SRPLY || row.out1 == SN_ERPLY);
    if (v[1] == SN_NOMSG) {
        return "NOMSG is no message that arrives";
    }
    if (!memcmp(&sn_home_rows[backoff][v[1]][v[0]], &row, sizeof(row))) {
        return "the table has this row already";
    }
    sn_home_rows[backoff][v[1]][v[0]] = row;
    return NULL;
}

int replace_rows(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256], said[128];

    if (!f) {
        perror(path);
        return -1;
    }
    for (int number = 1; fgets(line, sizeof(line), f); number++) {
        const char *wrong;
        size_t blank;

        line[strcspn(line, "#")] = 0;
        blank = strspn(line, " \t\r\n");
        wrong = line[blank] ? read_row(line + blank, said, sizeof(said)) : NULL;
        if (wrong) {
            fprintf(stderr, "%s:%d: %s\n", path, number, wrong);
            fclose(f);
            return -1;
        }
    }
    fclose(f);
    return 0;
}

int vary_rows(const char *words)
{
    struct sn_variant v = { 0 };
    char all[128], *word, *rest = NULL;
    unsigned n;

    snprintf(all, sizeof(all), "%s", words);
    for (word = strtok_r(all, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (!strcmp(word, "protocol=msi")) {
            v.msi = true;
        } else if (!strcmp(word, "no-backoff")) {
            v.no_backoff = true;
        } else if (!strcmp(word, "no-speculation")) {
            v.no_spec = true;
        } else if (!strcmp(word, "four-hop")) {
            v.four_hop = true;
        } else if (sscanf(word, "directory=limited:%u", &n) == 1) {
            v.most = (uint8_t)n;
            v.evict = strstr(word, ":evict") != NULL;
        } else if (sscanf(word, "directory=coarse:%u", &n) == 1) {
            v.group = (uint8_t)n;
        } else {
            fprintf(stderr, "-w %s: no such variant\n", word);
            return -1;
        }
    }
    sn_home_vary(sn_home_rows, &v);
    return 0;
}

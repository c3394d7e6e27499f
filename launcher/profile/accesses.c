// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses one by one.  Interface: accesses.h. */
#include "accesses.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define FILE_NAME "accesses.csv.gz"
#define ROW       512 /* bytes; the model's have 200 at most */

enum column {
#define C(name, type, meaning) COLUMN_##name,
    SN_PROFILE_COLUMNS_ACCESSES(C)
#undef C
        COLUMNS
};

static const char *const column_name[COLUMNS] = {
#define C(name, type, meaning) #name,
    SN_PROFILE_COLUMNS_ACCESSES(C)
#undef C
};

struct reader {
    gzFile f;
    const char *dir;
    char row[ROW];
    char *field[COLUMNS]; /* of the row, "" if the file has no such column */
    bool damaged;         /* the row has no end */
    int at[COLUMNS];      /* where a column is; -1: nowhere */
};

/* The next row without its newline.  False: there is none; a row that was cut off is none. */
static bool next(struct reader *r)
{
    char *end;

    if (!gzgets(r->f, r->row, ROW))
        return false;
    end = strchr(r->row, '\n');
    if (end)
        *end = 0;
    r->damaged = !end;
    return end != NULL;
}

/* Fields have no quotes: all are numbers and names of the model's. */
static void split(struct reader *r)
{
    char *s = r->row;

    for (int i = 0; i < COLUMNS; i++)
        r->field[i] = "";
    for (int n = 0; s; n++) {
        char *field = s;

        s = strchr(s, ',');
        if (s)
            *s++ = 0;
        for (int i = 0; i < COLUMNS; i++)
            if (r->at[i] == n)
                r->field[i] = field;
    }
}

static bool read_columns(struct reader *r)
{
    g_auto(GStrv) names = NULL;

    if (!next(r))
        return false;
    names = g_strsplit(r->row, ",", 0);
    for (int i = 0; i < COLUMNS; i++) {
        r->at[i] = -1;
        for (int n = 0; names[n]; n++)
            if (!strcmp(names[n], column_name[i]))
                r->at[i] = n;
    }
    return r->at[COLUMN_kind] >= 0 && r->at[COLUMN_physical] >= 0 && r->at[COLUMN_address] >= 0;
}

static bool open_file(struct reader *r)
{
    g_autofree char *path = g_build_filename(r->dir, FILE_NAME, NULL);
    int fd = plain_open(path, O_NOFOLLOW);

    if (fd < 0) {
        if (errno == ENOENT)
            fprintf(stderr, "origin: %s has no accesses: record it with --accesses\n", r->dir);
        else
            fprintf(stderr, "origin: %s: %s\n", path, plain_why(errno));
        return false;
    }
    r->f = gzdopen(fd, "rb");
    if (r->f && read_columns(r))
        return true;
    fprintf(stderr, "origin: %s: not a file of accesses\n", path);
    return false;
}

static uint64_t number(const struct reader *r, enum column c)
{
    const char *s = r->field[c];

    return strncmp(s, "0x", 2) ? strtoull(s, NULL, 10) : strtoull(s + 2, NULL, 16);
}

static bool wanted(const struct reader *r, const struct profile *p, int cpu, const bool *in)
{
    const struct thread *t =
        g_hash_table_lookup(p->thread_by_number, GSIZE_TO_POINTER(number(r, COLUMN_thread)));
    uint64_t region = number(r, COLUMN_region);

    return t && t->ours && (cpu < 0 || number(r, COLUMN_cpu) == (uint64_t)cpu) &&
           (!in || (region < p->regions->len && in[region]));
}

enum what { READ, WRITE, FETCH, WHATS };

static enum what what_of(const char *kind)
{
    return !strcmp(kind, "fetch")                          ? FETCH
           : !strcmp(kind, "store") || !strcmp(kind, "sc") ? WRITE
                                                           : READ;
}

static void put64(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/*
 * ChampSim's struct input_instr, little-endian: ip; is_branch, branch_taken; two and four registers; two
 * addresses that are written, four that are read.
 */
#define CHAMPSIM_BYTES 64
#define WRITTEN        16
#define READ_FROM      32

static void put_champsim(const struct reader *r, enum what what)
{
    unsigned char instruction[CHAMPSIM_BYTES] = { 0 };

    put64(instruction, number(r, COLUMN_pc));
    put64(instruction + (what == WRITE ? WRITTEN : READ_FROM), number(r, COLUMN_address));
    fwrite(instruction, 1, CHAMPSIM_BYTES, stdout);
}

bool export_accesses(const struct profile *p, bool din, int cpu, const bool *in)
{
    struct reader r = { .dir = p->dir };
    uint64_t count[WHATS] = { 0 };
    bool whole;
    int error;

    if (!open_file(&r)) {
        if (r.f)
            gzclose(r.f);
        return false;
    }
    while (next(&r)) {
        enum what what;

        split(&r);
        what = what_of(r.field[COLUMN_kind]);
        if (!wanted(&r, p, cpu, in) || (!din && what == FETCH))
            continue;
        count[what]++;
        if (din)
            printf("%d %" PRIx64 "\n", what, number(&r, COLUMN_physical));
        else
            put_champsim(&r, what);
    }
    gzerror(r.f, &error);
    whole = gzclose(r.f) == Z_OK && error == Z_OK && !r.damaged;
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "origin: standard output: %s\n", strerror(errno));
        return false;
    }
    fprintf(stderr,
            "origin: %" PRIu64 " accesses: %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64
            " fetches\n",
            count[READ] + count[WRITE] + count[FETCH], count[READ], count[WRITE], count[FETCH]);
    if (!whole)
        fprintf(stderr,
                "origin: %s/" FILE_NAME " is damaged or cut off: what is behind is missing\n",
                r.dir);
    return whole;
}

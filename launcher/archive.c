// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Archives of the one form that `tar -S --format=gnu` writes.  What is not of this form is refused,
 * so that tar cannot read another member than the check has seen.  Interface: archive.h.
 */
#include "archive.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"
#include "tool.h"

#define BLOCK 512

/* GNU tar's struct posix_header and struct oldgnu_header */
struct hole {
    char offset[12], bytes[12];
};
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[8];
    char owner[32], group[32], major[8], minor[8], atime[12], ctime[12], offset[12], longnames[4];
    char pad;
    struct hole part[4];
    char extended, realsize[12], rest[17];
};
struct more_holes {
    struct hole part[21];
    char extended, rest[7];
};
_Static_assert(sizeof(struct header) == BLOCK && sizeof(struct more_holes) == BLOCK, "a block");

/* A member that has been read. */
struct member {
    const char *name; /* without ./ and the slash behind a directory */
    char type;
};

struct reader {
    int fd;
    off_t at, to;
    enum archive_of of;
    void *members; /* of tsearch() */
    unsigned int n;
    char name[PATH_MAX + 8],
        link[PATH_MAX + 8]; /* of the next member; "": they are in its header */
    struct archive_error *e;
};

static bool fail(struct archive_error *e, const char *name, const char *why)
{
    snprintf(e->text, sizeof(e->text), "its member %.300s %s", name, why);
    return false;
}

static bool not_ours(struct reader *r)
{
    snprintf(r->e->text, sizeof(r->e->text), "byte %jd is not of an archive that --save writes",
             (intmax_t)r->at);
    return false;
}

static const char *kind(mode_t mode)
{
    return S_ISFIFO(mode) ? "is a FIFO" : S_ISSOCK(mode) ? "is a socket" : "is a device";
}

/* --- writing ------------------------------------------------------------------- */

static struct archive_error *found;
static size_t dir_length;

static int look(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)type;
    (void)ftw;
    if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode))
        return 0;
    snprintf(found->text, sizeof(found->text), "the share's .%.400s %s: no archive holds such",
             path + dir_length, kind(st->st_mode));
    return 1;
}

bool archive_can_hold(const char *dir, struct archive_error *e)
{
    found = e;
    dir_length = strlen(dir);
    return nftw(dir, look, 16, FTW_PHYS) != 1; /* tar itself says what it cannot read */
}

bool archive_write(int fd, const char *dir, const char *name)
{
    const char *const tar[] = { "tar", "--format=gnu", "-cSf", "-", "--numeric-owner", "-C",
                                dir,   "--",           name,   NULL };

    unsetenv("TAR_OPTIONS"); /* options of the user's that the archive must not depend on */
    return run_tool(tar, fd, "tar");
}

/* --- reading ------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->name, ((const struct member *)b)->name);
}

static const struct member *find(struct reader *r, const char *name)
{
    const struct member key = { name, 0 };
    void *const *node = tfind(&key, &r->members, by_name);

    return node ? *node : NULL;
}

static void add(struct reader *r, const char *name, char type)
{
    struct member *m = malloc(sizeof(*m));
    char *copy = strdup(name);

    if (!m || !copy)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    *m = (struct member){ copy, type };
    if (!tsearch(m, &r->members, by_name))
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    r->n++;
}

static bool read_block(struct reader *r, void *block)
{
    if (r->to - r->at < BLOCK || pread(r->fd, block, BLOCK, r->at) != BLOCK)
        return false;
    r->at += BLOCK;
    return true;
}

/* A number of @n bytes: octal digits, or from 8 GB on the bytes of the number behind 0x80. */
static bool number(const char *field, size_t n, int64_t *value)
{
    const unsigned char *p = (const unsigned char *)field;

    *value = 0;
    if (*p == 0x80) {
        for (size_t i = 1; i < n; i++) {
            if (*value >> 54)
                return false;
            *value = *value << 8 | p[i];
        }
        return true;
    }
    for (size_t i = 0; i < n - 1; i++) {
        if (p[i] < '0' || p[i] > '7')
            return false;
        *value = *value << 3 | (p[i] - '0');
    }
    return !p[n - 1];
}

static bool sum_is_right(const struct header *h)
{
    const unsigned char *p = (const unsigned char *)h;
    int64_t want, sum = 0;

    for (size_t i = 0; i < BLOCK; i++)
        sum += i - offsetof(struct header, sum) < sizeof(h->sum) ? ' ' : p[i];
    return number(h->sum, 7, &want) && want == sum;
}

/* The blocks of a sparse file's parts.  False after the last part of the file. */
static bool count_blocks(const struct hole *part, size_t n, int64_t *blocks, bool *good)
{
    int64_t bytes;

    for (size_t i = 0; i < n; i++) {
        if (!part[i].bytes[0])
            return false;
        if (!number(part[i].bytes, sizeof(part[i].bytes), &bytes) || *blocks >> 52) {
            *good = false;
            return false;
        }
        *blocks += (bytes + BLOCK - 1) / BLOCK;
    }
    return true;
}

/* tar reads as many blocks as the parts have: they must be as many as the header says. */
static bool read_parts(struct reader *r, const struct header *h, int64_t size)
{
    struct more_holes more = { .extended = h->extended };
    int64_t blocks = 0;
    bool good = true, on = count_blocks(h->part, 4, &blocks, &good);

    while (good && more.extended) {
        if (!on || !read_block(r, &more))
            return false;
        on = count_blocks(more.part, 21, &blocks, &good);
    }
    return good && blocks == (size + BLOCK - 1) / BLOCK;
}

/* A name of more than 100 bytes is in a member of its own before the one that has it. */
static bool read_long(struct reader *r, int64_t size, char *to)
{
    if (*to || size < 2 || size > PATH_MAX || size > r->to - r->at ||
        pread(r->fd, to, (size_t)size, r->at) != size)
        return false;
    r->at += (size + BLOCK - 1) / BLOCK * BLOCK;
    return strnlen(to, (size_t)size) == (size_t)size - 1;
}

/*
 * "./a/b" becomes "a/b", and so does "./a/b/" of a directory.  NULL: it leads elsewhere, or is
 * not written as tar writes it.
 */
static const char *plain_name(const struct reader *r, char *name, bool directory)
{
    size_t n = strlen(name);
    char *p = name;

    if (r->of == OF_FILE)
        return n && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..") ? name : NULL;
    if (strncmp(name, "./", 2) || (directory && name[n - 1] != '/'))
        return NULL;
    if (directory)
        name[n - 1] = 0;
    if (directory && n == 2)
        return ""; /* the folder itself */
    for (p = name + 2;; p++) {
        size_t part = strcspn(p, "/");

        if (!part || (part == 1 && *p == '.') || (part == 2 && !strncmp(p, "..", 2)))
            return NULL;
        p += part;
        if (!*p)
            return name + 2;
    }
}

/* Is the directory there in which tar will create the member? */
static bool parent_is_directory(struct reader *r, const char *name, const char *shown)
{
    char parent[PATH_MAX + 8];
    const struct member *m;
    const char *slash = strrchr(name, '/');

    if (!slash)
        return true;
    snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name), name);
    m = find(r, parent);
    if (m && m->type == '5')
        return true;
    return fail(r->e, shown,
                m && m->type == '2' ? "would be written through a symbolic link"
                                    : "is in no directory of the archive");
}

static const char *forbidden(char type)
{
    return type == '3' || type == '4' ? "is a device"
           : type == '6'              ? "is a FIFO"
           : strchr("0S521", type)    ? NULL
                                      : "is no plain file, directory or symbolic link";
}

/* @shown is the member's name as it stands in the archive. */
static bool check_member(struct reader *r, char type, char *name, char *link)
{
    char shown[PATH_MAX + 8];
    const struct member *target = NULL;
    const char *plain, *why = forbidden(type), *to;

    strcpy(shown, name);
    if (!why && r->of == OF_FILE && (r->n || !strchr("0S", type)))
        why = "is not one plain file";
    if (why)
        return fail(r->e, shown, why);
    plain = plain_name(r, name, type == '5');
    if (!plain)
        return fail(r->e, shown, "has a name that could lead out of its folder");
    if (find(r, plain))
        return fail(r->e, shown, "is there twice");
    if (!parent_is_directory(r, plain, shown))
        return false;
    if (type == '1') {
        to = plain_name(r, link, false);
        target = to ? find(r, to) : NULL;
        if (!target || target->type == '5')
            return fail(r->e, shown, "is a hard link to what is no file of the archive");
    }
    add(r, plain, target ? target->type : type);
    return true;
}

static bool read_member(struct reader *r, const struct header *h)
{
    char name[PATH_MAX + 8], link[PATH_MAX + 8];
    int64_t size;

    if (memcmp(h->magic, "ustar  ", 8) || !sum_is_right(h) ||
        !number(h->size, sizeof(h->size), &size))
        return not_ours(r);
    if (h->type == 'L' || h->type == 'K')
        return read_long(r, size, h->type == 'L' ? r->name : r->link) || not_ours(r);
    snprintf(name, sizeof(name), "%.*s", *r->name ? PATH_MAX : 100, *r->name ? r->name : h->name);
    snprintf(link, sizeof(link), "%.*s", *r->link ? PATH_MAX : 100, *r->link ? r->link : h->link);
    *r->name = *r->link = 0;
    if (!h->type || !check_member(r, h->type, name, link))
        return h->type ? false : not_ours(r);
    if ((strchr("521", h->type) && size) || (h->type == 'S' && !read_parts(r, h, size)) ||
        size > r->to - r->at)
        return not_ours(r);
    r->at += (size + BLOCK - 1) / BLOCK * BLOCK;
    return true;
}

static void free_member(void *node)
{
    struct member *m = node;

    free((char *)m->name);
    free(m);
}

bool archive_check(int fd, off_t from, off_t to, enum archive_of of, struct archive_error *e)
{
    static const struct header end;
    struct reader r = { .fd = fd, .at = from, .to = to, .of = of, .e = e };
    struct header h;
    bool good;

    while ((good = read_block(&r, &h)) && memcmp(&h, &end, BLOCK))
        if (!read_member(&r, &h))
            goto out;
    /* Its end is two empty blocks. */
    good = good && read_block(&r, &h) && !memcmp(&h, &end, BLOCK) && r.n && !*r.name && !*r.link;
    if (!good)
        not_ours(&r);
    tdestroy(r.members, free_member);
    return good;
out:
    tdestroy(r.members, free_member);
    return false;
}

/*
 * What tar does by itself is the second line of defence: it takes no name with .. or a / at its
 * begin, and makes symbolic links that lead out of the folder when all else is there.
 */
bool archive_unpack(const char *path, off_t from, const char *dir)
{
    char at[32];
    const char *const sh[] = { "sh", "-c", "tail -c +\"$1\" -- \"$2\" | tar -xSpf - -C \"$3\"",
                               "sh", at,   path,
                               dir,  NULL };

    snprintf(at, sizeof(at), "%jd", (intmax_t)from + 1);
    unsetenv("TAR_OPTIONS");
    return run_tool(sh, -1, "tar");
}

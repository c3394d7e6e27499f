// SPDX-License-Identifier: GPL-2.0-or-later
/* Boots that are kept.  Interface: kept.h. */
#include "kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "known.h"
#include "messages.h"
#include "profile/allocators_find.h"
#include "profiling.h"
#include "sum.h"

#define MAGIC  "origin2000 boot 1\n"
#define HEADER 4096
#define SUM_AT (sizeof(MAGIC) + 3) /* of the digits behind "sum " */

/* --- which file ---------------------------------------------------------------- */

static bool can_be_kept(const struct options *opt)
{
    /* Only what is in an image is the same after the run. */
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        if (!opt->devices.disk[i].image)
            return false;
    return !strcmp(opt->boot, "kept") && strcmp(opt->quantum, "off") &&
           (!opt->accesses || opt->accesses_from) && !opt->save && !opt->restore &&
           !opt->view_paused && opt->debugger.kind == GDB_NONE && !opt->qemu_argc;
}

/*
 * Does the guest see this argument of QEMU's, which has a value?  It sees what files contain, not where
 * they are, and nothing of a view.
 */
static bool is_seen(const char *name)
{
    static const char *const unseen[] = { "-kernel", "-initrd", "-chardev",
                                          "-fsdev",  "-icount", "-mon" };

    for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++)
        if (!strcmp(name, unseen[i]))
            return false;
    return true;
}

/* Behind the value of an option, which ends with a comma that is not doubled */
static const char *behind_value(const char *word)
{
    while (*word && (*word != ',' || word[1] == ','))
        word += *word == ',' ? 2 : 1;
    return word;
}

/*
 * Continue the sum @h with a word without the numbers of descriptors, the names of files of a profile,
 * ports of the host, and remedies, which begin with the command or later, in it.  That there are any is
 * seen.
 */
static uint64_t sum_word(const char *word, uint64_t h)
{
    static const char *const before[] = {
        "/dev/fd/",  ",job=",    ",profile=",     ",profile-kernel=", ",profile-functions=",
        ",futures=", ",remedy=", ",remedy-comm=", ",remedy-roi=",     ",hostfwd=",
    };

    while (*word) {
        size_t n = 1;

        for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
            if (!strncmp(word, before[i], strlen(before[i])))
                n = strlen(before[i]);
        h = sum_bytes(word, n, h);
        word += n;
        if (n > 1)
            word = behind_value(word);
    }
    return sum_bytes("", 1, h);
}

/*
 * A boot's profile has blocks and locks of the guest's own files, so which functions were seen in them is
 * part of it.  Nothing of a share has run yet.
 */
static uint64_t sum_profile(const struct options *opt, uint64_t h)
{
    char *path = xasprintf("%s/" PROFILING_LAYOUT, opt->profile_dir), *line = NULL;
    size_t room = 0;
    FILE *f;

    h = sum_file(path, SUM_TO_END, h);
    free(path);
    path = xasprintf("%s/" PROFILING_FUNCTIONS, opt->profile_dir);
    f = fopen(path, "re");
    while (f && getline(&line, &room, f) > 0)
        if (strncmp(line, ALLOCATORS_SHARE, strlen(ALLOCATORS_SHARE)))
            h = sum_word(line, h);
    if (f)
        fclose(f);
    free(line);
    free(path);
    return h;
}

/* Continue the sum @h with a file. */
static uint64_t sum_known(const char *table, const char *path, off_t end, uint64_t h)
{
    uint64_t sum = known_sum_file(table, path, end);

    return sum_bytes(&sum, sizeof(sum), h);
}

static uint64_t sum_all(const struct options *opt, const struct machine *m,
                        const struct kernel *kernel, char **argv, const char *table)
{
    uint64_t h = SUM_START;

    for (int i = 1; argv[i]; i++) {
        if (is_seen(argv[i]))
            h = sum_word(argv[i], h);
        else
            i++;
    }
    h = sum_word(opt->quantum, h);
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        h = sum_known(table, opt->devices.disk[i].path, SUM_TO_END, h);
    if (opt->profile)
        h = sum_profile(opt, h);
    h = sum_fd(m->dtb, 0, SUM_TO_END, h);
    h = sum_known(table, opt->qemu, SUM_TO_END, h);
    h = sum_known(table, opt->kernel, kernel->loaded, h);
    return sum_known(table, opt->initrd, SUM_TO_END, h);
}

/* The directory of the files; it is the user's alone.  NULL: there is none. */
static char *directory(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *base, *dir;
    struct stat st;

    if (cache && *cache)
        base = xasprintf("%s/origin2000", cache);
    else if (home && *home)
        base = xasprintf("%s/.cache/origin2000", home);
    else
        return NULL;
    dir = xasprintf("%s/boots", base);
    if (mkdir(dir, 0700) < 0 && errno == ENOENT) {
        *strrchr(base, '/') = 0;
        mkdir(base, 0700);
        base[strlen(base)] = '/';
        mkdir(base, 0700);
        mkdir(dir, 0700);
    }
    free(base);
    if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022))
        return dir;
    free(dir);
    return NULL;
}

/* --- a run that begins with one ------------------------------------------------- */

static uint64_t make_sealed(int fd, off_t at, off_t end, void *text)
{
    (void)at;
    (void)end;
    return sum_sealed(fd, text, HEADER, SUM_AT);
}

/* Is the file @fd complete, ours, and of this key?  Sets *@console and *@end. */
static bool is_good(int fd, const char *key, const char *table, off_t *console, off_t *end)
{
    char text[HEADER + 1], digits[SUM_DIGITS + 1], sum[SUM_DIGITS + 1], line[64];
    intmax_t at;

    if (!is_private(fd, end) || pread(fd, text, HEADER, 0) != HEADER ||
        strncmp(text, MAGIC, strlen(MAGIC)))
        return false;
    text[HEADER] = 0;
    snprintf(line, sizeof(line), "\nkey %s\n", key);
    if (!strstr(text, line) || sscanf(text + SUM_AT, "%16[0-9a-f]", digits) != 1 ||
        sscanf(text + SUM_AT + SUM_DIGITS, "\nkey %*s console %jd", &at) != 1)
        return false;
    snprintf(sum, sizeof(sum), "%016" PRIx64,
             known_sum(table, fd, 0, SUM_TO_END, make_sealed, text));
    *console = (off_t)at;
    return !strcmp(sum, digits) && at > HEADER && at <= *end;
}

/*
 * The file is used: those that were not go first.  Its new time makes the next run check its sum, so it gets
 * one only if the old one is not of this hour.
 */
static void note_use(int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && time(NULL) - st.st_mtim.tv_sec >= KEPT_CHECK_S)
        futimens(fd, NULL);
}

/* Open the file.  False: there is none that can be used. */
static bool restore(struct kept *k, const char *table, char text[KEPT_TEXT], size_t *n)
{
    off_t console, end;

    k->fd = open(k->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (k->fd < 0)
        return false;
    if (is_good(k->fd, k->key, table, &console, &end)) {
        *n = (size_t)(end - console);
        if (*n <= KEPT_TEXT && pread(k->fd, text, *n, console) == (ssize_t)*n) {
            note_use(k->fd);
            lseek(k->fd, HEADER, SEEK_SET);
            return true;
        }
    }
    unlink(k->path);
    close(k->fd);
    k->fd = -1;
    return false;
}

size_t kept_choose(struct kept *k, const struct options *opt, const struct machine *m,
                   const struct kernel *kernel, char **argv, char text[KEPT_TEXT])
{
    size_t n = 0;
    char *dir, *table;

    *k = (struct kept){ .fd = -1, .told = -1 };
    if (!can_be_kept(opt) || !(dir = directory()))
        return 0;
    table = xasprintf("%s.sums", dir);
    snprintf(k->key, sizeof(k->key), "%016" PRIx64, sum_all(opt, m, kernel, argv, table));
    k->path = xasprintf("%s/%s", dir, k->key);
    free(dir);
    k->restore = restore(k, table, text, &n);
    free(table);
    if (k->restore)
        return n;
    k->fd = file_begin(k->path, &k->tmp);
    if (k->fd >= 0)
        lseek(k->fd, HEADER, SEEK_SET);
    return 0;
}

void kept_failed(const struct kept *k)
{
    if (k->restore)
        unlink(k->path);
}

/* --- a run that makes one -------------------------------------------------------- */

/* Remove the files that were used least if there are too many. */
static void limit(const char *path)
{
    char *dir = xasprintf("%.*s", (int)(strrchr(path, '/') - path), path), *oldest = NULL;
    unsigned int n;
    long long bytes;

    do {
        struct timespec t = { 0 };
        DIR *d = opendir(dir);

        free(oldest);
        oldest = NULL;
        n = 0;
        bytes = 0;
        for (struct dirent *e; d && (e = readdir(d));) {
            struct stat st;

            if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
                continue;
            n++;
            bytes += st.st_size;
            if (!oldest || st.st_mtim.tv_sec < t.tv_sec ||
                (st.st_mtim.tv_sec == t.tv_sec && st.st_mtim.tv_nsec < t.tv_nsec)) {
                free(oldest);
                oldest = xasprintf("%s/%s", dir, e->d_name);
                t = st.st_mtim;
            }
        }
        if (d)
            closedir(d);
    } while ((n > KEPT_MAX || bytes > KEPT_BYTES) && oldest && unlink(oldest) == 0);
    free(oldest);
    free(dir);
}

static bool complete(const struct kept *k, const char *console, size_t n)
{
    char text[HEADER] = MAGIC, digits[SUM_DIGITS + 1];
    off_t at = lseek(k->fd, 0, SEEK_END);

    if (n > KEPT_TEXT || at < 0 || write_all(k->fd, console, n) < 0)
        return false;
    sprintf(text + strlen(text), "sum %0*d\nkey %s\nconsole %jd\n", SUM_DIGITS, 0, k->key,
            (intmax_t)at);
    snprintf(digits, sizeof(digits), "%016" PRIx64, sum_sealed(k->fd, text, HEADER, SUM_AT));
    memcpy(text + SUM_AT, digits, SUM_DIGITS);
    return pwrite(k->fd, text, sizeof(text), 0) == sizeof(text);
}

/* QEMU waits for a byte. */
static void let_go(struct kept *k)
{
    k->written = false;
    file_drop(&k->tmp);
    if (write(k->told, "", 1) < 0)
        errno = 0; /* QEMU has ended */
    close(k->told);
    k->told = -1;
}

void kept_read(struct kept *k)
{
    char how;

    k->written = read(k->told, &how, 1) == 1 && how == 'K';
    if (!k->written)
        let_go(k);
}

void kept_finish(struct kept *k, const char *text, size_t n)
{
    if (complete(k, text, n) && file_end(k->fd, &k->tmp, k->path) == 0) {
        k->tmp = NULL; /* it has its name */
        limit(k->path);
    }
    let_go(k);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Checkpoints.  Interface: checkpoint.h. */
#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "files.h"
#include "messages.h"
#include "session.h"
#include "sum.h"
#include "tool.h"

#define MAGIC     "origin2000 checkpoint 3\n"
#define HEADER    4096
#define SUM_AT    (sizeof(MAGIC) + 3) /* of the digits behind "sum " */
#define WORDS_MAX (1 << 20)

/* What must be the same, by the names that the header has. */
enum { QEMU, KERNEL, INITRAMFS, MACHINE, IMAGES, PARTS };
static const char *const part_name[PARTS] = { "qemu", "kernel", "initramfs", "machine", "images" };

static struct {
    int fd; /* -1: none */
    char *path;
    char *tmp; /* the name of the unfinished file; NULL: it has none */
    uint64_t hash[PARTS];
    off_t machine, share, disk[DISKS_MAX], end; /* 0: not there */
    unsigned int words;
    unsigned int ndisks;
} ck = { .fd = -1 };

/* --- what must be the same -------------------------------------------------- */

static void hash_all(const struct options *opt, const struct machine *m, uint64_t hash[PARTS])
{
    hash[QEMU] = sum_file(opt->qemu, SUM_TO_END, SUM_START);
    hash[KERNEL] = sum_file(opt->kernel, SUM_TO_END, SUM_START);
    hash[INITRAMFS] = sum_file(opt->initrd, SUM_TO_END, SUM_START);
    hash[MACHINE] = sum_fd(m->dtb, 0, SUM_TO_END, SUM_START);
    hash[IMAGES] = SUM_START;
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        if (opt->devices.disk[i].image)
            hash[IMAGES] = sum_file(opt->devices.disk[i].path, SUM_TO_END, hash[IMAGES]);
}

/* --- saving ----------------------------------------------------------------- */

static int broken(const char *why)
{
    complain(MSG_CHECKPOINT, "--save", ck.path, why);
    file_drop(&ck.tmp);
    return EXIT_MACHINE;
}

/* The words of the command line, each with its NUL.  The run that restores reads them again. */
static bool write_words(const struct options *opt)
{
    for (int i = 0; i < opt->nwords + opt->argc; i++) {
        const char *word = i < opt->nwords ? opt->words[i] : opt->argv[i - opt->nwords];

        if (write_all(ck.fd, word, strlen(word) + 1) < 0)
            return false;
        ck.words++;
    }
    return true;
}

static int begin(const struct options *opt, const struct machine *m)
{
    struct stat st;

    ck.path = (char *)opt->save;
    if (stat(opt->save, &st) == 0 && !S_ISREG(st.st_mode)) {
        complain(MSG_CHECKPOINT, "--save", ck.path, "it is not a file");
        return -1;
    }
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        if (stat(opt->devices.disk[i].path, &st) == 0 && !S_ISREG(st.st_mode)) {
            complain(MSG_DISK, opt->devices.disk[i].path, "only a plain file can be saved");
            return -1;
        }
    ck.fd = file_begin(opt->save, &ck.tmp);
    if (ck.fd < 0) {
        complain(MSG_CHECKPOINT, "--save", ck.path, strerror(errno));
        return -1;
    }
    hash_all(opt, m, ck.hash);
    lseek(ck.fd, HEADER, SEEK_SET);
    if (!write_words(opt)) {
        broken(strerror(errno));
        return -1;
    }
    ck.machine = lseek(ck.fd, 0, SEEK_CUR);
    return 0;
}

/* Append an archive of @name in the folder @dir.  What could not be restored is said now. */
static bool append(const char *dir, const char *name, enum archive_of of, off_t *at,
                   struct archive_error *e)
{
    *at = lseek(ck.fd, 0, SEEK_END);
    return archive_write(ck.fd, dir, name) &&
           archive_check(ck.fd, *at, lseek(ck.fd, 0, SEEK_END), of, e);
}

static bool append_disk(const char *path, off_t *at, struct archive_error *e)
{
    char *real = realpath(path, NULL), *copy = real ? strdup(real) : NULL;
    bool ok = copy && append(dirname(copy), basename(real), OF_FILE, at, e);

    free(copy);
    free(real);
    return ok;
}

static bool append_files(const struct options *opt, struct archive_error *e)
{
    if (opt->share &&
        (!archive_can_hold(opt->share, e) || !append(opt->share, ".", OF_FOLDER, &ck.share, e)))
        return false;
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        if (!opt->devices.disk[i].image &&
            !append_disk(opt->devices.disk[i].path, &ck.disk[ck.ndisks++], e))
            return false;
    return true;
}

/* Of the header with zeros in place of the sum, and all behind it */
static uint64_t whole_sum(char header[HEADER])
{
    return sum_sealed(ck.fd, header, HEADER, SUM_AT);
}

static bool write_header(void)
{
    char text[HEADER] = MAGIC;
    char digits[SUM_DIGITS + 1];
    size_t n = strlen(text);

    n += (size_t)sprintf(text + n, "sum %0*d\n", SUM_DIGITS, 0);
    for (int i = 0; i < PARTS; i++)
        n += (size_t)sprintf(text + n, "%s %016" PRIx64 "\n", part_name[i], ck.hash[i]);
    n += (size_t)sprintf(text + n, "words %u\nmachine %jd\n", ck.words, (intmax_t)ck.machine);
    if (ck.share)
        n += (size_t)sprintf(text + n, "share %jd\n", (intmax_t)ck.share);
    for (unsigned int i = 0; i < ck.ndisks; i++)
        n += (size_t)sprintf(text + n, "disk %jd\n", (intmax_t)ck.disk[i]);
    sprintf(text + n, "end %jd\n", (intmax_t)lseek(ck.fd, 0, SEEK_END));
    sprintf(digits, "%016" PRIx64, whole_sum(text));
    memcpy(text + SUM_AT, digits, SUM_DIGITS);
    return pwrite(ck.fd, text, sizeof(text), 0) == sizeof(text) && fsync(ck.fd) == 0;
}

int checkpoint_finish(const struct session *s)
{
    struct archive_error e = { "its files could not be added" };

    if (!append_files(s->opt, &e))
        return broken(e.text);
    if (!write_header() || file_end(ck.fd, &ck.tmp, ck.path) < 0)
        return broken(strerror(errno));
    complain(MSG_SAVED, ck.path);
    return 0;
}

int checkpoint_failed(const struct session *s)
{
    static const char mark[] = "checkpoint: ";
    const char *why = NULL, *end = s->qemu.p + s->qemu.n;
    char line[512] = "";

    for (const char *p = s->qemu.p; p && (p = memmem(p, (size_t)(end - p), mark, sizeof(mark) - 1));
         p++)
        why = p + sizeof(mark) - 1;
    if (!why)
        return -1;
    snprintf(line, sizeof(line), "%.*s", (int)strcspn(why, "\n"), why);
    if (s->opt->save)
        return broken(line);
    complain(MSG_CHECKPOINT, "--restore", s->opt->restore, line);
    return EXIT_MACHINE;
}

/* --- restoring -------------------------------------------------------------- */

static void refuse(const char *why) __attribute__((noreturn));
static void refuse(const char *why)
{
    die(EXIT_MACHINE, MSG_CHECKPOINT, "--restore", ck.path, why);
}

/* A line of the header. */
static void read_line(const char *line)
{
    intmax_t n;

    for (int i = 0; i < PARTS; i++) {
        size_t len = strlen(part_name[i]);

        if (!strncmp(line, part_name[i], len) && line[len] == ' ' && strlen(line + len + 1) == 16) {
            ck.hash[i] = strtoull(line + len + 1, NULL, 16);
            return;
        }
    }
    if (sscanf(line, "words %u", &ck.words) == 1)
        return;
    if (sscanf(line, "machine %jd", &n) == 1)
        ck.machine = (off_t)n;
    else if (sscanf(line, "share %jd", &n) == 1)
        ck.share = (off_t)n;
    else if (sscanf(line, "disk %jd", &n) == 1 && ck.ndisks < DISKS_MAX)
        ck.disk[ck.ndisks++] = (off_t)n;
    else if (sscanf(line, "end %jd", &n) == 1)
        ck.end = (off_t)n;
}

/* Is each part behind the one before it, and the end where the file ends? */
static bool parts_in_order(void)
{
    struct stat st;
    off_t last = ck.machine;
    bool good =
        ck.machine > HEADER && ck.machine - HEADER <= WORDS_MAX && ck.words <= ck.machine - HEADER;

    if (ck.share) {
        good &= ck.share > last;
        last = ck.share;
    }
    for (unsigned int i = 0; i < ck.ndisks; i++) {
        good &= ck.disk[i] > last;
        last = ck.disk[i];
    }
    return good && ck.end >= last && fstat(ck.fd, &st) == 0 && st.st_size == ck.end;
}

/* Nothing of the file is used before its sum is right. */
static void read_header(void)
{
    char text[HEADER + 1], sum[SUM_DIGITS + 1], digits[SUM_DIGITS + 1];

    if (pread(ck.fd, text, HEADER, 0) != HEADER || strncmp(text, "origin2000 checkpoint ", 22))
        refuse("it is no checkpoint");
    if (strncmp(text, MAGIC, strlen(MAGIC)))
        refuse("its version is not the one of this build");
    text[HEADER] = 0;
    memcpy(digits, text + SUM_AT, SUM_DIGITS);
    digits[SUM_DIGITS] = 0;
    sprintf(sum, "%016" PRIx64, whole_sum(text));
    if (strcmp(sum, digits))
        refuse("it is damaged or not complete: its checksum differs");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        read_line(line);
    if (!parts_in_order())
        refuse("its parts are not where they can be");
}

char **checkpoint_words(const char *path, char *name, int *argc)
{
    size_t n;
    char *text, **argv;
    int words = 1;

    ck.path = (char *)path;
    ck.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (ck.fd < 0)
        refuse(strerror(errno));
    read_header();
    n = (size_t)(ck.machine - HEADER);
    text = calloc(1, n + 1);
    argv = calloc(ck.words + 2ul, sizeof(*argv));
    if (!text || !argv)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (pread(ck.fd, text, n, HEADER) != (ssize_t)n)
        refuse("it cannot be read");
    argv[0] = name;
    for (char *p = text; p < text + n && words <= (int)ck.words; p += strlen(p) + 1)
        argv[words++] = p;
    *argc = words;
    return argv;
}

static int same(const struct options *opt, const struct machine *m)
{
    static const char *const what[PARTS] = {
        "it was made by another build: the emulator (board, engine, QEMU) differs",
        "the kernel differs", "it was made by another build: the initramfs differs",
        "the machine description differs", "the image differs"
    };
    uint64_t hash[PARTS];

    hash_all(opt, m, hash);
    for (int i = 0; i < PARTS; i++)
        if (hash[i] != ck.hash[i]) {
            complain(MSG_CHECKPOINT, "--restore", ck.path, what[i]);
            return -1;
        }
    return 0;
}

/* False: errno says why. */
static bool is_empty(const char *dir)
{
    DIR *d = opendir(dir);
    unsigned int n = 0;

    if (!d)
        return false;
    while (n < 3 && readdir(d))
        n++;
    closedir(d);
    errno = ENOTEMPTY;
    return n < 3; /* . and .. are always there */
}

/* A share must be new or empty: what is in it would be in the machine, too. */
static int unpack_share(const char *dir)
{
    bool ready = mkdir(dir, 0777) == 0 || (errno == EEXIST && is_empty(dir));

    if (!ready)
        complain(errno == ENOTEMPTY ? MSG_RESTORE_SHARE : MSG_SHARE, dir, strerror(errno));
    else if (!(ready = archive_unpack(ck.path, ck.share, dir)))
        complain(MSG_SHARE, dir, "it could not be unpacked");
    return ready ? 0 : -1;
}

/* The only file in the folder @dir becomes @path, unless something is there. */
static bool move_only_file(const char *dir, const char *path)
{
    DIR *d = opendir(dir);
    bool moved = false;

    for (struct dirent *e; d && !moved && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            moved = linkat(dirfd(d), e->d_name, AT_FDCWD, path, 0) == 0 &&
                    unlinkat(dirfd(d), e->d_name, 0) == 0;
    if (d)
        closedir(d);
    return moved;
}

/* A disk has the name that it was saved with; in a folder of its own it may have any. */
static int unpack_disk(off_t at, const char *path)
{
    char *dir = xasprintf("%s.XXXXXX", path);
    bool failed;

    if (access(path, F_OK) == 0) {
        complain(MSG_RESTORE_DISK, path);
        return -1;
    }
    if (!mkdtemp(dir)) {
        complain(MSG_DISK, path, strerror(errno));
        return -1;
    }
    failed = !archive_unpack(ck.path, at, dir) || !move_only_file(dir, path);
    if (failed)
        complain(MSG_DISK, path, "it could not be unpacked");
    else
        rmdir(dir);
    free(dir);
    return failed ? -1 : 0;
}

/* All archives are read before one is unpacked. */
static bool check_archives(const struct options *opt)
{
    struct archive_error e = { "its files are not those of its command line" };
    unsigned int disks = 0;
    off_t end = ck.end;
    bool good;

    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        disks += !opt->devices.disk[i].image;
    good = disks == ck.ndisks && !opt->share == !ck.share;
    for (unsigned int i = ck.ndisks; good && i--; end = ck.disk[i])
        good = archive_check(ck.fd, ck.disk[i], end, OF_FILE, &e);
    if (good && ck.share)
        good = archive_check(ck.fd, ck.share, end, OF_FOLDER, &e);
    if (!good)
        complain(MSG_CHECKPOINT, "--restore", ck.path, e.text);
    return good;
}

static int unpack_all(const struct options *opt)
{
    unsigned int n = 0;

    if (!check_archives(opt))
        return -1;
    if (ck.share && unpack_share(opt->share) < 0)
        return -1;
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        if (!opt->devices.disk[i].image && unpack_disk(ck.disk[n++], opt->devices.disk[i].path) < 0)
            return -1;
    return 0;
}

int checkpoint_open(const struct options *opt, const struct machine *m)
{
    if (opt->save)
        return begin(opt, m);
    if (!opt->restore)
        return 0;
    if (same(opt, m) < 0 || unpack_all(opt) < 0)
        return -1;
    lseek(ck.fd, ck.machine, SEEK_SET);
    return 0;
}

int checkpoint_fd(void)
{
    return ck.fd;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of files that were read before.  Interface: known.h. */
#include "known.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "messages.h"
#include "sum.h"

#define LINE_MAX_BYTES 160 /* seven numbers of 64 bits, in decimal */

/* A line without its sum.  False: the file is too young, or the host's clock was set back. */
static bool begin_line(int fd, off_t at, off_t end, char line[LINE_MAX_BYTES])
{
    struct stat st;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || time(NULL) - st.st_ctim.tv_sec < KNOWN_AGE_S)
        return false;
    snprintf(line, LINE_MAX_BYTES, "%ju %ju %jd %jd%09ld %jd %jd ", (uintmax_t)st.st_dev,
             (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_ctim.tv_sec,
             st.st_ctim.tv_nsec, (intmax_t)at, (intmax_t)end);
    return true;
}

/* The table's text, empty if there is none that can be trusted */
static void read_table(const char *table, char text[KNOWN_MAX * LINE_MAX_BYTES])
{
    int fd = open(table, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = -1;
    off_t size;

    if (fd >= 0 && is_private(fd, &size))
        n = read(fd, text, KNOWN_MAX * LINE_MAX_BYTES - 1);
    text[n < 0 ? 0 : n] = 0;
    if (fd >= 0)
        close(fd);
}

static bool look_up(const char *text, const char *line, uint64_t *sum)
{
    size_t n = strlen(line);

    for (const char *p = text; *p; p++) {
        const char *end = strchrnul(p, '\n');
        char *behind;

        if (*end && (size_t)(end - p) == n + SUM_DIGITS && !strncmp(p, line, n)) {
            *sum = strtoull(p + n, &behind, 16);
            return behind == end;
        }
        if (!*end)
            break;
        p = end;
    }
    return false;
}

/* The new line is the first; the last one of a full table goes. */
static void add(const char *table, const char *text, const char *line, uint64_t sum)
{
    char *tmp, *all;
    int fd = file_begin(table, &tmp);
    unsigned int lines = 1;
    const char *p = text;

    if (fd < 0)
        return;
    while (lines < KNOWN_MAX && strchr(p, '\n')) {
        p = strchr(p, '\n') + 1;
        lines++;
    }
    all = xasprintf("%s%0*" PRIx64 "\n%.*s", line, SUM_DIGITS, sum, (int)(p - text), text);
    if (write_all(fd, all, strlen(all)) == 0 && file_end(fd, &tmp, table) == 0) {
        free(tmp); /* it has its name */
        tmp = NULL;
    }
    file_drop(&tmp);
    free(all);
    close(fd);
}

uint64_t known_sum(const char *table, int fd, off_t at, off_t end, known_make *make, void *arg)
{
    char text[KNOWN_MAX * LINE_MAX_BYTES], line[LINE_MAX_BYTES], again[LINE_MAX_BYTES];
    uint64_t sum;

    if (!table || !begin_line(fd, at, end, line))
        return make(fd, at, end, arg);
    read_table(table, text);
    if (look_up(text, line, &sum))
        return sum;
    sum = make(fd, at, end, arg);
    /* It may have changed while it was read. */
    if (begin_line(fd, at, end, again) && !strcmp(line, again))
        add(table, text, line, sum);
    return sum;
}

static uint64_t make_sum(int fd, off_t at, off_t end, void *arg)
{
    (void)arg;
    return sum_fd(fd, at, end, SUM_START);
}

uint64_t known_sum_file(const char *table, const char *path, off_t end)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t h;

    if (fd < 0)
        die(EXIT_MACHINE, MSG_SYSTEM_CALL, path, strerror(errno));
    h = known_sum(table, fd, 0, end, make_sum, NULL);
    close(fd);
    return h;
}

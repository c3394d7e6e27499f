// SPDX-License-Identifier: GPL-2.0-or-later
/* Files and keys that a guest chose.  Interface: plain.h. */
#include "plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_PLAIN EMEDIUMTYPE /* open() and read() do not use this one */

int plain_open(const char *path, int flags)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        errno = NOT_PLAIN;
        return -1;
    }
    return fd;
}

const char *plain_why(int error)
{
    return error == ELOOP       ? "a link stands in its place"
           : error == NOT_PLAIN ? "not a regular file"
                                : g_strerror(error);
}

char *plain_text(const char *path, int flags, size_t most)
{
    int fd = plain_open(path, flags);
    struct stat st;
    char *text;
    size_t n = 0;
    ssize_t got = 1;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) < 0 || (uint64_t)st.st_size > most) {
        close(fd);
        errno = EFBIG;
        return NULL;
    }
    text = g_malloc((size_t)st.st_size + 1);
    while (got > 0 && n < (size_t)st.st_size) {
        got = read(fd, text + n, (size_t)st.st_size - n);
        n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    text[n] = 0;
    return text;
}

static uint64_t secret(void)
{
    static uint64_t value;

    if (!value) {
        if (getrandom(&value, sizeof(value), GRND_NONBLOCK) < 0)
            value = (uint64_t)(uintptr_t)&value;
        value |= 1;
    }
    return value;
}

guint number_hash(gconstpointer key)
{
    uint64_t x = ((uint64_t)GPOINTER_TO_SIZE(key) ^ secret()) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 32) * secret();
    return (guint)(x >> 32);
}

guint text_hash(gconstpointer key)
{
    uint64_t x = secret();

    for (const char *s = key; *s; s++)
        x = (x ^ (unsigned char)*s ^ x >> 29) * secret();
    return (guint)(x >> 32);
}

guint numbers_hash(gconstpointer key)
{
    const struct numbers *k = key;
    uint64_t x = secret();

    for (int i = 0; i < 3; i++) {
        x = (x ^ k->n[i]) * UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ x >> 32) * secret();
    }
    return (guint)(x >> 32);
}

gboolean numbers_equal(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, sizeof(struct numbers));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of files: FNV-1a, eight bytes at a time.  Interface: sum.h. */
#include "sum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"

#define PRIME 0x100000001b3u
#define LANES 4 /* a processor multiplies several numbers at a time */

/* A product has no bits of its factors' upper halves in its lower one, so they are folded. */
static inline uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * PRIME;
    return h ^ h >> 32;
}

uint64_t sum_bytes(const void *p, size_t n, uint64_t h)
{
    const unsigned char *c = p;
    uint64_t lane[LANES] = { h, h + 1, h + 2, h + 3 }, word[LANES];
    size_t left = n;

    for (; left >= sizeof(word); left -= sizeof(word), c += sizeof(word)) {
        memcpy(word, c, sizeof(word));
        for (int i = 0; i < LANES; i++)
            lane[i] = mix(lane[i], word[i]);
    }
    memset(word, 0, sizeof(word));
    memcpy(word, c, left);
    h = n;
    for (int i = 0; i < LANES; i++)
        h = mix(h, mix(lane[i], word[i]));
    return h;
}

uint64_t sum_fd(int fd, off_t at, off_t end, uint64_t h)
{
    off_t page = at & ~(off_t)(sysconf(_SC_PAGESIZE) - 1);
    struct stat st;
    char *p;

    if (fstat(fd, &st) < 0)
        die(EXIT_MACHINE, MSG_SYSTEM_CALL, "fstat", strerror(errno));
    if (st.st_size < end)
        end = st.st_size;
    if (at >= end)
        return sum_bytes("", 0, h);
    p = mmap(NULL, (size_t)(end - page), PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, page);
    if (p == MAP_FAILED)
        die(EXIT_MACHINE, MSG_SYSTEM_CALL, "mmap", strerror(errno));
    h = sum_bytes(p + (at - page), (size_t)(end - at), h);
    munmap(p, (size_t)(end - page));
    return h;
}

uint64_t sum_file(const char *path, off_t end, uint64_t h)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        die(EXIT_MACHINE, MSG_SYSTEM_CALL, path, strerror(errno));
    h = sum_fd(fd, 0, end, h);
    close(fd);
    return h;
}

uint64_t sum_sealed(int fd, char *header, size_t n, size_t at)
{
    memset(header + at, '0', SUM_DIGITS);
    return sum_fd(fd, (off_t)n, SUM_TO_END, sum_bytes(header, n, SUM_START));
}

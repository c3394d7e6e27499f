// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that waits for its pages: it reads PAGES pages of a file through a mapping, one after the other and none of
 * them is in memory.
 *
 * Each page is asked for at the file's server, the host, and comes with an interrupt.
 */
#include "waiter.h"

#include <fcntl.h>
#include <sys/mman.h>

#define PAGES 24
#define PAGE  16384

int main(void)
{
    static char page[PAGE];
    int f = open("pages", O_RDWR | O_CREAT | O_TRUNC, 0600);
    volatile char *map;

    for (int i = 0; i < PAGES; i++)
        if (write(f, page, PAGE) != PAGE)
            return 1;
    if (fsync(f) || posix_fadvise(f, 0, 0, POSIX_FADV_DONTNEED))
        return 1;
    map = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE, f, 0);
    if (map == MAP_FAILED || madvise((void *)map, PAGES * PAGE, MADV_RANDOM))
        return 1;
    for (int i = 0; i < PAGES; i++)
        WAIT(0, PAGE_FAULT, (void)map[i * PAGE]);
    waited(1);
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives an edited checkpoint, or a boot that is kept, the right checksum, as somebody does who makes
 * one to do harm (launcher/checkpoint.h, kept.h).  Linked with launcher/sum.c.
 *
 * Usage: seal FILE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sum.h"

#define HEADER 4096

int main(int argc, char **argv)
{
    char header[HEADER + 1] = "", digits[17], *sum;
    int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
    uint64_t h;

    if (fd < 0 || pread(fd, header, HEADER, 0) != HEADER || !(sum = strstr(header, "\nsum ")))
        return 1;
    sum += strlen("\nsum ");
    h = sum_sealed(fd, header, HEADER, (size_t)(sum - header));
    snprintf(digits, sizeof(digits), "%016" PRIx64, h);
    return pwrite(fd, digits, 16, sum - header) != 16;
}

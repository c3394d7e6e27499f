// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives an edited checkpoint the right checksum, as somebody does who makes one to do harm
 * (launcher/checkpoint.h).
 *
 * Usage: seal FILE
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PRIME 0x100000001b3u

int main(int argc, char **argv)
{
    static const char before[] = "origin2000 checkpoint 2\nsum ";
    unsigned char header[4096];
    uint64_t h = 0xcbf29ce484222325u, word, size = 4096;
    FILE *f = argc == 2 ? fopen(argv[1], "r+b") : NULL;
    size_t n;

    if (!f || fread(header, 1, sizeof(header), f) != sizeof(header) ||
        memcmp(header, before, strlen(before)))
        return 1;
    memset(header + strlen(before), '0', 16);
    for (n = 0; n < sizeof(header); n++)
        h = (h ^ header[n]) * PRIME;
    for (; word = 0, (n = fread(&word, 1, 8, f)) > 0; size += n) {
        h = (h ^ word) * PRIME;
        h ^= h >> 32;
    }
    h = (h ^ size) * PRIME;
    return fseek(f, (long)strlen(before), SEEK_SET) || fprintf(f, "%016" PRIx64, h) != 16 ||
           fclose(f);
}

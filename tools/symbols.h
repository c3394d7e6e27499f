/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for program counters: the function symbols of ELF files, either byte
 * order, 32 and 64 bits.  Small enough for the guest.  Left out: source lines,
 * separate debug files.
 */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/*
 * Reads the functions of an ELF file that lies in memory; the names are
 * copied.  Null with *why (a constant) when it is none or is malformed.
 */
struct symbols *symbols_read(const void *elf, size_t size, const char **why);
struct symbols *symbols_open(const char *path, const char **why);
void symbols_free(struct symbols *s);

/*
 * The function that holds the byte at a file offset, and how far into it;
 * null if none does.
 */
const char *symbols_find(const struct symbols *s, uint64_t offset, uint64_t *into);

/* Where a symbol is: virtual address (before an executable is moved), bytes, function or data. */
struct symbol {
    uint64_t addr, size;
    bool function;
};

/*
 * The function or variable of that name.  0, or -1 with *why (a constant):
 * the file is none of ours, or has no such symbol or several at different
 * places, of which none is global.
 */
int symbols_lookup(const char *path, const char *name, struct symbol *s, const char **why);

#endif

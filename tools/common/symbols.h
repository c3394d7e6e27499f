/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of program counters: the function symbols of ELF files in either byte order, of 32 and 64
 * bits. It is small enough for the guest. Of functions that a stripped library keeps no name of, MIPS
 * files tell where they begin (section .pdr). Left out: source lines, separate debug files.
 */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/*
 * Reads the functions of an ELF file that lies in memory, and copies their names. Null with *why, a
 * constant string: the file is not an ELF file or is malformed.
 */
struct symbols *symbols_read(const void *elf, size_t size, const char **why);
struct symbols *symbols_open(const char *path, const char **why);
void symbols_free(struct symbols *s);

/*
 * The name of the function that holds the byte at a file offset, and the offset within the function
 * in *into. An empty name: it has none. Null: there is no function.
 */
const char *symbols_find(const struct symbols *s, uint64_t offset, uint64_t *into);

/*
 * The virtual address of the byte at a file offset, before the file is relocated; the offset itself
 * if no segment holds it.
 */
uint64_t symbols_address(const struct symbols *s, uint64_t offset);

/*
 * A symbol: its virtual address before the executable is relocated, its size in bytes, and whether
 * it is a function or data.
 */
struct symbol {
    uint64_t addr, size;
    bool function;
};

/*
 * Looks up a function or variable by its name. 0, or -1 with *why, a constant string: the file is
 * not an ELF file, or has no such symbol, or has several local ones at different addresses.
 */
int symbols_lookup(const char *path, const char *name, struct symbol *s, const char **why);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look at a kernel's file before QEMU's loader reads it: see elf-check.h. */
#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "elf-check.h"
#include "regs/addr.h"

struct file {
    const uint8_t *p;
    size_t len;
};

/* A big-endian number of n bytes */
static uint64_t number(const uint8_t *p, size_t n)
{
    uint64_t v = 0;

    while (n--) {
        v = v << 8 | *p++;
    }
    return v;
}

#define FIELD(base, type, field) \
    number((base) + offsetof(type, field), sizeof(((type *)0)->field))

/* n bytes from `at` on, NULL if the file has fewer. */
static const uint8_t *piece(const struct file *f, uint64_t at, uint64_t n)
{
    return at <= f->len && n <= f->len - at ? f->p + at : NULL;
}

static const char *check_segments(const struct file *f)
{
    unsigned n = FIELD(f->p, Elf64_Ehdr, e_phnum);
    const uint8_t *ph =
        piece(f, FIELD(f->p, Elf64_Ehdr, e_phoff), n * sizeof(Elf64_Phdr));

    if (!ph) {
        return "is cut short: no table of segments";
    }
    for (; n--; ph += sizeof(Elf64_Phdr)) {
        uint64_t in_file = FIELD(ph, Elf64_Phdr, p_filesz);
        uint64_t in_memory = FIELD(ph, Elf64_Phdr, p_memsz);

        if (FIELD(ph, Elf64_Phdr, p_type) != PT_LOAD) {
            continue;
        }
        if (!piece(f, FIELD(ph, Elf64_Phdr, p_offset), in_file)) {
            return "is cut short: a segment lies beyond its end";
        }
        if (in_file > in_memory || in_memory > SN_NODE_SIZE) {
            return "is damaged: a segment has an impossible size";
        }
    }
    return NULL;
}

static const char *check_symbols(const struct file *f, const uint8_t *sym,
                                 uint64_t bytes, const uint8_t *strings)
{
    uint64_t n = bytes / sizeof(Elf64_Sym);
    uint64_t size = FIELD(strings, Elf64_Shdr, sh_size);
    const uint8_t *text = piece(f, FIELD(strings, Elf64_Shdr, sh_offset), size);

    if (!text) {
        return "is cut short: the names of symbols lie beyond its end";
    }
    if (n > INT_MAX || (n && (!size || text[size - 1]))) {
        return "is damaged: the names of symbols have no end";
    }
    for (; n--; sym += sizeof(Elf64_Sym)) {
        if (FIELD(sym, Elf64_Sym, st_name) >= size) {
            return "is damaged: a symbol without a name";
        }
    }
    return NULL;
}

static const char *check_sections(const struct file *f)
{
    unsigned n = FIELD(f->p, Elf64_Ehdr, e_shnum);
    const uint8_t *table =
        piece(f, FIELD(f->p, Elf64_Ehdr, e_shoff), n * sizeof(Elf64_Shdr));
    const char *why = NULL;

    if (!table) {
        return "is cut short: no table of sections";
    }
    for (unsigned i = 0; i < n && !why; i++) {
        const uint8_t *s = table + i * sizeof(Elf64_Shdr);
        uint64_t type = FIELD(s, Elf64_Shdr, sh_type);
        uint64_t bytes = FIELD(s, Elf64_Shdr, sh_size);
        uint64_t link = FIELD(s, Elf64_Shdr, sh_link);
        const uint8_t *p = piece(f, FIELD(s, Elf64_Shdr, sh_offset), bytes);

        if (type != SHT_SYMTAB && type != SHT_RELA) {
            continue;
        }
        if (!p) {
            why = "is cut short: a section lies beyond its end";
        } else if (type == SHT_SYMTAB && link < n) {
            why = check_symbols(f, p, bytes, table + link * sizeof(Elf64_Shdr));
        }
    }
    return why;
}

const char *origin_elf_check(const void *file, size_t len)
{
    const struct file f = { file, len };
    const char *why;

    if (len < EI_NIDENT || memcmp(f.p, ELFMAG, SELFMAG)) {
        return "is no ELF file";
    }
    if (f.p[EI_DATA] != ELFDATA2MSB) {
        return NULL;
    }
    if (f.p[EI_CLASS] != ELFCLASS64) {
        return "is an ELF file of a 32-bit machine";
    }
    if (len < sizeof(Elf64_Ehdr)) {
        return "is cut short: no header";
    }
    why = check_segments(&f);
    return why ? why : check_sections(&f);
}

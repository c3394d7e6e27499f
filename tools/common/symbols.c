/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of ELF files; see symbols.h.  Every offset is checked against the file. */
#define _GNU_SOURCE
#include "symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct function {
    uint64_t start, end; /* file offsets */
    const char *name;
};

#define MAX_SEGMENTS 8
#define PDR_SIZE     32

struct symbols {
    struct function *f; /* by start; of several at one address symbols_find() returns the last */
    size_t n;
    char *names;
    struct {
        uint64_t offset, size, address;
    } segment[MAX_SEGMENTS];
    unsigned nsegments;
};

/* An ELF file, and how to read it. */
struct elf {
    const unsigned char *p;
    uint64_t size;
    bool swap, wide;
};

static uint64_t get(const struct elf *e, uint64_t at, unsigned bytes)
{
    uint64_t v = 0;

    if (at > e->size || e->size - at < bytes) {
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) {
        v = v << 8 | e->p[at + (e->swap ? bytes - 1 - i : i)];
    }
    return v;
}

/* A field of an ELF structure. Its offset and width differ between 32-bit and 64-bit files. */
#define FIELD(e, at, type, field)                                                                 \
    ((e)->wide ? get(e, (at) + offsetof(Elf64_##type, field), sizeof(((Elf64_##type *)0)->field)) \
               : get(e, (at) + offsetof(Elf32_##type, field), sizeof(((Elf32_##type *)0)->field)))
#define SIZE(e, type) ((e)->wide ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

/* The file offset of a virtual address, from the program headers; UINT64_MAX: none. */
static uint64_t file_offset(const struct elf *e, uint64_t addr)
{
    uint64_t at = FIELD(e, 0, Ehdr, e_phoff), n = FIELD(e, 0, Ehdr, e_phnum);

    for (uint64_t i = 0; i < n && at < e->size; i++, at += SIZE(e, Phdr)) {
        uint64_t start = FIELD(e, at, Phdr, p_vaddr);

        if (FIELD(e, at, Phdr, p_type) == PT_LOAD && addr >= start &&
            addr - start < FIELD(e, at, Phdr, p_filesz)) {
            return addr - start + FIELD(e, at, Phdr, p_offset);
        }
    }
    return UINT64_MAX;
}

/* The loadable segments, up to as many as there is room for. */
static void read_segments(struct symbols *s, const struct elf *e)
{
    uint64_t at = FIELD(e, 0, Ehdr, e_phoff), n = FIELD(e, 0, Ehdr, e_phnum);

    for (uint64_t i = 0; i < n && at < e->size && s->nsegments < MAX_SEGMENTS; i++) {
        if (FIELD(e, at, Phdr, p_type) == PT_LOAD) {
            s->segment[s->nsegments].offset = FIELD(e, at, Phdr, p_offset);
            s->segment[s->nsegments].size = FIELD(e, at, Phdr, p_filesz);
            s->segment[s->nsegments++].address = FIELD(e, at, Phdr, p_vaddr);
        }
        at += SIZE(e, Phdr);
    }
}

/*
 * Appends the functions of a procedure table (section .pdr at section header sh) of a stripped
 * file: 32 bytes each, the low half of the address first. They have no names and reach up to the
 * next function.
 */
static bool read_procedures(struct symbols *s, const struct elf *e, uint64_t sh)
{
    uint64_t at = FIELD(e, sh, Shdr, sh_offset), n = FIELD(e, sh, Shdr, sh_size) / PDR_SIZE;
    uint64_t high = s->nsegments ? s->segment[0].address >> 32 << 32 : 0;
    struct function *f;

    if (at > e->size || n > (e->size - at) / PDR_SIZE) {
        return false;
    }
    f = realloc(s->f, (s->n + n + 1) * sizeof(*f));
    if (!f) {
        return false;
    }
    s->f = f;
    for (uint64_t i = 0; i < n; i++, at += PDR_SIZE) {
        uint64_t start = file_offset(e, high | get(e, at, 4));

        if (start != UINT64_MAX) {
            s->f[s->n++] = (struct function){ start, start, "" };
        }
    }
    return true;
}

/* The order of functions: by start; of several, the one that symbols_find() shall return last. */
static int compare(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    size_t p = strlen(x->name), q = strlen(y->name);

    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    if (!p != !q) {
        return !p ? -1 : 1;
    }
    return p != q ? (p > q ? -1 : 1) : strcmp(y->name, x->name); /* malloc, not __libc_malloc */
}

/* Appends the functions of the symbol table at section header sh. */
static bool read_table(struct symbols *s, const struct elf *e, uint64_t sh)
{
    uint64_t sections = FIELD(e, 0, Ehdr, e_shoff);
    uint64_t at = FIELD(e, sh, Shdr, sh_offset), size = FIELD(e, sh, Shdr, sh_size);
    uint64_t link = sections + FIELD(e, sh, Shdr, sh_link) * SIZE(e, Shdr);
    uint64_t names = FIELD(e, link, Shdr, sh_offset), names_size = FIELD(e, link, Shdr, sh_size);
    uint64_t n = size / SIZE(e, Sym);

    if (at > e->size || size > e->size - at || names > e->size || names_size == 0 ||
        names_size > e->size - names || e->p[names + names_size - 1] != 0) {
        return false;
    }
    s->f = calloc(n ? n : 1, sizeof(*s->f));
    s->names = malloc(names_size);
    if (!s->f || !s->names) {
        return false;
    }
    memcpy(s->names, e->p + names, names_size);
    for (uint64_t i = 0; i < n; i++, at += SIZE(e, Sym)) {
        uint64_t name = FIELD(e, at, Sym, st_name), start, length = FIELD(e, at, Sym, st_size);

        if ((FIELD(e, at, Sym, st_info) & 15) != STT_FUNC || FIELD(e, at, Sym, st_shndx) == 0 ||
            name >= names_size) {
            continue;
        }
        start = file_offset(e, FIELD(e, at, Sym, st_value));
        if (start != UINT64_MAX) {
            s->f[s->n++] = (struct function){ start, start + length, s->names + name };
        }
    }
    return true;
}

/*
 * The offset of the section header of the symbol table: of the full one unless the file is
 * stripped. 0: none.
 */
static uint64_t find_table(struct elf *e, const void *elf, size_t size, const char **why)
{
    uint64_t at, n, best = 0;

    *e = (struct elf){ elf, size, false, false };
    if (size < EI_NIDENT || memcmp(elf, ELFMAG, SELFMAG) != 0) {
        *why = "not an ELF file";
        return 0;
    }
    e->wide = e->p[EI_CLASS] == ELFCLASS64;
    e->swap = e->p[EI_DATA] == ELFDATA2LSB;
    at = FIELD(e, 0, Ehdr, e_shoff);
    n = FIELD(e, 0, Ehdr, e_shnum);
    for (uint64_t i = 0; i < n && at < size; i++, at += SIZE(e, Shdr)) {
        uint64_t type = FIELD(e, at, Shdr, sh_type);

        if (type == SHT_SYMTAB || (type == SHT_DYNSYM && !best)) {
            best = at;
        }
    }
    *why = "no symbols";
    return best;
}

/* The offset of a section's header. 0: there is none of that name. */
static uint64_t find_section(const struct elf *e, const char *name)
{
    uint64_t at = FIELD(e, 0, Ehdr, e_shoff), n = FIELD(e, 0, Ehdr, e_shnum);
    uint64_t link = at + FIELD(e, 0, Ehdr, e_shstrndx) * SIZE(e, Shdr);
    uint64_t names = FIELD(e, link, Shdr, sh_offset), want = strlen(name) + 1;

    for (uint64_t i = 0; i < n && at < e->size; i++, at += SIZE(e, Shdr)) {
        uint64_t text = FIELD(e, at, Shdr, sh_name);

        if (names <= e->size && text <= e->size - names && want <= e->size - names - text &&
            memcmp(e->p + names + text, name, want) == 0) {
            return at;
        }
    }
    return 0;
}

/* Functions without a name reach up to the next function. How far the last one reaches is unknown.
 */
static void sort_functions(struct symbols *s)
{
    qsort(s->f, s->n, sizeof(*s->f), compare);
    for (size_t i = 0; i < s->n; i++) {
        if (!*s->f[i].name) {
            s->f[i].end = i + 1 < s->n ? s->f[i + 1].start : s->f[i].start + 4;
        }
    }
}

struct symbols *symbols_read(const void *elf, size_t size, const char **why)
{
    struct elf e;
    struct symbols *s = calloc(1, sizeof(*s));
    uint64_t table = find_table(&e, elf, size, why), procedures;
    bool read = table;

    if (s && table) {
        read_segments(s, &e);
        read = read_table(s, &e, table);
        if (read && FIELD(&e, table, Shdr, sh_type) == SHT_DYNSYM &&
            (procedures = find_section(&e, ".pdr"))) {
            read = read_procedures(s, &e, procedures);
        }
    }
    if (!s || (table && !read)) {
        *why = !s ? "out of memory" : "malformed symbol table";
        table = 0;
    }
    if (!table) {
        symbols_free(s);
        return NULL;
    }
    sort_functions(s);
    return s;
}

/* Maps a file into memory; NULL: it cannot be. */
static void *map_file(const char *path, size_t *size, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *p = NULL;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        *why = fd < 0 ? strerror(errno) : "not a regular file";
    } else if (st.st_size == 0) {
        *why = "not an ELF file";
    } else if ((p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED) {
        *why = strerror(errno);
        p = NULL;
    } else {
        *size = (size_t)st.st_size;
    }
    if (fd >= 0) {
        close(fd);
    }
    return p;
}

struct symbols *symbols_open(const char *path, const char **why)
{
    size_t size;
    void *p = map_file(path, &size, why);
    struct symbols *s = p ? symbols_read(p, size, why) : NULL;

    if (p) {
        munmap(p, size);
    }
    return s;
}

/* Looks a name up in the table at section header sh. */
static int lookup(const struct elf *e, uint64_t sh, const char *name, struct symbol *s,
                  const char **why)
{
    uint64_t link = FIELD(e, 0, Ehdr, e_shoff) + FIELD(e, sh, Shdr, sh_link) * SIZE(e, Shdr);
    uint64_t at = FIELD(e, sh, Shdr, sh_offset), size = FIELD(e, sh, Shdr, sh_size);
    uint64_t names = FIELD(e, link, Shdr, sh_offset), names_size = FIELD(e, link, Shdr, sh_size);
    size_t want = strlen(name) + 1;
    unsigned found = 0;

    *why = "malformed symbol table";
    if (at > e->size || size > e->size - at || names > e->size || names_size > e->size - names) {
        return -1;
    }
    for (uint64_t n = size / SIZE(e, Sym); n--; at += SIZE(e, Sym)) {
        uint64_t text = FIELD(e, at, Sym, st_name), info = FIELD(e, at, Sym, st_info);
        struct symbol is = { FIELD(e, at, Sym, st_value), FIELD(e, at, Sym, st_size),
                             (info & 15) == STT_FUNC };

        if ((!is.function && (info & 15) != STT_OBJECT) || FIELD(e, at, Sym, st_shndx) == 0 ||
            text > names_size || names_size - text < want ||
            memcmp(e->p + names + text, name, want) != 0) {
            continue;
        }
        if (found && info >> 4 == STB_LOCAL) {
            found += is.addr != s->addr;
            continue;
        }
        *s = is;
        found = info >> 4 == STB_LOCAL ? found + 1 : 1;
        if (info >> 4 != STB_LOCAL) {
            break;
        }
    }
    *why = found ? "several symbols have that name" : "no such function or variable";
    return found == 1 ? 0 : -1;
}

int symbols_lookup(const char *path, const char *name, struct symbol *s, const char **why)
{
    struct elf e;
    size_t size;
    void *p = map_file(path, &size, why);
    uint64_t table = p ? find_table(&e, p, size, why) : 0;
    int err = table ? lookup(&e, table, name, s, why) : -1;

    if (p) {
        munmap(p, size);
    }
    return err;
}

void symbols_free(struct symbols *s)
{
    if (s) {
        free(s->f);
        free(s->names);
        free(s);
    }
}

const char *symbols_find(const struct symbols *s, uint64_t offset, uint64_t *into)
{
    size_t lo = 0, hi = s->n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (s->f[mid].start <= offset) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    /* A function in assembly code may have size 0. It reaches up to the next function. */
    if (lo == 0 || (s->f[lo - 1].end <= offset && s->f[lo - 1].end != s->f[lo - 1].start)) {
        return NULL;
    }
    *into = offset - s->f[lo - 1].start;
    return s->f[lo - 1].name;
}

uint64_t symbols_address(const struct symbols *s, uint64_t offset)
{
    for (unsigned i = 0; i < s->nsegments; i++) {
        if (offset - s->segment[i].offset < s->segment[i].size) {
            return offset - s->segment[i].offset + s->segment[i].address;
        }
    }
    return offset;
}

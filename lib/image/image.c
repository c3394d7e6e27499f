// SPDX-License-Identifier: GPL-2.0-or-later
/* An ELF file and its symbols.  Interface: image.h. */
#include "image_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *image_grow(void *p, size_t n, size_t *room, size_t each)
{
    if (n < *room)
        return p;
    *room = *room ? 2 * *room : 64;
    p = reallocarray(p, *room, each);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

/* In a relocatable file, addresses begin anew in each section: the number of the section tells them apart. */
static uint64_t section_address(size_t section)
{
    return (uint64_t)section << 32;
}

static void add(const struct image *m, struct symbols *s, const GElf_Sym *sym, const char *name,
                int rank)
{
    uint64_t at = sym->st_value + (m->parts ? section_address(sym->st_shndx) : 0);

    s->v = image_grow(s->v, s->n, &s->room, sizeof(*s->v));
    s->v[s->n++] = (struct symbol){ at, at + sym->st_size, name, rank };
}

/* Labels of the assembler and of the compiler are no functions. */
static bool is_label(const char *name)
{
    return !*name || *name == '.' || *name == '$';
}

static bool is_code(Elf *elf, GElf_Section section)
{
    GElf_Shdr sh;
    Elf_Scn *scn = section < SHN_LORESERVE ? elf_getscn(elf, section) : NULL;

    return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

static void add_symbol(struct image *m, const GElf_Sym *sym, const char *name)
{
    int global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;

    if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || is_label(name))
        return;
    switch (GELF_ST_TYPE(sym->st_info)) {
    case STT_FUNC:
        add(m, &m->functions, sym, name, 2 + global);
        break;
    case STT_NOTYPE: /* a function in assembly language */
        if (is_code(m->elf, sym->st_shndx))
            add(m, &m->functions, sym, name, global);
        break;
    case STT_OBJECT:
        if (sym->st_size)
            add(m, &m->objects, sym, name, global);
        break;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    return strcmp(y->name, x->name); /* the same symbol wins every time */
}

static void sort(struct symbols *s)
{
    if (s->n)
        qsort(s->v, s->n, sizeof(*s->v), by_address);
}

const struct symbol *image_find_symbol(const struct symbols *s, uint64_t address)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->v[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* Of those that begin at or before the address, the last one that still covers it. */
    for (int i = 0; low > 0 && i < 8; i++) {
        const struct symbol *y = &s->v[--low];

        if (address < y->end || (y->end == y->address && i == 0))
            return y;
    }
    return NULL;
}

/* The first table of type @want: its data, and *@sh; NULL: there is none. */
static Elf_Data *find_table(const struct image *m, GElf_Word want, GElf_Shdr *sh)
{
    Elf_Scn *scn = NULL;

    while ((scn = elf_nextscn(m->elf, scn)))
        if (gelf_getshdr(scn, sh) && sh->sh_type == want && sh->sh_entsize)
            return elf_getdata(scn, NULL);
    return NULL;
}

/* The name of symbol @i of a table; NULL: it has none. */
static const char *name_of(const struct image *m, Elf_Data *data, const GElf_Shdr *sh, size_t i,
                           GElf_Sym *sym)
{
    return gelf_getsym(data, (int)i, sym) ? elf_strptr(m->elf, sh->sh_link, sym->st_name) : NULL;
}

/* The symbols of the table of type @want; false if there is none. */
static bool read_table(struct image *m, GElf_Word want)
{
    GElf_Shdr sh;
    GElf_Sym sym;
    Elf_Data *data = find_table(m, want, &sh);

    for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
        const char *name = name_of(m, data, &sh, i, &sym);

        if (name)
            add_symbol(m, &sym, name);
    }
    return m->functions.n || m->objects.n;
}

struct image *image_open(const char *path)
{
    struct image *m;
    GElf_Ehdr header;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe */

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        errno = ENOEXEC;
        return NULL;
    }
    elf_version(EV_CURRENT);
    m = calloc(1, sizeof(*m));
    if (!m) {
        close(fd);
        return NULL;
    }
    m->fd = fd;
    m->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!m->elf || elf_kind(m->elf) != ELF_K_ELF) {
        image_close(m);
        errno = ENOEXEC;
        return NULL;
    }
    m->parts = gelf_getehdr(m->elf, &header) && header.e_type == ET_REL;
    m->stripped = !read_table(m, SHT_SYMTAB);
    if (m->stripped)
        read_table(m, SHT_DYNSYM);
    sort(&m->functions);
    sort(&m->objects);
    /* The debug information of a relocatable file has no addresses yet. */
    m->dwarf = m->parts ? NULL : dwarf_begin_elf(m->elf, DWARF_C_READ, NULL);
    return m;
}

void image_close(struct image *m)
{
    if (!m)
        return;
    if (m->dwarf)
        dwarf_end(m->dwarf);
    if (m->elf)
        elf_end(m->elf);
    free(m->functions.v);
    free(m->objects.v);
    free(m->variables);
    image_forget_names(m);
    image_forget_files(m);
    close(m->fd);
    free(m);
}

const char *image_lacks(const struct image *m)
{
    if (m->dwarf || (m->parts && !m->stripped))
        return NULL;
    return m->stripped ? "stripped: symbols of dynamic linking only"
                       : "no debug information (compile with -g)";
}

uint64_t image_end(const struct image *m)
{
    uint64_t end = 0;
    GElf_Phdr ph;
    size_t n;

    if (elf_getphdrnum(m->elf, &n) < 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(m->elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
            ph.p_memsz <= UINT64_MAX - ph.p_vaddr && ph.p_vaddr + ph.p_memsz > end)
            end = ph.p_vaddr + ph.p_memsz;
    return end;
}

bool image_address(const struct image *m, uint64_t offset, uint64_t *address)
{
    GElf_Phdr ph;
    size_t n;

    if (elf_getphdrnum(m->elf, &n) < 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t start;

        if (!gelf_getphdr(m->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
            continue;
        /* A mapping begins at a page's start, which may lie before the segment. */
        start = ph.p_offset - (ph.p_align > 1 ? ph.p_offset % ph.p_align : 0);
        if (offset >= start && offset < ph.p_offset + ph.p_filesz) {
            *address = ph.p_vaddr - ph.p_offset + offset;
            return true;
        }
    }
    return false;
}

bool image_section(const struct image *m, const char *name, uint64_t *address, uint64_t *size)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;
    size_t names;

    if (!m->parts || elf_getshdrstrndx(m->elf, &names) != 0)
        return false;
    while ((scn = elf_nextscn(m->elf, scn))) {
        const char *own = gelf_getshdr(scn, &sh) ? elf_strptr(m->elf, names, sh.sh_name) : NULL;

        if (own && sh.sh_flags & SHF_ALLOC && !strcmp(own, name)) {
            *address = section_address(elf_ndxscn(scn));
            *size = sh.sh_size;
            return true;
        }
    }
    return false;
}

const char *image_function(struct image *m, uint64_t address, uint64_t *start)
{
    const struct symbol *s = image_find_symbol(&m->functions, address);

    if (s && start)
        *start = s->address;
    return s ? image_plain_name(m, s->name) : NULL;
}

uint64_t image_code(struct image *m, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address; !m->stripped && at < address + bytes; at += 4)
        if (image_find_symbol(&m->functions, at))
            return at;
    return address;
}

bool image_is_fixed(const struct image *m)
{
    GElf_Ehdr header;

    return gelf_getehdr(m->elf, &header) && header.e_type == ET_EXEC;
}

bool image_symbol(struct image *m, const char *name, uint64_t *address)
{
    GElf_Shdr sh;
    GElf_Sym sym;
    Elf_Data *data = find_table(m, SHT_SYMTAB, &sh);

    for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
        const char *own = name_of(m, data, &sh, i, &sym);

        if (own && sym.st_shndx != SHN_UNDEF && !strcmp(own, name)) {
            *address = sym.st_value;
            return true;
        }
    }
    return false;
}

void image_names(struct image *m, bool functions, void (*see)(void *opaque, const char *name),
                 void *opaque)
{
    const struct symbols *s = functions ? &m->functions : &m->objects;

    for (size_t i = 0; i < s->n; i++)
        see(opaque, image_plain_name(m, s->v[i].name));
}

bool image_extent(struct image *m, const char *name, uint64_t *start, uint64_t *end)
{
    for (size_t i = 0; i < m->functions.n; i++) {
        const struct symbol *s = &m->functions.v[i];

        if (strcmp(s->name, name) && strcmp(image_plain_name(m, s->name), name))
            continue;
        *start = s->address;
        *end = s->end;
        for (i++; s->end == s->address && i < m->functions.n; i++) {
            *end = m->functions.v[i].address; /* it reaches to the next one */
            if (*end != *start)
                return true;
        }
        return true;
    }
    return false;
}

const unsigned char *image_bytes(const struct image *m, uint64_t address, uint64_t n)
{
    GElf_Phdr ph;
    size_t size, count;
    const char *file = elf_rawfile(m->elf, &size);

    if (m->parts) {
        Elf_Scn *scn = elf_getscn(m->elf, address >> 32);
        Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
        uint64_t at = address - section_address(address >> 32);

        return data && data->d_buf && at <= data->d_size && n <= data->d_size - at
                   ? (const unsigned char *)data->d_buf + at
                   : NULL;
    }
    if (!file || elf_getphdrnum(m->elf, &count) < 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t at;

        if (!gelf_getphdr(m->elf, (int)i, &ph) || ph.p_type != PT_LOAD || address < ph.p_vaddr)
            continue;
        at = address - ph.p_vaddr;
        if (at <= ph.p_filesz && n <= ph.p_filesz - at && ph.p_offset <= size &&
            at <= size - ph.p_offset && n <= size - ph.p_offset - at)
            return (const unsigned char *)file + ph.p_offset + at;
    }
    return NULL;
}

bool image_is_guest(const struct image *m)
{
    GElf_Ehdr header;

    return gelf_getehdr(m->elf, &header) && header.e_machine == EM_MIPS &&
           header.e_ident[EI_DATA] == ELFDATA2MSB;
}

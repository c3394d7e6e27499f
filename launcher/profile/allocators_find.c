// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of ELF files.  Interface: allocators_find.h. */
#include "allocators_find.h"

#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/allocators.h"
#include "profile/lock_functions.h"

#define FILES_MAX 100000 /* of a share */
#define DEPTH     16     /* descriptors of nftw() */

static const char *const names[] = {
#define X(name, how, act, size, times) #name,
    SN_ALLOCATORS(X)
#undef X
#define X(name, act, lock) #name,
        SN_LOCKS(X)
#undef X
};

static bool is_wanted(const char *name)
{
    for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* Where in the file the address is; UINT64_MAX: nowhere. */
static uint64_t file_offset(Elf *elf, uint64_t address)
{
    GElf_Phdr ph;
    size_t n;

    if (elf_getphdrnum(elf, &n) < 0)
        return UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && address >= ph.p_vaddr &&
            address - ph.p_vaddr < ph.p_filesz)
            return address - ph.p_vaddr + ph.p_offset;
    return UINT64_MAX;
}

/* The model looks for the first entry of an offset, so doubles do no harm. */
static void write_table(FILE *to, const char *path, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Sym sym;

    for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
        const char *name;
        uint64_t at;

        if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
            continue;
        name = elf_strptr(elf, sh->sh_link, sym.st_name);
        at = is_wanted(name) ? file_offset(elf, sym.st_value) : UINT64_MAX;
        if (at != UINT64_MAX)
            fprintf(to, "%s\t0x%" PRIx64 "\t%s\n", path, at, name);
    }
}

static void write_elf(FILE *to, const char *path, Elf *elf)
{
    GElf_Ehdr header;
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) || header.e_machine != EM_MIPS ||
        header.e_ident[EI_DATA] != ELFDATA2MSB)
        return;
    while ((scn = elf_nextscn(elf, scn)))
        if (gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
            write_table(to, path, elf, scn, &sh);
}

/* The host's file @host, which the guest has as @path.  What is no ELF file is none of ours. */
static void write_file(FILE *to, const char *host, const char *path)
{
    int fd = open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char magic[SELFMAG];
    Elf *elf;

    if (fd < 0)
        return;
    if (!strpbrk(path, "\t\n") && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
        !memcmp(magic, ELFMAG, SELFMAG) && elf_version(EV_CURRENT) != EV_NONE &&
        (elf = elf_begin(fd, ELF_C_READ_MMAP, NULL))) {
        write_elf(to, path, elf);
        elf_end(elf);
    }
    close(fd);
}

/* nftw() has no argument for its caller. */
static struct {
    FILE *to;
    size_t skip; /* length of the share's own path */
    unsigned int files;
} walk;

static int visit(const char *host, const struct stat *st, int type, struct FTW *at)
{
    char *path;

    (void)at;
    if (type != FTW_F || !S_ISREG(st->st_mode))
        return 0;
    if (++walk.files > FILES_MAX)
        return 1;
    if (asprintf(&path, ALLOCATORS_SHARE "%s", host + walk.skip) >= 0) {
        write_file(walk.to, host, path);
        free(path);
    }
    return 0;
}

static void write_list(FILE *to, const char *list)
{
    FILE *f = fopen(list, "re");
    char line[8192], path[4096], host[4096];

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "file %4095s %4095s", path, host) == 2)
            write_file(to, host, path);
    if (f)
        fclose(f);
}

bool allocators_find(FILE *to, const char *list, const char *share)
{
    char *root = share ? realpath(share, NULL) : NULL;
    bool all = true;

    write_list(to, list);
    if (root) {
        walk.to = to;
        walk.skip = strlen(root) + (strcmp(root, "/") != 0);
        walk.files = 0;
        all = nftw(root, visit, DEPTH, FTW_PHYS) != 1;
    }
    free(root);
    return all;
}

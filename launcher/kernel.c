// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel's symbols.  Interface: kernel.h. */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "messages.h"

/* sizeof(struct memblock_region): base, size, flags and node. */
#define REGION_BYTES 24
/* Regions that a kernel reserves besides those of its nodes (docs/kernel.md: 122 for 28 nodes). */
#define REGIONS_BESIDES 10
/* Another kernel may need so many fewer.  If it does not, it panics, and MSG_PANIC_REGIONS says why. */
#define REGIONS_UNSURE 6

/* A symbol that a kernel has if it was configured for something. */
struct feature {
    const char *symbol, *or_symbol; /* the second, if not NULL, does as well */
    const char *config;
    const char *why;
    bool share; /* only -s needs it */
    bool found;
};

enum { JIFFIES, RESERVED, NODES, MEMCG, PTES, VALUES };

struct search {
    struct feature *feature;
    size_t nfeatures;
    GElf_Sym value[VALUES];
    bool found[VALUES];
    bool any; /* there is a symbol table */
};

static void look_at_symbol(struct search *s, const char *name, const GElf_Sym *sym)
{
    static const char *const values[VALUES] = {
        [JIFFIES] = "jiffies_64",     [RESERVED] = "memblock_reserved_init_regions",
        [NODES] = "__node_data",      [MEMCG] = "memory_cgrp_subsys",
        [PTES] = "invalid_pte_table", /* a page of page table entries */
    };

    for (size_t i = 0; i < s->nfeatures; i++) {
        struct feature *f = &s->feature[i];

        f->found |= !strcmp(name, f->symbol) || (f->or_symbol && !strcmp(name, f->or_symbol));
    }
    for (size_t i = 0; i < VALUES; i++) {
        if (!strcmp(name, values[i])) {
            s->value[i] = *sym;
            s->found[i] = true;
        }
    }
}

static void search(Elf *elf, struct search *s)
{
    GElf_Shdr sh;
    GElf_Sym sym;
    Elf_Scn *scn = NULL;

    while ((scn = elf_nextscn(elf, scn))) {
        Elf_Data *data = NULL;

        if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize)
            continue;
        data = elf_getdata(scn, NULL);
        for (size_t i = 1; data && i < sh.sh_size / sh.sh_entsize; i++) {
            const char *name;

            if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
                continue;
            name = elf_strptr(elf, sh.sh_link, sym.st_name);
            if (name)
                look_at_symbol(s, name, &sym);
            s->any = true;
        }
    }
}

/* The first value of jiffies is 300 seconds before 32 bits wrap; 0 if it is none. */
static unsigned int find_hz(Elf *elf, const GElf_Sym *sym)
{
    GElf_Shdr sh;
    Elf_Scn *scn = elf_getscn(elf, sym->st_shndx);
    Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
    const unsigned char *p;
    uint64_t at, v = 0;

    if (!data || !data->d_buf || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
        return 0;
    at = sym->st_value - sh.sh_addr;
    if (at > data->d_size || data->d_size - at < 8)
        return 0;
    p = (const unsigned char *)data->d_buf + at;
    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    if (v >> 32 || (0x100000000u - v) % 300)
        return 0;
    return (unsigned int)((0x100000000u - v) / 300);
}

/* True if the kernel cannot hold the machine's nodes; a line says so. */
static bool is_too_small(const char *path, const struct machine *m, const struct search *s)
{
    uint64_t have = s->value[RESERVED].st_size / REGION_BYTES, need = REGIONS_BESIDES;

    if (s->found[NODES] && s->value[NODES].st_size && m->nodes > s->value[NODES].st_size / 8) {
        complain(MSG_KERNEL_NODES, path, (unsigned int)(s->value[NODES].st_size / 8), m->nodes);
        return true;
    }
    /* Data, a usage map, and the memory maps: of each bank, or of both where they fit together. */
    need += 2 * m->nodes + (s->found[MEMCG] ? m->nodes : m->banks);
    if (s->found[RESERVED] && have && need > have + REGIONS_UNSURE) {
        complain(MSG_KERNEL_REGIONS, path, (unsigned int)have, m->nodes, (unsigned int)need);
        return true;
    }
    return false;
}

/* Where the last segment that is loaded ends in the file. */
static off_t end_of_loaded(Elf *elf)
{
    GElf_Phdr ph;
    size_t n = 0;
    uint64_t end = 0;

    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++) {
        if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
            continue;
        if (ph.p_offset + ph.p_filesz > end)
            end = ph.p_offset + ph.p_filesz;
    }
    return (off_t)end;
}

int kernel_open(const struct options *opt, const struct machine *m, struct kernel *k)
{
    struct feature feature[] = {
        { "devtmpfs_init", NULL, "CONFIG_DEVTMPFS", "process 1 needs /dev", false, false },
        { "virtio_pci_probe", NULL, "CONFIG_VIRTIO_PCI", "the command's streams need it", false,
          false },
        { "virtcons_probe", NULL, "CONFIG_VIRTIO_CONSOLE", "the command's streams need it", false,
          false },
        { "sgi_w1_probe", NULL, "CONFIG_W1_MASTER_SGI", "the PCI bus needs it", false, false },
        { "w1_eprom_add_slave", NULL, "CONFIG_W1_SLAVE_DS250X", "the PCI bus needs it", false,
          false },
        { "nvmem_register", NULL, "CONFIG_NVMEM", "the PCI bus needs it", false, false },
        { "p9_virtio_probe", NULL, "CONFIG_NET_9P_VIRTIO", "-s needs it", true, false },
        { "v9fs_mount", "v9fs_init_fs_context", "CONFIG_9P_FS", "-s needs it", true, false },
    };
    struct search s = { .feature = feature, .nfeatures = sizeof(feature) / sizeof(*feature) };
    int fd = open(opt->kernel, O_RDONLY | O_CLOEXEC), result = 0;
    GElf_Ehdr eh;
    Elf *elf;

    *k = (struct kernel){ .page = KERNEL_PAGE };
    if (fd < 0) {
        complain(MSG_KERNEL, opt->kernel, strerror(errno));
        return -1;
    }
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf || !gelf_getehdr(elf, &eh) || eh.e_machine != EM_MIPS ||
        eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2MSB) {
        complain(MSG_KERNEL, opt->kernel, "not an ELF file of a 64-bit big-endian MIPS");
        result = -1;
    } else {
        search(elf, &s);
        k->loaded = end_of_loaded(elf);
    }
    if (s.found[JIFFIES])
        k->hz = find_hz(elf, &s.value[JIFFIES]);
    if (s.found[PTES] && s.value[PTES].st_size)
        k->page = (unsigned int)s.value[PTES].st_size;
    for (size_t i = 0; s.any && !result && i < s.nfeatures; i++) {
        if (!feature[i].found && (opt->share || !feature[i].share)) {
            complain(MSG_KERNEL_LACKS, opt->kernel, feature[i].config, feature[i].why);
            result = -1;
        }
    }
    if (!result && is_too_small(opt->kernel, m, &s))
        result = -1;
    if (!result && k->page != KERNEL_PAGE) {
        complain(opt->profile ? MSG_KERNEL_PAGES : MSG_KERNEL_MODULES, opt->kernel, k->page / 1024,
                 KERNEL_PAGE / 1024);
        result = opt->profile ? -1 : 0;
    }
    elf_end(elf);
    close(fd);
    return result;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the board looks for in a kernel's file (firmware/elf-check.h).  A small good file is
 * damaged field by field.  Then its bytes are changed at random, and whatever is still accepted
 * is read as QEMU's loader reads it, in a copy of just the file's length, so that the sanitizer
 * sees each byte that is read beyond the file or one of its tables.
 */
/* sources: qemu-origin/board/firmware/elf-check.c */
#include <elf.h>
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "firmware/elf-check.h"

/* A kernel: one segment, three sections, two symbols */
static struct file {
    Elf64_Ehdr eh;
    Elf64_Phdr ph;
    Elf64_Shdr sh[3];
    Elf64_Sym sym[2];
    char names[8];
    char text[16];
} good;

#define AT(field) htobe64(offsetof(struct file, field))

static int make(void **state)
{
    (void)state;
    memset(&good, 0, sizeof(good));
    memcpy(good.eh.e_ident, ELFMAG, SELFMAG);
    good.eh.e_ident[EI_CLASS] = ELFCLASS64;
    good.eh.e_ident[EI_DATA] = ELFDATA2MSB;
    good.eh.e_machine = htobe16(EM_MIPS);
    good.eh.e_phoff = AT(ph);
    good.eh.e_phnum = htobe16(1);
    good.eh.e_shoff = AT(sh);
    good.eh.e_shnum = htobe16(3);
    good.ph.p_type = htobe32(PT_LOAD);
    good.ph.p_offset = AT(text);
    good.ph.p_paddr = htobe64(0xa800000000100000ull);
    good.ph.p_filesz = htobe64(sizeof(good.text));
    good.ph.p_memsz = htobe64(4096);
    good.sh[1].sh_type = htobe32(SHT_SYMTAB);
    good.sh[1].sh_offset = AT(sym);
    good.sh[1].sh_size = htobe64(sizeof(good.sym));
    good.sh[1].sh_link = htobe32(2);
    good.sh[2].sh_type = htobe32(SHT_STRTAB);
    good.sh[2].sh_offset = AT(names);
    good.sh[2].sh_size = htobe64(sizeof(good.names));
    good.sym[1].st_name = htobe32(1);
    memcpy(good.names, "\0start", 7);
    return 0;
}

static void refused(const char *why)
{
    const char *said = origin_elf_check(&good, sizeof(good));

    assert_non_null(said);
    assert_string_equal(said, why);
    make(NULL);
    assert_null(origin_elf_check(&good, sizeof(good)));
}

static void test_fields(void **state)
{
    (void)state;
    assert_null(origin_elf_check(&good, sizeof(good)));
    assert_string_equal(origin_elf_check(NULL, 0), "is no ELF file");
    good.eh.e_ident[0] = 0;
    refused("is no ELF file");
    good.eh.e_ident[EI_CLASS] = ELFCLASS32;
    refused("is an ELF file of a 32-bit machine");
    good.eh.e_phoff = htobe64(sizeof(good));
    refused("is cut short: no table of segments");
    good.eh.e_phnum = htobe16(0xffff);
    refused("is cut short: no table of segments");
    good.ph.p_offset = htobe64(-8ull); /* offset and size wrap */
    refused("is cut short: a segment lies beyond its end");
    good.ph.p_memsz = htobe64(8);
    refused("is damaged: a segment has an impossible size");
    good.ph.p_memsz = htobe64(~0ull);
    refused("is damaged: a segment has an impossible size");
    good.eh.e_shoff = htobe64(-64ull);
    refused("is cut short: no table of sections");
    good.sh[1].sh_size = htobe64(1ull << 60); /* more than the host's memory */
    refused("is cut short: a section lies beyond its end");
    good.sh[0].sh_type = htobe32(SHT_RELA);
    good.sh[0].sh_size = htobe64(1ull << 60);
    refused("is cut short: a section lies beyond its end");
    good.sh[2].sh_offset = htobe64(sizeof(good));
    refused("is cut short: the names of symbols lie beyond its end");
    good.sh[2].sh_size = 0;
    refused("is damaged: the names of symbols have no end");
    good.names[7] = 'x';
    refused("is damaged: the names of symbols have no end");
    good.sym[0].st_name = htobe32(sizeof(good.names));
    refused("is damaged: a symbol without a name");
    good.sh[1].sh_link = htobe32(3); /* the loader ignores such symbols */
    assert_null(origin_elf_check(&good, sizeof(good)));
    make(NULL);
    for (size_t len = 0; len < sizeof(good); len++) {
        char *cut = malloc(len ? len : 1);

        memcpy(cut, &good, len);
        assert_non_null(origin_elf_check(cut, len));
        free(cut);
    }
}

static unsigned long reads;

static void look(const char *file, uint64_t at, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        reads += (unsigned char)file[at + i];
    }
}

/* As the loader does it */
static void read_as_loader(const char *file)
{
    Elf64_Ehdr eh;
    Elf64_Phdr ph;
    Elf64_Shdr sh, names;
    Elf64_Sym sym;

    memcpy(&eh, file, sizeof(eh));
    for (unsigned i = 0; i < be16toh(eh.e_phnum); i++) {
        memcpy(&ph, file + be64toh(eh.e_phoff) + i * sizeof(ph), sizeof(ph));
        if (be32toh(ph.p_type) == PT_LOAD) {
            look(file, be64toh(ph.p_offset), be64toh(ph.p_filesz));
            assert_true(be64toh(ph.p_memsz) <= 1ull << 32);
        }
    }
    for (unsigned i = 0; i < be16toh(eh.e_shnum); i++) {
        memcpy(&sh, file + be64toh(eh.e_shoff) + i * sizeof(sh), sizeof(sh));
        if (be32toh(sh.sh_type) == SHT_RELA) {
            look(file, be64toh(sh.sh_offset), be64toh(sh.sh_size));
        }
        if (be32toh(sh.sh_type) != SHT_SYMTAB || be32toh(sh.sh_link) >= be16toh(eh.e_shnum)) {
            continue;
        }
        memcpy(&names, file + be64toh(eh.e_shoff) + be32toh(sh.sh_link) * sizeof(sh),
               sizeof(names));
        for (uint64_t k = 0; k < be64toh(sh.sh_size) / sizeof(sym); k++) {
            char *text = malloc(be64toh(names.sh_size));

            memcpy(text, file + be64toh(names.sh_offset), be64toh(names.sh_size));
            memcpy(&sym, file + be64toh(sh.sh_offset) + k * sizeof(sym), sizeof(sym));
            reads += strlen(text + be32toh(sym.st_name));
            free(text);
        }
    }
}

static void test_random(void **state)
{
    unsigned accepted = 0;

    (void)state;
    srandom(1);
    for (unsigned i = 0; i < 200000; i++) {
        size_t len = sizeof(good) - (random() % 4 ? 0 : random() % sizeof(good.text));
        char *file = malloc(len);

        memcpy(file, &good, len);
        for (unsigned n = random() % 4 + 1; n; n--) {
            /* behind the identity, so that most remain kernels */
            file[EI_NIDENT + random() % (len - EI_NIDENT)] = random() & 1 ? random() : 0xff;
        }
        if (!origin_elf_check(file, len)) {
            accepted++;
            read_as_loader(file);
        }
        free(file);
    }
    /* neither refuses nor accepts everything */
    assert_in_range(accepted, 1000, 190000);
    assert_true(reads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_fields, make),
        cmocka_unit_test_setup(test_random, make),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

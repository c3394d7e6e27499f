/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the image reader share; see image.h. */
#ifndef IMAGE_PRIVATE_H
#define IMAGE_PRIVATE_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "image.h"

struct symbol {
    uint64_t address, end; /* end == address: unknown size, reaches to the next symbol */
    const char *name;
    int rank; /* of several at one address the highest wins */
};

struct symbols {
    struct symbol *v;
    size_t n, room;
};

struct image {
    int fd;
    Elf *elf;
    Dwarf *dwarf;  /* NULL: no debug information */
    bool stripped; /* it has no table of symbols but that of dynamic linking */
    bool parts;    /* it is relocatable: a kernel module, each of whose sections lies elsewhere */
    struct symbols functions, objects;
    struct variable *variables; /* by address; NULL until they are wanted */
    size_t nvariables, variables_room;
    bool variables_read;
    void *names; /* a tree of those that were demangled (names.c) */
    void *files; /* a tree of paths that were joined (files.c) */
};

/* The symbol of @s that contains @address, or NULL. */
const struct symbol *image_find_symbol(const struct symbols *s, uint64_t address);

/* @name as the source has it, without parameters; @name itself if it is none of C++.  NULL: NULL. */
const char *image_plain_name(struct image *m, const char *name);
/* The name of C++ that @die or its origin has for the linker, as the source has it; NULL: it has none. */
const char *image_linkage_name(struct image *m, Dwarf_Die *die);
void image_forget_names(struct image *m);

/* The path of a source file that debug information of @unit calls @name: absolute, if the compiler's directory is known. */
const char *image_file_path(struct image *m, Dwarf_Die *unit, const char *name);
void image_forget_files(struct image *m);

/* Types and scopes nest; debug information that was damaged must not make us recurse for ever. */
#define IMAGE_DEEPEST 32

/* The type of a variable, a member, a function's result, as it is declared.  NULL: none. */
Dwarf_Die *image_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* The same, by its number (image.h). */
uint64_t image_type_number(struct image *m, Dwarf_Die *die);

/* The function that frame @n of @address is an instance of.  False: not known. */
bool image_scope(struct image *m, uint64_t address, int n, Dwarf_Die *unit, Dwarf_Die *scope);

/* realloc() for arrays that grow; exits when there is no memory. */
void *image_grow(void *p, size_t n, size_t *room, size_t each);

#endif

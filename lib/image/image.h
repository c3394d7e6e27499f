/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code addresses are resolved here and nowhere else on the host: by reports, by sndump, by
 * the launcher.  What an ELF file of the guest says about its addresses: functions, source lines,
 * inlined frames, static variables and their members.  elfutils' libdw reads the
 * debug information, libelf the symbols; both know the files' byte order.
 *
 * Addresses are those of the file (p_vaddr of its segments; image_section() has those of a
 * relocatable file, whose lines and types are not known).  The caller subtracts
 * where a shared library was loaded; image_address() turns an offset in the file, as
 * a mapping has it, into such an address.
 *
 * Functions and variables of C++ have the names of the source, "ns::worker::run", without
 * parameters.
 *
 * What is missing costs only what depends on it: without debug information there are
 * symbols, without these there are those of dynamic linking, and image_lacks() says which.
 *
 * Strings belong to the image.  An image is for one thread at a time.
 *
 *   image.c      the file and its symbols     lines.c   lines and frames
 *   variables.c  statics                      names.c   names of C++
 *   types.c      types and members            scopes.c  variables that an address can see
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* A place in the source.  A function that was inlined has the place of its own code. */
struct frame {
    const char *function; /* NULL: unknown */
    const char *file;     /* NULL: unknown; absolute if the compiler's directory is known */
    int line, column;     /* 0: unknown */
    bool inlined;         /* the next frame is its caller, in the same machine function */
};

/* A variable that exists as long as the program: global, or static in a file or function. */
struct variable {
    const char *name;
    uint64_t address, size; /* bytes; size 0: unknown */
    const char *file;       /* where it is declared; NULL: unknown */
    int line;
    uint64_t die; /* offset of its debug information; 0: known from a symbol only */
};

/*
 * Open the ELF file @path.  NULL with errno when it cannot be read, or with errno
 * ENOEXEC when it is no regular file, or none that libelf understands.
 */
struct image *image_open(const char *path);
void image_close(struct image *m);

/*
 * Why the answers are poorer than they could be: "no debug information (compile with
 * -g)", "stripped: symbols of dynamic linking only", or NULL.
 */
const char *image_lacks(const struct image *m);

/* The address behind the last byte that a segment loads; 0: none does. */
uint64_t image_end(const struct image *m);

/* The address of byte @offset of the file; false if no segment loads it. */
bool image_address(const struct image *m, uint64_t offset, uint64_t *address);

/*
 * The address and the size of a section of a relocatable file, whose sections are loaded one by
 * one.  False: it has none of that name, or is not relocatable.
 */
bool image_section(const struct image *m, const char *name, uint64_t *address, uint64_t *size);

/*
 * The function of the symbol table that contains @address, and where it starts.  NULL:
 * none.  A symbol without a size reaches to the next one.
 */
const char *image_function(struct image *m, uint64_t address, uint64_t *start);

/*
 * The first address from @address on, less than @bytes further, that is in a function: what lies
 * before may be filling between functions.  @address itself if there is none, or if the file is
 * stripped, where functions without a symbol may be.
 */
uint64_t image_code(struct image *m, uint64_t address, uint64_t bytes);

/*
 * The frames at @address, innermost first: the functions inlined there, then the
 * function itself.  Returns their number, at most @most; 0 if nothing is known.
 */
int image_frames(struct image *m, uint64_t address, struct frame *f, int most);

/*
 * The function of the symbol table and the innermost line at @address, without looking for
 * inlined functions: a hundred times faster.  False if nothing is known.
 */
bool image_line(struct image *m, uint64_t address, struct frame *f);

/* The static variable that contains @address.  False: none is known. */
bool image_variable(struct image *m, uint64_t address, struct variable *v);

/*
 * What lies at @offset of variable @v, as C writes it after the variable's name:
 * ".hits", "[3].lock", "" for a scalar or an unknown type.  Always terminates @text.
 */
void image_member(struct image *m, const struct variable *v, uint64_t offset, char *text,
                  size_t size);

/* The type of @v as C writes it, "struct pair [4]"; "" if it is unknown. */
void image_type(struct image *m, const struct variable *v, char *text, size_t size);

/*
 * Types, by a number in this image; 0: none, or not known.  Names of members are compared as Fortran does, without
 * regard to capitals.
 */
uint64_t image_variable_type(struct image *m, const struct variable *v);
/*
 * The type of the variable @name that frame @n (image_frames()) at @address sees, or of a member of its object in C++;
 * and the line of its declaration, 0: unknown.
 */
uint64_t image_seen_type(struct image *m, uint64_t address, int n, const char *name, int *line);
/* Is the code at @address of a unit in C++? */
bool image_is_cxx(struct image *m, uint64_t address);
/* What the function of that frame returns, and the line of its declaration. */
uint64_t image_returned_type(struct image *m, uint64_t address, int n, int *line);
/* A type as the source of @address names it: "struct pair", "unsigned long", "ns::node". */
uint64_t image_named_type(struct image *m, uint64_t address, const char *name);
uint64_t image_member_type(struct image *m, uint64_t structure, const char *name);
/* What a pointer or reference refers to, or the elements of an array. */
uint64_t image_target_type(struct image *m, uint64_t type);
/* The elements of an array of any dimension; of another type itself. */
uint64_t image_element_type(struct image *m, uint64_t type);
bool image_type_is_reference(struct image *m, uint64_t type);
bool image_type_is_structure(struct image *m, uint64_t type); /* or a union, or class */
uint64_t image_type_size(struct image *m, uint64_t type);     /* bytes; 0: unknown */
void image_type_name(struct image *m, uint64_t type, char *text, size_t size);

/* A member that is no structure itself, but may be in members that are. */
struct leaf {
    char name[128];        /* ".inner.hits"; "": of what is no structure */
    uint64_t offset, size; /* size 0: an array to the end of the block */
};

/* The member of structure @type at byte @offset.  False: filling, or no structure. */
bool image_leaf(struct image *m, uint64_t type, uint64_t offset, struct leaf *leaf);

/* Are the addresses of the file those in memory (no shared library, no relocatable file)? */
bool image_is_fixed(const struct image *m);

/* The address of a symbol of the symbol table. */
bool image_symbol(struct image *m, const char *name, uint64_t *address);

/* Show @see the names of all variables or functions of the symbol table, as the source has them. */
void image_names(struct image *m, bool functions, void (*see)(void *opaque, const char *name),
                 void *opaque);

/* The function @name, as the source or the file has it, from its first address to the one behind its last; false: there is none. */
bool image_extent(struct image *m, const char *name, uint64_t *start, uint64_t *end);

/* The @n bytes of the file that are loaded to @address; NULL: not all of them are in the file. */
const unsigned char *image_bytes(const struct image *m, uint64_t address, uint64_t n);

/* Is it a program of the guest: big-endian MIPS? */
bool image_is_guest(const struct image *m);

/*
 * The size in bytes of a structure or union, or the byte offset of one of its members,
 * which may be a member's member ("thread.reg29").  False if there is none.
 */
bool image_size(struct image *m, const char *structure, uint64_t *size);
bool image_offset(struct image *m, const char *structure, const char *member, uint64_t *offset);

#endif

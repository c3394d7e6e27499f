/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code a program counter is, and which object an address is.
 *
 * Code and objects are numbered; equal ones have the same number.  Files of the guest are found on
 * the host through run.csv: the share, the list of the initramfs, the kernel.  What a file lacks is
 * said once, on stderr.
 */
#ifndef LAUNCHER_PROFILE_RESOLVE_H
#define LAUNCHER_PROFILE_RESOLVE_H

#include "image.h"
#include "read.h"

#define FRAMES 8 /* inlined functions at one place, itself included */

struct code {
    const char *function; /* the symbol; "[exception]" and the like; "0xADDRESS" in @image */
    const char *image;    /* the file's name in the guest, "[kernel]", "[module snpc]", "?" */
    const char *file;     /* of the program's own line (resolver_new); NULL: not known */
    int line;
    int own; /* the frame of that line; those before it are of a library */
    int frames;
    struct frame frame[FRAMES]; /* innermost first */
};

enum object_kind {
    OBJECT_STATIC, /* a variable of a program, library, or the kernel */
    OBJECT_HEAP,   /* the blocks of one allocation site */
    OBJECT_STACK,  /* of one thread */
    OBJECT_CODE,   /* instructions and constants of a file */
    OBJECT_KERNEL, /* memory of the kernel without a name */
    OBJECT_OTHER,
};

struct object {
    enum object_kind kind;
    char *name;  /* "counters", "block of malloc()", "stack of worker:123" */
    char *type;  /* "struct pair [4]"; "": not known */
    char *where; /* "prog.c:12", where it is declared or allocated; "": not known */
    uint64_t bytes;
    bool kernel;         /* the kernel's, not the program's */
    struct image *image; /* of a static variable */
};

struct resolver;

/*
 * @libraries: directories between colons.  What a file below one of them does, and the compiler
 * inlined into a function of the program, is told of the line that called it.  Not "": a
 * block of the heap is told of the first caller that is no library's, too.
 */
struct resolver *resolver_new(const struct profile *p, const char *libraries);

/* Fill in `code` of all stalls, `code` and `object` of all misses, of our threads. */
void resolve_all(struct resolver *r, struct profile *p);

/* The same of one miss, whoever made it. */
void resolve_miss(struct resolver *r, struct miss *m);

/* The code at @pc of @who (NULL: the kernel only). */
int resolve_code(struct resolver *r, const struct thread *who, uint64_t pc);
const struct code *code_at(const struct resolver *r, int code);
const struct object *object_at(const struct resolver *r, int object);
int object_count(const struct resolver *r);

/* "counters (struct pair, prog.c:12)".  Free it. */
char *object_text(const struct object *o);

/*
 * What a miss touched, as text: "counters[1].hits", "block of malloc()+64".  @low: use this
 * address instead of the miss's.
 */
char *resolve_place(struct resolver *r, const struct miss *m);

/* " through std::swap(), HEADER:204": the innermost function of a library there; "": none.  Free it. */
char *code_through(const struct code *c);

/* The function of the program's own line. */
const char *code_function(const struct code *c);

/* "prog.c:12", without directories, or "image+0x123"; for tables. */
char *code_place(const struct code *c);

/* The file on the host that has source file @file; NULL if there is none.  Free it. */
char *resolve_source(const struct resolver *r, const char *file);

#endif

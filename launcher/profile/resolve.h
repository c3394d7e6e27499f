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

#include "code.h"
#include "read.h"

enum object_kind {
    OBJECT_STATIC, /* a variable of a program, library, or the kernel */
    OBJECT_HEAP,   /* the blocks of one allocation site */
    OBJECT_STACK,  /* of one thread */
    OBJECT_CODE,   /* instructions and constants of a file */
    OBJECT_KERNEL, /* memory of the kernel that is no variable */
    OBJECT_OTHER,
};

struct object {
    enum object_kind kind;
    char *name;  /* "counters", "block of malloc()", "stack of worker:123" */
    char *type;  /* "struct pair [4]"; "": not known */
    char *where; /* "prog.c:12", where it is declared or allocated; "": not known */
    uint64_t bytes;
    bool kernel;         /* the kernel's, not the program's */
    struct image *image; /* of a static variable, or of a block's type */
    uint64_t element; /* its type, or that of the elements of an array, in @image; 0: not known */
    char *path;       /* of a block: who called the allocator, see allocation.h; NULL: no block */
    int paths;        /* how many such paths its blocks have */
};

struct resolver;

/*
 * @libraries: directories between colons.  What a file below one of them does, and the compiler
 * inlined into a function of the program, is told of the line that called it.  Not "": a
 * block of the heap is told of the first caller that is no library's, too.
 * @wrappers: functions between colons that allocate for their callers, whatever they return (allocation.h).
 * @locks: how the names of the kernel's functions begin that take its locks, between colons; NULL: kernel_locks.h
 */
struct resolver *resolver_new(const struct profile *p, const char *libraries, const char *wrappers,
                              const char *locks);

/* Fill in `code` of all stalls and of what was computed, `code` and `object` of all misses, of our threads. */
void resolve_all(struct resolver *r, struct profile *p);

/* The same of one miss, whoever made it. */
void resolve_miss(struct resolver *r, struct miss *m);

/*
 * The code that a miss is told of where one place is told of many: if functions of a lock of the kernel made it, who
 * called the outermost of them, and in @lock the innermost one's name; else its own, and NULL.
 */
int resolve_taker(struct resolver *r, const struct miss *m, const char **lock);

/* Is it a function of the kernel that takes or gives back a lock? */
bool resolve_is_lock(const struct resolver *r, int code);
/* Is it what processors wait on that queue for a spinlock, whichever that is? */
bool resolve_is_queue(const struct object *o);

/*
 * The same code, but what one of the kernel's headers does inside a function is told of the function's file and line, as
 * what a library does is.  For few: looking for inlined functions of the kernel takes long.
 */
int resolve_outer(struct resolver *r, int code);

/* Is @code's line the program's own, and no library's? */
bool resolve_own(const struct resolver *r, int code);

/*
 * The mode in which a miss was made: "user", "kernel", or "interrupt".  A profile that does not say is asked for the
 * calls: "interrupt" if the kernel was called by its handler of interrupts, "-" if the instruction is not known.
 */
const char *resolve_mode(struct resolver *r, const struct miss *m);

/* The code at @pc of @who (NULL: the kernel only). */
int resolve_code(struct resolver *r, const struct thread *who, uint64_t pc);
const struct code *code_at(const struct resolver *r, int code);

/* code_place() of it, interned */
const char *resolve_code_place(struct resolver *r, int code);

const struct object *object_at(const struct resolver *r, int object);
int object_count(const struct resolver *r);

/* "counters (struct pair, prog.c:12)".  Free it. */
char *object_text(const struct object *o);

/*
 * What a miss touched, as text: "counters[1].hits"; of a block of structures "struct pair.left", whichever it was; else
 * "block of malloc()+64".
 */
char *resolve_place(struct resolver *r, const struct miss *m);

/*
 * Where in an element of its object's type a miss was.  False: the type, or the address within it, is not known.
 * @begin: of the element in memory.
 */
bool resolve_member(struct resolver *r, const struct miss *m, struct leaf *leaf, uint64_t *begin);

/* The file on the host that has source file @file; NULL if there is none.  Free it. */
char *resolve_source(const struct resolver *r, const char *file);

#endif

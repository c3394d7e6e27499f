/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who asked for a block of the heap, and of what type it is.
 *
 * The type is that of the pointer which the block is stored in, as the source says at the line of the call; else of
 * its cast, of `new T`, of the size that was asked for, of what a function of a library or of the program returns.
 * Source that was changed after the program was compiled tells nothing.
 *
 * A wrapper is a function that returns what an allocator returned, as `void *` or `char *`, or a constructor of C++:
 * its caller asked.
 */
#ifndef LAUNCHER_PROFILE_ALLOCATION_H
#define LAUNCHER_PROFILE_ALLOCATION_H

#include "code.h"
#include "read.h"
#include "source_words.h"

struct allocation {
    const struct code *code; /* that asked: no library and no wrapper, where one is known */
    int frame;               /* of it */
    struct image *image;     /* of the type */
    uint64_t type;           /* of the elements; 0: not known */
    const char *library;     /* "libgomp.so.1", which asked in its own name; NULL: none */
    char *path;              /* "xcalloc (FILE:12) < main (FILE:7)": all calls that are known */
};

/* What is asked of @r, who knows the profile. */
struct asked {
    void *r;
    const struct code *(*code)(void *r, const struct thread *who, uint64_t pc);
    bool (*is_library)(void *r, const char *file);
    /* The words of source @file; NULL: they are not known. */
    const struct words *(*words)(void *r, const struct image *program, const char *file);
    GHashTable *call_by_path; /* struct call */
    char **wrappers;          /* names of functions that allocate for their callers, NULL-ended */
};

void allocation_find(const struct asked *q, const struct thread *who, const struct block *b,
                     struct allocation *a);

#endif

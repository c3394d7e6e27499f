/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses by type and member, over all objects.
 *
 * The elements of all arrays and blocks of a type are laid over each other.  What has no type, or an address that was
 * merged, is of a type or member of its own, so that all types add up to all misses.
 */
#ifndef LAUNCHER_PROFILE_TYPES_H
#define LAUNCHER_PROFILE_TYPES_H

#include "tally.h"

struct type_member {
    struct leaf leaf;
    struct sum sum;
    GHashTable *elements;  /* where they begin -> struct element (types.c) */
    bool written, several; /* by anybody; by several threads in one element */
    int group;             /* of members with false sharing that the same threads use; 0: none */
};

struct type {
    const char *name;
    struct image *image;
    uint64_t type, size;  /* 0: not known */
    struct sum sum, rest; /* rest: of no member */
    GPtrArray *members;   /* struct type_member, by offset: those that missed */
    GPtrArray *objects;   /* their texts, the costliest first */
    bool lines[LINE_MOST];
    uint64_t line;          /* bytes of one */
    uint64_t begins, first; /* elements begin at so many bytes of a line, and the first of them */
};

/* The costliest first.  Each call makes them anew. */
GPtrArray *types_of(const struct tally *t);

/* Which members should not be on one line, because threads share it falsely; NULL: none.  Free it. */
char *type_apart(const struct type *k);

/* Which members are used together but lie on more lines than they fill; NULL: none.  Free it. */
char *type_together(const struct type *k);

#endif

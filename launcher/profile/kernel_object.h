/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel uses a block of its memory for: rows of heap.csv whose `how` stands in brackets (docs/profile-format.md). */
#ifndef LAUNCHER_PROFILE_KERNEL_OBJECT_H
#define LAUNCHER_PROFILE_KERNEL_OBJECT_H

#include <glib.h>

#include "image.h"

struct kernel_use {
    char *name;      /* "struct mm_struct", "slab kmalloc-192", "page table" */
    char *where;     /* "slab mm_struct", of what has a type; "": nothing to add */
    uint64_t type;   /* in the kernel's image; 0: not known */
    uint64_t stride; /* bytes from one object to the next */
};

/*
 * NULL: @how is no such text.  @known: a table that keeps what was found, with text_hash() and g_str_equal().
 * @kernel: NULL if there is none.
 */
const struct kernel_use *kernel_use(GHashTable *known, struct image *kernel, const char *how);

/* The part of a member's name that names an object: ".mmap_lock" of ".mmap_lock.count.counter".  Free it. */
char *kernel_member(const char *leaf);

#endif

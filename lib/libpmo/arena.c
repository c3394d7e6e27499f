// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: arenas, memory in small pieces on the node of an MLD.  <sys/pmo.h> has the interface for
 * programs.
 *
 *   | struct arena | block | bytes | block | bytes | ... | last block, empty and used |
 *
 * An arena is one mapping.  Blocks follow each other, used or free.  A block knows its own bytes
 * and those of the block before it, so that free neighbours can be joined.  A request takes the
 * first free block that is large enough.  All threads of the process may use an arena; a child of
 * fork() has a copy.
 *
 * Left out: acreate() on memory of the caller's or memory that processes share, and growing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "object.h"
#include "range.h"

#define MAGIC 0x6172656e61ull
#define UNIT  16UL /* blocks are multiples of it, and so are their addresses */

/* The arena's lock guards it. */
struct block {
    size_t bytes;  /* with this header; bit 0: used */
    size_t before; /* bytes of the block before it; 0: this is the first */
};

/* The start of the mapping; adelete() unmaps it. */
struct arena {
    uint64_t magic;       /* MAGIC until adelete() */
    pthread_mutex_t lock; /* guards the blocks */
    size_t bytes;         /* of the mapping */
    pmo_handle_t pm;      /* attached to it */
} __attribute__((aligned(16)));

_Static_assert(sizeof(struct block) == UNIT && sizeof(struct arena) % UNIT == 0, "alignment");

static size_t bytes_of(const struct block *b)
{
    return b->bytes & ~1UL;
}

static int is_used(const struct block *b)
{
    return b->bytes & 1;
}

static struct block *first(struct arena *a)
{
    return (struct block *)(a + 1);
}

static struct block *after(const struct block *b)
{
    return (struct block *)((char *)b + bytes_of(b));
}

/* The last block is empty and used. */
static int is_last(const struct block *b)
{
    return !bytes_of(b);
}

void *numa_acreate(pmo_handle_t mld, size_t arena_size, size_t page_size)
{
    size_t size = sysconf(_SC_PAGESIZE), bytes = (arena_size + size - 1) & -size;
    struct block *b, *last;
    pmo_handle_t pm;
    struct arena *a;

    if (arena_size < sizeof(*a) + 3 * UNIT || bytes < arena_size) {
        errno = EINVAL;
        return NULL;
    }
    pm = pm_create_simple("PlacementFixed", (void *)mld, NULL, NULL, page_size);
    if (pm < 0)
        return NULL;
    a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a == MAP_FAILED || pm_attach(pm, a, bytes)) {
        if (a != MAP_FAILED)
            munmap(a, bytes);
        pm_destroy(pm);
        return NULL;
    }
    *a = (struct arena){ .magic = MAGIC, .bytes = bytes, .pm = pm };
    pthread_mutex_init(&a->lock, NULL);
    b = first(a);
    last = (struct block *)((char *)a + bytes) - 1;
    *b = (struct block){ .bytes = (char *)last - (char *)b };
    *last = (struct block){ .bytes = 1, .before = b->bytes };
    return a;
}

/* The arena locked, or NULL: EINVAL. */
static struct arena *enter(void *arena)
{
    struct arena *a = arena;

    if (!a || a->magic != MAGIC) {
        errno = EINVAL;
        return NULL;
    }
    pthread_mutex_lock(&a->lock);
    return a;
}

/* Use @need bytes of a block that is free or the caller's.  The rest becomes a free block. */
static void carve(struct block *b, size_t need)
{
    size_t rest = bytes_of(b) - need;

    if (rest >= 2 * UNIT) {
        after(b)->before = rest;
        b->bytes = need;
        *after(b) = (struct block){ .bytes = rest, .before = need };
    }
    b->bytes |= 1;
}

/* Join a free block with the next one if that is free too. */
static void join(struct block *b)
{
    struct block *next = after(b);

    if (is_used(b) || is_used(next))
        return;
    b->bytes += bytes_of(next);
    after(b)->before = b->bytes;
}

/* Bytes of a block that holds @size bytes; 0: too many. */
static size_t needed(size_t size)
{
    return size > SIZE_MAX / 2 ? 0 : (size + UNIT - 1 + !size) / UNIT * UNIT + sizeof(struct block);
}

void *amalloc(size_t size, void *arena)
{
    size_t need = needed(size);
    struct arena *a = enter(arena);
    struct block *b;

    if (!a)
        return NULL;
    for (b = first(a); !is_last(b) && (is_used(b) || bytes_of(b) < need || !need);)
        b = after(b);
    if (is_last(b))
        b = NULL;
    else
        carve(b, need);
    pthread_mutex_unlock(&a->lock);
    if (!b)
        errno = ENOMEM;
    return b ? b + 1 : NULL;
}

void *acalloc(size_t n, size_t size, void *arena)
{
    size_t all;
    void *p;

    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    p = amalloc(all, arena);
    return p ? memset(p, 0, all) : NULL;
}

void afree(void *p, void *arena)
{
    struct block *b = (struct block *)p - 1;
    struct arena *a;

    if (!p)
        return;
    a = enter(arena);
    if (!a)
        return;
    b->bytes &= ~1UL;
    join(b);
    if (b->before)
        join((struct block *)((char *)b - b->before));
    pthread_mutex_unlock(&a->lock);
}

void *arealloc(void *p, size_t size, void *arena)
{
    struct block *b = (struct block *)p - 1, *next;
    size_t need = needed(size), had;
    struct arena *a;
    void *new;

    if (!p)
        return amalloc(size, arena);
    a = enter(arena);
    if (!a)
        return NULL;
    had = bytes_of(b) - sizeof(*b);
    next = after(b);
    if (need && !is_used(next) && bytes_of(b) < need && bytes_of(b) + bytes_of(next) >= need) {
        b->bytes += bytes_of(next);
        after(b)->before = bytes_of(b);
    }
    if (need && bytes_of(b) >= need) {
        carve(b, need);
        join(after(b));
        pthread_mutex_unlock(&a->lock);
        return p;
    }
    pthread_mutex_unlock(&a->lock);
    new = amalloc(size, arena);
    if (new) {
        memcpy(new, p, had);
        afree(p, arena);
    }
    return new;
}

void adelete(void *arena)
{
    struct arena *a = enter(arena);
    pmo_handle_t pm;
    size_t bytes;

    if (!a)
        return;
    a->magic = 0;
    pm = a->pm;
    bytes = a->bytes;
    pthread_mutex_unlock(&a->lock);
    pmo_forget((unsigned long)a, (unsigned long)a + bytes);
    munmap(a, bytes);
    pm_destroy(pm);
}

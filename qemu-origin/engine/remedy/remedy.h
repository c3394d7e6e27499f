/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual remedies: the machine is told that an object of the program lies
 * elsewhere than it does (docs/whatif.md).  The engine has no data, so only
 * times and counts change.
 *
 *   sn_remedies_new/free()
 *   sn_remedies_add()     a change of the object at a range of addresses
 *   sn_remedies_map()     where the model thinks that an access goes
 *   sn_remedies_known()   the same, if the order of accesses does not matter
 *   sn_remedies_ease()    what part of its latency a miss costs
 *   sn_remedies_ahead()   how far ahead of an access a prefetch is
 *   sn_remedies_huge()    whether the TLB would not have to be refilled
 *
 * A modelled address belongs to the same node as the physical one, unless the
 * remedy says otherwise, and lies beyond the node's memory.  There a directory
 * is needed: sn_machine_extend() (sn.h).
 *
 *   node:   0 ........ memory | pages, each of the colour it had ... <- lines
 *
 * A page keeps its colour, which is its place in the way of a secondary cache.
 * So `place` moves no conflict misses.  Lines of `pad` follow each other, as they
 * would in a padded array.
 *
 * FREE and the like leave the line where it is.  A miss takes its time in the
 * memory system, and the processor waits for a part of it.
 *
 * HUGE is about addresses by themselves: an object may have another remedy, too.
 *
 * Left out: instructions of a modelled object; accesses to the object's memory by other addresses; I/O
 * units.
 */
#ifndef SN_REMEDY_H
#define SN_REMEDY_H

#include "fabric/desc.h"
#include "remedy/kinds.h"

enum sn_remedy_kind {
#define X(NAME, name, argument, text) SN_REMEDY_##NAME,
    SN_REMEDY_LIST(X)
#undef X
        SN_REMEDIES
};

/* Its name in options; kind is in range. */
const char *sn_remedy_name(enum sn_remedy_kind kind);

struct sn_remedy {
    enum sn_remedy_kind kind;
    uint64_t low, high; /* virtual addresses, the last one included */
    /*
     * PAD: bytes of a granule, 1 or more; PLACE: node; PREFETCH: lines, 1 or more;
     * FREE and the like: what a miss still costs, in SN_REMEDY_ONEs
     */
    uint64_t argument;
};

/* An access of a processor, at a virtual address. */
struct sn_touch {
    uint64_t va, pa;
    uint32_t thread; /* a number; 0: none */
    unsigned node;   /* of the processor */
    bool write;
};

struct sn_remedies;

/* NULL: the host has no memory.  desc must outlive it. */
struct sn_remedies *sn_remedies_new(const struct sn_desc *desc);
void sn_remedies_free(struct sn_remedies *r);

#define SN_REMEDY_BAD     (-1) /* no such range, granule or node */
#define SN_REMEDY_OVERLAP (-2) /* another one is about the same addresses */
#define SN_REMEDY_FULL    (-3) /* there are too many, or no memory */
/* The remedy's number, or one of the above. */
int sn_remedies_add(struct sn_remedies *r, const struct sn_remedy *y);

/*
 * Does the access go to another address than t->pa? Then *pa becomes the modelled
 * one.
 */
bool sn_remedies_map(struct sn_remedies *r, const struct sn_touch *t,
                     uint64_t *pa);
/*
 * Do remedies of this kind give copies?  Then the engine does not know that two accesses
 * are to the same memory, and orders them no more.
 */
static inline bool sn_remedy_copies(enum sn_remedy_kind kind)
{
    return kind == SN_REMEDY_PRIVATE || kind == SN_REMEDY_REPLICATE;
}

/*
 * The same where the order of accesses does not matter: the address stands since an
 * earlier access, no other one changes it, and it is no copy.  Several CPUs may ask at the same time,
 * also while one is in any other function from here on.  False: the order matters, and
 * nothing has changed, or no remedy is there.
 */
bool sn_remedies_known(struct sn_remedies *r, const struct sn_touch *t,
                       uint64_t *pa);
/*
 * What a miss still costs, in SN_REMEDY_ONEs: FREE at a virtual address, FREE_CODE
 * of an instruction there, FREE_CAUSE of a cause.
 */
uint32_t sn_remedies_ease(struct sn_remedies *r, enum sn_remedy_kind kind,
                          uint64_t at);
/* Lines by which a prefetch is ahead of an access there; 0: there is none. */
uint32_t sn_remedies_ahead(struct sn_remedies *r, uint64_t va);

/* Is the address on a page of its own size, which the TLB always has? */
bool sn_remedies_huge(struct sn_remedies *r, uint64_t va);

/* Is it an address of no memory? */
bool sn_remedies_beyond(const struct sn_remedies *r, uint64_t pa);

/* Is any object at this virtual address? */
bool sn_remedies_has(const struct sn_remedies *r, uint64_t va);

/* Is any object in the same page of 16 KB? */
bool sn_remedies_near(const struct sn_remedies *r, uint64_t va);

/* Accesses that a remedy has changed */
uint64_t sn_remedies_touched(const struct sn_remedies *r, int number);
/* Accesses that stayed as they are because a node has no more addresses */
uint64_t sn_remedies_refused(const struct sn_remedies *r);

#endif

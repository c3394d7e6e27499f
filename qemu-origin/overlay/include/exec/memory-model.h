/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of the memory hierarchy under generated code
 *
 * With a model attached, the table that generated code looks up for each load
 * and store is a filter: it holds lines of the guest's first-level data cache
 * instead of pages.  An access that hits the most recently used line of its set
 * runs as fast as without a model.  Every other access takes the slow path,
 * which translates it and shows it to the model.  The model answers what the
 * filter may resolve in this line from now on, and takes lines back when its
 * caches lose them.  When a page is flushed, its lines leave the filter; the
 * model is then asked again and finds them in its own tags.  Generated code
 * checks instruction fetches once for each line of code in a block.
 *
 * Left out: helpers that write through a pointer from probe_access(), and
 * user-mode emulation.
 *
 *   memory_model_attach()       before the first CPU exists
 *   memory_model_enable()       take it away for a while
 *   memory_model_drop*()        take lines back from the filter
 *   memory_model_code_addr() and below   for the translator
 */
#ifndef EXEC_MEMORY_MODEL_H
#define EXEC_MEMORY_MODEL_H

#include "exec/hwaddr.h"
#include "exec/mmu-access-type.h"
#include "hw/core/cpu.h"

/* What the filter may resolve in the line from now on; 0: nothing */
#define MEMORY_MODEL_READ  1
#define MEMORY_MODEL_WRITE 2
/* The access ends in a bus error instead */
#define MEMORY_MODEL_FAULT 4

/* Kinds of accesses; of what is loaded, the next instruction may need it. */
enum { MEMORY_MODEL_LOAD, MEMORY_MODEL_STORE, MEMORY_MODEL_AWAITED };

typedef struct MemoryModelOps {
    /*
     * An access to RAM that the filter did not resolve (MEMORY_MODEL_LOAD...).
     * @addr is its virtual, @pa its physical address, @size its bytes in this
     * line, @full the page's translation, @ra the return address in generated
     * code (0: unknown).  Returns MEMORY_MODEL_*.  Called without the BQL,
     * possibly in the middle of a translation block.
     */
    unsigned (*data[3])(CPUState *cpu, const CPUTLBEntryFull *full, vaddr addr,
                        unsigned size, hwaddr pa, uintptr_t ra);
    /*
     * Watchpoints are about to see a load or store of RAM.  A model that lets
     * other CPUs catch up first, and the instruction start again, must do so
     * here: in @data the watchpoints would see the access twice.  May be NULL.
     */
    void (*watched)(CPUState *cpu, uintptr_t ra);
    /* A fetch from a line of code other than the last one of its set */
    void (*fetch)(CPUState *cpu, hwaddr pa);
    /*
     * A load or store of something other than RAM is about to be done.  May be
     * NULL.
     */
    void (*io)(CPUState *cpu, const CPUTLBEntryFull *full, hwaddr pa,
               MMUAccessType type, uintptr_t ra);
    /* Does the instruction cache hold code of this page? */
    bool (*caches_code)(CPUState *cpu, const CPUTLBEntryFull *full);
} MemoryModelOps;

/* Geometry of a first-level cache, as log2 of bytes and of sets */
typedef struct MemoryModelCache {
    unsigned line_bits;
    unsigned set_bits;
} MemoryModelCache;

extern const MemoryModelOps *memory_model;

/**
 * memory_model_attach: use @ops for all CPUs
 *
 * To be called before the first CPU is realized.  The filter holds no lines of
 * pages that are smaller than a way of @dcache.  @icache may have at most
 * MEMORY_MODEL_ISETS sets.
 */
void memory_model_attach(const MemoryModelOps *ops, MemoryModelCache dcache,
                         MemoryModelCache icache);

/**
 * memory_model_enable: use the attached model, or run as if there were none
 *
 * All code is translated anew.  To be called with the BQL held, by the thread
 * of the vCPUs, with no vCPU in guest code.
 */
void memory_model_enable(bool on);

/* Take the line of data that contains @pa back from the filter. */
void memory_model_drop(CPUState *cpu, hwaddr pa);

/* Take a line of code back from the filter. */
void memory_model_drop_code(CPUState *cpu, hwaddr pa);

/* Take all lines back: the model's state was replaced. */
void memory_model_drop_all(CPUState *cpu);

/*
 * For the translator: the physical address of the code at @pc.  False: the
 * model does not cache it.
 */
bool memory_model_code_addr(CPUState *cpu, vaddr pc, hwaddr *pa);
unsigned memory_model_iline_bits(void);
/* Offset in CPUState of the tag that a line of code is compared with */
intptr_t memory_model_itag(hwaddr pa);
/* The tag's value: small, so that it is an immediate operand on most hosts */
uint64_t memory_model_itag_value(hwaddr pa);

/* For the code generator: log2 of the bytes that a CPUTLB.f entry maps */
unsigned memory_model_page_bits(void);

#endif

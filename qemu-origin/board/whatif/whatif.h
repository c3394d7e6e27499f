/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual remedies (docs/whatif.md): the model is told that objects of a
 * program lie elsewhere than they do, or that misses cost less.
 *
 *   remedy=LIST       remedies, with a ; between them:
 *                     KIND:LOW-HIGH[:ARGUMENT], the kind as in
 *                     remedy/remedy.h of the engine, virtual addresses,
 *                     hexadecimal, the last one included, and a number.  The
 *                     addresses of free-cause are numbers of enum sn_cause, and
 *                     WHATIF_L2_HIT
 *   remedy-comm=NAME  only threads of this name have the objects; else all have
 *   remedy-roi=NAME   they begin when this region does, else with the command
 *                     (command.h), or at once if none is named
 *   remedy-log=FILE   gets a line for each at the end: how many accesses it has
 *                     changed, how many all could not change
 *
 * Each access that the filter does not resolve comes here first, if there are
 * remedies, and goes on to the model with its modelled address.  Lines of the
 * objects stay out of the filter, unless their misses only cost less.  Without
 * remedies nothing of this is there.
 *
 * Left out: modelled addresses of code; CACHE instructions.
 */
#ifndef ORIGIN_WHATIF_H
#define ORIGIN_WHATIF_H

#include "exec/memory-model.h"
#include "target/mips/r10k.h"
#include "observe/cause.h"

/* Instead of a cause: the L1 misses, the L2 hits. */
#define WHATIF_L2_HIT SN_NCAUSES

typedef struct OriginMachineState OriginMachineState;

/* Is it a value of `remedy`? */
bool origin_whatif_check(const char *name, const char *value, Error **errp);
/*
 * The cause, an enum sn_cause, that a CPU's miss or upgrade of the line at pa
 * would have.  Who records a profile knows it, and says so first.
 */
typedef unsigned OriginWhatifCause(unsigned cpu, uint64_t pa, bool fetch,
                                   bool upgrade);
void origin_whatif_causes(OriginWhatifCause *cause);
/*
 * Replaces *ops and *mops by functions that call the given ones.  Exits if a
 * remedy cannot be, or the host has no memory.
 */
void origin_whatif_attach(OriginMachineState *m, const MemoryModelOps **ops,
                          const MIPSR10KMemOps **mops);
/* A region begins, at the end of a quantum. */
void origin_whatif_region(const char *name);
/*
 * One that was attached with an empty list gets `list`, a value of `remedy`, at
 * the end of a quantum.  They begin at once.
 */
void origin_whatif_add(const char *list);
/* Is it a modelled address, and not one of memory? */
bool origin_whatif_modelled(uint64_t pa);

#endif

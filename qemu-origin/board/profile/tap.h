/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile of the guest (docs/profile-format.md), recorded between QEMU and
 * the model: tap.c sees each access before and after the model does, and tells
 * the engine's recorder (observe/record.h) what the processor executes.
 *
 *   origin_profile_attach()   put the tap in front of the model
 *   origin_profile_reset()    the machine is reset: begin anew
 *   origin_profile_open()     write.c: the directory
 *   origin_profile_create()   write.c: a file in it
 *   origin_profile_write()    write.c: all tables
 *   origin_profile_now()      the tables so far, for somebody who looks
 *
 * Nothing here changes the guest: the tap keeps some lines from the filter, so
 * that it sees accesses to them, and the filter's contents cost no time.
 */
#ifndef ORIGIN_PROFILE_TAP_H
#define ORIGIN_PROFILE_TAP_H

#include "exec/memory-model.h"
#include "target/mips/r10k.h"

typedef struct OriginMachineState OriginMachineState;
struct sn_profile;

/*
 * Replaces *ops and *mops by functions that call the given ones.  Exits if the
 * directory cannot be written, the kernel's layout cannot be read, or the host
 * has no memory.
 */
void origin_profile_attach(OriginMachineState *m, const MemoryModelOps **ops,
                           const MIPSR10KMemOps **mops);
void origin_profile_reset(void);
/* Open the directory, before the guest runs.  False with errno: no place. */
bool origin_profile_open(OriginMachineState *m);
/* A new file in it, in place of another; its descriptor, or -1 with errno. */
int origin_profile_create(const char *name);
/* complete: the machine ends.  Errors are reported, the first one only. */
void origin_profile_write(OriginMachineState *m, struct sn_profile *p,
                          bool complete);
/*
 * The same into another directory; changes neither the profile nor the guest.
 * life: misses.csv and stalls.csv have no rows.
 */
void origin_profile_copy(OriginMachineState *m, struct sn_profile *p,
                         const char *dir, bool life, Error **errp);
/* What qom-set /machine profile-now DIR does; life: profile-life DIR. */
void origin_profile_now(const char *dir, bool life, Error **errp);
/*
 * The point at which a boot ends (job.h), in every run: what depends on generated
 * code becomes rows.
 */
void origin_profile_rest(void);
/* What was recorded that cannot be saved; NULL: nothing. */
const char *origin_profile_unsaved(void);
struct sn_archive;
/* Saves all of the profile, or loads it before the machine runs. */
void origin_profile_state(struct sn_archive *a);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the guest kernel's modules are: each of their sections is a mapping of
 * the kernel (maps.h), named "[module NAME SECTION]".
 *
 *   guest_code_address()      where code is that is fetched
 *   guest_modules_fetched()   code was fetched: look at the modules if need be
 *   guest_modules_look()      the same without a reason, before mappings are
 *                             written
 *
 * The list of modules is read when a line of code of xkseg comes to a
 * processor's cache and the list has changed.  A module's code is new to all
 * caches, so its first instruction is such a line: what is freed after a
 * module's initialisation is seen while it is there.
 *
 * Left out: .init.data and the like, whose addresses are soon another's;
 * data per processor, which does not lie in the module.
 */
#ifndef ORIGIN_PROFILE_MODULES_H
#define ORIGIN_PROFILE_MODULES_H

#include "target/mips/cpu.h"

void guest_modules_fetched(uint64_t addr);
void guest_modules_look(void);
/* The virtual address of a line of code that a processor fetches from pa */
uint64_t guest_code_address(const CPUMIPSState *env, hwaddr pa);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_modules_state(struct sn_archive *a);

#endif

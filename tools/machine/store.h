/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States of the machine in memory.  Most of a state is zero (tags of lines that
 * nobody used), so runs of zeros are kept as their length.
 *
 *   store_save()    the machine's state and `extra` bytes of the caller's, as a new state; its number, or -1
 *   store_load()    back to a state that was saved; 0 or -1
 *   store_drop()    forget the states from this number on
 *   store_digest()  a number that is the same for the same state, and hardly for another
 */
#ifndef MACHINE_STORE_H
#define MACHINE_STORE_H

#include <stddef.h>
#include <stdint.h>

struct sn_machine;

int store_save(struct sn_machine *m, void *extra, size_t size);
int store_load(struct sn_machine *m, void *extra, size_t size, unsigned number);
void store_drop(unsigned number);
uint64_t store_digest(struct sn_machine *m, void *extra, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where threads were seen: samples of program counters, added up by function, source line or
 * instruction.
 *
 * Functions are those of the symbol tables (common/symbols.h). Source lines and inlined functions
 * come from lib/image, so only on the host. libdw, which that uses, does not disassemble the guest's
 * code: the text of instructions comes from the cross compiler's objdump.
 */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include "collate.h"

enum profile_detail { PROFILE_FUNCTIONS = 1, PROFILE_LINES, PROFILE_INSTRUCTIONS };

struct profile_sample {
    const struct collate_object *o; /* a thread with the counter pc */
    size_t sample;                  /* below o->n */
};

/*
 * Prints a table of n samples on stdout, the places of each thread by the number of samples. 0, or
 * -1 with one line in why: out of memory, or a program that the detail needs does not run.
 */
int profile_print(struct collate *c, const struct profile_sample *s, size_t n,
                  enum profile_detail detail, char *why, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Hub's MD counts (regs/ev_md.h.inc), in all modes. */
#ifndef SN_MD_PERF_H
#define SN_MD_PERF_H

#include "machine.h"

/* The total of an MD event since reset. */
uint64_t sn_md_total(struct sn_machine *m, unsigned node, unsigned mode,
                     unsigned i, uint64_t now);
/* The same for an observer outside of the machine: it changes nothing. */
uint64_t sn_md_look(struct sn_machine *m, unsigned node, unsigned mode,
                    unsigned i, uint64_t now);

#endif

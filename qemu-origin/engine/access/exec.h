/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transactions: a request of a CPU or an I/O unit, run to its end.
 *
 *   sn_transact()    a request; says which copy it obtained
 *   sn_writeback()   a modified line goes home
 */
#ifndef SN_EXEC_H
#define SN_EXEC_H

#include "time/tx.h"

/*
 * Run request `type` of `req` for the line of pa.  It was made at `now` (ticks)
 * and is ready to be issued at `at` (ps).  Returns the ps from `at` until the
 * requestor goes on; the CPU's own cycle is included.
 */
uint64_t sn_transact(struct sn_machine *m, sn_agent req, uint64_t pa,
                     unsigned type, uint64_t now, uint64_t at,
                     struct sn_outcome *o);
/* Write a modified line back (WB or WBP).  Returns the ps until the
 * acknowledge. */
uint64_t sn_writeback(struct sn_machine *m, sn_agent req, uint64_t pa,
                      unsigned type, uint64_t now, uint64_t at);

/* The same for those whose messages are noted and told; these two choose. */
uint64_t sn_transact_seen(struct sn_machine *m, sn_agent req, uint64_t pa,
                          unsigned type, uint64_t now, uint64_t at,
                          struct sn_outcome *o);
uint64_t sn_writeback_seen(struct sn_machine *m, sn_agent req, uint64_t pa,
                           unsigned type, uint64_t now, uint64_t at);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that processors contest, and the order of accesses to them.
 *
 * The clocks of CPUs differ by up to a quantum.  A CPU may therefore use a line
 * that another one, which runs later on the host, has taken away earlier in
 * machine time.  A line is contested if two CPUs take it from each other or from
 * others within 32 quanta.  For each access to a contested line, also for a hit,
 * the engine's caller asks sn_intent() and lets the CPU wait for its turn.  Other
 * accesses do not wait, so CPUs that share nothing still run ahead of each other.
 *
 *   sn_order_recall()    a transaction begins: is its line contested?
 *   sn_order_moved()     the transaction took the line from its owner, or made
 *                        the owner share it: is the line contested from now on?
 *   sn_order_lost()      a CPU loses its copy
 *   sn_order_contest()   marks or unmarks a CPU's copy
 *   sn_intent()          sn.h
 *
 * Left out: code that is fetched, I/O units, prefetches.
 */
#ifndef SN_ORDER_H
#define SN_ORDER_H

#include "time/tx.h"

/*
 * When a CPU hits a contested line, its clock may be ahead of other CPUs' clocks
 * by the time since the line's last transfer, divided by this.
 */
#define SN_ORDER_PART 32

bool sn_order_recall(struct sn_tx *t);
void sn_order_moved(struct sn_tx *t);
/* The copy is gone from `at` (ps) on. */
void sn_order_lost(struct sn_tx *t, struct sn_cpu *c, uint64_t at);
void sn_order_contest(struct sn_machine *m, struct sn_cpu *c, uint64_t pa,
                      bool contested);

#endif

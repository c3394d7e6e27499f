/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What transactions wait for in the time model `full`, each a calendar (cal.h):
 *
 *   SysAD      one a node, for both CPUs: requests, data, interventions
 *   L2 bus     one a CPU: tag checks, line fills
 *   PI         takes a CPU's next request only some time after a completion
 *   MD         memory and directory; read/write turnaround, refresh
 *   NI         messages in and out, micropackets out, INVALs one by one
 *   links      each router output, by micropacket
 *
 * A transaction walks its path.  Each function takes the time at which the
 * transaction wants a resource and returns the time at which it got past it.
 * Without contention the sums are those of the model `unloaded`.  Times are
 * absolute picoseconds since the machine's start.
 */
#ifndef SN_SHARE_H
#define SN_SHARE_H

#include "time/full_state.h"

/* The CPU's L2 checks its tags; returns when the answer is there. */
uint64_t sn_share_tag(struct sn_machine *m, struct sn_cpu *c, uint64_t t);
/* A request takes the SysAD; returns its start, from which ISSUE counts. */
uint64_t sn_share_request(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                          bool store);
/*
 * n micropackets go from node a to b, a != b.  0: an INVAL, whose vector has
 * the NI already.
 */
uint64_t sn_share_net(struct sn_machine *m, unsigned a, unsigned b, unsigned n,
                      uint64_t t);
/*
 * Whether the home's outgoing queue (MD_MOQ_SIZE entries) is nearly full at t,
 * judged by the time that its network interface needs for what waits.
 */
bool sn_share_queue_full(struct sn_machine *m, unsigned node, uint64_t t);
/* The MD takes up a message.  mem: memory is accessed too; write: written. */
uint64_t sn_share_md(struct sn_machine *m, unsigned node, uint64_t t, bool mem,
                     bool write);
/*
 * The NI of node a takes up a vector of n INVALs for other nodes; returns when
 * the first may leave.
 */
uint64_t sn_share_vector(struct sn_machine *m, unsigned a, unsigned n,
                         uint64_t t);
/*
 * A line of data reaches the CPU's PI, from the network if `net`.  Returns its
 * end on the SysAD; *word: when dependents of the data go on.
 */
uint64_t sn_share_data(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                       bool store, bool dirty, bool net, uint64_t *word);
/*
 * The data of a write-back take the SysAD in one piece; returns their start.  A
 * line that comes for the CPU meanwhile waits for their end.
 */
uint64_t sn_share_writeback(struct sn_machine *m, struct sn_cpu *c, uint64_t t);
/* The answer to an upgrade takes the SysAD, of which it needs a long stretch. */
void sn_share_upack(struct sn_machine *m, unsigned node, uint64_t t);
/* The acknowledge of a write-back takes the SysAD. */
void sn_share_wback(struct sn_machine *m, unsigned node, uint64_t t);
/*
 * A completion without data; returns when the CPU goes on.  `next`: its next
 * request waits for the end of the completion and `more` ps.
 */
uint64_t sn_share_ack(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                      bool next, uint64_t more);
/* The PI takes no request of the CPU from t for dur. */
void sn_share_block(struct sn_machine *m, struct sn_cpu *c, uint64_t t,
                    uint64_t dur);
/* Something takes the SysAD of a node for `dur`; returns its start. */
static inline uint64_t sn_share_sysad(struct sn_machine *m, unsigned node,
                                      uint64_t t, uint32_t dur)
{
    return sn_cal_take(&sn_full(m)->node[node].sysad, t, dur);
}

#endif

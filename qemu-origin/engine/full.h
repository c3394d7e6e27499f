/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Second stage of the time model: what transactions share and wait for.
 *
 *   SysAD      one per node, both CPUs: requests, data, interventions
 *   L2 bus     one per CPU: tag checks, line fills
 *   PI         takes a CPU's next request only some time after a completion
 *   MD         memory and directory, read/write turnaround, refresh
 *   NI         messages in and out, micropackets out, INVALs one by one
 *   links      each router output, by micropacket
 *
 * Each is a calendar (cal.h).  A transaction walks its path: every function
 * takes the time at which it wants a resource and returns the time at which
 * it got past it.  Without contention the sums are those of the first stage.
 * Absolute picoseconds since the machine's start.
 */
#ifndef SN_FULL_H
#define SN_FULL_H

#include "machine.h"

/* The CPU's L2 tag check for an access at t; returns when the answer is there. */
uint64_t sn_full_tag(struct sn_machine *m, struct sn_cpu *c, uint64_t t);
/* Request on the SysAD; returns its start, from which ISSUE counts. */
uint64_t sn_full_request(struct sn_machine *m, struct sn_cpu *c, uint64_t t, bool store);
/* n micropackets from node a to b, a != b; 0: an INVAL, one of a stream. */
uint64_t sn_full_net(struct sn_machine *m, unsigned a, unsigned b, unsigned n, uint64_t t);
/*
 * The home's outgoing queue (MD_MOQ_SIZE entries) at t: nearly full, judged by
 * the time that its network interface needs for what waits.
 */
bool sn_full_queue_full(struct sn_machine *m, unsigned node, uint64_t t);
/* MD takes up a request: mem: with data, write: into memory. */
uint64_t sn_full_md(struct sn_machine *m, unsigned node, uint64_t t, bool mem, bool write);
/* The NI of node a takes up a vector of INVALs; returns when the first may leave. */
uint64_t sn_full_vector(struct sn_machine *m, unsigned a, uint64_t t);
/*
 * Data at the CPU's PI, from the network if `net`; returns the end on the
 * SysAD, *word: dependents go on.
 */
uint64_t sn_full_data(struct sn_machine *m, struct sn_cpu *c, uint64_t t, bool store,
                      bool dirty, bool net, uint64_t *word);
/* A write-back's data on the SysAD; returns their start.  Its acknowledge. */
uint64_t sn_full_writeback(struct sn_machine *m, unsigned node, uint64_t t);
void sn_full_wback(struct sn_machine *m, unsigned node, uint64_t t);
/* Completion without data; returns when the CPU goes on.  `next`: its next
 * request waits for the completion's end and `more` ps. */
uint64_t sn_full_ack(struct sn_machine *m, struct sn_cpu *c, uint64_t t, bool next,
                     uint64_t more);
/* The PI takes no request of the CPU from t for dur. */
void sn_full_block(struct sn_cpu *c, uint64_t t, uint64_t dur);

#endif

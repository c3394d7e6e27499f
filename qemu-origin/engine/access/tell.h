/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executor tells an observer the messages of a transaction (sn.h, struct
 * sn_message).  What was noted about the message's way is in the machine's
 * `seen` (seen.h), which must not be NULL, but for sn_tell_begin().
 *
 * The functions with a message return its number, 0 if there is no observer.
 */
#ifndef SN_TELL_H
#define SN_TELL_H

#include "time/tx.h"

/*
 * A transaction of `req` for the line of pa begins: ask the observer whether
 * messages are wanted, and set the machine's `seen`, with the first message under
 * way.  True: they are.  now, at: as sn_transact().
 */
bool sn_tell_begin(struct sn_machine *m, sn_agent req, uint64_t pa,
                   uint64_t now, uint64_t at);
/* A clean line of pa leaves a CPU's L2 at `now` (ticks). */
void sn_tell_dropped(const struct sn_machine *m, const struct sn_cpu *c,
                     uint64_t pa, uint64_t now);
/* The home has taken a message by row r; its entry was `was` and is e. */
uint64_t sn_tell_home(struct sn_machine *m, const struct sn_msg *in,
                      uint64_t pa, const struct sn_home_row *r,
                      const struct sn_dirent *was, const struct sn_dirent *e);
/* The requestor has taken an answer, which found its buffers as in `was`. */
uint64_t sn_tell_requestor(struct sn_machine *m, const struct sn_msg *in,
                           uint64_t pa, const struct sn_cpu_line *was,
                           enum sn_step step);
/* A PI has taken an intervention or INVAL that found a copy in state `was`. */
uint64_t sn_tell_snoop(struct sn_machine *m, const struct sn_msg *in,
                       uint64_t pa, unsigned was);
/*
 * A CPU's request `type` and the home's answer to it, by `row`.  The CPU's copy
 * was `copy`, and then is `mesi`.
 */
struct sn_two_step {
    const struct sn_home_row *row;
    struct sn_dirent was, is; /* the entry */
    uint8_t type, copy, mesi;
};
void sn_tell_two_step(struct sn_machine *m, const struct sn_cpu *c, uint64_t pa,
                      const struct sn_two_step *two);

#endif

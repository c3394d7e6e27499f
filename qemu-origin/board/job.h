/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What process 1 of the guest is to do, and the point at which it asks for that.
 *
 * Option of the machine:
 *   job=FD   a file, which process 1 reads from its begin on in parts
 *
 * Until process 1 has asked, a run depends on nothing in the job.  So a machine
 * that has come that far can be kept for other jobs (keep in checkpoint.h).
 * A machine can be saved only when nothing is under way; from the first
 * such point on, there is an answer.  That is so in every run, whether the
 * machine is kept or not.
 *
 * include/guest/protocol.h has the form of a part; R10K_MARK_JOB of
 * target/mips/r10k.h is the instruction.
 *
 * Left out: a second reader.
 */
#ifndef ORIGIN_JOB_H
#define ORIGIN_JOB_H

#include "qom/object.h"
#include "sn_state.h"

typedef struct OriginMachineState OriginMachineState;

typedef struct OriginJob {
    uint32_t fd; /* option; 0: none */
    bool asked;  /* process 1 waits */
    bool ready;  /* there are answers */
    uint64_t at; /* bytes that it has got */
    /* Called once, with the BQL, in the middle of an instruction: sets ready */
    void (*when_asked)(OriginMachineState *m);
} OriginJob;

void origin_job_init(OriginMachineState *m);
void origin_job_state(OriginMachineState *m, struct sn_archive *a);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What process 1 is to do: see job.h. */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "guest/protocol.h"
#include "target/mips/r10k.h"
#include "origin.h"

QEMU_BUILD_BUG_ON(JOB_PART != R10K_MARK_TEXT_MAX);

static uint32_t next_bytes(OriginJob *j, uint8_t *to, size_t room)
{
    ssize_t n = pread(j->fd, to, room, j->at);

    if (n < 0) {
        error_report("job: %s", strerror(errno));
        exit(1); /* the host's file cannot be read */
    }
    j->at += n;
    return n;
}

/* In a processor's thread, in the middle of an instruction */
static bool part(uint8_t block[R10K_MARK_TEXT_MAX], void *opaque)
{
    OriginMachineState *m = opaque;
    OriginJob *j = &m->job;
    uint32_t n = JOB_NOT_YET;

    BQL_LOCK_GUARD();
    memset(block, 0, R10K_MARK_TEXT_MAX);
    if (!j->asked) {
        j->asked = true;
        j->when_asked(m);
    }
    if (j->ready) {
        n = 1 + next_bytes(j, block + JOB_PART_HEAD,
                           R10K_MARK_TEXT_MAX - JOB_PART_HEAD);
    }
    stl_be_p(block, n);
    return true;
}

void origin_job_state(OriginMachineState *m, struct sn_archive *a)
{
    SN_MOVE(a, m->job.asked);
    SN_MOVE(a, m->job.ready);
    SN_MOVE(a, m->job.at);
}

void origin_job_init(OriginMachineState *m)
{
    if (m->job.fd) {
        mips_r10k_set_job(part, m);
    }
}

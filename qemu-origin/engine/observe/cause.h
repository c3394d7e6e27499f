/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a processor misses: each L2 miss and each upgrade gets exactly one cause
 * of SN_PROFILE_CAUSES (include/profile/profile.h).  docs/causes.md defines
 * them and names their sources.
 *
 *   sn_causes_new/free
 *   sn_cause_miss()     a transaction is complete: its cause
 *   sn_cause_hit()      an access missed the L1 and hit the L2
 *   sn_cause_ahead()    let the host fetch what that needs
 *   sn_cause_access()   the bytes that an access uses; what the caller need not
 *                       report about the L1 line from now on
 *   sn_cause_io()       the I/O side writes
 *   sn_cause_shared() sn_cause_flushed() sn_cause_evicted()   the L2 lost a right, or
 *                       the line
 *   sn_cause_moved()    a page has got another frame
 *   sn_causes_apart() sn_causes_together()   CPUs use lines at the same time
 *   sn_causes_state()   all that is known, saved or loaded
 *
 * Whether a miss is due to true or to false sharing turns out while the
 * processor holds the line, when it uses a byte that others have written, or
 * loses the line without that.  Until then the miss is pending: sn_cause_miss()
 * says FALSE_SHARING and takes the caller's number for it, and op->decided
 * tells later which of the two it was.  What is pending at the end is FALSE_SHARING.
 *
 * From sn_causes_apart() to sn_causes_together(), sn_cause_hit(), sn_cause_ahead() and
 * sn_cause_access() are the only calls.  For different CPUs they may come in any order, or
 * at the same time, as each has the line with the right that it uses.  What they cause
 * elsewhere waits for sn_causes_together().
 *
 * The caller reports every access to a line that may decide something.  It may
 * leave out those that sn_cause_access() allows it to, until the L1 line leaves
 * the L1 or loses the right to be written.
 *
 * For each line that was touched and each processor there are four bits, and
 * while others may write bytes that the processor has not seen, 40 bytes.
 */
#ifndef SN_CAUSE_H
#define SN_CAUSE_H

#include <stddef.h>

#include "profile/profile.h"
#include "observe/shadow.h"

enum sn_cause {
#define X(NAME, name, text) SN_CAUSE_##NAME,
    SN_PROFILE_CAUSES(X)
#undef X
        SN_NCAUSES
};

/* What need not be reported of an L1 line. */
#define SN_CAUSE_LOADS  1
#define SN_CAUSE_STORES 2

struct sn_causes;

struct sn_cause_config {
    unsigned ncpus;           /* 1 to 256 */
    const uint32_t *l2_lines; /* of each CPU; 0: there is no such CPU */
    unsigned line_shift;      /* log2 of a line's bytes, 5 to 8 */
    /* A pending miss of sn_cause_miss() was of this cause. */
    void (*decided)(void *opaque, uint32_t pending, enum sn_cause cause);
    void *opaque;
    void (*dense)(void *area, size_t bytes); /* as in sn_rows_new() */
};

/* A transaction, as sn_observed (sn.h) has it. */
struct sn_cause_tx {
    uint64_t pa;
    unsigned cpu;
    bool fetch, upgrade, refused;
    bool owner;       /* it makes the processor the only one to have the line */
    uint32_t pending; /* the caller's number for it; 0: decide it now */
};

/* NULL: the host has no memory.  It takes more as lines are touched. */
struct sn_causes *sn_causes_new(const struct sn_cause_config *cfg);
void sn_causes_free(struct sn_causes *k);

/*
 * What sn_cause_miss() would say of a miss or an upgrade of the line, if it were
 * complete now.  Nothing changes.
 */
enum sn_cause sn_cause_peek(struct sn_causes *k, unsigned cpu, uint64_t pa,
                            bool fetch, bool upgrade);
/* *open: the miss is pending. */
enum sn_cause sn_cause_miss(struct sn_causes *k, const struct sn_cause_tx *t,
                            bool *open);
void sn_cause_hit(struct sn_causes *k, unsigned cpu, uint64_t pa);
/* An access to this address is about to be told. */
void sn_cause_ahead(const struct sn_causes *k, uint64_t pa);
/*
 * The access is within one L1 line of 32 bytes.  Returns SN_CAUSE_* for that
 * line.
 */
unsigned sn_cause_access(struct sn_causes *k, unsigned cpu, uint64_t pa,
                         unsigned size, bool write);
void sn_causes_apart(struct sn_causes *k);
void sn_causes_together(struct sn_causes *k);
/* Bytes within one L2 line. */
void sn_cause_io(struct sn_causes *k, uint64_t pa, unsigned size);
void sn_cause_shared(struct sn_causes *k, unsigned cpu, uint64_t pa);
void sn_cause_flushed(struct sn_causes *k, unsigned cpu, uint64_t pa);
void sn_cause_evicted(struct sn_causes *k, unsigned cpu, uint64_t pa);
/*
 * The frame at pa has the contents of the frame at `from`; both 16 KB.
 * SN_CAUSE_NOWHERE: its contents are new.
 */
#define SN_CAUSE_NOWHERE UINT64_MAX
void sn_cause_moved(struct sn_causes *k, uint64_t pa, uint64_t from);
/*
 * Saves what is known, or loads it where nothing is known yet.  Numbers of
 * pending misses must be less than `pendings`.
 */
void sn_causes_state(struct sn_causes *k, struct sn_archive *a,
                     uint32_t pendings);

#endif

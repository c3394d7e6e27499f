/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile while it is recorded: causes of transactions (cause.h), sums of
 * transactions and stalls by code, address and thread (rows.h).
 *
 *   sn_profile_new/free
 *   sn_profile_done()      a transaction (sn_observer.done)
 *   sn_profile_stalls()    stalls that no transaction caused
 *   sn_profile_each()      all rows so far
 *   sn_profile_look()      the same for somebody who only looks
 *   sn_profile_state()     all of it, saved or loaded
 *
 * The caller says with each call what the processor executes.  The causes are
 * the caller's to feed with everything else that cause.h lists.
 */
#ifndef SN_RECORD_H
#define SN_RECORD_H

#include "observe/cause.h"
#include "observe/rows.h"
#include "sn.h"

enum sn_time_part {
#define X(NAME, name, text) SN_PART_##NAME,
    SN_PROFILE_PARTS(X)
#undef X
        SN_NTIME_PARTS
};

struct sn_profile;

struct sn_profile_config {
    const struct sn_topo *topo; /* must outlive the profile */
    unsigned ncpus;             /* 2 * nodes */
    const uint32_t *l2_lines;   /* as in sn_cause_config */
    unsigned line_shift;        /* the same */
    uint32_t rows;              /* their limit, as in sn_rows_new() */
    void (*merging)(void);      /* as in sn_rows_merging(); may be NULL */
    void (*dense)(void *area, size_t bytes); /* as in sn_rows_new() */
    /* The cause of a transaction that has a number (sn_observed) is known; NULL:
     * nobody asks. */
    void (*caused)(unsigned cpu, uint64_t transaction, enum sn_cause cause);
};

/* What a processor executes. */
struct sn_profile_where {
    uint64_t pc, addr;     /* guest virtual; addr: of the access */
    uint32_t thread, path; /* the caller's numbers */
    uint32_t object;       /* heap block that addr is in; 0: none */
    uint8_t region;
    uint8_t mode;  /* 1 + that of enum profile_state; 0: not known */
    uint8_t block; /* log2 of the bytes that addr stands for; 0: exact */
};

/* NULL: the host has no memory. */
struct sn_profile *sn_profile_new(const struct sn_profile_config *cfg);
void sn_profile_free(struct sn_profile *p);
struct sn_causes *sn_profile_causes(struct sn_profile *p);
void sn_profile_done(struct sn_profile *p, const struct sn_observed *o,
                     const struct sn_profile_where *w);
/* `count` of them.  The address counts for part TLB only. */
void sn_profile_stalls(struct sn_profile *p, unsigned cpu,
                       enum sn_time_part part, uint64_t count, uint64_t ticks,
                       const struct sn_profile_where *w);
/*
 * fn sees every row of a table (sn_row_key.table); misses that are not decided
 * count as FALSE_SHARING.
 */
void sn_profile_each(struct sn_profile *p, unsigned table,
                     void (*fn)(void *opaque, const struct sn_row *r),
                     void *opaque);
/*
 * The same, but rows that agree may come twice, and nothing changes: not even
 * what a full table would merge.
 */
void sn_profile_look(const struct sn_profile *p, unsigned table,
                     void (*fn)(void *opaque, const struct sn_row *r),
                     void *opaque);
/*
 * From here to sn_profile_together() calls of sn_profile_stalls() and of
 * sn_cause_access() for different CPUs may come at the same time.  What they add waits
 * for each CPU by itself.  Then it is added, CPU by CPU.
 */
void sn_profile_apart(struct sn_profile *p);
void sn_profile_together(struct sn_profile *p);
/* No more misses: what is not decided is FALSE_SHARING. */
void sn_profile_finish(struct sn_profile *p);
/* How many more rows there can be before any are merged */
uint32_t sn_profile_room(const struct sn_profile *p);
uint32_t sn_profile_rows(const struct sn_profile *p);
const struct sn_rows_merged *sn_profile_merged(const struct sn_profile *p);
/* Additions that found no room at all. */
uint64_t sn_profile_lost(const struct sn_profile *p);
/* Ticks of stalls of a CPU so far. */
uint64_t sn_profile_stalled(const struct sn_profile *p, unsigned cpu);
/* Saves all of it, or loads it into a profile that has recorded nothing. */
void sn_profile_state(struct sn_profile *p, struct sn_archive *a);
/* "user", "kernel", "interrupt" of sn_profile_where.mode; "-": not known. */
const char *sn_mode_name(unsigned mode);
/* "load", "store", ... of enum sn_kind; "first", "capacity", ...; "l2", ... */
const char *sn_kind_name(unsigned kind);
const char *sn_cause_name(unsigned cause);
const char *sn_part_name(unsigned part);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting by address: R10000 events of a thread, restricted to accesses to a
 * range of data and to instructions of a range of code (docs/range-monitor.md;
 * needs origin run --range-monitor).
 *
 * The monitor has four pairs of registers of each kind and matches naturally aligned
 * powers of two.  So a range may have to be counted with some of its neighbours.
 * sn_range_cover() says which, as PAPI_set_opt() does.  Its rule is that of the papers
 * on ranges: the largest power of two inside the range first, then smaller ones
 * outward.  The cover always contains the whole range.  Code within one 4 KB page is
 * counted without neighbours: sn_range_cover_code().
 *
 * Left out: ranges of the kernel, and other threads without ptrace rights.
 */
#ifndef SN_RANGE_H
#define SN_RANGE_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_RANGE_PAIRS 4

/* The counted addresses: from start - start_off up to, but not including, end + end_off. */
struct sn_range {
    uint64_t start, end;
    uint64_t start_off, end_off; /* bytes before and after */
    unsigned npairs;             /* 1 to SN_RANGE_PAIRS */
    struct {
        uint64_t start, size; /* ascending; a power of two, or code within a page */
    } pair[SN_RANGE_PAIRS];
};

/*
 * The cover of the bytes from start up to, but not including, end.  Returns 0, or -1
 * and errno: EINVAL if the range is empty or wraps, E2BIG if four pairs would need an
 * alignment above 1 << 43.  Makes no system call and allocates nothing.
 */
int sn_range_cover(uint64_t start, uint64_t end, struct sn_range *r);

/* The same for the instructions that have bytes in the range; exact within one 4 KB page. */
int sn_range_cover_code(uint64_t start, uint64_t end, struct sn_range *r);

/*
 * Opens a counter of event (0 to 31, regs/ev_r10k.h.inc) in user mode of thread tid
 * (0: the calling one).  The counter is off; ioctls reset, enable and disable it, and
 * read(2) returns 64 bits (perf_event_open(2)).  NULL as data or code means no
 * restriction.  Returns a descriptor, or -1 and errno: ENODEV without PMU r10k,
 * EOPNOTSUPP without range monitor, EINVAL for an event that cannot be restricted in this
 * way or a range outside of user space, E2BIG if there are no free pairs, or an errno of
 * perf_event_open().
 */
int sn_range_open(unsigned event, const struct sn_range *data, const struct sn_range *code,
                  pid_t tid);

#ifdef __cplusplus
}
#endif
#endif

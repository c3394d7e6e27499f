/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting by address: R10000 events of a thread, restricted to accesses to a
 * range of data and to instructions of a range of code (docs/range-monitor.md;
 * needs origin run --range-monitor).
 *
 * The monitor has four pairs of registers of each kind and matches naturally
 * aligned powers of two, so a range may have to be counted with some of its
 * neighbours.  sn_range_cover() tells which, as PAPI_set_opt() does; its rule
 * is that of the range papers: the largest power of two inside the range first,
 * then smaller ones outward; what is counted always contains what was asked
 * for.  Code within one 4 KB page has none: sn_range_cover_code().
 * Left out: ranges of the kernel, and other threads' without ptrace rights.
 */
#ifndef SN_RANGE_H
#define SN_RANGE_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_RANGE_PAIRS 4

/* Counted are the addresses from start - start_off to end + end_off, without the last. */
struct sn_range {
    uint64_t start, end;
    uint64_t start_off, end_off; /* bytes before and after */
    unsigned npairs;             /* 1 to SN_RANGE_PAIRS */
    struct {
        uint64_t start, size; /* ascending; a power of two, or code within a page */
    } pair[SN_RANGE_PAIRS];
};

/*
 * The cover of the bytes from start to before end.  0, or -1 and errno: EINVAL
 * if the range is empty or wraps, E2BIG if four pairs only do with an
 * alignment above 1 << 43.  No system call, no allocation.
 */
int sn_range_cover(uint64_t start, uint64_t end, struct sn_range *r);

/* Of the instructions that have bytes there: these and no others if a 4 KB page holds them. */
int sn_range_cover_code(uint64_t start, uint64_t end, struct sn_range *r);

/*
 * Open a counter of event (0 to 31, regs/ev_r10k.h.inc) in user mode of thread
 * tid (0 = the calling one), off, for reset, enable, disable by ioctl and
 * read(2) of 64 bits (perf_event_open(2)).  data or code may be NULL: not
 * restricted.  A descriptor, or -1 and errno: ENODEV no PMU r10k, EOPNOTSUPP
 * no range monitor, EINVAL an event that cannot be restricted so or a range
 * outside of user space, E2BIG no free pairs, else perf_event_open's.
 */
int sn_range_open(unsigned event, const struct sn_range *data, const struct sn_range *code,
                  pid_t tid);

#ifdef __cplusplus
}
#endif
#endif

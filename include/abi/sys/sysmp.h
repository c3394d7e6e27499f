/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * sysmp(2): queries and controls a multiprocessor (libsn, which `origin cc`
 * links without -l).  Returns -1 and sets errno on error: EINVAL for a request,
 * processor or process that does not exist, EPERM, EFAULT.
 *
 * Names are those of IRIX 6.5, numbers are ours.  Left out: accounting
 * (MP_SAGET), processor states (MP_EMPOWER and others).
 */
#ifndef __SYS_SYSMP_H__
#define __SYS_SYSMP_H__

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_NPROCS          1  /* processors configured */
#define MP_NAPROCS         2  /* processors on line */
#define MP_PGSIZE          14 /* bytes of a page */
#define MP_NUMNODES        64 /* nodes */
#define MP_MUSTRUN         6  /* int cpu: binds the calling thread to it */
#define MP_RUNANYWHERE     7  /* ends that */
#define MP_GETMUSTRUN      8  /* returns the processor; EINVAL if not bound */
#define MP_MUSTRUN_PID     20 /* int cpu, pid_t: the same for a process */
#define MP_RUNANYWHERE_PID 21 /* pid_t */
#define MP_GETMUSTRUN_PID  22 /* pid_t */
#define MP_NUMA_GETCPUNODEMAP \
    65 /* cnodeid_t *map, size_t bytes: the node of
        * each processor */
#define MP_NUMA_GETDISTMATRIX \
    66 /* unsigned char *matrix, size_t bytes: hops,
        * a row for each node */

long sysmp(int request, ...);

#ifdef __cplusplus
}
#endif

#endif

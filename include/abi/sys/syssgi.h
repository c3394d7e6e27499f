/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * syssgi(2): what programs around the reference counters use of it (libsn).
 * Returns -1 and sets errno: EINVAL for a request that is not here, ESRCH,
 * EFAULT, ENODEV without the counter's device.
 *
 * The cycle counter counts for ever at a rate of its own.  Programs map the page
 * that holds it from /dev/mmem, at the offset that is its physical address, to
 * read, and read 8 bytes at its place there.  clock_gettime() reads the same
 * counter, from the system's start on.
 *
 * Names are those of IRIX 6.5, numbers are ours.  Left out: all the rest.
 */
#ifndef __SYS_SYSSGI_H__
#define __SYS_SYSSGI_H__

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SGI_SYSID 1             /* char id[MAXSYSIDSIZE]: this machine's name */
#define SGI_RDNAME 6            /* pid_t, char *buf, int bytes: a process's name */
#define SGI_GETPGID 64          /* pid_t */
#define SGI_GETSID 21           /* pid_t */

#define SGI_QUERY_CYCLECNTR 103 /* unsigned int *picoseconds, from one count to
                                 * the next; returns the physical address */
#define SGI_CYCLECNTR_SIZE 104  /* returns how many bits count */

#define MAXSYSIDSIZE 64

long syssgi(int request, ...);

#ifdef __cplusplus
}
#endif

#endif

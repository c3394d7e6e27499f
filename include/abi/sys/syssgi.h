/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * syssgi(2): those requests that programs of the reference counters use (libsn).
 * Returns -1 and sets errno: EINVAL for a request that is not here, ESRCH,
 * EFAULT, ENODEV without the counter's device.
 *
 * The cycle counter counts at a fixed rate and never stops.  To read it, a
 * program maps its page from /dev/mmem, at the offset that is its physical
 * address, and loads 8 bytes.  clock_gettime() reads the same counter, counted
 * from the system's start.
 *
 * Names are those of IRIX 6.5, numbers are ours.  Left out: all other requests.
 */
#ifndef __SYS_SYSSGI_H__
#define __SYS_SYSSGI_H__

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SGI_SYSID   1  /* char id[MAXSYSIDSIZE]: this machine's name */
#define SGI_RDNAME  6  /* pid_t, char *buf, int bytes: a process's name */
#define SGI_GETPGID 64 /* pid_t */
#define SGI_GETSID  21 /* pid_t */

#define SGI_QUERY_CYCLECNTR \
    103                        /* unsigned int *picoseconds of a count; returns
                                * the physical address */
#define SGI_CYCLECNTR_SIZE 104 /* returns the width of the count in bits */

#define MAXSYSIDSIZE 64

long syssgi(int request, ...);

#ifdef __cplusplus
}
#endif

#endif

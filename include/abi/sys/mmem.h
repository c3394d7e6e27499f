/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * /dev/mmem: hardware that any program may map for reading, at the offset that is
 * its physical address.  There is only the cycle counter; its address comes from
 * syssgi(SGI_QUERY_CYCLECNTR) (<sys/syssgi.h>).
 *
 * mmap fails with ENXIO for any other page and with EACCES for writing.  The ioctl
 * below is ours; it fails with EFAULT.  Other requests fail with ENOTTY.
 */
#ifndef __SYS_MMEM_H__
#define __SYS_MMEM_H__

typedef struct mmem_cyclecntr {
    unsigned long long paddr; /* of the counter, 64 bits wide in memory */
    unsigned int picoseconds; /* from one count to the next */
    unsigned int bits;        /* width of the count; higher bits are 0 */
} mmem_cyclecntr_t;

#define MMEM_CYCLECNTR ('m' << 8 | 1) /* mmem_cyclecntr_t * */

#endif

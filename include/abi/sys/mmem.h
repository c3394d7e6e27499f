/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * /dev/mmem: hardware that any program may map to read, by its physical
 * address.  Here that is the cycle counter; syssgi(SGI_QUERY_CYCLECNTR)
 * (<sys/syssgi.h>) tells its address.
 *
 * mmap of the counter's page, at the offset that is the page's physical
 * address, to read; ENXIO elsewhere, EACCES to write.  The request below is
 * ours; its errors are EFAULT, and ENOTTY for others.
 */
#ifndef __SYS_MMEM_H__
#define __SYS_MMEM_H__

typedef struct mmem_cyclecntr {
    unsigned long long paddr;   /* of the counter, 64 bits wide in memory */
    unsigned int picoseconds;   /* from one count to the next */
    unsigned int bits;          /* that count; the others are 0 */
} mmem_cyclecntr_t;

#define MMEM_CYCLECNTR ('m' << 8 | 1)    /* mmem_cyclecntr_t * */

#endif

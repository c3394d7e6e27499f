/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside libpmo: the process itself, for ioctls of <procfs/procfs.h>.
 */
#ifndef LIBPMO_PROC_H
#define LIBPMO_PROC_H

/* A descriptor of this process's /proc directory, or -1 with errno.  The caller holds pmo_lock. */
int pmo_proc(void);

#endif

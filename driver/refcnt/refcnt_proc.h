/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ioctls on /proc/%05d.
 */
#ifndef _REFCNT_PROC_H
#define _REFCNT_PROC_H

/* -EBUSY: another module answers already. */
int refcnt_proc_init(void);
/* No ioctl runs any more when it returns. */
void refcnt_proc_exit(void);

#endif

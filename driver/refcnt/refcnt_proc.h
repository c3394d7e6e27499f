/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ioctls on /proc/%05d.
 */
#ifndef _REFCNT_PROC_H
#define _REFCNT_PROC_H

/* ioctls are answered from now on.  -EBUSY: another module answers already. */
int refcnt_proc_init(void);
/* At the module's end.  An ioctl that runs keeps the module loaded. */
void refcnt_proc_exit(void);

#endif

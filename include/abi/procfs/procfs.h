/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * ioctls on /proc/%05d of a process (its number with zeros to five digits).  The
 * caller must have the right to read the process's memory by ptrace.
 *
 *   PIOCGETSN0REFCNTRS     the hardware's reference counters
 *   PIOCGETSN0EXTREFCNTRS  the extended counters that the kernel keeps
 *   PIOCSETSN0POLICY       count or migrate a range's pages, those in memory and
 *                          those to come; ours.  Pages that other processes map,
 *                          too, migrate only if the caller had CAP_SYS_NICE
 *   PIOCGETSN0POLICY       read the policies, one by one; ours
 *   PIOCMIGRATESN0         move a range's pages to other nodes; returns how many
 *                          moved; ours.  Pages that other processes map, too,
 *                          move only for callers with CAP_SYS_NICE.  EINVAL: a
 *                          node on which the process or the caller may not have
 *                          memory
 *
 * The argument is a sn0_refcnt_args_t, sn0_policy_args_t or
 * sn0_migrate_args_t (<sys/SN/hwcntrs.h>).  Numbers of the first two: abi of IRIX 6.5.
 */
#ifndef __PROCFS_PROCFS_H__
#define __PROCFS_PROCFS_H__

#ifndef __KERNEL__
#include <sys/ioctl.h>
#endif

#define PIOC                  ('q' << 8)
#define PIOCGETSN0POLICY      (PIOC | 250)
#define PIOCSETSN0POLICY      (PIOC | 251)
#define PIOCMIGRATESN0        (PIOC | 252)
#define PIOCGETSN0REFCNTRS    (PIOC | 253)
#define PIOCGETSN0EXTREFCNTRS (PIOC | 254)

#endif

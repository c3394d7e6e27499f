/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls in which a thread of the guest may wait for long, and for what.
 *
 *   SN_SYSTEM_CALLS(X)   X(name, NUMBER, WHAT)
 *
 * WHAT is a name of SN_PROFILE_WAITS (profile/profile.h), or FD: the first argument is a file, and what that is says it.
 *
 * Source: Linux 6.12, arch/mips/kernel/syscalls/syscall_n64.tbl.  Those of the ABIs n32 and o32 have other numbers and are
 * none of these.
 */
#ifndef SN_PROFILE_SYSTEM_CALLS_H
#define SN_PROFILE_SYSTEM_CALLS_H

/* clang-format off */
#define SN_SYSTEM_CALLS(X)              \
    X(read,            5000, FD)        \
    X(write,           5001, FD)        \
    X(open,            5002, CALL)      \
    X(close,           5003, FD)        \
    X(poll,            5007, POLL)      \
    X(mmap,            5009, CALL)      \
    X(mprotect,        5010, CALL)      \
    X(munmap,          5011, CALL)      \
    X(brk,             5012, CALL)           \
    X(ioctl,           5015, FD)        \
    X(pread64,         5016, FD)        \
    X(pwrite64,        5017, FD)        \
    X(readv,           5018, FD)        \
    X(writev,          5019, FD)        \
    X(select,          5022, POLL)      \
    X(sched_yield,     5023, YIELD)     \
    X(msync,           5025, CALL)      \
    X(pause,           5033, SIGNAL)    \
    X(nanosleep,       5034, SLEEP)     \
    X(sendfile,        5039, FD)        \
    X(connect,         5041, FD)        \
    X(accept,          5042, FD)        \
    X(sendto,          5043, FD)        \
    X(recvfrom,        5044, FD)        \
    X(sendmsg,         5045, FD)        \
    X(recvmsg,         5046, FD)        \
    X(clone,           5055, CALL)      \
    X(execve,          5057, CALL)      \
    X(exit,            5058, CALL)      \
    X(wait4,           5059, CHILD)     \
    X(semop,           5063, CALL)      \
    X(msgsnd,          5067, CALL)      \
    X(msgrcv,          5068, CALL)      \
    X(fcntl,           5070, FD)        \
    X(flock,           5071, FD)        \
    X(fsync,           5072, FD)        \
    X(fdatasync,       5073, FD)        \
    X(ftruncate,       5075, FD)        \
    X(rt_sigtimedwait, 5126, SIGNAL)    \
    X(rt_sigsuspend,   5128, SIGNAL)    \
    X(futex,           5194, FUTEX)     \
    X(sched_setaffinity, 5195, CALL)    \
    X(exit_group,      5205, CALL)      \
    X(epoll_wait,      5209, POLL)      \
    X(semtimedop,      5214, CALL)      \
    X(clock_nanosleep, 5224, SLEEP)     \
    X(waitid,          5237, CHILD)     \
    X(openat,          5247, CALL)      \
    X(newfstatat,      5252, CALL)      \
    X(unlinkat,        5253, CALL)      \
    X(pselect6,        5260, POLL)      \
    X(ppoll,           5261, POLL)      \
    X(splice,          5263, FD)        \
    X(epoll_pwait,     5272, POLL)      \
    X(preadv,          5289, FD)        \
    X(pwritev,         5290, FD)        \
    X(accept4,         5293, FD)        \
    X(recvmmsg,        5294, FD)        \
    X(getdents64,      5308, FD)        \
    X(statx,           5326, CALL)      \
    X(clone3,          5435, CALL)      \
    X(epoll_pwait2,    5441, POLL)      \
    X(futex_waitv,     5449, CALL)
/* clang-format on */

#endif

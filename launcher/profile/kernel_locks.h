/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of Linux that take and give back its locks, by how their names begin, and whether a thread
 * may sleep in them for the lock.  What they miss is told of their callers (resolve.h).  A beginning ends with a
 * word: __up is that of __up_read(), and not of __update_tlb().
 */
#ifndef LAUNCHER_PROFILE_KERNEL_LOCKS_H
#define LAUNCHER_PROFILE_KERNEL_LOCKS_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define KERNEL_LOCKS(X)     \
    X(queued_, false)       \
    X(_raw_, false)         \
    X(osq_, false)          \
    X(mutex_lock, true)     \
    X(mutex_, false)        \
    X(__mutex_lock, true)   \
    X(__mutex_, false)      \
    X(rwsem_down_, true)    \
    X(rwsem_, false)        \
    X(down_, true)          \
    X(__down, true)         \
    X(up_, false)           \
    X(__up, false)          \
    X(rt_mutex_, true)      \
    X(__rt_mutex_, true)    \
    X(percpu_down_, true)   \
    X(__percpu_down_, true) \
    X(percpu_up_, false)

/* All of them, each behind a colon */
#define KERNEL_LOCK_PREFIX(prefix, sleeps) ":" #prefix
#define KERNEL_LOCK_PREFIXES               KERNEL_LOCKS(KERNEL_LOCK_PREFIX)

static inline bool kernel_lock_begins(const char *function, const char *prefix)
{
    size_t n = strlen(prefix);

    return n && !strncmp(function, prefix, n) &&
           (!g_ascii_isalnum(prefix[n - 1]) || !g_ascii_isalnum(function[n]));
}

/* Per-CPU variables on which a processor waits that queues for a lock, whichever it is */
#define KERNEL_LOCK_QUEUES "qnodes", "osq_node"

#endif

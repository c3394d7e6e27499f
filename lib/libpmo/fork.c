// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libpmo: children of fork().  They start without their parent's links, and with its policies,
 * which the kernel does not hand on.
 */
#define _GNU_SOURCE
#include "link.h"
#include "object.h"
#include "range.h"

static void before_fork(void)
{
    pthread_mutex_lock(&pmo_lock);
    pmo_ranges_keep();
}

static void in_parent(void)
{
    pthread_mutex_unlock(&pmo_lock);
}

static void in_child(void)
{
    pmo_link_reset();
    pmo_ranges_inherit();
    pthread_mutex_unlock(&pmo_lock);
}

/* All users of the library need it, because links end with fork(), too. */
static void __attribute__((constructor)) hook(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

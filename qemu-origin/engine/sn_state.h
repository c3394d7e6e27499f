/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a running machine as a sequence of bytes.
 *
 *   sn_machine_state()   save it, or load it into a machine of the same
 *                        description and configuration
 *   sn_move() SN_MOVE()  for those who have more to save in the same sequence
 *
 * One function both saves and loads: each part of the state is named once, so
 * that what is loaded cannot differ from what was saved.  The bytes are those
 * of this build's structures; only the same build on the same kind of host can
 * read them.
 *
 * What follows from the description and the configuration is not in it, nor is
 * the observer (sn_observe()).
 */
#ifndef SN_STATE_H
#define SN_STATE_H

#include <stdbool.h>
#include <stddef.h>

struct sn_machine;

struct sn_archive {
    bool loading; /* else it saves */
    bool failed;  /* nothing moves any more */
    /* Write n bytes at p, or read them; false: failed. */
    bool (*move)(struct sn_archive *a, void *p, size_t n);
};

static inline void sn_move(struct sn_archive *a, void *p, size_t n)
{
    if (!a->failed && n && !a->move(a, p, n)) {
        a->failed = true;
    }
}

#define SN_MOVE(a, x) sn_move(a, &(x), sizeof(x))

/*
 * 0, or -1 if the archive failed, holds something impossible, or the host has
 * no memory.  After -1 a machine that was loaded must not be used but freed or
 * reset.
 */
int sn_machine_state(struct sn_machine *m, struct sn_archive *a);

#endif

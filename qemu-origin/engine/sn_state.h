/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a running machine as a sequence of bytes.
 *
 *   sn_move() SN_MOVE()  save something, or load it
 *   sn_must()            what was loaded must be so
 *   sn_must_be_bool()    a byte that was loaded is one of the two values
 *
 * One function both saves and loads: each part of the state is named once, so
 * that what is loaded cannot differ from what was saved.  The bytes are those
 * of this build's structures; only the same build on the same kind of host can
 * read them.
 *
 * A sequence may be damaged, or made by somebody else.  So what is an index, a
 * number of entries or a bool, or must agree with something for the engine not to
 * leave its arrays or to loop, is looked at before anyone uses it.  Wrong numbers of
 * other kinds make a wrong machine, no more.
 *
 * sn_machine_state() (sn.h) does so for a whole machine; the board has more to
 * save in the same sequence.
 */
#ifndef SN_STATE_H
#define SN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

static inline void sn_must(struct sn_archive *a, bool c)
{
    a->failed |= a->loading && !c;
}

static inline void sn_must_be_bool(struct sn_archive *a, const bool *b)
{
    unsigned char v;

    memcpy(&v, b, 1); /* as a bool it would be undefined */
    sn_must(a, v <= 1);
}

#endif

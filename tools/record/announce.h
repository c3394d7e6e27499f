/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Announcements of new threads, as the thread wrapper sends them (wrapper.h).
 *
 * An announcement's ring is mapped as soon as it is received, before the thread's trace file is
 * made: file systems may be slow, and a ring disappears with its process unless we have it mapped
 * too.
 */
#ifndef RECORD_ANNOUNCE_H
#define RECORD_ANNOUNCE_H

#include "session.h"

struct announcement {
    struct announcement *next;
    void *ring;                    /* or MAP_FAILED */
    int error;                     /* errno of mapping the ring, or 0 */
    uint64_t id[SNRUN_MAX_GROUPS]; /* perf's, of each group's leader */
    unsigned nfds;
    int fd[SNRUN_MAX_FDS];
    size_t bytes; /* of maps */
    struct snrun_hello h;
    unsigned char maps[]; /* struct snrun_map, each with its path */
};

struct marked {
    struct marked *next;
    struct snrun_mark m;
};

/* Received and not yet begun, oldest first; and the marks that no thread's file has yet. */
struct announcements {
    struct announcement *first, **last;
    struct marked *mark, **last_mark;
};

void announcements_init(struct announcements *a);

/* Appends all announcements and marks that have arrived. */
void announcements_receive(struct announcements *a, struct session *s);

/* Takes out the oldest, or NULL; free() releases it. */
struct announcement *announcements_take(struct announcements *a);

/* Index in fd[] of the group's leader; for group ngroups: how many descriptors there must be. */
unsigned announcement_leader(const struct collector_setup *c, unsigned group);

/* Bytes of a thread's ring with its control page. */
size_t announcement_ring_bytes(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call paths: a tree of return addresses, each node a number.
 *
 *   guest_path()    the node of a return address below another node
 *   guest_paths()   all of them
 */
#ifndef ORIGIN_PROFILE_PATHS_H
#define ORIGIN_PROFILE_PATHS_H

/* Nodes, beyond which a path is that of its caller */
#define GUEST_PATHS_MAX (1u << 20)

typedef struct GuestPath {
    uint64_t pc;     /* return address */
    uint32_t parent; /* 0: the outermost call that is known */
    uint32_t chain;  /* of the index */
} GuestPath;

/* From 1.  `parent` itself if there are too many nodes. */
uint32_t guest_path(uint32_t parent, uint64_t pc);
/* [1] to [*n - 1] */
const GuestPath *guest_paths(uint32_t *n);
/* Calls that found no node. */
uint64_t guest_paths_lost(void);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_paths_state(struct sn_archive *a);

#endif

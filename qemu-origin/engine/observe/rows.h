/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums by key: the rows of a profile's misses and stalls, in bounded memory.
 *
 *   sn_rows_new/free
 *   sn_rows_add()     count something
 *   sn_rows_next()    the same without a copy: what to count is written there
 *   sn_rows_added()   it has been written
 *   sn_rows_take()    take back what was added
 *   sn_rows_each()    all rows, in the order in which their keys came first
 *   sn_rows_state()   all of them, saved or loaded
 *   sn_rows_merging() a function to call before rows are merged
 *
 * Additions wait in a short queue, so that the host fetches the memory that they
 * need while the caller goes on.  Every function that tells something about rows
 * first adds what waits.
 *
 * When a new row would exceed the limit, rows are merged.  Addresses become those
 * of larger and larger aligned blocks: first those of the older half of the rows
 * without `keep`, then of all rows without it, then of all.  Only then do call
 * paths go, then instructions, then objects and threads.  The sums of any other column stay
 * exact.
 */
#ifndef SN_ROWS_H
#define SN_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sn_state.h"

#define SN_ROWS_MAX    16000000u
#define SN_ROW_NO_HOME 0xff
#define SN_ROW_NO_PC   UINT64_MAX /* instructions were merged */

/* Fields that a kind of row does not have are 0.  No padding. */
struct sn_row_key {
    uint64_t pc, addr; /* guest virtual addresses */
    uint32_t thread, path;
    uint32_t object;   /* heap block that addr is in */
    uint8_t table : 1; /* 0 misses, 1 stalls */
    uint8_t mode : 7;  /* sn_profile_where.mode */
    uint8_t what;      /* cause or part */
    uint8_t kind;   /* enum sn_kind; bit 7: served by backoff.  Of stalls in a
                     * queue: the part that they would be in */
    uint8_t tx;     /* kind of transaction */
    uint8_t home;   /* node of misses, SN_ROW_NO_HOME: none; hops of stalls */
    uint8_t region; /* region of interest */
    uint8_t cpu;
    uint8_t block : 7; /* log2 of the bytes that addr stands for; 64: all */
    uint8_t keep : 1;  /* its address matters more than others' */
    uint32_t at;       /* of stalls in a queue: sn_wait.at */
};

struct sn_row {
    struct sn_row_key key;
    uint64_t count, latency_ns, stall; /* stall: ticks */
};

/* How far rows were merged. */
struct sn_rows_merged {
    uint8_t block; /* log2 of the largest block; 0: addresses are exact */
    bool paths, pcs, threads;
    uint64_t times; /* steps of merging */
};

struct sn_rows;

/*
 * max: 1024 to SN_ROWS_MAX.  dense: called with memory that will be used from
 * end to end, before it is used; may be NULL.  NULL: the host has no memory.
 */
struct sn_rows *sn_rows_new(uint32_t max,
                            void (*dense)(void *area, size_t bytes));
void sn_rows_free(struct sn_rows *t);
/*
 * `add` has the key and what to add.  If even fully merged rows exceed the
 * limit, or the host has no memory, the addition is lost.
 */
void sn_rows_add(struct sn_rows *t, const struct sn_row *add);
/*
 * The caller writes all fields and then calls sn_rows_added(), and nothing else
 * of this table in between.
 */
struct sn_row *sn_rows_next(struct sn_rows *t);
void sn_rows_added(struct sn_rows *t);
/* Subtracts what was added before. */
void sn_rows_take(struct sn_rows *t, const struct sn_row *take);
/*
 * The table calls fn just before it merges rows.  A merge changes the keys of
 * rows.  So a caller that collects sums for existing rows outside of the table
 * must add them in fn; added later, they would make new rows.
 */
void sn_rows_merging(struct sn_rows *t, void (*fn)(void *opaque), void *opaque);
uint32_t sn_rows_count(struct sn_rows *t);
/* So many more rows have room.  What waits counts as rows. */
uint32_t sn_rows_room(const struct sn_rows *t);
const struct sn_rows_merged *sn_rows_merged(struct sn_rows *t);
/* The counts of all additions that are lost. */
uint64_t sn_rows_lost(struct sn_rows *t);
/* fn sees each row whose count is not 0. */
void sn_rows_each(struct sn_rows *t,
                  void (*fn)(void *opaque, const struct sn_row *r),
                  void *opaque);
/* Saves the rows, or loads them into a table that has none. */
void sn_rows_state(struct sn_rows *t, struct sn_archive *a);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the sampling library: an object's open devices, and the ring between
 * a sampling thread and the caller.
 *
 *   device.c    finds and opens nodes and ports, reads their counters
 *   ring.c      samples from one thread to another
 *   sampler.c   threads, ticks, statistics
 */
#ifndef SNPC_SAMPLER_H
#define SNPC_SAMPLER_H

#include "sn_sample.h"

#include <snpc.h>

/* An object with its devices open and counting. */
struct device {
    struct sn_object obj;
    volatile hubmd_regs_t *md; /* or NULL, with the mapping's start and size */
    volatile hubio_regs_t *io;
    void *map[2];
    size_t map_size[2];
    int fd[2]; /* of md, io: their ownership is the mapping's */
    int link;  /* fd or -1 */
    int md_mode, link_mode;
    struct sn_virt cnt[HUBMD_COUNTERS], iocnt;
    const uint32_t *lfsr_log;
    uint64_t hist[4];
    uint64_t last_hub;  /* clock before the last look at the Hub */
    uint64_t last_link; /* real-time counter at the last look at the port */
    uint32_t flags;     /* SN_SAMPLE_* since the last reading */
    unsigned index;     /* in the order of the command line */
};

/* Nodes and ports of r, in its order, not yet opened.  Returns their number or -1. */
int sn_find_objects(const struct sn_request *r, struct device **list, char *why, size_t size);

/* Opens the devices that the plan needs and makes the counters run. */
int sn_device_open(struct device *d, const struct sn_plan *plan, const uint32_t *lfsr_log,
                   char *why, size_t size);
void sn_device_close(struct device *d);

/*
 * Brings the totals up to date, of the Hub's counters, the port's or both.
 * max_ns: the longest interval without a wrap of the Hub's.  -1 with why: the
 * device failed.
 */
int sn_device_poll(struct device *d, bool hub, bool link, uint64_t max_ns, char *why, size_t size);

/* Polls both and gives all totals. */
int sn_device_read(struct device *d, uint64_t max_ns, struct sn_sample *s, char *why, size_t size);

/*
 * Who sleeps most of the time and works briefly need not wait until others on
 * its processor have used up their slices: a short slice of one's own goes
 * first.  For the calling thread; it takes no privilege.
 */
void sn_ask_for_short_slices(void);

/* --- one writer, one reader --- */

struct sn_ring {
    uint64_t *word;
    size_t size;       /* words, a power of two */
    size_t head, tail; /* written by the writer, the reader */
};

int sn_ring_init(struct sn_ring *r, size_t words);
bool sn_ring_put(struct sn_ring *r, const struct sn_sample *s); /* false: no room */
bool sn_ring_get(struct sn_ring *r, struct sn_sample *s);       /* false: empty */

#endif

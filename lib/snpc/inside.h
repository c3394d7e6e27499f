/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the sampling library: an object's open devices, and the ring between
 * a sampling thread and the caller.
 *
 *   device.c    finds and opens nodes and ports, reads their counters
 *   ring.c      samples from one thread to another
 *   turns.c     modes of a device that take turns
 *   sampler.c   threads, ticks, statistics
 */
#ifndef SNPC_INSIDE_H
#define SNPC_INSIDE_H

#include "sn_sample.h"

#include <snpc.h>

/* An object with its devices open and counting. */
struct device {
    struct sn_object obj;
    volatile hubmd_regs_t *md; /* or NULL; then the start and size of the mapping */
    volatile hubio_regs_t *io;
    void *map[2];
    size_t map_size[2];
    int fd[2]; /* of md, io; the mapping owns the counters */
    int link;  /* fd or -1 */
    int md_mode, link_mode;
    struct sn_virt cnt[HUBMD_COUNTERS], iocnt;
    const uint32_t *lfsr_log;
    uint64_t hist[4];
    uint64_t last_hub;   /* clock before the last reading of the Hub */
    uint64_t last_link;  /* real-time counter at the last reading of the port */
    uint32_t flags;      /* SN_SAMPLE_* since the last reading */
    unsigned index;      /* position in the order of the command line */
    struct turns *turns; /* NULL: each unit stays in its mode */
};

/* Finds the nodes and ports of r, in its order; does not open them.  Returns their number or -1. */
int sn_find_objects(const struct sn_request *r, struct device **list, char *why, size_t size);

/* Opens the devices that the plan needs and makes the counters run. */
int sn_device_open(struct device *d, const struct sn_plan *plan, const uint32_t *lfsr_log,
                   char *why, size_t size);
void sn_device_close(struct device *d);

/*
 * Updates the totals of the Hub's counters, of the port's, or of both.  max_ns: the
 * longest interval in which the Hub's counters cannot wrap.  Returns -1 with why if the
 * device failed.
 */
int sn_device_poll(struct device *d, bool hub, bool link, uint64_t max_ns, char *why, size_t size);

/* Updates both and returns all totals. */
int sn_device_read(struct device *d, uint64_t max_ns, struct sn_sample *s, char *why, size_t size);

/*
 * Lets the modes of all plans of r take turns on an open device, and gives its object the values
 * of all of them.  -1 with why: out of memory.
 */
int sn_turns_open(struct device *d, const struct sn_request *r, char *why, size_t size);

/*
 * Ends the turn of the selected modes, whose counts sn_device_poll() has just read, and selects
 * the next ones.  now: the clock before that reading.  -1 with why if the device failed.
 */
int sn_turns_next(struct device *d, uint64_t now, char *why, size_t size);

/*
 * Totals of all modes, scaled to all time, as of the last reading that ended a turn of each plan.
 * Returns their number.
 */
unsigned sn_turns_values(const struct device *d, uint64_t value[SN_MAX_VALUES]);

/* Adds the time that mode i of a set counted, and all time, to *counted and *passed.  The mode, or -1. */
int sn_turns_share(const struct device *d, enum sn_set set, unsigned i, uint64_t *counted,
                   uint64_t *passed);

/*
 * Requests short slices for the calling thread.  A thread that sleeps most of the time
 * and works briefly then need not wait until others on its processor have used up their
 * slices, because a short slice goes first.  Needs no privilege.
 */
void sn_ask_for_short_slices(void);

/* --- one writer, one reader --- */

struct sn_ring {
    uint64_t *word;
    size_t size;       /* words, a power of two */
    size_t head, tail; /* positions of the writer and of the reader */
};

int sn_ring_init(struct sn_ring *r, size_t words);
bool sn_ring_put(struct sn_ring *r, const struct sn_sample *s); /* false: no room */
bool sn_ring_get(struct sn_ring *r, struct sn_sample *s);       /* false: empty */

#endif

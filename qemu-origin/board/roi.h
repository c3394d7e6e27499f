/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions of interest that the guest marks (target/mips/r10k.h), and which
 * model runs when.
 *
 * Options of the machine:
 *   before=MODEL          this model runs until the start, that of time=MODEL after
 *   roi=NAME              the start is the begin of a region of this name, and
 *                         its end is the end; without it, of any region
 *   from=NS               the start is this machine time, and there is no end
 *   warm=NS               so long the unloaded model runs between the two
 *   region-log=FILE       what happened, as CSV
 * Property of a running machine:
 *   model-now             which model runs; a write takes effect at the end of
 *                         the quantum
 *
 * Columns of the log; a row leaves those empty that it does not have:
 *   at_ns   machine time
 *   event   model: another model runs from now on; begin, end: of a region;
 *           run: the machine stops
 *   model   what runs after a switch, or in the region
 *   was, why   what ran before a switch; region, end, time, warm,
 *           request or future
 *   ns, instructions, local, remote, backoff, latency_ns, writebacks
 *           at an end: since its begin, or since the caches were warm; of the
 *           whole run; local to writebacks are struct sn_sums
 *   region  its name
 *
 * A mark ends the quantum in every run, whether anything is to be switched or
 * not, so that both runs are the same up to there.
 *
 * Left out: regions of one thread only.  The marks of all processors make one
 * stack: an end closes the region that began last.
 */
#ifndef ORIGIN_ROI_H
#define ORIGIN_ROI_H

#include "qemu/notify.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "sn.h"
#include "sn_state.h"

#define ORIGIN_REGION_NAME  65 /* with its NUL */
#define ORIGIN_REGIONS_OPEN 16

/* An open region, and the counts as they were at its begin */
typedef struct OriginRegion {
    char name[ORIGIN_REGION_NAME];
    uint64_t ns, insns;
    struct sn_sums sums;
    bool start; /* its begin was the start */
} OriginRegion;

/* Why another model runs, as the log names it */
typedef enum OriginWhy {
    ORIGIN_WHY_REGION,
    ORIGIN_WHY_END,
    ORIGIN_WHY_TIME,
    ORIGIN_WHY_WARM,
    ORIGIN_WHY_REQUEST,
    ORIGIN_WHY_FUTURE,
    ORIGIN_WHYS
} OriginWhy;

/* At this time, in ns, one model took the place of another. */
typedef struct OriginSwitch {
    uint64_t at;
    uint16_t model, was; /* OriginModel */
    uint32_t why;        /* OriginWhy */
} OriginSwitch;

/* So many of a boot are remembered: those of `from` and `warm`, and a few requests. */
#define ORIGIN_BOOT_SWITCHES 4

typedef struct OriginRegions {
    char *before, *roi, *log_path; /* options; NULL: not given */
    uint64_t from, warm;           /* ns; 0: not given */
    FILE *log;
    Notifier mark, command, exit;
    QEMUTimer *timer; /* from, or the end of warming */
    /* the start of `from` has been: timer is the end of warming */
    bool from_over;
    OriginRegion open[ORIGIN_REGIONS_OPEN];
    unsigned nopen;
    unsigned lost; /* regions that are open but were too many to be entered */
    /* The boot made them.  A machine that begins behind it logs them, too. */
    OriginSwitch boot_switches[ORIGIN_BOOT_SWITCHES];
    unsigned nboot_switches;
} OriginRegions;

void origin_regions_init(OriginMachineState *m);
void origin_regions_state(OriginMachineState *m, struct sn_archive *a);
void origin_regions_class_init(ObjectClass *oc);

#endif

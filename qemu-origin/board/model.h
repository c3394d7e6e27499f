/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine as the board sees it: model.c puts it behind every access of the
 * processors, truth.c shows what it knows as properties of the machine.
 *
 *   origin_model_attach()      creates it; before the first processor exists
 *   origin_model_reset()       power-on state
 *   origin_model_switch()      another model, or none, on a running machine
 *   origin_model_dma()         a line that a PCI device moves (OriginDmaFn)
 *   origin_truth_class_init()  properties truth, picture, line, page,
 *                              invariants
 */
#ifndef ORIGIN_MODEL_H
#define ORIGIN_MODEL_H

#include "qemu/notify.h"
#include "qom/object.h"
#include "sn_state.h"

typedef struct OriginMachineState OriginMachineState;

/* What processors run on */
typedef enum OriginModel {
    ORIGIN_MODEL_OFF,      /* no caches and no directory: a cycle each */
    ORIGIN_MODEL_UNLOADED, /* sn.h SN_TIME_UNLOADED */
    ORIGIN_MODEL_FULL,     /* SN_TIME_FULL */
    ORIGIN_MODELS
} OriginModel;

/* "off", "unloaded", "full" */
extern const char *const origin_model_name[ORIGIN_MODELS];

/* Exits if there is no memory for caches and directory. */
void origin_model_attach(OriginMachineState *m);
void origin_model_reset(OriginMachineState *m);

/*
 * Only in a machine with an engine, with the BQL, in the thread of the
 * processors, while none of them is in guest code.  Both ways between off and
 * the others leave caches empty and all lines unowned.  False: the host has no
 * memory, nothing has changed.
 */
bool origin_model_switch(OriginMachineState *m, OriginModel to);
OriginModel origin_model_now(OriginMachineState *m);
/* Which model runs, caches, directory, counters; only with an engine */
void origin_model_state(OriginMachineState *m, struct sn_archive *a);

/*
 * A PCI device of node 0 is about to move (part of) the line at physical
 * address `line`; opaque is the machine.
 */
void origin_model_dma(void *opaque, uint64_t line, bool write);

/* Where the line about accesses out of order goes when the machine ends */
typedef struct OriginOrderLog {
    char *path; /* NULL: nowhere */
    FILE *log;
    Notifier exit;
} OriginOrderLog;

/* After origin_model_attach(). */
void origin_truth_init(OriginMachineState *m);
void origin_truth_class_init(ObjectClass *oc);

#endif

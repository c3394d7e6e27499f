/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory system between the guest and the engine (sn.h), as the rest of the
 * board sees it.  Its files; each knows only those above it:
 *
 *   model-internal.h  what they have in common: a processor's part, and the machine's
 *   order.c      accesses that wait for their turn in machine time
 *   access.c     what QEMU calls for each access
 *   engine.c     what the engine calls; creation, reset, switching of models
 *
 *   origin_model_attach()      creates it; before the first processor exists
 *   origin_model_connect()     when all processors exist
 *   origin_model_reset()       power-on state
 *   origin_model_switch()      another model, or none, on a running machine
 *   origin_model_dma()         a line that a PCI device moves (OriginDmaFn)
 *   origin_truth_class_init()  truth.c: properties truth, picture, line, page,
 *                              invariants
 */
#ifndef ORIGIN_MODEL_H
#define ORIGIN_MODEL_H

#include "qemu/notify.h"
#include "qom/object.h"
#include "sn.h"
#include "sn_state.h"

typedef struct OriginMachineState OriginMachineState;
typedef struct OriginMemory OriginMemory;

/* What processors run on */
typedef enum OriginModel {
    ORIGIN_MODEL_OFF,        /* no caches and no directory: a cycle each */
    ORIGIN_MODEL_FIRST_TIME, /* from here on: the engine's time models */
    ORIGIN_MODEL_UNLOADED = ORIGIN_MODEL_FIRST_TIME + SN_TIME_UNLOADED,
    ORIGIN_MODELS = ORIGIN_MODEL_FIRST_TIME + SN_NTIMES
} OriginModel;

static inline enum sn_time origin_model_time(OriginModel model)
{
    return (enum sn_time)(model - ORIGIN_MODEL_FIRST_TIME);
}

/* "off", or the name of the time model; NULL: there is no such OriginModel. */
static inline const char *origin_model_name(unsigned model)
{
    return model == ORIGIN_MODEL_OFF ? "off"
                                     : sn_time_name(origin_model_time(model));
}

/* False: there is no such model. */
bool origin_model_by_name(const char *name, OriginModel *model);

/* Exits if there is no memory for caches and directory. */
void origin_model_attach(OriginMachineState *m);
/* Before a processor runs, if there is an engine */
void origin_model_connect(OriginMachineState *m);
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

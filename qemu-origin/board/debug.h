/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a debugger asks of the machine.
 *
 * The machine property "tick" is machine time in ticks.  "break-at" is a tick,
 * at which the machine stops once as at a breakpoint: at the first boundary of
 * a quantum that is not more than a nanosecond before it.  Up to there the run
 * is the same as without.
 *
 * "pause-after" is a time in ns: the machine pauses once when so much has
 * passed, at the next point at which QEMU's main loop runs.  That is at most a
 * millisecond of machine time later, more if the machine is idle.  Unlike
 * "break-at" it may be set while the machine runs, and no quantum ends because
 * of it, so that the rest of the run is the same as without.
 */
#ifndef ORIGIN_DEBUG_H
#define ORIGIN_DEBUG_H

#include "origin.h"

/*
 * Arm the stop, if one is asked for.  To be called when the machine has its
 * clock.
 */
void origin_debug_init(OriginMachineState *m);

void origin_debug_class_init(ObjectClass *oc);

#endif

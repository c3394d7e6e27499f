/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checkpoints: the whole machine in a file, and a machine that goes on from it.
 *
 * Options of the machine:
 *   save=FD      a file.  When a region begins (roi.h: roi=NAME, else any), the
 *                machine is written to it from its present offset on, at the
 *                first point at which the main loop has nothing left to do;
 *                that is at most a millisecond of machine time later, or a
 *                second if the network is busy.  This process then ends with
 *                the status ORIGIN_CHECKPOINT_SAVED, or with 1 and one line if
 *                that failed.
 *   keep=FD, keep-told=FD
 *                a file that gets the machine in the same way when process 1 asks
 *                for its job (job.h); the machine then goes on.  The second is a
 *                socket: it gets K, or F if that failed, and the machine waits for
 *                a byte from there.
 *   restore=FD   such a file at such an offset.  The machine goes on from there
 *                and does, to the tick, what the saved one would have done.
 *
 * From that offset on, the file has eight bytes with the offset of a stream, the
 * pages of memory at multiples of a page's size, and the stream.  Memory is mapped
 * from there and not read, so the file must stay as it is while a machine that
 * goes on from it runs; it may lose its name.  The stream is QEMU's device
 * states.  Two sections of it are ours:
 *   origin2000/memory   which pages there are, and the Bridge, through
 *                       which virtio devices look at their rings when they
 *                       are loaded
 *   origin2000          all else that QEMU's own sections lack.  It comes last,
 *                       because loading other devices may raise interrupts.
 * The sections contain structures as they are in memory: only the same build
 * can read them.  Who calls (the launcher) makes sure of that, and of the same
 * description, kernel, options, and contents of shares and disks.
 *
 * Of a user network, what it knows of the guest is saved.  Connections to the
 * outside are not, and a machine that has one is not saved.
 *
 * A machine that goes on from a file may split (futures.h) or have remedies
 * (whatif/whatif.h) that have not begun when it was kept: nothing of these is
 * in the file.
 *
 * Of accesses in a region and of followed lines nothing is saved: a machine that
 * has recorded some is not kept.
 *
 * Left out: machines with a debugger, profiles of each access, machines without
 * machine time.
 */
#ifndef ORIGIN_CHECKPOINT_H
#define ORIGIN_CHECKPOINT_H

#include "qemu/notify.h"
#include "qom/object.h"

#define ORIGIN_CHECKPOINT_SAVED 88

typedef struct OriginCheckpoint {
    uint32_t save, restore, keep, keep_told; /* options; 0: none */
    Notifier mark;                           /* a region begins */
    bool pending;                            /* the region has begun */
    int64_t give_up;   /* when to stop waiting for the network, in ticks */
    Error *why;        /* of a failure, if more is known than errno */
    GArray *runs;      /* while it is saved: pages that are in the file */
    int64_t pages;     /* while it is restored: where the next are in it */
    int64_t pages_end; /* where all of them end there */
    uint32_t mapped;   /* pieces of memory that come from it when touched */
} OriginCheckpoint;

void origin_checkpoint_init(OriginMachineState *m);

#endif

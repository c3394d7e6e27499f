/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forked futures: at the begin of a region the machine splits into children,
 * each a process that goes on with settings of its own.
 *
 * Option of the machine:
 *   futures=FD    a socket of type SOCK_SEQPACKET whose other end makes the
 *                 children: the launcher
 *
 * At the split this process sends "split" and becomes the template.  It answers
 * each request by a child and "child PID", or "error WHY", and ends when "end"
 * or the end of the socket comes.  A request is lines of "key value":
 *   parent PID     the child becomes a child of this process, which must be a
 *                  subreaper, and dies with it
 *   model MODEL    this model runs from the split on (model/model.h)
 *   threads N      of the host that run its processors; not more than the
 *                  template has
 *   seed N         of the generators that choose L2 victims
 *   fd INODE       a descriptor comes along; it takes the place of those of a
 *                  pipe or socket with this inode
 *   move FROM\tTO  files below the directory FROM, or the file FROM, are those
 *                  of TO from now on; they must be there.  FROM may be TO: the
 *                  child then opens them by itself, if it still can
 *   remedy LIST    virtual remedies (whatif/whatif.h), which begin at the
 *                  split.  The machine must have the option `remedy`, with an
 *                  empty list
 *   remedy-comm, remedy-log    before it, as the options
 *   text           what follows is for the guest (target/mips/r10k.h)
 *
 * The split is at the end of a quantum, before anything that the region's begin
 * switches, or where the command starts (command.h).  A child without settings
 * does the same as a machine without this option.  It has the template's memory
 * by copy on write, its own streams and files, and no other thread than the
 * main loop's, RCU's and the processors', which are made anew.
 *
 * A profile is written to the directory that the child's request moves it to.
 *
 * Left out: machines with a network or a debugger; a profile's file of each
 * access; files that are open and deleted.
 */
#ifndef ORIGIN_FUTURES_H
#define ORIGIN_FUTURES_H

#include "model/model.h"
#include "qom/object.h"

typedef struct OriginFutures {
    uint32_t fd;   /* option; 0: none */
    bool split;    /* it has happened; this is a child or the template */
    bool switched; /* the child has a model of its own */
    OriginModel model;
    unsigned threads; /* of a child; 0: as many as the template */
} OriginFutures;

/* Is the machine to be split at the next begin of its region? */
bool origin_futures_wanted(OriginMachineState *m);

/*
 * Split it.  In the thread of the processors, with the BQL, at the end of a
 * quantum.  Returns in no process: functions that wait for that end run in each
 * child.
 */
void origin_futures_split(OriginMachineState *m);

void origin_futures_init(OriginMachineState *m);

#endif

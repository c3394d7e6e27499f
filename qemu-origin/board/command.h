/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of the command: the first time that a process of its name is about
 * to run its program in user mode.
 *
 * Options of the machine:
 *   command=NAME      the name that the kernel gives the process: 15 bytes
 *   split-at-command  the machine splits there (futures.h), not at a region
 *
 * What begins with the command takes effect at the end of that quantum, before
 * the kernel has returned to the program or soon after its first instruction:
 * the machine splits, or remedies begin (whatif/whatif.h).
 *
 * Whether somebody records a profile changes nothing of when this is.
 *
 * Left out: what a process of the same name did before.
 */
#ifndef ORIGIN_COMMAND_H
#define ORIGIN_COMMAND_H

#include "qemu/notify.h"
#include "target/mips/r10k.h"

typedef struct OriginMachineState OriginMachineState;

/*
 * Open the guest's kernel, if no profile does, for the options need it.  Exits
 * if the kernel is not known.
 */
void origin_command_open(OriginMachineState *m);
/* @n: called when the command starts, in a CPU's thread, with the BQL */
void origin_command_add_notifier(Notifier *n);
/*
 * Replaces *ops, and those of a machine whose model is off, by functions that
 * call the given ones and look for the command.
 */
void origin_command_attach(OriginMachineState *m, const MIPSR10KMemOps **ops,
                           const MIPSR10KMemOps **off);

#endif

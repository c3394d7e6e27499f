/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line and the protocol's functions (proto/proto.h), message by message: what
 * happens when transactions cross, which the engine's executor never lets them
 * do.  The caller decides which message arrives next.  No time passes.
 *
 *   races_new()      `nodes` nodes with two processors each; node `home` has the line, unowned
 *   races_request()  processor `cpu` sends READ, RDSH, RDEX or UPGRD; or, if its request was
 *                    refused, sends that again
 *   races_evict()    the processor gives the line up: a modified one by WB, others without a
 *                    message; or, if its write-back was refused, sends that again
 *   races_deliver()  message `number` arrives; `full`: a home has no room for forwarded messages
 *
 * They return 0, or -1 if the protocol does not allow that now, and then
 * machine_said() has the reason.  After 0 it has what happened and the state as
 * JSON.  Each step checks what tests/model/random.c checks: one writer, loads that
 * see the latest store, a row for each message.
 */
#ifndef MACHINE_RACES_H
#define MACHINE_RACES_H

#include <stdint.h>

int races_new(uint32_t nodes, uint32_t home);
int races_request(uint32_t cpu, uint32_t type);
int races_evict(uint32_t cpu);
int races_deliver(uint32_t number, uint32_t full);

#endif

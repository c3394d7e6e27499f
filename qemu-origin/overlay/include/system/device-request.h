/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of devices that run at points of machine time
 *
 * A device leaves work to the host that may take long: a worker thread reads
 * the file, a character backend writes as much as its reader takes.  The host
 * completes it in its own time, and the guest sees the result at a point of its
 * time that differs from run to run.  A clock that hides the host asks for the
 * opposite: each request is complete at the point of machine time at which the
 * device makes it, and what it returns does not depend on the host's names of
 * things.  Machine time stands still meanwhile.
 *
 * Thread pools, character backends and file systems ask these functions; a
 * device that uses them need not know.
 */
#ifndef SYSTEM_DEVICE_REQUEST_H
#define SYSTEM_DEVICE_REQUEST_H

/**
 * device_requests_at_points: let all requests run at points of machine time
 * @is_vcpu: is the caller a vCPU's thread?
 *
 * To be called at most once, before the machine is created.
 */
void device_requests_at_points(bool (*is_vcpu)(void));

/**
 * device_request_is_inline: must the caller do the work of a request itself?
 *
 * If so, the work is done when the call that asks for it returns, though its
 * completion may be reported by a bottom half.
 */
bool device_request_is_inline(void);

/**
 * device_request_waits: must the caller wait until the host takes all data?
 *
 * True for vCPUs only: other threads, a monitor's for instance, may see that
 * the host is not ready.
 */
bool device_request_waits(void);

#endif

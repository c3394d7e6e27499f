/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of devices that run at points of machine time
 *
 * The interface and its meaning are in include/system/device-request.h.
 */

#include "qemu/osdep.h"
#include "system/device-request.h"

/* NULL: requests are left to the host */
static bool (*request_of_vcpu)(void);

void device_requests_at_points(bool (*is_vcpu)(void))
{
    request_of_vcpu = is_vcpu;
}

bool device_request_is_inline(void)
{
    return request_of_vcpu;
}

bool device_request_waits(void)
{
    return request_of_vcpu && request_of_vcpu();
}

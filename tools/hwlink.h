/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of Hubs and routers for snroute, through the devices that snpc.ko
 * makes for root when loaded with extended=1: rreg and hubreg.
 *
 *   hwlink_target()     what a link of the hardware graph points at
 *   hwlink_router()     opens a router;  hwlink_vector() reads a register of it
 *   hwlink_hub()        maps a Hub;      hwlink_hub_read()
 *
 * Functions return -1 with one line in why.
 */
#ifndef TOOLS_HWLINK_H
#define TOOLS_HWLINK_H

#include <snhw.h>
#include <snpc.h>
#include <stdbool.h>
#include <stdint.h>

/* Target of the link PATH/NAME; false: there is none. */
bool hwlink_target(const char *path, const char *name, char target[SNHW_NAME_MAX]);

int hwlink_router(const char *router, char *why, size_t size); /* a file descriptor */
int hwlink_vector(int fd, uint32_t addr, bool *there, uint64_t *value, char *why, size_t size);

struct hwlink_hub {
    volatile const char *regs;
    int nasid;
};

int hwlink_hub(int cnode, struct hwlink_hub *h, char *why, size_t size);
uint64_t hwlink_hub_read(const struct hwlink_hub *h, uint32_t offset);

#endif

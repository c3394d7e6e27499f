/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of Hubs and routers for snroute, through the devices rreg and hubreg. snpc.ko makes
 * them for root when it is loaded with extended=1.
 *
 *   hwlink_target()     the target of a link of the hardware graph
 *   hwlink_router()     opens a router;  hwlink_vector() reads a register of it
 *   hwlink_hub()        maps a Hub;      hwlink_hub_read()
 *
 * Functions that return int return -1 with one line in why.
 */
#ifndef TOOLS_HWLINK_H
#define TOOLS_HWLINK_H

#include <snhw.h>
#include <snpc.h>
#include <stdbool.h>
#include <stdint.h>

/* The target of the link PATH/NAME; false: there is no such link. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks and the network of a run: --disk, --image, --net. */
#ifndef LAUNCHER_DEVICES_H
#define LAUNCHER_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/protocol.h"

struct disk {
    const char *path;
    const char *mount; /* where it appears in the guest */
    bool image;        /* of the build: read-only */
};

struct devices {
    struct disk disk[DISKS_MAX]; /* the guest's /dev/vda, /dev/vdb, ... */
    unsigned int ndisks;
    const char
        *net; /* NULL: nothing behind eth0; else "" or ",hostfwd=..." for QEMU's user network */
};

/* --disk FILE and --image NAME.  Exit with EXIT_USAGE if there is one too many or no such image. */
void devices_add_disk(struct devices *d, const char *path);
void devices_add_image(struct devices *d, const char *name);

/* Let the build's tree make an image that is not there yet.  0, or -1 after lines on stderr. */
int devices_build_image(const struct devices *d);

/* --net=VALUE.  False if it cannot be understood. */
bool devices_set_net(struct devices *d, const char *value);

/*
 * Create disks that are not there; check the others.  One that is a link which a guest can have made in
 * @share is refused.  0, or -1 after one line on stderr.
 */
int devices_open(const struct devices *d, const char *share);

/* @s with each comma twice, as QEMU's option parser wants it.  Free it. */
char *comma_twice(const char *s);

/* Pass QEMU's arguments to @add, one after the other. */
void devices_args(const struct devices *d, void (*add)(void *opaque, const char *arg),
                  void *opaque);

/* Line @i, from 0, of what /.origin/conf says of devices, into @line.  False: there are fewer. */
bool devices_conf(const struct devices *d, unsigned int i, char *line, size_t room);

#endif

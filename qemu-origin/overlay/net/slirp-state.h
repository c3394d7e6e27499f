/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libslirp does not save of a user network
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * slirp_state_save() leaves out the table of Ethernet addresses and all
 * connections but those of guestfwd.  A network that has forgotten who has an
 * address asks the guest before it answers it, so the guest would see other
 * frames.  The table is saved here.  Connections to the outside cannot be
 * saved: slirp_busy() finds them.
 *
 * Left out, because libslirp does not show it: frames that wait until it knows
 * an address; fragments of a datagram; and, once more than 16 addresses have been
 * seen, which entry of the table is the oldest.
 */
#ifndef QEMU_NET_SLIRP_STATE_H
#define QEMU_NET_SLIRP_STATE_H

#include <libslirp.h>
#include "migration/qemu-file-types.h"

/**
 * slirp_save_addresses: save the IPv4 table of Ethernet addresses
 *
 * Sets the error of @f if libslirp does not show the table.
 */
void slirp_save_addresses(Slirp *slirp, QEMUFile *f);

/**
 * slirp_load_addresses: tell a network that has seen nothing what was saved
 *
 * Nothing is sent to the guest.  Returns 0, or -EINVAL.
 */
int slirp_load_addresses(Slirp *slirp, QEMUFile *f);

/**
 * slirp_busy: what goes on between the guest and the outside
 *
 * Returns a line for the user about a TCP connection that is open, to be freed
 * with g_free(); NULL if there is none.  What is left of UDP and of pings to the
 * outside does not count, because nobody relies on an answer.
 */
char *slirp_busy(Slirp *slirp);

#endif

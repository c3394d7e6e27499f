/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libslirp does not save of a user network: see slirp-state.h.
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * libslirp's structures are its own.  It shows the table and the connections as
 * text for a monitor, which is parsed here.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "migration/qemu-file.h"
#include "net/eth.h"
#include "slirp-state.h"

/* An entry in the file, and in a frame of ARP: who, and the IPv4 address */
#define ENTRY (ETH_ALEN + 4)

static bool parse_entry(const char *line, uint8_t entry[ENTRY])
{
    unsigned v[ENTRY];

    if (sscanf(line, " ARP %2x:%2x:%2x:%2x:%2x:%2x %3u.%3u.%3u.%3u", &v[0],
               &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8],
               &v[9]) != ENTRY) {
        return false;
    }
    for (int i = 0; i < ENTRY; i++) {
        entry[i] = v[i];
    }
    return true;
}

void slirp_save_addresses(Slirp *slirp, QEMUFile *f)
{
    g_autofree char *text = slirp_neighbor_info(slirp);
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    static const uint8_t none[4];
    uint8_t entry[ENTRY];
    /* The table may be empty, but it has a heading. */
    bool shown = line[0] && strstr(line[0], "MacAddr");

    for (int i = 1; shown && line[i]; i++) {
        if (!parse_entry(line[i], entry)) {
            /* Addresses of IPv6, which the launcher switches off, and the end */
            shown = !*line[i] || strstr(line[i], "NDP");
        } else if (memcmp(entry + ETH_ALEN, none, sizeof(none))) {
            qemu_put_byte(f, 1);
            qemu_put_buffer(f, entry, ENTRY);
        }
    }
    qemu_put_byte(f, 0);
    if (!shown) {
        Error *err = NULL;

        error_setg(&err, "libslirp does not show its table of addresses");
        qemu_file_set_error_obj(f, -EINVAL, err);
    }
}

/* As if the guest had announced that it has the address. */
static void announce(Slirp *slirp, const uint8_t entry[ENTRY])
{
    static const uint8_t arp[] = { 0, 1, ETH_P_IP >> 8, 0, ETH_ALEN, 4, 0, 1 };
    uint8_t frame[ETH_ZLEN] = { 0 }, *p = frame;

    memset(p, 0xff, ETH_ALEN);
    memcpy(p + ETH_ALEN, entry, ETH_ALEN);
    stw_be_p(p + 2 * ETH_ALEN, ETH_P_ARP);
    p += ETH_HLEN;
    memcpy(p, arp, sizeof(arp));
    memcpy(p + sizeof(arp), entry, ENTRY);
    memcpy(p + sizeof(arp) + ENTRY + ETH_ALEN, entry + ETH_ALEN, 4);
    slirp_input(slirp, frame, sizeof(frame));
}

int slirp_load_addresses(Slirp *slirp, QEMUFile *f)
{
    uint8_t entry[ENTRY];

    while (qemu_get_byte(f)) {
        if (qemu_get_buffer(f, entry, ENTRY) != ENTRY) {
            return -EINVAL;
        }
        announce(slirp, entry);
    }
    return 0;
}

char *slirp_busy(Slirp *slirp)
{
    static const char *const quiet[] = { "HOST_FORWARD", "LISTEN", "CLOSED",
                                         "TIME_WAIT", NULL };
    g_autofree char *text = slirp_connection_info(slirp);
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    char state[16], from[16], to[16];
    unsigned from_port, to_port;

    for (int i = 0; line[i]; i++) {
        if (sscanf(line[i], " TCP[%15[^]]] %*d %15s %u %15s %u", state, from,
                   &from_port, to, &to_port) == 5 &&
            !g_strv_contains(quiet, state)) {
            return g_strdup_printf("a connection to the outside is open (TCP, "
                                   "%s port %u to %s port %u, %s)",
                                   from, from_port, to, to_port, state);
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The web server of a view (libmicrohttpd), in a thread of its own. */
#ifndef LAUNCHER_VIEW_SERVER_H
#define LAUNCHER_VIEW_SERVER_H

#include "store.h"

#define KEY_CHARS 32 /* 128 bits, hexadecimal */

struct server;

/*
 * Serve @page and what the store holds on @listener, a listening socket of 127.0.0.1 at @port, to
 * whoever knows @key.  NULL: the library refuses.
 */
struct server *server_start(int listener, unsigned int port, const char *key, const char *page,
                            struct store *s);

/* There is a new picture, or the machine has ended. */
void server_picture(struct server *v);
/* The question of connection @whose is answered. */
void server_answer(struct server *v, void *whose);

/* Wait until all streams have got the end, at most @seconds. */
void server_finish(struct server *v, double seconds);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command's streams and the control port.  Each function is called when
 * poll() has said that its descriptor is ready.
 */
#ifndef LAUNCHER_STREAMS_H
#define LAUNCHER_STREAMS_H

#include "session.h"

/* QEMU -> us: fill an empty buffer; close @from at its end. */
void out_read(struct out *o);

/* us -> stdout or stderr (descriptor @which). */
void out_write(struct session *s, struct out *o, int which);

/* QEMU's log, or the console's output beside a command. */
void log_read(struct session *s, struct log *l);

/* Lines from process 1. */
void control_read(struct session *s);

/* A byte from process 1 that asks for a frame of stdin. */
void request_read(struct session *s);

/* Our stdin -> the frame: bytes for the command, or keys for the console. */
void stdin_read(struct session *s);

/* The frame -> the guest, through the socket @fd. */
void frame_write(struct session *s, int fd);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the time models (time/model.h, docs/engine.md).  The launcher
 * includes this file and nothing else of the engine's interface.
 */
#ifndef SN_TIME_H
#define SN_TIME_H

/* The first one is the default. */
#define SN_TIME_LIST(X)   \
    X(UNLOADED, unloaded) \
    X(FULL, full)

#endif

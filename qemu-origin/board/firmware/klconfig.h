/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that the PROM leaves in memory for a kernel (klconfig.c).
 *
 *   origin_klconfig_write()   at each reset
 */
#ifndef ORIGIN_KLCONFIG_H
#define ORIGIN_KLCONFIG_H

typedef struct OriginMachineState OriginMachineState;

/* Writes KLDIR, KLCONFIG, GDA and argv into the nodes' memory. */
void origin_klconfig_write(OriginMachineState *m);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of Hubs and routers, and the qualifiers of their events. */
#ifndef SN0_HUB_H
#define SN0_HUB_H

#include "sn0_set.h"

/* Nodes, then ports. */
extern struct sn0_qual *sn0_quals;
extern int sn0_nquals;

#define sn0_qual_of(code) (&sn0_quals[((code) >> SN0_QUAL_SHIFT) - 1])

/* Node and port qualifiers of this machine. */
int sn0_hub_probe(void);
void sn0_hub_forget(void);
/* Can the event have the qualifier? */
bool sn0_hub_takes(const struct sn0_event *e, const struct sn0_qual *q);
/* Makes s->plan from s's events; PAPI_ECNFLCT if they need different modes at once. */
int sn0_hub_plan(struct sn0_set *s);
/* These do nothing if the set has no such events. */
int sn0_hub_start(struct sn0_set *s);
int sn0_hub_read(struct sn0_set *s);
void sn0_hub_stop(struct sn0_set *s);

#endif

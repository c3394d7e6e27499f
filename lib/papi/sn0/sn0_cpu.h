/* SPDX-License-Identifier: GPL-2.0-or-later */
/* R10000 events of threads. Functions return PAPI's codes. */
#ifndef SN0_CPU_H
#define SN0_CPU_H

#include "sn0_set.h"

/* false: there is no PMU r10k. */
bool sn0_cpu_probe(void);
bool sn0_cpu_is_r10000(void);
bool sn0_cpu_has_monitor(void);
/* The machine's name of an event, or NULL. */
const char *sn0_cpu_name(unsigned event);
/* Can ranges of data (or of code) restrict the event on this machine? */
bool sn0_cpu_restricts(unsigned event, bool code);
/* Open the events of the set again, except for those before `first` that are ready; close all. */
int sn0_cpu_open(struct sn0_set *s, int first);
bool sn0_cpu_is_ready(const struct sn0_set *s, int i);
void sn0_cpu_close(struct sn0_set *s);
int sn0_cpu_start(struct sn0_set *s);
int sn0_cpu_stop(struct sn0_set *s);
int sn0_cpu_read(struct sn0_set *s);
int sn0_cpu_reset(struct sn0_set *s);
/* The program counter of the newest sample of a descriptor; false if there is none. */
bool sn0_cpu_sample(struct sn0_set *s, int fd, int *index, uint64_t *pc);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native events of the component (sn0.c); docs/papi.md lists them. */
#ifndef SN0_EVENTS_H
#define SN0_EVENTS_H

#define SN0_CPU_EVENTS 32

enum sn0_class { SN0_CPU, SN0_MD, SN0_IO, SN0_LINK, SN0_REFCNT };

/* mode, index: of MD and link, mode and counter; of I/O, selection and 0; of a CPU, 0 and event. */
struct sn0_event {
    enum sn0_class class;
    unsigned mode, index;
    const char *name;
    const char *text, *r12k; /* r12k: the meaning on a later processor, or "" */
};

extern const struct sn0_event sn0_events[];
extern const int sn0_nevents;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native events of the component, from the rows of include/regs/ev_*.h.inc. */
#include "sn0_events.h"

/* Codes of events are in the order of the hardware's numbers, not of the rows. */
enum sn0_at {
    AT_MD = SN0_CPU_EVENTS - 1,
#define MD_EV(mode, counter, NAME, ...) AT_MD_##NAME,
#include "regs/ev_md.h.inc"
#define IO_EV(select, NAME, ...) AT_IO_##NAME,
#include "regs/ev_io.h.inc"
    AT_LINK,
    AT_REFCNT = AT_LINK
#define RR_EV(mode, counter, NAME, ...) +1
#include "regs/ev_router.h.inc"
};

const struct sn0_event sn0_events[] = {
#define R10K_EV(number, NAME, r12k_name, METRIC, metric, r10000, r12000, caption, meaning, \
                r12k_meaning)                                                              \
    [number] = { SN0_CPU, 0, number, #NAME, meaning, r12k_meaning },
#include "regs/ev_r10k.h.inc"
#define MD_EV(mode, counter, NAME, METRIC, metric, expression, caption, meaning) \
    [AT_MD_##NAME] = { SN0_MD, mode, counter, "MD_" #NAME, meaning, "" },
#include "regs/ev_md.h.inc"
#define IO_EV(select, NAME, METRIC, metric, expression, caption, source) \
    [AT_IO_##NAME] = { SN0_IO, select, 0, "IO_" #NAME, caption, "" },
#include "regs/ev_io.h.inc"
#define RR_EV(mode, counter, NAME, METRIC, metric, what, caption, meaning) \
    [AT_LINK + 4 * mode + counter] = { SN0_LINK, mode, counter, "LINK_" #NAME, meaning, "" },
#include "regs/ev_router.h.inc"
    [AT_REFCNT] = { SN0_REFCNT, 0, 0, "REFCNT",
                    "read requests for pages of the process's data range", "" },
};

const int sn0_nevents = sizeof(sn0_events) / sizeof(sn0_events[0]);

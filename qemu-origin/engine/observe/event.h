/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event of a line (follow.h) as text. */
#ifndef SN_EVENT_H
#define SN_EVENT_H

#include "observe/follow.h"

/* The columns `event` to `stall_ticks` of follow.csv (include/profile/profile.h). */
#define SN_EVENT_TEXT 3072
void sn_event_text(const struct sn_event *e, char text[SN_EVENT_TEXT]);

#endif

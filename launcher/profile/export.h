/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LAUNCHER_PROFILE_EXPORT_H
#define LAUNCHER_PROFILE_EXPORT_H

#include "tally.h"

/* For other programs. */
void export_csv(const struct tally *t);
void export_json(const struct tally *t);
void export_callgrind(const struct tally *t);
void export_folded(const struct tally *t);

#endif

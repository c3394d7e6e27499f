/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors' model, and which of the events of threads it counts. */
#ifndef RECORD_MODEL_H
#define RECORD_MODEL_H

#include "../common/options.h"
#include "sn_metric.h"

/* An R12000 or R14000. */
bool model_is_later(void);

/* Exits if the plan has an event that the processors do not count, and says what they count. */
void model_check(const struct sn_plan *plan, const struct opt_program *p);

#endif

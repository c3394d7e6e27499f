/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time models of SN_TIME_LIST (sn.h), each in a file of its own. */
#ifndef SN_TIME_MODELS_H
#define SN_TIME_MODELS_H

#include "time/model.h"

#define X(NAME, name) extern const struct sn_time_model sn_time_##name;
SN_TIME_LIST(X)
#undef X
extern const struct sn_time_model *const sn_time_models[SN_NTIMES];

#endif

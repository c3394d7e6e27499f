/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time models by number. */
#include "time/models.h"

const struct sn_time_model *const sn_time_models[SN_NTIMES] = {
#define X(NAME, name) &sn_time_##name,
    SN_TIME_LIST(X)
#undef X
};

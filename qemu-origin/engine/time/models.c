/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time models by number. */
#include "time/models.h"

#include <stddef.h>

const struct sn_time_model *const sn_time_models[SN_NTIMES] = {
#define X(NAME, name) &sn_time_##name,
    SN_TIME_LIST(X)
#undef X
};

const char *sn_time_name(unsigned time)
{
    static const char *const name[SN_NTIMES] = {
#define X(NAME, name) #name,
        SN_TIME_LIST(X)
#undef X
    };

    return time < SN_NTIMES ? name[time] : NULL;
}

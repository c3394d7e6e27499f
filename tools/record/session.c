/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of the collector; see session.h. */
#include "session.h"

#include <stdio.h>

void session_error(struct session *s, const char *what, const char *why)
{
    if (!s->detached) {
        fprintf(stderr, "snrun: %s: %s\n", what, why);
    }
    s->status = 1;
}

bool session_is_verbose(const struct session *s)
{
    return !s->setup->quiet && !s->detached;
}

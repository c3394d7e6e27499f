/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text that grows (text.h). */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char *text;
static size_t used, room;

void text_clear(void)
{
    used = 0;
}

/* There is room for n bytes more, and a terminator. */
static void make_room(size_t n)
{
    if (used + n < room) {
        return;
    }
    room = (used + n + 1) * 2;
    text = realloc(text, room);
    if (!text) {
        abort();
    }
}

void text_add(const char *fmt, ...)
{
    va_list ap;
    int n;

    make_room(256);
    va_start(ap, fmt);
    n = vsnprintf(text + used, room - used, fmt, ap);
    va_end(ap);
    if (n >= 0 && used + (size_t)n >= room) {
        make_room((size_t)n);
        va_start(ap, fmt);
        vsnprintf(text + used, room - used, fmt, ap);
        va_end(ap);
    }
    used += n > 0 ? (size_t)n : 0;
}

const char *text_get(void)
{
    make_room(0);
    text[used] = '\0';
    return text;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The launcher's complaints.  Interface and texts: messages.h. */
#include "messages.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *about;

void messages_about(const char *name)
{
    about = name;
}

static void print(const char *fmt, va_list ap)
{
    char *text;

    if (vasprintf(&text, fmt, ap) < 0)
        return;
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    fflush(stdout);
    fputs("origin: ", stderr);
    if (about)
        fprintf(stderr, "future %s: ", about);
    fprintf(stderr, "%s\n", text);
    free(text);
}

void complain(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    print(fmt, ap);
    va_end(ap);
}

void die(int status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    print(fmt, ap);
    va_end(ap);
    exit(status);
}

char *xasprintf(const char *fmt, ...)
{
    char *text;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    return text;
}

void die_errno(const char *what)
{
    die(EXIT_MACHINE, MSG_SYSTEM_CALL, what, strerror(errno));
}

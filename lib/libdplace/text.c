// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdplace: the text of placement files, and errors.  text.h has the interface, dplace(1) the
 * grammar of expressions.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dplace.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

/* What the thread reads. */
static _Thread_local struct {
    const char *at;   /* what is left of the line */
    const char *path; /* the file's */
    int line;         /* 0: not in a file */
    bool failed;
    char error[512];
} text = { .at = "" };

/* --- errors --- */

void dpl_fail(const char *fmt, ...)
{
    size_t n = 0;
    va_list ap;

    if (text.failed)
        return;
    text.failed = true;
    if (text.line)
        n = snprintf(text.error, sizeof(text.error), "%s:%d: ", text.path, text.line);
    va_start(ap, fmt);
    if (n < sizeof(text.error))
        vsnprintf(text.error + n, sizeof(text.error) - n, fmt, ap);
    va_end(ap);
    text.at = "";
}

bool dpl_failed(void)
{
    return text.failed;
}

void dpl_unknown(void)
{
    dpl_fail("'%.*s': no such statement", (int)strcspn(text.at, " \t\n"), text.at);
}

const char *dplace_error(void)
{
    return text.error;
}

/* --- words --- */

void dpl_file_line(const char *path, int line)
{
    text.path = path;
    text.line = line;
}

void dpl_begin(const char *line)
{
    text.at = line;
    text.failed = false;
}

static void blanks(void)
{
    while (isspace((unsigned char)*text.at))
        text.at++;
}

bool dpl_at_end(void)
{
    blanks();
    return !*text.at;
}

void dpl_end(void)
{
    if (!dpl_at_end())
        dpl_fail("'%.20s' is too much", text.at);
}

bool dpl_word(const char *w)
{
    size_t n = strlen(w);

    blanks();
    if (strncmp(text.at, w, n) || isalnum((unsigned char)text.at[n]) || text.at[n] == '_')
        return false;
    text.at += n;
    return true;
}

void dpl_need(const char *w)
{
    if (!dpl_word(w))
        dpl_fail("'%s' is wanted before '%.20s'", w, text.at);
}

bool dpl_sign(char c)
{
    blanks();
    if (*text.at != c)
        return false;
    text.at++;
    return true;
}

int dpl_path(char *path, size_t room)
{
    size_t n;

    blanks();
    if (*text.at != '/')
        return 0;
    n = strcspn(text.at, " \t\n");
    if (n >= room)
        return -1;
    memcpy(path, text.at, n);
    path[n] = 0;
    text.at += n;
    return 1;
}

bool dpl_is_number(void)
{
    blanks();
    return isdigit((unsigned char)*text.at) || *text.at == '$' || *text.at == '(';
}

/* --- expressions --- */

/* $NAME, a variable of the environment; the $ is read. */
static long variable(void)
{
    const char *value;
    char name[64], *end;
    size_t n = 0;
    long v;

    while ((isalnum((unsigned char)*text.at) || *text.at == '_') && n < sizeof(name) - 1)
        name[n++] = *text.at++;
    name[n] = 0;
    value = getenv(name);
    v = value ? strtol(value, &end, 0) : 0;
    if (!value || end == value || *end)
        dpl_fail("$%s is %s", name, value ? "no number" : "not set");
    return v;
}

/* Digits, and k or m. */
static long constant(void)
{
    char *end;
    long v;

    blanks();
    v = strtoul(text.at, &end, 0);
    if (end == text.at)
        dpl_fail("a number is wanted before '%.20s'", text.at);
    else
        text.at = end;
    if (*text.at && isalnum((unsigned char)text.at[1]))
        return v;
    if (*text.at == 'k' || *text.at == 'K') {
        text.at++;
        return v << 10;
    }
    if (*text.at == 'm' || *text.at == 'M') {
        text.at++;
        return v << 20;
    }
    return v;
}

/* A number, $VARIABLE, or (EXPRESSION). */
static long factor(void)
{
    long v;

    if (dpl_sign('-'))
        return -factor();
    if (dpl_sign('$'))
        return variable();
    if (!dpl_sign('('))
        return constant();
    v = dpl_expression();
    if (!dpl_sign(')'))
        dpl_fail("')' is wanted before '%.20s'", text.at);
    return v;
}

static long term(void)
{
    long v = factor(), w;
    char op;

    for (blanks(); *text.at == '*' || *text.at == '/' || *text.at == '%'; blanks()) {
        op = *text.at++;
        w = factor();
        if (op != '*' && !w) {
            dpl_fail("division by 0");
            return 0;
        }
        v = op == '*' ? v * w : op == '/' ? v / w : v % w;
    }
    return v;
}

long dpl_expression(void)
{
    long v = term();

    for (blanks(); *text.at == '+' || *text.at == '-'; blanks())
        v = *text.at++ == '+' ? v + term() : v - term();
    return text.failed ? 0 : v;
}

long dpl_number(const char *what, long lo, long hi)
{
    long v = dpl_expression();

    if (v < lo || v > hi)
        dpl_fail("%s %ld: not from %ld to %ld", what, v, lo, hi);
    return text.failed ? 0 : v;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "quote.h"

#include <string.h>

void quote_word(FILE *f, const char *s)
{
    if (*s && !s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                           "%+,-./:=@_")]) {
        fputs(s, f);
        return;
    }
    fputc('\'', f);
    for (; *s; s++)
        if (*s == '\'')
            fputs("'\\''", f);
        else
            fputc(*s, f);
    fputc('\'', f);
}

void quote_command(FILE *f, const struct options *opt)
{
    for (int i = 0; i < opt->argc; i++) {
        if (i)
            fputc(' ', f);
        quote_word(f, opt->argv[i]);
    }
}

void quote_origin(FILE *f, const struct options *opt)
{
    fputs(opt->profile ? "origin profile" : "origin run", f);
    for (int i = 0; i < opt->nwords; i++) {
        fputc(' ', f);
        quote_word(f, opt->words[i]);
    }
    if (opt->argc)
        fputc(' ', f);
    quote_command(f, opt);
}

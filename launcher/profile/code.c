// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of code.  Interface: code.h. */
#include "code.h"

#include <glib.h>
#include <string.h>

char *frame_place(const struct code *c, int i)
{
    const struct frame *f = &c->frame[i];
    g_autofree char *image = g_path_get_basename(c->image);
    g_autofree char *file = f->file ? g_path_get_basename(f->file) : NULL;

    return file ? g_strdup_printf("%s:%d", file, f->line) : g_strdup(image);
}

char *code_place(const struct code *c)
{
    return frame_place(c, c->own);
}

char *code_through(const struct code *c)
{
    const struct frame *f = &c->frame[0];
    g_autofree char *file = f->file ? g_path_get_basename(f->file) : NULL;

    return c->own && f->function && file
               ? g_strdup_printf(" through %s(), %s:%d", f->function, file, f->line)
               : g_strdup("");
}

const char *frame_function(const struct code *c, int i)
{
    return c->frame[i].function ? c->frame[i].function : c->function;
}

const char *code_function(const struct code *c)
{
    return frame_function(c, c->own);
}

/* Template arguments of more characters are left out. */
#define ARGUMENTS 24

/* The > of the < at @open; NULL: none. */
static const char *shut_of(const char *open)
{
    int depth = 0;

    for (const char *c = open; *c; c++) {
        depth += *c == '<';
        if (*c == '>' && c[-1] != '-' && --depth == 0)
            return c;
    }
    return NULL;
}

char *name_short(const char *name)
{
    GString *s = g_string_new("");

    for (const char *c = name; *c; c++) {
        bool operator= g_str_has_suffix(s->str, "operator") ||
            g_str_has_suffix(s->str, "operator<");
        const char *shut = *c == '<' && !operator? shut_of(c) : NULL;

        if (shut && shut - c - 1 > ARGUMENTS) {
            g_string_append(s, "<...>");
            c = shut;
        } else {
            g_string_append_c(s, *c);
        }
    }
    return g_string_free(s, FALSE);
}

bool name_is(const char *name, const char *asked)
{
    g_autofree char *text = NULL;

    if (!strcmp(name, asked))
        return true;
    text = strchr(name, '<') ? name_short(name) : NULL;
    return text && !strcmp(text, asked);
}

char *code_spot(const struct code *c)
{
    g_autofree char *place = code_place(c), *function = name_short(code_function(c));

    if (!strcmp(function, "[no symbol]"))
        return g_steal_pointer(&place);
    return g_strdup_printf("%s in %s()", place, function);
}

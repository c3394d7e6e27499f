// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of code.  Interface: code.h. */
#include "code.h"

#include <glib.h>

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

const char *code_function(const struct code *c)
{
    return c->frame[c->own].function ? c->frame[c->own].function : c->function;
}

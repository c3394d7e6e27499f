// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names as the source has them: those of C++ are demangled, without parameters.  Interface:
 * image_private.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tdestroy() */
#endif
#include "image_private.h"

#include <dwarf.h>
#include <libiberty/demangle.h>
#include <search.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Longer names stay as they are: a short one can stand for any number of characters. */
#define LONGEST 1000

struct name {
    const char *mangled; /* the file's */
    char *plain;
};

struct output {
    char text[LONGEST + 1];
    size_t n;
    jmp_buf too_long;
};

static void take(const char *text, size_t n, void *opaque)
{
    struct output *o = opaque;

    if (n > LONGEST - o->n)
        longjmp(o->too_long, 1); /* libiberty holds no memory while it calls back */
    memcpy(o->text + o->n, text, n);
    o->n += n;
}

/* NULL: it is none of C++, or too long. */
static char *demangled(const char *mangled)
{
    struct output o = { .n = 0 };

    if (strnlen(mangled, LONGEST + 1) > LONGEST || setjmp(o.too_long) != 0 ||
        !cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS, take, &o))
        return NULL;
    o.text[o.n] = '\0';
    return strdup(o.text);
}

static int by_mangled(const void *a, const void *b)
{
    const struct name *x = a, *y = b;

    return strcmp(x->mangled, y->mangled);
}

static void free_name(void *p)
{
    struct name *n = p;

    free(n->plain);
    free(n);
}

const char *image_plain_name(struct image *m, const char *name)
{
    struct name key = { .mangled = name }, *n;
    struct name *const *known;

    if (!name || strncmp(name, "_Z", 2) != 0)
        return name;
    known = tfind(&key, &m->names, by_mangled);
    if (known)
        return (*known)->plain ? (*known)->plain : name;
    n = malloc(sizeof(*n));
    if (!n)
        return name;
    *n = (struct name){ .mangled = name, .plain = demangled(name) };
    if (!tsearch(n, &m->names, by_mangled)) {
        free_name(n);
        return name;
    }
    return n->plain ? n->plain : name;
}

const char *image_linkage_name(struct image *m, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));

    return name && !strncmp(name, "_Z", 2) ? image_plain_name(m, name) : NULL;
}

void image_forget_names(struct image *m)
{
    tdestroy(m->names, free_name);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where source files are.  A compiler names a file that it was given by a relative path, or found by a relative -I,
 * as seen from the directory in which it ran; debug information has that once for each unit.  Interface:
 * image_private.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tdestroy() */
#endif
#include "image_private.h"

#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct source_path {
    const char *dir, *name; /* of the debug information */
    char *path;
};

static int by_dir_and_name(const void *a, const void *b)
{
    const struct source_path *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : strcmp(x->dir, y->dir);
}

static void free_path(void *p)
{
    struct source_path *s = p;

    free(s->path);
    free(s);
}

/* Append the parts of @name to the absolute @path, which has room for them: "." is none, ".." takes the last one away. */
static void append(char *path, const char *name)
{
    size_t n = strlen(path);

    while (*(name += strspn(name, "/"))) {
        size_t part = strcspn(name, "/");

        if (part == 2 && !strncmp(name, "..", 2)) {
            while (n && path[--n] != '/')
                ;
        } else if (part != 1 || *name != '.') {
            path[n++] = '/';
            memcpy(path + n, name, part);
            n += part;
        }
        path[n] = '\0';
        name += part;
    }
}

static char *joined(const char *dir, const char *name)
{
    char *path = malloc(strlen(dir) + strlen(name) + 3);

    if (!path)
        return NULL;
    *path = '\0';
    append(path, dir);
    append(path, name);
    return path;
}

const char *image_file_path(struct image *m, Dwarf_Die *unit, const char *name)
{
    Dwarf_Attribute a;
    struct source_path key = { .name = name }, *s;
    struct source_path *const *known;

    if (!name || *name == '/')
        return name;
    key.dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &a));
    if (!key.dir || *key.dir != '/')
        return name;
    known = tfind(&key, &m->files, by_dir_and_name);
    if (known)
        return (*known)->path;
    s = malloc(sizeof(*s));
    if (!s)
        return name;
    *s = (struct source_path){ key.dir, name, joined(key.dir, name) };
    if (!s->path || !tsearch(s, &m->files, by_dir_and_name)) {
        free_path(s);
        return name;
    }
    return s->path;
}

void image_forget_files(struct image *m)
{
    tdestroy(m->files, free_path);
}

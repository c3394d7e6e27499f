// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines and inlined frames of an address, from DWARF.  Interface: image.h.
 */
#include "image_private.h"

#include <dwarf.h>
#include <stdlib.h>

/* The name of a function; an instance has its name at its abstract origin. */
static const char *name_of(struct image *m, Dwarf_Die *die)
{
    const char *linkage = image_linkage_name(m, die);
    Dwarf_Attribute a;

    return linkage ? linkage : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &a));
}

/* Where @die was inlined: file and line of the call. */
static void call_site(struct image *m, Dwarf_Die *unit, Dwarf_Die *die, struct frame *caller)
{
    Dwarf_Attribute a;
    Dwarf_Files *files;
    Dwarf_Word file, line;
    size_t n;

    *caller = (struct frame){ .function = NULL };
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &a), &line) == 0)
        caller->line = (int)line;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_column, &a), &line) == 0)
        caller->column = (int)line;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &a), &file) == 0 &&
        dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n)
        caller->file = image_file_path(m, unit, dwarf_filesrc(files, file, NULL, NULL));
}

/* The frames of @die and the scopes around it, innermost first.  @f[0] has its line already. */
static int walk(struct image *m, Dwarf_Die *unit, Dwarf_Die *die, struct frame *f, int most)
{
    Dwarf_Die *scope;
    int n = 0, nscopes = dwarf_getscopes_die(die, &scope);

    for (int i = 0; i < nscopes; i++) {
        int tag = dwarf_tag(&scope[i]);

        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        f[n].function = name_of(m, &scope[i]);
        f[n].inlined = tag == DW_TAG_inlined_subroutine && n + 1 < most;
        if (f[n++].inlined) {
            call_site(m, unit, &scope[i], &f[n]);
            continue;
        }
        break;
    }
    if (nscopes > 0)
        free(scope);
    return n;
}

bool image_scope(struct image *m, uint64_t address, int n, Dwarf_Die *unit, Dwarf_Die *scope)
{
    Dwarf_Die *near = NULL, *all = NULL;
    int count;
    bool found = false;

    if (!m->dwarf || !dwarf_addrdie(m->dwarf, address, unit) ||
        dwarf_getscopes(unit, address, &near) <= 0)
        return false;
    count = dwarf_getscopes_die(&near[0], &all);
    free(near);
    for (int i = 0; i < count && !found; i++) {
        int tag = dwarf_tag(&all[i]);

        found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram) && n-- == 0;
        if (found)
            *scope = all[i];
    }
    if (count > 0)
        free(all);
    return found;
}

/* Fill in @f without inlined functions.  Returns the unit of @address in @unit, or NULL. */
static Dwarf_Die *find_line(struct image *m, uint64_t address, struct frame *f, Dwarf_Die *unit)
{
    Dwarf_Line *line;

    *f = (struct frame){ .function = image_function(m, address, NULL) };
    if (!m->dwarf || !dwarf_addrdie(m->dwarf, address, unit))
        return NULL;
    line = dwarf_getsrc_die(unit, address);
    if (line) {
        f->file = image_file_path(m, unit, dwarf_linesrc(line, NULL, NULL));
        if (dwarf_lineno(line, &f->line) != 0)
            f->line = 0;
        if (dwarf_linecol(line, &f->column) != 0)
            f->column = 0;
    }
    return unit;
}

bool image_line(struct image *m, uint64_t address, struct frame *f)
{
    Dwarf_Die unit;

    find_line(m, address, f, &unit);
    return f->function || f->line;
}

int image_frames(struct image *m, uint64_t address, struct frame *f, int most)
{
    Dwarf_Die unit, *scope = NULL;
    const char *symbol;
    int n = 0;

    if (most < 1)
        return 0;
    if (!find_line(m, address, &f[0], &unit))
        return f[0].function ? 1 : 0;
    symbol = f[0].function;
    if (dwarf_getscopes(&unit, address, &scope) > 0) {
        n = walk(m, &unit, &scope[0], f, most);
        free(scope);
    }
    if (n == 0) {
        f[0].function = symbol;
        return symbol || f[0].line ? 1 : 0;
    }
    if (!f[n - 1].function)
        f[n - 1].function = symbol;
    return n;
}

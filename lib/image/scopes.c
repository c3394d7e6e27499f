// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the source can see at an address: variables and the function's own type, from DWARF.
 * Interface: image.h.
 *
 * Left out: which of several variables of one name in blocks of a function is meant.  The first
 * one counts.
 */
#include "image_private.h"

#include <dwarf.h>
#include <string.h>
#include <strings.h>

/* Languages that take letters as they are have no two variables that differ in their case alone. */
static bool is_called(Dwarf_Die *die, const char *name)
{
    Dwarf_Attribute a;
    const char *own = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &a));

    return own && !strcasecmp(own, name);
}

/* A variable, parameter or static member below @parent, also in the blocks of it. */
static bool find_variable(Dwarf_Die *parent, const char *name, Dwarf_Die *found, int depth)
{
    Dwarf_Die die;

    if (depth > IMAGE_DEEPEST || dwarf_child(parent, &die) != 0)
        return false;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
            if (is_called(&die, name)) {
                *found = die;
                return true;
            }
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_common_block:
            if (find_variable(&die, name, found, depth + 1))
                return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Of an instance that was inlined or cloned: what it is an instance of. */
static bool origin_of(Dwarf_Die *die, Dwarf_Die *origin)
{
    Dwarf_Attribute a;

    return dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &a), origin) != NULL;
}

uint64_t image_seen_type(struct image *m, uint64_t address, int n, const char *name, int *line)
{
    Dwarf_Die unit, scope, origin, found;
    uint64_t member, this;

    *line = 0;
    if (!image_scope(m, address, n, &unit, &scope))
        return 0;
    if (find_variable(&scope, name, &found, 0) ||
        (origin_of(&scope, &origin) && find_variable(&origin, name, &found, 0))) {
        dwarf_decl_line(&found, line);
        return image_type_number(m, &found);
    }
    if (find_variable(&scope, "this", &found, 0) ||
        (origin_of(&scope, &origin) && find_variable(&origin, "this", &found, 0))) {
        this = image_target_type(m, image_type_number(m, &found));
        member = image_member_type(m, this, name);
        if (member)
            return member;
    }
    return find_variable(&unit, name, &found, 0) ? image_type_number(m, &found) : 0;
}

bool image_is_cxx(struct image *m, uint64_t address)
{
    Dwarf_Die unit;

    if (!m->dwarf || !dwarf_addrdie(m->dwarf, address, &unit))
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
        return true;
    default:
        return false;
    }
}

uint64_t image_returned_type(struct image *m, uint64_t address, int n, int *line)
{
    Dwarf_Die unit, scope;

    *line = 0;
    if (!image_scope(m, address, n, &unit, &scope))
        return 0;
    dwarf_decl_line(&scope, line);
    return image_type_number(m, &scope);
}

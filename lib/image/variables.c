// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Static variables, from DWARF; without it from the symbols.  Interface: image.h.
 *
 * Left out: thread-local variables, whose address each thread computes.
 */
#include "image_private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* --- collecting ------------------------------------------------------------- */

static bool static_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t n;

    if (!dwarf_attr(die, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &n) != 0 || n != 1 ||
        op->atom != DW_OP_addr)
        return false;
    *address = op->number;
    return true;
}

static void add_variable(struct image *m, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die type, unit;
    struct variable v = { .die = dwarf_dieoffset(die) };
    Dwarf_Word size;

    if (!static_address(die, &v.address))
        return;
    v.name = image_linkage_name(m, die);
    if (!v.name)
        v.name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &a));
    if (!v.name)
        return;
    if (image_type_of(die, &type) && dwarf_aggregate_size(&type, &size) == 0)
        v.size = size;
    v.file = dwarf_decl_file(die);
    if (dwarf_diecu(die, &unit, NULL, NULL))
        v.file = image_file_path(m, &unit, v.file);
    dwarf_decl_line(die, &v.line);
    m->variables = image_grow(m->variables, m->nvariables, &m->variables_room, sizeof(v));
    m->variables[m->nvariables++] = v;
}

/* Variables may be in functions, blocks, and C++'s and Fortran's name spaces. */
static void collect(struct image *m, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;

    if (depth > IMAGE_DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            add_variable(m, &die);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_common_block:
            collect(m, &die, depth + 1);
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->die < y->die ? -1 : x->die > y->die;
}

static void read_variables(struct image *m)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;

    m->variables_read = true;
    while (m->dwarf && dwarf_get_units(m->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
        collect(m, &die, 0);
    /* What the debug information lacks: assembly language, libraries of others. */
    for (size_t i = 0; i < m->objects.n; i++) {
        const struct symbol *s = &m->objects.v[i];

        m->variables =
            image_grow(m->variables, m->nvariables, &m->variables_room, sizeof(*m->variables));
        m->variables[m->nvariables++] = (struct variable){ .name = image_plain_name(m, s->name),
                                                           .address = s->address,
                                                           .size = s->end - s->address };
    }
    if (m->nvariables)
        qsort(m->variables, m->nvariables, sizeof(*m->variables), by_address);
}

bool image_variable(struct image *m, uint64_t address, struct variable *v)
{
    const struct variable *best = NULL;
    size_t low = 0, high;

    if (!m->variables_read)
        read_variables(m);
    high = m->nvariables;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (m->variables[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* A symbol and a variable of the debug information may name the same bytes. */
    for (int i = 0; low > 0 && i < 8; i++) {
        const struct variable *w = &m->variables[--low];

        if (address - w->address < w->size && (!best || (w->die && !best->die)))
            best = w;
    }
    if (!best)
        return false;
    *v = *best;
    return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Static variables, their types and members, from DWARF; without it from the symbols.
 * Interface: image.h.
 *
 * Left out: thread-local variables, whose address each thread computes.
 */
#include "image_private.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types nest; debug information that was damaged must not make us recurse for ever. */
#define DEEPEST 32

/* --- collecting ------------------------------------------------------------- */

static Dwarf_Die *type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute a;

    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &a), type);
}

/* Typedefs, const and volatile off. */
static Dwarf_Die *peeled_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    if (!type_of(die, type) || dwarf_peel_type(type, type) != 0)
        return NULL;
    return type;
}

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
    Dwarf_Die type;
    struct variable v = { .die = dwarf_dieoffset(die) };
    Dwarf_Word size;

    if (!static_address(die, &v.address))
        return;
    v.name = image_linkage_name(m, die);
    if (!v.name)
        v.name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &a));
    if (!v.name)
        return;
    if (type_of(die, &type) && dwarf_aggregate_size(&type, &size) == 0)
        v.size = size;
    v.file = dwarf_decl_file(die);
    dwarf_decl_line(die, &v.line);
    m->variables = image_grow(m->variables, m->nvariables, &m->variables_room, sizeof(v));
    m->variables[m->nvariables++] = v;
}

/* Variables may be in functions, blocks, and C++'s and Fortran's name spaces. */
static void collect(struct image *m, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;

    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
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

/* --- text that grows in a buffer of fixed size -------------------------------- */

struct text {
    char *p;
    size_t n, size;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *fmt, ...)
{
    va_list ap;
    int n;

    if (t->n + 1 >= t->size)
        return;
    va_start(ap, fmt);
    n = vsnprintf(t->p + t->n, t->size - t->n, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->n += (size_t)n < t->size - t->n ? (size_t)n : t->size - t->n - 1;
}

/* --- members ------------------------------------------------------------------ */

/* The elements of dimension @d of an array; 0: unknown or no such dimension. */
static uint64_t dimension(Dwarf_Die *array, int d)
{
    Dwarf_Attribute a;
    Dwarf_Die range;
    Dwarf_Word n;

    if (dwarf_child(array, &range) != 0)
        return 0;
    do {
        if (dwarf_tag(&range) != DW_TAG_subrange_type || d-- > 0)
            continue;
        if (dwarf_formudata(dwarf_attr_integrate(&range, DW_AT_count, &a), &n) == 0)
            return n;
        if (dwarf_formudata(dwarf_attr_integrate(&range, DW_AT_upper_bound, &a), &n) == 0)
            return n + 1;
        return 0;
    } while (dwarf_siblingof(&range, &range) == 0);
    return 0;
}

static void member_at(Dwarf_Die *die, uint64_t offset, struct text *t, int depth);

static void element_at(Dwarf_Die *array, uint64_t offset, struct text *t, int depth)
{
    uint64_t size, index, below[DEEPEST];
    Dwarf_Die type;
    Dwarf_Word word;
    int n = 0;

    if (!type_of(array, &type) || dwarf_aggregate_size(&type, &word) != 0 || !word)
        return;
    size = word;
    index = offset / size;
    while (n < DEEPEST - 1 && (below[n] = dimension(array, n)))
        n++;
    for (int d = 0; d < (n ? n : 1); d++) {
        uint64_t inner = 1;

        for (int i = d + 1; i < n; i++)
            inner *= below[i];
        put(t, "[%" PRIu64 "]", index / inner);
        index %= inner;
    }
    member_at(array, offset % size, t, depth + 1);
}

static bool member_offset(Dwarf_Die *member, uint64_t *offset)
{
    Dwarf_Attribute a;
    Dwarf_Word n;

    if (dwarf_formudata(dwarf_attr(member, DW_AT_data_member_location, &a), &n) == 0) {
        *offset = n;
        return true;
    }
    if (dwarf_formudata(dwarf_attr(member, DW_AT_data_bit_offset, &a), &n) == 0) {
        *offset = n / 8;
        return true;
    }
    *offset = 0; /* a union's member */
    return true;
}

static void field_at(Dwarf_Die *structure, uint64_t offset, struct text *t, int depth)
{
    Dwarf_Attribute a;
    Dwarf_Die member, type;
    Dwarf_Word size;
    uint64_t at;

    if (dwarf_child(structure, &member) != 0)
        return;
    do {
        const char *name;

        if (dwarf_tag(&member) != DW_TAG_member || !member_offset(&member, &at) || offset < at ||
            !type_of(&member, &type) || dwarf_aggregate_size(&type, &size) != 0 ||
            offset - at >= size)
            continue;
        name = dwarf_formstring(dwarf_attr_integrate(&member, DW_AT_name, &a));
        if (name)
            put(t, ".%s", name);
        member_at(&member, offset - at, t, depth + 1);
        return;
    } while (dwarf_siblingof(&member, &member) == 0);
}

/* What lies at @offset of the thing whose type @die names. */
static void member_at(Dwarf_Die *die, uint64_t offset, struct text *t, int depth)
{
    Dwarf_Die type;

    if (depth > DEEPEST || !peeled_type_of(die, &type))
        return;
    switch (dwarf_tag(&type)) {
    case DW_TAG_array_type:
        element_at(&type, offset, t, depth);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_class_type:
        field_at(&type, offset, t, depth);
        break;
    }
}

void image_member(struct image *m, const struct variable *v, uint64_t offset, char *text,
                  size_t size)
{
    struct text t = { text, 0, size };
    Dwarf_Die die;

    text[0] = 0;
    if (v->die && m->dwarf && dwarf_offdie(m->dwarf, v->die, &die))
        member_at(&die, offset, &t, 0);
}

/* --- names of types ------------------------------------------------------------ */

static void type_name(Dwarf_Die *die, struct text *t, int depth)
{
    Dwarf_Attribute a;
    Dwarf_Die type;
    const char *name, *kind = "";

    if (depth > DEEPEST)
        return;
    if (!type_of(die, &type)) {
        put(t, "void");
        return;
    }
    name = dwarf_formstring(dwarf_attr_integrate(&type, DW_AT_name, &a));
    switch (dwarf_tag(&type)) {
    case DW_TAG_pointer_type:
        type_name(&type, t, depth + 1);
        put(t, " *");
        return;
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_atomic_type:
    case DW_TAG_restrict_type:
        type_name(&type, t, depth + 1);
        return;
    case DW_TAG_array_type:
        type_name(&type, t, depth + 1);
        put(t, " ");
        for (int d = 0; d == 0 || dimension(&type, d); d++)
            put(t, "[%" PRIu64 "]", dimension(&type, d));
        return;
    case DW_TAG_structure_type:
        kind = "struct ";
        break;
    case DW_TAG_union_type:
        kind = "union ";
        break;
    case DW_TAG_enumeration_type:
        kind = "enum ";
        break;
    case DW_TAG_subroutine_type:
        name = "function";
        break;
    }
    put(t, "%s%s", kind, name ? name : "{...}");
}

void image_type(struct image *m, const struct variable *v, char *text, size_t size)
{
    struct text t = { text, 0, size };
    Dwarf_Die die;

    text[0] = 0;
    if (v->die && m->dwarf && dwarf_offdie(m->dwarf, v->die, &die))
        type_name(&die, &t, 0);
}

/* --- offsets of members by name -------------------------------------------------- */

/* The member @name of @structure, also within members without a name. */
static bool find_member(Dwarf_Die *structure, const char *name, size_t length, Dwarf_Die *found,
                        uint64_t *offset, int depth)
{
    Dwarf_Attribute a;
    Dwarf_Die member, type;
    uint64_t at;

    if (depth > DEEPEST || dwarf_child(structure, &member) != 0)
        return false;
    do {
        const char *own;

        if (dwarf_tag(&member) != DW_TAG_member || !member_offset(&member, &at))
            continue;
        own = dwarf_formstring(dwarf_attr_integrate(&member, DW_AT_name, &a));
        if (own && strlen(own) == length && !memcmp(own, name, length)) {
            *offset += at;
            *found = member;
            return true;
        }
        if (!own && peeled_type_of(&member, &type)) {
            uint64_t inner = *offset + at;

            if (find_member(&type, name, length, found, &inner, depth + 1)) {
                *offset = inner;
                return true;
            }
        }
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
}

/* A structure or union that is defined, not only declared, at the top of a unit. */
static bool find_structure(Dwarf *dwarf, const char *name, Dwarf_Die *found)
{
    Dwarf_Attribute a;
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
        if (dwarf_child(&unit, found) != 0)
            continue;
        do {
            const char *own;
            int tag = dwarf_tag(found);

            if ((tag != DW_TAG_structure_type && tag != DW_TAG_union_type) ||
                dwarf_hasattr(found, DW_AT_declaration))
                continue;
            own = dwarf_formstring(dwarf_attr(found, DW_AT_name, &a));
            if (own && !strcmp(own, name))
                return true;
        } while (dwarf_siblingof(found, found) == 0);
    }
    return false;
}

bool image_size(struct image *m, const char *structure, uint64_t *size)
{
    Dwarf_Die die;
    Dwarf_Word bytes;

    if (!m->dwarf || !find_structure(m->dwarf, structure, &die) ||
        dwarf_aggregate_size(&die, &bytes) != 0)
        return false;
    *size = bytes;
    return true;
}

bool image_offset(struct image *m, const char *structure, const char *member, uint64_t *offset)
{
    Dwarf_Die die, found;

    *offset = 0;
    if (!m->dwarf || !find_structure(m->dwarf, structure, &die))
        return false;
    for (;;) {
        size_t length = strcspn(member, ".");

        if (!find_member(&die, member, length, &found, offset, 0))
            return false;
        if (!member[length])
            return true;
        member += length + 1;
        if (!peeled_type_of(&found, &die))
            return false;
    }
}

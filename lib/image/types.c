// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Types and their members, from DWARF.  Interface: image.h.
 */
#include "image_private.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Dwarf_Die *image_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute a;

    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &a), type);
}

/* Typedefs, const and volatile off. */
static Dwarf_Die *peeled_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    if (!image_type_of(die, type) || dwarf_peel_type(type, type) != 0)
        return NULL;
    return type;
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
    uint64_t size, index, below[IMAGE_DEEPEST];
    Dwarf_Die type;
    Dwarf_Word word;
    int n = 0;

    if (!image_type_of(array, &type) || dwarf_aggregate_size(&type, &word) != 0 || !word)
        return;
    size = word;
    index = offset / size;
    while (n < IMAGE_DEEPEST - 1 && (below[n] = dimension(array, n)))
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

/* A static member of C++ lies elsewhere. */
static bool is_declared(Dwarf_Die *member)
{
    return dwarf_hasattr(member, DW_AT_declaration) || dwarf_hasattr(member, DW_AT_external);
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

        int tag = dwarf_tag(&member); /* a base class is a member without a name */

        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_declared(&member) ||
            !member_offset(&member, &at) || offset < at || !image_type_of(&member, &type) ||
            dwarf_aggregate_size(&type, &size) != 0 || offset - at >= size)
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

    if (depth > IMAGE_DEEPEST || !peeled_type_of(die, &type))
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

static void type_name(Dwarf_Die *die, struct text *t, int depth);

static void put_type(Dwarf_Die *type, struct text *t, int depth)
{
    Dwarf_Attribute a;
    const char *name, *kind = "";

    name = dwarf_formstring(dwarf_attr_integrate(type, DW_AT_name, &a));
    switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type:
        type_name(type, t, depth + 1);
        put(t, " *");
        return;
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_atomic_type:
    case DW_TAG_restrict_type:
        type_name(type, t, depth + 1);
        return;
    case DW_TAG_array_type:
        type_name(type, t, depth + 1);
        put(t, " ");
        for (int d = 0; d == 0 || dimension(type, d); d++)
            put(t, "[%" PRIu64 "]", dimension(type, d));
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

static void type_name(Dwarf_Die *die, struct text *t, int depth)
{
    Dwarf_Die type;

    if (depth > IMAGE_DEEPEST)
        return;
    if (image_type_of(die, &type))
        put_type(&type, t, depth);
    else
        put(t, "void");
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

    if (depth > IMAGE_DEEPEST || dwarf_child(structure, &member) != 0)
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

/* --- types by number --------------------------------------------------------------- */

/* The number of a type of @m's own debug information; 0: it is of another file. */
static uint64_t number_of(struct image *m, Dwarf_Die *type)
{
    return dwarf_cu_getdwarf(type->cu) == m->dwarf ? dwarf_dieoffset(type) : 0;
}

uint64_t image_type_number(struct image *m, Dwarf_Die *die)
{
    Dwarf_Die type;

    return image_type_of(die, &type) ? number_of(m, &type) : 0;
}

static bool die_of(struct image *m, uint64_t type, Dwarf_Die *die)
{
    return type && m->dwarf && dwarf_offdie(m->dwarf, type, die);
}

/* Without typedefs, const and volatile. */
static bool peeled(struct image *m, uint64_t type, Dwarf_Die *die)
{
    return die_of(m, type, die) && dwarf_peel_type(die, die) == 0;
}

uint64_t image_variable_type(struct image *m, const struct variable *v)
{
    Dwarf_Die die;

    return die_of(m, v->die, &die) ? image_type_number(m, &die) : 0;
}

uint64_t image_target_type(struct image *m, uint64_t type)
{
    Dwarf_Die die;

    if (!peeled(m, type, &die))
        return 0;
    switch (dwarf_tag(&die)) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_array_type:
        return image_type_number(m, &die);
    }
    return 0;
}

uint64_t image_element_type(struct image *m, uint64_t type)
{
    Dwarf_Die die;

    for (int i = 0; i < IMAGE_DEEPEST; i++) {
        if (!peeled(m, type, &die) || dwarf_tag(&die) != DW_TAG_array_type)
            return type;
        type = image_type_number(m, &die);
    }
    return type;
}

bool image_type_is_reference(struct image *m, uint64_t type)
{
    Dwarf_Die die;

    return peeled(m, type, &die) && (dwarf_tag(&die) == DW_TAG_reference_type ||
                                     dwarf_tag(&die) == DW_TAG_rvalue_reference_type);
}

/* A structure, union or class */
static bool is_structure(Dwarf_Die *type)
{
    switch (dwarf_tag(type)) {
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_class_type:
        return true;
    }
    return false;
}

bool image_type_is_structure(struct image *m, uint64_t type)
{
    Dwarf_Die die;

    return peeled(m, type, &die) && is_structure(&die);
}

uint64_t image_type_size(struct image *m, uint64_t type)
{
    Dwarf_Die die;
    Dwarf_Word size;

    return peeled(m, type, &die) && dwarf_aggregate_size(&die, &size) == 0 ? size : 0;
}

void image_type_name(struct image *m, uint64_t type, char *text, size_t size)
{
    struct text t = { text, 0, size };
    Dwarf_Die die;

    text[0] = 0;
    if (die_of(m, type, &die))
        put_type(&die, &t, 0);
}

/* The member @name of a structure or of its base classes. */
static bool find_field(Dwarf_Die *structure, const char *name, Dwarf_Die *found, int depth)
{
    Dwarf_Attribute a;
    Dwarf_Die member, type;

    if (depth > IMAGE_DEEPEST || dwarf_child(structure, &member) != 0)
        return false;
    do {
        int tag = dwarf_tag(&member);
        const char *own;

        if (tag != DW_TAG_member && tag != DW_TAG_inheritance && tag != DW_TAG_variable)
            continue;
        own = dwarf_formstring(dwarf_attr_integrate(&member, DW_AT_name, &a));
        if (own && !strcasecmp(own, name)) {
            *found = member;
            return true;
        }
        if (!own && peeled_type_of(&member, &type) && find_field(&type, name, found, depth + 1))
            return true;
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
}

uint64_t image_member_type(struct image *m, uint64_t type, const char *name)
{
    Dwarf_Die die, member;

    return peeled(m, type, &die) && find_field(&die, name, &member, 0)
               ? image_type_number(m, &member)
               : 0;
}

/* Does the name say that the member only fills a place, as `_pt_pad_2`? */
static bool is_pad(Dwarf_Die *member)
{
    Dwarf_Attribute a;
    const char *name = dwarf_formstring(dwarf_attr_integrate(member, DW_AT_name, &a));

    return name && *name == '_' && strstr(name, "pad");
}

/*
 * The member of @structure that has byte @offset; of a union the first one that is no padding, if one is none.  False:
 * filling.
 */
static bool find_at(Dwarf_Die *structure, uint64_t offset, Dwarf_Die *found, uint64_t *at,
                    uint64_t *size)
{
    Dwarf_Die member, type;
    bool any = false;

    if (dwarf_child(structure, &member) != 0)
        return false;
    do {
        int tag = dwarf_tag(&member);
        Dwarf_Word bytes;
        uint64_t begin;

        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_declared(&member) ||
            !member_offset(&member, &begin) || offset < begin || !image_type_of(&member, &type))
            continue;
        if (dwarf_aggregate_size(&type, &bytes) != 0)
            bytes = 0; /* an array without an end */
        if ((bytes ? offset - begin >= bytes
                   : dwarf_peel_type(&type, &type) != 0 || dwarf_tag(&type) != DW_TAG_array_type) ||
            (any && is_pad(&member)))
            continue;
        any = true;
        *found = member;
        *at = begin;
        *size = bytes;
    } while ((!any || is_pad(found)) && dwarf_siblingof(&member, &member) == 0);
    return any;
}

/* If @die is an array of structures, it becomes the structure that has byte @offset; its begin is added to @at. */
static void step_into_array(Dwarf_Die *die, uint64_t offset, uint64_t *at, uint64_t *size,
                            struct text *t)
{
    Dwarf_Die type;
    Dwarf_Word bytes;

    if (dwarf_tag(die) != DW_TAG_array_type || !peeled_type_of(die, &type) ||
        !is_structure(&type) || dwarf_aggregate_size(&type, &bytes) != 0 || !bytes || !*size)
        return;
    put(t, "[%" PRIu64 "]", offset / bytes);
    *at += offset / bytes * bytes;
    *size = bytes;
    *die = type;
}

bool image_leaf(struct image *m, uint64_t type, uint64_t offset, struct leaf *leaf)
{
    struct text t = { leaf->name, 0, sizeof(leaf->name) };
    Dwarf_Die die, member;
    uint64_t at = 0; /* find_at() sets it, which compilers do not see */

    leaf->name[0] = 0;
    leaf->offset = 0;
    if (!peeled(m, type, &die))
        return false;
    for (int depth = 0; depth < IMAGE_DEEPEST; depth++) {
        Dwarf_Attribute a;
        const char *name;

        if (!is_structure(&die))
            return depth > 0;
        if (!find_at(&die, offset - leaf->offset, &member, &at, &leaf->size))
            return false;
        name = dwarf_formstring(dwarf_attr_integrate(&member, DW_AT_name, &a));
        if (name)
            put(&t, ".%s", name);
        leaf->offset += at;
        if (!peeled_type_of(&member, &die))
            return true;
        step_into_array(&die, offset - leaf->offset, &leaf->offset, &leaf->size, &t);
    }
    return true;
}

/* --- types by name ------------------------------------------------------------------ */

/* "unsigned long" of the source is "long unsigned int" of the compiler. */
static bool base_name(const char *name, char *text, size_t size)
{
    static const char *const known[] = { "unsigned", "signed", "long", "short", "int", "char" };
    int n[6] = { 0 };
    struct text t = { text, 0, size };

    for (const char *p = name; *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " ");
        int i = 0;

        while (i < 6 && (strlen(known[i]) != length || memcmp(p, known[i], length) != 0))
            i++;
        if (i == 6)
            return false;
        n[i]++;
        p += length;
    }
    for (int i = 0; i < n[2]; i++)
        put(&t, "long ");
    if (n[3])
        put(&t, "short ");
    if (n[0])
        put(&t, "unsigned ");
    if (n[1] && n[5])
        put(&t, "signed ");
    put(&t, n[5] ? "char" : "int");
    return true;
}

/* A type of this name below @parent that is defined, not only declared. */
static bool find_type(Dwarf_Die *parent, const char *name, Dwarf_Die *found, int depth)
{
    Dwarf_Attribute a;
    Dwarf_Die die;

    if (depth > IMAGE_DEEPEST || dwarf_child(parent, &die) != 0)
        return false;
    do {
        const char *own;

        switch (dwarf_tag(&die)) {
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_typedef:
        case DW_TAG_base_type:
        case DW_TAG_enumeration_type:
            own = dwarf_formstring(dwarf_attr(&die, DW_AT_name, &a));
            if (own && !strcmp(own, name) && !dwarf_hasattr(&die, DW_AT_declaration)) {
                *found = die;
                return true;
            }
        /* fallthrough */
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            if (find_type(&die, name, found, depth + 1))
                return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

uint64_t image_named_type(struct image *m, uint64_t address, const char *name)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, found;
    char base[64];
    const char *last;

    if (!m->dwarf)
        return 0;
    for (int i = 0; i < 3; i++) {
        static const char *const kind[] = { "struct ", "union ", "class " };

        if (!strncmp(name, kind[i], strlen(kind[i])))
            name += strlen(kind[i]);
    }
    if (base_name(name, base, sizeof(base)))
        name = base;
    last = strchr(name, '<') ? NULL : strrchr(name, ':');
    name = last ? last + 1 : name;
    if (dwarf_addrdie(m->dwarf, address, &unit) && find_type(&unit, name, &found, 0))
        return number_of(m, &found);
    while (dwarf_get_units(m->dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if (find_type(&unit, name, &found, 0))
            return number_of(m, &found);
    return 0;
}

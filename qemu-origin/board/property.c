/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that are members: see property.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "property.h"

static void get(Object *obj, Visitor *v, const char *name, void *opaque,
                Error **errp)
{
    const OriginProperty *p = opaque;
    void *at = (char *)obj + p->at;
    char *text;

    switch (p->type) {
    case ORIGIN_BOOL:
        visit_type_bool(v, name, at, errp);
        break;
    case ORIGIN_UINT32:
        visit_type_uint32(v, name, at, errp);
        break;
    case ORIGIN_UINT64:
        visit_type_uint64(v, name, at, errp);
        break;
    case ORIGIN_TEXT:
        text = *(char **)at ?: (char *)"";
        visit_type_str(v, name, &text, errp);
        break;
    case ORIGIN_NAME:
        text = (char *)p->value(*(unsigned *)at);
        visit_type_str(v, name, &text, errp);
        break;
    }
}

static void set_number(const OriginProperty *p, Visitor *v, uint32_t *at,
                       Error **errp)
{
    uint32_t n;

    if (!visit_type_uint32(v, p->name, &n, errp)) {
        return;
    }
    if (p->high && (n < p->low || n > p->high)) {
        error_setg(errp, "%s is %u to %u, not %u", p->name, p->low, p->high, n);
        return;
    }
    *at = n;
}

static void set_text(const OriginProperty *p, Visitor *v, char **at,
                     Error **errp)
{
    g_autofree char *text = NULL;

    if (visit_type_str(v, p->name, &text, errp) &&
        (!p->check || p->check(p->name, text, errp))) {
        g_free(*at);
        *at = g_steal_pointer(&text);
    }
}

char *origin_names(const char *(*value)(unsigned n), unsigned first)
{
    GString *s = g_string_new(value(first));

    for (unsigned n = first + 1; value(n); n++) {
        g_string_append(s, value(n + 1) ? ", " : " or ");
        g_string_append(s, value(n));
    }
    return g_string_free(s, FALSE);
}

static void set_name(const OriginProperty *p, Visitor *v, unsigned *at,
                     Error **errp)
{
    g_autofree char *text = NULL, *names = NULL;

    if (!visit_type_str(v, p->name, &text, errp)) {
        return;
    }
    for (unsigned n = p->low; p->value(n); n++) {
        if (!strcmp(text, p->value(n))) {
            *at = n;
            return;
        }
    }
    names = origin_names(p->value, p->low);
    error_setg(errp, "%s is %s, not '%s'", p->name, names, text);
}

static void set(Object *obj, Visitor *v, const char *name, void *opaque,
                Error **errp)
{
    const OriginProperty *p = opaque;
    void *at = (char *)obj + p->at;

    switch (p->type) {
    case ORIGIN_UINT32:
        set_number(p, v, at, errp);
        break;
    case ORIGIN_TEXT:
        set_text(p, v, at, errp);
        break;
    case ORIGIN_NAME:
        set_name(p, v, at, errp);
        break;
    default: /* a visitor that fails changes nothing */
        get(obj, v, name, opaque, errp);
    }
}

void origin_properties_add(ObjectClass *oc, const OriginProperty *row)
{
    static const char *const type[] = { "bool", "uint32", "uint64", "string",
                                        "string" };

    for (; row->name; row++) {
        object_class_property_add(oc, row->name, type[row->type], get, set,
                                  NULL, (void *)row);
        if (row->help) {
            object_class_property_set_description(oc, row->name, row->help);
        }
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of the machine that are members of its state (origin.h).  Setting one
 * does nothing else.
 */
#ifndef ORIGIN_PROPERTY_H
#define ORIGIN_PROPERTY_H

#include "qom/object.h"

typedef struct OriginProperty {
    const char *name, *help; /* help NULL: none */
    enum {
        ORIGIN_BOOL,
        ORIGIN_UINT32,
        ORIGIN_UINT64,
        ORIGIN_TEXT, /* char *, NULL at first */
        ORIGIN_NAME, /* unsigned, and by name outside */
    } type;
    size_t at;          /* where in OriginMachineState */
    uint32_t low, high; /* of an ORIGIN_UINT32; high 0: any */
    /* Of an ORIGIN_NAME: the name of each value from low on, then NULL. */
    const char *(*value)(unsigned n);
    /* May an ORIGIN_TEXT have this value?  NULL: any. */
    bool (*check)(const char *name, const char *value, Error **errp);
} OriginProperty;

#define ORIGIN_PROPERTY(NAME, TYPE, MEMBER, ...)                        \
    {                                                                   \
        .name = (NAME), .type = ORIGIN_##TYPE,                          \
        .at = offsetof(OriginMachineState, MEMBER), .help = __VA_ARGS__ \
    }

/* "a, b or c": the names of the values from @first on.  Free it. */
char *origin_names(const char *(*value)(unsigned n), unsigned first);
/* @row lasts as long as the class.  Its last row has no name. */
void origin_properties_add(ObjectClass *oc, const OriginProperty *row);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout of a guest kernel's structures, from its vmlinux.  Interface: kernel_layout.h. */
#include "kernel_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "image.h"
#include "profile/layout.h"

enum what { SYMBOL, SIZE, MEMBER };

static const struct {
    enum what what;
    const char *name, *member;
    bool needed;
} wanted[] = {
#define X(name)         { SYMBOL, #name, NULL, NEEDED },
#define Y(name)         { SIZE, #name, NULL, NEEDED },
#define Z(name, member) { MEMBER, #name, #member, NEEDED },
#define NEEDED          true
    SN_LAYOUT_SYMBOLS(X) SN_LAYOUT_SIZES(Y) SN_LAYOUT_MEMBERS(Z)
#undef NEEDED
#define NEEDED false
        SN_LAYOUT_OBJECT_SYMBOLS(X) SN_LAYOUT_OBJECT_SIZES(Y) SN_LAYOUT_OBJECT_MEMBERS(Z)
            SN_LAYOUT_SWITCH_SYMBOLS(X) SN_LAYOUT_SWITCH_MEMBERS(Z)
#undef NEEDED
#undef Z
#undef Y
#undef X
};

/*
 * The compiler leaves out the debug information of thread_union, which only assembly
 * language uses.  The linker script reserves its size for the first thread.
 */
static bool stack_size(struct image *m, uint64_t *size)
{
    uint64_t start, end;

    if (!image_symbol(m, "__start_init_stack", &start) ||
        !image_symbol(m, "__end_init_stack", &end) || end <= start)
        return false;
    *size = end - start;
    return true;
}

static bool size_of(struct image *m, const char *name, uint64_t *size)
{
    return image_size(m, name, size) || (!strcmp(name, "thread_union") && stack_size(m, size));
}

static bool write_line(struct image *m, enum what what, const char *name, const char *member,
                       FILE *to)
{
    uint64_t v;

    switch (what) {
    case SYMBOL:
        return image_symbol(m, name, &v) && fprintf(to, "symbol.%s 0x%" PRIx64 "\n", name, v) > 0;
    case SIZE:
        return size_of(m, name, &v) && fprintf(to, "size.%s 0x%" PRIx64 "\n", name, v) > 0;
    default:
        return image_offset(m, name, member, &v) &&
               fprintf(to, "%s.%s 0x%" PRIx64 "\n", name, member, v) > 0;
    }
}

bool layout_write(const char *vmlinux, FILE *to, char *why, size_t size)
{
    struct image *m = image_open(vmlinux);
    bool good = true;

    if (!m) {
        snprintf(why, size, "%s", strerror(errno));
        return false;
    }
    if (image_lacks(m)) {
        snprintf(why, size, "it has no debug information (CONFIG_DEBUG_INFO)");
        good = false;
    }
    for (size_t i = 0; good && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        good = write_line(m, wanted[i].what, wanted[i].name, wanted[i].member, to) ||
               !wanted[i].needed;
        if (!good)
            snprintf(why, size, "it has no %s%s%s%s",
                     wanted[i].what == SYMBOL ? "symbol " : "struct ", wanted[i].name,
                     wanted[i].member ? "." : "", wanted[i].member ? wanted[i].member : "");
    }
    image_close(m);
    return good;
}

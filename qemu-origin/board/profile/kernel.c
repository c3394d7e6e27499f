/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest kernel's memory and the layout of its structures; see kernel.h. */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "exec/address-spaces.h"
#include "exec/ram_addr.h"
#include "origin.h"
#include "kernel.h"

#define XKPHYS 2

GuestLayout guest_layout;

static const OriginMachineState *machine;
static bool known;

/* ---- memory ---- */

const void *guest_host(uint64_t va, size_t len)
{
    uint64_t pa;
    hwaddr xlat, n = len;
    MemoryRegion *mr;

    if (va >> 62 == XKPHYS) {
        pa = extract64(va, 0, 40);
    } else if (va >> 29 == 0xffffffff80000000ull >> 29) {
        pa = extract64(va, 0, 29);
    } else {
        return NULL;
    }
    if (!origin_ram_present(&machine->desc, pa, len)) {
        return NULL;
    }
    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(&address_space_memory, pa, &xlat, &n, false,
                                 MEMTXATTRS_UNSPECIFIED);
    if (n < len || !memory_region_is_ram(mr)) {
        return NULL;
    }
    return (const uint8_t *)memory_region_get_ram_ptr(mr) + xlat;
}

bool guest_read(uint64_t va, void *buf, size_t len)
{
    const void *p = guest_host(va, len);

    if (p) {
        memcpy(buf, p, len);
    }
    return p;
}

bool guest_read_u64(uint64_t va, uint64_t *v)
{
    if (!guest_read(va, v, sizeof(*v))) {
        return false;
    }
    be64_to_cpus(v);
    return true;
}

bool guest_read_u32(uint64_t va, uint32_t *v)
{
    if (!guest_read(va, v, sizeof(*v))) {
        return false;
    }
    be32_to_cpus(v);
    return true;
}

/* ---- layout ---- */

static const struct {
    const char *name;
    uint64_t *value;
} names[] = {
#define X(symbol) { "symbol." #symbol, &guest_layout.symbol },
    SN_LAYOUT_SYMBOLS(X)
#undef X
#define X(type) { "size." #type, &guest_layout.size_##type },
        SN_LAYOUT_SIZES(X)
#undef X
#define X(structure, member) \
    { #structure "." #member, &guest_layout.structure##_##member },
            SN_LAYOUT_MEMBERS(X)
#undef X
};

static void read_layout(const char *file)
{
    g_autofree bool *seen = g_new0(bool, ARRAY_SIZE(names));
    g_autofree char *text = NULL;
    g_autoptr(GError) gerr = NULL;
    g_auto(GStrv) line = NULL;

    if (!g_file_get_contents(file, &text, NULL, &gerr)) {
        error_report("origin2000: profile-kernel: %s", gerr->message);
        exit(1);
    }
    line = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; line[i]; i++) {
        char *value = strchr(line[i], ' ');
        uint64_t v;

        if (!*line[i] || *line[i] == '#') {
            continue;
        }
        if (!value || qemu_strtou64(value + 1, NULL, 0, &v)) {
            error_report("origin2000: profile-kernel: %s:%u: '%s' is not "
                         "NAME VALUE",
                         file, i + 1, line[i]);
            exit(1);
        }
        *value = '\0';
        for (unsigned k = 0; k < ARRAY_SIZE(names); k++) {
            if (!strcmp(names[k].name, line[i])) {
                *names[k].value = v;
                seen[k] = true;
            }
        }
    }
    for (unsigned k = 0; k < ARRAY_SIZE(names); k++) {
        if (!seen[k]) {
            error_report("origin2000: profile-kernel: %s has no %s", file,
                         names[k].name);
            exit(1);
        }
    }
}

void guest_open(const OriginMachineState *m, const char *file)
{
    machine = m;
    if (file) {
        read_layout(file);
        known = true;
    }
}

bool guest_known(void)
{
    return known;
}

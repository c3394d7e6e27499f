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
#include "state.h"

#define XKPHYS 2

/* Page tables of our kernel: three levels of a page each, enum pgtable_bits */
#define TABLE_LEVELS  3
#define TABLE_BITS    (GUEST_PAGE_SHIFT - 3)
#define PTE_PRESENT   1
#define PTE_PFN_SHIFT 15
#define PTE_UCATTR    (1ull << 63) /* no memory: our patch 0004 */

GuestLayout guest_layout;
bool guest_layout_has_objects;
const char *guest_layout_no_switch;

static const OriginMachineState *machine;
static bool known;

/* ---- memory ---- */

static const void *host_of(uint64_t pa, size_t len)
{
    hwaddr xlat, n = len;
    MemoryRegion *mr;

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

/* Memory at an address that needs no TLB */
static const void *unmapped(uint64_t va, size_t len)
{
    if (va >> 62 == XKPHYS) {
        return host_of(extract64(va, 0, 40), len);
    }
    if (va >> 29 == 0xffffffff80000000ull >> 29) {
        return host_of(extract64(va, 0, 29), len);
    }
    return NULL;
}

/*
 * The page tables must lie where no TLB is needed.  If a guest's tables say
 * otherwise, the address counts as no memory.  So no guest can send the host in
 * circles.
 */
bool guest_xkseg(uint64_t va, uint64_t *pa)
{
    uint64_t entry = guest_layout.swapper_pg_dir;

    if (va < GUEST_XKSEG || va >= GUEST_XKSEG_END) {
        return false;
    }
    for (unsigned level = TABLE_LEVELS; level--;) {
        unsigned shift = GUEST_PAGE_SHIFT + level * TABLE_BITS;
        const void *at =
            unmapped(entry + 8 * extract64(va, shift, TABLE_BITS), 8);

        if (!at) {
            return false;
        }
        entry = ldq_be_p(at);
    }
    *pa = extract64(entry, PTE_PFN_SHIFT, 40 - GUEST_PAGE_SHIFT)
              << GUEST_PAGE_SHIFT |
          extract64(va, 0, GUEST_PAGE_SHIFT);
    return entry & PTE_PRESENT && !(entry & PTE_UCATTR);
}

const void *guest_host(uint64_t va, size_t len)
{
    uint64_t pa;

    if (!guest_xkseg(va, &pa)) {
        return unmapped(va, len);
    }
    return extract64(va, 0, GUEST_PAGE_SHIFT) + len <= 1ull << GUEST_PAGE_SHIFT
               ? host_of(pa, len)
               : NULL;
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

bool guest_read_text(uint64_t va, char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!guest_read(va + i, &text[i], 1)) {
            return false;
        }
        if (!text[i]) {
            return true;
        }
    }
    text[size - 1] = '\0';
    return true;
}

/* ---- layout ---- */

static const struct {
    const char *name;
    uint64_t *value;
    enum { THREADS, OBJECTS, SWITCH } of;
} names[] = {
#define X(symbol) { "symbol." #symbol, &guest_layout.symbol, OF },
#define Y(type)   { "size." #type, &guest_layout.size_##type, OF },
#define Z(structure, member) \
    { #structure "." #member, &guest_layout.structure##_##member, OF },
#define OF THREADS
    SN_LAYOUT_SYMBOLS(X) SN_LAYOUT_SIZES(Y) SN_LAYOUT_MEMBERS(Z)
#undef OF
#define OF OBJECTS
        SN_LAYOUT_OBJECT_SYMBOLS(X) SN_LAYOUT_OBJECT_SIZES(Y)
            SN_LAYOUT_OBJECT_MEMBERS(Z)
#undef OF
#define OF SWITCH
                SN_LAYOUT_SWITCH_SYMBOLS(X) SN_LAYOUT_SWITCH_MEMBERS(Z)
#undef OF
#undef Z
#undef Y
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
    guest_layout_has_objects = true;
    for (unsigned k = 0; k < ARRAY_SIZE(names); k++) {
        if (seen[k]) {
            continue;
        }
        if (names[k].of == THREADS) {
            error_report("origin2000: profile-kernel: %s has no %s", file,
                         names[k].name);
            exit(1);
        } else if (names[k].of == OBJECTS) {
            guest_layout_has_objects = false;
        } else if (!guest_layout_no_switch) {
            guest_layout_no_switch = names[k].name;
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

/* The node's number above, and where in its memory */
#define HOST_NODE 48
#define HOST_NONE UINT64_MAX

static uint64_t place_of(const void *at)
{
    for (uint64_t n = 0; at && n < machine->desc.nnodes; n++) {
        MemoryRegion *ram = (MemoryRegion *)&machine->node[n].ram;
        const uint8_t *begin = memory_region_get_ram_ptr(ram);
        uint64_t offset = (const uint8_t *)at - begin;

        if (offset < memory_region_size(ram)) {
            return n << HOST_NODE | offset;
        }
    }
    return HOST_NONE;
}

void guest_move_host(struct sn_archive *a, const void **at)
{
    uint64_t place = a->loading ? 0 : place_of(*at), n, offset;

    SN_MOVE(a, place);
    if (!a->loading || a->failed) {
        return;
    }
    *at = NULL;
    if (place != HOST_NONE) {
        MemoryRegion *ram;

        n = place >> HOST_NODE;
        offset = extract64(place, 0, HOST_NODE);
        sn_must(a, n < machine->desc.nnodes);
        if (a->failed) {
            return;
        }
        ram = (MemoryRegion *)&machine->node[n].ram;
        /* The largest thing that is read at such an address */
        sn_must(a, offset <= memory_region_size(ram) - GUEST_HOST_MOST);
        if (!a->failed) {
            *at = (uint8_t *)memory_region_get_ram_ptr(ram) + offset;
        }
    }
}

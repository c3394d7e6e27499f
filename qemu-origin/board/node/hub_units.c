/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the units of the Hub share: see hub_units.h.
 */
#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "node/hub_units.h"

/* The key of the protection override registers (hub.h HUB_PASSWORD). */
#define HUB_PASSWORD 0x53474972756c6573ULL

void origin_hub_map_io(OriginHub *h, MemoryRegion *mr,
                       const MemoryRegionOps *ops, const char *name,
                       hwaddr base, uint64_t size)
{
    g_autofree char *full = g_strdup_printf("hub%u.%s", h->nasid, name);

    memory_region_init_io(mr, OBJECT(h), ops, h, full, size);
    /*
     * A write to the Hub may end in the Hub again: the notification of a
     * block transfer can address a register.
     */
    mr->disable_reentrancy_guard = true;
    memory_region_add_subregion(get_system_memory(), base, mr);
}

/*
 * The node of the processor whose access is under way; the Hub's own node if a
 * device makes the access
 */
static unsigned accessor(OriginHub *h)
{
    return current_cpu ? MIPS_CPU(current_cpu)->env.r10k.nasid : h->nasid;
}

void origin_hub_override(OriginHub *h, uint32_t protect, uint64_t key)
{
    if (key == HUB_PASSWORD) {
        *hub_reg(h, protect) |= 1ULL << accessor(h);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest kernel's list of modules; see modules.h.  The list may be changing
 * while it is read: whatever does not look like a section is left out.
 *
 * Source: Linux 6.12, struct module and struct module_sect_attrs.
 */
#include "qemu/osdep.h"
#include "clock.h"
#include "target/mips/internal.h"
#include "system/mp-time.h"
#include "observe/rows.h"
#include "origin.h"
#include "kernel.h"
#include "maps.h"
#include "modules.h"
#include "state.h"

#define MODULES_MAX  256
#define SECTIONS_MAX 128
#define NAME_SIZE    56 /* MODULE_NAME_LEN */

/* enum mod_mem_type: what a module's memory is for */
enum { TEXT, DATA, RODATA, RO_AFTER_INIT, INIT_TEXT, BLOCKS };

static const char flags_of[BLOCKS][4] = {
    [TEXT] = "r-x",          [DATA] = "rw-",      [RODATA] = "r--",
    [RO_AFTER_INIT] = "rw-", [INIT_TEXT] = "r-x",
};

typedef struct Module {
    char name[NAME_SIZE];
    struct {
        uint64_t base;
        uint32_t size;
    } block[BLOCKS];
    uint64_t address[SECTIONS_MAX];
    unsigned sections;
} Module;

/* A word of the guest's memory, as the last look found it */
typedef struct Word {
    const uint64_t *at;
    uint64_t value;
} Word;

static GArray
    *words; /* all that tells which modules there are; NULL: no look */

/* The entry of each TLB that had the last line of code, by page */
#define LATEST 8
static uint8_t latest[MP_TIME_MAX_CPUS][LATEST];

static void watch(uint64_t va)
{
    Word w = { .at = va % 8 ? NULL : guest_host(va, 8) };

    if (w.at) {
        w.value = *w.at;
        g_array_append_val(words, w);
    }
}

static bool changed(void)
{
    for (unsigned i = 0; i < words->len; i++) {
        const Word *w = &g_array_index(words, Word, i);

        if (*w->at != w->value) {
            return true;
        }
    }
    return false;
}

/* Names are part of a mapping's name. */
static bool is_name(const char *s)
{
    if (!*s) {
        return false;
    }
    for (; *s; s++) {
        if (!g_ascii_isgraph(*s) || *s == ']') {
            return false;
        }
    }
    return true;
}

/* A section ends where the next one of its block begins, or with the block. */
static void see_section(const Module *m, unsigned i, const char *name)
{
    GuestMap map = { .start = m->address[i], .first = origin_now() };

    for (unsigned b = 0; b < BLOCKS; b++) {
        uint64_t size = m->block[b].size;

        if (map.start - m->block[b].base >= size) {
            continue;
        }
        map.end = m->block[b].base + size;
        for (unsigned k = 0; k < m->sections; k++) {
            if (m->address[k] > map.start && m->address[k] < map.end) {
                map.end = m->address[k];
            }
        }
        memcpy(map.flags, flags_of[b], sizeof(map.flags));
        map.last = map.first;
        map.path = g_strdup_printf("[module %s %s]", m->name, name);
        guest_map_add(&map);
        return;
    }
}

static bool read_blocks(uint64_t module, Module *m)
{
    for (unsigned b = 0; b < BLOCKS; b++) {
        uint64_t at = module + guest_layout.module_mem +
                      b * guest_layout.size_module_memory;

        if (!GUEST_U64(at, module_memory_base, &m->block[b].base) ||
            !GUEST_U32(at, module_memory_size, &m->block[b].size)) {
            return false;
        }
        if (m->block[b].base < GUEST_XKSEG ||
            m->block[b].base >= GUEST_XKSEG_END) {
            m->block[b].size = 0;
        }
    }
    return true;
}

static void see_module(uint64_t module)
{
    Module m = { 0 };
    uint64_t attrs, at, name;
    uint32_t n;
    char text[64];

    watch(module + guest_layout.module_list + guest_layout.list_head_next);
    watch(module + guest_layout.module_sect_attrs);
    watch(module + guest_layout.module_name);
    watch(module + guest_layout.module_mem + guest_layout.module_memory_base);
    if (!guest_read_text(module + guest_layout.module_name, m.name,
                         sizeof(m.name)) ||
        !is_name(m.name) || !read_blocks(module, &m) ||
        !GUEST_U64(module, module_sect_attrs, &attrs) ||
        !GUEST_U32(attrs, module_sect_attrs_nsections, &n)) {
        return;
    }
    at = attrs + guest_layout.module_sect_attrs_attrs;
    for (unsigned i = 0; i < MIN(n, SECTIONS_MAX); i++) {
        if (!GUEST_U64(at + i * guest_layout.size_module_sect_attr,
                       module_sect_attr_address, &m.address[i])) {
            return;
        }
        m.sections++;
    }
    at += guest_layout.module_sect_attr_battr +
          guest_layout.bin_attribute_attr + guest_layout.attribute_name;
    for (unsigned i = 0; i < m.sections; i++) {
        if (guest_read_u64(at + i * guest_layout.size_module_sect_attr,
                           &name) &&
            guest_read_text(name, text, sizeof(text)) && is_name(text)) {
            see_section(&m, i, text);
        }
    }
}

static void look(void)
{
    uint64_t head = guest_layout.modules + guest_layout.list_head_next;
    uint64_t next;

    if (!words) {
        words = g_array_new(false, false, sizeof(Word));
    }
    g_array_set_size(words, 0);
    watch(head);
    for (unsigned i = 0; i < MODULES_MAX; i++) {
        uint64_t module;

        if (!guest_read_u64(head, &next) || next == guest_layout.modules) {
            return;
        }
        module = next - guest_layout.module_list;
        see_module(module);
        head = next + guest_layout.list_head_next;
    }
}

void guest_modules_look(void)
{
    if (guest_known() && (!words || changed())) {
        look();
    }
}

void guest_modules_fetched(uint64_t addr)
{
    if (addr >= GUEST_XKSEG && addr < GUEST_XKSEG_END) {
        mp_time_in_turn();
        guest_modules_look();
    }
}

static bool is_between(uint64_t addr, uint64_t begin, uint64_t end)
{
    return addr - begin < end - begin;
}

/*
 * The virtual address of a line of code.  The kernel's own code is where
 * cached xkphys shows it, the exception vectors, of which each node has its
 * own, where ckseg0 does; other code is in the TLB, from which it was just
 * translated.  The TLB may have more than one entry of the memory: the kernel
 * forgets mappings of its own late, and their memory may have become a
 * module's.  So may memory that a program gave back; the kernel executes
 * nothing at a program's addresses.
 *
 * The kernel frees the memory of its code for the boot, and modules may get it.
 * So there the TLB is asked first.
 */
uint64_t guest_code_address(const CPUMIPSState *env, hwaddr pa)
{
    const uint64_t kernel = 0xa800000000000000ull;
    uint8_t mode = env->hflags & MIPS_HFLAG_KSU;
    bool user = mode == MIPS_HFLAG_UM;
    uint8_t *first = &latest[env_cpu((CPUMIPSState *)env)->cpu_index]
                            [(pa >> GUEST_PAGE_SHIFT) % LATEST];
    uint64_t va, now, old = user ? SN_ROW_NO_PC : kernel | pa;

    if (mode == MIPS_HFLAG_KM && guest_known() &&
        is_between(kernel | pa, guest_layout._text, guest_layout._end) &&
        !is_between(kernel | pa, guest_layout.__init_begin,
                    guest_layout.__init_end)) {
        return kernel | pa;
    }
    if (mode == MIPS_HFLAG_KM &&
        extract64(pa, 0, SN_NODE_SHIFT) < GUEST_VECTORS_SIZE) {
        return GUEST_VECTORS | extract64(pa, 0, SN_NODE_SHIFT);
    }
    for (unsigned k = 0; k < env->tlb->nb_tlb; k++) {
        unsigned i = (*first + k) % env->tlb->nb_tlb;
        const r4k_tlb_t *t = &env->tlb->mmu.r4k.tlb[i];
        uint64_t half = ((uint64_t)t->PageMask | 0x1fff) >> 1;
        uint16_t asid = env->CP0_EntryHi & env->CP0_EntryHi_ASID_mask;

        if (!t->G && (t->ASID & env->CP0_EntryHi_ASID_mask) != asid) {
            continue;
        }
        for (unsigned odd = 0; odd < 2; odd++) {
            if ((odd ? t->V1 : t->V0) &&
                extract64(t->PFN[odd] ^ pa, 0, 40) <= half) {
                va =
                    (t->VPN & ~(2 * half + 1)) + odd * (half + 1) + (pa & half);
                if (user != (va < GUEST_XKSEG)) {
                    continue;
                }
                if (user || (guest_xkseg(va, &now) && now == pa)) {
                    *first = i;
                    return va;
                }
                old = va;
            }
        }
    }
    return old;
}

void guest_modules_state(struct sn_archive *a)
{
    bool looked = words;
    uint32_t n;

    SN_MOVE(a, latest);
    SN_MOVE(a, looked);
    sn_must_be_bool(a, &looked);
    if (a->failed || !looked) {
        return;
    }
    words = words ?: g_array_new(false, false, sizeof(Word));
    n = guest_move_count(a, words->len);
    if (a->loading) {
        g_array_set_size(words, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        Word *w = &g_array_index(words, Word, i);

        guest_move_host(a, (const void **)&w->at);
        SN_MOVE(a, w->value);
        sn_must(a, w->at);
    }
    if (a->failed) {
        g_array_set_size(words, 0);
    }
}

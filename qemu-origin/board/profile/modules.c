/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest kernel's list of modules; see modules.h.  The list may be changing
 * while it is read: whatever does not look like a section is left out.
 *
 * Source: Linux 6.12, struct module and struct module_sect_attrs.
 */
#include "qemu/osdep.h"
#include "clock.h"
#include "kernel.h"
#include "maps.h"
#include "modules.h"

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
        guest_modules_look();
    }
}

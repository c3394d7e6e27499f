/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects of the guest's kernel; see objects.h.
 *
 * A page of memory has a struct page, which says what the page is used for now.
 * It is read at each miss, so that no call of an allocator has to be seen.
 *
 * Source: Linux 6.12, struct slab, struct kmem_cache, enum pagetype and struct
 * mem_section (SPARSEMEM_EXTREME), and our patch 0024.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "clock.h"
#include "heap.h"
#include "kernel.h"
#include "state.h"
#include "threads.h"
#include "objects.h"

#define SECTION_SHIFT   25 /* sections of 32 MB: patch 0024 */
#define SECTION_PAGES   (1ull << (SECTION_SHIFT - GUEST_PAGE_SHIFT))
#define SECTIONS        (1ull << (40 - SECTION_SHIFT))
#define SECTION_LAST    6 /* SECTION_MAP_LAST_BIT */
#define SECTION_MAP     1 /* SECTION_MARKED_PRESENT */
#define PAGE_SIZE       (1ull << GUEST_PAGE_SHIFT)
#define OO_SHIFT        16 /* of kmem_cache_order_objects: the order is above */
#define ORDER_MOST      10
#define CACHES_MOST     4096
#define NODES_MOST      64
#define CPUS_MOST       128
#define CACHED          0xa800000000000000ull
#define NAME_SIZE       64
#define PGTY(page_type) ((uint32_t)(page_type) >> 24)
#define TYPED           0xf0 /* the least type; below is a count of mappings */
#define UNTYPED         0xff

enum { PGTY_TABLE = 0xf2, PGTY_SLAB = 0xf5 };

/* A use of a page that has one block for all its pages */
enum use { TABLE, PROGRAM, ANY_FILE, STACK, PER_CPU, USES };

static const char *const use_name[USES] = {
    [TABLE] = "[page table]",        [PROGRAM] = "[page of a program]",
    [ANY_FILE] = "[page of a file]", [STACK] = "[kernel stack]",
    [PER_CPU] = "[per-CPU memory]",
};

/*
 * Memory that has one use for ever, such as an array of structures.  The
 * struct page of a slab or a page table is another structure, so that such
 * memory is up to three blocks.
 */
enum { PLAIN, OF_SLAB, OF_TABLE, OVERLAYS };

typedef struct Area {
    uint64_t start, bytes, size; /* size: of a structure */
    const char *name;            /* NULL: per-CPU memory */
    uint32_t number[OVERLAYS];
} Area;

typedef struct Page {
    const uint8_t *at; /* its struct page on the host */
    uint64_t cache;    /* of the slab that has the number; 0: none */
    uint32_t number;
} Page;

static const char page_name[] = "page", node_name[] = "pglist_data";
/* All names of areas */
static const char *const area_name[] = { NULL, page_name, node_name };

static struct {
    GHashTable *pages;  /* pfn: Page */
    GHashTable *caches; /* address of a struct kmem_cache: its name and size */
    GArray *areas;      /* Area, by start */
    int64_t areas_again, caches_again; /* ticks: not before */
    uint32_t use[USES];                /* numbers; 0: none yet */
} objects;

static uint32_t name_block(uint64_t address, uint64_t bytes, const char *how)
{
    const GuestBlock about = {
        .address = address,
        .bytes = bytes,
        .how = how,
        .first = origin_now(),
    };

    return guest_heap_name(&about);
}

static uint32_t number_of(enum use use)
{
    if (!objects.use[use]) {
        objects.use[use] = name_block(0, 0, use_name[use]);
    }
    return objects.use[use];
}

/* ---- caches ---- */

/* Names go into a table's field. */
static void make_plain(char *name)
{
    for (; *name; name++) {
        if (!g_ascii_isalnum(*name) && !strchr("_-.:()", *name)) {
            *name = '?';
        }
    }
}

/* Lists of the guest may change while they are read, or lead in circles. */
static void read_caches(void)
{
    uint64_t head = guest_layout.slab_caches, at = head;
    char name[NAME_SIZE];
    uint64_t text, cache;
    uint32_t size;

    for (unsigned i = 0; i < CACHES_MOST; i++) {
        if (!GUEST_U64(at, list_head_next, &at) || at == head) {
            return;
        }
        cache = at - guest_layout.kmem_cache_list;
        if (GUEST_U64(cache, kmem_cache_name, &text) &&
            GUEST_U32(cache, kmem_cache_size, &size) && size &&
            guest_read_text(text, name, sizeof(name))) {
            g_autofree char *how = NULL;

            make_plain(name);
            how = g_strdup_printf("[slab %s %u]", name, size);
            g_hash_table_insert(objects.caches, (gpointer)(uintptr_t)cache,
                                (gpointer)g_intern_string(how));
        }
    }
}

/* A cache may be new: its list is read again, but not always. */
static const char *cache_name(uint64_t cache)
{
    gpointer key = (gpointer)(uintptr_t)cache;
    const char *how = g_hash_table_lookup(objects.caches, key);

    if (!how && origin_now() >= objects.caches_again) {
        objects.caches_again = origin_now() + origin_now() / 16;
        g_hash_table_remove_all(objects.caches);
        read_caches();
        how = g_hash_table_lookup(objects.caches, key);
    }
    return how;
}

/* ---- areas ---- */

/* The struct pages of a section; 0: it has none. */
static uint64_t section_map(uint64_t section)
{
    uint64_t per_root = PAGE_SIZE / guest_layout.size_mem_section;
    uint64_t roots, root, map;

    if (!guest_read_u64(guest_layout.mem_section, &roots) || !roots ||
        !guest_read_u64(roots + 8 * (section / per_root), &root) || !root ||
        !guest_read_u64(root +
                            section % per_root * guest_layout.size_mem_section +
                            guest_layout.mem_section_section_mem_map,
                        &map) ||
        !(map & SECTION_MAP)) {
        return 0;
    }
    return (map & -(1ull << SECTION_LAST)) +
           section * SECTION_PAGES * guest_layout.size_page;
}

/* The area that begins last at or before an address; NULL: none does. */
static Area *area_before(const GArray *areas, uint64_t addr)
{
    unsigned low = 0, high = areas->len;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;

        if (g_array_index(areas, Area, middle).start <= addr) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low ? &g_array_index(areas, Area, low - 1) : NULL;
}

/* An area that is known keeps its numbers. */
static void add_area(GArray *to, uint64_t start, uint64_t bytes,
                     const char *name, uint64_t size)
{
    const Area *old = area_before(objects.areas, start);
    const Area new = { start, bytes, size, name };

    g_array_append_val(to, *(old && old->start == start ? old : &new));
}

static int by_start(const void *a, const void *b)
{
    const Area *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

/* What follows the static per-CPU variables, which have names of their own */
static void read_per_cpu(GArray *to)
{
    uint64_t size = guest_layout.__per_cpu_end - guest_layout.__per_cpu_start;
    uint64_t offset;
    uint32_t unit;

    if (!guest_read_u32(guest_layout.pcpu_unit_size, &unit) || unit <= size) {
        return;
    }
    for (unsigned c = 0; c < CPUS_MOST; c++) {
        if (guest_read_u64(guest_layout.__per_cpu_offset + 8 * c, &offset) &&
            offset) {
            add_area(to, guest_layout.__per_cpu_end + offset, unit - size, NULL,
                     0);
        }
    }
}

static void read_areas(void)
{
    GArray *new = g_array_new(false, false, sizeof(Area));
    uint64_t at;

    for (uint64_t s = 0; s < SECTIONS; s++) {
        at = section_map(s);
        if (at) {
            add_area(new, at, SECTION_PAGES * guest_layout.size_page, page_name,
                     guest_layout.size_page);
        }
    }
    for (unsigned i = 0; i < NODES_MOST; i++) {
        if (guest_read_u64(guest_layout.__node_data + 8 * i, &at) && at) {
            add_area(new, at, guest_layout.size_pglist_data, node_name,
                     guest_layout.size_pglist_data);
        }
    }
    read_per_cpu(new);
    g_array_sort(new, by_start);
    g_array_free(objects.areas, true);
    objects.areas = new;
}

static uint32_t number_in(Area *a, uint64_t addr)
{
    static const char *const overlay[OVERLAYS] = {
        [OF_SLAB] = "slab", [OF_TABLE] = "ptdesc"
    };
    uint64_t page = addr - (addr - a->start) % a->size;
    unsigned of = PLAIN;
    uint32_t type;

    if (a->name == page_name && GUEST_U32(page, page_page_type, &type)) {
        of = PGTY(type) == PGTY_SLAB    ? OF_SLAB
             : PGTY(type) == PGTY_TABLE ? OF_TABLE
                                        : PLAIN;
    }
    if (!a->number[of]) {
        g_autofree char *how = g_strdup_printf(
            "[struct %s %" PRIu64 "]", of ? overlay[of] : a->name, a->size);

        a->number[of] = name_block(a->start, a->bytes, g_intern_string(how));
    }
    return a->number[of];
}

static uint32_t area_number(uint64_t addr)
{
    Area *a;

    if (origin_now() >= objects.areas_again) {
        objects.areas_again = 2 * origin_now();
        read_areas();
    }
    a = area_before(objects.areas, addr);
    return !a || addr - a->start >= a->bytes ? 0
           : a->name                         ? number_in(a, addr)
                                             : number_of(PER_CPU);
}

/* ---- pages ---- */

static uint64_t word(const Page *p, uint64_t offset)
{
    return ldq_be_p(p->at + offset);
}

static Page *page_of(uint64_t pfn)
{
    gpointer key = (gpointer)(uintptr_t)pfn;
    Page *p = g_hash_table_lookup(objects.pages, key);
    const uint8_t *at;
    uint64_t map;

    if (p) {
        return p;
    }
    map = section_map(pfn / SECTION_PAGES);
    at = map ? guest_host(map + pfn % SECTION_PAGES * guest_layout.size_page,
                          guest_layout.size_page)
             : NULL;
    if (!at) {
        return NULL; /* it may have a struct page later */
    }
    p = g_new0(Page, 1);
    p->at = at;
    g_hash_table_insert(objects.pages, key, p);
    return p;
}

/* The first page of what the page belongs to, and its number */
static Page *head_of(uint64_t *pfn)
{
    Page *p = page_of(*pfn);
    uint64_t head = p ? word(p, guest_layout.page_compound_head) : 0, map;

    if (!(head & 1)) {
        return p;
    }
    map = section_map(*pfn / SECTION_PAGES);
    head = (head - 1 - map) / guest_layout.size_page;
    if (!map || head >= SECTION_PAGES) {
        return NULL;
    }
    *pfn = *pfn / SECTION_PAGES * SECTION_PAGES + head;
    return page_of(*pfn);
}

/* A slab that becomes another cache's is another block. */
static uint32_t slab_number(Page *p, uint64_t pfn)
{
    uint64_t cache = word(p, guest_layout.slab_slab_cache);
    const char *how;
    uint32_t oo;

    if (cache == p->cache) {
        return p->number;
    }
    how = cache_name(cache);
    if (!how || !GUEST_U32(cache, kmem_cache_oo, &oo)) {
        return 0;
    }
    p->cache = cache;
    p->number = name_block(CACHED | pfn << GUEST_PAGE_SHIFT,
                           PAGE_SIZE << MIN(oo >> OO_SHIFT, ORDER_MOST), how);
    return p->number;
}

/*
 * Of a page without a type `mapping` says whose it is: its lowest bit is set
 * for memory of programs.
 */
static uint32_t page_number(uint64_t addr)
{
    uint64_t pfn = extract64(addr, 0, 40) >> GUEST_PAGE_SHIFT, mapping;
    Page *p = head_of(&pfn);
    unsigned type = p ? PGTY(ldl_be_p(p->at + guest_layout.page_page_type)) : 0;

    if (!p) {
        return 0;
    }
    if (type == PGTY_SLAB) {
        return slab_number(p, pfn);
    }
    if (type == PGTY_TABLE) {
        return number_of(TABLE);
    }
    if (type >= TYPED && type != UNTYPED) {
        return 0;
    }
    mapping = word(p, guest_layout.page_mapping);
    return !mapping ? 0 : number_of(mapping & 1 ? PROGRAM : ANY_FILE);
}

/*
 * The layout comes from the kernel's debugging information, which the host
 * does not trust.  What is read of a struct page must lie within it, and
 * structures must have a size.
 */
static bool layout_is_sound(void)
{
    const GuestLayout *l = &guest_layout;
    uint64_t page = l->size_page;

    return page >= 8 && page <= PAGE_SIZE &&
           l->page_compound_head <= page - 8 && l->page_mapping <= page - 8 &&
           l->slab_slab_cache <= page - 8 && l->page_page_type <= page - 4 &&
           l->size_mem_section && l->size_mem_section <= PAGE_SIZE &&
           l->size_pglist_data;
}

static void make_tables(void)
{
    objects.pages = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    objects.caches = g_hash_table_new(NULL, NULL);
    objects.areas = g_array_new(false, false, sizeof(Area));
}

uint32_t guest_object(CPUState *cs, uint64_t addr)
{
    uint64_t stack = guest_kernel_stack(cs);
    uint32_t number;

    if (!guest_layout_has_objects || addr >> 62 != 2 ||
        addr - guest_layout._text < guest_layout._end - guest_layout._text) {
        return 0;
    }
    if (!objects.pages) {
        if (!layout_is_sound()) {
            guest_layout_has_objects = false;
            return 0;
        }
        make_tables();
    }
    if (stack && (addr ^ stack) < guest_layout.size_thread_union) {
        return number_of(STACK);
    }
    number = page_number(addr);
    return number ? number : area_number(addr);
}

/* ---- saved and loaded ---- */

static void page_state(struct sn_archive *a, uint64_t pfn, Page *p)
{
    SN_MOVE(a, pfn);
    guest_move_host(a, (const void **)&p->at);
    SN_MOVE(a, p->cache);
    SN_MOVE(a, p->number);
    sn_must(a, p->at);
    if (a->loading) {
        g_hash_table_insert(objects.pages, (gpointer)(uintptr_t)pfn, p);
    }
}

static void pages_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, g_hash_table_size(objects.pages));
    GHashTableIter at;
    gpointer pfn, page;

    if (a->loading) {
        for (; n && !a->failed; n--) {
            page_state(a, 0, g_new0(Page, 1));
        }
        return;
    }
    g_hash_table_iter_init(&at, objects.pages);
    while (g_hash_table_iter_next(&at, &pfn, &page)) {
        page_state(a, (uintptr_t)pfn, page);
    }
}

static void caches_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, g_hash_table_size(objects.caches));
    GHashTableIter at;
    gpointer cache, how;

    if (!a->loading) {
        g_hash_table_iter_init(&at, objects.caches);
    }
    for (; n && !a->failed; n--) {
        const char *name = NULL;

        if (!a->loading) {
            g_hash_table_iter_next(&at, &cache, &how);
            name = how;
        }
        SN_MOVE(a, cache);
        guest_move_name(a, &name);
        if (a->loading && !a->failed) {
            g_hash_table_insert(objects.caches, cache, (gpointer)name);
        }
    }
}

static void areas_state(struct sn_archive *a)
{
    uint32_t n = guest_move_count(a, objects.areas->len);

    if (a->loading) {
        g_array_set_size(objects.areas, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        Area *area = &g_array_index(objects.areas, Area, i);
        uint32_t name = 0;

        while (!a->loading && area_name[name] != area->name) {
            name++;
        }
        SN_MOVE(a, *area);
        SN_MOVE(a, name);
        sn_must(a, name < ARRAY_SIZE(area_name));
        area->name = a->failed ? NULL : area_name[name];
    }
}

void guest_objects_state(struct sn_archive *a)
{
    bool known = objects.pages;

    SN_MOVE(a, known);
    SN_MOVE(a, guest_layout_has_objects);
    SN_MOVE(a, objects.areas_again);
    SN_MOVE(a, objects.caches_again);
    SN_MOVE(a, objects.use);
    sn_must_be_bool(a, &known);
    if (a->failed || !known) {
        return;
    }
    if (a->loading && !objects.pages) {
        make_tables();
    }
    pages_state(a);
    caches_state(a);
    areas_state(a);
}

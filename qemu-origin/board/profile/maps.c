/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings of the guest's address spaces, read from the kernel's maple tree of
 * each mm; see maps.h.  The tree may be changing while it is read: whatever
 * does not look like a mapping of this mm is left out, and seen the next time.
 *
 * Source: Linux 6.12, maple_tree.h, maple_tree.c, mm_types.h, d_path.c.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "system/mp-time.h"
#include "clock.h"
#include "kernel.h"
#include "maps.h"
#include "state.h"

#define NODE_MASK    0xffull /* maple nodes are 256 bytes */
#define NODE_TYPE    3       /* shift of the type in a pointer to a node */
#define LEAF         1
#define RANGE        2
#define ARANGE       3
#define RANGE_SLOTS  16
#define ARANGE_SLOTS 10
#define DEPTH_MAX    16
#define PATH_DEPTH   64
#define USER_END     (1ull << 62)

/*
 * Limits of what the host keeps, and of how long it searches.  A broken guest may
 * have a tree that contains itself.
 */
#define MAPS_MAX  65536u
#define NODES_MAX 65536u /* of a tree; Linux allows an mm 65530 mappings */

#define VM_READ  1
#define VM_WRITE 2
#define VM_EXEC  4

typedef struct Space {
    uint64_t mm, start_stack;
    uint32_t pid;
    uint64_t from, to; /* mapping of the last access, or 0, 0 */
} Space;

static GArray *space, *maps;
/* Mappings that nobody was seen to access when code in them was translated */
static GArray *ahead;

static Space *space_of(uint32_t n)
{
    return &g_array_index(space, Space, n - 1);
}

uint32_t guest_space(uint64_t mm, uint32_t pid, uint64_t start_stack, bool add)
{
    const Space s = { .mm = mm, .pid = pid, .start_stack = start_stack };

    if (!space) {
        space = g_array_new(false, true, sizeof(Space));
    }
    /*
     * Look at the newest first, because older spaces may have had the same mm.
     */
    for (uint32_t n = space->len; n; n--) {
        const Space *o = space_of(n);

        if (o->mm == mm && o->pid == pid && o->start_stack == start_stack) {
            return n;
        }
    }
    if (!add) {
        return 0;
    }
    if (space->len == GUEST_SPACES_MAX) {
        warn_report_once(
            "profile: more than %u address spaces: later ones have "
            "no mappings",
            GUEST_SPACES_MAX);
        return 0;
    }
    g_array_append_val(space, s);
    return space->len;
}

/* ---- names of files ---- */

/* Put the dentry's name and a slash before *at in buf. */
static bool prepend(uint64_t dentry, char *buf, size_t *at)
{
    uint64_t qstr = dentry + guest_layout.dentry_d_name, name;
    uint32_t len;
    char text[256];

    if (!GUEST_U64(qstr, qstr_name, &name) ||
        !GUEST_U32(qstr, qstr_len, &len) || len >= sizeof(text) ||
        len + 1 > *at || !guest_read(name, text, len)) {
        return false;
    }
    *at -= len;
    memcpy(buf + *at, text, len);
    buf[--*at] = '/';
    return true;
}

/* The path of a struct file in the guest, as /proc/PID/maps has it; NULL: broken. */
static char *path_of(uint64_t file)
{
    uint64_t path = file + guest_layout.file_f_path, dentry, mnt, root, up;
    char buf[4096];
    size_t at = sizeof(buf) - 1;

    buf[at] = '\0';
    if (!GUEST_U64(path, path_dentry, &dentry) ||
        !GUEST_U64(path, path_mnt, &mnt)) {
        return NULL;
    }
    for (unsigned i = 0; i < PATH_DEPTH; i++) {
        uint64_t mount = mnt - guest_layout.mount_mnt;

        if (!GUEST_U64(mnt, vfsmount_mnt_root, &root)) {
            return NULL;
        }
        if (dentry == root) {
            uint64_t parent;

            if (!GUEST_U64(mount, mount_mnt_parent, &parent) ||
                !GUEST_U64(mount, mount_mnt_mountpoint, &dentry)) {
                return NULL;
            }
            if (parent == mount) {
                break;
            }
            mnt = parent + guest_layout.mount_mnt;
            continue;
        }
        if (!GUEST_U64(dentry, dentry_d_parent, &up)) {
            return NULL;
        }
        if (up == dentry) {
            break; /* not below its mount's root: an anonymous file */
        }
        if (!prepend(dentry, buf, &at)) {
            return NULL;
        }
        dentry = up;
    }
    return g_strdup(buf + at);
}

static uint64_t inode_of(uint64_t file)
{
    uint64_t dentry, inode, number = 0;

    if (GUEST_U64(file + guest_layout.file_f_path, path_dentry, &dentry) &&
        GUEST_U64(dentry, dentry_d_inode, &inode)) {
        GUEST_U64(inode, inode_i_ino, &number);
    }
    return number;
}

/* ---- mappings ---- */

/* Is `b` the mapping `a`, which may have grown or shrunk meanwhile? */
static bool same(const GuestMap *a, const GuestMap *b)
{
    return a->space == b->space && !memcmp(a->flags, b->flags, 4) &&
           a->inode == b->inode && !strcmp(a->path, b->path) &&
           (a->inode ? a->start - a->offset == b->start - b->offset &&
                           a->start < b->end && b->start < a->end
                     : a->start == b->start || a->end == b->end);
}

static void add_to(GArray **array, GuestMap *new)
{
    GArray *all = *array = *array ?: g_array_new(false, true, sizeof(GuestMap));

    for (unsigned i = all->len; i; i--) {
        GuestMap *old = &g_array_index(all, GuestMap, i - 1);

        if (same(old, new)) {
            old->offset = MIN(old->offset, new->offset);
            old->start = MIN(old->start, new->start);
            old->end = MAX(old->end, new->end);
            old->last = new->last;
            g_free(new->path);
            return;
        }
    }
    if (all->len == MAPS_MAX) {
        warn_report_once("profile: more than %u mappings: later ones have no "
                         "names",
                         MAPS_MAX);
        g_free(new->path);
        return;
    }
    g_array_append_val(all, *new);
}

void guest_map_add(GuestMap *new)
{
    add_to(&maps, new);
}

/* The name that the kernel gave a mapping of its own, such as the vDSO. */
static char *special_name(uint64_t vma)
{
    uint64_t ops, mapping, name;
    char text[32];

    if (!GUEST_U64(vma, vm_area_struct_vm_ops, &ops) ||
        ops != guest_layout.special_mapping_vmops ||
        !GUEST_U64(vma, vm_area_struct_vm_private_data, &mapping) ||
        !GUEST_U64(mapping, vm_special_mapping_name, &name) ||
        !guest_read_text(name, text, sizeof(text))) {
        return NULL;
    }
    return g_strdup(text);
}

static char *anonymous_name(const Space *s, const GuestMap *map, uint64_t vma)
{
    uint64_t brk = 0, start = 0;
    char *special = special_name(vma);

    if (special) {
        return special;
    }
    GUEST_U64(s->mm, mm_struct_brk, &brk);
    GUEST_U64(s->mm, mm_struct_start_brk, &start);
    if (start < map->end && brk > map->start) {
        return g_strdup("[heap]");
    }
    if (s->start_stack >= map->start && s->start_stack < map->end) {
        return g_strdup("[stack]");
    }
    return g_strdup("");
}

static void see_vma(GArray **array, uint32_t n, uint64_t vma)
{
    const Space *s = space_of(n);
    GuestMap map = { .space = n };
    uint64_t mm = 0, flags = 0, pgoff = 0, file = 0;

    if (!GUEST_U64(vma, vm_area_struct_vm_mm, &mm) || mm != s->mm ||
        !GUEST_U64(vma, vm_area_struct_vm_start, &map.start) ||
        !GUEST_U64(vma, vm_area_struct_vm_end, &map.end) ||
        map.start >= map.end || map.end > USER_END ||
        !GUEST_U64(vma, vm_area_struct_vm_flags, &flags) ||
        !GUEST_U64(vma, vm_area_struct_vm_pgoff, &pgoff) ||
        !GUEST_U64(vma, vm_area_struct_vm_file, &file)) {
        return;
    }
    map.flags[0] = flags & VM_READ ? 'r' : '-';
    map.flags[1] = flags & VM_WRITE ? 'w' : '-';
    map.flags[2] = flags & VM_EXEC ? 'x' : '-';
    map.first = map.last = origin_now();
    if (file) {
        map.path = path_of(file);
        map.inode = inode_of(file);
        map.offset = pgoff << GUEST_PAGE_SHIFT;
        if (!map.path || !map.inode) {
            g_free(map.path);
            return;
        }
    } else {
        map.path = anonymous_name(s, &map, vma);
    }
    add_to(array, &map);
}

/* left: nodes that may still be looked at */
static void walk(GArray **array, uint32_t n, uint64_t node, unsigned depth,
                 unsigned *left)
{
    unsigned type = extract64(node, NODE_TYPE, 4);
    bool arange = type == ARANGE;
    unsigned slots = arange ? ARANGE_SLOTS : RANGE_SLOTS;
    uint64_t at = node & ~NODE_MASK, pivot, entry;
    uint64_t slot = at + (arange ? guest_layout.maple_arange_64_slot
                                 : guest_layout.maple_range_64_slot);
    uint64_t pivots = at + (arange ? guest_layout.maple_arange_64_pivot
                                   : guest_layout.maple_range_64_pivot);

    if (type < LEAF || type > ARANGE || depth == DEPTH_MAX || !*left) {
        return;
    }
    --*left;
    for (unsigned i = 0; i < slots; i++) {
        /*
         * The last slot has no pivot.  In another slot 0 says that it is the
         * last in use.
         */
        pivot = 0;
        if (!guest_read_u64(slot + 8 * i, &entry) ||
            (i + 1 < slots && !guest_read_u64(pivots + 8 * i, &pivot))) {
            return;
        }
        if (type == LEAF) {
            see_vma(array, n, entry);
        } else {
            walk(array, n, entry, depth + 1, left);
        }
        if (!pivot) {
            break;
        }
    }
}

/* Add the mappings of an address space that are not in the array. */
static void look(GArray **array, uint32_t n)
{
    const Space *s = space_of(n);
    unsigned left = NODES_MAX;
    uint64_t root;

    if (*array && (*array)->len == MAPS_MAX) {
        return;
    }
    if (GUEST_U64(s->mm + guest_layout.mm_struct_mm_mt, maple_tree_ma_root,
                  &root)) {
        if ((root & 3) == 2) { /* a node, not a mapping */
            walk(array, n, root, 0, &left);
        } else {
            see_vma(array, n, root);
        }
    }
}

/* The newest mapping with the address.  NULL: there is none. */
static const GuestMap *find_in(const GArray *array, uint32_t n, uint64_t addr)
{
    for (unsigned i = array ? array->len : 0; i; i--) {
        const GuestMap *map = &g_array_index(array, GuestMap, i - 1);

        if (map->space == n && addr >= map->start && addr < map->end) {
            return map;
        }
    }
    return NULL;
}

/* The same, and the address space remembers it. */
static const GuestMap *find(uint32_t n, uint64_t addr)
{
    const GuestMap *map = find_in(maps, n, addr);
    Space *s = space_of(n);

    s->from = map ? map->start : 0;
    s->to = map ? map->end : 0;
    return map;
}

const GuestMap *guest_map_ahead(uint32_t n, uint64_t addr)
{
    const GuestMap *map;

    if (!n || addr >= USER_END) {
        return NULL;
    }
    map = find_in(maps, n, addr) ?: find_in(ahead, n, addr);
    if (!map) {
        look(&ahead, n);
        map = find_in(ahead, n, addr);
    }
    return map;
}

const GuestMap *guest_map(uint32_t n, uint64_t addr)
{
    const GuestMap *map;

    if (!n || addr >= USER_END) {
        return NULL;
    }
    map = find(n, addr);
    if (!map) {
        look(&maps, n);
        map = find(n, addr);
    }
    return map;
}

uint64_t guest_space_mm(uint32_t n)
{
    return space_of(n)->mm;
}

void guest_touch(uint32_t n, uint64_t addr)
{
    const Space *s;

    if (!n || addr >= USER_END) {
        return;
    }
    s = space_of(n);
    if (likely(addr >= s->from && addr < s->to)) {
        return;
    }
    if (!find(n, addr)) {
        look(&maps, n);
        find(n, addr);
    }
}

const GuestMap *guest_maps(uint32_t *n)
{
    *n = maps ? maps->len : 0;
    return maps ? (const GuestMap *)maps->data : NULL;
}

void guest_maps_state(struct sn_archive *a)
{
    uint32_t n;

    space = space ?: g_array_new(false, true, sizeof(Space));
    maps = maps ?: g_array_new(false, true, sizeof(GuestMap));
    guest_move_array(a, space);
    n = guest_move_count(a, maps->len);
    if (a->loading) {
        g_array_set_size(maps, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        GuestMap *map = &g_array_index(maps, GuestMap, i);
        char *path = map->path;

        SN_MOVE(a, *map);
        guest_move_text(a, &path);
        map->path = path;
        sn_must(a, path);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest kernel's structures in its memory.  The launcher says where their
 * members are (profile/layout.h).  Nearly all lie at cached addresses that need
 * no TLB; modules lie in xkseg, where the kernel's page tables say which memory
 * an address is.
 *
 *   guest_open()      read the layout
 *   guest_layout      layout.kernelsp, layout.task_struct_pid, ...
 *   guest_read*()     memory
 *
 * Left out: kernels whose pages are not 16 KB; of these xkseg is not known.
 */
#ifndef ORIGIN_PROFILE_KERNEL_H
#define ORIGIN_PROFILE_KERNEL_H

#include "profile/layout.h"

/* Of our kernel */
#define GUEST_PAGE_SHIFT 14

/* Where processors execute exceptions */
#define GUEST_VECTORS      0xffffffff80000000ull
#define GUEST_VECTORS_SIZE 0x400

/* Addresses of the kernel that its page tables map, and the end of them */
#define GUEST_XKSEG     0xc000000000000000ull
#define GUEST_XKSEG_END 0xffffffff80000000ull

typedef struct OriginMachineState OriginMachineState;

/* Addresses, sizes and offsets by name */
typedef struct GuestLayout {
#define X(symbol) uint64_t symbol;
    SN_LAYOUT_SYMBOLS(X)
    SN_LAYOUT_OBJECT_SYMBOLS(X)
    SN_LAYOUT_SWITCH_SYMBOLS(X)
#undef X
#define X(type) uint64_t size_##type;
    SN_LAYOUT_SIZES(X)
    SN_LAYOUT_OBJECT_SIZES(X)
#undef X
#define X(structure, member) uint64_t structure##_##member;
    SN_LAYOUT_MEMBERS(X)
    SN_LAYOUT_OBJECT_MEMBERS(X)
    SN_LAYOUT_SWITCH_MEMBERS(X)
#undef X
} GuestLayout;

extern GuestLayout guest_layout;
/* Does it have SN_LAYOUT_OBJECT_*? */
extern bool guest_layout_has_objects;
/* The first one of SN_LAYOUT_SWITCH_* that it lacks; NULL: it has all. */
extern const char *guest_layout_no_switch;

/*
 * file: as profile-kernel; NULL: the kernel is not known.  Exits with a message
 * if it cannot be used.
 */
void guest_open(const OriginMachineState *m, const char *file);
bool guest_known(void);

/*
 * Host address of kernel memory.  NULL, and false below: it is not such an
 * address, no memory is there, or it is in xkseg and crosses pages.
 */
const void *guest_host(uint64_t va, size_t len);
/* The physical address of an address in xkseg; false: of no memory. */
bool guest_xkseg(uint64_t va, uint64_t *pa);
bool guest_read(uint64_t va, void *buf, size_t len);
bool guest_read_u64(uint64_t va, uint64_t *v);
bool guest_read_u32(uint64_t va, uint32_t *v);
/* A member of the structure at va, as GuestLayout names it */
#define GUEST_U64(va, member, v) guest_read_u64((va) + guest_layout.member, v)
#define GUEST_U32(va, member, v) guest_read_u32((va) + guest_layout.member, v)
/* A text of less than size characters, or its beginning, always terminated. */
bool guest_read_text(uint64_t va, char *text, size_t size);

#endif

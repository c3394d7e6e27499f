/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest kernel's structures in its memory.  The launcher says where their
 * members are (profile/layout.h); the kernel's memory is read at cached
 * addresses that need no TLB, where all its structures but modules are.
 *
 *   guest_open()      read the layout
 *   guest_layout      layout.kernelsp, layout.task_struct_pid, ...
 *   guest_read*()     memory
 */
#ifndef ORIGIN_PROFILE_KERNEL_H
#define ORIGIN_PROFILE_KERNEL_H

#include "profile/layout.h"

typedef struct OriginMachineState OriginMachineState;

/* Addresses, sizes and offsets by name */
typedef struct GuestLayout {
#define X(symbol) uint64_t symbol;
    SN_LAYOUT_SYMBOLS(X)
#undef X
#define X(type) uint64_t size_##type;
    SN_LAYOUT_SIZES(X)
#undef X
#define X(structure, member) uint64_t structure##_##member;
    SN_LAYOUT_MEMBERS(X)
#undef X
} GuestLayout;

extern GuestLayout guest_layout;

/*
 * file: as profile-kernel; NULL: the kernel is not known.  Exits with a message
 * if it cannot be used.
 */
void guest_open(const OriginMachineState *m, const char *file);
bool guest_known(void);

/*
 * Host address of kernel memory.  NULL, and false below: it is not such an
 * address, or no memory is there.
 */
const void *guest_host(uint64_t va, size_t len);
bool guest_read(uint64_t va, void *buf, size_t len);
bool guest_read_u64(uint64_t va, uint64_t *v);
bool guest_read_u32(uint64_t va, uint32_t *v);

#endif

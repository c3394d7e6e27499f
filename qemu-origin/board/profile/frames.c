/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash of address space and page; see frames.h. */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "observe/cause.h"
#include "state.h"
#include "frames.h"

/* So many pages are remembered. Further pages count as never moved. */
#define FRAMES_MAX (1u << 21)

static GHashTable *frames;

bool guest_frame_changed(uint32_t space, uint64_t addr, uint64_t pa,
                         uint64_t *from)
{
    /* User addresses have 44 bits at most, so that a key fits. */
    uint64_t page = extract64(addr, GUEST_FRAME_SHIFT, 30);
    gpointer key = (gpointer)(uintptr_t)(page | (uint64_t)space << 30);
    /* plus 1, because 0 means that there is no entry */
    gpointer frame = (gpointer)(uintptr_t)((pa >> GUEST_FRAME_SHIFT) + 1);
    gpointer before;

    if (!frames) {
        frames = g_hash_table_new(NULL, NULL);
    }
    before = g_hash_table_lookup(frames, key);
    if (likely(before == frame)) {
        return false;
    }
    if (!before && g_hash_table_size(frames) == FRAMES_MAX) {
        return false;
    }
    g_hash_table_insert(frames, key, frame);
    *from = before ? ((uintptr_t)before - 1) << GUEST_FRAME_SHIFT
                   : SN_CAUSE_NOWHERE;
    return true;
}

void guest_frames_state(struct sn_archive *a)
{
    if (!frames) {
        frames = g_hash_table_new(NULL, NULL);
    }
    guest_move_table(a, frames);
}

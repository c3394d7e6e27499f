/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames behind the pages of address spaces, as misses show them: a page
 * that has another frame than at its last miss was moved.
 */
#ifndef ORIGIN_PROFILE_FRAMES_H
#define ORIGIN_PROFILE_FRAMES_H

/* Log2 of the bytes of a frame (sn_cause_moved() in observe/cause.h) */
#define GUEST_FRAME_SHIFT 14

/*
 * A miss of the address space at addr went to pa.  True: at its last miss the
 * page had another frame, at *from.  SN_CAUSE_NOWHERE there means that it had
 * none.
 */
bool guest_frame_changed(uint32_t space, uint64_t addr, uint64_t pa,
                         uint64_t *from);
struct sn_archive;
/* Saves all of it, or loads it where there is nothing (sn_state.h). */
void guest_frames_state(struct sn_archive *a);

#endif

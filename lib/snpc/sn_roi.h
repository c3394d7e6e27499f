/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions of interest: a program says which part of its run matters.
 *
 *   sn_roi_begin("solve");
 *   ...
 *   sn_roi_end();
 *
 * Regions nest.  Marks of all threads make one stack (docs/regions.md).
 *
 * The mark is an instruction that does nothing on a processor of the time: a prefetch with a hint
 * that the architecture leaves to implementations.  It costs some tens of instructions, most of
 * them for the name, whether somebody listens or not.
 */
#ifndef SN_ROI_H
#define SN_ROI_H

#ifdef __cplusplus
extern "C" {
#endif

/* Longer names are cut. */
#define SN_ROI_NAME_MAX 63

/* name: NULL is the same as "". */
void sn_roi_begin(const char *name);
/* Ends the region that the process began last; without one it does nothing. */
void sn_roi_end(void);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine descriptions as device tree blobs (docs/machine-description.md is
 * the binding).  QEMU-free: libfdt and the engine's headers only, so that the
 * launcher's dtinfo, the board, the tests and the fuzzer read alike.
 *
 *   origin_dt_read()   blob to struct sn_desc
 */
#ifndef ORIGIN_DT_H
#define ORIGIN_DT_H

#include <stddef.h>

#include "desc.h"

/*
 * Reads the blob of len bytes (8-byte aligned, any contents) into d: its
 * properties with what they inherit, the midplanes' links and the cables.
 * What the boards then mean together is checked by sn_topo_build().
 * Returns 0, or -1 and one printable line "PATH: PROPERTY: why" in
 * err[errlen].
 */
int origin_dt_read(const void *fdt, size_t len, struct sn_desc *d,
                   char *err, size_t errlen);

#endif

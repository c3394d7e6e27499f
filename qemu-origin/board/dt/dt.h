/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine descriptions as device tree blobs; docs/machine-description.md is the
 * binding.  The reader needs libfdt and headers of the engine, but not QEMU:
 * board, launcher, dtinfo, tests and fuzzer all use it.
 *
 *   origin_dt_read()   blob to struct sn_desc
 */
#ifndef ORIGIN_DT_H
#define ORIGIN_DT_H

#include <stddef.h>

#include "fabric/desc.h"

/*
 * Reads the blob of len bytes into d: the boards with all properties that they
 * inherit, the links of the midplanes, and the cables.  The blob must be aligned
 * to 8 bytes; its contents may be anything.  sn_topo_build() checks whether the
 * boards make a machine.  Returns 0, or -1 with one printable line
 * "PATH: PROPERTY: why" in err[errlen].
 */
int origin_dt_read(const void *fdt, size_t len, struct sn_desc *d, char *err,
                   size_t errlen);

#endif

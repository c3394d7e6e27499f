/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fdt_check_full(), which the reader of descriptions calls and the libfdt in Linux's
 * sources leaves out.  In the page the blob comes from dtc in the same page, so it is
 * enough that header, size and nesting are right.
 */
#include <libfdt.h>

int fdt_check_full(const void *fdt, size_t bufsize)
{
    int rc = bufsize < FDT_V1_SIZE ? -FDT_ERR_TRUNCATED : fdt_check_header(fdt);
    int next = 0, depth = 0;

    if (!rc && (bufsize < fdt_header_size(fdt) || bufsize < fdt_totalsize(fdt))) {
        rc = -FDT_ERR_TRUNCATED;
    }
    while (!rc) {
        int at = next;
        uint32_t tag = fdt_next_tag(fdt, at, &next);

        if (next < 0) {
            return next;
        }
        if (tag == FDT_END) {
            return depth ? -FDT_ERR_BADSTRUCTURE : 0;
        }
        depth += (tag == FDT_BEGIN_NODE) - (tag == FDT_END_NODE);
        if (depth < 0) {
            return -FDT_ERR_BADSTRUCTURE;
        }
    }
    return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libsn: reference counters of a process.  <snhw.h> is the interface.
 */
#include <snhw.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <procfs/procfs.h>

#define PAGE  4096
#define TRIES 10

static bool is_same(const sn0_refcnt_buf_t *a, const sn0_refcnt_buf_t *b, unsigned long pages)
{
    for (; pages--; a++, b++)
        if (a->paddr != b->paddr ||
            memcmp(a->refcnt_set.refcnt, b->refcnt_set.refcnt, sizeof(a->refcnt_set.refcnt)))
            return false;
    return true;
}

/* If the kernel moves a count from hardware to memory between the calls, read again. */
int snhw_refcnt(int proc, unsigned long vaddr, unsigned long pages, sn0_refcnt_buf_t *ext,
                sn0_refcnt_buf_t *hw)
{
    sn0_refcnt_args_t args = { .vaddr = vaddr, .len = pages * PAGE };
    sn0_refcnt_buf_t *later = calloc(pages, sizeof(*later));
    sn0_refcnt_buf_t *const buf[] = { ext, hw, later };
    static const unsigned long cmd[] = { PIOCGETSN0EXTREFCNTRS, PIOCGETSN0REFCNTRS,
                                         PIOCGETSN0EXTREFCNTRS };
    int tries = 0, err = 0, i;

    if (!later) {
        errno = ENOMEM;
        return -1;
    }
    do {
        for (i = 0; i < 3 && !err; i++) {
            args.buf = buf[i];
            err = ioctl(proc, cmd[i], &args) < 0 ? errno : 0;
        }
    } while (!err && !is_same(ext, later, pages) && ++tries < TRIES);
    free(later);
    if (err)
        errno = err;
    return err ? -1 : 0;
}

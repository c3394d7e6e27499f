// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of the n32 ABI, whose pointers have four bytes, asks for its counters.  The guest has no C library of that ABI, so the program
 * makes its system calls itself.  Prints TAP without a plan.
 */
#define __KERNEL__ /* our headers without the C library's */
#include <procfs/procfs.h>
#include <sys/SN/hwcntrs.h>

#define PAGE 16384

enum { NR_write = 6001, NR_open = 6002, NR_ioctl = 6015, NR_exit = 6058 };

static char data[2 * PAGE] = { 1 };
static sn0_refcnt_buf_t buf[3][8];

/* Returns the result, or the negative number of the error. */
static long call(long nr, long a, long b, long c)
{
    register long v0 __asm__("$2") = nr, a0 __asm__("$4") = a, a1 __asm__("$5") = b,
                     a2 __asm__("$6") = c, a3 __asm__("$7");

    __asm__ volatile("syscall"
                     : "+r"(v0), "=r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo", "memory");
    return a3 ? -v0 : v0;
}

static void point(int ok, const char *name)
{
    int n = 0;

    while (name[n])
        n++;
    call(NR_write, 1, (long)(ok ? "ok - " : "not ok - "), ok ? 5 : 9);
    call(NR_write, 1, (long)name, n);
    call(NR_write, 1, (long)"\n", 1);
}

static long get(long fd, unsigned int cmd, const void *p, unsigned int len, sn0_refcnt_buf_t *to)
{
    static sn0_refcnt_args_t args;

    args.vaddr = (unsigned long)p;
    args.len = len;
    args.buf = to;
    return call(NR_ioctl, fd, cmd, (long)&args);
}

static int same(const sn0_refcnt_buf_t *a, const sn0_refcnt_buf_t *b)
{
    return a->paddr == b->paddr && a->page_size == PAGE && b->page_size == PAGE &&
           a->cnodeid == b->cnodeid && a->cnodeid >= 0;
}

void __start(void)
{
    char *page = (char *)(((unsigned long)data + PAGE - 1) & -PAGE);
    long fd = call(NR_open, (long)"/proc/self", 0, 0);
    int i, ok;

    point(sizeof(void *) == 4 && sizeof(sn0_refcnt_args_t) == 56,
          "pointers of four bytes, arguments of the same size");
    *page = 1;
    point(!get(fd, PIOCGETSN0REFCNTRS, page, PAGE, buf[0]) &&
              !get(fd, PIOCGETSN0EXTREFCNTRS, page, PAGE, buf[1]),
          "hardware and extended counters");
    for (ok = 1, i = 0; i < 4; i++)
        ok = ok && same(&buf[0][i], &buf[1][i]) && buf[0][i].paddr == buf[0][0].paddr + i * 4096;
    point(ok && !buf[0][4].page_size && !buf[1][4].page_size,
          "of the four hardware pages of a page, and no more");
    for (ok = 0, i = 0; i < SN0_REFCNT_MAX_COUNTERS; i++)
        ok = ok || buf[0][0].refcnt_set.refcnt[i];
    point(ok, "it was referred to");
    point(get(fd, PIOCGETSN0REFCNTRS, page, 1, (sn0_refcnt_buf_t *)8) == -14,
          "counters to nowhere: Bad address");
    call(NR_exit, 0, 0, 0);
}

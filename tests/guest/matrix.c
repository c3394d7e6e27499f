// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may do what: for each file named, the operations that the caller is allowed, a letter each, "-" where it is refused.
 *
 *   r  open for reading      i  RCB_INFO_GET          m  map, read only, shared      x  map for execution
 *   w  open for writing      g  RCB_MIGR_GET          M  map, written, shared        u  raise a map to writing
 *   t  read text             s  RCB_MIGR_SET          P  map, written, private       o  map beyond the end
 *   W  write                 h e p  PIOC: hardware, extended, policy                 n  grow a map
 *   G  PIOC: migrate         q a    SNPC_QUERY, SNPC_ACQUIRE                         c  the cycle counter: ask and map
 *   H  SNPC_HIST_READ        v      SNPC_VECOP            f  PIOC: which policies
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snpc.h>
#include <sys/SN/hwcntrs.h>
#include <sys/mmem.h>

#define PAGE 16384UL

static sn0_refcnt_buf_t buf[4];

static char map(int fd, int prot, int flags, off_t at, char c)
{
    void *p = mmap(0, PAGE, prot, flags, fd, at);

    if (p == MAP_FAILED)
        return '-';
    munmap(p, PAGE);
    return c;
}

static char change(int fd, int grow, char c)
{
    char *p = mmap(0, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    int ok;

    if (p == MAP_FAILED)
        return '-';
    ok = grow ? mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED
              : !mprotect(p, PAGE, PROT_READ | PROT_WRITE);
    return ok ? c : '-';
}

static char cycles(int fd)
{
    mmem_cyclecntr_t c;

    return ioctl(fd, MMEM_CYCLECNTR, &c) < 0
               ? '-'
               : map(fd, PROT_READ, MAP_PRIVATE, c.paddr & -(off_t)PAGE, 'c');
}

static void try(const char *path)
{
    sn0_migrate_args_t migrate = { .vaddr = 0x10000000, .len = PAGE, .nodes = 1 };
    static char any[8192]; /* more than any request reads or writes */
    sn0_refcnt_args_t args = { .vaddr = 0x10000000, .len = 1, .buf = buf };
    sn0_policy_args_t policy = { .vaddr = 0x10000000, .len = PAGE, .flags = SN0_POLICY_COUNT };
    int fd = open(path, O_RDONLY), w = open(path, O_RDWR), have = 0;
    char r[32] = "", *o = r;
    rcb_info_t info;
    rcb_migr_t m;

    *o++ = fd >= 0 ? 'r' : '-';
    *o++ = w >= 0 ? 'w' : '-';
    *o++ = read(fd, &info, 16) > 0 ? 't' : '-';
    *o++ = write(w >= 0 ? w : fd, &info, 16) > 0 ? 'W' : '-';
    *o++ = ioctl(fd, RCB_INFO_GET, &info) >= 0 ? 'i' : '-';
    have = ioctl(fd, RCB_MIGR_GET, &m) >= 0;
    *o++ = have ? 'g' : '-';
    *o++ = have && ioctl(fd, RCB_MIGR_SET, &m) >= 0 ? 's' : '-';
    *o++ = ioctl(fd, PIOCGETSN0REFCNTRS, &args) >= 0 ? 'h' : '-';
    *o++ = ioctl(fd, PIOCGETSN0EXTREFCNTRS, &args) >= 0 ? 'e' : '-';
    *o++ = ioctl(fd, PIOCSETSN0POLICY, &policy) >= 0 ? 'p' : '-';
    *o++ = map(fd, PROT_READ, MAP_SHARED, 0, 'm');
    *o++ = map(w >= 0 ? w : fd, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 'M');
    *o++ = map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, 'P');
    *o++ = map(fd, PROT_READ | PROT_EXEC, MAP_SHARED, 0, 'x');
    *o++ = change(w >= 0 ? w : fd, 0, 'u');
    *o++ = map(fd, PROT_READ, MAP_SHARED, 1L << 40, 'o');
    *o++ = change(fd, 1, 'n');
    *o++ = ioctl(fd, PIOCMIGRATESN0, &migrate) >= 0 ? 'G' : '-';
    *o++ = ioctl(fd, SNPC_QUERY, any) >= 0 ? 'q' : '-';
    *o++ = ioctl(w >= 0 ? w : fd, SNPC_ACQUIRE, any) >= 0 ? 'a' : '-';
    *o++ = cycles(fd);
    memset(any, 0, sizeof(any));
    *o++ = ioctl(w >= 0 ? w : fd, SNPC_HIST_READ, any) >= 0 ? 'H' : '-';
    *o++ = ioctl(w >= 0 ? w : fd, SNPC_VECOP, any) >= 0 ? 'v' : '-';
    *o++ = ioctl(fd, PIOCGETSN0POLICY, &policy) >= 0 ? 'f' : '-';
    printf("%s %s\n", r, path);
    close(fd);
    close(w);
}

int main(int argc, char **argv)
{
    while (*++argv)
        try(*argv);
    return argc < 2;
}

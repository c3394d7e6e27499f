// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which operations the caller may do on a file: a line "PATH: OPERATION OPERATION ..." for each.  Without a file: all operations that it tries.
 * docs/rights.md has the table of what it ought to print.  Every operation is tried on a file open for writing where that is allowed.
 *
 *   rights [FILE...]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snpc.h>
#include <sys/SN/hwcntrs.h>
#include <sys/mmem.h>

#define PAGE 16384UL

/* The arguments of requests. */
static union {
    char room[8192];
    rcb_migr_t migr;
    sn0_policy_args_t policy;
    sn0_refcnt_args_t refcnt;
    sn0_migrate_args_t migrate;
    snpc_vecop_t vecop;
} arg;
static sn0_refcnt_buf_t buf[4];
static off_t cycle_page; /* where /hw/mmem has its page */

enum { GIVES_PAGE = 1, TAKES_RULES, TAKES_RANGE };

static const struct request {
    const char *name;
    unsigned long cmd;
    int about;
} requests[] = {
    { "RCB_INFO_GET", RCB_INFO_GET, 0 },
    { "RCB_SLOT_GET", RCB_SLOT_GET, 0 },
    { "RCB_MIGR_GET", RCB_MIGR_GET, 0 },
    { "RCB_MIGR_SET", RCB_MIGR_SET, TAKES_RULES },
    { "SNPC_QUERY", SNPC_QUERY, 0 },
    { "SNPC_HIST_POLL", SNPC_HIST_POLL, 0 },
    { "SNPC_HIST_READ", SNPC_HIST_READ, 0 },
    { "SNPC_HISTSEL_GET", SNPC_HISTSEL_GET, 0 },
    { "SNPC_HISTSEL_SET", SNPC_HISTSEL_SET, 0 },
    { "SNPC_VECOP", SNPC_VECOP, 0 },
    { "SNPC_VECTBL", SNPC_VECTBL, 0 },
    { "SNPC_ACQUIRE", SNPC_ACQUIRE, 0 },
    { "SNPC_RELEASE", SNPC_RELEASE, 0 },
    { "SNPC_MON", SNPC_MON, 0 },
    { "MMEM_CYCLECNTR", MMEM_CYCLECNTR, GIVES_PAGE },
    { "PIOCGETSN0POLICY", PIOCGETSN0POLICY, TAKES_RANGE },
    { "PIOCSETSN0POLICY", PIOCSETSN0POLICY, TAKES_RANGE },
    { "PIOCMIGRATESN0", PIOCMIGRATESN0, TAKES_RANGE },
    { "PIOCGETSN0REFCNTRS", PIOCGETSN0REFCNTRS, TAKES_RANGE },
    { "PIOCGETSN0EXTREFCNTRS", PIOCGETSN0EXTREFCNTRS, TAKES_RANGE },
};

static int ask(int fd, const struct request *r)
{
    int ok;

    memset(&arg, 0, sizeof(arg));
    if (r->about == TAKES_RULES && ioctl(fd, RCB_MIGR_GET, &arg) < 0)
        return 0;
    if (r->about == TAKES_RANGE) {
        /* The first two fields of all of them. */
        arg.policy.vaddr = 0x10000000;
        arg.policy.len = PAGE;
    }
    if (r->cmd == PIOCSETSN0POLICY)
        arg.policy.flags = SN0_POLICY_COUNT;
    if (r->cmd == PIOCMIGRATESN0)
        arg.migrate.nodes = 1;
    if (r->cmd == PIOCGETSN0REFCNTRS || r->cmd == PIOCGETSN0EXTREFCNTRS)
        arg.refcnt.buf = buf;
    ok = ioctl(fd, r->cmd, &arg) >= 0;
    if (ok && r->about == GIVES_PAGE)
        cycle_page = ((mmem_cyclecntr_t *)&arg)->paddr & -(off_t)PAGE;
    return ok;
}

static void map(int fd, int prot, int flags, const char *name)
{
    char *p = mmap(0, PAGE, prot, flags, fd, cycle_page);

    if (p == MAP_FAILED)
        return;
    printf(" %s", name);
    if (!(prot & PROT_WRITE) && mprotect(p, PAGE, PROT_READ | PROT_EXEC) == 0)
        printf(" raise-exec");
    munmap(p, PAGE);
}

static void rights(const char *path)
{
    int fd = open(path, O_RDONLY), w = open(path, O_RDWR), any = w >= 0 ? w : fd;
    unsigned int i;

    printf("%s:", path);
    if (fd >= 0)
        printf(" open");
    if (w >= 0)
        printf(" open-write");
    if (read(fd, arg.room, 16) > 0)
        printf(" read");
    if (write(any, arg.room, 16) > 0)
        printf(" write");
    cycle_page = 0;
    for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        if (ask(any, &requests[i]))
            printf(" %s", requests[i].name);
    map(fd, PROT_READ, MAP_SHARED, "map");
    map(any, PROT_READ | PROT_WRITE, MAP_SHARED, "map-write");
    map(any, PROT_READ | PROT_WRITE, MAP_PRIVATE, "map-copy");
    map(any, PROT_READ | PROT_EXEC, MAP_SHARED, "map-exec");
    printf("\n");
    close(fd);
    close(w);
}

int main(int argc, char **argv)
{
    unsigned int i;

    if (argc == 1)
        for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
            printf("%s\n", requests[i].name);
    while (*++argv)
        rights(*argv);
    return 0;
}

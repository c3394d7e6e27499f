// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile use of the refcnt devices and /proc ioctls, or of the event counters' devices: random calls, always the same, of ioctl,
 * mmap, mprotect, mremap, munmap, fork, read, write and close with arguments good and bad.  Prints "ok", or what a call allowed that it
 * must not.
 *
 *   hostile CALLS [snpc]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snpc.h>
#include <sys/SN/hwcntrs.h>

#define FILES 8
#define MAPS 8
#define NODES 8

static unsigned long seed = 1;
static int bad, snpc, pipes[2];
static sigjmp_buf back;

static unsigned long rnd(unsigned long n)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (seed >> 33) % n;
}

static void wrong(const char *what)
{
    printf("%s is allowed\n", what);
    bad = 1;
}

static void *any_pointer(void *good)
{
    static void *const p[] = { 0, (void *)8, (void *)-8L, (void *)0x9000000000000000UL, (void *)0xffffffff80000000UL };

    return rnd(3) ? good : p[rnd(sizeof(p) / sizeof(p[0]))];
}

static void on_fault(int sig)
{
    siglongjmp(back, sig);
}

/* Loads, stores, and the kernel's for read(2) and write(2); between registers are holes. */
static void touch(char *p)
{
    static char drain[64];

    if (sigsetjmp(back, 1))
        return;
    if (snpc) {
        if (write(pipes[1], p, rnd(64)) > 0)
            (void)!read(pipes[0], drain, 64);
        if (rnd(4) == 0 && write(pipes[1], drain, 8) > 0 && read(pipes[0], p, 8) < 0)
            (void)!read(pipes[0], drain, 64);
        if (rnd(4) == 0)
            *(volatile char *)p = 0;
    }
    (void)*(volatile char *)p;
}

static void snpc_path(char *path, size_t len)
{
    static const char *const dev[] = { "hub/md", "hub/io", "hub/ni", "hub/rtc", "link/stat/1", "link/stat/4", "link/stat/6", "link/stat" };

    snprintf(path, len, "/hw/nodenum/%lu/%s", rnd(NODES + 1), dev[rnd(sizeof(dev) / sizeof(dev[0]))]);
}

static void snpc_ioctl(int fd)
{
    static const unsigned long cmd[] = { SNPC_QUERY,      SNPC_HIST_POLL, SNPC_HIST_READ, SNPC_HISTSEL_GET, SNPC_HISTSEL_SET,
                                         SNPC_HISTSEL_SET, SNPC_VECOP,     SNPC_VECTBL,    SNPC_ACQUIRE,     SNPC_RELEASE };
    static unsigned int arg[256];
    unsigned long c = rnd(8) ? cmd[rnd(sizeof(cmd) / sizeof(cmd[0]))] : seed >> 32;

    arg[0] = rnd(3) ? rnd(4) : seed;
    arg[1] = rnd(3) ? rnd(5) : seed >> 16;
    if (ioctl(fd, c, any_pointer(arg)) == 0 && c == SNPC_VECOP)
        wrong("SNPC_VECOP");
}

int main(int argc, char **argv)
{
    static sn0_refcnt_buf_t buf[64];
    static rcb_info_t info;
    static struct { char *p; size_t len; } map[MAPS];
    int fd[FILES], i, n = argc > 1 ? atoi(argv[1]) : 1000;
    sn0_policy_args_t policy;
    rcb_migr_t migr;
    sn0_refcnt_args_t args;
    int prot;
    char path[64], *q;
    size_t len;

    snpc = argc > 2;
    if (pipe2(pipes, O_NONBLOCK) < 0)
        return 1;
    signal(SIGBUS, on_fault);
    signal(SIGSEGV, on_fault);

    for (i = 0; i < FILES; i++)
        fd[i] = -1;
    while (n-- && !bad) {
        int f = rnd(FILES), m = rnd(MAPS), root = geteuid() == 0;

        switch (rnd(10)) {
        case 0:
            if (fd[f] >= 0)
                close(fd[f]);
            if (snpc)
                snpc_path(path, sizeof(path));
            else if (rnd(2))
                snprintf(path, sizeof(path), "/hw/nodenum/%lu/%s", rnd(NODES + 1), rnd(4) ? "refcnt" : "stat");
            else
                snprintf(path, sizeof(path), "/proc/%05d", rnd(2) ? getpid() : (int)rnd(100));
            fd[f] = open(path, rnd(2) ? O_RDONLY : O_RDWR);
            if (fd[f] >= 0 && !root && !snpc && path[1] == 'h' && (fcntl(fd[f], F_GETFL) & O_ACCMODE) != O_RDONLY)
                wrong("writing to a counter device");
            break;
        case 1:
            if (snpc)
                snpc_ioctl(fd[f]);
            ioctl(fd[f], RCB_INFO_GET, any_pointer(&info));
            break;
        case 2:
            if (snpc)
                snpc_ioctl(fd[f]);
            ioctl(fd[f], RCB_SLOT_GET, any_pointer(buf));
            break;
        case 3:
            ioctl(fd[f], rnd(300), any_pointer(buf));
            memset(&migr, 0, sizeof(migr));
            ((int *)&migr)[rnd(sizeof(migr) / sizeof(int))] = seed;
            if (ioctl(fd[f], RCB_MIGR_SET, any_pointer(&migr)) == 0)
                wrong("RCB_MIGR_SET of nonsense");
            memset(&policy, 0, sizeof(policy));
            policy.vaddr = (unsigned long)buf + rnd(70000);
            policy.len = rnd(3) ? rnd(64 * 4096) : seed;
            policy.flags = rnd(2) ? rnd(128) : seed;
            policy.threshold = rnd(150);
            policy.dampening_factor = rnd(150);
            policy.reserved[rnd(4)] = rnd(8) ? 0 : seed;
            ioctl(fd[f], PIOCSETSN0POLICY, any_pointer(&policy));
            break;
        case 4:
            memset(&args, 0, sizeof(args));
            args.vaddr = rnd(3) ? (unsigned long)buf + rnd(70000) : seed;
            args.len = rnd(3) ? rnd(64 * 4096) : seed;
            args.buf = any_pointer(buf);
            if (args.len > 60 * 4096 && rnd(2))
                args.len = 60 * 4096;
            if (args.len <= 60 * 4096 || args.vaddr + args.len < args.vaddr)
                ioctl(fd[f], PIOC | (250 + rnd(6)), any_pointer(&args));
            break;
        case 5:
        case 6:
            len = rnd(2) ? (1 + rnd(8)) * 16384 : rnd(1UL << 40);
            prot = rnd(8);
            q = mmap(0, len, prot, rnd(2) ? MAP_SHARED : MAP_PRIVATE, fd[f], rnd(4) ? (off_t)rnd(64) * 16384 : (off_t)(seed & ~16383UL));
            if (q == MAP_FAILED)
                break;
            if ((!snpc || !(prot & PROT_WRITE)) && mprotect(q, len, PROT_READ | PROT_WRITE) == 0)
                wrong("mprotect to writing");
            if (mprotect(q, len, PROT_READ | PROT_EXEC) == 0)
                wrong("mprotect to execution");
            if (mremap(q, len, len + 16384, MREMAP_MAYMOVE) != MAP_FAILED)
                wrong("growing a mapping");
            if (map[m].p)
                munmap(map[m].p, map[m].len);
            map[m].p = q;
            map[m].len = len;
            if (!snpc)
                mprotect(q, len, PROT_READ);
            touch(q + (rnd(2) ? rnd(len) : rnd(64)));
            break;
        case 7:
            if (map[m].p && map[m].len > 16384) {
                munmap(map[m].p + map[m].len - 16384, 16384);
                map[m].len -= 16384;
            }
            break;
        case 8:
            if (rnd(20) == 0) {
                pid_t pid = fork();

                if (pid == 0) {
                    for (i = 0; i < MAPS; i++)
                        if (map[i].p)
                            munmap(map[i].p, map[i].len);
                    _exit(0);
                }
                waitpid(pid, 0, 0);
            }
            break;
        case 9:
            if (read(fd[f], buf, rnd(sizeof(buf))) < 0 && write(fd[f], buf, 8) >= 0)
                wrong("writing");
            break;
        }
    }
    if (!bad)
        puts("ok");
    return bad;
}

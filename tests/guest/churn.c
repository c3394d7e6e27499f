// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules that go and come while programs use what they offer.  Workers open, ask, map and close devices, text files, events and policies without a
 * pause.  Meanwhile the modules are removed, in the reverse order of their names, and loaded again.
 *
 *   churn DIR TIMES MODULE...     modules of DIR, in the order in which they are loaded; /hw is mounted anew if hwgfs is one of them
 *
 * Before each removal the workers have used something SOME times anew.  Prints how often the modules went.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <procfs/procfs.h>
#include <snpc.h>
#include <sys/SN/hwcntrs.h>

#define PAGE    16384UL
#define WORKERS 6
#define SOME    30

static unsigned long seed;
static atomic_long *used; /* by all workers */

static unsigned long rnd(unsigned long n)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (seed >> 33) % n;
}

/* --- what workers do --- */

static void use_device(void)
{
    static const char *const name[] = { "refcnt", "hub/md",  "hub/io", "hub/ni", "link/stat/4",
                                        "stat",   "hub/mon", "refcnt", "refcnt" };
    static const unsigned long cmd[] = { SNPC_QUERY,   SNPC_HIST_POLL, SNPC_HIST_READ,
                                         SNPC_ACQUIRE, SNPC_MON,       RCB_INFO_GET };
    static char room[8192];
    char path[64], *p;
    int fd;

    snprintf(path, sizeof(path), "/hw/nodenum/%lu/%s", rnd(8), name[rnd(9)]);
    fd = open(path, rnd(2) ? O_RDWR : O_RDONLY);
    if (fd < 0)
        return;
    ++*used;
    (void)!read(fd, room, sizeof(room));
    ioctl(fd, cmd[rnd(6)], room);
    if (rnd(4) == 0)
        usleep(rnd(1000));
    p = mmap(0, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return;
    (void)*(volatile long *)p;
    munmap(p, PAGE);
}

static void use_graph(void)
{
    char path[64];
    DIR *d;
    int fd;

    snprintf(path, sizeof(path), rnd(2) ? "/hw/nodenum/%lu" : "/hw/nodenum/%lu/hub", rnd(8));
    d = opendir(path);
    while (d && readdir(d))
        ;
    if (d)
        closedir(d);
    fd = open("/hw/stat", O_RDONLY);
    while (fd >= 0 && read(fd, path, sizeof(path)) > 0)
        ;
    close(fd);
}

static void use_event(void)
{
    struct perf_event_attr a = { .size = sizeof(a), .type = PERF_TYPE_HARDWARE };
    long count;
    int fd, i;

    if (rnd(2))
        a.sample_period = 1000 + rnd(1000);
    fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
    for (i = 0; i < 1000; i++)
        __asm__ volatile("" ::: "memory");
    if (fd >= 0 && read(fd, &count, sizeof(count)) > 0)
        ++*used;
    close(fd);
}

static void use_memory(void)
{
    sn0_policy_args_t a = { .len = 4 * PAGE };
    char path[32], *p;
    int fd;

    p = mmap(0, a.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    snprintf(path, sizeof(path), "/proc/%05d", getpid());
    fd = open(path, O_RDONLY);
    a.vaddr = (unsigned long)p;
    a.flags = rnd(2) ? SN0_POLICY_COUNT : SN0_POLICY_MIGRATE;
    ioctl(fd, PIOCSETSN0POLICY, &a);
    memset(p, 1, a.len);
    if (rnd(2))
        munmap(p, a.len);
    else
        madvise(p, a.len, MADV_DONTNEED);
    munmap(p, a.len);
    close(fd);
}

static void work(int i)
{
    static void (*const use[])(void) = { use_device, use_device, use_device,
                                         use_graph,  use_event,  use_memory };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    seed = i + 1;
    for (;;) {
        use[rnd(6)]();
        if (rnd(4) == 0)
            usleep(rnd(3000));
    }
}

/* --- the modules --- */

static char **module;
static int modules, graph;
static const char *dir;

static void failed(const char *what, const char *name)
{
    printf("%s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

/* Again and again, until nobody is in the way. */
static void until(int err, const char *what, const char *name)
{
    if (errno != EAGAIN && errno != EBUSY && err)
        failed(what, name);
    usleep(50);
}

static void all_go(void)
{
    int i, err;

    while (graph && (err = umount("/hw")))
        until(err, "umount", "/hw");
    for (i = modules; i--;)
        while ((err = syscall(SYS_delete_module, module[i], O_NONBLOCK)))
            until(err, "rmmod", module[i]);
}

static void all_come(void)
{
    char path[256];
    int i, fd;

    for (i = 0; i < modules; i++) {
        snprintf(path, sizeof(path), "%s/%s.ko", dir, module[i]);
        fd = open(path, O_RDONLY);
        if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
            failed("insmod", path);
        close(fd);
    }
    if (graph && mount("hwgfs", "/hw", "hwgfs", 0, NULL))
        failed("mount", "/hw");
}

int main(int argc, char **argv)
{
    pid_t worker[WORKERS];
    int i, n, times;

    if (argc < 4)
        return 2;
    dir = argv[1];
    times = atoi(argv[2]);
    module = argv + 3;
    modules = argc - 3;
    for (i = 0; i < modules; i++)
        graph |= !strcmp(module[i], "hwgfs");
    used = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (used == MAP_FAILED)
        failed("mmap", "");
    for (i = 0; i < WORKERS; i++) {
        worker[i] = fork();
        if (worker[i] == 0)
            work(i);
    }
    seed = 99;
    for (n = 0; n < times; n++) {
        long before = *used;

        while (*used < before + SOME)
            usleep(100);
        all_go();
        all_come();
    }
    for (i = 0; i < WORKERS; i++) {
        if (waitpid(worker[i], NULL, WNOHANG))
            printf("worker %d is gone\n", i);
        kill(worker[i], SIGKILL);
        waitpid(worker[i], NULL, 0);
    }
    printf("%d modules, the last is %s: %d times\n", modules, module[modules - 1], n);
    return 0;
}

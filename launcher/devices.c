// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Disks are virtio block devices with an ext2, ext3 or ext4 file system, which the
 * guest's process 1 mounts.  The network is QEMU's user network behind the Ethernet of
 * the first IOC3; process 1 sets the address.  Interface: devices.h.
 *
 * Left out: disks without a file system, and partitions (--qemu-arg).
 */
#include "devices.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "messages.h"
#include "tool.h"

/* A disk that --disk creates: a sparse file of this many bytes. */
#define NEW_DISK_BYTES (1LL << 30)
/* Everything that mke2fs makes up is fixed, so that a new disk always has the same bytes. */
#define NEW_DISK_SEED "6f726967-696e-2000-8000-000000000001"
#define NEW_DISK_DATE "989236800" /* the guest's date when it is switched on */
/* Linux's struct ext4_super_block begins at byte 1024 and has its magic at byte 56. */
#define EXT_MAGIC_AT 1080

static struct disk *new_disk(struct devices *d, const char *path)
{
    struct disk *disk = &d->disk[d->ndisks];

    if (d->ndisks == DISKS_MAX)
        die(EXIT_USAGE, MSG_DISKS, DISKS_MAX);
    d->ndisks++;
    disk->path = path;
    return disk;
}

void devices_add_disk(struct devices *d, const char *path)
{
    unsigned int n = 1;
    char *mount;

    for (unsigned int i = 0; i < d->ndisks; i++)
        n += !d->disk[i].image;
    mount = xasprintf(n > 1 ? "/disk%u" : "/disk", n);
    new_disk(d, path)->mount = mount;
}

/* The image that the build's tree makes when it is first asked for. */
static bool image_can_be_built(const char *name)
{
    return !strcmp(name, "tools") && getenv("ORIGIN_TREE");
}

void devices_add_image(struct devices *d, const char *name)
{
    const char *dir = getenv("ORIGIN_IMAGES");
    struct disk *disk;
    char *path;

    if (!dir || !*dir)
        die(EXIT_MACHINE, MSG_NOT_SET, "ORIGIN_IMAGES");
    path = xasprintf("%s/%s.ext2", dir, name);
    if (strchr(name, '/') || (access(path, R_OK) < 0 && !image_can_be_built(name)))
        die(EXIT_USAGE, MSG_NO_IMAGE, name);
    for (unsigned int i = 0; i < d->ndisks; i++)
        if (d->disk[i].image)
            die(EXIT_USAGE, MSG_IMAGES);
    disk = new_disk(d, path);
    disk->image = true;
    disk->mount = "/usr/local";
}

/* QEMU listens on all addresses of the host where a rule names none.  Ours means this host only. */
static char *listen_here(const char *rules)
{
    size_t room = strlen(rules) * 2 + 1; /* a rule is longer than the address */
    char *out = malloc(room), *to = out;

    if (!out)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    while (*rules) {
        if (!strncmp(rules, "p::", 3)) {
            to = stpcpy(to, "p:127.0.0.1:");
            rules += 3;
        } else {
            *to++ = *rules++;
        }
    }
    *to = 0;
    return out;
}

bool devices_set_net(struct devices *d, const char *value)
{
    static const char syntax[] =
        "^user(,hostfwd=(tcp|udp):([0-9.]*):[0-9]{1,5}-([0-9.]*):[0-9]{1,5})*$";
    regex_t re;
    bool good;

    if (regcomp(&re, syntax, REG_EXTENDED | REG_NOSUB))
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    good = !regexec(&re, value, 0, NULL, 0);
    regfree(&re);
    if (good)
        d->net = listen_here(value + strlen("user"));
    return good;
}

/* Run mke2fs on @path.  0 or -1. */
static int make_file_system(const char *path)
{
    const char *const mke2fs[] = {
        "mke2fs",
        "-q",
        "-F",
        "-t",
        "ext4",
        "-L",
        "disk",
        "-U",
        NEW_DISK_SEED,
        "-E",
        "lazy_itable_init=0,lazy_journal_init=0,hash_seed=" NEW_DISK_SEED,
        path,
        NULL
    };

    setenv("E2FSPROGS_FAKE_TIME", NEW_DISK_DATE, 1);
    return run_tool(mke2fs, -1, "e2fsprogs") ? 0 : -1;
}

/* A new disk comes into being under another name, so that @path is never half a file system. */
static int create(const char *path)
{
    char *tmp;
    int fd, failed = -1;

    tmp = xasprintf("%s.XXXXXX", path);
    fd = mkstemp(tmp);
    if (fd < 0) {
        complain(MSG_DISK, path, strerror(errno));
        free(tmp);
        return -1;
    }
    if (ftruncate(fd, NEW_DISK_BYTES) < 0 || fchmod(fd, 0644) < 0) {
        complain(MSG_DISK, path, strerror(errno));
    } else if (make_file_system(tmp) == 0) {
        failed = link(tmp, path);
        if (failed)
            complain(MSG_DISK, path, strerror(errno));
    }
    close(fd);
    unlink(tmp);
    free(tmp);
    return failed;
}

/* Does the file hold a file system that the guest can mount? */
static int check(const struct disk *disk)
{
    unsigned char magic[2] = { 0, 0 };
    struct stat st;
    int fd = open(disk->path, (disk->image ? O_RDONLY : O_RDWR) | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0) {
        complain(MSG_DISK, disk->path, strerror(errno));
        return -1;
    }
    if (pread(fd, magic, 2, EXT_MAGIC_AT) != 2 || magic[0] != 0x53 || magic[1] != 0xef) {
        complain(MSG_DISK, disk->path, "holds no ext2, ext3 or ext4 file system");
        close(fd);
        return -1;
    }
    close(fd);
    return 0;
}

int devices_build_image(const struct devices *d)
{
    /* What a make around us has set is not for this one. */
    const char *const make[] = { "env", "-u", "MAKEFLAGS",           "-u",    "MFLAGS", "make",
                                 "-s",  "-C", getenv("ORIGIN_TREE"), "tools", NULL };

    for (unsigned int i = 0; i < d->ndisks; i++) {
        if (!d->disk[i].image || access(d->disk[i].path, R_OK) == 0)
            continue;
        complain(MSG_BUILD_IMAGE);
        if (!run_tool(make, 2, "make")) {
            complain(MSG_NOT_BUILT);
            return -1;
        }
    }
    return 0;
}

int devices_open(const struct devices *d, const char *share)
{
    for (unsigned int i = 0; i < d->ndisks; i++) {
        const struct disk *disk = &d->disk[i];

        if (is_planted(disk->path, share)) {
            complain(MSG_DISK, disk->path,
                     "it is a link in the share, where a guest can make links");
            return -1;
        }
        if (!disk->image && access(disk->path, F_OK) < 0 && errno == ENOENT &&
            create(disk->path) < 0)
            return -1;
        if (check(disk) < 0)
            return -1;
    }
    return 0;
}

char *comma_twice(const char *s)
{
    char *to = malloc(2 * strlen(s) + 1), *p = to;

    if (!to)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    while (*s) {
        if (*s == ',')
            *p++ = ',';
        *p++ = *s++;
    }
    *p = 0;
    return to;
}

/*
 * A Bridge has eight slots, and other devices need some.  So more than four disks are functions of
 * one slot.  Four or fewer have a slot each, whatever that is.
 */
static char *disk_device(const struct devices *d, unsigned int i)
{
    if (d->ndisks <= 4)
        return xasprintf("virtio-blk-pci,drive=disk%u", i);
    return xasprintf("virtio-blk-pci,drive=disk%u,multifunction=on,addr=7.%u", i, i);
}

void devices_args(const struct devices *d, void (*add)(void *opaque, const char *arg), void *opaque)
{
    for (unsigned int i = 0; i < d->ndisks; i++) {
        char *path = comma_twice(d->disk[i].path);
        char *drive = xasprintf("if=none,id=disk%u,format=raw,file=%s%s", i, path,
                                d->disk[i].image ? ",readonly=on" : "");
        char *device = disk_device(d, i);

        add(opaque, "-drive");
        add(opaque, drive);
        add(opaque, "-device");
        add(opaque, device);
        free(path);
        free(drive);
        free(device);
    }
    if (d->net) {
        char *nic = xasprintf("user,ipv6=off,mac=08:00:69:02:00:00%s", d->net);

        add(opaque, "-nic");
        add(opaque, nic);
        free(nic);
    }
}

bool devices_conf(const struct devices *d, unsigned int i, char *line, size_t room)
{
    if (i < d->ndisks)
        snprintf(line, room, JOB_DISK "%c%s%s\n", 'a' + (int)i, d->disk[i].image ? "r" : "w",
                 d->disk[i].mount);
    else if (i == d->ndisks && d->net)
        snprintf(line, room, JOB_NET "\n");
    else
        return false;
    return true;
}

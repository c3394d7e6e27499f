// SPDX-License-Identifier: GPL-2.0-or-later
/* File systems: the kernel's own, the share, and disks.  Interface: process1.h. */
#include "process1.h"

static void mount_dir(const char *type, const char *dir, const char *data)
{
	sys(mkdirat, AT_FDCWD, dir, 0755);
	sys_mount(type, dir, type, 0, data);
}

void mount_all(void)
{
	mount_dir("devtmpfs", "/dev", NULL);
	mount_dir("proc", "/proc", NULL);
	mount_dir("sysfs", "/sys", NULL);
	mount_dir("debugfs", "/sys/kernel/debug", NULL);
	mount_dir("tmpfs", "/tmp", "mode=1777");
	mount_dir("tmpfs", "/run", "mode=0755");
	mount_dir("tmpfs", "/dev/shm", "mode=1777");
	mount_dir("devpts", "/dev/pts", "gid=5,mode=620,ptmxmode=666");
	sys(symlinkat, "/proc/self/fd", AT_FDCWD, "/dev/fd");
	sys(symlinkat, "/proc/self/fd/0", AT_FDCWD, "/dev/stdin");
	sys(symlinkat, "/proc/self/fd/1", AT_FDCWD, "/dev/stdout");
	sys(symlinkat, "/proc/self/fd/2", AT_FDCWD, "/dev/stderr");
	sys(symlinkat, "/hw/mmem", AT_FDCWD, "/dev/mmem");
}

void mount_share(void)
{
	sys(mkdirat, AT_FDCWD, "/share", 0755);
	for (long t = 0; t < DEVICE_WAIT_US; t += DEVICE_POLL_US) {
		/* With access times, a second run would differ from the first. */
		long r = sys_mount(
			"share", "/share", "9p", MS_NOATIME,
			"trans=virtio,version=9p2000.L,msize=262144,cache=mmap");

		if (r == 0)
			return;
		if (r != -ENOENT)
			break;
		sys_sleep_us(DEVICE_POLL_US);
	}
	complain("cannot mount ", "/share");
	stop_machine();
}

void unmount_share(void)
{
	if (conf.share && sys(umount2, "/share", 0) < 0)
		complain("cannot unmount ", "/share");
}

void mount_disks(void)
{
	for (unsigned int i = 0; i < conf.ndisks; i++) {
		char path[] = "/dev/vd?";
		int fd;

		path[7] = conf.disk[i].name;
		fd = open_device(path, O_RDONLY | O_CLOEXEC);
		sys_close(fd);
		sys(mkdirat, AT_FDCWD, conf.disk[i].dir, 0755);
		if (fd >= 0 &&
		    sys_mount(path, conf.disk[i].dir, "ext4",
			      MS_NOATIME |
				      (conf.disk[i].writable ? 0 : MS_RDONLY),
			      NULL) == 0)
			continue;
		complain("cannot mount ", path);
		stop_machine();
	}
}

void unmount_disks(void)
{
	for (unsigned int i = 0; i < conf.ndisks; i++)
		if (sys(umount2, conf.disk[i].dir, 0) < 0)
			complain("cannot unmount ", conf.disk[i].dir);
}

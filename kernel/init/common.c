// SPDX-License-Identifier: GPL-2.0-or-later
/* What the parts of process 1 share.  Interface: process1.h. */
#include "process1.h"

/* Keeps the compiler from recognising the loop and calling memcpy itself. */
#define NO_LOOP_CALLS \
	__attribute__((optimize("no-tree-loop-distribute-patterns")))

NO_LOOP_CALLS void *memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	while (n--)
		*t++ = *f++;
	return to;
}

NO_LOOP_CALLS void *memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if (t <= f)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}

NO_LOOP_CALLS void *memset(void *to, int c, size_t n)
{
	char *t = to;

	while (n--)
		*t++ = (char)c;
	return to;
}

NO_LOOP_CALLS int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n--; p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

void put_num(char *s, unsigned long v)
{
	char digits[24];
	int n = 0;

	s += str_len(s);
	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*s++ = digits[--n];
	*s = 0;
}

void put_str(char *s, size_t room, const char *from)
{
	size_t n = str_len(s);

	while (*from && n + 1 < room)
		s[n++] = *from++;
	s[n] = 0;
}

void stop_machine(void)
{
	sys(sync);
	sys(reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
	    LINUX_REBOOT_CMD_HALT, 0);
	for (;;)
		sys_sleep_us(1000000);
}

long slurp(const char *path, char *to, size_t room)
{
	int fd = (int)sys_open(path, O_RDONLY);
	size_t n = 0;
	long got;

	to[0] = 0;
	if (fd < 0)
		return fd;
	while (n + 1 < room && (got = sys_read(fd, to + n, room - 1 - n)) > 0)
		n += (size_t)got;
	to[n] = 0;
	sys_close(fd);
	return (long)n;
}

void write_all(int fd, const char *p, size_t n)
{
	while (n) {
		long done = sys_write(fd, p, n);

		if (done == -EINTR || done == -EAGAIN)
			continue;
		if (done <= 0)
			return;
		p += done;
		n -= (size_t)done;
	}
}

void complain(const char *what, const char *which)
{
	char line[256] = "<3>init: ";
	int fd = (int)sys_open("/dev/kmsg", O_WRONLY);

	put_str(line, sizeof(line), what);
	put_str(line, sizeof(line), which);
	put_str(line, sizeof(line), "\n");
	if (fd >= 0) {
		sys_write(fd, line, str_len(line));
		sys_close(fd);
	}
}

int open_device(const char *path, int flags)
{
	long fd = -ENOENT;

	for (long t = 0; t < DEVICE_WAIT_US; t += DEVICE_POLL_US) {
		fd = sys_open(path, flags);
		if (fd >= 0)
			return (int)fd;
		sys_sleep_us(DEVICE_POLL_US);
	}
	complain("no device ", path);
	return (int)fd;
}

/* execve along PATH_DEFAULT; returns -errno of the most informative failure. */
static long exec_path(char **argv, char **envp)
{
	const char *dir = PATH_DEFAULT;
	long worst = -ENOENT;

	for (const char *p = argv[0]; *p; p++)
		if (*p == '/')
			return sys(execve, argv[0], argv, envp);
	if (!argv[0][0])
		return -ENOENT;
	for (;;) {
		static char path[8192];
		size_t n = 0;
		long r;

		while (*dir && *dir != ':' && n < sizeof(path) - 2)
			path[n++] = *dir++;
		path[n++] = '/';
		path[n] = 0;
		if (n + str_len(argv[0]) < sizeof(path)) {
			put_str(path, sizeof(path), argv[0]);
			r = sys(execve, path, argv, envp);
			if (r != -ENOENT && r != -ENOTDIR)
				worst = r;
		}
		if (!*dir++)
			return worst;
	}
}

static void say(const char *name, const char *why)
{
	write_all(2, "origin: ", 8);
	write_all(2, name, str_len(name));
	write_all(2, why, str_len(why));
}

void become(char **argv, char **envp, const int fds[3])
{
	uint64_t none[2] = { 0, 0 };
	long r;

	sys(setsid);
	for (int i = 0; i < 3; i++)
		sys(dup3, fds[i], i, 0);
	for (int i = 0; i < 3; i++)
		if (fds[i] > 2)
			sys_close(fds[i]);
	sys(rt_sigprocmask, SIG_SETMASK, none, 0, sizeof(none));
	r = exec_path(argv, envp);
	if (r == -ENOENT || r == -ENOTDIR) {
		say(argv[0], ": not found\n");
		sys_exit(127);
	}
	say(argv[0], r == -EACCES  ? ": permission denied\n" :
		     r == -E2BIG   ? ": arguments too long\n" :
		     r == -ENOEXEC ? ": not an executable of this machine\n" :
				     ": cannot be executed\n");
	sys_exit(126);
}

int status_of(unsigned int wait)
{
	return wait & 0x7f ? 128 + (int)(wait & 0x7f) : (int)(wait >> 8 & 0xff);
}

char **split_argv(char *text, size_t n, char **argv, size_t room)
{
	size_t argc = 0;

	for (size_t i = 0; i < n && argc + 1 < room; i += str_len(text + i) + 1)
		argv[argc++] = text + i;
	argv[argc] = NULL;
	return argv;
}

int make_pipe(int fds[2], int flags_mine)
{
	return (int)sys(pipe2, fds, O_CLOEXEC | flags_mine);
}

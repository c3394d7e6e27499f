/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls and the few string functions that init needs, for MIPS n64 without a C
 * library.  init must also run on a strict MIPS IV machine, on which Debian's glibc
 * (MIPS64 R2) does not run.
 *
 * Each sys_*() returns what the kernel returns: a value, or -errno.
 *
 * Left out: everything that init does not call.
 */
#ifndef ORIGIN_INIT_SYS_H
#define ORIGIN_INIT_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <asm/errno.h>
#include <asm/ioctls.h>
#include <asm/poll.h>
#include <asm/signal.h>
#include <asm/termios.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/reboot.h>
#include <linux/signalfd.h>
#include <linux/time_types.h>

/* n64: number in $2, arguments in $4..$9, $7 != 0 on error. */
static inline long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long v0 __asm__("$2") = nr;
	register long a0 __asm__("$4") = a;
	register long a1 __asm__("$5") = b;
	register long a2 __asm__("$6") = c;
	register long a3 __asm__("$7") = d;
	register long a4 __asm__("$8") = e;
	register long a5 __asm__("$9") = f;

	__asm__ volatile("syscall"
			 : "+r"(v0), "+r"(a3)
			 : "r"(a0), "r"(a1), "r"(a2), "r"(a4), "r"(a5)
			 : "$1", "$3", "$10", "$11", "$12", "$13", "$14", "$15",
			   "$24", "$25", "hi", "lo", "memory");
	return a3 ? -v0 : v0;
}

#define sys(nr, ...) SYS_PICK(nr, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define SYS_PICK(nr, a, b, c, d, e, f, ...)                                    \
	sys6(__NR_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), \
	     (long)(f))

static inline long sys_open(const char *path, int flags)
{
	return sys(openat, AT_FDCWD, path, flags, 0644);
}

static inline long sys_close(int fd)
{
	return sys(close, fd);
}

static inline long sys_read(int fd, void *buf, size_t n)
{
	return sys(read, fd, buf, n);
}

static inline long sys_write(int fd, const void *buf, size_t n)
{
	return sys(write, fd, buf, n);
}

static inline long sys_mount(const char *dev, const char *dir, const char *type,
			     unsigned long fl, const char *data)
{
	return sys(mount, dev, dir, type, fl, data);
}

static inline long sys_fork(void)
{
	return sys(clone, SIGCHLD, 0, 0, 0, 0);
}

static inline __attribute__((noreturn)) void sys_exit(int status)
{
	for (;;)
		sys(exit_group, status);
}

static inline void sys_sleep_us(long us)
{
	struct __kernel_timespec ts = { us / 1000000, us % 1000000 * 1000 };

	sys(nanosleep, &ts, 0);
}

/* The compiler may call these four on its own. */
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

static inline size_t str_len(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static inline bool str_eq(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Returns the rest of @s after @prefix, or NULL. */
static inline const char *str_after(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return NULL;
	return s;
}

static inline unsigned long str_num(const char *s)
{
	unsigned long v = 0;

	while (*s >= '0' && *s <= '9')
		v = v * 10 + (unsigned long)(*s++ - '0');
	return v;
}

#endif

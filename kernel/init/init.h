/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of process 1 share: common.c has these functions, agent.c the last. */
#ifndef ORIGIN_INIT_INIT_H
#define ORIGIN_INIT_INIT_H

#include "sys.h"

/* The longest frame of standard input; the launcher has the same. */
#define STDIN_FRAME 16384

#define PATH_DEFAULT \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/* Machine time that a driver may take until its device appears. */
#define DEVICE_WAIT_US 20000000
#define DEVICE_POLL_US 1000

/* Append a decimal number to the string in @s, which must have room for it. */
void put_num(char *s, unsigned long v);

/* Append @from, or what @room bytes of @s can hold of it. */
void put_str(char *s, size_t room, const char *from);

/* Write all of it, although the port may take less at a time. */
void write_all(int fd, const char *p, size_t n);

/* Messages of process 1 itself go to the kernel log, and so to the console. */
void complain(const char *what, const char *which);

/* Open a device whose driver may still be probing. */
int open_device(const char *path, int flags);

/* A pipe; @flags_mine are beside O_CLOEXEC.  0 or -errno. */
int make_pipe(int fds[2], int flags_mine);

/* Make @argv of the @n bytes at @text, words that end with a NUL; at most @room - 1 of them. */
char **split_argv(char *text, size_t n, char **argv, size_t room);

/* In a child: become the command.  @fds are its stdin, stdout, stderr. */
void become(char **argv, char **envp, const int fds[3])
	__attribute__((noreturn));

/* The status of wait4() as sh reports it. */
int status_of(unsigned int wait);

/* Serve `origin exec` for as long as the machine runs. */
void agent_main(char **envp) __attribute__((noreturn));

#endif

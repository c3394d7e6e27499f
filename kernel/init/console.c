// SPDX-License-Identifier: GPL-2.0-or-later
/* A root shell on the console.  Interface: process1.h. */
#include "process1.h"

/*
 * At first the 8250 driver has ports without a type in all its lines.  When it finds
 * the real ports it replaces them, and a process that has opened such a line gets a
 * hangup.
 */
static int open_console(void)
{
	char type[16];

	for (long t = 0; t < DEVICE_WAIT_US; t += DEVICE_POLL_US) {
		slurp("/sys/class/tty/ttyS0/type", type, sizeof(type));
		if (str_num(type))
			break;
		sys_sleep_us(DEVICE_POLL_US);
	}
	return open_device("/dev/ttyS0", O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* /etc/profile makes this file: the shell handles the keys that end programs from then on. */
#define SHELL_STARTED "/run/shell-started"

/*
 * A Ctrl-C or Ctrl-\ that comes while the shell starts ends it: by the signal, or, once
 * the shell has a handler but no command to go back to, with the status of the signal.
 * A user's shell may end with that status, too: Ctrl-C, then Ctrl-D.
 */
static int ended_by_key(unsigned int wait)
{
	int status = status_of(wait);

	return (status == 128 + SIGINT || status == 128 + SIGQUIT) &&
	       (wait & 0x7f || sys(faccessat, AT_FDCWD, SHELL_STARTED, 0) < 0);
}

/* The session of the shell, which is a child of this process; see ended_by_key(). */
__attribute__((noreturn)) static void session(int tty, char **envp)
{
	char *argv[] = { "-sh", NULL };
	char *path = "/bin/sh";
	uint64_t none[2] = { 0, 0 };
	uint64_t keys[2] = { 1ul << (SIGINT - 1) | 1ul << (SIGQUIT - 1), 0 };
	unsigned int wait = 0;

	sys(rt_sigprocmask, SIG_BLOCK, keys, 0, sizeof(keys));
	sys(setsid);
	for (int i = 0; i < 3; i++)
		sys(dup3, tty, i, 0);
	sys(ioctl, 0, TIOCSCTTY, 0);
	do {
		long shell = sys_fork();

		if (shell == 0) {
			sys(rt_sigprocmask, SIG_SETMASK, none, 0, sizeof(none));
			complain(path,
				 sys(execve, path, argv, envp) == -ENOENT ?
					 ": not found" :
					 ": not executed");
			sys_exit(127);
		}
		sys(wait4, shell, &wait, 0, 0);
	} while (ended_by_key(wait));
	sys_exit(status_of(wait));
}

void run_console(char **envp, int sigfd)
{
	int tty;
	long child;

	tty = open_console();
	if (tty < 0)
		stop_machine();
	sys(ioctl, tty, TIOCSWINSZ, &conf.ws);
	if (conf.launcher)
		open_ports(PORT_CTL);
	else
		port[PORT_CTL] = -1;
	set_out(envp);
	child = sys_fork();
	if (child == 0)
		session(tty, envp);
	if (port[PORT_CTL] >= 0)
		tell_ready();
	supervise(child, -1, -1, tty, sigfd);
	put_away();
	if (port[PORT_CTL] >= 0)
		write_all(port[PORT_CTL], CTL_ENDED " 0 0 0\n", 8);
	stop_machine();
}

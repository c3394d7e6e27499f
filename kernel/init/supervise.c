// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is around the command or the console's shell: the system is made ready, the
 * child served until it ends, and all is put away.  Interface: process1.h.
 */
#include "process1.h"

void set_out(char **envp)
{
	if (conf.share)
		mount_share();
	mount_disks();
	if (conf.net)
		network_up();
	sys(chdir, conf.share ? "/share" : "/root");
	/* The agent starts in the directory where the command starts. */
	if (conf.exec && sys_fork() == 0)
		agent_main(envp);
}

void put_away(void)
{
	sys(chdir, "/");
	unmount_share();
	unmount_disks();
}

/* Reap processes that have ended.  True if @child was among them. */
static bool reap(long child, unsigned int *wait)
{
	unsigned int w;
	long pid;
	bool found = false;

	while ((pid = sys(wait4, -1, &w, 1 /* WNOHANG */, 0)) > 0)
		if (pid == child) {
			*wait = w;
			found = true;
		}
	return found;
}

/* End all other processes, so that pipes drain and file systems can be unmounted. */
static void kill_all(void)
{
	unsigned int w;

	sys(kill, -1, SIGKILL);
	while (sys(wait4, -1, &w, 0, 0) > 0)
		;
}

int supervise(long child, int out, int err, int tty, int sigfd)
{
	unsigned int wait = 0;
	bool ended = false, told = false;

	while (!ended) {
		struct pollfd p[6] = {
			{ .fd = sigfd, .events = POLLIN },
			{ .fd = port[PORT_CTL], .events = POLLIN },
			{ .fd = out, .events = POLLIN },
			{ .fd = err, .events = POLLIN },
		};
		/* A command that called poweroff has a second to end by itself. */
		struct __kernel_timespec second = { 1, 0 };
		long n;

		stdin_poll(p + 4);
		n = sys(ppoll, p, 6, told ? &second : NULL, 0, 0);
		if (n == 0 && told)
			break;
		if (p[2].revents)
			pump_out(&out, port[PORT_OUT]);
		if (p[3].revents)
			pump_out(&err, port[PORT_ERR]);
		stdin_serve(p + 4);
		if (p[1].revents & POLLIN)
			host_lines(&out, &err, tty);
		if (p[0].revents) {
			struct signalfd_siginfo si;

			while (sys_read(sigfd, &si, sizeof(si)) == sizeof(si))
				if (si.ssi_signo != SIGCHLD)
					told = true;
			ended = reap(child, &wait);
		}
	}
	if (!ended)
		wait = SIGTERM;
	kill_all();
	while (out >= 0 && pump_out(&out, port[PORT_OUT]))
		;
	while (err >= 0 && pump_out(&err, port[PORT_ERR]))
		;
	return status_of(wait);
}

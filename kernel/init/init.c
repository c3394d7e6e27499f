// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's process 1.  It sets the system up, runs the launcher's command and
 * stops the machine.
 *
 * include/guest/protocol.h has what it and the launcher say to each other.  job.c and
 * conf.c read the job; mount.c, net.c and modules.c set the system up; command.c runs the command,
 * or console.c a shell; control.c and streams.c have the ports.
 *
 * Left out: runlevels, services, respawning.
 */
#include "process1.h"

static int init_main(void)
{
	static char term[80] = "TERM=";
	static char *envp[] = {
		"PATH=" PATH_DEFAULT, "HOME=/root", "USER=root", "LOGNAME=root",
		"SHELL=/bin/sh",      term,	    NULL
	};
	uint64_t mask[2] = { 1ul << (SIGCHLD - 1) | 1ul << (SIGUSR1 - 1) |
				     1ul << (SIGUSR2 - 1) |
				     1ul << (SIGTERM - 1) |
				     1ul << (SIGINT - 1) | 1ul << (SIGPIPE - 1),
			     0 };
	uint64_t watch[2] = { mask[0] & ~(1ul << (SIGPIPE - 1)), 0 };
	int null, sigfd;

	sys(umask, 022);
	sys(fchmodat, AT_FDCWD, "/", 0755); /* the kernel made it like /tmp */
	mount_all();
	null = (int)sys_open("/dev/null", O_RDWR);
	if (null >= 0)
		for (int i = 0; i < 3; i++)
			if (null != i)
				sys(dup3, null, i, 0);
	if (null > 2)
		sys_close(null);
	sys(setsid);
	sys(rt_sigprocmask, SIG_SETMASK, mask, 0, sizeof(mask));
	sigfd = (int)sys(signalfd4, -1, watch, sizeof(watch),
			 O_CLOEXEC | O_NONBLOCK);
	loopback_up();
	load_modules();
	wait_for_date();
	wait_for_ethernet();
	wait_for_searches();
	/* What comes before is the same for all jobs; a machine may begin here. */
	read_conf();
	put_str(term, sizeof(term),
		conf.term[0] ? conf.term :
		conf.console ? "vt100" :
			       "dumb");
	sys(sethostname, conf.hostname, str_len(conf.hostname));
	if (conf.console)
		run_console(envp, sigfd);
	else
		run_command(envp, sigfd);
	return 0;
}

__attribute__((noreturn, used)) void __start(void)
{
	init_main();
	stop_machine();
}

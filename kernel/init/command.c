// SPDX-License-Identifier: GPL-2.0-or-later
/* The launcher's command.  Interface: process1.h. */
#include "process1.h"

void run_command(char **envp, int sigfd)
{
	static char text[8 << 20];
	static char *argv[262144];
	int file = -1, i[2] = { -1, -1 }, o[2], e[2], fds[3];
	char *sh[] = { "sh", "-c", text, NULL };
	char end[128] = CTL_ENDED " ", tainted[32];
	long child, offset = 0;
	int status;

	if (job.argv > sizeof(text)) {
		complain("the command is too long", "");
		stop_machine();
	}
	job_read(text, job.argv);
	open_ports(conf.stdin_kind == STDIN_STREAM ? PORT_IN : PORT_ERR);
	set_out(envp);
	split_argv(text, job.argv, argv, sizeof(argv) / sizeof(argv[0]));
	if (conf.stdin_kind == STDIN_STREAM)
		make_pipe(i, 0);
	else if (conf.stdin_kind == STDIN_FILE)
		file = job_file(job.input);
	else
		file = (int)sys_open("/dev/null", O_RDONLY | O_CLOEXEC);
	make_pipe(o, 0);
	make_pipe(e, 0);
	tell_ready();
	child = sys_fork();
	if (child == 0) {
		fds[0] = file >= 0 ? file : i[0];
		fds[1] = o[1];
		fds[2] = e[1];
		become(conf.shell ? sh : argv, envp, fds);
	}
	sys_close(o[1]);
	sys_close(e[1]);
	if (i[0] >= 0) {
		sys_close(i[0]);
		stdin_begin(i[1]);
	}
	status = supervise(child, o[0], e[0], -1, sigfd);
	if (conf.stdin_kind == STDIN_FILE)
		offset = sys(lseek, file, 0, 1 /* SEEK_CUR */);
	put_away();
	sys(sync);
	slurp("/proc/sys/kernel/tainted", tainted, sizeof(tainted));
	put_num(end, (unsigned long)status);
	put_str(end, sizeof(end), " ");
	put_num(end, str_num(tainted));
	put_str(end, sizeof(end), " ");
	put_num(end, offset > 0 ? (unsigned long)offset : 0);
	put_str(end, sizeof(end), "\n");
	write_all(port[PORT_CTL], end, str_len(end));
	stop_machine();
}

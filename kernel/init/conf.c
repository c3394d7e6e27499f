// SPDX-License-Identifier: GPL-2.0-or-later
/* What the job's configuration says.  Interface: process1.h. */
#include "process1.h"

struct conf conf;
struct job_head job;

static void add_disk(const char *v)
{
	if (conf.ndisks == DISKS_MAX || !v[0] || !v[1])
		return;
	conf.disk[conf.ndisks].name = v[0];
	conf.disk[conf.ndisks].writable = v[1] == 'w';
	put_str(conf.disk[conf.ndisks].dir, sizeof(conf.disk[0].dir), v + 2);
	conf.ndisks++;
}

void read_conf(void)
{
	static char text[4096];
	char *line = text;

	if (!job_begin()) {
		conf.console = true; /* booted by hand, without the launcher */
		put_str(conf.hostname, sizeof(conf.hostname), "origin");
		return;
	}
	job_read(&job, sizeof(job));
	if (job.conf >= sizeof(text)) {
		complain("the job's configuration is too long", "");
		stop_machine();
	}
	job_read(text, job.conf);
	conf.launcher = true;
	while (*line) {
		char *end = line;
		const char *v;

		while (*end && *end != '\n')
			end++;
		if (*end)
			*end++ = 0;
		if ((v = str_after(line, JOB_HOSTNAME)))
			put_str(conf.hostname, sizeof(conf.hostname), v);
		else if ((v = str_after(line, JOB_TERM)))
			put_str(conf.term, sizeof(conf.term), v);
		else if (str_eq(line, JOB_SHARE))
			conf.share = true;
		else if ((v = str_after(line, JOB_DISK)))
			add_disk(v);
		else if (str_eq(line, JOB_NET))
			conf.net = true;
		else if (str_eq(line, JOB_EXEC))
			conf.exec = true;
		else if (str_eq(line, JOB_CONSOLE))
			conf.console = true;
		else if (str_eq(line, JOB_SHELL))
			conf.shell = true;
		else if (str_eq(line, JOB_STDIN_FILE))
			conf.stdin_kind = STDIN_FILE;
		else if (str_eq(line, JOB_STDIN_STREAM))
			conf.stdin_kind = STDIN_STREAM;
		line = end;
	}
}

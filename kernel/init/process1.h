/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of process 1 have in common */
#ifndef ORIGIN_INIT_PROCESS1_H
#define ORIGIN_INIT_PROCESS1_H

#include "guest/protocol.h"
#include "sys.h"

#define PATH_DEFAULT \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
/* Machine time that a driver may take until its device appears. */
#define DEVICE_WAIT_US 20000000
#define DEVICE_POLL_US 1000

/* --- common.c --- */

void stop_machine(void) __attribute__((noreturn));

/* Read a whole file into @to as a string.  Returns its length, or -errno. */
long slurp(const char *path, char *to, size_t room);

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

/* --- job.c --- */

/* Wait until the machine has a job for us.  False: it has none. */
bool job_begin(void);

/* The next @n bytes of the job.  If it has not so many, the machine stops. */
void job_read(void *to, size_t n);

/* A file without a name that has the next @n bytes of the job, to be read.  -errno. */
int job_file(size_t n);

/* --- conf.c --- */

extern struct job_head job;
extern struct conf {
	char hostname[64];
	char term[64];
	bool launcher; /* there is a job, so the launcher listens at the ports */
	bool share;
	bool console;
	bool shell;
	enum { STDIN_NULL, STDIN_FILE, STDIN_STREAM } stdin_kind;
	struct winsize ws;
	struct {
		char name; /* of /dev/vdX */
		bool writable;
		char dir[32];
	} disk[DISKS_MAX];
	unsigned int ndisks;
	bool net;
	bool exec;
} conf;

void read_conf(void);

/* --- mount.c: failure to mount stops the machine, to unmount is a complaint --- */

void mount_all(void);
void mount_share(void);
void unmount_share(void);
void mount_disks(void);
void unmount_disks(void);

/* --- net.c --- */

void loopback_up(void);
void network_up(void);

/* --- modules.c --- */

/* Those that were not loaded: a blank and a name each. */
extern char modules_missing[200];

void load_modules(void);
void wait_for_date(void);
void wait_for_ethernet(void);
void wait_for_searches(void);

/* --- control.c --- */

/* The ports that are open, by number; -1: there is no launcher. */
extern int port[PORT_IN + 1];

/* Open the ports up to @last, or stop the machine. */
void open_ports(int last);

/* Tell the launcher that user space is up. */
void tell_ready(void);

/*
 * Read what the launcher has to say: to close our ends @out and @err of the command's
 * pipes, or the size of the terminal @tty, which is -1 if there is none.
 */
void host_lines(int *out, int *err, int tty);

/* --- streams.c --- */

/* Pass output on from the pipe @from to the port @to.  False: the pipe has ended. */
bool pump_out(int *from, int to);

/* Pass standard input on to the pipe @to, from now on. */
void stdin_begin(int to);

/* What standard input waits for; what to do when that has come. */
void stdin_poll(struct pollfd p[2]);
void stdin_serve(const struct pollfd p[2]);

/* --- supervise.c --- */

/* The share, disks, the network, the agent, the directory of the command. */
void set_out(char **envp);

/* Away with file systems. */
void put_away(void);

/*
 * Serve @child until it ends or the machine is to stop (busybox' poweroff, halt and
 * reboot signal process 1).  @out and @err are our ends of its pipes, @tty is its
 * terminal, -1 what it has not; @sigfd tells of signals.  Returns its status.
 */
int supervise(long child, int out, int err, int tty, int sigfd);

/* --- command.c, console.c: the launcher's command, or a root shell --- */

void run_command(char **envp, int sigfd) __attribute__((noreturn));
void run_console(char **envp, int sigfd) __attribute__((noreturn));

/* --- agent.c --- */

/* Serve `origin exec` for as long as the machine runs. */
void agent_main(char **envp) __attribute__((noreturn));

#endif

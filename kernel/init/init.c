// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's process 1.  It sets the system up, runs the launcher's command and
 * stops the machine.
 *
 * The job comes in a piece of initramfs that the launcher appends, so that
 * nothing about it depends on host time:
 *   /.origin/conf    lines "key=value": hostname=, share=1, console=1 (a shell on
 *                    the console instead of a command), rows=, cols=, term=,
 *                    stdin=null|file|stream, shell=1 (argv[0] is for sh -c),
 *                    disk=aw/disk (/dev/vda is mounted at /disk; w: to read and
 *                    write, r: to read), net=1 (eth0 is QEMU's user network)
 *   /.origin/argv    the command, each argument ended by a NUL
 *   /.origin/stdin   the command's standard input, if stdin=file
 *
 * virtio-serial ports, by number:
 *   1 control  to the host, lines: "L names" modules that the kernel did not load,
 *              "R" user space is up, "X status taint offset"
 *              the end: exit status as sh reports it, the kernel's taint bits, the
 *              offset up to which the command read its stdin file.
 *              from the host, lines: "C1", "C2" nobody reads stdout or stderr any
 *              more; "Wrows cols" the terminal's size changed.
 *   2 stdout, 3 stderr   plain bytes
 *   4 stdin    the host sends frames: a big-endian 32-bit length, then that many bytes,
 *              at most STDIN_FRAME.  It sends a frame when init asks for one with a
 *              byte.  Length 0 is the end of file.
 *   5 gdbserver, 6 the agent
 *
 * Left out: runlevels, services, respawning.
 */
#include "init.h"

#include <linux/sockios.h>
#include <linux/utsname.h>

#define DISKS_MAX 8 /* the launcher has the same */

enum { PORT_CTL = 1, PORT_OUT, PORT_ERR, PORT_IN, PORT_END };

static struct {
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

static int port[PORT_END];
static char missing[200]; /* modules that were not loaded */
static char buf[65536];

static __attribute__((noreturn)) void stop_machine(void)
{
	sys(sync);
	sys(reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
	    LINUX_REBOOT_CMD_HALT, 0);
	for (;;)
		sys_sleep_us(1000000);
}

/* Read a whole file into @to as a string.  Returns its length, or -errno. */
static long slurp(const char *path, char *to, size_t room)
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

static void mount_dir(const char *type, const char *dir, const char *data)
{
	sys(mkdirat, AT_FDCWD, dir, 0755);
	sys_mount(type, dir, type, 0, data);
}

static void mount_all(void)
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

static void add_disk(const char *v)
{
	if (conf.ndisks == DISKS_MAX || !v[0] || !v[1])
		return;
	conf.disk[conf.ndisks].name = v[0];
	conf.disk[conf.ndisks].writable = v[1] == 'w';
	put_str(conf.disk[conf.ndisks].dir, sizeof(conf.disk[0].dir), v + 2);
	conf.ndisks++;
}

static void read_conf(void)
{
	static char text[4096];
	char *line = text;

	if (slurp("/.origin/conf", text, sizeof(text)) < 0) {
		conf.console = true; /* booted by hand, without the launcher */
		put_str(conf.hostname, sizeof(conf.hostname), "origin");
		return;
	}
	conf.launcher = true;
	while (*line) {
		char *end = line;
		const char *v;

		while (*end && *end != '\n')
			end++;
		if (*end)
			*end++ = 0;
		if ((v = str_after(line, "hostname=")))
			put_str(conf.hostname, sizeof(conf.hostname), v);
		else if ((v = str_after(line, "term=")))
			put_str(conf.term, sizeof(conf.term), v);
		else if ((v = str_after(line, "rows=")))
			conf.ws.ws_row = (unsigned short)str_num(v);
		else if ((v = str_after(line, "cols=")))
			conf.ws.ws_col = (unsigned short)str_num(v);
		else if (str_eq(line, "share=1"))
			conf.share = true;
		else if ((v = str_after(line, "disk=")))
			add_disk(v);
		else if (str_eq(line, "net=1"))
			conf.net = true;
		else if (str_eq(line, "exec=1"))
			conf.exec = true;
		else if (str_eq(line, "console=1"))
			conf.console = true;
		else if (str_eq(line, "shell=1"))
			conf.shell = true;
		else if (str_eq(line, "stdin=file"))
			conf.stdin_kind = STDIN_FILE;
		else if (str_eq(line, "stdin=stream"))
			conf.stdin_kind = STDIN_STREAM;
		line = end;
	}
}

/* struct ifreq and struct rtentry: <linux/if.h> drags in the C library's headers. */
struct inet_address {
	unsigned short family, port;
	unsigned char addr[4];
	char zero[8];
};

struct interface_request {
	char name[16];
	union {
		short flags;
		struct inet_address addr;
		char room[24];
	};
};

struct route_request {
	unsigned long pad1;
	struct inet_address dst, gateway, mask;
	unsigned short flags;
	short pad2;
	unsigned long pad3, tos_class;
	short metric;
	char *dev;
	unsigned long mtu, window;
	unsigned short irtt;
};

#define AF_INET	       2
#define IFF_UP_RUNNING 0x41
#define RTF_UP_GATEWAY 0x3

static long inet_socket(void)
{
	return sys(socket, AF_INET, 1 /* SOCK_DGRAM of MIPS */, 0);
}

static void loopback_up(void)
{
	struct interface_request ifr = { .name = "lo",
					 .flags = IFF_UP_RUNNING };
	long fd = inet_socket();

	if (fd < 0)
		return;
	sys(ioctl, fd, SIOCSIFFLAGS, &ifr);
	sys_close((int)fd);
}

static void set_address(long fd, unsigned int request, struct inet_address addr)
{
	struct interface_request ifr = { .name = "eth0", .addr = addr };

	if (sys(ioctl, fd, request, &ifr) < 0)
		complain("no address for ", "eth0");
}

#define INET(a, b, c, d) \
	((struct inet_address){ .family = AF_INET, .addr = { a, b, c, d } })

/*
 * eth0 on QEMU's user network: host 15, gateway 2, name server 3 of 10.0.2.0.  Waits
 * until the link is up, so that the command's first packet is not lost.
 */
static void network_up(void)
{
	static const char dns[] = "nameserver 10.0.2.3\n";
	struct interface_request ifr = { .name = "eth0",
					 .flags = IFF_UP_RUNNING };
	struct route_request route = {
		.dst = INET(0, 0, 0, 0),
		.gateway = INET(10, 0, 2, 2),
		.mask = INET(0, 0, 0, 0),
		.flags = RTF_UP_GATEWAY,
	};
	char carrier[4] = "";
	long fd = inet_socket();
	int file;

	for (long t = 0; t < DEVICE_WAIT_US; t += DEVICE_POLL_US) {
		if (sys(ioctl, fd, SIOCGIFFLAGS, &ifr) == 0)
			break;
		sys_sleep_us(DEVICE_POLL_US);
	}
	set_address(fd, SIOCSIFADDR, INET(10, 0, 2, 15));
	set_address(fd, SIOCSIFNETMASK, INET(255, 255, 255, 0));
	ifr.flags = IFF_UP_RUNNING;
	if (sys(ioctl, fd, SIOCSIFFLAGS, &ifr) < 0 ||
	    sys(ioctl, fd, SIOCADDRT, &route) < 0)
		complain("cannot set up ", "eth0");
	sys_close((int)fd);
	for (long t = 0; t < DEVICE_WAIT_US && !str_num(carrier);
	     t += DEVICE_POLL_US) {
		slurp("/sys/class/net/eth0/carrier", carrier, sizeof(carrier));
		if (!str_num(carrier))
			sys_sleep_us(DEVICE_POLL_US);
	}
	file = (int)sys(openat, AT_FDCWD, "/etc/resolv.conf",
			O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (file >= 0) {
		sys_write(file, dns, sizeof(dns) - 1);
		sys_close(file);
	}
}

/* /etc/modules: each line has the name and parameters of a module, in loading order. */
static void load_modules(void)
{
	static char text[8192];
	static struct new_utsname uts;
	char *line = text;

	if (slurp("/etc/modules", text, sizeof(text)) <= 0)
		return;
	while (*line) {
		char *end = line, *args;
		int fd;

		while (*end && *end != '\n')
			end++;
		if (*end)
			*end++ = 0;
		for (args = line; *args && *args != ' '; args++)
			;
		if (*args)
			*args++ = 0;
		if (*line && *line != '#') {
			char path[256] = "/lib/modules/";

			sys(uname, &uts);
			put_str(path, sizeof(path), uts.release);
			put_str(path, sizeof(path), "/");
			put_str(path, sizeof(path), line);
			put_str(path, sizeof(path), ".ko");
			fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC);
			if (fd < 0 || sys(finit_module, fd, args, 0) < 0) {
				complain("cannot load ", line);
				put_str(missing, sizeof(missing), " ");
				put_str(missing, sizeof(missing), line);
			}
			if (fd >= 0)
				sys_close(fd);
		}
		line = end;
	}
	/* Mount the hardware graph, if a module provides it. */
	sys(mkdirat, AT_FDCWD, "/hw", 0755);
	sys_mount("hwgfs", "/hw", "hwgfs", 0, NULL);
}

static void open_ports(int last)
{
	for (int p = PORT_CTL; p <= last; p++) {
		char path[32] = "/dev/vport0p";

		put_num(path, (unsigned long)p);
		port[p] = open_device(path,
				      O_RDWR | O_CLOEXEC |
					      (p == PORT_CTL || p == PORT_IN ?
						       O_NONBLOCK :
						       0));
		if (port[p] < 0)
			stop_machine();
	}
}

/* Tell the launcher that user space is up. */
static void tell_ready(void)
{
	if (missing[0]) {
		write_all(port[PORT_CTL], "L", 1);
		write_all(port[PORT_CTL], missing, str_len(missing));
		write_all(port[PORT_CTL], "\n", 1);
	}
	write_all(port[PORT_CTL], "R\n", 2);
}

static void mount_share(void)
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

static void mount_disks(void)
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

static void unmount_disks(void)
{
	for (unsigned int i = 0; i < conf.ndisks; i++)
		if (sys(umount2, conf.disk[i].dir, 0) < 0)
			complain("cannot unmount ", conf.disk[i].dir);
}

/* What --disk, --image and --net ask for. */
static void devices_up(void)
{
	mount_disks();
	if (conf.net)
		network_up();
}

/*
 * A byte stream that init passes on.  Output goes from the command's pipe to a port.
 * When the host says that nobody reads any more, init closes the pipe, and the
 * command gets SIGPIPE as usual.
 */
static bool pump_out(int *from, int to)
{
	long n = sys_read(*from, buf, sizeof(buf));

	if (n == -EAGAIN || n == -EINTR)
		return true;
	if (n <= 0) {
		sys_close(*from);
		*from = -1;
		return false;
	}
	write_all(to, buf, (size_t)n);
	return true;
}

/* Input: frames from the host to the command's pipe. */
static struct {
	int to;		     /* the pipe's writing end; -1: closed */
	uint32_t have, sent; /* bytes of the frame in data[]; passed on */
	uint32_t want;	     /* length of the frame under way */
	unsigned int header; /* bytes of the length that arrived */
	char data[STDIN_FRAME];
} in = { .to = -1 };

static void stdin_close(void)
{
	if (in.to >= 0)
		sys_close(in.to);
	in.to = -1;
}

/* Read the rest of the present frame from the port. */
static void stdin_arrived(void)
{
	for (;;) {
		unsigned char b;
		long n;

		if (in.header < 4) {
			n = sys_read(port[PORT_IN], &b, 1);
			if (n != 1)
				return;
			in.want = in.want << 8 | b;
			if (++in.header == 4 &&
			    (in.want == 0 || in.want > STDIN_FRAME)) {
				stdin_close();
				return;
			}
		} else if (in.have < in.want) {
			n = sys_read(port[PORT_IN], in.data + in.have,
				     in.want - in.have);
			if (n <= 0)
				return;
			in.have += (uint32_t)n;
		} else {
			return;
		}
	}
}

/* Pass on the bytes that came; ask for more when the frame is finished. */
static void stdin_flush(void)
{
	while (in.sent < in.have) {
		long n = sys_write(in.to, in.data + in.sent, in.have - in.sent);

		if (n == -EAGAIN)
			return;
		if (n <= 0) {
			stdin_close(); /* EPIPE: the command closed it */
			return;
		}
		in.sent += (uint32_t)n;
	}
	if (in.header == 4 && in.sent == in.want) {
		in.header = in.want = in.have = in.sent = 0;
		write_all(port[PORT_IN], "G", 1);
	}
}

/* One line of the host. */
static void host_says(const char *line, int *out, int *err, int tty)
{
	if (str_eq(line, "C1") && *out >= 0) {
		sys_close(*out);
		*out = -1;
	} else if (str_eq(line, "C2") && *err >= 0) {
		sys_close(*err);
		*err = -1;
	} else if (line[0] == 'W' && tty >= 0) {
		const char *p = line + 1;

		conf.ws.ws_row = (unsigned short)str_num(p);
		while (*p && *p != ' ')
			p++;
		conf.ws.ws_col = (unsigned short)str_num(*p ? p + 1 : p);
		sys(ioctl, tty, TIOCSWINSZ, &conf.ws);
	}
}

static void host_lines(int *out, int *err, int tty)
{
	static char line[64];
	static size_t n;
	char c;

	while (sys_read(port[PORT_CTL], &c, 1) == 1) {
		if (c == '\n') {
			line[n] = 0;
			n = 0;
			host_says(line, out, err, tty);
		} else if (n + 1 < sizeof(line)) {
			line[n++] = c;
		}
	}
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

/*
 * Run the command with its streams until it ends or the machine is to stop (busybox'
 * poweroff, halt and reboot signal process 1).  Returns the status.
 */
static int supervise(long child, int out, int err, int tty, int sigfd)
{
	unsigned int wait = 0;
	bool ended = false, told = false;

	while (!ended) {
		struct pollfd p[6] = {
			{ .fd = sigfd, .events = POLLIN },
			{ .fd = port[PORT_CTL], .events = POLLIN },
			{ .fd = out, .events = POLLIN },
			{ .fd = err, .events = POLLIN },
			{ .fd = in.to >= 0 ? port[PORT_IN] : -1,
			  .events = POLLIN },
			{ .fd = in.to,
			  .events = (short)(in.sent < in.have ? POLLOUT : 0) },
		};
		/* A command that called poweroff has a second to end by itself. */
		struct __kernel_timespec second = { 1, 0 };
		long n = sys(ppoll, p, 6, told ? &second : NULL, 0, 0);

		if (n == 0 && told)
			break;
		if (p[2].revents)
			pump_out(&out, port[PORT_OUT]);
		if (p[3].revents)
			pump_out(&err, port[PORT_ERR]);
		if (p[4].revents & POLLIN)
			stdin_arrived();
		if (in.to >= 0 && p[5].revents & POLLERR)
			stdin_close();
		if (in.to >= 0 && in.header == 4)
			stdin_flush();
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

/* Start the agent, in the directory where the command starts. */
static void start_agent(char **envp)
{
	if (conf.exec && sys_fork() == 0)
		agent_main(envp);
}

/* Run the launcher's command.  Never returns. */
static void run_command(char **envp, int sigfd)
{
	static char text[8 << 20];
	static char *argv[262144];
	int file = -1, i[2] = { -1, -1 }, o[2], e[2], fds[3];
	char *sh[] = { "sh", "-c", text, NULL };
	char end[128] = "X ", tainted[32];
	long child, n, offset = 0;
	int status;

	n = slurp("/.origin/argv", text, sizeof(text));
	open_ports(conf.stdin_kind == STDIN_STREAM ? PORT_IN : PORT_ERR);
	if (conf.share)
		mount_share();
	devices_up();
	sys(chdir, conf.share ? "/share" : "/root");
	start_agent(envp);
	split_argv(text, n > 0 ? (size_t)n : 0, argv,
		   sizeof(argv) / sizeof(argv[0]));
	if (conf.stdin_kind == STDIN_STREAM)
		make_pipe(i, 0);
	else
		file = (int)sys_open(conf.stdin_kind == STDIN_FILE ?
					     "/.origin/stdin" :
					     "/dev/null",
				     O_RDONLY | O_CLOEXEC);
	sys(unlinkat, AT_FDCWD, "/.origin/stdin", 0);
	sys(unlinkat, AT_FDCWD, "/.origin/argv", 0);
	sys(unlinkat, AT_FDCWD, "/.origin/conf", 0);
	sys(unlinkat, AT_FDCWD, "/.origin", AT_REMOVEDIR);
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
		in.to = i[1];
		sys(fcntl, in.to, F_SETFL, O_NONBLOCK);
		write_all(port[PORT_IN], "G", 1);
	}
	status = supervise(child, o[0], e[0], -1, sigfd);
	if (conf.stdin_kind == STDIN_FILE)
		offset = sys(lseek, file, 0, 1 /* SEEK_CUR */);
	sys(chdir, "/");
	if (conf.share && sys(umount2, "/share", 0) < 0)
		complain("cannot unmount ", "/share");
	unmount_disks();
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

/*
 * The clock's driver appears with the IOC3, after a search of a 1-wire bus.  Until then
 * the date is in 1970.
 */
static void wait_for_date(void)
{
	char set[4] = "";

	for (long t = 0; t < DEVICE_WAIT_US && !str_num(set);
	     t += DEVICE_POLL_US) {
		slurp("/sys/class/rtc/rtc0/hctosys", set, sizeof(set));
		if (!str_num(set))
			sys_sleep_us(DEVICE_POLL_US);
	}
}

/*
 * Each 1-wire bus is searched once (the launcher's wire.search_count=1).  A search
 * keeps a CPU busy for about 11 ms.  It must be over before the command starts: a
 * program that samples every millisecond would miss ten samples.
 */
static void wait_for_searches(void)
{
	char path[64], left[8];

	for (unsigned long bus = 1;; bus++) {
		path[0] = 0;
		put_str(path, sizeof(path),
			"/sys/bus/w1/devices/w1_bus_master");
		put_num(path, bus);
		put_str(path, sizeof(path), "/w1_master_search");
		for (long t = 0; t < DEVICE_WAIT_US; t += DEVICE_POLL_US) {
			if (slurp(path, left, sizeof(left)) < 0)
				return;
			if (!str_num(left))
				break;
			sys_sleep_us(DEVICE_POLL_US);
		}
	}
}

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

/* Run a root shell on the console.  Never returns. */
static void run_console(char **envp, int sigfd)
{
	char *argv[] = { "-sh", NULL };
	char *path = "/bin/sh";
	int tty, fds[3];
	long child;

	tty = open_console();
	if (tty < 0)
		stop_machine();
	sys(ioctl, tty, TIOCSWINSZ, &conf.ws);
	if (conf.launcher)
		open_ports(PORT_CTL);
	else
		port[PORT_CTL] = -1;
	if (conf.share)
		mount_share();
	devices_up();
	sys(chdir, conf.share ? "/share" : "/root");
	start_agent(envp);
	child = sys_fork();
	if (child == 0) {
		uint64_t none[2] = { 0, 0 };

		fds[0] = fds[1] = fds[2] = tty;
		sys(setsid);
		for (int i = 0; i < 3; i++)
			sys(dup3, fds[i], i, 0);
		sys(ioctl, 0, TIOCSCTTY, 0);
		sys(rt_sigprocmask, SIG_SETMASK, none, 0, sizeof(none));
		complain(path, sys(execve, path, argv, envp) == -ENOENT ?
				       ": not found" :
				       ": not executed");
		sys_exit(127);
	}
	if (port[PORT_CTL] >= 0)
		tell_ready();
	supervise(child, -1, -1, tty, sigfd);
	sys(chdir, "/");
	if (conf.share)
		sys(umount2, "/share", 0);
	unmount_disks();
	if (port[PORT_CTL] >= 0)
		write_all(port[PORT_CTL], "X 0 0 0\n", 8);
	stop_machine();
}

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
	read_conf();
	put_str(term, sizeof(term),
		conf.term[0] ? conf.term :
		conf.console ? "vt100" :
			       "dumb");
	sys(sethostname, conf.hostname, str_len(conf.hostname));
	sys(setsid);
	sys(rt_sigprocmask, SIG_SETMASK, mask, 0, sizeof(mask));
	sigfd = (int)sys(signalfd4, -1, watch, sizeof(watch),
			 O_CLOEXEC | O_NONBLOCK);
	loopback_up();
	load_modules();
	wait_for_date();
	wait_for_searches();
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

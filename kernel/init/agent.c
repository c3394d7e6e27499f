// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent of `origin exec`: a process that runs commands in a machine which already
 * runs one, for programs of the host that connect with the socket of --exec
 * (launcher/enter).  QEMU lets one in at a time; the next waits.
 *
 * Port 6 of virtio-serial carries frames both ways: a letter, a big-endian 32-bit
 * length, and that many bytes, at most STDIN_FRAME.
 *   from the host  R  run: four bytes that name the request, then the command's words,
 *                     each ended by a NUL.  What ran for an earlier request is killed.
 *                  I  a piece of standard input; none: its end
 *   to the host    B  begins: the four bytes.  Frames before it were for somebody else.
 *                  G  wants a piece of standard input
 *                  1 2  output of the command
 *                  X  has ended: the status in decimal
 * When the host's end is closed, the command is killed.
 *
 * Left out: terminals, several commands at once.
 */
#include "process1.h"

#define NAME_BYTES 4
#define HEAD	   5
#define WORDS_MAX  1024

static struct {
	int port, sigfd;
	bool connected;

	char in[HEAD + STDIN_FRAME]; /* the frame that is coming */
	size_t in_n;
	char out[HEAD + STDIN_FRAME]; /* the frame that is going */
	size_t out_n;

	long child;		  /* 0: none */
	bool begun, asked, ended; /* B and G are sent; it has ended */
	int status;
	char name[NAME_BYTES];
	int to, from[2]; /* our ends of its pipes; -1: closed */
	char piece[STDIN_FRAME];
	size_t piece_at, piece_n;
} agent;

static void close_it(int *fd)
{
	if (*fd >= 0)
		sys_close(*fd);
	*fd = -1;
}

static void put_frame(char letter, const char *p, size_t n)
{
	agent.out[0] = letter;
	for (int i = 0; i < 4; i++)
		agent.out[1 + i] = (char)(n >> (24 - 8 * i));
	memcpy(agent.out + HEAD, p, n);
	agent.out_n = HEAD + n;
}

/* End what runs, if anything does. */
static void forget(void)
{
	unsigned int wait;

	if (agent.child) {
		sys(kill, -agent.child, SIGKILL);
		sys(kill, agent.child, SIGKILL); /* it has no group yet */
		sys(wait4, agent.child, &wait, 0, 0);
	}
	agent.child = 0;
	agent.asked = false;
	agent.out_n = agent.piece_n = agent.piece_at = 0;
	close_it(&agent.to);
	close_it(&agent.from[0]);
	close_it(&agent.from[1]);
}

/* A request came, of @n bytes. */
static void begin(char *p, size_t n, char **envp)
{
	char *argv[WORDS_MAX];
	int i[2], o[2], e[2];

	forget();
	if (n <= NAME_BYTES || p[n - 1])
		return;
	memcpy(agent.name, p, NAME_BYTES);
	if (make_pipe(i, 0) < 0 || make_pipe(o, 0) < 0 || make_pipe(e, 0) < 0)
		return;
	split_argv(p + NAME_BYTES, n - NAME_BYTES, argv, WORDS_MAX);
	agent.child = sys_fork();
	if (agent.child == 0) {
		int fds[3] = { i[0], o[1], e[1] };

		become(argv, envp, fds);
	}
	sys_close(i[0]);
	sys_close(o[1]);
	sys_close(e[1]);
	agent.to = i[1];
	agent.from[0] = o[0];
	agent.from[1] = e[0];
	sys(fcntl, agent.to, F_SETFL, O_NONBLOCK);
	sys(fcntl, agent.from[0], F_SETFL, O_NONBLOCK);
	sys(fcntl, agent.from[1], F_SETFL, O_NONBLOCK);
	agent.begun = agent.ended = false;
}

/* A whole frame came. */
static void take_frame(char **envp)
{
	size_t n = agent.in_n - HEAD;

	if (agent.in[0] == 'R') {
		begin(agent.in + HEAD, n, envp);
	} else if (agent.in[0] == 'I' && agent.asked) {
		agent.asked = false;
		if (!n)
			close_it(&agent.to);
		memcpy(agent.piece, agent.in + HEAD, n);
		agent.piece_at = 0;
		agent.piece_n = n;
	}
}

static void port_arrived(char **envp)
{
	for (;;) {
		size_t want = HEAD;
		long n;

		if (agent.in_n >= HEAD) {
			const unsigned char *h = (unsigned char *)agent.in;

			want += (size_t)h[1] << 24 | (size_t)h[2] << 16 |
				(size_t)h[3] << 8 | h[4];
			if (want > sizeof(agent.in))
				want = sizeof(agent.in); /* not ours */
			if (agent.in_n == want) {
				take_frame(envp);
				agent.in_n = 0;
				continue;
			}
		}
		n = sys_read(agent.port, agent.in + agent.in_n,
			     want - agent.in_n);
		if (n <= 0)
			return;
		agent.in_n += (size_t)n;
	}
}

static void stdin_flush(void)
{
	long n = sys_write(agent.to, agent.piece + agent.piece_at,
			   agent.piece_n - agent.piece_at);

	if (n == -EAGAIN)
		return;
	if (n > 0)
		agent.piece_at += (size_t)n;
	else
		close_it(&agent.to); /* EPIPE: the command closed it */
	if (n <= 0 || agent.piece_at == agent.piece_n)
		agent.piece_at = agent.piece_n = 0;
}

/* Output of the command becomes the next frame, if there is any. */
static void output_arrived(int which)
{
	static char buf[STDIN_FRAME];
	long n = sys_read(agent.from[which], buf, sizeof(buf));

	if (n > 0)
		put_frame((char)('1' + which), buf, (size_t)n);
	else if (n != -EAGAIN || agent.ended) /* others may hold the pipe */
		close_it(&agent.from[which]);
}

/* What the host is to be told next, if it can take a frame. */
static void next_frame(void)
{
	char text[4] = "";

	if (agent.out_n || !agent.child)
		return;
	if (!agent.begun) {
		put_frame('B', agent.name, NAME_BYTES);
		agent.begun = true;
		return;
	}
	for (int i = 0; i < 2 && !agent.out_n; i++)
		if (agent.from[i] >= 0)
			output_arrived(i);
	if (agent.out_n)
		return;
	if (agent.ended && agent.from[0] < 0 && agent.from[1] < 0) {
		for (int v = agent.status, i = 2; i >= 0; i--, v /= 10)
			text[i] = (char)('0' + v % 10);
		put_frame('X', text, 3);
		agent.child = 0;
		close_it(&agent.to);
	} else if (!agent.ended && agent.to >= 0 && !agent.piece_n &&
		   !agent.asked) {
		put_frame('G', "", 0);
		agent.asked = true;
	}
}

static void write_frame(void)
{
	long n = sys_write(agent.port, agent.out, agent.out_n);

	/* A port takes a frame whole. */
	if (n != -EAGAIN)
		agent.out_n = 0;
}

/*
 * Is anybody at the host's end?  SIGIO tells when that may have changed.  What a request
 * sends may arrive before the kernel knows that its sender is there, so nothing is
 * dropped; frames arrive whole even if the sender is gone.
 */
static void look_at_host(void)
{
	struct pollfd p = { .fd = agent.port, .events = POLLIN };
	struct __kernel_timespec none = { 0, 0 };

	sys(ppoll, &p, 1, &none, 0, 0);
	agent.connected = !(p.revents & POLLHUP);
	if (!agent.connected)
		forget();
}

static void look_at_child(void)
{
	unsigned int wait;

	if (agent.child && !agent.ended &&
	    sys(wait4, agent.child, &wait, 1 /* WNOHANG */, 0) == agent.child) {
		agent.ended = true;
		agent.status = status_of(wait);
	}
}

static void turn(char **envp)
{
	struct signalfd_siginfo si;
	bool idle = agent.out_n == 0;
	struct pollfd p[5] = {
		{ .fd = agent.sigfd, .events = POLLIN },
		{ .fd = agent.connected ? agent.port : -1,
		  .events = (short)(idle ? POLLIN : POLLIN | POLLOUT) },
		{ .fd = idle ? agent.from[0] : -1, .events = POLLIN },
		{ .fd = idle ? agent.from[1] : -1, .events = POLLIN },
		{ .fd = agent.piece_n ? agent.to : -1, .events = POLLOUT },
	};

	sys(ppoll, p, 5, 0, 0, 0);
	while (sys_read(agent.sigfd, &si, sizeof(si)) == sizeof(si))
		;
	look_at_host();
	if (agent.connected)
		port_arrived(envp);
	look_at_child();
	if (agent.piece_n && agent.to >= 0)
		stdin_flush();
	if (agent.out_n)
		write_frame();
	next_frame();
}

void agent_main(char **envp)
{
	uint64_t watch[2] = { 1ul << (SIGCHLD - 1) | 1ul << (SIGIO - 1), 0 };
	long self = sys(getpid);

	sys(setsid);
	sys(rt_sigprocmask, SIG_BLOCK, watch, 0, sizeof(watch));
	agent.sigfd = (int)sys(signalfd4, -1, watch, sizeof(watch),
			       O_CLOEXEC | O_NONBLOCK);
	agent.to = agent.from[0] = agent.from[1] = -1;
	agent.port =
		open_device("/dev/vport0p6", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (agent.port < 0 || agent.sigfd < 0)
		sys_exit(1);
	sys(fcntl, agent.port, F_SETOWN, self);
	sys(fcntl, agent.port, F_SETFL, O_NONBLOCK | FASYNC);
	look_at_host();
	for (;;)
		turn(envp);
}

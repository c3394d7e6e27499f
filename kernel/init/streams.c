// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command's standard streams, which process 1 passes on.  Output goes from the
 * command's pipe to a port.  When the host says that nobody reads any more, the pipe
 * is closed, and the command gets SIGPIPE as usual.  Input comes in frames
 * (include/guest/protocol.h).  Interface: process1.h.
 */
#include "process1.h"

static char buf[65536];

bool pump_out(int *from, int to)
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
		write_all(port[PORT_IN], STDIN_WANTED, 1);
	}
}

void stdin_begin(int to)
{
	in.to = to;
	sys(fcntl, to, F_SETFL, O_NONBLOCK);
	write_all(port[PORT_IN], STDIN_WANTED, 1);
}

void stdin_poll(struct pollfd p[2])
{
	p[0] = (struct pollfd){ .fd = in.to >= 0 ? port[PORT_IN] : -1,
				.events = POLLIN };
	p[1] = (struct pollfd){
		.fd = in.to, .events = (short)(in.sent < in.have ? POLLOUT : 0)
	};
}

void stdin_serve(const struct pollfd p[2])
{
	if (p[0].revents & POLLIN)
		stdin_arrived();
	if (in.to >= 0 && p[1].revents & POLLERR)
		stdin_close();
	if (in.to >= 0 && in.header == 4)
		stdin_flush();
}

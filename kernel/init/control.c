// SPDX-License-Identifier: GPL-2.0-or-later
/* The ports, and the lines of control.  Interface: process1.h, include/guest/protocol.h. */
#include "process1.h"

int port[PORT_IN + 1];

void open_ports(int last)
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

void tell_ready(void)
{
	if (modules_missing[0]) {
		write_all(port[PORT_CTL], CTL_MODULES, 1);
		write_all(port[PORT_CTL], modules_missing,
			  str_len(modules_missing));
		write_all(port[PORT_CTL], "\n", 1);
	}
	write_all(port[PORT_CTL], CTL_READY "\n", 2);
}

/* One line of the host. */
static void host_says(const char *line, int *out, int *err, int tty)
{
	const char *size;

	if (str_eq(line, CTL_CLOSED "1") && *out >= 0) {
		sys_close(*out);
		*out = -1;
	} else if (str_eq(line, CTL_CLOSED "2") && *err >= 0) {
		sys_close(*err);
		*err = -1;
	} else if ((size = str_after(line, CTL_SIZE)) && tty >= 0) {
		conf.ws.ws_row = (unsigned short)str_num(size);
		while (*size && *size != ' ')
			size++;
		conf.ws.ws_col =
			(unsigned short)str_num(*size ? size + 1 : size);
		sys(ioctl, tty, TIOCSWINSZ, &conf.ws);
	}
}

void host_lines(int *out, int *err, int tty)
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

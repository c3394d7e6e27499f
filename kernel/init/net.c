// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loopback device, and eth0 on QEMU's user network.  Interface: process1.h.
 *
 * Left out: other networks.
 */
#include "process1.h"

#include <linux/sockios.h>

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

void loopback_up(void)
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
void network_up(void)
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

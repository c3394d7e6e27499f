// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel modules, and devices that take their time.  Interface: process1.h. */
#include "process1.h"

#include <linux/utsname.h>

char modules_missing[200];

/* Does the kernel's command line have this word? */
static bool cmdline_has(const char *word)
{
	static char text[4096];
	const char *p = text;

	slurp("/proc/cmdline", text, sizeof(text));
	while (*p && !str_after(p, word))
		p++;
	return *p;
}

/* /etc/modules: each line has the name and parameters of a module, in loading order. */
void load_modules(void)
{
	static char text[8192];
	static struct new_utsname uts;
	char *line = text;

	if (cmdline_has(CMDLINE_NO_MODULES) ||
	    slurp("/etc/modules", text, sizeof(text)) <= 0)
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
				put_str(modules_missing,
					sizeof(modules_missing), " ");
				put_str(modules_missing,
					sizeof(modules_missing), line);
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

/*
 * The clock's driver appears with the IOC3, after a search of a 1-wire bus.  Until then
 * the date is in 1970.
 */
void wait_for_date(void)
{
	char set[4] = "";

	for (long t = 0; t < DEVICE_WAIT_US && !str_num(set);
	     t += DEVICE_POLL_US) {
		slurp("/sys/class/rtc/rtc0/hctosys", set, sizeof(set));
		if (!str_num(set))
			sys_sleep_us(DEVICE_POLL_US);
	}
}

/* The IOC3's Ethernet appears with it, too, if the kernel has the driver. */
void wait_for_ethernet(void)
{
	if (sys(faccessat, AT_FDCWD, "/sys/bus/platform/drivers/ioc3-eth", 0))
		return;
	for (long t = 0; t < DEVICE_WAIT_US; t += DEVICE_POLL_US) {
		if (!sys(faccessat, AT_FDCWD, "/sys/class/net/eth0", 0))
			return;
		sys_sleep_us(DEVICE_POLL_US);
	}
}

/*
 * Each 1-wire bus is searched once (the launcher's wire.search_count=1).  A search
 * keeps a CPU busy for about 11 ms.  It must be over before the command starts: a
 * program that samples every millisecond would miss ten samples.
 */
void wait_for_searches(void)
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

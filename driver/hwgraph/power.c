// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Powers the machine off.  Linux's own function for IP27 is an endless loop, so
 * that poweroff -f would hang.  A request to the firmware and a reset of the
 * Hub do it, as in Linux's halt (gda.h).
 *
 *   power_init()  power_exit()
 *
 * Left out: stopping the other processors.  The reset ends them too.
 */
#include <linux/module.h>
#include <linux/reboot.h>
#include <asm/sn/arch.h>
#include "hub.h"
#include "hwgfs.h"

#define PROMOP_POWERDOWN 0x0ead0020 /* gda.h */

static struct sys_off_handler *handler;

static int power_off(struct sys_off_data *data)
{
	int nasid = cputonasid(0);

	hub_write(nasid, R_PI_ERR_STACK_ADDR_A, PROMOP_POWERDOWN);
	hub_write(nasid, R_NI_PORT_RESET,
		  R_NI_PORT_RESET_PORTRESET_MASK |
			  R_NI_PORT_RESET_LOCALRESET_MASK);
	return NOTIFY_DONE;
}

int power_init(void)
{
	handler = register_sys_off_handler(SYS_OFF_MODE_POWER_OFF,
					   SYS_OFF_PRIO_HIGH, power_off, NULL);
	return PTR_ERR_OR_ZERO(handler);
}

void power_exit(void)
{
	unregister_sys_off_handler(handler);
}

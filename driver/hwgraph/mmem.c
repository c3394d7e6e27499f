// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /hw/mmem, to which /dev/mmem is a link: the cycle counter for programs that
 * use <sys/mmem.h>.
 *
 * The counter is the real-time counter of processor 0's Hub.  The kernel's
 * clocks use the same one.  No other register is on its page.
 *
 *   mmem_init()
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <asm/sn/arch.h>
#include <sys/mmem.h>
#include "hub.h"
#include "hwgdev.h"
#include "hwgfs.h"
#include "hwgraph.h"

#define RT_PICOSECONDS 800000 /* hubpi.h: 1.25 MHz */
#define RT_BITS	       52

static_assert(sizeof(mmem_cyclecntr_t) == 16);

static u64 counter_paddr(void)
{
	return SN_PA(0, cputonasid(0), SN_HUB_REGS + R_PI_RT_COUNT);
}

static int mmem_ioctl(struct hwgraph_file *f, unsigned int cmd,
		      void __user *arg, int *rval)
{
	mmem_cyclecntr_t c = {
		.paddr = counter_paddr(),
		.picoseconds = RT_PICOSECONDS,
		.bits = RT_BITS,
	};

	if (cmd != MMEM_CYCLECNTR)
		return -ENOTTY;
	return copy_to_user(arg, &c, sizeof(c)) ? -EFAULT : 0;
}

static int mmem_map(struct hwgraph_file *f, vhandl_t *vt, loff_t off,
		    size_t len, int prot)
{
	u64 page = counter_paddr() & PAGE_MASK;

	if (off != page || len != PAGE_SIZE)
		return -ENXIO;
	return v_mapphys(vt, (void *)(IO_BASE + page), len);
}

static const struct hwgraph_driver mmem_driver = {
	.prefix = "mmem",
	.owner = THIS_MODULE,
	.ioctl = mmem_ioctl,
	.map = mmem_map,
	.map_prot = PROT_READ,
};

int mmem_init(void)
{
	vertex_hdl_t dev;

	return hwgraph_char_device_add(hwgraph_root, "mmem", 0444, &mmem_driver,
				       NULL, &dev);
}

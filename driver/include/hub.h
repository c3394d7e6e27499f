/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only access to the Hubs: registers (include/regs/) and back door of a
 * node, uncached.  @nasid is 0 to 63 and names an existing node.
 */
#ifndef _HUB_H
#define _HUB_H

#include <linux/io.h>
#include <linux/types.h>
#include <asm/addrspace.h>
#include "regs/addr.h"
#include "regs/regs.h"

static inline void __iomem *hub_reg(int nasid, u32 reg)
{
	return (void __iomem *)(IO_BASE + SN_PA(0, nasid, SN_HUB_REGS) + reg);
}

static inline u64 hub_read(int nasid, u32 reg)
{
	return __raw_readq(hub_reg(nasid, reg));
}

static inline void hub_write(int nasid, u32 reg, u64 value)
{
	__raw_writeq(value, hub_reg(nasid, reg));
}

/* Directory and protection words: @off as in regs/addr.h's sn_bd*(). */
static inline void __iomem *hub_backdoor(int nasid, u32 off)
{
	return (void __iomem *)(HSPEC_BASE + SN_PA(0, nasid, off));
}

#endif

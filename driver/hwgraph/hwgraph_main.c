// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hwgfs.ko: starts and ends the hardware graph, its devices and its file
 * system.  hwgfs.h lists the parts.
 */
#include <linux/module.h>
#include "hwg_graph.h"
#include "hwgfs.h"

static int __init hwgfs_module_init(void)
{
	int err;

	err = hwg_graph_init();
	if (err)
		return err;
	err = klgraph_build();
	err = err ?: hwg_dev_init();
	if (err)
		goto no_dev;
	err = nstat_dev_init();
	err = err ?: mmem_init();
	err = err ?: klgraph_inventory();
	err = err ?: power_init();
	if (err)
		goto no_power;
	err = hwgfs_init();
	if (!err)
		return 0;
	power_exit();
no_power:
	hwg_dev_exit();
no_dev:
	hwg_graph_exit();
	return err;
}

static void __exit hwgfs_module_exit(void)
{
	hwgfs_exit();
	power_exit();
	hwg_dev_exit();
	hwg_graph_exit();
}

module_init(hwgfs_module_init);
module_exit(hwgfs_module_exit);
MODULE_ALIAS_FS("hwgfs");
MODULE_DESCRIPTION("Hardware graph and its file system");
MODULE_LICENSE("GPL");

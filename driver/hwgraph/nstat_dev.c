// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices that show the statistics of nstat.c:
 *
 *   /hw/nodenum/N/stat   one node
 *   /hw/stat             the whole machine
 *
 *   nstat_dev_init()
 */
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include "hwgdev.h"
#include "hwgfs.h"
#include "hwgraph.h"
#include "nstat.h"

/* A node device's info is its node + 1; NULL means that it is going. */
static int node_show(vertex_hdl_t dev, struct seq_file *m)
{
	int node = (long)device_info_get(dev) - 1;

	if (node < 0)
		return -ENODEV;
	nstat_show_node(m, node);
	return 0;
}

static int all_show(vertex_hdl_t dev, struct seq_file *m)
{
	nstat_show_all(m);
	return 0;
}

static const struct hwgraph_driver node_driver = {
	.prefix = "nstat",
	.owner = THIS_MODULE,
	.show = node_show,
};

static const struct hwgraph_driver all_driver = {
	.prefix = "nstat",
	.owner = THIS_MODULE,
	.show = all_show,
};

static int add_node(int node)
{
	char path[sizeof("nodenum/64/stat")];
	vertex_hdl_t dev;

	snprintf(path, sizeof(path), "nodenum/%d", node);
	return hwgraph_traverse(hwgraph_root, path, &dev) ?:
		       hwgraph_char_device_add(dev, "stat", 0444, &node_driver,
					       (void *)(node + 1L), &dev);
}

int nstat_dev_init(void)
{
	vertex_hdl_t dev;
	int node, err;

	err = hwgraph_char_device_add(hwgraph_root, "stat", 0444, &all_driver,
				      NULL, &dev);
	for_each_online_node(node)
		err = err ?: add_node(node);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * init_test.ko: a module whose init function takes its time.  It makes the
 * device /hw/init_test, waits @ms milliseconds and then fails with @error, if
 * that is not 0.  Nobody may open the device meanwhile.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include "hwgdev.h"
#include "hwgraph.h"

static unsigned int ms = 1000;
module_param(ms, uint, 0444);
static int error;
module_param(error, int, 0444);

static vertex_hdl_t dev;

static int init_test_show(vertex_hdl_t v, struct seq_file *m)
{
	seq_puts(m, "open\n");
	return 0;
}

static const struct hwgraph_driver driver = {
	.prefix = "init_test",
	.owner = THIS_MODULE,
	.show = init_test_show,
};

static int __init init_test_init(void)
{
	int err;

	err = hwgraph_char_device_add(hwgraph_root, "init_test", 0444, &driver,
				      NULL, &dev);
	if (err)
		return err;
	msleep(ms);
	if (error)
		hwgraph_vertex_destroy(dev);
	return error;
}
module_init(init_test_init);

static void __exit init_test_exit(void)
{
	hwgraph_vertex_destroy(dev);
}
module_exit(init_test_exit);

MODULE_DESCRIPTION("A slow init function, for tests");
MODULE_LICENSE("GPL");

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices of the hardware graph.  A vertex that has a driver is a device: at
 * /hw it is a character special file, whose file operations call the driver's
 * entry points.
 *
 *   hwgraph_char_device_add()  device_info_get()  v_mapphys()
 *
 * Errors are those of hwgraph.h.  All calls may sleep.  hwgraph_vertex_destroy()
 * removes a device.
 *
 * Names follow IRIX; device_info is a pointer of the driver's.
 */
#ifndef _HWGDEV_H
#define _HWGDEV_H

#include <linux/types.h>
#include <asm/sn/types.h> /* vertex_hdl_t */

struct module;
struct page;
struct seq_file;
typedef struct vhandl vhandl_t;

/*
 * An open file of a device.  Mappings hold it too, also after close(2).
 * hwgdev.c makes and frees it.
 */
struct hwgraph_file {
	vertex_hdl_t dev;
	int flag;   /* O_ flags of open(2) */
	void *priv; /* the driver's; NULL before its open */
};

/*
 * A driver: the entry points of an IRIX driver's prefix.  Any of them may be
 * NULL.  Calls on one file may run at the same time.
 */
struct hwgraph_driver {
	const char *prefix;
	struct module *owner; /* held while a file is open */

	/* Called once each for a struct file; no close after a failed open. */
	int (*open)(struct hwgraph_file *f);
	void (*close)(struct hwgraph_file *f);

	/* The program gets *@rval, which is 0 unless set. */
	int (*ioctl)(struct hwgraph_file *f, unsigned int cmd, void __user *arg,
		     int *rval);

	/*
	 * map calls v_mapphys() for the whole of @len.  unmap is called, with
	 * the same @prot, when the last area of that mapping has gone.
	 */
	int (*map)(struct hwgraph_file *f, vhandl_t *vt, loff_t off, size_t len,
		   int prot);
	void (*unmap)(struct hwgraph_file *f, int prot);

	/*
	 * If a driver has page, its map maps nothing.  page returns page @n of
	 * the device when a program first touches it: with a reference, or an
	 * ERR_PTR.
	 */
	struct page *(*page)(struct hwgraph_file *f, pgoff_t n);

	/* Writes the whole text of a device that programs can read. */
	int (*show)(vertex_hdl_t dev, struct seq_file *m);

	/*
	 * The most that a mapping may have: PROT_READ, or PROT_READ |
	 * PROT_WRITE.  More is refused, and so is raising a mapping's rights
	 * later.
	 */
	int map_prot;
};

/*
 * Make the vertex at @path a device of @driver with file mode @mode (0444 and
 * the like).  -EEXIST if it is a device already or edges lead out of it.
 */
int hwgraph_char_device_add(vertex_hdl_t from, const char *path, umode_t mode,
			    const struct hwgraph_driver *driver, void *info,
			    vertex_hdl_t *dev);

void *device_info_get(vertex_hdl_t v);

/*
 * For a driver's map only: make the next @len bytes of the program's mapping
 * show kernel address @addr.  @addr is uncached register pages (xkphys, in the
 * space of that address) or vmalloc_user() memory; the latter must fill the
 * whole mapping.
 */
int v_mapphys(vhandl_t *vt, void *addr, size_t len);

#endif

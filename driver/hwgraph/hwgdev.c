// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Character devices of the hardware graph.  This file has all of Linux that a
 * driver on the graph does not need to know.  File operations look the vertex
 * up and call its driver's entry points (struct hwgraph_driver of hwgdev.h).
 *
 *   program                  here           the driver
 *   open(2), last close(2)   dev_open()     open, close
 *   ioctl(2)                 do_ioctl()     ioctl
 *   mmap(2), last munmap(2)  dev_mmap()     map, unmap
 *   touching a page          area_fault()   page
 *   read(2)                  dev_show()     show
 *
 * All devices share one major number; a device's minor is its vertex handle.
 * An open file holds the vertex and the driver's module.  A mapping never gets
 * more rights than the driver's map_prot, is never executable, gets no more
 * rights by mprotect() and cannot grow by mremap().
 *
 * Left out: write(2), poll(2), block devices.
 */
#include <linux/cdev.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/addrspace.h>
#include "hwg_graph.h"
#include "hwgdev.h"
#include "hwgfs.h"
#include "nstat.h"

/* The first of our device numbers, and the one cdev for all of them. */
static dev_t first_dev;
static struct cdev cdev;

/* What programs do with devices, on the node where they run. */
enum { STAT_OPENS, STAT_READS, STAT_IOCTLS, STAT_MAPS, STAT_FAULTS, NSTATS };

static const char *const stat_names[] = {
	"opens", "reads", "ioctls", "maps", "page faults",
};

static struct nstat stats = {
	.module = "hwgfs",
	.names = stat_names,
	.n = NSTATS,
};

static void count(int what)
{
	nstat_count(&stats, numa_node_id(), what, 1);
}

/*
 * An open file.  Every file has a seq_file, whether its driver shows a text or
 * not, and this is the seq_file's private pointer.  Nothing in it changes while
 * the file is open; dev_release() frees it.
 */
struct open_file {
	struct hwgraph_file f;
	struct hwg_vertex *v; /* with a reference, and one to its module */
};

static struct open_file *open_file_of(struct file *file)
{
	return ((struct seq_file *)file->private_data)->private;
}

static int dev_show(struct seq_file *m, void *unused)
{
	struct hwg_vertex *v = ((struct open_file *)m->private)->v;

	if (v->gone)
		return -ENODEV;
	count(STAT_READS);
	return v->driver->show ? v->driver->show(v->hdl, m) : -EINVAL;
}

/*
 * One mmap(2).  Areas that fork() and splitting make of it share it.  The last
 * area_close() frees it.
 */
struct mapping {
	refcount_t areas;
	struct open_file *o; /* each area's file holds it */
	int prot;	     /* PROT_READ, PROT_WRITE */
};

/* What v_mapphys() needs; dev_mmap() has it while the driver's map runs. */
struct vhandl {
	struct vm_area_struct *vma;
	size_t mapped; /* bytes so far */
};

dev_t hwg_dev_number(const struct hwg_vertex *v)
{
	return MKDEV(MAJOR(first_dev), v->hdl);
}

/*
 * Hold the module of a device, unless it is ending or has not begun.  While its
 * init function runs, its devices exist, but what they need may not; and if
 * init fails the module is freed, whoever holds it.  A module that is held has
 * succeeded, so it ends only when it is held no more.
 */
static bool hold(struct module *owner)
{
	if (!try_module_get(owner))
		return false;
	if (!owner || READ_ONCE(owner->state) == MODULE_STATE_LIVE)
		return true;
	module_put(owner);
	return false;
}

static int dev_open(struct inode *inode, struct file *file)
{
	struct open_file *o;
	struct hwg_vertex *v;
	int err;

	/*
	 * A vertex leaves the graph before its module is freed, and cannot
	 * leave it while we look.
	 */
	down_read(&hwg_sem);
	v = hwg_vertex(iminor(inode));
	if (v && v->driver && hold(v->driver->owner))
		kref_get(&v->ref);
	else
		v = NULL;
	up_read(&hwg_sem);
	if (!v)
		return -ENXIO;
	count(STAT_OPENS);
	err = -ENOMEM;
	o = kzalloc(sizeof(*o), GFP_KERNEL_ACCOUNT);
	if (!o)
		goto no_file;
	o->v = v;
	o->f.dev = v->hdl;
	o->f.flag = file->f_flags;
	err = single_open(file, dev_show, o);
	if (err)
		goto no_seq;
	if (v->driver->open)
		err = v->driver->open(&o->f);
	if (!err)
		return 0;
	single_release(inode, file);
no_seq:
	kfree(o);
no_file:
	module_put(v->driver->owner);
	hwg_put(v);
	return err;
}

static int dev_release(struct inode *inode, struct file *file)
{
	struct open_file *o = open_file_of(file);
	struct hwg_vertex *v = o->v;
	struct module *owner = v->driver->owner;

	if (v->driver->close)
		v->driver->close(&o->f);
	single_release(inode, file);
	kfree(o);
	hwg_put(v);
	module_put(owner);
	return 0;
}

static long do_ioctl(struct file *file, unsigned int cmd, void __user *arg)
{
	struct open_file *o = open_file_of(file);
	struct hwg_vertex *v = o->v;
	int rval = 0, err = -ENOTTY;

	if (v->gone)
		return -ENODEV;
	count(STAT_IOCTLS);
	if (v->driver->ioctl)
		err = v->driver->ioctl(&o->f, cmd, arg, &rval);
	return err ?: rval;
}

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return do_ioctl(file, cmd, (void __user *)arg);
}

#ifdef CONFIG_COMPAT
static long dev_compat_ioctl(struct file *file, unsigned int cmd,
			     unsigned long arg)
{
	return do_ioctl(file, cmd, compat_ptr(arg));
}
#endif

static void area_open(struct vm_area_struct *vma)
{
	struct mapping *m = vma->vm_private_data;

	refcount_inc(&m->areas);
}

static void area_close(struct vm_area_struct *vma)
{
	struct mapping *m = vma->vm_private_data;

	if (!refcount_dec_and_test(&m->areas))
		return;
	if (m->o->v->driver->unmap)
		m->o->v->driver->unmap(&m->o->f, m->prot);
	kfree(m);
}

static vm_fault_t area_fault(struct vm_fault *vmf)
{
	struct mapping *m = vmf->vma->vm_private_data;
	struct hwg_vertex *v = m->o->v;
	struct page *page;

	if (!v->driver->page)
		return VM_FAULT_SIGBUS;
	count(STAT_FAULTS);
	page = v->driver->page(&m->o->f, vmf->pgoff);
	if (IS_ERR(page))
		return PTR_ERR(page) == -ENOMEM ? VM_FAULT_OOM :
						  VM_FAULT_SIGBUS;
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct area_ops = {
	.open = area_open,
	.close = area_close,
	.fault = area_fault,
};

int v_mapphys(vhandl_t *vt, void *addr, size_t len)
{
	struct vm_area_struct *vma = vt->vma;
	unsigned long at = vma->vm_start + vt->mapped;
	unsigned long xkphys = (unsigned long)addr;
	int err;

	if (!PAGE_ALIGNED(addr) || !len || len > vma->vm_end - at)
		return -EINVAL;
	if (is_vmalloc_addr(addr)) {
		if (len != vma->vm_end - vma->vm_start)
			return -EINVAL;
		err = remap_vmalloc_range(vma, addr, 0);
	} else {
		vma->vm_page_prot =
			pgprot_ucattr(vma->vm_page_prot, xkphys >> 57 & 3);
		err = io_remap_pfn_range(vma, at, PHYS_PFN(XPHYSADDR(xkphys)),
					 len, vma->vm_page_prot);
	}
	if (!err)
		vt->mapped += PAGE_ALIGN(len);
	return err;
}
EXPORT_SYMBOL_GPL(v_mapphys);

static int dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct open_file *o = open_file_of(file);
	struct hwg_vertex *v = o->v;
	const struct hwgraph_driver *d = v->driver;
	size_t len = vma->vm_end - vma->vm_start;
	loff_t off = (loff_t)vma->vm_pgoff << PAGE_SHIFT;
	struct vhandl vt = { .vma = vma };
	int prot = PROT_READ, err;
	struct mapping *m;

	if (v->gone || !d->map)
		return -ENODEV;
	count(STAT_MAPS);
	if (vma->vm_pgoff > (LLONG_MAX >> PAGE_SHIFT) ||
	    off + (loff_t)len < off)
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	if (vma->vm_flags & VM_WRITE) {
		if (!(d->map_prot & PROT_WRITE) || !(vma->vm_flags & VM_SHARED))
			return -EACCES;
		prot |= PROT_WRITE;
	}
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | (prot & PROT_WRITE ? 0 : VM_MAYWRITE));
	m = kmalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!m)
		return -ENOMEM;
	refcount_set(&m->areas, 1);
	m->o = o;
	m->prot = prot;
	err = d->map(&o->f, &vt, off, len, prot);
	if (!err && !d->page && vt.mapped != len)
		err = -EIO;
	if (err) {
		kfree(m);
		return err;
	}
	vma->vm_private_data = m;
	vma->vm_ops = &area_ops;
	return 0;
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.open = dev_open,
	.release = dev_release,
	.read = seq_read,
	.unlocked_ioctl = dev_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = dev_compat_ioctl,
#endif
	.mmap = dev_mmap,
	.llseek = seq_lseek,
};

/* --- for drivers --- */

void *device_info_get(vertex_hdl_t hdl)
{
	struct hwg_vertex *v;
	void *info;

	down_read(&hwg_sem);
	v = hwg_vertex(hdl);
	info = v ? v->device_info : NULL;
	up_read(&hwg_sem);
	return info;
}
EXPORT_SYMBOL_GPL(device_info_get);

int hwgraph_char_device_add(vertex_hdl_t from, const char *path, umode_t mode,
			    const struct hwgraph_driver *driver, void *info,
			    vertex_hdl_t *dev)
{
	struct hwg_vertex *v;
	int err;

	down_write(&hwg_sem);
	err = hwg_path_add(from, path, &v);
	if (!err && (v->driver || !list_empty(&v->edges)))
		err = -EEXIST;
	if (!err) {
		v->device_info = info;
		v->mode = mode & 0777;
		v->driver = driver;
		*dev = v->hdl;
	}
	up_write(&hwg_sem);
	return err;
}
EXPORT_SYMBOL_GPL(hwgraph_char_device_add);

/* --- start and end --- */

int hwg_dev_init(void)
{
	int err;

	err = nstat_add(&stats);
	if (err)
		return err;
	err = alloc_chrdev_region(&first_dev, 0, MINORMASK + 1, "hwgraph");
	if (err)
		goto no_region;
	cdev_init(&cdev, &dev_fops);
	cdev.owner = THIS_MODULE;
	err = cdev_add(&cdev, first_dev, MINORMASK + 1);
	if (!err)
		return 0;
	unregister_chrdev_region(first_dev, MINORMASK + 1);
no_region:
	nstat_remove(&stats);
	return err;
}

void hwg_dev_exit(void)
{
	cdev_del(&cdev);
	unregister_chrdev_region(first_dev, MINORMASK + 1);
	nstat_remove(&stats);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hwgfs: the hardware graph as a file system.
 *
 * A vertex is a directory, or a character special file if it is a device.  An
 * edge that is not its vertex's place is a symbolic link to that place.  The
 * file system keeps nothing of its own: every lookup and every use of a cached
 * name asks the graph, so additions and removals of drivers show at once.
 *
 * Left out: creating and removing files.  Users may change modes and owners,
 * which the graph keeps.
 *
 *   hwgfs_init()  hwgfs_exit()
 */
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/statfs.h>
#include <linux/string.h>
#include "hwg_graph.h"
#include "hwgfs.h"

#define HWGFS_MAGIC 0x68776766 /* "hwgf" */

static struct inode *hwgfs_inode(struct super_block *sb, struct hwg_vertex *v,
				 bool link);

static struct hwg_vertex *vertex_of(const struct inode *inode)
{
	return inode->i_private;
}

static void hwgfs_evict(struct inode *inode)
{
	clear_inode(inode);
	if (inode->i_private)
		hwg_put(inode->i_private);
}

static const struct super_operations hwgfs_super_ops = {
	.statfs = simple_statfs,
	.drop_inode = generic_delete_inode,
	.evict_inode = hwgfs_evict,
};

/* --- names --- */

/* Does the dentry still agree with the graph? */
static int hwgfs_revalidate(struct dentry *dentry, unsigned int flags)
{
	struct inode *dir, *inode;
	struct dentry *parent;
	struct hwg_edge *e;
	int good;

	if (flags & LOOKUP_RCU)
		return -ECHILD;
	inode = d_inode(dentry);
	if (!inode)
		return 0;
	parent = dget_parent(dentry);
	dir = d_inode(parent);
	down_read(&hwg_sem);
	e = hwg_edge(vertex_of(dir), dentry->d_name.name, dentry->d_name.len);
	good = !vertex_of(dir)->gone && e && e->to == vertex_of(inode) &&
	       (e->to->place == e) == !S_ISLNK(inode->i_mode) &&
	       !e->to->driver == !S_ISCHR(inode->i_mode);
	if (good && !S_ISLNK(inode->i_mode)) {
		inode->i_mode = (inode->i_mode & S_IFMT) | e->to->mode;
		inode->i_uid = e->to->uid;
		inode->i_gid = e->to->gid;
	}
	up_read(&hwg_sem);
	dput(parent);
	return good;
}

static const struct dentry_operations hwgfs_dentry_ops = {
	.d_revalidate = hwgfs_revalidate,
	.d_delete = always_delete_dentry,
};

static struct dentry *hwgfs_lookup(struct inode *dir, struct dentry *dentry,
				   unsigned int flags)
{
	struct inode *inode = NULL;
	struct hwg_edge *e;

	if (dentry->d_name.len >= HWGRAPH_LABEL_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	down_read(&hwg_sem);
	e = hwg_edge(vertex_of(dir), dentry->d_name.name, dentry->d_name.len);
	if (e)
		inode = hwgfs_inode(dir->i_sb, e->to, e->to->place != e);
	up_read(&hwg_sem);
	return d_splice_alias(inode, dentry);
}

/*
 * Names come in the order of the edges.  The file's position is 2, for "." and
 * "..", plus the number of names already given.
 */
static int hwgfs_iterate(struct file *file, struct dir_context *ctx)
{
	struct hwg_vertex *v = vertex_of(file_inode(file));
	struct hwg_edge *e;
	loff_t n = 2;

	if (!dir_emit_dots(file, ctx))
		return 0;
	down_read(&hwg_sem);
	list_for_each_entry(e, &v->edges, list) {
		unsigned int type = e->to->driver ? DT_CHR : DT_DIR;

		if (n++ < ctx->pos)
			continue;
		if (e->to->place != e)
			type = DT_LNK;
		if (!dir_emit(ctx, e->label, strlen(e->label), e->to->hdl,
			      type))
			break;
		ctx->pos++;
	}
	up_read(&hwg_sem);
	return 0;
}

static const struct file_operations hwgfs_dir_fops = {
	.owner = THIS_MODULE,
	.read = generic_read_dir,
	.iterate_shared = hwgfs_iterate,
	.llseek = generic_file_llseek,
};

/* --- attributes --- */

static int hwgfs_setattr(struct mnt_idmap *idmap, struct dentry *dentry,
			 struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct hwg_vertex *v = vertex_of(inode);
	int err;

	if (attr->ia_valid & ATTR_SIZE)
		return -EPERM;
	err = setattr_prepare(idmap, dentry, attr);
	if (err)
		return err;
	setattr_copy(idmap, inode, attr);
	down_write(&hwg_sem);
	v->mode = inode->i_mode & 07777;
	v->uid = inode->i_uid;
	v->gid = inode->i_gid;
	up_write(&hwg_sem);
	return 0;
}

static const char *hwgfs_get_link(struct dentry *dentry, struct inode *inode,
				  struct delayed_call *done)
{
	char *path;
	int err;

	if (!dentry)
		return ERR_PTR(-ECHILD);
	path = kmalloc(HWGRAPH_PATH_MAX, GFP_KERNEL);
	if (!path)
		return ERR_PTR(-ENOMEM);
	down_read(&hwg_sem);
	err = hwg_path(vertex_of(inode), path, HWGRAPH_PATH_MAX);
	up_read(&hwg_sem);
	if (err) {
		kfree(path);
		return ERR_PTR(err);
	}
	set_delayed_call(done, kfree_link, path);
	return path;
}

static int hwgfs_getattr(struct mnt_idmap *idmap, const struct path *path,
			 struct kstat *stat, u32 mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);
	char *name;

	generic_fillattr(idmap, mask, inode, stat);
	if (!S_ISLNK(inode->i_mode))
		return 0;
	/* A link's size is its target's length. */
	name = kmalloc(HWGRAPH_PATH_MAX, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	down_read(&hwg_sem);
	if (!hwg_path(vertex_of(inode), name, HWGRAPH_PATH_MAX))
		stat->size = strlen(name);
	up_read(&hwg_sem);
	kfree(name);
	return 0;
}

static const struct inode_operations hwgfs_dir_iops = {
	.lookup = hwgfs_lookup,
	.setattr = hwgfs_setattr,
};

static const struct inode_operations hwgfs_dev_iops = {
	.setattr = hwgfs_setattr,
};

static const struct inode_operations hwgfs_link_iops = {
	.get_link = hwgfs_get_link,
	.getattr = hwgfs_getattr,
};

/* An inode for @v; the caller holds hwg_sem. */
static struct inode *hwgfs_inode(struct super_block *sb, struct hwg_vertex *v,
				 bool link)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return ERR_PTR(-ENOMEM);
	kref_get(&v->ref);
	inode->i_private = v;
	inode->i_ino = v->hdl;
	simple_inode_init_ts(inode);
	if (link) {
		inode->i_ino = get_next_ino() | 1UL << 32;
		inode->i_mode = S_IFLNK | 0777;
		inode->i_op = &hwgfs_link_iops;
		return inode;
	}
	inode->i_uid = v->uid;
	inode->i_gid = v->gid;
	if (v->driver) {
		init_special_inode(inode, S_IFCHR | v->mode, hwg_dev_number(v));
		inode->i_op = &hwgfs_dev_iops;
	} else {
		inode->i_mode = S_IFDIR | v->mode;
		inode->i_op = &hwgfs_dir_iops;
		inode->i_fop = &hwgfs_dir_fops;
		/* One link: the number of subdirectories is not counted. */
	}
	return inode;
}

/* --- mount --- */

static int hwgfs_fill(struct super_block *sb, struct fs_context *fc)
{
	struct inode *root;

	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = HWGFS_MAGIC;
	sb->s_op = &hwgfs_super_ops;
	sb->s_d_op = &hwgfs_dentry_ops;
	sb->s_time_gran = 1;
	/* SB_I_NODEV stays clear, because devices are to be opened here. */
	down_read(&hwg_sem);
	root = hwgfs_inode(sb, hwg_vertex(hwgraph_root), false);
	up_read(&hwg_sem);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

static int hwgfs_get_tree(struct fs_context *fc)
{
	return get_tree_single(fc, hwgfs_fill);
}

static const struct fs_context_operations hwgfs_context_ops = {
	.get_tree = hwgfs_get_tree,
};

static int hwgfs_init_context(struct fs_context *fc)
{
	fc->ops = &hwgfs_context_ops;
	return 0;
}

static struct file_system_type hwgfs_type = {
	.owner = THIS_MODULE,
	.name = "hwgfs",
	.init_fs_context = hwgfs_init_context,
	.kill_sb = kill_anon_super,
};

int hwgfs_init(void)
{
	return register_filesystem(&hwgfs_type);
}

void hwgfs_exit(void)
{
	unregister_filesystem(&hwgfs_type);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hardware graph: vertices, edges and information.  hwgraph.h has the
 * interface for drivers, hwg_graph.h the one for the files of this module.
 *
 * Left out: files.  hwgdev.c and hwgfs_vfs.c show the graph to programs.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>
#include "hwg_graph.h"

/* hwg_sem guards it.  Freed when it is removed or its vertex is. */
struct hwg_info {
	struct list_head list; /* in the vertex's infos */
	void *info;	       /* the driver's */
	char label[];
};

DECLARE_RWSEM(hwg_sem);

/*
 * Vertices by handle; hwg_sem guards it.  Numbers are given out in a cycle, so
 * a stale handle finds nothing.
 */
static DEFINE_XARRAY_ALLOC1(vertices);
static u32 next_handle;

const vertex_hdl_t hwgraph_root = 1;
EXPORT_SYMBOL_GPL(hwgraph_root);

static void vertex_release(struct kref *ref)
{
	kfree(container_of(ref, struct hwg_vertex, ref));
}

void hwg_put(struct hwg_vertex *v)
{
	kref_put(&v->ref, vertex_release);
}

struct hwg_vertex *hwg_vertex(vertex_hdl_t hdl)
{
	return xa_load(&vertices, hdl);
}

static struct hwg_vertex *vertex_new(void)
{
	struct hwg_vertex *v = kzalloc(sizeof(*v), GFP_KERNEL);
	int err;

	if (!v)
		return ERR_PTR(-ENOMEM);
	kref_init(&v->ref);
	INIT_LIST_HEAD(&v->edges);
	INIT_LIST_HEAD(&v->infos);
	v->mode = 0555;
	err = xa_alloc_cyclic(&vertices, &v->hdl, v, xa_limit_31b, &next_handle,
			      GFP_KERNEL);
	if (err < 0) {
		kfree(v);
		return ERR_PTR(err);
	}
	return v;
}

struct hwg_edge *hwg_edge(struct hwg_vertex *from, const char *label,
			  size_t len)
{
	struct hwg_edge *e;

	list_for_each_entry(e, &from->edges, list)
		if (!strncmp(e->label, label, len) && !e->label[len])
			return e;
	return NULL;
}

static bool good_label(const char *label, size_t len)
{
	return len && len < HWGRAPH_LABEL_MAX && !memchr(label, '/', len) &&
	       !(len == 1 && label[0] == '.') &&
	       !(len == 2 && label[0] == '.' && label[1] == '.');
}

/* The order of a directory: numbers by value, all other labels as text. */
static bool label_before(const char *a, const char *b)
{
	unsigned int x, y;

	if (!kstrtouint(a, 10, &x) && !kstrtouint(b, 10, &y))
		return x < y;
	return strcmp(a, b) < 0;
}

static int edge_add(struct hwg_vertex *from, struct hwg_vertex *to,
		    const char *label, size_t len)
{
	struct hwg_edge *e, *next;

	if (!good_label(label, len) || from->driver)
		return -EINVAL;
	if (hwg_edge(from, label, len))
		return -EEXIST;
	e = kzalloc(struct_size(e, label, len + 1), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	memcpy(e->label, label, len);
	e->to = to;
	list_for_each_entry(next, &from->edges, list)
		if (label_before(e->label, next->label))
			break;
	list_add_tail(&e->list, &next->list);
	if (!to->place && to->hdl != hwgraph_root) {
		to->place = e;
		to->parent = from;
	}
	return 0;
}

static void edge_free(struct hwg_edge *e)
{
	if (e->to->place == e) {
		e->to->place = NULL;
		e->to->parent = NULL;
	}
	list_del(&e->list);
	kfree(e);
}

/* Take the vertex out of the graph.  Files that refer to it keep it allocated. */
static void vertex_remove(struct hwg_vertex *v)
{
	struct hwg_edge *e, *next_e;
	struct hwg_info *info, *next_info;
	struct hwg_vertex *from;
	unsigned long hdl;

	xa_for_each(&vertices, hdl, from)
		list_for_each_entry_safe(e, next_e, &from->edges, list)
			if (e->to == v || from == v)
				edge_free(e);
	list_for_each_entry_safe(info, next_info, &v->infos, list) {
		list_del(&info->list);
		kfree(info);
	}
	xa_erase(&vertices, v->hdl);
	v->gone = true;
	hwg_put(v);
}

/* One step along a path: sets the first label's length, returns the rest. */
static const char *step(const char *path, size_t *len)
{
	const char *end = strchrnul(path, '/');

	*len = end - path;
	return *end ? end + 1 : end;
}

/* Follow @path, which may be "", from @from; *@to is the last vertex. */
static int walk(struct hwg_vertex *from, const char *path, bool make,
		struct hwg_vertex **to)
{
	struct hwg_vertex *v;
	struct hwg_edge *e;
	const char *label;
	size_t len;
	int err;

	while (*path) {
		label = path;
		path = step(path, &len);
		e = hwg_edge(from, label, len);
		if (e) {
			from = e->to;
			continue;
		}
		if (!make)
			return -ENOENT;
		v = vertex_new();
		if (IS_ERR(v))
			return PTR_ERR(v);
		err = edge_add(from, v, label, len);
		if (err) {
			vertex_remove(v);
			return err;
		}
		from = v;
	}
	*to = from;
	return 0;
}

int hwg_path_add(vertex_hdl_t from, const char *path, struct hwg_vertex **to)
{
	struct hwg_vertex *v = hwg_vertex(from);

	return v ? walk(v, path, true, to) : -EINVAL;
}

int hwgraph_path_add(vertex_hdl_t from, const char *path, vertex_hdl_t *to)
{
	struct hwg_vertex *last;
	int err;

	down_write(&hwg_sem);
	err = hwg_path_add(from, path, &last);
	if (!err)
		*to = last->hdl;
	up_write(&hwg_sem);
	return err;
}
EXPORT_SYMBOL_GPL(hwgraph_path_add);

int hwgraph_traverse(vertex_hdl_t from, const char *path, vertex_hdl_t *to)
{
	struct hwg_vertex *v, *last;
	int err;

	down_read(&hwg_sem);
	v = hwg_vertex(from);
	err = v ? walk(v, path, false, &last) : -EINVAL;
	if (!err)
		*to = last->hdl;
	up_read(&hwg_sem);
	return err;
}
EXPORT_SYMBOL_GPL(hwgraph_traverse);

int hwgraph_edge_get(vertex_hdl_t from, const char *label, vertex_hdl_t *to)
{
	if (!good_label(label, strlen(label)))
		return -EINVAL;
	return hwgraph_traverse(from, label, to);
}
EXPORT_SYMBOL_GPL(hwgraph_edge_get);

int hwgraph_edge_add(vertex_hdl_t from, vertex_hdl_t to, const char *label)
{
	struct hwg_vertex *f, *t;
	int err = -EINVAL;

	down_write(&hwg_sem);
	f = hwg_vertex(from);
	t = hwg_vertex(to);
	if (f && t)
		err = edge_add(f, t, label, strlen(label));
	up_write(&hwg_sem);
	return err;
}
EXPORT_SYMBOL_GPL(hwgraph_edge_add);

int hwgraph_vertex_destroy(vertex_hdl_t hdl)
{
	struct hwg_vertex *v;
	int err = -EINVAL;

	down_write(&hwg_sem);
	v = hwg_vertex(hdl);
	if (v && hdl != hwgraph_root) {
		err = list_empty(&v->edges) ? 0 : -EBUSY;
		if (!err)
			vertex_remove(v);
	}
	up_write(&hwg_sem);
	return err;
}
EXPORT_SYMBOL_GPL(hwgraph_vertex_destroy);

/* The path is written from the end of @buf backwards, then moved to its start. */
int hwg_path(struct hwg_vertex *v, char *buf, size_t len)
{
	static const char mount[] = "/hw";
	size_t at = len - 1, n;

	buf[at] = 0;
	for (; v->place; v = v->parent) {
		n = strlen(v->place->label);
		if (at < n + sizeof(mount))
			return -ENAMETOOLONG;
		at -= n;
		memcpy(buf + at, v->place->label, n);
		buf[--at] = '/';
	}
	if (v->hdl != hwgraph_root)
		return -ENOENT;
	at -= sizeof(mount) - 1;
	memcpy(buf + at, mount, sizeof(mount) - 1);
	memmove(buf, buf + at, len - at);
	return 0;
}

int vertex_to_name(vertex_hdl_t hdl, char *buf, size_t len)
{
	struct hwg_vertex *v;
	int err = -EINVAL;

	if (len < sizeof("/hw"))
		return -ENAMETOOLONG;
	down_read(&hwg_sem);
	v = hwg_vertex(hdl);
	if (v)
		err = hwg_path(v, buf, len);
	up_read(&hwg_sem);
	return err;
}
EXPORT_SYMBOL_GPL(vertex_to_name);

/* --- information --- */

static struct hwg_info *info_find(struct hwg_vertex *v, const char *label)
{
	struct hwg_info *info;

	list_for_each_entry(info, &v->infos, list)
		if (!strcmp(info->label, label))
			return info;
	return NULL;
}

int hwgraph_info_add_LBL(vertex_hdl_t hdl, const char *label, void *p)
{
	size_t len = strlen(label);
	struct hwg_info *info;
	struct hwg_vertex *v;
	int err = 0;

	if (!good_label(label, len))
		return -EINVAL;
	info = kmalloc(struct_size(info, label, len + 1), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	memcpy(info->label, label, len + 1);
	info->info = p;
	down_write(&hwg_sem);
	v = hwg_vertex(hdl);
	if (!v)
		err = -EINVAL;
	else if (info_find(v, label))
		err = -EEXIST;
	else
		list_add_tail(&info->list, &v->infos);
	up_write(&hwg_sem);
	if (err)
		kfree(info);
	return err;
}
EXPORT_SYMBOL_GPL(hwgraph_info_add_LBL);

int hwgraph_info_get_LBL(vertex_hdl_t hdl, const char *label, void **p)
{
	struct hwg_info *info = NULL;
	struct hwg_vertex *v;

	down_read(&hwg_sem);
	v = hwg_vertex(hdl);
	if (v)
		info = info_find(v, label);
	if (info)
		*p = info->info;
	up_read(&hwg_sem);
	return info ? 0 : v ? -ENOENT : -EINVAL;
}
EXPORT_SYMBOL_GPL(hwgraph_info_get_LBL);

/* --- start and end --- */

int hwg_graph_init(void)
{
	struct hwg_vertex *root;

	down_write(&hwg_sem);
	root = vertex_new();
	up_write(&hwg_sem);
	return PTR_ERR_OR_ZERO(root);
}

void hwg_graph_exit(void)
{
	struct hwg_vertex *v;
	unsigned long hdl;

	down_write(&hwg_sem);
	xa_for_each(&vertices, hdl, v)
		vertex_remove(v);
	up_write(&hwg_sem);
	xa_destroy(&vertices);
}

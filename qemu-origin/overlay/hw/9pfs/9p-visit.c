/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a share that a guest has mounted: see 9p-visit.h.
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * A share's state is its numbers of files and the guest's handles of them
 * (fids).  Descriptors are opened anew by the paths of the handles.
 */
#include "qemu/osdep.h"
#include <ftw.h>
#include "qapi/error.h"
#include "qemu/xxhash.h"
#include "virtio-9p.h"
#include "9p-visit.h"

#define NAME_MAX_BYTES PATH_MAX

typedef struct Visit {
    V9fsVisitor *v;
    V9fsState *s;
    Error **errp;
    bool ok;
} Visit;

static void move(Visit *o, void *p, size_t n)
{
    o->v->move(o->v, p, n);
}

#define MOVE(o, x) move(o, &(x), sizeof(x))

/* --- numbers of files --- */

/* nftw() carries no argument. */
static struct {
    Visit *o;
    size_t root; /* length of the share's path */
} walk;

static uint32_t entry_hash(const QpfEntry *e)
{
    return qemu_xxhash4(e->ino, e->dev); /* as qpf_hash() in 9p.c */
}

static int save_number(const char *path, const struct stat *st, int type,
                       struct FTW *ftw)
{
    QpfEntry key = { .dev = st->st_dev, .ino = st->st_ino }, *e;
    uint32_t len = strlen(path + walk.root);

    e = qht_lookup(&walk.o->s->qpf_table, &key, entry_hash(&key));
    if (e) {
        len++; /* 0 ends the list; the root's path is empty */
        MOVE(walk.o, len);
        move(walk.o, (void *)(path + walk.root), len - 1);
        MOVE(walk.o, e->path);
    }
    return 0;
}

static bool load_number(Visit *o, const char *name)
{
    g_autofree char *path = g_strconcat(o->s->ctx.fs_root, name, NULL);
    QpfEntry *e;
    struct stat st;

    if (lstat(path, &st) < 0) {
        error_setg_errno(o->errp, errno, "the share's %s", path);
        return false;
    }
    e = g_new0(QpfEntry, 1);
    e->dev = st.st_dev;
    e->ino = st.st_ino;
    MOVE(o, e->path);
    qht_insert(&o->s->qpf_table, e, entry_hash(e), NULL);
    return true;
}

static bool numbers(Visit *o)
{
    char name[NAME_MAX_BYTES];
    uint32_t len = 0;

    MOVE(o, o->s->qp_fullpath_next);
    MOVE(o, o->s->qp_ndevices);
    if (!o->v->loading) {
        walk.o = o;
        walk.root = strlen(o->s->ctx.fs_root);
        nftw(o->s->ctx.fs_root, save_number, 32, FTW_PHYS);
        MOVE(o, len);
        return true;
    }
    while (true) {
        MOVE(o, len);
        if (!len) {
            return true;
        }
        if (len > sizeof(name)) {
            error_setg(o->errp, "a path of the share is too long");
            return false;
        }
        move(o, name, len - 1);
        name[len - 1] = 0;
        if (!load_number(o, name)) {
            return false;
        }
    }
}

/* --- handles --- */

/* Can the handle be opened again by its path? */
static bool can_reopen(Visit *o, V9fsFidState *f)
{
    V9fsState *s = o->s;
    struct stat st, now;

    if (f->ref || f->clunked) {
        error_setg(o->errp, "a request of the share is under way");
        return false;
    }
    if (f->fid_type == P9_FID_XATTR) {
        error_setg(o->errp, "an extended attribute of %s is open",
                   f->path.data);
        return false;
    }
    if (f->fid_type == P9_FID_FILE && f->fs.fd >= 0 &&
        (fstat(f->fs.fd, &st) < 0 || s->ops->lstat(&s->ctx, &f->path, &now) ||
         st.st_ino != now.st_ino || st.st_dev != now.st_dev)) {
        error_setg(o->errp, "the share's %s is open and deleted", f->path.data);
        return false;
    }
    if (f->fid_type == P9_FID_DIR && f->fs.dir.stream &&
        s->ops->telldir(&s->ctx, &f->fs) != 0) {
        struct dirent *e;
        long at = s->ops->telldir(&s->ctx, &f->fs);

        /* One that was read to its end will not be read on. */
        e = s->ops->readdir(&s->ctx, &f->fs);
        s->ops->seekdir(&s->ctx, &f->fs, at);
        if (e) {
            error_setg(o->errp, "the share's directory %s is half read",
                       f->path.data);
            return false;
        }
    }
    return true;
}

static bool reopen(Visit *o, V9fsFidState *f)
{
    V9fsState *s = o->s;
    /* What creates or empties a file has been done. */
    int flags = f->open_flags & ~(O_CREAT | O_EXCL | O_TRUNC), ret = 0;

    v9fs_readdir_init(s->proto_version, &f->fs.dir);
    v9fs_readdir_init(s->proto_version, &f->fs_reclaim.dir);
    if (f->fid_type == P9_FID_FILE) {
        ret = s->ops->open(&s->ctx, &f->path, flags, &f->fs);
    } else if (f->fid_type == P9_FID_DIR) {
        ret = s->ops->opendir(&s->ctx, &f->path, &f->fs);
    }
    if (ret < 0) {
        error_setg_errno(o->errp, errno, "the share's %s", f->path.data);
        return false;
    }
    if (f->fid_type == P9_FID_FILE || f->fid_type == P9_FID_DIR) {
        total_open_fd++;
    }
    return true;
}

/*
 * The host's backend takes paths that begin in the share and have no empty names.
 * It ends QEMU for others, and ".." would leave the share.
 */
static bool path_is_possible(const char *path, uint32_t size)
{
    g_auto(GStrv) name = NULL;

    if (path[size - 1] || strlen(path) != size - 1) {
        return false;
    }
    name = g_strsplit(path, "/", -1);
    for (int i = 0; name[i]; i++) {
        if (!*name[i] || !strcmp(name[i], "..")) {
            return false;
        }
    }
    return name[0] != NULL;
}

static bool fid(Visit *o, V9fsFidState *f)
{
    uint32_t size = f->path.size;

    MOVE(o, f->fid);
    MOVE(o, f->fid_type);
    MOVE(o, f->flags);
    MOVE(o, f->open_flags);
    MOVE(o, f->uid);
    MOVE(o, size);
    if (size > NAME_MAX_BYTES || (o->v->loading && !size)) {
        error_setg(o->errp, "a path of the share is too long");
        return false;
    }
    if (o->v->loading) {
        f->path.size = size;
        f->path.data = g_malloc0(size);
    }
    move(o, f->path.data, size);
    if (o->v->loading &&
        (!path_is_possible(f->path.data, size) ||
         (f->fid_type != P9_FID_NONE && f->fid_type != P9_FID_FILE &&
          f->fid_type != P9_FID_DIR))) {
        error_setg(o->errp, "a handle of the share is damaged");
        g_free(f->path.data);
        return false;
    }
    return true;
}

static bool save_fids(Visit *o)
{
    uint32_t n = g_hash_table_size(o->s->fids);
    GHashTableIter iter;
    V9fsFidState *f;

    MOVE(o, n);
    g_hash_table_iter_init(&iter, o->s->fids);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&f)) {
        if (!can_reopen(o, f) || !fid(o, f)) {
            return false;
        }
    }
    return true;
}

static bool load_fids(Visit *o)
{
    uint32_t n = 0;

    MOVE(o, n);
    while (n--) {
        V9fsFidState *f = g_new0(V9fsFidState, 1);

        if (!fid(o, f)) {
            g_free(f);
            return false;
        }
        g_hash_table_insert(o->s->fids, GINT_TO_POINTER(f->fid), f);
        if (!reopen(o, f)) {
            return false;
        }
    }
    return true;
}

/* --- a share --- */

static bool share(Visit *o)
{
    V9fsState *s = o->s;
    bool mounted = s->migration_blocker, had = mounted;

    if (!QLIST_EMPTY(&s->active_list)) {
        error_setg(o->errp, "a request of the share is under way");
        return false;
    }
    MOVE(o, s->proto_version);
    MOVE(o, s->msize);
    MOVE(o, s->root_fid);
    MOVE(o, mounted);
    if (o->v->loading && mounted &&
        (s->msize < P9_MIN_MSIZE || s->msize > s->transport->msize_limit(s))) {
        error_setg(o->errp, "the size of the share's messages is damaged");
        return false;
    }
    if (o->v->loading && mounted) {
        /* As the request of the guest that mounts does it */
        if (lstat(s->ctx.fs_root, &s->root_st) < 0) {
            error_setg_errno(o->errp, errno, "%s", s->ctx.fs_root);
            return false;
        }
        if (!had) {
            error_setg(&s->migration_blocker, "the share '%s' is mounted",
                       s->tag);
        }
    }
    if (!numbers(o)) {
        return false;
    }
    return o->v->loading ? load_fids(o) : save_fids(o);
}

static int each_share(Object *obj, void *opaque)
{
    Visit *o = opaque;

    if (o->ok && object_dynamic_cast(obj, TYPE_VIRTIO_9P)) {
        o->s = &VIRTIO_9P(obj)->state;
        o->ok = share(o);
    }
    return 0;
}

bool v9fs_visit(V9fsVisitor *v, Error **errp)
{
    Visit o = { .v = v, .errp = errp, .ok = true };

    object_child_foreach_recursive(object_get_root(), each_share, &o);
    return o.ok;
}

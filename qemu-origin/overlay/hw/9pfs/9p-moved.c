/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a share that are copied elsewhere: see 9p-moved.h. */
#include "qemu/osdep.h"
#include <ftw.h>
#include "qemu/xxhash.h"
#include "virtio-9p.h"
#include "9p-moved.h"

/* nftw() carries no argument. */
static struct {
    V9fsState *s;
    const char *from, *to;
    GPtrArray *found; /* QpfEntry of the copies */
} walk;

static uint32_t entry_hash(const QpfEntry *e)
{
    return qemu_xxhash4(e->ino, e->dev); /* as qpf_hash() in 9p.c */
}

static QpfEntry *entry_of(const struct stat *st)
{
    QpfEntry key = { .dev = st->st_dev, .ino = st->st_ino };

    return qht_lookup(&walk.s->qpf_table, &key, entry_hash(&key));
}

static int walk_one(const char *path, const struct stat *st, int type,
                    struct FTW *ftw)
{
    const QpfEntry *e = entry_of(st);
    g_autofree char *copy = NULL;
    struct stat to;

    if (e) {
        copy = g_strconcat(walk.to, path + strlen(walk.from), NULL);
        if (lstat(copy, &to) == 0) {
            QpfEntry *new = g_new0(QpfEntry, 1);

            *new = (QpfEntry){ .dev = to.st_dev,
                               .ino = to.st_ino,
                               .path = e->path };
            g_ptr_array_add(walk.found, new);
        }
    }
    return 0;
}

static int moved(Object *obj, void *opaque)
{
    unsigned i;

    if (!object_dynamic_cast(obj, TYPE_VIRTIO_9P)) {
        return 0;
    }
    walk.s = &VIRTIO_9P(obj)->state;
    walk.found = g_ptr_array_new();
    nftw(walk.from, walk_one, 32, FTW_PHYS);
    for (i = 0; i < walk.found->len; i++) {
        QpfEntry *new = g_ptr_array_index(walk.found, i);
        /* The number of a file that was deleted, whose inode the copy has */
        QpfEntry *old = qht_lookup(&walk.s->qpf_table, new, entry_hash(new));

        if (old) {
            qht_remove(&walk.s->qpf_table, old, entry_hash(old));
        }
        qht_insert(&walk.s->qpf_table, new, entry_hash(new), NULL);
    }
    g_ptr_array_free(walk.found, true);
    return 0;
}

void v9fs_files_moved(const char *from, const char *to)
{
    walk.from = from;
    walk.to = to;
    object_child_foreach_recursive(object_get_root(), moved, NULL);
}

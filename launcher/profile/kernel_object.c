// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects of the kernel.  Interface: kernel_object.h. */
#include "kernel_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Structures of caches.  Looking for a name that the debug information lacks takes long, so only these are looked for.
 * Source: the names with which Linux 6.12 makes its caches.
 */
static const struct {
    const char *cache, *structure;
} caches[] = {
    { "mm_struct", "mm_struct" },
    { "vm_area_struct", "vm_area_struct" },
    { "task_struct", "task_struct" },
    { "signal_cache", "signal_struct" },
    { "sighand_cache", "sighand_struct" },
    { "files_cache", "files_struct" },
    { "fs_cache", "fs_struct" },
    { "filp", "file" },
    { "dentry", "dentry" },
    { "inode_cache", "inode" },
    { "anon_vma", "anon_vma" },
    { "anon_vma_chain", "anon_vma_chain" },
    { "maple_node", "maple_node" },
    { "pid", "pid" },
    { "cred", "cred" },
    { "cred_jar", "cred" },
    { "nsproxy", "nsproxy" },
    { "sigqueue", "sigqueue" },
    { "radix_tree_node", "xa_node" },
    { "vmap_area", "vmap_area" },
    { "kernfs_node_cache", "kernfs_node" },
    { "mnt_cache", "mount" },
    { "proc_inode_cache", "proc_inode" },
    { "shmem_inode_cache", "shmem_inode_info" },
    { "sock_inode_cache", "socket_alloc" },
    { "buffer_head", "buffer_head" },
    { "skbuff_head_cache", "sk_buff" },
    { "eventpoll_epi", "epitem" },
    { "file_lock_cache", "file_lock" },
    { "pool_workqueue", "pool_workqueue" },
    { "kmem_cache", "kmem_cache" },
    { "kmem_cache_node", "kmem_cache_node" },
};

static const char *structure_of(const char *cache)
{
    for (size_t i = 0; i < G_N_ELEMENTS(caches); i++)
        if (!strcmp(caches[i].cache, cache))
            return caches[i].structure;
    return NULL;
}

static void find_type(struct kernel_use *u, struct image *kernel, const char *structure)
{
    uint64_t type = kernel && structure ? image_named_type(kernel, 0, structure) : 0;

    if (type && image_type_is_structure(kernel, type) && image_type_size(kernel, type) <= u->stride)
        u->type = type;
}

static struct kernel_use *new_use(struct image *kernel, const char *how)
{
    struct kernel_use *u = g_new0(struct kernel_use, 1);
    char name[64];

    u->where = g_strdup("");
    if (sscanf(how, "[slab %63[^] ] %" SCNu64 "]", name, &u->stride) == 2) {
        find_type(u, kernel, structure_of(name));
        if (u->type) {
            g_free(u->where);
            u->where = g_strdup_printf("slab %s", name);
            u->name = g_strdup_printf("struct %s", structure_of(name));
        } else {
            u->name = g_strdup_printf("slab %s", name);
        }
    } else if (sscanf(how, "[struct %63[^] ] %" SCNu64 "]", name, &u->stride) == 2) {
        find_type(u, kernel, name);
        u->name = g_strdup_printf("struct %s", name);
    } else {
        u->name = g_strndup(how + 1, strcspn(how + 1, "]"));
    }
    return u;
}

const struct kernel_use *kernel_use(GHashTable *known, struct image *kernel, const char *how)
{
    struct kernel_use *u = *how == '[' ? g_hash_table_lookup(known, how) : NULL;

    if (*how == '[' && !u) {
        u = new_use(kernel, how);
        g_hash_table_insert(known, g_strdup(how), u);
    }
    return u;
}

char *kernel_member(const char *leaf)
{
    GString *s = g_string_new("");

    /* An element of an array is named with its own member, without its number: ".node_zones[].lock". */
    while (*leaf) {
        size_t n = 1 + strcspn(leaf + 1, ".[");

        g_string_append_len(s, leaf, (gssize)n);
        leaf += n;
        if (*leaf != '[')
            break;
        g_string_append(s, "[]");
        leaf += strcspn(leaf, "]");
        leaf += *leaf == ']';
    }
    return g_string_free(s, FALSE);
}

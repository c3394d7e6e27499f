/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a share that a guest has mounted, for who saves a machine
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 */
#ifndef QEMU_9P_VISIT_H
#define QEMU_9P_VISIT_H

/**
 * V9fsVisitor: who saves shares, or puts them back
 * @move: save @n bytes at @p, or load them
 * @loading: which of the two
 */
typedef struct V9fsVisitor V9fsVisitor;
struct V9fsVisitor {
    void (*move)(V9fsVisitor *v, void *p, size_t n);
    bool loading;
};

/**
 * v9fs_visit: save what the guest has of all shares, or load it
 *
 * Files are known by their paths below the share, where they must be at loading.
 * Only for shares whose files are numbered in the order of their use, and with
 * no request under way.
 *
 * Returns false, with @errp, if a file is open and deleted, a directory is
 * half read, an extended attribute is open, or a file cannot be opened again.
 */
bool v9fs_visit(V9fsVisitor *v, Error **errp);

#endif

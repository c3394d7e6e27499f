// SPDX-License-Identifier: GPL-2.0-or-later
/* Where threads wait, and for which object.  Interface: waits.h. */
#include "waits.h"

#include "kernel_locks.h"

/* A path has at most so many calls of a program that are looked at, and so many at all. */
#define OWN_CALLS 64
#define ALL_CALLS 256

/* Functions of the kernel that take a lock, and may sleep for it */
static bool takes_lock(const char *function)
{
    static const struct {
        const char *prefix;
        bool sleeps;
    } locks[] = {
#define X(prefix, sleeps) { #prefix, sleeps },
        KERNEL_LOCKS(X)
#undef X
    };

    for (size_t i = 0; i < G_N_ELEMENTS(locks); i++)
        if (locks[i].sleeps && kernel_lock_begins(function, locks[i].prefix))
            return true;
    return false;
}

/* Goes on with a caller of the kernel: its name becomes that of the lock which it takes by the calls before. */
static void look_for_lock(struct resolver *r, struct wait *w, uint64_t pc, bool *taking)
{
    const char *function = code_at(r, resolve_code(r, NULL, pc - 8))->function;

    if (takes_lock(function))
        *taking = true;
    else if (*taking)
        w->lock = function;
}

/* @w: looks for the lock of the kernel, too; NULL: nobody does. */
static int line_of(const struct profile *p, struct resolver *r, const struct thread *who,
                   uint64_t path, struct wait *w)
{
    int innermost = -1, own = 0, kernel = 0;
    bool taking = false;

    for (int i = 0; path && i < ALL_CALLS && own < OWN_CALLS; i++) {
        const struct call *c = g_hash_table_lookup(p->call_by_path, GSIZE_TO_POINTER(path));
        int code;

        if (!c)
            break;
        path = c->parent;
        if (is_kernel(c->pc)) {
            if (w && !w->lock && kernel++ < OWN_CALLS)
                look_for_lock(r, w, c->pc, &taking);
            continue;
        }
        /* The call is two instructions before where it returns to. */
        code = resolve_code(r, who, c->pc - 8);
        if (resolve_own(r, code))
            return code;
        if (innermost < 0)
            innermost = code;
        own++;
    }
    return innermost;
}

int waits_line(const struct profile *p, struct resolver *r, const struct thread *who, uint64_t path)
{
    return line_of(p, r, who, path, NULL);
}

struct miss waits_load(const struct thread *who, uint64_t address, const struct block *block)
{
    return (struct miss){ .who = who,
                          .pc = UNKNOWN,
                          .address = address,
                          .bytes = 1,
                          .block = block,
                          .kind = g_intern_static_string("load") };
}

void waits_resolve(struct profile *p, struct resolver *r)
{
    for (guint i = 0; i < p->waits->len; i++) {
        struct wait *w = AT(p->waits, struct wait, i);
        struct miss at = waits_load(w->who, w->address, w->block);

        w->code = line_of(p, r, w->who, w->path, w);
        if (w->lock || w->address == UNKNOWN || is_kernel(w->address))
            continue;
        resolve_miss(r, &at);
        w->object = at.object;
        w->place = resolve_place(r, &at);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader of machine descriptions: see dt.h.  It turns a device tree, whose
 * binding is docs/machine-description.md, into struct sn_desc.  An unknown node
 * or property is an error, so that nobody gets a default for a misspelt one.
 *
 * Left out: whether the values make sense together.  sn_topo_build() checks it.
 */
#include <libfdt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dt/dt.h"
#include "fabric/topo.h"
#include "what/what.h"

#define MAX_DEPTH 5 /* root, modules, module, node, cpu */

/* The path to the tree node that is being read; [0] is the root. */
struct place {
    int off[MAX_DEPTH];
    const char *name[MAX_DEPTH];
    unsigned depth;
};

struct reader {
    const void *fdt;
    struct sn_desc *d;
    char *err;
    size_t errlen;
    uint32_t node_ph[SN_MAX_NODES];
    uint32_t router_ph[SN_MAX_ROUTERS];
};

/*
 * Where a property may stand.  One that is inherited may stand at any level
 * above the board that uses it.
 */
enum {
    IN_ROOT = 1,
    IN_MODULES = 2,
    IN_MODULE = 4,
    IN_NODE = 8,
    IN_CPU = 16,
    IN_ROUTER = 32,
    IN_METAS = 64,
    IN_LINKS = 128
};
#define IN_ABOVE_NODE (IN_ROOT | IN_MODULES | IN_MODULE | IN_NODE)

static const struct {
    const char *name;
    unsigned where;
} known[] = {
    { "compatible", IN_ROOT },
    { "model", IN_ROOT },
    { "title", IN_ROOT },
    { "hub-khz", IN_ABOVE_NODE },
    { "directory", IN_ABOVE_NODE },
    { "memory-mb", IN_ABOVE_NODE },
    { "cpu-model", IN_ABOVE_NODE | IN_CPU },
    { "cpu-khz", IN_ABOVE_NODE | IN_CPU },
    { "l2-khz", IN_ABOVE_NODE | IN_CPU },
    { "l2-kb", IN_ABOVE_NODE | IN_CPU },
    { "phandle", IN_NODE | IN_ROUTER },
    { "linux,phandle", IN_NODE | IN_ROUTER },
    { "cables", IN_LINKS },
    { "what", IN_ROOT },
};

static int fail(struct reader *rd, const struct place *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct reader *rd, const struct place *at, const char *fmt, ...)
{
    size_t n = 0;
    va_list ap;

    if (rd->errlen == 0) {
        return -1;
    }
    rd->err[0] = '\0';
    for (unsigned i = 1; i < at->depth && n < rd->errlen; i++) {
        n += snprintf(rd->err + n, rd->errlen - n, "/%.40s", at->name[i]);
    }
    if (at->depth <= 1) {
        n += snprintf(rd->err, rd->errlen, "/");
    }
    if (n < rd->errlen) {
        n += snprintf(rd->err + n, rd->errlen - n, ": ");
    }
    if (n < rd->errlen) {
        va_start(ap, fmt);
        vsnprintf(rd->err + n, rd->errlen - n, fmt, ap);
        va_end(ap);
    }
    /* the message has names of the blob: make it one printable line */
    for (char *c = rd->err; *c; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
    return -1;
}

static struct place child(const struct place *up, int off, const char *name)
{
    struct place at = *up;

    at.off[at.depth] = off;
    at.name[at.depth] = name;
    at.depth++;
    return at;
}

/* The property at this place or the nearest one above; *from gets its place. */
static const void *find(struct reader *rd, const struct place *at,
                        const char *name, int *len, struct place *from)
{
    for (*from = *at; from->depth > 0; from->depth--) {
        const void *v =
            fdt_getprop(rd->fdt, from->off[from->depth - 1], name, len);

        if (v) {
            return v;
        }
    }
    *from = *at;
    return NULL;
}

static int get_string(struct reader *rd, const struct place *at,
                      const char *name, const char **s)
{
    struct place from;
    int len;

    *s = find(rd, at, name, &len, &from);
    if (!*s) {
        return fail(rd, at, "%s: missing", name);
    }
    if (len < 1 || memchr(*s, '\0', len) != *s + len - 1) {
        return fail(rd, &from, "%s: not one string", name);
    }
    return 0;
}

static int get_u32(struct reader *rd, const struct place *at, const char *name,
                   uint32_t *v)
{
    struct place from;
    int len;
    const void *p = find(rd, at, name, &len, &from);

    if (!p) {
        return fail(rd, at, "%s: missing", name);
    }
    if (len != 4) {
        return fail(rd, &from, "%s: %d bytes, one cell wanted", name, len);
    }
    *v = fdt32_ld(p);
    return 0;
}

/* Refuses properties that the binding does not allow at this place. */
static int check_names(struct reader *rd, const struct place *at,
                       unsigned where)
{
    int p;

    fdt_for_each_property_offset(p, rd->fdt, at->off[at->depth - 1]) {
        const char *name;
        unsigned i = 0;

        if (!fdt_getprop_by_offset(rd->fdt, p, &name, NULL)) {
            return fail(rd, at, "unreadable property");
        }
        while (i < sizeof(known) / sizeof(known[0]) &&
               (strcmp(known[i].name, name) || !(known[i].where & where))) {
            i++;
        }
        if (i == sizeof(known) / sizeof(known[0])) {
            return fail(rd, at, "%.40s: unknown property", name);
        }
    }
    return 0;
}

static int no_children(struct reader *rd, const struct place *at)
{
    int off = fdt_first_subnode(rd->fdt, at->off[at->depth - 1]);

    if (off >= 0) {
        return fail(rd, at, "%.40s: unknown node",
                    fdt_get_name(rd->fdt, off, NULL));
    }
    return 0;
}

/* The decimal number that follows the stem in a name; 0 if it is no such name. */
static unsigned unit(const char *name, const char *stem)
{
    size_t n = strlen(stem);
    unsigned v = 0;

    if (strncmp(name, stem, n) || name[n] < '1' || name[n] > '9') {
        return 0;
    }
    for (name += n; *name; name++) {
        if (*name < '0' || *name > '9' || v > 999) {
            return 0;
        }
        v = v * 10 + (*name - '0');
    }
    return v;
}

static int read_cpu(struct reader *rd, const struct place *at,
                    struct sn_cpu_desc *c)
{
    const char *model;
    uint32_t kb;

    if (get_string(rd, at, "cpu-model", &model) < 0) {
        return -1;
    }
    if (!strcmp(model, "R10000")) {
        c->model = SN_CPU_R10000;
    } else if (!strcmp(model, "R12000")) {
        c->model = SN_CPU_R12000;
    } else {
        return fail(rd, at, "cpu-model: %.40s is not R10000 or R12000", model);
    }
    if (get_u32(rd, at, "cpu-khz", &c->khz) < 0 ||
        get_u32(rd, at, "l2-khz", &c->l2_khz) < 0 ||
        get_u32(rd, at, "l2-kb", &kb) < 0) {
        return -1;
    }
    if (kb > 1u << 20) {
        return fail(rd, at, "l2-kb: %u is not 1024, 2048, 4096 or 8192", kb);
    }
    c->l2_bytes = kb << 10;
    return 0;
}

/* Reads cpu@a and cpu@b.  A board that lists no processor has both. */
static int read_cpus(struct reader *rd, const struct place *at,
                     struct sn_node_desc *nd)
{
    bool any = false;
    int off;

    fdt_for_each_subnode(off, rd->fdt, at->off[at->depth - 1]) {
        const char *name = fdt_get_name(rd->fdt, off, NULL);
        struct place here = child(at, off, name);
        unsigned s;

        if (strcmp(name, "cpu@a") && strcmp(name, "cpu@b")) {
            return fail(rd, &here, "no such slot, a node has cpu@a and cpu@b");
        }
        s = name[4] - 'a';
        if (nd->cpu[s].model != SN_CPU_NONE) {
            return fail(rd, &here, "slot taken twice");
        }
        if (check_names(rd, &here, IN_CPU) < 0 || no_children(rd, &here) < 0 ||
            read_cpu(rd, &here, &nd->cpu[s]) < 0) {
            return -1;
        }
        any = true;
    }
    for (unsigned s = 0; s < SN_NODE_CPUS && !any; s++) {
        struct place here =
            child(at, at->off[at->depth - 1], s ? "cpu@b" : "cpu@a");

        if (read_cpu(rd, &here, &nd->cpu[s]) < 0) {
            return -1;
        }
    }
    return 0;
}

static int read_memory(struct reader *rd, const struct place *at,
                       struct sn_node_desc *nd)
{
    struct place from;
    int len;
    const fdt32_t *p = find(rd, at, "memory-mb", &len, &from);

    if (!p) {
        return fail(rd, at, "memory-mb: missing");
    }
    if (len < 4 || len % 4 || len / 4 > SN_NODE_BANKS) {
        return fail(rd, &from, "memory-mb: %d bytes, 1 to %d cells wanted", len,
                    SN_NODE_BANKS);
    }
    for (int b = 0; b < len / 4; b++) {
        nd->bank_mb[b] = fdt32_ld(p + b);
    }
    return 0;
}

/* Notes the phandle of a board; no two boards may share one. */
static int take_phandle(struct reader *rd, const struct place *at,
                        uint32_t *slot)
{
    uint32_t ph = fdt_get_phandle(rd->fdt, at->off[at->depth - 1]);

    if (ph == 0 || ph == UINT32_MAX) {
        return 0;
    }
    for (unsigned n = 0; n < rd->d->nnodes; n++) {
        if (rd->node_ph[n] == ph) {
            return fail(rd, at, "phandle: used twice");
        }
    }
    for (unsigned r = 0; r < rd->d->nrouters; r++) {
        if (rd->router_ph[r] == ph) {
            return fail(rd, at, "phandle: used twice");
        }
    }
    *slot = ph;
    return 0;
}

static int read_node(struct reader *rd, const struct place *at, unsigned module,
                     unsigned slot)
{
    struct sn_desc *d = rd->d;
    unsigned n = d->nnodes;
    struct sn_node_desc *nd = &d->node[n];
    const char *dir;

    if (n == SN_BOARD_NODES) {
        return fail(rd, at, "too many nodes, a machine has at most %d",
                    SN_BOARD_NODES);
    }
    if (check_names(rd, at, IN_NODE) < 0 ||
        take_phandle(rd, at, &rd->node_ph[n]) < 0) {
        return -1;
    }
    nd->module = module;
    nd->slot = slot;
    nd->nasid = n;
    if (get_u32(rd, at, "hub-khz", &nd->hub_khz) < 0 ||
        get_string(rd, at, "directory", &dir) < 0) {
        return -1;
    }
    if (!strcmp(dir, "standard")) {
        nd->dir = SN_DIMM_STANDARD;
    } else if (!strcmp(dir, "premium")) {
        nd->dir = SN_DIMM_PREMIUM;
    } else {
        return fail(rd, at, "directory: %.40s is not standard or premium", dir);
    }
    if (read_memory(rd, at, nd) < 0 || read_cpus(rd, at, nd) < 0) {
        return -1;
    }
    d->nnodes++;
    return 0;
}

static int read_router(struct reader *rd, const struct place *at,
                       unsigned module, unsigned slot)
{
    struct sn_desc *d = rd->d;
    struct sn_router_desc *r = &d->router[d->nrouters];

    if (d->nrouters == SN_MAX_ROUTERS) {
        return fail(rd, at, "too many routers, a machine has at most %d",
                    SN_MAX_ROUTERS);
    }
    if (check_names(rd, at, IN_ROUTER) < 0 || no_children(rd, at) < 0 ||
        take_phandle(rd, at, &rd->router_ph[d->nrouters]) < 0) {
        return -1;
    }
    r->module = module;
    r->slot = slot;
    r->meta = module == 0;
    d->nrouters++;
    return 0;
}

static int read_module(struct reader *rd, const struct place *at,
                       unsigned module)
{
    int off;

    if (check_names(rd, at, IN_MODULE) < 0) {
        return -1;
    }
    fdt_for_each_subnode(off, rd->fdt, at->off[at->depth - 1]) {
        const char *name = fdt_get_name(rd->fdt, off, NULL);
        struct place here = child(at, off, name);
        unsigned node = unit(name, "node@n"), router = unit(name, "router@r");
        int rc;

        if (node > SN_NODE_SLOTS || (!strncmp(name, "node@", 5) && !node)) {
            rc = fail(rd, &here, "no such slot, nodes go into n1 to n%d",
                      SN_NODE_SLOTS);
        } else if (router > SN_ROUTER_SLOTS ||
                   (!strncmp(name, "router@", 7) && !router)) {
            rc = fail(rd, &here, "no such slot, routers go into r1 and r%d",
                      SN_ROUTER_SLOTS);
        } else if (node) {
            rc = read_node(rd, &here, module, node);
        } else if (router) {
            rc = read_router(rd, &here, module, router);
        } else {
            rc = fail(rd, &here,
                      "unknown node, a module has node@n1.. and router@r1..");
        }
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int read_modules(struct reader *rd, const struct place *at)
{
    int off;

    if (check_names(rd, at, IN_MODULES) < 0) {
        return -1;
    }
    fdt_for_each_subnode(off, rd->fdt, at->off[at->depth - 1]) {
        const char *name = fdt_get_name(rd->fdt, off, NULL);
        struct place here = child(at, off, name);
        unsigned module = unit(name, "module@");

        if (module < 1 || module > 255) {
            return fail(rd, &here, "modules are module@1 to module@255");
        }
        if (read_module(rd, &here, module) < 0) {
            return -1;
        }
    }
    return 0;
}

static int read_metas(struct reader *rd, const struct place *at)
{
    int off;

    if (check_names(rd, at, IN_METAS) < 0) {
        return -1;
    }
    fdt_for_each_subnode(off, rd->fdt, at->off[at->depth - 1]) {
        const char *name = fdt_get_name(rd->fdt, off, NULL);
        struct place here = child(at, off, name);
        unsigned slot = unit(name, "router@");

        if (slot < 1 || slot > SN_META_SLOTS) {
            return fail(rd, &here, "metarouters are router@1 to router@%d",
                        SN_META_SLOTS);
        }
        if (read_router(rd, &here, 0, slot) < 0) {
            return -1;
        }
    }
    return 0;
}

static int find_end(struct reader *rd, const struct place *at, unsigned cable,
                    uint32_t ph, uint32_t port, struct sn_end *e)
{
    const struct sn_desc *d = rd->d;

    *e = (struct sn_end){ .kind = SN_END_NONE };
    for (unsigned n = 0; ph && n < d->nnodes; n++) {
        if (rd->node_ph[n] == ph) {
            *e = (struct sn_end){ SN_END_NODE, n, 0, 0 };
        }
    }
    for (unsigned r = 0; ph && r < d->nrouters; r++) {
        if (rd->router_ph[r] == ph) {
            *e = (struct sn_end){ SN_END_ROUTER, r, 0, 0 };
        }
    }
    if (e->kind == SN_END_NONE) {
        return fail(rd, at,
                    "cables: cable %u: its peer 0x%x is no node or router",
                    cable, ph);
    }
    if (port > SN_ROUTER_PORTS) {
        return fail(rd, at,
                    "cables: cable %u: port %u, ports are numbered 1 to %d",
                    cable, port, SN_ROUTER_PORTS);
    }
    e->port = port;
    return 0;
}

/* cables = <&end port &end port cm>, ...; messages count them from 1 */
static int read_links(struct reader *rd, const struct place *at)
{
    int len;
    const fdt32_t *c =
        fdt_getprop(rd->fdt, at->off[at->depth - 1], "cables", &len);
    char why[160];

    if (check_names(rd, at, IN_LINKS) < 0 || no_children(rd, at) < 0) {
        return -1;
    }
    if (!c) {
        return fail(rd, at, "cables: missing");
    }
    if (len % 20) {
        return fail(rd, at,
                    "cables: %d bytes, five cells a cable wanted: "
                    "end, port, end, port, cm",
                    len);
    }
    for (int i = 0; i < len / 20; i++, c += 5) {
        struct sn_end a, b;

        if (find_end(rd, at, i + 1, fdt32_ld(c), fdt32_ld(c + 1), &a) < 0 ||
            find_end(rd, at, i + 1, fdt32_ld(c + 2), fdt32_ld(c + 3), &b) < 0) {
            return -1;
        }
        if (sn_topo_cable(rd->d, a, b, fdt32_ld(c + 4), why, sizeof(why)) < 0) {
            return fail(rd, at, "cables: cable %d: %s", i + 1, why);
        }
    }
    return 0;
}

/* The name is what `origin run -m` takes: short, lower case, no path. */
static int read_name(struct reader *rd, const struct place *at)
{
    const char *s;
    struct sn_desc *d = rd->d;

    if (get_string(rd, at, "model", &s) < 0) {
        return -1;
    }
    if (strlen(s) >= sizeof(d->name) || !*s ||
        strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(s)) {
        return fail(rd, at,
                    "model: %.40s is not a name of up to %zu small "
                    "letters, digits and dashes",
                    s, sizeof(d->name) - 1);
    }
    strcpy(d->name, s);
    if (!fdt_getprop(rd->fdt, 0, "title", NULL)) {
        return 0;
    }
    if (get_string(rd, at, "title", &s) < 0) {
        return -1;
    }
    for (const char *c = s; *c; c++) {
        if (*c < ' ' || *c > '~') {
            return fail(rd, at, "title: not printable ASCII");
        }
    }
    if (strlen(s) >= sizeof(d->title)) {
        return fail(rd, at, "title: longer than %zu characters",
                    sizeof(d->title) - 1);
    }
    strcpy(d->title, s);
    return 0;
}

/* what = "KEY=VALUE", ...: a hypothetical machine */
static int read_what(struct reader *rd, const struct place *root)
{
    int len;
    const char *s = fdt_getprop(rd->fdt, 0, "what", &len);
    char why[160];

    if (!s) {
        return 0;
    }
    if (len < 1 || s[len - 1]) {
        return fail(rd, root, "what: not a list of strings");
    }
    for (const char *end = s + len; s < end; s += strlen(s) + 1) {
        if (sn_what_set(rd->d, s, why, sizeof(why)) < 0) {
            return fail(rd, root, "what: %s", why);
        }
    }
    if (sn_what_check(rd->d, why, sizeof(why)) < 0) {
        return fail(rd, root, "what: %s", why);
    }
    return 0;
}

int origin_dt_read(const void *fdt, size_t len, struct sn_desc *d, char *err,
                   size_t errlen)
{
    static const struct {
        const char *name;
        int (*read)(struct reader *, const struct place *);
    } part[] = {
        /* read in this order, whatever the blob's: cables refer to the others */
        { "modules", read_modules },
        { "metarouters", read_metas },
        { "links", read_links },
    };
    struct reader rd = { .fdt = fdt, .d = d, .err = err, .errlen = errlen };
    struct place root = { .off = { 0 }, .name = { "" }, .depth = 1 };
    int rc, off;

    memset(d, 0, sizeof(*d));
    if ((uintptr_t)fdt % 8 || len < sizeof(struct fdt_header)) {
        return fail(&rd, &root, "not a device tree blob: %s",
                    len < sizeof(struct fdt_header) ? "truncated"
                                                    : "not aligned");
    }
    /* libfdt 1.6.1 reads beyond the end of a blob of an old version */
    if (fdt_magic(fdt) == FDT_MAGIC && fdt_version(fdt) < 17) {
        return fail(&rd, &root, "not a device tree blob: version %u, 17 wanted",
                    fdt_version(fdt));
    }
    rc = fdt_check_full(fdt, len);
    if (rc < 0) {
        return fail(&rd, &root, "not a device tree blob: %s", fdt_strerror(rc));
    }
    if (fdt_node_check_compatible(fdt, 0, "sgi,origin2000") != 0) {
        return fail(&rd, &root, "compatible: not sgi,origin2000");
    }
    if (check_names(&rd, &root, IN_ROOT) < 0 || read_name(&rd, &root) < 0) {
        return -1;
    }
    fdt_for_each_subnode(off, fdt, 0) {
        const char *name = fdt_get_name(fdt, off, NULL);

        if (strcmp(name, "modules") && strcmp(name, "metarouters") &&
            strcmp(name, "links") && strcmp(name, "__symbols__")) {
            return fail(&rd, &root, "%.40s: unknown node", name);
        }
    }
    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        struct place here;
        unsigned seen = 0;

        if (i == 2) {
            sn_topo_midplane(d);
        }
        fdt_for_each_subnode(off, fdt, 0) {
            const char *name = fdt_get_name(fdt, off, NULL);

            if (strcmp(name, part[i].name)) {
                continue;
            }
            here = child(&root, off, part[i].name);
            if (seen++) {
                return fail(&rd, &here, "there twice");
            }
            if (part[i].read(&rd, &here) < 0) {
                return -1;
            }
        }
        if (i == 0 && d->nnodes == 0) {
            here = child(&root, 0, "modules");
            return fail(&rd, &here, "no node in it");
        }
    }
    return read_what(&rd, &root);
}

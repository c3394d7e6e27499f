/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dtinfo: prints what a machine description describes; a host program.
 *
 *   dtinfo FILE.dtb...       a line each: name, nodes, CPUs, memory, title
 *   dtinfo -r FILE.dtb       nodes, routers, links and distances, for people
 *   dtinfo -v FILE.dtb       a drawing in text: routers with what hangs on them
 *   dtinfo -d FILE.dtb       nodes, routers and links, for Graphviz
 *   dtinfo -j FILE.dtb       nodes, routers and links by their paths below /hw,
 *                            as JSON, for pages that draw the machine
 *
 * For a description that is no machine it prints "FILE: PATH: PROPERTY: why"
 * and exits with 1; for wrong usage it exits with 2.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dt/dt.h"
#include "fabric/topo.h"

#define MAX_BLOB (1 << 20)

static struct sn_desc desc;
static struct sn_topo topo;

/* Loads a file, aligned to 8 bytes; returns NULL and sets errno on failure. */
static void *load(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    void *buf = malloc(MAX_BLOB);

    if (!f || !buf) {
        if (f) {
            fclose(f);
        }
        free(buf);
        return NULL;
    }
    *len = fread(buf, 1, MAX_BLOB, f);
    if (ferror(f)) {
        free(buf);
        buf = NULL;
    }
    fclose(f);
    return buf;
}

static unsigned count_cpus(void)
{
    unsigned cpus = 0;

    for (unsigned n = 0; n < desc.nnodes; n++) {
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            cpus += desc.node[n].cpu[s].model != SN_CPU_NONE;
        }
    }
    return cpus;
}

static unsigned node_mb(unsigned n)
{
    unsigned mb = 0;

    for (unsigned b = 0; b < SN_NODE_BANKS; b++) {
        mb += desc.node[n].bank_mb[b];
    }
    return mb;
}

static void print_line(void)
{
    unsigned cpus = count_cpus(), mb = 0;
    char nodes[24], procs[24], memory[24];

    for (unsigned n = 0; n < desc.nnodes; n++) {
        mb += node_mb(n);
    }
    snprintf(nodes, sizeof(nodes), "%u node%s", desc.nnodes,
             desc.nnodes == 1 ? "" : "s");
    snprintf(procs, sizeof(procs), "%u CPU%s", cpus, cpus == 1 ? "" : "s");
    snprintf(memory, sizeof(memory), "%u MB", mb);
    printf("%-16s %-9s %-9s %-9s %s\n", desc.name, nodes, procs, memory,
           desc.title);
}

static void print_end(const struct sn_end *e)
{
    char p[SN_PATH_LEN];

    if (e->kind == SN_END_NODE) {
        printf("%s", sn_node_path(&desc, e->index, p));
    } else {
        printf("%s:%u", sn_router_path(&desc, e->index, p), e->port);
    }
}

static void print_report(void)
{
    unsigned cursor = 0, count[SN_MAX_PATH + 1], max;
    char p[SN_PATH_LEN];
    struct sn_link l;

    for (unsigned n = 0; n < desc.nnodes; n++) {
        const struct sn_node_desc *nd = &desc.node[n];

        printf("node %u %s: Hub %u kHz, %u MB, %s directory\n", n,
               sn_node_path(&desc, n, p), nd->hub_khz, node_mb(n),
               nd->dir == SN_DIMM_PREMIUM ? "premium" : "standard");
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            const struct sn_cpu_desc *c = &nd->cpu[s];

            if (c->model != SN_CPU_NONE) {
                printf("  cpu %c: R1%u000 %u kHz, L2 %u kHz %u KB\n", 'a' + s,
                       c->model == SN_CPU_R12000 ? 2 : 0, c->khz, c->l2_khz,
                       c->l2_bytes >> 10);
            }
        }
    }
    while (sn_topo_next_link(&desc, &cursor, &l)) {
        printf("link ");
        print_end(&l.end[0]);
        printf(" ");
        print_end(&l.end[1]);
        if (l.cable_cm) {
            printf(" %u cm\n", l.cable_cm);
        } else {
            printf(" midplane\n");
        }
    }
    max = sn_topo_histogram(&topo, 0, count);
    printf("nodes by hops from node 0:");
    for (unsigned h = 0; h <= max; h++) {
        printf(" %u", count[h]);
    }
    printf("\n");
}

/* The path that the guest's /hw has for an end of a link, as a JSON string. */
static void print_hw_path(const struct sn_end *e)
{
    if (e->kind == SN_END_NODE) {
        const struct sn_node_desc *n = &desc.node[e->index];

        printf("\"/hw/module/%u/slot/n%u/node\"", n->module, n->slot);
    } else {
        const struct sn_router_desc *r = &desc.router[e->index];

        if (r->meta) {
            printf("\"/hw/module/0/slot/r%u/metarouter\"", r->slot);
        } else {
            printf("\"/hw/module/%u/slot/r%u/router\"", r->module, r->slot);
        }
    }
}

static void print_json_nodes(void)
{
    for (unsigned n = 0; n < desc.nnodes; n++) {
        const struct sn_node_desc *nd = &desc.node[n];
        struct sn_end end = { .kind = SN_END_NODE, .index = n };
        const char *sep = "";

        printf("%s\n{\"path\":", n ? "," : "");
        print_hw_path(&end);
        printf(",\"module\":%u,\"slot\":%u,\"mb\":%u,\"cpus\":[", nd->module,
               nd->slot, node_mb(n));
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            const struct sn_cpu_desc *c = &nd->cpu[s];

            if (c->model != SN_CPU_NONE) {
                printf("%s{\"slice\":\"%c\",\"model\":\"R1%u000\",\"khz\":%u}",
                       sep, 'a' + s, c->model == SN_CPU_R12000 ? 2 : 0, c->khz);
                sep = ",";
            }
        }
        printf("]}");
    }
}

static void print_json_links(void)
{
    unsigned cursor = 0;
    const char *sep = "";
    struct sn_link l;

    while (sn_topo_next_link(&desc, &cursor, &l)) {
        printf("%s\n{\"a\":", sep);
        print_hw_path(&l.end[0]);
        printf(",\"aport\":%u,\"b\":",
               l.end[0].kind == SN_END_NODE ? 0 : l.end[0].port);
        print_hw_path(&l.end[1]);
        printf(",\"bport\":%u,\"cm\":%u}",
               l.end[1].kind == SN_END_NODE ? 0 : l.end[1].port, l.cable_cm);
        sep = ",";
    }
}

static void print_string(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        unsigned char c = *s;

        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
            printf("\\u%04x", c);
        } else {
            putchar(c);
        }
    }
    putchar('"');
}

/* Ports of a router are 1 to 6; a node has one link, port 0. "cm" 0: midplane. */
static void print_json(void)
{
    printf("{\"name\":");
    print_string(desc.name);
    printf(",\"title\":");
    print_string(desc.title);
    printf(",\n\"nodes\":[");
    print_json_nodes();
    printf("],\n\"routers\":[");
    for (unsigned r = 0; r < desc.nrouters; r++) {
        struct sn_end end = { .kind = SN_END_ROUTER, .index = r };

        printf("%s\n{\"path\":", r ? "," : "");
        print_hw_path(&end);
        printf(",\"module\":%u,\"slot\":%u,\"meta\":%s}", desc.router[r].module,
               desc.router[r].slot, desc.router[r].meta ? "true" : "false");
    }
    printf("],\n\"links\":[");
    print_json_links();
    printf("]}\n");
}

/* "2n1", "2r1", "m3": module and slot. */
static const char *short_name(const struct sn_end *e)
{
    static char names[2][24];
    static unsigned next;
    char *s = names[next++ % 2];

    if (e->kind == SN_END_NODE) {
        snprintf(s, 24, "%un%u", desc.node[e->index].module,
                 desc.node[e->index].slot);
    } else if (desc.router[e->index].meta) {
        snprintf(s, 24, "m%u", desc.router[e->index].slot);
    } else {
        snprintf(s, 24, "%ur%u", desc.router[e->index].module,
                 desc.router[e->index].slot);
    }
    return s;
}

static void draw_node(unsigned n, bool last)
{
    const struct sn_node_desc *nd = &desc.node[n];
    struct sn_end end = { .kind = SN_END_NODE, .index = n };
    const char *sep = "";

    printf("  %s-- node %-3u %-6s %6u MB  ", last ? "`" : "|", n,
           short_name(&end), node_mb(n));
    for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
        const struct sn_cpu_desc *c = &nd->cpu[s];

        if (c->model != SN_CPU_NONE) {
            printf("%s%c: R1%u000 %u MHz", sep, 'a' + s,
                   c->model == SN_CPU_R12000 ? 2 : 0, c->khz / 1000);
            sep = ", ";
        }
    }
    printf("\n");
}

/* A router, the cables that leave it, and its nodes below it. */
static void draw_router(unsigned r)
{
    struct sn_end end = { .kind = SN_END_ROUTER, .index = r };
    unsigned left = 0;

    printf("%s", short_name(&end));
    for (unsigned p = 1; p <= SN_ROUTER_PORTS; p++) {
        const struct sn_end *e = &desc.router[r].port[p];

        if (e->kind == SN_END_ROUTER) {
            printf("  %u=%s:%u", p, short_name(e), e->port);
        }
        left += e->kind == SN_END_NODE;
    }
    printf("\n");
    for (unsigned p = SN_ROUTER_PORTS; p > 0; p--) {
        const struct sn_end *e = &desc.router[r].port[p];

        if (e->kind == SN_END_NODE) {
            draw_node(e->index, --left == 0);
        }
    }
}

static void print_drawing(void)
{
    unsigned count[SN_MAX_PATH + 1], max;

    printf("\nrouter  PORT=ROUTER:PORT of its cables, its nodes below it\n");
    for (unsigned r = 0; r < desc.nrouters; r++) {
        draw_router(r);
    }
    if (!desc.nrouters) {
        for (unsigned n = 0; n < desc.nnodes; n++) {
            draw_node(n, n + 1 == desc.nnodes);
        }
    }
    max = sn_topo_histogram(&topo, 0, count);
    printf("\nhops from node 0:");
    for (unsigned h = 0; h <= max; h++) {
        printf("  %u to %u node%s", h, count[h], count[h] == 1 ? "" : "s");
    }
    printf("\n");
}

static void print_dot(void)
{
    unsigned cursor = 0;
    struct sn_link l;

    printf("graph \"%s\" {\nlayout=neato; overlap=false;\n", desc.name);
    for (unsigned n = 0; n < desc.nnodes; n++) {
        struct sn_end end = { .kind = SN_END_NODE, .index = n };

        printf("\"%s\" [shape=box,label=\"n%u\\n%s\"];\n", short_name(&end), n,
               short_name(&end));
    }
    for (unsigned r = 0; r < desc.nrouters; r++) {
        struct sn_end end = { .kind = SN_END_ROUTER, .index = r };

        printf("\"%s\" [shape=circle];\n", short_name(&end));
    }
    while (sn_topo_next_link(&desc, &cursor, &l)) {
        printf("\"%s\" -- \"%s\"", short_name(&l.end[0]),
               short_name(&l.end[1]));
        if (l.cable_cm) {
            printf(" [label=\"%u cm\"]", l.cable_cm);
        }
        printf(";\n");
    }
    printf("}\n");
}

/* form: v, r, d, j, or 0 for a line. */
static void print_as(char form)
{
    if (form == 'j') {
        print_json();
        return;
    }
    if (form == 'd') {
        print_dot();
        return;
    }
    print_line();
    if (form == 'r') {
        print_report();
    } else if (form == 'v') {
        print_drawing();
    }
}

int main(int argc, char **argv)
{
    int first = 1, bad = 0;
    char form = 0; /* of print_as() */

    if (argc > 1 && argv[1][0] == '-' && argv[1][1] && !argv[1][2] &&
        strchr("vrdj", argv[1][1])) {
        form = argv[1][1];
        first = 2;
    }
    if (first >= argc || (argv[first][0] == '-' && argv[first][1])) {
        fprintf(stderr, "usage: dtinfo [-v|-r|-d|-j] FILE.dtb...\n");
        return 2;
    }
    for (int i = first; i < argc; i++) {
        char err[256];
        size_t len;
        void *blob = load(argv[i], &len);

        if (!blob) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            bad = 1;
            continue;
        }
        if (origin_dt_read(blob, len, &desc, err, sizeof(err)) < 0 ||
            sn_topo_build(&topo, &desc, err, sizeof(err)) < 0) {
            fprintf(stderr, "%s: %s\n", argv[i], err);
            bad = 1;
        } else {
            print_as(form);
        }
        free(blob);
    }
    return bad;
}

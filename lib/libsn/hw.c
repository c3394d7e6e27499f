// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libsn: the hardware graph as arrays.  <snhw.h> is the interface.
 *
 * Nodes and processors are the links in /hw/nodenum and /hw/cpunum.  Hops come from
 * the kernel's table of distances: a distance is 10 + hops.
 */
#define _GNU_SOURCE
#include <snhw.h>

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SELF_DISTANCE 10

static char node_name[SNHW_MAX_NODES][SNHW_NAME_MAX];
static char cpu_name[SNHW_MAX_CPUS][SNHW_NAME_MAX];
static short cpu_node[SNHW_MAX_CPUS];
static unsigned char hops[SNHW_MAX_NODES][SNHW_MAX_NODES];
static int nodes, cpus;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Reads the targets of the links DIR/0, DIR/1 ...; returns their number. */
static int read_links(const char *dir, char (*name)[SNHW_NAME_MAX], int max)
{
    char path[64];
    ssize_t len;
    int n;

    for (n = 0; n < max; n++) {
        snprintf(path, sizeof(path), "%s/%d", dir, n);
        len = readlink(path, name[n], SNHW_NAME_MAX - 1);
        if (len <= 0)
            break;
        name[n][len] = 0;
    }
    return n;
}

/* Is @path equal to @name, or below it? */
static int is_below(const char *path, const char *name)
{
    size_t len = strlen(name);

    return !strncmp(path, name, len) && (!path[len] || path[len] == '/');
}

static int node_below(const char *path)
{
    int n;

    for (n = 0; n < nodes; n++)
        if (is_below(path, node_name[n]))
            return n;
    return -1;
}

static void read_hops(int node)
{
    char path[80];
    unsigned d;
    FILE *f;
    int n;

    snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/distance", node);
    f = fopen(path, "r");
    for (n = 0; n < nodes; n++)
        hops[node][n] =
            f && fscanf(f, "%u", &d) == 1 && d >= SELF_DISTANCE ? d - SELF_DISTANCE : n != node;
    if (f)
        fclose(f);
}

static void read_graph(void)
{
    int n;

    nodes = read_links("/hw/nodenum", node_name, SNHW_MAX_NODES);
    cpus = read_links("/hw/cpunum", cpu_name, SNHW_MAX_CPUS);
    for (n = 0; n < cpus; n++)
        cpu_node[n] = node_below(cpu_name[n]);
    for (n = 0; n < nodes; n++)
        read_hops(n);
}

static int count(int *n)
{
    pthread_once(&once, read_graph);
    if (!*n)
        errno = ENODEV;
    return *n ? *n : -1;
}

int snhw_nodes(void)
{
    return count(&nodes);
}

int snhw_cpus(void)
{
    return count(&cpus);
}

/* Does the number name one of *total things?  0, or -1 with errno. */
static int check(int n, int *total)
{
    if (count(total) < 0)
        return -1;
    if (n >= 0 && n < *total)
        return 0;
    errno = EINVAL;
    return -1;
}

const char *snhw_node_name(int node)
{
    return check(node, &nodes) ? NULL : node_name[node];
}

const char *snhw_cpu_name(int cpu)
{
    return check(cpu, &cpus) ? NULL : cpu_name[cpu];
}

int snhw_cpu_node(int cpu)
{
    return check(cpu, &cpus) ? -1 : cpu_node[cpu];
}

int snhw_node_cpus(int node, int *cpu, int max)
{
    int i, n = 0;

    if (check(node, &nodes))
        return -1;
    for (i = 0; i < cpus && n < max; i++)
        if (cpu_node[i] == node)
            cpu[n++] = i;
    return n;
}

int snhw_hops(int a, int b)
{
    return check(a, &nodes) || check(b, &nodes) ? -1 : hops[a][b];
}

/* The lowest of the nodes that are linked to a router. */
static int router_node(const char *path)
{
    char at[PATH_MAX], port[PATH_MAX + 4];
    int p, n, lowest = -1;

    for (p = 1; p <= 6; p++) {
        snprintf(port, sizeof(port), "%s/%d", path, p);
        n = realpath(port, at) ? node_below(at) : -1;
        if (n >= 0 && (lowest < 0 || n < lowest))
            lowest = n;
    }
    return lowest;
}

int snhw_node_of(const char *path)
{
    char real[PATH_MAX];
    int n;

    if (count(&nodes) < 0 || !realpath(path, real))
        return -1;
    n = node_below(real);
    if (n < 0)
        n = router_node(real);
    if (n < 0)
        errno = EINVAL;
    return n;
}

/* --- device numbers: major is the graph's, minor the vertex's number --- */

static int graph_major(void)
{
    static int found = -1;
    char line[64];
    int n;
    FILE *f;

    if (found >= 0)
        return found;
    f = fopen("/proc/devices", "r");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "%d hwgraph", &n) == 1 && strstr(line, " hwgraph\n"))
            found = n;
    if (f)
        fclose(f);
    return found;
}

dev_t snhw_node_dev(int node)
{
    struct stat st;

    if (check(node, &nodes) || stat(node_name[node], &st))
        return (dev_t)-1;
    return makedev(graph_major(), st.st_ino);
}

static __thread ino_t wanted;
static __thread char found_name[SNHW_NAME_MAX];

static int is_wanted(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    if (type == FTW_SL || st->st_ino != wanted || strlen(path) >= SNHW_NAME_MAX)
        return 0;
    strcpy(found_name, path);
    return 1;
}

char *dev_to_devname(dev_t dev, char *buf, int *len)
{
    size_t n;

    wanted = minor(dev);
    if (graph_major() < 0 || major(dev) != (unsigned)graph_major() ||
        nftw("/hw", is_wanted, 16, FTW_PHYS) != 1) {
        errno = ENOENT;
        return NULL;
    }
    n = strlen(found_name);
    if (buf && (*len < 0 || n >= (size_t)*len)) {
        errno = ERANGE;
        return NULL;
    }
    if (!buf)
        buf = malloc(n + 1);
    if (buf) {
        strcpy(buf, found_name);
        *len = n;
    }
    return buf;
}

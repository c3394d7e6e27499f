// SPDX-License-Identifier: GPL-2.0-or-later
/* Remedies of the command line.  Interface: remedy.h. */
#include "remedy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/topo.h"
#include "follow.h"
#include "messages.h"
#include "profiling.h"
#include "remedy/kinds.h"

/* What follows the object begins with a colon (a granule) or a blank (a node), or is nothing. */
static const struct kind {
    const char *name, *argument;
} kinds[] = {
#define X(NAME, name, argument, text) { name, argument },
    SN_REMEDY_LIST(X)
#undef X
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

#define GRANULE "8" /* a double word, or a pointer */

void remedy_add(struct options *opt, const char *text)
{
    opt->remedies = realloc(opt->remedies, (opt->nremedies + 1) * sizeof(char *));
    if (!opt->remedies)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    opt->remedies[opt->nremedies++] = text;
}

static bool is_number(const char *s)
{
    return *s && !s[strspn(s, "0123456789")] && strlen(s) < 10;
}

/*
 * Cut the argument off @objects, which is what stands behind the kind.  NULL: the remedy has none,
 * or it is not there.
 */
static char *argument_of(const struct kind *k, char *objects)
{
    char *at = *k->argument ? strrchr(objects, *k->argument) : NULL;

    if (!at || !is_number(at + 1))
        return NULL;
    *at = '\0';
    return at + 1;
}

static const struct kind *kind_of(const char *text, size_t n)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == n && !strncmp(text, kinds[i].name, n))
            return &kinds[i];
    return NULL;
}

/* Addresses that have a remedy */
static struct {
    uint64_t low, high;
} taken[SN_REMEDY_MOST];
static int ntaken;

static void take(const char *text, uint64_t low, uint64_t high)
{
    for (int i = 0; i < ntaken; i++)
        if (low <= taken[i].high && taken[i].low <= high)
            die(EXIT_USAGE, MSG_REMEDY_OVERLAP, text);
    if (ntaken == SN_REMEDY_MOST)
        die(EXIT_USAGE, MSG_REMEDY_MANY, text, SN_REMEDY_MOST);
    taken[ntaken].low = low;
    taken[ntaken++].high = high;
}

/* Put one remedy into the list. */
static void resolve(struct options *opt, const char *text, unsigned int nodes, FILE *list)
{
    size_t n = strcspn(text, " ");
    const struct kind *k = kind_of(text, n);
    char *objects = strdup(text[n] ? text + n + 1 : ""), *argument, *rest = NULL;

    if (!objects)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (!k || !*objects)
        die(EXIT_USAGE, MSG_REMEDY, text);
    argument = argument_of(k, objects);
    if (*k->argument == ' ' && (!argument || strtoul(argument, NULL, 10) >= nodes))
        die(EXIT_USAGE, MSG_REMEDY_NODE, text, nodes - 1);
    if (*k->argument == ':' && !argument)
        argument = GRANULE;
    if (*k->argument == ':' && !strtoul(argument, NULL, 10))
        die(EXIT_USAGE, MSG_REMEDY_GRANULE, text);
    for (char *o = strtok_r(objects, ",", &rest); o; o = strtok_r(NULL, ",", &rest)) {
        uint64_t low, high;

        follow_object(opt, "--remedy", o, &opt->remedy_comm, &low, &high);
        take(text, low, high);
        fprintf(list, "%s%s:%" PRIx64 "-%" PRIx64, ftell(list) ? ";" : "", k->name, low, high);
        if (argument)
            fprintf(list, ":%s", argument);
    }
    free(objects);
}

void remedy_resolve(struct options *opt, const struct machine *m)
{
    size_t bytes;
    FILE *list = open_memstream(&opt->remedy_list, &bytes);

    if (!list)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    opt->remedy_comm = profiling_comm(opt);
    for (unsigned int i = 0; i < opt->nremedies; i++)
        resolve(opt, opt->remedies[i], m->topo->desc->nnodes, list);
    if (fclose(list))
        die(EXIT_MACHINE, MSG_NO_MEMORY);
}

int remedy_open(const struct options *opt)
{
    int fd;

    if (!opt->nremedies)
        return -1;
    fd = memfd_create("remedy", MFD_CLOEXEC);
    if (fd < 0)
        die_errno("memfd_create");
    return fd;
}

void remedy_tell(int fd, bool whole)
{
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    unsigned long long touched, refused = 0;
    char kind[16], low[20], high[20];

    if (!f)
        return;
    rewind(f);
    while (whole && fscanf(f, "%15s %19s %19s %llu %llu", kind, low, high, &touched, &refused) == 5)
        if (!touched)
            complain(MSG_REMEDY_NOTHING, kind, low, high);
    if (refused)
        complain(MSG_REMEDY_REFUSED, refused);
    fclose(f);
}

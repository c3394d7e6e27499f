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
#include "image.h"
#include "messages.h"
#include "near.h"
#include "profile/profile.h"
#include "profiling.h"
#include "remedy/kinds.h"

/* What follows the object begins with a colon or a blank, or is nothing. */
static const struct kind {
    const char *name, *argument;
} kinds[] = {
#define X(NAME, name, argument, text) { name, argument },
    SN_REMEDY_LIST(X)
#undef X
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const char *const causes[] = {
#define X(NAME, name, text) #name,
    SN_PROFILE_CAUSES(X)
#undef X
        "l2" /* the model counts hits of the L2 behind the causes */
};
#define CAUSES (sizeof(causes) / sizeof(causes[0]))

#define GRANULE_ALL "8" /* a double word, or a pointer */
#define LINES_ALL   "4" /* 512 bytes: a read from afar is as long as their use */
#define LINES_MOST  64
#define FIRST_TOUCH " first-touch"

/* Kinds of the model that have no name in options */
#define FREE_CODE  "free-code"
#define FREE_CAUSE "free-cause"
#define HUGE       "huge"
#define DATA       "data"
#define ALL        "all"
#define USER_END   (1ull << 62) /* all objects are below it */

void remedy_add(struct remedies *r, const char *text)
{
    r->v = realloc(r->v, (r->n + 1) * sizeof(char *));
    if (!r->v)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    r->v[r->n++] = text;
}

static bool is_number(const char *s)
{
    return *s && !s[strspn(s, "0123456789")] && strlen(s) < 10;
}

/* FILE.EXT:LINE? */
static bool is_line(const char *s)
{
    const char *colon = strrchr(s, ':');

    return colon && is_number(colon + 1) && memchr(s, '.', (size_t)(colon - s)) &&
           !memchr(s, ':', (size_t)(colon - s));
}

/* A factor from 0 to 1, 0.25 for example, in SN_REMEDY_ONEs.  False: it is none. */
static bool factor_of(const char *s, unsigned int *part)
{
    char *end;
    double f = strtod(s, &end);

    if (!*s || s[strspn(s, "0123456789.")] || *end || f > 1)
        return false;
    *part = (unsigned int)(f * SN_REMEDY_ONE + 0.5);
    return true;
}

/* Cut off what follows the last @c in @objects.  NULL: there is none. */
static char *cut(char *objects, char c)
{
    char *at = strrchr(objects, c);

    if (!at)
        return NULL;
    *at = '\0';
    return at + 1;
}

/*
 * Cut the argument off @objects, which is what stands behind the kind, and write it as the model
 * wants it; exits with a line if it is wrong.
 */
static void argument_of(const struct kind *k, const char *text, char *objects, unsigned int nodes,
                        char *argument, size_t size)
{
    char *given = NULL;
    unsigned int part = 0;

    *argument = '\0';
    /* The second letter tells " NODE", ":GRANULE", ":LINES" and ":FACTOR" apart. */
    switch (k->argument[0] ? k->argument[1] : 0) {
    case 'N':
        given = cut(objects, ' ');
        if (!given || !is_number(given) || strtoul(given, NULL, 10) >= nodes)
            die(EXIT_USAGE, MSG_REMEDY_NODE, text, nodes - 1);
        break;
    case 'G':
    case 'L':
        given = strrchr(objects, ':');
        given = given && is_number(given + 1) ? cut(objects, ':') : NULL;
        if (!given)
            given = k->argument[1] == 'L' ? LINES_ALL : GRANULE_ALL;
        if (!strtoul(given, NULL, 10))
            die(EXIT_USAGE, MSG_REMEDY_GRANULE, text);
        if (k->argument[1] == 'L' && strtoul(given, NULL, 10) > LINES_MOST)
            die(EXIT_USAGE, MSG_REMEDY_LINES, text, LINES_MOST);
        break;
    case 'F':
        given = strrchr(objects, ',');
        given = given ? given + 1 : objects;
        given = is_line(given) ? NULL : strrchr(given, ':');
        if (given && given[1] >= '0' && given[1] <= '9') {
            if (!factor_of(given + 1, &part))
                die(EXIT_USAGE, MSG_REMEDY_FACTOR, text);
            *given = '\0';
        }
        snprintf(argument, size, "%u", part);
        return;
    default:
        return;
    }
    snprintf(argument, size, "%s", given);
}

static const struct kind *kind_of(const char *text, size_t n)
{
    for (size_t i = 0; i < KINDS; i++)
        if (*kinds[i].argument != '-' && strlen(kinds[i].name) == n &&
            !strncmp(text, kinds[i].name, n))
            return &kinds[i];
    return NULL;
}

/* Addresses of data or of code, or causes, that have a remedy of those that are being resolved */
static struct {
    const char *of, *text; /* FREE_CODE, FREE_CAUSE, HUGE or DATA; the option's value */
    uint64_t low, high;
} taken[SN_REMEDY_MOST];
static int ntaken;

static void put(FILE *list, const char *text, const char *kind, uint64_t low, uint64_t high,
                const char *argument)
{
    const char *of =
        strcmp(kind, FREE_CODE) && strcmp(kind, FREE_CAUSE) && strcmp(kind, HUGE) ? DATA : kind;

    for (int i = 0; i < ntaken; i++)
        if (!strcmp(of, taken[i].of) && low <= taken[i].high && taken[i].low <= high)
            die(EXIT_USAGE, taken[i].text == text ? MSG_REMEDY_TWICE : MSG_REMEDY_OVERLAP, text,
                taken[i].text);
    if (ntaken == SN_REMEDY_MOST)
        die(EXIT_USAGE, MSG_REMEDY_MANY, text, SN_REMEDY_MOST);
    taken[ntaken].of = of;
    taken[ntaken].text = text;
    taken[ntaken].low = low;
    taken[ntaken++].high = high;
    fprintf(list, "%s%s:%" PRIx64 "-%" PRIx64, ftell(list) ? ";" : "", kind, low, high);
    if (*argument)
        fprintf(list, ":%s", argument);
}

/* A cause, `l2`, or `all` of them.  False: it is none. */
static bool cause(const struct options *opt, const char *text, const char *what, FILE *list,
                  const char *argument)
{
    unsigned int first = 0, last = CAUSES - 1;

    if (strcmp(what, ALL)) {
        while (first < CAUSES && strcmp(what, causes[first]))
            first++;
        if (first == CAUSES)
            return false;
        last = first;
    }
    if (!opt->profile)
        die(EXIT_USAGE, MSG_REMEDY_CAUSE, text);
    put(list, text, FREE_CAUSE, first, last, argument);
    return true;
}

/* The code of a line, whose stretches have all addresses of the program's functions in between. */
static void lines(struct image *m, const char *text, const char *what, FILE *list,
                  const char *argument)
{
    const char *colon = strrchr(what, ':');
    size_t n = (size_t)(colon - what);
    uint64_t end = image_end(m), low = 0, found = 0;
    int wanted = atoi(colon + 1), near = 0;

    for (uint64_t at = image_code(m, 0, end); at < end; at += 4) {
        struct frame f;
        const char *name;
        bool here;

        if (!image_line(m, at, &f)) {
            f.file = NULL;
            at = low ? at : image_code(m, at + 4, end - at) - 4;
        }
        name = f.file ? strrchr(f.file, '/') : NULL;
        name = name ? name + 1 : f.file;
        here = name && f.line && strlen(name) == n && !strncmp(name, what, n);
        if (here && (!near || abs(f.line - wanted) < abs(near - wanted)))
            near = f.line;
        here = here && f.line == wanted;
        if (here && !low)
            low = at;
        if (low && !here) {
            put(list, text, FREE_CODE, low, at - 1, argument);
            found++;
            low = 0;
        }
    }
    if (!found)
        die(EXIT_USAGE, MSG_REMEDY_LINE, text,
            near ? xasprintf("; the nearest one that has is %d", near)
                 : ", or no debug information");
}

/* There is nothing that @what could be. */
static void unknown(struct image *m, const char *what)
{
    struct near near = { .wanted = what };

    for (size_t i = 0; i < CAUSES; i++)
        near_see(&near, causes[i]);
    image_names(m, true, near_see, &near);
    image_names(m, false, near_see, &near);
    die(EXIT_USAGE, MSG_REMEDY_NAME, what, near_text(&near));
}

/* FUNCTION or FILE:LINE of the command's program.  False: it is neither, but may be a variable. */
static bool code(const struct options *opt, const char *text, const char *what, FILE *list,
                 const char *argument)
{
    uint64_t low, high, at;
    struct image *m;
    bool known = true;

    if ((*what >= '0' && *what <= '9') || (strchr(what, ':') && !is_line(what)))
        return false;
    m = follow_image(opt, "--remedy");
    if (is_line(what))
        lines(m, text, what, list, argument);
    else if (image_extent(m, what, &low, &high))
        put(list, text, FREE_CODE, low, high - 1, argument);
    else if (strchr(what, '+') || image_symbol(m, what, &at))
        known = false;
    else
        unknown(m, what);
    image_close(m);
    return known;
}

/* Put one remedy into the list. */
static void resolve(const struct options *opt, const char *text, unsigned int nodes,
                    struct remedies *r, FILE *list)
{
    size_t n = strcspn(text, " ");
    const struct kind *k = kind_of(text, n);
    char *objects = strdup(text[n] ? text + n + 1 : ""), *rest = NULL, argument[16] = "";
    size_t bytes = objects ? strlen(objects) : 0, touch = strlen(FIRST_TOUCH);
    const char *kind = k ? k->name : "";

    if (!objects)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (!k || !*objects)
        die(EXIT_USAGE, MSG_REMEDY, text);
    if (*k->argument == ' ' && bytes > touch && !strcmp(objects + bytes - touch, FIRST_TOUCH)) {
        kind = "first-touch";
        objects[bytes - touch] = '\0';
    } else {
        argument_of(k, text, objects, nodes, argument, sizeof(argument));
    }
    for (char *o = strtok_r(objects, ",", &rest); o; o = strtok_r(NULL, ",", &rest)) {
        uint64_t low, high;

        if (!strcmp(k->name, "free") &&
            (cause(opt, text, o, list, argument) || code(opt, text, o, list, argument)))
            continue;
        if (!strcmp(kind, HUGE) && !strcmp(o, ALL)) {
            low = 0;
            high = USER_END - 1;
        } else {
            follow_object(opt, "--remedy", o, &r->comm, &low, &high);
        }
        put(list, text, kind, low, high, argument);
    }
    free(objects);
}

void remedy_resolve(const struct options *opt, const struct machine *m, struct remedies *r)
{
    size_t bytes;
    FILE *list = open_memstream(&r->list, &bytes);

    if (!list)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    ntaken = 0;
    r->comm = profiling_comm(opt);
    for (unsigned int i = 0; i < r->n; i++)
        resolve(opt, r->v[i], m->topo->desc->nnodes, r, list);
    r->of = calloc((size_t)ntaken + 1, sizeof(*r->of));
    if (fclose(list) || !r->of)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    for (r->pieces = 0; r->pieces < (unsigned int)ntaken; r->pieces++)
        r->of[r->pieces] = taken[r->pieces].text;
}

int remedy_open(const struct options *opt)
{
    int fd;

    if (!opt->remedies.n)
        return -1;
    fd = memfd_create("remedy", MFD_CLOEXEC);
    if (fd < 0)
        die_errno("memfd_create");
    return fd;
}

void remedy_tell(const struct remedies *r, int fd, bool whole)
{
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    unsigned long long touched, of = 0, refused = 0;

    if (!f)
        return;
    rewind(f);
    /* The pieces of a remedy follow each other. */
    for (unsigned int i = 0;
         whole && i < r->pieces && fscanf(f, "%llu %llu", &touched, &refused) == 2; i++) {
        of += touched;
        if (i + 1 < r->pieces && r->of[i + 1] == r->of[i])
            continue;
        if (!of)
            complain(MSG_REMEDY_NOTHING, r->of[i]);
        of = 0;
    }
    if (refused)
        complain(MSG_REMEDY_REFUSED, refused);
    fclose(f);
}

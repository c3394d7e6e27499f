// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * origin report and origin annotate: read a profile and say what it means.  The script
 * ./origin starts this program with the command's name as the first argument.
 *
 *   table.c read.c   the profile in memory     image.c lines.c variables.c  ELF files
 *   resolve.c           code and objects          tally.c     sums and problems
 *   report.c annotate.c export.c source.c         what is printed
 *   page*.c rows.c                                the data of a page
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_layout.h"
#include "report.h"

static const char usage_text[] =
    "usage: origin report [OPTION...] DIR [TRACE...]\n"
    "       origin annotate [--all] [--region NAME] DIR [FUNCTION]\n"
    "\n"
    "DIR is what `origin profile -o DIR` wrote.  TRACE: files of threads that snrun -u wrote in "
    "the same\n"
    "run; their counters are printed beside the profile's.\n"
    "  --format=text|csv|json|callgrind|folded   what to print (docs/profile.md)\n"
    "  --placement    print a placement file for dplace(1) instead\n"
    "  --top N        rows of each table (10)\n"
    "  --all          the whole machine since it was switched on, not the command only\n"
    "  --region NAME  only what was counted in this region of interest\n";

struct choice {
    bool annotate, all, placement;
    const char *format, *region;
    struct page_parts page;
    int top;
    char **traces; /* of the same run */
    int ntraces;
};

static void die(int status, const char *text, const char *what)
{
    fprintf(stderr, text, what);
    exit(status);
}

static void usage(const char *text, const char *what)
{
    fputs("origin: ", stderr);
    fprintf(stderr, text, what);
    fputs(" (origin report --help)\n", stderr);
    exit(2);
}

enum {
    FORMAT = 256,
    PLACEMENT,
    TOP,
    ALL,
    REGION,
    HELP,
    NAME,
    COMMAND,
    MACHINE,
    DESCRIPTION,
    RUNNING
};

static const struct option longs[] = {
    { "format", required_argument, NULL, FORMAT },
    { "placement", no_argument, NULL, PLACEMENT },
    { "top", required_argument, NULL, TOP },
    { "all", no_argument, NULL, ALL },
    { "region", required_argument, NULL, REGION },
    { "help", no_argument, NULL, HELP },
    /* With --format=page, which launcher/report and launcher/view use: see struct page_parts. */
    { "name", required_argument, NULL, NAME },
    { "command", required_argument, NULL, COMMAND },
    { "machine", required_argument, NULL, MACHINE },
    { "description", required_argument, NULL, DESCRIPTION },
    { "running", no_argument, NULL, RUNNING },
    { NULL, 0, NULL, 0 },
};

static void set(struct choice *o, int c, char **argv)
{
    char *end;

    switch (c) {
    case FORMAT:
        o->format = optarg;
        break;
    case PLACEMENT:
        o->placement = true;
        break;
    case TOP:
        o->top = (int)strtol(optarg, &end, 10);
        if (*end || end == optarg || o->top < 1 || o->top > 1000000)
            usage("--top wants a number from 1 to 1000000, not '%s'", optarg);
        break;
    case ALL:
        o->all = true;
        break;
    case REGION:
        o->region = optarg;
        break;
    case NAME:
        o->page.name = optarg;
        break;
    case COMMAND:
        o->page.command = optarg;
        break;
    case MACHINE:
        o->page.machine = optarg;
        break;
    case RUNNING:
        o->page.running = true;
        break;
    case DESCRIPTION:
        o->page.description = optarg;
        break;
    case HELP:
        fputs(usage_text, stdout);
        exit(0);
    case ':':
        usage("no value after %s", argv[optind - 1]);
        break;
    default:
        usage("unknown option %s", argv[optind - 1]);
    }
}

static struct choice parse(int argc, char **argv)
{
    static const char *const formats[] = { "text", "csv", "json", "callgrind", "folded", "page" };
    struct choice o = { .format = "text", .top = 10 };
    bool known = false;
    int c;

    o.annotate = argc > 1 && !strcmp(argv[1], "annotate");
    opterr = 0;
    optind = 2;
    while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1)
        set(&o, c, argv);
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        known |= !strcmp(o.format, formats[i]);
    if (!known)
        usage("--format is text, csv, json, callgrind or folded, not '%s'", o.format);
    if (optind >= argc)
        usage("%s", "no profile named");
    if (o.annotate && argc - optind > 2)
        usage("one profile at a time, and not '%s'", argv[optind + 2]);
    if (!o.annotate && argc - optind > 1) {
        o.traces = argv + optind + 1;
        o.ntraces = argc - optind - 1;
        for (int i = 0; i < o.ntraces; i++)
            if (g_file_test(o.traces[i], G_FILE_TEST_IS_DIR))
                usage("one profile at a time, and not '%s'", o.traces[i]);
        if (o.region || o.placement || strcmp(o.format, "text"))
            usage("counters are shown for a whole profile and as text only: '%s'", o.traces[0]);
    }
    return o;
}

/* By number: is the region called @name, or does it lie in one that is?  g_free(). */
static bool *regions_in(const struct profile *p, const char *name, bool *any)
{
    bool *in = g_new0(bool, p->regions->len + 1);

    *any = false;
    for (guint n = 1; n < p->regions->len; n++) {
        uint64_t parent = *AT(p->region_parents, uint64_t, n);

        /* A region's number is larger than its parent's. */
        in[n] = (p->regions->pdata[n] && !strcmp(p->regions->pdata[n], name)) ||
                (parent < n && in[parent]);
        *any |= in[n];
    }
    return in;
}

/* Only the misses and stalls of the regions @name, and of those in them, stay. */
static void select_region(struct profile *p, const char *name)
{
    bool known;
    g_autofree bool *in = regions_in(p, name, &known);
    guint n = 0;

    if (!known)
        die(1, "origin: the profile has no region '%s'\n", name);
    for (guint i = 0; i < p->misses->len; i++)
        if (in[MIN(AT(p->misses, struct miss, i)->region, p->regions->len)])
            *AT(p->misses, struct miss, n++) = *AT(p->misses, struct miss, i);
    g_array_set_size(p->misses, n);
    n = 0;
    for (guint i = 0; i < p->stalls->len; i++)
        if (in[MIN(AT(p->stalls, struct stall, i)->region, p->regions->len)])
            *AT(p->stalls, struct stall, n++) = *AT(p->stalls, struct stall, i);
    g_array_set_size(p->stalls, n);
}

static bool print(const struct tally *t, const struct choice *o)
{
    if (o->placement)
        report_placement(t);
    else if (!strcmp(o->format, "csv"))
        export_csv(t);
    else if (!strcmp(o->format, "json"))
        export_json(t);
    else if (!strcmp(o->format, "callgrind"))
        export_callgrind(t);
    else if (!strcmp(o->format, "folded"))
        export_folded(t);
    else if (!strcmp(o->format, "page"))
        return export_page(t, &o->page);
    else
        report_text(t, o->top);
    return true;
}

/* `layout VMLINUX`, which the build uses. */
static int print_layout(const char *vmlinux)
{
    char why[256];

    if (!layout_write(vmlinux, stdout, why, sizeof(why))) {
        fprintf(stderr, "origin: %s: %s\n", vmlinux, why);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct choice o = parse(argc, argv);
    struct profile *p;
    struct tally *t;

    if (!strcmp(argv[1], "layout"))
        return print_layout(argv[optind]);

    /* `pages FILE`, which launcher/report uses: counters of refcnt(1) instead of a profile. */
    if (!strcmp(argv[1], "pages"))
        return !export_refcnt(argv[optind], &o.page);
    p = profile_read(argv[optind], o.all);
    if (!p)
        return 1;
    if (o.region)
        select_region(p, o.region);
    t = tally_new(p, resolver_new(p));
    if (o.annotate) {
        const char *function = argv[optind + 1];

        if (!report_annotate(t, function))
            die(1, "origin: no miss of the command is in %s\n",
                function ? function : "any function");
    } else if (!print(t, &o) || (o.ntraces && !report_counters(p, o.traces, o.ntraces)))
        return 1;
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "origin: standard output: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

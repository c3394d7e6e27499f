// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * origin report, origin annotate and origin follow: read a profile and say what it means.  The script
 * ./origin starts this program with the command's name as the first argument.
 *
 *   table.c read.c   the profile in memory     image.c lines.c variables.c  ELF files
 *   resolve.c           code and objects          tally.c     sums and problems
 *   report.c annotate.c export.c source.c follow.c  what is printed
 *   types*.c            misses by type and member
 *   accesses.c          each access, for simulators
 *   page*.c rows.c                                the data of a page
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accesses.h"
#include "advice.h"
#include "annotate.h"
#include "blocked.h"
#include "computing.h"
#include "counters.h"
#include "export.h"
#include "follow.h"
#include "kernel_layout.h"
#include "page.h"
#include "page_refcnt.h"
#include "remedies.h"
#include "report.h"
#include "types_text.h"

struct choice {
    gboolean all, placement, types, kernel;
    bool annotate;
    const char *format, *region, *line, *libraries, *wrappers, *locks;
    struct page_parts page;
    int top, processor;
    const char *what, *profile;
    char **more; /* the function, or traces of the same run */
    int nmore;
};

static void die(int status, const char *text, const char *what)
{
    fprintf(stderr, text, what);
    exit(status);
}

static const char *help = "report"; /* whose --help a message names */

static void usage(const char *text, const char *what)
{
    fputs("origin: ", stderr);
    fprintf(stderr, text, what);
    fprintf(stderr, " (origin %s --help)\n", help);
    exit(2);
}

/* ./origin has checked the options with its own table (launcher/options.inc). */
static struct choice parse(int argc, char **argv)
{
    struct choice o = {
        .format = "text", .top = 10, .processor = -1, .libraries = "/usr", .wrappers = ""
    };
    char **words = NULL;
    const GOptionEntry entries[] = {
        { "format", 0, 0, G_OPTION_ARG_FILENAME, &o.format, NULL, NULL },
        { "placement", 0, 0, G_OPTION_ARG_NONE, &o.placement, NULL, NULL },
        { "top", 0, 0, G_OPTION_ARG_INT, &o.top, NULL, NULL },
        { "processor", 0, 0, G_OPTION_ARG_INT, &o.processor, NULL, NULL },
        { "all", 0, 0, G_OPTION_ARG_NONE, &o.all, NULL, NULL },
        { "libraries", 0, 0, G_OPTION_ARG_FILENAME, &o.libraries, NULL, NULL },
        { "wrappers", 0, 0, G_OPTION_ARG_FILENAME, &o.wrappers, NULL, NULL },
        { "kernel", 0, 0, G_OPTION_ARG_NONE, &o.kernel, NULL, NULL },
        { "locks", 0, 0, G_OPTION_ARG_FILENAME, &o.locks, NULL, NULL },
        { "types", 0, 0, G_OPTION_ARG_NONE, &o.types, NULL, NULL },
        { "line", 0, 0, G_OPTION_ARG_FILENAME, &o.line, NULL, NULL },
        { "region", 0, 0, G_OPTION_ARG_FILENAME, &o.region, NULL, NULL },
        /* With --format=page, which launcher/report and launcher/view use: see struct page_parts. */
        { "name", 0, 0, G_OPTION_ARG_FILENAME, &o.page.name, NULL, NULL },
        { "command", 0, 0, G_OPTION_ARG_FILENAME, &o.page.command, NULL, NULL },
        { "machine", 0, 0, G_OPTION_ARG_FILENAME, &o.page.machine, NULL, NULL },
        { "description", 0, 0, G_OPTION_ARG_FILENAME, &o.page.description, NULL, NULL },
        { "running", 0, 0, G_OPTION_ARG_NONE, &o.page.running, NULL, NULL },
        { "compared", 0, 0, G_OPTION_ARG_NONE, &o.page.compared, NULL, NULL },
        { "newest", 0, 0, G_OPTION_ARG_NONE, &o.page.newest, NULL, NULL },
        { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &words, NULL, NULL },
        { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
    };
    GOptionContext *context = g_option_context_new(NULL);
    GError *error = NULL;

    if (argc > 1 && !strcmp(argv[1], "follow"))
        help = "follow";
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error))
        usage("%s", error->message);
    g_option_context_free(context);
    if (!words || !words[1])
        usage("%s", "no profile named");
    o.what = words[0];
    o.profile = words[1];
    o.more = words + 2;
    o.nmore = (int)g_strv_length(o.more);
    o.annotate = !strcmp(o.what, "annotate");
    if (!strcmp(o.what, "follow") && o.nmore)
        usage("one profile at a time, and not '%s'", o.more[0]);
    if (o.annotate && o.nmore > 1)
        usage("one profile at a time, and not '%s'", o.more[1]);
    if (!o.annotate && o.nmore) {
        for (int i = 0; i < o.nmore; i++)
            if (g_file_test(o.more[i], G_FILE_TEST_IS_DIR))
                usage("one profile at a time, and not '%s'", o.more[i]);
        if (o.region || o.placement || o.types || strcmp(o.format, "text"))
            usage("counters are shown for a whole profile and as text only: '%s'", o.more[0]);
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

static void no_region(const struct profile *p, const char *name)
{
    fprintf(stderr, "origin: %s: the profile has no region '%s'\n", p->dir, name);
    exit(1);
}

/* Only the misses, stalls and computing of the regions @name, and of those in them, stay. */
static void select_region(struct profile *p, const char *name)
{
    bool known;
    g_autofree bool *in = regions_in(p, name, &known);
    guint n = 0;

    if (!known)
        no_region(p, name);
    for (guint i = 0; i < p->misses->len; i++)
        if (in[MIN(AT(p->misses, struct miss, i)->region, p->regions->len)])
            *AT(p->misses, struct miss, n++) = *AT(p->misses, struct miss, i);
    g_array_set_size(p->misses, n);
    n = 0;
    for (guint i = 0; i < p->stalls->len; i++)
        if (in[MIN(AT(p->stalls, struct stall, i)->region, p->regions->len)])
            *AT(p->stalls, struct stall, n++) = *AT(p->stalls, struct stall, i);
    g_array_set_size(p->stalls, n);
    n = 0;
    for (guint i = 0; i < p->computing->len; i++)
        if (in[MIN(AT(p->computing, struct computing, i)->region, p->regions->len)])
            *AT(p->computing, struct computing, n++) = *AT(p->computing, struct computing, i);
    g_array_set_size(p->computing, n);
    n = 0;
    for (guint i = 0; i < p->waits->len; i++)
        if (in[MIN(AT(p->waits, struct wait, i)->region, p->regions->len)])
            *AT(p->waits, struct wait, n++) = *AT(p->waits, struct wait, i);
    g_array_set_size(p->waits, n);
    n = 0;
    for (guint i = 0; i < p->taken->len; i++)
        if (in[MIN(AT(p->taken, struct taken, i)->region, p->regions->len)])
            *AT(p->taken, struct taken, n++) = *AT(p->taken, struct taken, i);
    g_array_set_size(p->taken, n);
}

static bool print(const struct tally *t, const struct choice *o)
{
    if (o->placement)
        report_placement(t);
    else if (o->types && !strcmp(o->format, "text"))
        report_types(t, o->top);
    else if (!strcmp(o->format, "csv"))
        export_csv(t);
    else if (!strcmp(o->format, "json"))
        export_json(t);
    else if (!strcmp(o->format, "stack"))
        computing_csv(t);
    else if (!strcmp(o->format, "blocked"))
        blocked_csv(t);
    else if (!strcmp(o->format, "callgrind"))
        export_callgrind(t);
    else if (!strcmp(o->format, "folded"))
        export_folded(t);
    else if (!strcmp(o->format, "remedies")) /* for launcher/whatif */
        export_remedies(t, o->top);
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

    if (!strcmp(o.what, "layout"))
        return print_layout(o.profile);

    /* `pages FILE`, which launcher/report uses: counters of refcnt(1) instead of a profile. */
    if (!strcmp(o.what, "pages"))
        return !export_refcnt(o.profile, &o.page);
    p = profile_read(o.profile, o.all);
    if (!p)
        return 1;
    if (!strcmp(o.format, "stack") && !p->pipeline) {
        fprintf(stderr,
                "origin: %s: no computing.csv: --format=stack needs a profile of --cpu=pipeline\n",
                o.profile);
        return 1;
    }
    if (!strcmp(o.format, "blocked") && !p->lives) {
        fprintf(stderr,
                "origin: %s: no blocked.csv: this profile does not say what threads wait for\n",
                o.profile);
        return 1;
    }
    p->kernel = o.kernel;
    if (!strcmp(o.format, "din") || !strcmp(o.format, "champsim")) {
        bool known = true, *in = o.region ? regions_in(p, o.region, &known) : NULL;

        if (!known)
            no_region(p, o.region);
        return !export_accesses(p, !strcmp(o.format, "din"), o.processor, in);
    }
    if (o.region)
        select_region(p, o.region);
    t = tally_new(p, resolver_new(p, o.libraries, o.wrappers, o.locks));
    if (!strcmp(o.what, "follow")) {
        if (!report_follow(t, o.line))
            return 1;
    } else if (o.annotate) {
        if (!report_annotate(t, o.more[0]))
            die(1, "origin: no miss of the command is in %s\n",
                o.nmore ? o.more[0] : "any function");
    } else if (!print(t, &o) || (o.nmore && !report_counters(p, o.more, o.nmore)))
        return 1;
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "origin: standard output: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile as an input of a page: one JSON object on stdout (docs/report-data.md).
 *
 * It has the report's sums as tables, the machine's ground truth as the model wrote it, and
 * what made the profile.  Rows of misses.csv themselves are not in it.
 */
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "blocked.h"
#include "computing.h"
#include "diff.h"
#include "follow.h"
#include "json.h"
#include "locks.h"
#include "page_machine.h"
#include "page_program.h"
#include "page_types.h"
#include "report.h"
#include "rows.h"
#include "what/what.h"

#define TRUTH_MOST (64u << 20) /* bytes; that of the largest machine has a few MB */

static void key(const char *name)
{
    printf(",\n\"%s\":", name);
}

static void member(const char *name, const char *value)
{
    key(name);
    if (value && *value)
        json_string(stdout, value);
    else
        fputs("null", stdout);
}

/*
 * JSON of this project's own programs, as it is: numbers and names, with `<` escaped.  null if
 * @path is NULL.  False if the file cannot be read.  @flags: see plain_open().
 */
static bool put_json(const char *path, int flags)
{
    g_autofree char *text = NULL;

    if (!path) {
        fputs("null", stdout);
        return true;
    }
    text = plain_text(path, flags, TRUTH_MOST);
    if (!text) {
        fprintf(stderr, "origin: %s: %s\n", path, plain_why(errno));
        return false;
    }
    for (const char *s = g_strchomp(text); *s; s++) {
        if (*s == '<')
            fputs("\\u003c", stdout);
        else
            putchar(*s);
    }
    return true;
}

static bool put_text(const char *path)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;

    if (path && !g_file_get_contents(path, &text, NULL, &error)) {
        fprintf(stderr, "origin: %s\n", error->message);
        return false;
    }
    member("description", text);
    return true;
}

bool page_put_parts(const struct page_parts *parts)
{
    member("name", parts->name);
    member("report", parts->command);
    key("machine");
    return put_json(parts->machine, 0) && put_text(parts->description);
}

/* What the reader must know before any number. */
static void notes(const struct tally *t, bool running)
{
    const char *why = profile_meta(t->p, "kernel_why");
    g_autofree char *merged = report_merged(t), *kernel = report_kernel_note(t);
    const char *keys = profile_run(t->p, "hypothetical");
    g_autofree char *hypothetical = keys ? g_strconcat(SN_WHAT_MARK("H"), keys, NULL) : NULL;
    const char *const note[] = {
        hypothetical,
        t->p->complete ? NULL
        : running      ? "The machine still runs: this is what it did so far."
                       : "The machine did not end by itself: this is what was written until then.",
        merged,
        why && *why ? why : NULL,
        kernel,
    };
    bool more = false;

    key("notes");
    putchar('[');
    for (size_t i = 0; i < G_N_ELEMENTS(note); i++)
        if (note[i]) {
            if (more)
                putchar(',');
            json_string(stdout, note[i]);
            more = true;
        }
    putchar(']');
}

static void problems(const struct tally *t)
{
    rows_begin("problems");
    rows_column("object", "", "the data or code");
    rows_column("problem", "", "what is wrong with it");
    rows_column("saves", "us", "what the remedy would save, an estimate");
    rows_column("cost", "us", "what the problem costs");
    rows_column("count", "transactions", "that the problem causes");
    rows_column("at", "", "the source line and function where most of it is spent");
    rows_column("through", "", "what the line calls for that: a lock of the kernel");
    rows_column("remedy", "", "what to try");
    rows_column("command", "", "that tries it without a change of the program");
    for (guint i = 0; i < t->problems->len; i++) {
        const struct problem *q = AT(t->problems, struct problem, i);
        g_autofree char *object = object_text(object_at(t->r, q->object));
        g_autofree char *place = q->code >= 0 ? code_spot(code_at(t->r, q->code)) : NULL;
        g_autofree char *command = advice_command(t, q);

        rows_next();
        cell_text(object);
        cell_text(problem_name[q->kind]);
        cell_us(q->saving * t->p->tick_us);
        cell_us(tally_us(t, q->cost));
        cell_number(q->count);
        cell_text(place);
        cell_text(q->lock);
        cell_text(problem_remedy(t, q));
        cell_text(command);
    }
    rows_end();
}

static void causes(const struct tally *t)
{
    rows_begin("causes");
    rows_column("cause", "", "why the line was not in the cache");
    rows_column("count", "transactions", "of this cause");
    rows_column("stall", "us", "what processors waited for them");
    rows_column("meaning", "", "what the cause means");
    for (int c = 0; c < CAUSES; c++)
        if (t->all.count[c]) {
            rows_next();
            cell_text(cause_name[c]);
            cell_number(t->all.count[c]);
            cell_us(tally_us(t, t->all.ticks[c]));
            cell_text(cause_meaning[c]);
        }
    rows_end();
}

bool export_page(const struct tally *t, const struct page_parts *parts)
{
    struct blocked *b = blocked_sum(t);
    g_autofree char *headline = report_headline(t, b);
    g_autofree char *truth = g_build_filename(t->p->dir, "truth.json", NULL);
    g_autofree char *build =
        profile_run(t->p, "build") ? g_strconcat("build ", profile_run(t->p, "build"), NULL) : NULL;

    fputs("{\"kind\":\"profile\"", stdout);
    if (!page_put_parts(parts))
        return false;
    member("command", profile_run(t->p, "command"));
    member("options", profile_run(t->p, "options"));
    member("origin", profile_run(t->p, "origin"));
    member("host", profile_run(t->p, "machine"));
    member("system", build);
    member("time", profile_meta(t->p, "time"));
    member("headline", headline);
    notes(t, parts->running);
    printf(",\n\"nodes\":%" PRIu64 ",\"line\":%" PRIu64, t->p->nodes, t->p->line);
    key("truth");
    if (!put_json(g_file_test(truth, G_FILE_TEST_EXISTS) ? truth : NULL, O_NOFOLLOW))
        return false;
    key("tables");
    putchar('{');
    if (parts->compared)
        rows_whole();
    problems(t);
    causes(t);
    page_time(t);
    page_transactions(t);
    page_matrix(t);
    page_objects(t);
    page_types(t);
    page_functions(t);
    if (t->p->pipeline)
        page_computing(t);
    page_threads(t);
    if (b)
        page_blocked(t, b);
    blocked_free(b);
    page_locks(t);
    page_regions(t);
    if (parts->compared) {
        diff_lines(t);
        diff_queues(t);
    } else {
        page_pages(t);
        page_contended(t);
        page_source(t);
        page_follow(t, parts->newest);
    }
    puts("}}");
    return true;
}

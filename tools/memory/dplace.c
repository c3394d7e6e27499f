// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dplace: run a program with its threads and memory placed.  dplace(1) is the manual; libdplace,
 * preloaded, does the work in the program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common/options.h"

enum {
    PLACE = 1,
    DATA_SIZE,
    STACK_SIZE,
    TEXT_SIZE,
    DATA_WAIT,
    STACK_WAIT,
    TEXT_WAIT,
    MIGRATION,
    LEVEL,
    PROPAGATE,
    MUSTRUN,
    VERBOSE
};

static const struct opt_row rows[] = {
    { "place", 0, "FILE", "placement file", PLACE },
    { "migration", 0, "off|on|PERCENT", "migrate pages, or set the threshold of migration",
      MIGRATION },
    { "migration_level", 0, "PERCENT", "the same", LEVEL },
    { "propagate", 0, NULL, "children are placed too", PROPAGATE },
    { "mustrun", 0, NULL, "threads stay on one processor", MUSTRUN },
    { "verbose", 'v', NULL, "say what is done", VERBOSE },
    { NULL, 0, NULL, "Page sizes, checked but not used, because this machine has 16 KB pages:", 0 },
    { "data_pagesize", 0, "N", "of data", DATA_SIZE },
    { "stack_pagesize", 0, "N", "of the stack", STACK_SIZE },
    { "text_pagesize", 0, "N", "of text", TEXT_SIZE },
    { "data_lpage_wait", 0, "off|on|SECONDS", "wait for a large page", DATA_WAIT },
    { "stack_lpage_wait", 0, "off|on|SECONDS", "wait for a large page", STACK_WAIT },
    { "text_lpage_wait", 0, "off|on|SECONDS", "wait for a large page", TEXT_WAIT },
    { 0 },
};

static const struct opt_program prog = {
    .name = "dplace",
    .usage = "[OPTION...] PROGRAM [ARG...]",
    .text = "Run a program with its threads and memory placed on nodes.",
    .rows = rows,
    .stop_at_command = true,
};

static char sizes[160];

static void page_size(const char *kind, const char *arg)
{
    char *end;
    unsigned long n = strtoul(arg, &end, 10);
    size_t len = strlen(sizes);

    if (*end == 'k' || *end == 'm')
        n <<= *end++ == 'k' ? 10 : 20;
    if (*end || n < 16384 || n > 16 << 20 || n & (n - 1) || __builtin_ctzl(n) & 1)
        opt_usage_error(&prog, "page size '%s' is not 16k, 64k, 256k, 1m, 4m or 16m", arg);
    snprintf(sizes + len, sizeof(sizes) - len, "%s=%lu ", kind, n);
}

static void on_off_number(const char *option, const char *arg, long max)
{
    if (strcmp(arg, "off") && strcmp(arg, "on"))
        opt_unsigned(&prog, option, arg, 0, max);
}

int main(int argc, char **argv)
{
    struct opt_state *s = opt_begin(&prog, argc, argv);
    char preload[4096], file[4096];
    const char *arg, *before;
    int id;

    while ((id = opt_next(s, &arg)) != 0) {
        switch (id) {
        case PLACE:
            if (!realpath(arg, file))
                opt_fail(&prog, "%s: %s", arg, strerror(errno));
            setenv("DPLACE_FILE", file, 1);
            break;
        case DATA_SIZE:
            page_size("data", arg);
            break;
        case STACK_SIZE:
            page_size("stack", arg);
            break;
        case TEXT_SIZE:
            page_size("text", arg);
            break;
        case DATA_WAIT:
        case STACK_WAIT:
        case TEXT_WAIT:
            on_off_number("lpage_wait", arg, 65535);
            break;
        case MIGRATION:
        case LEVEL:
            on_off_number("--migration", arg, 100);
            setenv("DPLACE_MIGRATION", arg, 1);
            break;
        case PROPAGATE:
            setenv("DPLACE_PROPAGATE", "1", 1);
            break;
        case MUSTRUN:
            setenv("DPLACE_MUSTRUN", "1", 1);
            break;
        case VERBOSE:
            setenv("DPLACE_VERBOSE", "1", 1);
            break;
        }
    }
    argv += opt_index(s);
    if (!*argv)
        opt_usage_error(&prog, "no PROGRAM");
    if (*sizes)
        setenv("DPLACE_PAGESIZE", sizes, 1);
    before = getenv("LD_PRELOAD");
    snprintf(preload, sizeof(preload), "libdplace.so.1%s%s", before ? ":" : "",
             before ? before : "");
    setenv("LD_PRELOAD", preload, 1);
    setenv("DPLACE_VERSION", "1", 1);
    execvp(*argv, argv);
    opt_fail(&prog, "%s: %s", *argv, strerror(errno));
}

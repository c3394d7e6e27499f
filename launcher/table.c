// SPDX-License-Identifier: GPL-2.0-or-later
/* Words, options and what excludes what.  Interface: table.h. */
#include "table.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "sn_time.h"

/* --- the tables -------------------------------------------------------------- */

const struct option_row option_rows[] = {
#include "options.inc"
    { .name = NULL }
};

const struct command_row command_rows[] = {
    { "run", RUN, "[OPTION...] [--] [COMMAND [ARG...]]", "boot MACHINE and run COMMAND in it" },
    { "exec", 0, "SOCKET [--] COMMAND [ARG...]", "in a machine that runs with --exec=SOCKET" },
    { "profile", PROFILE, "[-o DIR] [OPTION...] [--] COMMAND [ARG...]", "record all misses" },
    { "report", REPORT, "[OPTION...] TRACE|PROFILE|DIR...", "show what was recorded" },
    { "annotate", ANNOTATE, "[OPTION...] DIR [FUNCTION]", "source lines with what they cost" },
    { "follow", FOLLOW, "[OPTION...] DIR", "the life of lines that --follow recorded" },
    { "cc|c++|fortran", 0, "ARG...", "compile for the guest" },
    { "env", ENV, "[NAME|--host]", "what build systems need to know (docs/building.md)" },
    { "sweep", SWEEP, "[OPTION...] FILE", "run a table of variants (docs/sweep.md)" },
    { "whatif", WHATIF, "[OPTION...] [--] COMMAND [ARG...]",
      "measure what remedies would gain (docs/whatif.md)" },
    { "grade", GRADE, "[OPTION...] DIR", "points for a student's program (docs/teaching)" },
    { "gdb", GDB, "[OPTION...] [--] PROGRAM [ARG...]", "debug it (docs/debugging.md)" },
    { "images", 0, "", "list what is in the images of programs" },
    { "machines", MACHINES, "[OPTION MACHINE]", "list the presets, or draw a machine" },
    { "doctor", 0, "", "what is missing or odd on this host" },
    { "core", CORE, "--schedule [OPTION...] FILE FUNCTION | --classes",
      "what code takes on the processors" },
    { "completion", 0, "bash|zsh", "a script that completes command lines of origin" },
    { NULL, 0, NULL, NULL },
};

/* --- names ------------------------------------------------------------------- */

#define LONGS_FROM 256 /* values of getopt_long() that are no letters */

static char *buffer(void)
{
    static char text[8][256];
    static unsigned int next;

    return text[next++ % 8];
}

const char *table_name(const struct option_row *row)
{
    char *text = buffer();

    if (row->letter)
        snprintf(text, 256, "-%c", row->letter);
    else
        snprintf(text, 256, "--%s", row->name);
    return text;
}

const char *table_or(const char *words)
{
    char *text = buffer(), *to = text;

    for (; *words && to < text + 240; words++)
        if (*words == '|')
            to = stpcpy(to, strchr(words + 1, '|') ? ", " : " or ");
        else
            *to++ = *words;
    *to = 0;
    return text;
}

const struct option_row *table_row(unsigned int of, const char *name)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if ((row->of & of) && !strcmp(row->name, name))
            return row;
    return NULL;
}

/* --- values ------------------------------------------------------------------ */

/* Is @value one of the words without capitals in "off|NS"? */
static bool is_word(const char *words, const char *value)
{
    size_t n = strlen(value);

    for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|')
        if (n && strcspn(w, "|") == n && !strncmp(w, value, n) &&
            strcspn(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") >= n)
            return true;
    return false;
}

static bool is_choice(const struct option_row *row)
{
    return !strpbrk(row->value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[");
}

static bool is_number(const struct option_row *row, const char *value)
{
    char *end;
    unsigned long v;

    errno = 0;
    v = strtoul(value, &end, 10);
    return *value >= '0' && *value <= '9' && !*end && !errno && v >= row->low && v <= row->high;
}

void table_bad_value(const struct option_row *row, const char *option, const char *value)
{
    die(EXIT_USAGE, MSG_BAD_VALUE, option, table_or(row->value), value);
}

/* "a number from 1 to 64", "a number from 1 on or off" */
static const char *number_text(const struct option_row *row)
{
    const char *bar = strchr(row->value, '|');
    char *text = buffer();
    int n = snprintf(text, 256, "a number from %lu ", row->low);

    if (row->high == ULONG_MAX)
        n += snprintf(text + n, 256 - (size_t)n, "on");
    else
        n += snprintf(text + n, 256 - (size_t)n, "to %lu", row->high);
    if (bar)
        snprintf(text + n, 256 - (size_t)n, " or %s", bar + 1);
    return text;
}

void table_check_value(const struct option_row *row, const char *option, const char *value)
{
    if (!value || is_word(row->value, value))
        return;
    if (row->high && !is_number(row, value))
        die(EXIT_USAGE, MSG_BAD_VALUE, option, number_text(row), value);
    if (!row->high && is_choice(row))
        table_bad_value(row, option, value);
}

/* --- words ------------------------------------------------------------------- */

/* Which options getopt_long() shall know: those of the commands @of. */
static void expected(unsigned int of, struct option *longs, char *letters)
{
    /* Options behind the first other word are those of a command or program that this word is. */
    letters = stpcpy(letters, of & (RUN | PROFILE | GDB) ? "+:" : ":");
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!(row->of & of & ~SETTING))
            continue;
        *longs++ = (struct option){ row->name,
                                    !row->value     ? no_argument
                                    : row->optional ? optional_argument
                                                    : required_argument,
                                    NULL, LONGS_FROM + (int)(row - option_rows) };
        if (row->letter) {
            *letters++ = row->letter;
            if (row->value)
                *letters++ = ':';
        }
    }
    *longs = (struct option){ NULL, 0, NULL, 0 };
    *letters = 0;
}

/* The row of what getopt_long() returned. */
static const struct option_row *found(unsigned int of, int c)
{
    if (c >= LONGS_FROM)
        return &option_rows[c - LONGS_FROM];
    for (const struct option_row *row = option_rows; row->name; row++)
        if ((row->of & of) && row->letter == c)
            return row;
    return NULL;
}

/* An option of another command, or of none. */
static void unknown(const char *word) __attribute__((noreturn));
static void unknown(const char *word)
{
    const char *name = word + strspn(word, "-");
    size_t n = strcspn(name, "=");

    for (const struct option_row *row = option_rows; row->name; row++)
        for (const struct command_row *c = command_rows; c->name; c++)
            if ((row->of & c->of) &&
                ((word[1] == '-' && n == strlen(row->name) && !strncmp(name, row->name, n)) ||
                 (word[1] != '-' && row->letter == *name)))
                die(EXIT_USAGE, MSG_OTHER_COMMAND, word, c->name);
    die(EXIT_USAGE, MSG_UNKNOWN_OPTION, word);
}

struct given_options table_read(unsigned int of, int argc, char **argv)
{
    struct given_options all = { calloc((size_t)argc + 1, sizeof(*all.v)), 0, 0 };
    struct option *longs;
    size_t rows = 0;
    char *letters;
    int c;

    while (option_rows[rows].name)
        rows++;
    longs = calloc(rows + 1, sizeof(*longs));
    letters = malloc(2 * rows + 3);
    if (!all.v || !longs || !letters)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    expected(of, longs, letters);
    optind = 0; /* from the beginning */
    opterr = 0;
    while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const struct option_row *row = c == ':' || c == '?' ? NULL : found(of, c);

        if (c == ':')
            die(EXIT_USAGE, MSG_NO_VALUE, argv[optind - 1]);
        if (!row)
            unknown(argv[optind - 1]);
        table_check_value(row, table_name(row), row->value ? optarg : NULL);
        all.v[all.n++] = (struct given){ row, row->value ? optarg : NULL };
    }
    all.words = optind - 1;
    free(longs);
    free(letters);
    return all;
}

/* --- what goes with what ------------------------------------------------------ */

/* Is there a remedy of the run, or may there be one of a future? */
static bool any_remedy(const struct options *opt)
{
    bool any = opt->remedies.n || opt->futures.from;

    for (int i = 0; i < opt->futures.n; i++)
        any |= opt->futures.f[i].remedies.n > 0;
    return any;
}

bool table_holds(const struct options *opt, const char *what)
{
    const char *name = what + 2;
    size_t n = strcspn(name, "=");

    if (!strcmp(what, A_PROFILE))
        return opt->profile;
    if (!strcmp(what, A_REMEDY))
        return any_remedy(opt);
    if (!strcmp(what, A_SHELL))
        return !opt->argc;
    for (int i = 0; i < opt->given.n; i++) {
        const struct given *g = &opt->given.v[i];

        if (strlen(g->row->name) == n && !strncmp(g->row->name, name, n) &&
            (!name[n] || (g->value && !strcmp(g->value, name + n + 1))))
            return true;
    }
    return false;
}

/* Does an exclusion hold for an option with this value? */
static bool is_meant(const char *pattern, const char *value)
{
    if (pattern && *pattern == '!')
        return !value || strcmp(value, pattern + 1);
    return !pattern || (value && !fnmatch(pattern, value, 0));
}

const struct exclusion *table_excluded(const struct options *opt, const struct option_row *row,
                                       const char *value)
{
    for (const struct exclusion *x = row->excludes; x && x->other; x++)
        if (is_meant(x->mine, value) && table_holds(opt, x->other))
            return x;
    return NULL;
}

static void check_needs(const struct options *opt, const struct option_row *row)
{
    char *words = row->needs ? strdup(row->needs) : NULL, *rest = words;
    bool has = !row->needs;

    for (char *word; !has && (word = strsep(&rest, "|"));)
        has = table_holds(opt, word);
    free(words);
    if (!has)
        die(EXIT_USAGE, MSG_NEEDS, table_name(row), table_or(row->needs), row->needs_why);
}

void table_check(const struct options *opt)
{
    for (int i = 0; i < opt->given.n; i++) {
        const struct given *g = &opt->given.v[i];
        const struct exclusion *x = table_excluded(opt, g->row, g->value);

        if (x)
            die(EXIT_USAGE, MSG_EXCLUDES, table_name(g->row), x->other, x->why);
    }
    for (int i = 0; i < opt->given.n; i++)
        check_needs(opt, opt->given.v[i].row);
}

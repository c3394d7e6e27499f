// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the table says to others (help_answer() of table.h):
 *
 *   --help [COMMAND]      for a person
 *   --options             for programs: lines of fields with tabs between them
 *       command    NAME  SYNOPSIS
 *       option     COMMANDS  --NAME  -LETTER or nothing  "", "=" or "[=]"  VALUE  LOW  HIGH  STANDARD  HELP
 *       excludes   COMMANDS  --NAME  WHICH VALUE  OTHER  WHY
 *       needs      COMMANDS  --NAME  OTHERS  WHY
 *       setting    KEY  VALUE              of --set and, after "roi-", of a sweep's file
 *   --man WHAT            a part of docs/man/origin.1: "synopsis", or the options of a command
 *   --parse COMMAND WORD...   for scripts that are commands: `option NAME VALUE` or `flag NAME` for each option, then
 *       `set -- WORD...` with the other words, all quoted for a shell
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "options.h"
#include "table.h"

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool is_called(const struct command_row *c, const char *name)
{
    size_t n = strlen(name);

    for (const char *w = c->name; *w; w += strcspn(w, "|"), w += *w == '|')
        if (strcspn(w, "|") == n && !strncmp(w, name, n))
            return true;
    return false;
}

static const struct command_row *command(const char *name)
{
    const struct command_row *c = command_rows;

    while (c->name && !is_called(c, name))
        c++;
    if (!c->name)
        die(EXIT_USAGE, MSG_NO_COMMAND, name);
    return c;
}

/* Of several commands with the same options the manual and --help have the first one's. */
static bool shown_with(const struct option_row *row, const struct command_row *c)
{
    unsigned int before = 0;

    for (const struct command_row *k = command_rows; k != c; k++)
        before |= k->of;
    return row->help && (row->of & c->of) && !(row->of & before);
}

/* --- for a person ---------------------------------------------------------------- */

static void help_option(const struct option_row *row)
{
    char text[256], letter[8] = "   ";

    if (row->letter)
        snprintf(letter, sizeof(letter), "-%c,", row->letter);
    snprintf(text, sizeof(text), "%s --%s%s%s%s", letter, row->name,
             !row->value     ? ""
             : row->optional ? "[="
                             : "=",
             row->value ? row->value : "", row->optional ? "]" : "");
    printf("  %-34s  %s", text, row->help);
    if (row->standard)
        printf(" (%s)", row->standard);
    putchar('\n');
}

static void help_command(const struct command_row *c, bool all)
{
    bool first = true;

    for (const struct option_row *row = option_rows; row->name; row++) {
        if (all ? !shown_with(row, c) : !row->help || !(row->of & c->of))
            continue;
        if (first)
            printf("\nOptions of origin %s:\n", c->name);
        first = false;
        help_option(row);
    }
}

static void help_set(void)
{
    printf("\nKeys of --set:\n");
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->setting)
            printf("  %s=%s\n", row->name, row->setting);
        else if (row->of & SETTING)
            printf("  %s=%s  %s\n", row->name, row->value, row->help);
}

static void help(const char *name)
{
    const struct command_row *one = name ? command(name) : NULL;
    const char *usage = "usage:";

    for (const struct command_row *c = command_rows; c->name; c++) {
        if (one && c != one)
            continue;
        printf("%-6s origin %s%s%s\n", usage, c->name, *c->synopsis ? " " : "", c->synopsis);
        printf("                 %s\n", c->help);
        usage = "";
    }
    if (!one)
        printf("       origin --help | --version\n");
    printf("\ndocs/man/origin.1 is the manual. Options of one command: origin COMMAND --help\n");
    for (const struct command_row *c = command_rows; c->name; c++)
        if (!one || c == one)
            help_command(c, !one);
    if (!one || one->of & RUN)
        help_set();
    if (!one || one->of & (RUN | PROFILE))
        printf("\nExit status: COMMAND's (128+N for signal N); 124 out of time; 125 the machine "
               "could not be\n"
               "built, did not reach user space, or its kernel had an oops or panic; 2 wrong "
               "usage.\n");
}

/* --- for programs ------------------------------------------------------------------ */

static void put_commands(const struct option_row *row)
{
    const char *before = "\t";

    for (const struct command_row *c = command_rows; c->name; c++)
        if (row->of & c->of) {
            printf("%s%s", before, c->name);
            before = " ";
        }
    if (row->of & JOB)
        printf(" job");
}

static void put_row(const struct option_row *row)
{
    char low[24] = "", high[24] = "", letter[] = { '-', row->letter, 0 };

    if (row->high) {
        snprintf(low, sizeof(low), "%lu", row->low);
        snprintf(high, sizeof(high), "%lu", row->high);
    }
    printf("option");
    put_commands(row);
    printf("\t--%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row->name, row->letter ? letter : "",
           row->optional ? "[=]"
           : row->value  ? "="
                         : "",
           row->value ? row->value : "", low, high, row->standard ? row->standard : "",
           row->help ? row->help : "");
    for (const struct exclusion *x = row->not ; x && x->other; x++) {
        printf("excludes");
        put_commands(row);
        printf("\t--%s\t%s\t%s\t%s\n", row->name, x->mine ? x->mine : "", x->other, x->why);
    }
    if (row->needs) {
        printf("needs");
        put_commands(row);
        printf("\t--%s\t%s\t%s\n", row->name, row->needs, row->needs_why);
    }
}

static void put_table(void)
{
    for (const struct command_row *c = command_rows; c->name; c++)
        printf("command\t%s\t%s\n", c->name, c->synopsis);
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!(row->of & SETTING))
            put_row(row);
        if (row->setting || row->of & SETTING)
            printf("setting\t%s\t%s\n", row->name, row->setting ? row->setting : row->value);
    }
}

/* --- the manual ---------------------------------------------------------------------- */

/* @n bytes, as roff wants them. */
static void roff(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputs(text[i] == '-' ? "\\-" : text[i] == '\\' ? "\\e" : (char[]){ text[i], 0 }, stdout);
}

/* What a user writes: words in capitals are slanted, all others and the marks between them bold. */
static void roff_usage(const char *text)
{
    while (*text) {
        size_t n = strspn(text, CAPITALS);

        if (n) {
            printf("\\fI");
        } else {
            n = strcspn(text, CAPITALS);
            printf("\\fB");
        }
        roff(text, n);
        text += n;
    }
    printf("\\fR");
}

/* Is the word at @text, of @n letters, one that stands in @value? */
static bool is_metavariable(const char *value, const char *text, size_t n)
{
    for (const char *v = value; v && *v; v += strspn(v, CAPITALS)) {
        v += strcspn(v, CAPITALS);
        if (n && strspn(v, CAPITALS) == n && !strncmp(v, text, n))
            return true;
    }
    return false;
}

/* Sentences: `...` is bold, what stands for the value slanted; a line each. */
static void roff_text(const char *text, const char *value)
{
    bool bold = false, word = false;

    while (*text) {
        size_t n = strspn(text, CAPITALS);

        if (*text == '`') {
            bold = !bold;
            printf(bold ? "\\fB" : "\\fR");
            text++;
        } else if (!word && is_metavariable(value, text, n) && text[n] != '-') {
            printf("\\fI%.*s%s", (int)n, text, bold ? "\\fB" : "\\fR");
            text += n;
        } else if (!strncmp(text, ". ", 2) || !strncmp(text, "? ", 2)) {
            printf("%c\n", *text);
            text += 2;
        } else {
            roff(text, 1);
            word = strchr(CAPITALS "abcdefghijklmnopqrstuvwxyz", *text);
            text++;
        }
    }
}

static void man_option(const struct option_row *row)
{
    const char *before = "Does not go with";

    printf(".TP\n");
    if (row->letter)
        printf("\\fB\\-%c\\fR, ", row->letter);
    printf("\\fB\\-\\-");
    roff(row->name, strlen(row->name));
    printf(!row->value ? "\\fR" : row->optional ? "\\fR[\\fB=" : "=");
    if (row->value)
        roff_usage(row->value);
    printf(row->optional ? "]\n" : "\n");
    /* A sentence begins with a capital. */
    printf("%c", *row->help >= 'a' && *row->help <= 'z' ? *row->help - 'a' + 'A' : *row->help);
    roff_text(row->help + 1, row->value);
    if (row->standard) {
        printf("; the default is \\fB");
        roff(row->standard, strlen(row->standard));
        printf("\\fR");
    }
    printf(".\n");
    if (row->more) {
        roff_text(row->more, row->value);
        printf("\n");
    }
    for (const struct exclusion *x = row->not ; x && x->other; x++) {
        printf("%s \\fB", before);
        roff(x->other, strlen(x->other));
        printf("\\fR");
        if (x->mine)
            printf(*x->mine == '!' ? " unless it is \\fB%s\\fR" : " if it is \\fB%s\\fR",
                   x->mine + (*x->mine == '!'));
        printf(": ");
        roff_text(x->why, NULL);
        before = "; nor with";
    }
    if (row->not )
        printf(".\n");
}

static void man_settings(void)
{
    for (const struct option_row *row = option_rows; row->name; row++) {
        const char *value = row->setting ? row->setting : row->of & SETTING ? row->value : NULL;

        if (!value)
            continue;
        printf(".TP\n\\fB\\-\\-set\\fR ");
        roff_usage(row->name);
        printf("\\fB=");
        roff_usage(value);
        printf("\n");
        if (row->setting)
            printf("As the option \\fB\\-\\-%s\\fR.\n", row->name);
        else
            printf("Of the future: %s.\n", row->help);
    }
}

static void man(const char *what)
{
    if (strcmp(what, "synopsis")) {
        const struct command_row *c = command(what);

        for (const struct option_row *row = option_rows; row->name; row++) {
            if (shown_with(row, c))
                man_option(row);
            if (shown_with(row, c) && !strcmp(row->name, "set"))
                man_settings();
        }
        return;
    }
    for (const struct command_row *c = command_rows; c->name; c++) {
        printf("\\fBorigin ");
        roff(c->name, strlen(c->name));
        printf("\\fR ");
        roff_usage(c->synopsis);
        printf("\n");
    }
    printf("\\fBorigin \\-\\-help\\fR | \\fB\\-\\-version\\fR\n");
}

/* --- command lines of scripts ------------------------------------------------------------ */

static void parse(int argc, char **argv)
{
    struct given_options all = table_read(command(argv[0])->of, argc, argv);

    for (int i = 0; i < all.n; i++) {
        printf("%s %s ", all.v[i].value ? "option" : "flag", all.v[i].row->name);
        if (all.v[i].value)
            options_put_word(stdout, all.v[i].value);
        putchar('\n');
    }
    printf("set --");
    for (int i = 1 + all.words; i < argc; i++) {
        putchar(' ');
        options_put_word(stdout, argv[i]);
    }
    putchar('\n');
}

bool help_answer(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (!strcmp(word, "--help"))
        help(argc > 2 ? argv[2] : NULL);
    else if (!strcmp(word, "--options"))
        put_table();
    else if (argc > 2 && !strcmp(word, "--man"))
        man(argv[2]);
    else if (argc > 2 && !strcmp(word, "--parse"))
        parse(argc - 2, argv + 2);
    else
        return false;
    return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the table says to other programs (help_answer()).  The script launcher/manual
 * tells it to persons.
 *
 *   --options                 lines of fields with tabs between them
 *       command    NAME  SYNOPSIS  HELP
 *       option     COMMANDS  --NAME  -LETTER or nothing  "", "=" or "[=]"  VALUE  LOW  HIGH  STANDARD  HELP  MORE
 *       excludes   COMMANDS  --NAME  WHICH VALUE  OTHER  WHY
 *       needs      COMMANDS  --NAME  OTHERS  WHY
 *       setting    KEY  VALUE  HELP        of --set and, after "roi-", of a sweep's file
 *   --what-keys               the keys of --what, likewise
 *   --parse COMMAND WORD...   for scripts that are commands: `option NAME VALUE` or `flag NAME` for each option, then
 *       `set -- WORD...` with the other words, all quoted for a shell
 */
#include "help.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "quote.h"
#include "table.h"
#include "what.h"

static const struct command_row *command(const char *name)
{
    const struct command_row *c = command_rows;

    while (c->name && strcmp(c->name, name))
        c++;
    if (!c->name)
        die(EXIT_USAGE, MSG_NO_COMMAND, name);
    return c;
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
    printf("\t--%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row->name, row->letter ? letter : "",
           row->optional ? "[=]"
           : row->value  ? "="
                         : "",
           row->value ? row->value : "", low, high, row->standard ? row->standard : "",
           row->help ? row->help : "", row->more ? row->more : "");
    for (const struct exclusion *x = row->excludes; x && x->other; x++) {
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
        printf("command\t%s\t%s\t%s\n", c->name, c->synopsis, c->help);
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!(row->of & SETTING))
            put_row(row);
        if (row->setting || row->of & SETTING)
            printf("setting\t%s\t%s\t%s\n", row->name, row->setting ? row->setting : row->value,
                   row->setting ? "" : row->help);
    }
}

/* --- command lines of scripts ------------------------------------------------------------ */

static void parse(int argc, char **argv)
{
    unsigned int of = command(argv[0])->of;
    const struct options opt = { .given = table_read(of, argc, argv) };
    const struct given_options all = opt.given;

    if (!(of & EVERY)) /* these start a machine, and what starts it checks them */
        table_check(&opt);
    for (int i = 0; i < all.n; i++) {
        printf("%s %s ", all.v[i].value ? "option" : "flag", all.v[i].row->name);
        if (all.v[i].value)
            quote_word(stdout, all.v[i].value);
        putchar('\n');
    }
    printf("set --");
    for (int i = 1 + all.words; i < argc; i++) {
        putchar(' ');
        quote_word(stdout, argv[i]);
    }
    putchar('\n');
}

bool help_answer(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (!strcmp(word, "--options"))
        put_table();
    else if (!strcmp(word, "--what-keys"))
        what_print_rows();
    else if (argc > 2 && !strcmp(word, "--parse"))
        parse(argc - 2, argv + 2);
    else
        return false;
    return true;
}

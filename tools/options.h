/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of options for a command line: parsing, --help, --version and
 * the error lines all come from its rows.  On getopt_long_only(3): "-n1",
 * "-n 1", "--node=1", "--node 1" and "-node 1" are the same.  Host and guest.
 *
 *   struct opt_row     one option, or a heading of the help text
 *   opt_begin/opt_next the loop over the command line
 *   opt_help           the help text
 *   opt_completion     a completion script for bash
 *   opt_number, opt_unsigned  checked numbers
 *   opt_usage_error    "PROG: ...", exit 2
 *   opt_fail           "PROG: ...", exit 1
 *
 * --help, --version and --bash-completion need no rows: they are added to
 * every table.
 * Exit status of the tools: 0 done, 1 failure, 2 wrong usage.
 */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A null name: help is a heading.  All null: the end of a table. */
struct opt_row {
    const char *name; /* long name, without dashes */
    char letter;      /* short form, or 0 */
    /* Argument's name, or its values: "on|off"; "[P]": may be absent; null: none. */
    const char *arg;
    const char *help; /* one line, no full stop */
    int id;           /* what opt_next returns; above 0 */
};

struct opt_program {
    const char *name;
    const char *usage; /* what follows the name, lines separated by \n */
    const char *text;  /* what it does, one line */
    const struct opt_row *rows;
    bool stop_at_command; /* the first word that is no option ends the options */
};

struct opt_state;

/*
 * Starts parsing argv.  The state is allocated; it lives until the process
 * ends.
 */
struct opt_state *opt_begin(const struct opt_program *p, int argc, char **argv);

/*
 * The next option's id, or 0 at the end of the options.  *arg: its argument
 * or null.  Serves --help and --version itself (exit 0); an unknown option or
 * a missing argument is an error line and exit 2.
 */
int opt_next(struct opt_state *s, const char **arg);

/* Index of the first operand after opt_next returned 0. */
int opt_index(const struct opt_state *s);

/* Prints the help text to stdout. */
void opt_help(const struct opt_program *p);

/*
 * Prints a completion script to stdout: option names, values of "a|b"
 * arguments, files after FILE and PATH arguments and as operands.
 */
void opt_completion(const struct opt_program *p);

/*
 * The whole of text as a number within [lo, hi]; otherwise
 * "PROG: OPTION: 'TEXT' is not a number from LO to HI" and exit 2.
 */
double opt_number(const struct opt_program *p, const char *option, const char *text, double lo,
                  double hi);
uint64_t opt_unsigned(const struct opt_program *p, const char *option, const char *text,
                      uint64_t lo, uint64_t hi);

/* "PROG: MESSAGE" on stderr; exit 2 with a hint at --help, or exit 1. */
void opt_usage_error(const struct opt_program *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void opt_fail(const struct opt_program *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/*
 * Flushes and checks standard output: a full disk or a closed pipe is an
 * error, not a short output.  Call it before exit(0).
 */
void opt_close_stdout(const struct opt_program *p);

#endif

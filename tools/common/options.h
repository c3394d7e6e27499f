/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of options describes a command line: parsing, --help, --version and the error lines all
 * use its rows. It is built on getopt_long_only(3): "-n1", "-n 1", "--node=1", "--node 1" and
 * "-node 1" are the same. For the guest and the host.
 *
 *   struct opt_row            one option, or a heading of the help text
 *   opt_begin, opt_next       the loop over the command line
 *   opt_help                  the help text
 *   opt_completion            a completion script for bash and zsh
 *   opt_number, opt_unsigned  checked numbers
 *   opt_usage_error           "PROG: ...", exit 2
 *   opt_fail                  "PROG: ...", exit 1
 *
 * --help, --version and --bash-completion are part of every table and need no rows. Exit status of
 * the tools: 0 done, 1 failure, 2 wrong usage.
 */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row whose name is null is a heading. A row of zeros ends the table. */
struct opt_row {
    const char *name; /* long name, without dashes */
    char letter;      /* short form, or 0 */
    /* The name of the argument, or its values: "on|off". "[P]": optional. Null: no argument. */
    const char *arg;
    const char *help; /* one line, no full stop */
    int id;           /* what opt_next returns; above 0 */
};

struct opt_program {
    const char *name;
    const char *usage; /* what follows the name, lines separated by \n */
    const char *text;  /* what it does, one line */
    const struct opt_row *rows;
    bool stop_at_command; /* the first operand ends the options */
};

struct opt_state;

/* Starts parsing argv. The state is allocated and never freed. */
struct opt_state *opt_begin(const struct opt_program *p, int argc, char **argv);

/*
 * The id of the next option, or 0 at the end of the options. *arg is the option's argument or null.
 * --help, --version and --bash-completion are served here (exit 0). An unknown option or a missing
 * argument gives an error line and exit 2.
 */
int opt_next(struct opt_state *s, const char **arg);

/* Index of the first operand after opt_next returned 0. */
int opt_index(const struct opt_state *s);

/* Prints the help text to stdout. */
void opt_help(const struct opt_program *p);

/*
 * Prints a completion script to stdout. It completes the names of options, the values of "a|b"
 * arguments, and files for FILE and PATH arguments and for operands.
 */
void opt_completion(const struct opt_program *p);

/*
 * The whole of text as a number from lo to hi. Otherwise "PROG: OPTION: 'TEXT' is not a number from
 * LO to HI" and exit 2.
 */
double opt_number(const struct opt_program *p, const char *option, const char *text, double lo,
                  double hi);
uint64_t opt_unsigned(const struct opt_program *p, const char *option, const char *text,
                      uint64_t lo, uint64_t hi);

/*
 * "PROG: MESSAGE" on stderr. A usage error adds a hint at --help and exits with 2, a failure exits
 * with 1.
 */
void opt_usage_error(const struct opt_program *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void opt_fail(const struct opt_program *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/*
 * Flushes standard output and reports errors of all earlier output, such as a full disk. Call it
 * before exit(0), so that a program whose output is incomplete does not succeed.
 */
void opt_close_stdout(const struct opt_program *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options (options.inc), which command has which, and how words become options.
 * help.c prints what others know of the table.
 */
#ifndef LAUNCHER_TABLE_H
#define LAUNCHER_TABLE_H

#include "options.h"

/* Bits: the commands of ./origin that have options; JOB and SETTING are no commands. */
enum {
    RUN = 1,
    PROFILE = 2,
    GDB = 4,
    REPORT = 8,
    ANNOTATE = 16,
    SWEEP = 32,
    MACHINES = 64,
    ENV = 128,
    JOB = 256,
    SETTING = 512,
    CORE = 1024,
    GRADE = 2048,
    FOLLOW = 4096,
    WHATIF = 8192,
    EVERY = RUN | PROFILE | GDB | WHATIF | JOB
};

/* What excludes options besides other options, as messages name it. */
#define A_PROFILE "origin profile"
#define A_SHELL   "a shell on the console"
#define A_REMEDY  "a --remedy" /* of the run or of a future */

/* Values that command_line.c reads with a function of their own, take_NAME. */
#define TAKE_LIST(X) \
    X(warm)          \
    X(until_time)    \
    X(view) X(disk) X(image) X(net) X(gdb) X(future) X(set) X(remedy) X(what) X(qemu_arg)

enum option_type {
    TO_NOTHING,
    TO_FLAG,
    TO_INT,
    TO_SECONDS,
    TO_TEXT,
#define X(name) TO_##name,
    TAKE_LIST(X)
#undef X
};

/* What --restore does with the value in the file.  0: asks for --trust. */
enum saved { TAKEN = 1, LEFT, PRESET };

/* options.inc explains the members. */
struct exclusion {
    const char *other, *why, *mine;
};

struct option_row {
    const char *name;
    char letter;
    unsigned int of;
    const char *value;
    bool optional;
    unsigned long low, high;
    const char *standard;
    enum option_type type;
    size_t to; /* offset in struct options */
    const char *setting;
    bool restore;
    enum saved saved;
    const struct exclusion *excludes;
    const char *needs, *needs_why;
    const char *help, *more;
};

/* All rows; the last one has no name. */
extern const struct option_row option_rows[];

struct command_row {
    const char *name; /* of more than one, a bar between them */
    unsigned int of;  /* its bit; 0: it has no options */
    const char *synopsis, *help;
};

extern const struct command_row command_rows[];

/*
 * Read the options from argv[1] on.  Of commands that run others, those before the first word that
 * is none; of the rest all, which then come first in argv.  Exits with EXIT_USAGE and one line
 * if an option is unknown, lacks its value, or has one that its row forbids.
 */
struct given_options table_read(unsigned int of, int argc, char **argv);

/* Exit with EXIT_USAGE and one line if @value is none that the row allows; @option is named. */
void table_check_value(const struct option_row *row, const char *option, const char *value);
/* The same, without a look at it. */
void table_bad_value(const struct option_row *row, const char *option, const char *value)
    __attribute__((noreturn));

/* "-t" or "--time", in a buffer that lasts for some calls. */
const char *table_name(const struct option_row *row);
/* "a, b or c" for "a|b|c", likewise. */
const char *table_or(const char *words);

/* Is "--net" or "--quantum=off" given, is there A_PROFILE, A_SHELL or A_REMEDY? */
bool table_holds(const struct options *opt, const char *what);
/* What excludes an option that has this value; NULL: nothing. */
const struct exclusion *table_excluded(const struct options *opt, const struct option_row *row,
                                       const char *value);
/* Exit with EXIT_USAGE and one line if options exclude each other, or lack one that they need. */
void table_check(const struct options *opt);

/* The row of an option of a command; NULL: it has none of this name. */
const struct option_row *table_row(unsigned int of, const char *name);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of options and commands.  Interface: table.h. */
#include <limits.h>
#include <stdint.h>

#include "options.h"
#include "sn_time.h"
#include "table.h"

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
    { "cc|c++|fortran", 0, "ARG...", "compile for the guest" },
    { "env", ENV, "[NAME|--host]", "what build systems need to know (docs/building.md)" },
    { "sweep", SWEEP, "[OPTION...] FILE", "run a table of variants (docs/sweep.md)" },
    { "gdb", GDB, "[OPTION...] [--] PROGRAM [ARG...]", "debug it (docs/debugging.md)" },
    { "images", 0, "", "list what is in the images of programs" },
    { "machines", MACHINES, "[OPTION MACHINE]", "list the presets, or draw a machine" },
    { "core", CORE, "--schedule [OPTION...] FILE FUNCTION | --classes",
      "what code takes on the processors" },
    { "completion", 0, "bash|zsh", "a script that completes command lines of origin" },
    { NULL, 0, NULL, NULL },
};

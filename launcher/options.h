/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of one run.  options.inc says how they are read. */
#ifndef LAUNCHER_OPTIONS_H
#define LAUNCHER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "debugger.h"
#include "devices.h"

struct option_row; /* table.h */

/* An option as the user gave it. */
struct given {
    const struct option_row *row;
    const char *value; /* NULL: none */
};

/* The options of the command @of at the begin of a command line. */
struct given_options {
    struct given *v;
    int n;
    int words; /* that they take, "--" included */
};

/* What the model shall believe (remedy.h). */
struct remedies {
    const char **v; /* values of --remedy, in their order */
    unsigned int n;
    char *list, *comm; /* the same for the model */
    const char **of;   /* the value that each piece of the list comes from */
    unsigned int pieces;
};

/* What one of the forked futures does otherwise. */
struct future {
    const char *name;
    const char *model;        /* "off" or a time model; NULL: as it is */
    const char *seed;         /* NULL: as it is */
    char *text;               /* lines for the guest: env NAME=VALUE, sh COMMAND; or NULL */
    struct remedies remedies; /* from the split on */
};

struct futures {
    const char *dir; /* --split; NULL: none */
    struct future *f;
    int n;
    int at_once;    /* 0: as many as the host has processors */
    const char *at; /* "region", or "command": where the machine splits */
    int from;       /* a socket that asks for futures (futures.h); 0: none */
};

struct options {
    const char *machine; /* preset, or path of a .dts/.dtb */
    const char *share;   /* host directory for /share, or NULL */
    const char *kernel;
    const char *kernel_args; /* the end of the kernel's command line, or NULL */
    const char *exec;        /* socket for `origin exec`, or NULL */
    const char *console;     /* file for a copy of the console's output, or NULL */
    const char *model;       /* "on", "off", or NULL for the board's default */
    const char *cpu;         /* the processors' own time */
    char *what;              /* values of --what with commas between them, or NULL */
    const char *r2;          /* the same, of MIPS64 R2 instructions in user mode */
    bool range_monitor;
    bool profile;                             /* origin profile */
    const char *profile_rows, *profile_depth; /* NULL: the machine's defaults */
    const char *accesses, *accesses_from;     /* each of them goes to a file; in this region */
    const char *follow, *follow_max;          /* lines that a profile follows, or NULL */
    char *follow_lines, *follow_comm;         /* the same for the model (follow.h) */
    struct remedies remedies;                 /* of the run itself */
    const char *remedy_from; /* the region with which they begin; NULL: the command */
    const char *profile_dir; /* where the profile goes; not NULL once it has been read */
    const char *time;        /* a time model, or NULL for the board's default */
    const char *seed;        /* of the generators that choose L2 victims, or NULL */
    const char *before;      /* the model that runs until the start, or NULL */
    const char *roi;         /* the start is the begin of the region with this name; NULL: of any */
    char *from;              /* the start is this machine time in ns instead, or NULL */
    char *warm;              /* for so many ns after the start the unloaded model runs, or NULL */
    struct futures futures;  /* what the machine splits into */
    const char *save;        /* the file that gets a checkpoint when a region begins, or NULL */
    const char *restore;     /* the checkpoint that the run begins with, or NULL */
    bool trust;              /* its files and ports of the host may be used */
    const char *regions;     /* file for a table of regions and switches, or NULL */
    const char *threads;     /* host threads that run processors */
    const char *quantum;     /* ns, "off" for QEMU's stock scheduling, or NULL */
    bool view;               /* a page for a browser */
    bool view_paused;        /* the machine starts when a reader of the page says so */
    unsigned int view_port;  /* 0: any */
    double timeout;          /* host seconds for the whole run; 0: none */
    const char *boot;        /* "kept", or "cold": whether the run may begin with a boot that was */
    double boot_timeout;     /* host seconds until user space is up */
    bool check;              /* the options are only checked: nothing runs */
    struct devices devices;
    struct debugger debugger;
    char **qemu_args; /* the values of --qemu-arg, in their order */
    unsigned int qemu_argc;
    struct given_options given;
    char **words; /* all before the command, as they were given */
    int nwords;
    char **argv; /* the command; argc 0: a shell on the console */
    int argc;

    /* Products of the build, which the script ./origin names in ORIGIN_* variables. */
    const char *layout; /* of our kernel's structures; NULL: a kernel of -k, read from itself */
    const char *qemu, *initrd, *machines;
    const char *modules;        /* directory of the kernel modules; NULL: not known */
    const char *includes;       /* directory of the files that a .dts includes */
    const char *dtinfo, *page;  /* for --view: a program and the page; NULL: not known */
    const char *profile_report; /* reads profiles; NULL: not known */
};

#endif

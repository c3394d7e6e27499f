/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The launcher of the machine, host side: ./origin run.  It hands QEMU a
 * description, a kernel and an initramfs with the job in it, carries the
 * command's streams and reports the command's status.
 *
 * Files of the run (the initramfs, a compiled description) are memfds, streams
 * are pipes and socket pairs: nothing has a name, so nothing can be left behind.
 *
 * Left out: building things (Makefile), finding them (the script ./origin, which
 * sets the ORIGIN_* variables that main.c reads), the compiler (the same script).
 */
#ifndef ORIGIN_LAUNCHER_H
#define ORIGIN_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit statuses of the launcher beside the command's own. */
enum { EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_MACHINE = 125 };

enum stdin_kind { STDIN_NULL, STDIN_FILE, STDIN_STREAM };

struct options {
    const char *machine;        /* preset, or path of a .dts/.dtb */
    const char *share;          /* host directory for /share, or NULL */
    const char *kernel;
    const char *kernel_args;    /* appended last, so they win; or NULL */
    const char *console;        /* where to save the console's output, or NULL */
    const char *model;          /* "on", "off", or NULL for the board's default */
    bool range_monitor;
    const char *time;           /* "full", "unloaded", or NULL for the board's default */
    const char *quantum;        /* ns, "off" for QEMU's stock scheduling, or NULL */
    double timeout;             /* host seconds for everything; 0: none */
    double boot_timeout;        /* host seconds to user space */
    char **qemu_args;           /* given with --qemu-arg */
    unsigned int qemu_argc;
    char **argv;                /* the command; argc 0: a shell on the console */
    int argc;

    /* Products of the build. */
    const char *qemu, *initrd, *machines;
    const char *includes;       /* where a .dts finds what it includes */
};

/* What the description says that the launcher itself needs. */
struct machine {
    int dtb;                    /* memfd with the flattened tree */
    char name[32];
    uint32_t max_khz;           /* the fastest CPU's clock */
};

/* What process 1 of the guest is told (kernel/init/init.c has the other end). */
struct job {
    enum stdin_kind stdin_kind;
    off_t stdin_at;             /* STDIN_FILE: where the file stood */
    unsigned short rows, cols;  /* console only; 0: unknown */
};

/*
 * machine.c: read and check @name.  0, or -1 after one line on stderr that says
 * what is wrong with which node and property.
 */
int machine_open(const struct options *opt, struct machine *m);

/* job.c: what the launcher's own stdin is to the guest. */
void job_stdin(struct job *job);

/*
 * job.c: the initramfs of this run, a memfd: that of the build and the job.
 * -1 after one line on stderr.
 */
int job_initrd(const struct options *opt, const struct machine *m, const struct job *job);

/* run.c: boot, serve, wait.  Returns the launcher's exit status. */
int run(const struct options *opt, const struct machine *m, const struct job *job, int initrd);

/* main.c: "origin: ..." and a newline on stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* job.c: write everything or fail; 0 or -1 and errno. */
int write_all(int fd, const void *p, size_t n);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the launcher and the guest's process 1 say to each other.  The launcher's ends are
 * launcher/job.c, devices.c, streams.c, console.c, qemu.c and enter, the guest's kernel/init.
 *
 * The machine gives the job when process 1 asks, with an instruction that takes no time
 * (qemu-origin/board/job.h), so that nothing about it depends on host time.  What follows goes
 * through ports of virtio-serial.
 */
#ifndef GUEST_PROTOCOL_H
#define GUEST_PROTOCOL_H

#include <stdint.h>

/*
 * Process 1 gets the job in parts of JOB_PART bytes.  A part begins with a big-endian word:
 * JOB_NOT_YET; or one more than the number of bytes of the job that follow.  It is unchanged if the
 * machine has no job.
 */
#define JOB_PART      4096
#define JOB_PART_HEAD 4
#define JOB_NOT_YET   0xffffffffu

/* The job: this, then as many bytes of each.  Big-endian. */
struct job_head {
    uint32_t conf;  /* lines "key=value" */
    uint32_t argv;  /* the command, each argument ended by a NUL */
    uint32_t input; /* the command's standard input, if it is a file */
};

/* On the kernel's command line: it is of a kind for which the build's modules are not made. */
#define CMDLINE_NO_MODULES "origin.modules=none"

/* Keys of the configuration.  Those with a value end in "=". */
#define JOB_HOSTNAME     "hostname="
#define JOB_TERM         "term="
#define JOB_SHARE        "share=1"   /* 9p: the share is mounted at /share */
#define JOB_NET          "net=1"     /* eth0 is QEMU's user network */
#define JOB_EXEC         "exec=1"    /* the agent runs */
#define JOB_CONSOLE      "console=1" /* a shell on the console instead of a command */
#define JOB_SHELL        "shell=1"   /* argv[0] is for sh -c */
#define JOB_STDIN_NULL   "stdin=null"
#define JOB_STDIN_FILE   "stdin=file"
#define JOB_STDIN_STREAM "stdin=stream"
/*
 * disk=aw/disk: /dev/vda is mounted at /disk; w: to read and write, r: to read.
 * At most DISKS_MAX such lines.
 */
#define JOB_DISK  "disk="
#define DISKS_MAX 8

/* Ports of virtio-serial, by number. */
enum {
    PORT_CTL = 1, /* control: lines both ways */
    PORT_OUT,     /* the command's stdout and stderr: plain bytes to the host */
    PORT_ERR,
    PORT_IN,   /* its stdin: frames from the host */
    PORT_GDB,  /* gdbserver's protocol */
    PORT_EXEC, /* the agent: kernel/init/agent.c describes its frames */
};

/* The first word of a line of control to the host. */
#define CTL_MODULES "L" /* "L NAME...": modules that the kernel did not load */
#define CTL_READY   "R" /* user space is up */
/*
 * "X STATUS TAINT OFFSET", the end: exit status as sh reports it, the kernel's taint
 * bits, the offset up to which the command read its stdin file.
 */
#define CTL_ENDED "X"
/* And to the guest. */
#define CTL_CLOSED "C" /* "C1", "C2": nobody reads stdout or stderr any more */
#define CTL_SIZE   "W" /* "WROWS COLS": the terminal's size changed */

/*
 * A frame of standard input is a big-endian 32-bit length, then that many bytes, at most
 * STDIN_FRAME.  The host sends one when process 1 asks for it with STDIN_WANTED.  Length 0
 * is the end of file.  The agent's frames are no longer either.
 */
#define STDIN_FRAME  16384
#define STDIN_WANTED "G"

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the launcher and the guest's process 1 say to each other.  The launcher's ends are
 * launcher/job.c, devices.c, streams.c, console.c, qemu.c and enter, the guest's kernel/init.
 *
 * The job comes in a piece of initramfs that the launcher appends, so that nothing about
 * it depends on host time: the files and keys below.  What follows goes through ports of
 * virtio-serial.
 */
#ifndef GUEST_PROTOCOL_H
#define GUEST_PROTOCOL_H

/* Files of the job, as an archive names them. */
#define JOB_DIR   ".origin"
#define JOB_CONF  JOB_DIR "/conf"  /* lines "key=value" */
#define JOB_ARGV  JOB_DIR "/argv"  /* the command, each argument ended by a NUL */
#define JOB_STDIN JOB_DIR "/stdin" /* the command's standard input, if it is a file */

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

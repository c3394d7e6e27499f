/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every text that the launcher prints, and the functions that print them.  A
 * text is a format of printf(); the comment names its arguments where they are
 * not plain.  The script ./origin has the usage text and its own refusals.
 */
#ifndef LAUNCHER_MESSAGES_H
#define LAUNCHER_MESSAGES_H

/* Exit statuses of the launcher, beside the command's own. */
enum { EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_MACHINE = 125 };

/* Wrong usage. */
#define MSG_UNKNOWN_OPTION "unknown option %s (origin --help)"
#define MSG_NO_VALUE       "no value after %s (origin --help)"
#define MSG_NO_COMMAND     "no command '%s' (origin --help)"
#define MSG_OTHER_COMMAND  "%s belongs to origin %s (origin --help)"
#define MSG_BAD_VALUE      "%s is %s, not '%s' (origin --help)" /* option, what is allowed, value */
#define MSG_EXCLUDES       "%s does not go with %s: %s"         /* option, option, why */
#define MSG_NO_PIPE        "it would need all of it (use a file, or </dev/null)"
#define MSG_NEEDS          "%s needs %s: %s"
#define MSG_BAD_SECONDS    "%s wants a positive number of seconds, not '%s'" /* option, value */

#define MSG_BAD_TIME_VALUE "%s wants a positive number of %s, not '%s'"

/* Forked futures.  A name comes first. */
#define MSG_BAD_FUTURE "--future %s: a name has letters, digits, '.', '_', '-', and is given once"
#define MSG_SET_FIRST  "--set %s: it belongs to the --future before it, and there is none"
#define MSG_BAD_SET    "--set %s: it is %s" /* setting, keys */
#define MSG_SET_LINE   "--set %s: one line only"
#define MSG_SPLIT      "--split %s: %s"
#define MSG_SPLIT_SHARE \
    "--split %s: it lies in the share %s, which each future copies: choose a place outside"
#define MSG_NO_SPLIT       "no region%s%s began, so nothing was split"
#define MSG_NO_COMMAND_RAN "the command's program has not started, so nothing was split"
#define MSG_FUTURE_PLACE   "%s: in the way of a future's results, and no future has left it"
#define MSG_FUTURE         "future %s: %s"
#define MSG_FUTURE_STATUS  "future %s: exit status %d"
#define MSG_MIXED \
    "%s has R10000 and R12000 processors, so an instruction takes a cycle (--cpu=simple)"
#define MSG_CHECKPOINT "%s %s: %s" /* option, file, why */
#define MSG_SAVED      "saved %s: origin run --restore goes on from there"
#define MSG_NOT_SAVED  "no region%s%s began, so nothing was saved"
#define MSG_NOT_SAVED_NET \
    "no region%s%s began, or the network was busy until the command ended: nothing was saved"
#define MSG_RESTORE_ONLY \
    "--restore does not go with %s, which is as it was saved (only %s can be given)"
#define MSG_RESTORE_NEEDS \
    "--restore: the saved machine has %s: say where its files shall go (%s, which must be new)"
#define MSG_RESTORE_NONE "--restore: the saved machine has no %s" /* network (--net) */
#define MSG_RESTORE_TRUST                                                                      \
    "--restore %s: it was saved with%s, which reaches files, ports or programs of this host: " \
    "give "                                                                                    \
    "it again, or --trust the file (docs/checkpoints.md)" /* path, options */
#define MSG_RESTORE_SHARE "share %s: %s: a checkpoint brings its files along, choose a new one"
#define MSG_RESTORE_DISK \
    "disk %s: it exists: a checkpoint brings its disks along, choose a new name"
#define MSG_TEMPLATE_GONE "the machine that was split is gone"

/* What runs from now on, and what a region took.  Machine time in seconds comes first. */
#define MSG_MODEL "at %.9f s, %s: model %s, before %s%s" /* why, model, before, MSG_COLD */
#define MSG_COLD  "; caches are empty, all lines unowned"
#define MSG_AS_IS "; caches are as they were"
#define MSG_REGION                                                                              \
    "region %s: %.9f s of machine time with model %s, %llu instructions, %llu transactions of " \
    "%.1f ns on average, %llu write-backs"
#define MSG_REGION_OFF "region %s: %.9f s of machine time with model off, %llu instructions"
#define MSG_REGIONS    "--regions %s: %s"
#define MSG_NO_START   "no region%s%s began: the model was %s all the time"

#define MSG_NO_GDB \
    "--gdb is for gdb: target remote | origin run --gdb=kernel ... (origin gdb does it)"
#define MSG_DISKS       "a machine has at most %d disks"
#define MSG_IMAGES      "--image can be given once"
#define MSG_NO_IMAGE    "no image '%s' (`origin images` lists them)"
#define MSG_BUILD_IMAGE "the image is built now, once; this takes some minutes"
#define MSG_NOT_BUILT   "the image could not be built"

/* The page of --view. */
#define MSG_VIEW        "view: http://127.0.0.1:%u/%s/" /* port, key */
#define MSG_VIEW_PORT   "--view: port %u of 127.0.0.1: %s"
#define MSG_VIEW_PAGE   "--view: %s: %s"
#define MSG_VIEW_DTINFO "--view: %s does not describe the machine"

/* What the run needs and does not get.  A path comes first, errno's text last. */
#define MSG_NOT_SET     "%s is not set: start this program through ./origin"
#define MSG_NO_MEMORY   "out of memory"
#define MSG_SYSTEM_CALL "%s: %s"
#define MSG_KERNEL      "kernel %s: %s"
#define MSG_JOB         "the job: %s"
#define MSG_SHARE       "share %s: %s"
#define MSG_CONSOLE     "--console %s: %s"
#define MSG_EXEC        "--exec %s: %s"
#define MSG_SAVE        "%s: %s"
#define MSG_DISK        "disk %s: %s"
#define MSG_STREAM      "%s: %s"

/* The kernel, from its symbols.  Its path comes first. */
#define MSG_KERNEL_LACKS \
    "kernel %s lacks %s=y: %s (docs/kernel.md has a configuration to start from)"
#define MSG_KERNEL_NODES \
    "kernel %s holds %u nodes, and the machine has %u: choose a smaller one (-m)"
#define MSG_KERNEL_REGIONS                                                                     \
    "kernel %s would panic: its memblock has room for %u reserved regions, and %u nodes need " \
    "about %u; apply kernel/patches/0001, or choose a smaller machine (-m)"
#define MSG_KERNEL_PAGES \
    "kernel %s has pages of %u KB: no profile can be made of it, only of kernels with %u KB"
#define MSG_KERNEL_MODULES                                                                         \
    "kernel %s has pages of %u KB, and our modules need %u KB: they are not loaded, and there is " \
    "no /hw (docs/kernel.md)"
#define MSG_PANIC_REGIONS                                                                      \
    "its memblock has no room for the memory of so many nodes: apply kernel/patches/0001, or " \
    "choose a smaller machine (-m)"
#define MSG_NO_MODULES                                                               \
    "the kernel did not load %s: it needs CONFIG_MODULES, and modules built for it " \
    "(docs/kernel.md)"

#define MSG_FOLLOW_HOTTEST "--follow '%s': HOTTEST or HOTTEST:N, N from 1 to %u"
#define MSG_FOLLOW_PROGRAM \
    "%s '%s': variables are looked up in a program of the share (-s): name it, PROGRAM:NAME"
#define MSG_FOLLOW_FILE   "%s: %s: %s"
#define MSG_FOLLOW_OFFSET "%s '%s': NAME+OFFSET, a number of bytes"
#define MSG_FOLLOW_NAME   "%s: %s has no variable '%s'%s"
#define MSG_FOLLOW_PIE                                                                    \
    "%s: %s is loaded anywhere: link it without -pie, or give the address that a report " \
    "prints"
#define MSG_FOLLOW_BEYOND "%s '%s': the variable has %" PRIu64 " bytes"
#define MSG_FOLLOW_LARGE \
    "--follow '%s': that are %" PRIu64 " lines, more than %u: name a part, NAME+OFFSET"
#define MSG_FOLLOW_ADDRESS "%s '%s': no address"

#define MSG_REMEDY                                                                                \
    "--remedy '%s': free, pad, place, interleave, colour, prefetch, private, replicate or huge, " \
    "a blank, and objects (docs/whatif.md)"
#define MSG_REMEDY_FACTOR "--remedy '%s': a factor is from 0 to 1"
#define MSG_REMEDY_LINES  "--remedy '%s': at most %d lines ahead"
#define MSG_REMEDY_CAUSE  "--remedy '%s': causes are known to origin profile and origin whatif only"
#define MSG_REMEDY_LINE   "--remedy '%s': the program has no code of this line%s"
#define MSG_REMEDY_NODE \
    "--remedy '%s': the machine has nodes 0 to %u: a node, or first-touch, comes last"
#define MSG_REMEDY_GRANULE \
    "--remedy '%s': a granule has a byte or more, and a prefetch is a line or more ahead"
#define MSG_REMEDY_OVERLAP "--remedy '%s': '%s' is about the same addresses"
#define MSG_REMEDY_TWICE   "--remedy '%s': two objects of it are about the same addresses"
#define MSG_REMEDY_NAME \
    "--remedy: the program has no variable or function, and the model no cause, '%s'%s"
#define MSG_REMEDY_MANY    "--remedy '%s': all remedies have more than %d pieces of memory"
#define MSG_REMEDY_NOTHING "--remedy '%s' has changed nothing: no miss in it"
#define MSG_REMEDY_REFUSED \
    "--remedy: %llu accesses stayed as they are: a node has no more addresses without memory"

#define MSG_PROFILE      "profile %s: %s"
#define MSG_PROFILE_LOST "the profile is not complete: %s" /* file, why */
#define MSG_MANY_FILES                                                                          \
    "%s has more files than a profile looks into: blocks of programs with allocators of their " \
    "own may lack names"
#define MSG_LAYOUT "kernel %s: no profile can be made of it: %s" /* path, why */

/* The machine description. */
#define MSG_NO_PRESET  "no machine '%s'; `origin machines` lists the presets"
#define MSG_MACHINE    "machine %s: %s"
#define MSG_EMPTY      "empty description"
#define MSG_WHAT       "--what: %s"
#define MSG_WHAT_IS    SN_WHAT_MARK("h") "%s" /* keys; what/what.h */
#define MSG_REFUSED    "%s: %s"               /* path, the reader's complaint */
#define MSG_NO_TOOL    "%s (package %s): %s"
#define MSG_DTC_FAILED "%s: dtc does not accept this description"

/* After the command was killed by SIGILL. */
#define MSG_NO_R2                                                                                  \
    "the command used an instruction that the R10000 does not have: with --r2=off, programs must " \
    "be "                                                                                          \
    "compiled for MIPS IV (origin cc -mips4 -static -nostdlib)"

/* ns, copies that may have been used too long, transfers */
#define MSG_ORDER                                                                                  \
    "accesses to shared memory were out of order by up to %.0f ns a transfer on average (%llu of " \
    "%llu transfers): a shorter --quantum is more exact"

/* How a run failed; the last lines of the console follow. */
#define MSG_OOPS         "the kernel had an oops while the command ran"
#define MSG_PANIC        "the kernel panicked"
#define MSG_EARLY_PANIC  "the kernel panicked before user space"
#define MSG_NO_USERSPACE "the machine did not reach user space"
#define MSG_STOPPED      "the machine stopped before the command ended"

/* Before the first prompt. */
#define MSG_GREETING                                                       \
    "%s: an SGI Origin 2000 with %u processors of %u MHz and %u nodes\r\n" \
    "try: `topology`, `snbench -h 1 -l 3 bw-read`, `dmesg`\r\n"            \
    "leave: exit, or Ctrl-A x; Ctrl-A h shows the keys\r\n"

/* The answer to Ctrl-A h. */
#define MSG_KEYS                                        \
    "\r\n"                                              \
    "Ctrl-A x   leave: the machine is switched off\r\n" \
    "Ctrl-A h   this help\r\n"                          \
    "Ctrl-A Ctrl-A   send Ctrl-A\r\n"

/*
 * "origin: ", the text and a newline on stderr.  Names and values in it are foreign: control
 * characters in them become question marks.
 */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Until further notice complaints are about the future @name; NULL: about the run. */
void messages_about(const char *name);

/* The same, then exit with @status. */
void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));

/* A text as printf() makes it, to be freed.  Exits if there is no memory. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A system call failed: MSG_SYSTEM_CALL with errno's text, and exit with EXIT_MACHINE. */
void die_errno(const char *what) __attribute__((noreturn));

#endif

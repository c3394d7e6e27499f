// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host side of ./origin run.  It hands QEMU a machine description, a kernel,
 * an initramfs and the job, carries the command's streams and reports
 * the command's status.
 *
 *   options.inc  every option, a row each       table.c     words, options, exclusions
 *   command_line.c  that of a run               help.c      what others know of the options
 *   variants.c  what futures do otherwise       messages.h  every text it prints
 *   machine.c   the description                 job.c       what process 1 is to do
 *   kernel.c    what the kernel's symbols tell
 *   qemu.c      QEMU's arguments and process    run.c       the loop
 *   streams.c   stdin, stdout, stderr, control  console.c   the console of a person
 *   debugger.c  runs under gdb                  progress.c  a line while a machine boots
 *   devices.c   disks and the network           exec_socket.c  where `origin exec` connects
 *   regions.c   regions of interest             futures.c   a machine that splits
 *   kept.c      boots that are kept  sum.c       sums of files
 *   known.c     sums of files that were read before
 *   near.c      names that are nearly another
 *   order.c     accesses out of order
 *   remedy.c    objects that lie elsewhere for the model alone
 *   serve.c     one turn of the streams, and the verdict
 *   profiling.c what a profile needs besides the model's tables
 *   view/       a page for a browser
 *   log.c       what console and QEMU said      signals.c   signals and deadlines
 *
 * The files of a run (the job, a compiled description) are memfds, its
 * streams are pipes and socket pairs: nothing has a name, so nothing can be left
 * behind.
 *
 * Left out: building things (Makefile), finding them and the compiler (the script
 * ./origin).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint.h"
#include "command_line.h"
#include "debugger.h"
#include "devices.h"
#include "fabric/topo.h"
#include "help.h"
#include "follow.h"
#include "futures.h"
#include "remedy.h"
#include "job.h"
#include "kernel.h"
#include "machine.h"
#include "messages.h"
#include "profiling.h"
#include "run.h"
#include "table.h"
#include "what.h"

/* Descriptors 0 to 2 must be in use, or a pipe of ours would become stdout. */
static void fill_standard_fds(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

int main(int argc, char **argv)
{
    struct options opt;
    struct machine m;
    struct job job;
    struct kernel kernel;
    struct deadlines deadlines;

    fill_standard_fds();
    if (help_answer(argc, argv))
        return 0;
    if (argc < 2 || (strcmp(argv[1], "run") && strcmp(argv[1], "profile")))
        die(EXIT_USAGE, MSG_NO_COMMAND, argc < 2 ? "" : argv[1]);
    command_line_read(argc - 1, argv + 1, &opt);
    if (opt.check)
        return 0;
    debugger_open(&opt.debugger);
    if (devices_build_image(&opt.devices) < 0)
        return EXIT_MACHINE;
    /* From here on a file may be a FIFO that blocks until somebody opens its other end. */
    deadlines_begin(&deadlines, opt.timeout, opt.boot_timeout);
    signals_begin(opt.timeout);
    if (access(opt.kernel, R_OK) < 0)
        die(EXIT_MACHINE, MSG_KERNEL, opt.kernel, strerror(errno));
    if (machine_open(&opt, &m) < 0 || kernel_open(&opt, &m, &kernel) < 0 ||
        checkpoint_open(&opt, &m) < 0 || devices_open(&opt.devices, opt.share) < 0 ||
        job_open(&opt, &m, &job) < 0)
        return EXIT_MACHINE;
    if (!table_holds(&opt, "--cpu"))
        opt.cpu = machine_cpu(&opt, &m);
    what_say(m.topo->desc->what.keys);
    if (opt.follow)
        follow_resolve(&opt);
    if (opt.remedies.n)
        remedy_resolve(&opt, &m, &opt.remedies);
    for (int i = 0; i < opt.futures.n; i++)
        if (opt.futures.f[i].remedies.n)
            remedy_resolve(&opt, &m, &opt.futures.f[i].remedies);
    if (opt.profile && opt.futures.dir && futures_profile(&opt) < 0)
        return EXIT_MACHINE;
    if (opt.profile && profiling_begin(&opt, &m) < 0)
        return EXIT_MACHINE;
    return run(&opt, &m, &job, &kernel, &deadlines);
}

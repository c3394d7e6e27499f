// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of `origin run`.  docs/man/origin.1 describes them.
 */
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A machine that neither reaches user space nor stops must not hang its caller
 * for ever.  The largest preset with every model on takes a tenth of this.
 */
#define BOOT_TIMEOUT 900.0

void complain(const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    fputs("origin: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

static void usage(const char *what, const char *which)
{
    complain("%s%s (origin --help)", what, which);
    exit(EXIT_USAGE);
}

static const char *product(const char *variable)
{
    const char *path = getenv(variable);

    if (!path || !*path) {
        complain("%s is not set: start this program through ./origin", variable);
        exit(EXIT_MACHINE);
    }
    return path;
}

/* A positive number of seconds. */
static double seconds(const char *arg, const char *option)
{
    char *end;
    double v = strtod(arg, &end);

    if (end == arg || *end || !(v > 0) || !isfinite(v)) {
        complain("%s wants a positive number of seconds, not '%s'", option, arg);
        exit(EXIT_USAGE);
    }
    return v;
}

static void check_quantum(const char *arg)
{
    char *end;

    if (!strcmp(arg, "off"))
        return;
    errno = 0;
    if (*arg < '0' || *arg > '9' || strtoul(arg, &end, 10) < 1 || *end || errno) {
        complain("--quantum wants nanoseconds or off, not '%s'", arg);
        exit(EXIT_USAGE);
    }
}

static void parse(int argc, char **argv, struct options *opt)
{
    enum { MODEL = 256, TIME, RANGES, QUANTUM, CONSOLE, BOOT, QEMU_ARG };
    static const struct option longs[] = {
        { "model", required_argument, NULL, MODEL },
        { "range-monitor", no_argument, NULL, RANGES },
        { "time", required_argument, NULL, TIME },
        { "quantum", required_argument, NULL, QUANTUM },
        { "console", required_argument, NULL, CONSOLE },
        { "boot-timeout", required_argument, NULL, BOOT },
        { "qemu-arg", required_argument, NULL, QEMU_ARG },
        { NULL, 0, NULL, 0 },
    };
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, "+:m:s:k:a:t:", longs, NULL)) != -1) {
        switch (c) {
        case 'm':
            opt->machine = optarg;
            break;
        case 's':
            opt->share = optarg;
            break;
        case 'k':
            opt->kernel = optarg;
            break;
        case 'a':
            opt->kernel_args = optarg;
            break;
        case 't':
            opt->timeout = seconds(optarg, "-t");
            break;
        case MODEL:
            if (strcmp(optarg, "on") && strcmp(optarg, "off"))
                usage("--model is on or off, not ", optarg);
            opt->model = optarg;
            break;
        case RANGES:
            opt->range_monitor = true;
            break;
        case TIME:
            if (strcmp(optarg, "full") && strcmp(optarg, "unloaded"))
                usage("--time is full or unloaded, not ", optarg);
            opt->time = optarg;
            break;
        case QUANTUM:
            check_quantum(optarg);
            opt->quantum = optarg;
            break;
        case CONSOLE:
            opt->console = optarg;
            break;
        case BOOT:
            opt->boot_timeout = seconds(optarg, "--boot-timeout");
            break;
        case QEMU_ARG:
            opt->qemu_args[opt->qemu_argc++] = optarg;
            break;
        case ':':
            usage("no value after ", argv[optind - 1]);
            break;
        default:
            usage("unknown option ", argv[optind - 1]);
        }
    }
    opt->argv = argv + optind;
    opt->argc = argc - optind;
}

/* Descriptors 0 to 2 must be taken, or a pipe of ours would become stdout. */
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
    struct options opt = { .machine = "ricotta", .boot_timeout = BOOT_TIMEOUT };
    struct machine m;
    struct job job = { .stdin_kind = STDIN_NULL };
    int initrd;

    fill_standard_fds();
    opt.kernel = product("ORIGIN_VMLINUX");
    opt.qemu = product("ORIGIN_QEMU");
    opt.initrd = product("ORIGIN_INITRD");
    opt.machines = product("ORIGIN_MACHINES");
    opt.includes = product("ORIGIN_INCLUDES");
    opt.qemu_args = calloc((size_t)argc, sizeof(char *));
    if (!opt.qemu_args) {
        complain("out of memory");
        return EXIT_MACHINE;
    }
    parse(argc, argv, &opt);
    if (access(opt.kernel, R_OK) < 0) {
        complain("kernel %s: %s", opt.kernel, strerror(errno));
        return EXIT_MACHINE;
    }
    if (machine_open(&opt, &m) < 0)
        return EXIT_MACHINE;
    job_stdin(&job);
    initrd = job_initrd(&opt, &m, &job);
    if (initrd < 0)
        return EXIT_MACHINE;
    return run(&opt, &m, &job, initrd);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of `origin run`.  Interface: options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "messages.h"
#include "variants.h"

/*
 * A machine that neither reaches user space nor stops must not hang its caller
 * for ever.  The largest preset with all models on boots in a tenth of this time.
 */
#define BOOT_TIMEOUT 900.0

/* The most that QEMU takes: MP_MAX_THREADS in mp-internal.h */
#define MAX_THREADS 64

static const char *product(const char *variable)
{
    const char *path = getenv(variable);

    if (!path || !*path)
        die(EXIT_MACHINE, MSG_NOT_SET, variable);
    return path;
}

/* A positive number of seconds. */
static double seconds(const char *arg, const char *option)
{
    char *end;
    double v = strtod(arg, &end);

    if (end == arg || *end || !(v > 0) || !isfinite(v))
        die(EXIT_USAGE, MSG_BAD_SECONDS, option, arg);
    return v;
}

static const char *model(const char *arg)
{
    if (strcmp(arg, "on") && strcmp(arg, "off"))
        die(EXIT_USAGE, MSG_BAD_MODEL, arg);
    return arg;
}

static const char *on_off(const char *option, const char *arg)
{
    if (strcmp(arg, "on") && strcmp(arg, "off"))
        die(EXIT_USAGE, MSG_BAD_SWITCH, option, arg);
    return arg;
}

static const char *time_model(const char *arg)
{
    if (strcmp(arg, "full") && strcmp(arg, "unloaded"))
        die(EXIT_USAGE, MSG_BAD_TIME, arg);
    return arg;
}

static const char *before(const char *option, const char *arg, size_t n)
{
    static const char *const model[] = { "off", "unloaded" };

    for (size_t i = 0; i < sizeof(model) / sizeof(model[0]); i++)
        if (n == strlen(model[i]) && !memcmp(arg, model[i], n))
            return model[i];
    die(EXIT_USAGE, MSG_BAD_BEFORE, option, (int)n, arg);
}

/* @arg times @scale as whole nanoseconds. */
static char *nanoseconds(const char *arg, const char *option, const char *unit, double scale)
{
    char *end, *text;
    double v = strtod(arg, &end);

    if (end == arg || *end || !(v > 0) || v * scale > 1e17 || v * scale < 1)
        die(EXIT_USAGE, MSG_BAD_TIME_VALUE, option, unit, arg);
    if (asprintf(&text, "%.0f", v * scale) < 0)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    return text;
}

/* MODEL,SECONDS */
static void until_time(struct options *opt, const char *arg)
{
    const char *comma = strchr(arg, ',');

    if (!comma)
        die(EXIT_USAGE, MSG_BAD_UNTIL_TIME, arg);
    opt->before = before("--until-time", arg, (size_t)(comma - arg));
    opt->from = nanoseconds(comma + 1, "--until-time", "seconds", 1e9);
}

static int at_once(const char *arg)
{
    char *end;
    long n = strtol(arg, &end, 10);

    if (end == arg || *end || n < 1 || n > 1024)
        die(EXIT_USAGE, MSG_BAD_AT_ONCE, arg);
    return (int)n;
}

/* The text of a number that is one. */
static const char *number(const char *option, const char *arg, unsigned long low,
                          unsigned long high)
{
    char *end;
    unsigned long v;

    errno = 0;
    v = strtoul(arg, &end, 10);
    if (*arg < '0' || *arg > '9' || *end || errno || v < low || v > high)
        die(EXIT_USAGE, MSG_BAD_NUMBER, option, low, high, arg);
    return arg;
}

static const char *quantum(const char *arg)
{
    char *end;

    if (!strcmp(arg, "off"))
        return arg;
    errno = 0;
    if (*arg < '0' || *arg > '9' || strtoul(arg, &end, 10) < 1 || *end || errno)
        die(EXIT_USAGE, MSG_BAD_QUANTUM, arg);
    return arg;
}

/* PORT, paused, or both with a comma. */
static void view(struct options *opt, const char *arg)
{
    const char *comma = arg ? strchr(arg, ',') : NULL, *rest = comma ? comma + 1 : arg;
    char *end;

    opt->view = true;
    if (arg && *arg >= '0' && *arg <= '9') {
        unsigned long port = strtoul(arg, &end, 10);

        if (port > 65535 || (*end && end != comma))
            die(EXIT_USAGE, MSG_BAD_VIEW, arg);
        opt->view_port = (unsigned int)port;
        rest = comma ? rest : NULL;
    } else if (comma) {
        die(EXIT_USAGE, MSG_BAD_VIEW, arg);
    }
    if (rest && strcmp(rest, "paused"))
        die(EXIT_USAGE, MSG_BAD_VIEW, arg);
    opt->view_paused = rest;
}

static void set_option(struct options *opt, int c, char **argv)
{
    switch (c) {
    case 'm':
        opt->machine = optarg;
        break;
    case 's':
        opt->share = optarg;
        break;
    case 'k':
        opt->kernel = optarg;
        opt->layout = NULL;
        break;
    case 'a':
        opt->kernel_args = optarg;
        break;
    case 't':
        opt->timeout = seconds(optarg, "-t");
        break;
    case 'o':
        opt->profile_dir = optarg;
        break;
    case ':':
        die(EXIT_USAGE, MSG_NO_VALUE, argv[optind - 1]);
    default:
        die(EXIT_USAGE, MSG_UNKNOWN_OPTION, argv[optind - 1]);
    }
}

enum {
    MODEL = 256,
    TIME,
    RANGES,
    R2,
    QUANTUM,
    THREADS,
    SEED,
    UNTIL_ROI,
    UNTIL_TIME,
    ROI,
    WARM,
    REGIONS,
    SAVE,
    RESTORE,
    SPLIT,
    FUTURE,
    SET,
    AT_ONCE,
    CONSOLE,
    EXEC,
    BOOT,
    DISK,
    IMAGE,
    NET,
    GDB,
    BREAK_AT,
    QEMU_ARG,
    PROFILE,
    ROWS,
    DEPTH,
    VIEW,
    LIST,
    CHECK
};

static const struct option longs[] = {
    { "model", required_argument, NULL, MODEL },
    { "range-monitor", no_argument, NULL, RANGES },
    { "r2", required_argument, NULL, R2 },
    { "time", required_argument, NULL, TIME },
    { "quantum", required_argument, NULL, QUANTUM },
    { "threads", required_argument, NULL, THREADS },
    { "seed", required_argument, NULL, SEED },
    { "until-roi", required_argument, NULL, UNTIL_ROI },
    { "until-time", required_argument, NULL, UNTIL_TIME },
    { "roi", required_argument, NULL, ROI },
    { "warm", required_argument, NULL, WARM },
    { "regions", required_argument, NULL, REGIONS },
    { "save", required_argument, NULL, SAVE },
    { "restore", required_argument, NULL, RESTORE },
    { "split", required_argument, NULL, SPLIT },
    { "future", required_argument, NULL, FUTURE },
    { "set", required_argument, NULL, SET },
    { "at-once", required_argument, NULL, AT_ONCE },
    { "console", required_argument, NULL, CONSOLE },
    { "exec", required_argument, NULL, EXEC },
    { "boot-timeout", required_argument, NULL, BOOT },
    { "disk", required_argument, NULL, DISK },
    { "image", required_argument, NULL, IMAGE },
    { "net", required_argument, NULL, NET },
    { "gdb", required_argument, NULL, GDB },
    { "break-at", required_argument, NULL, BREAK_AT },
    { "qemu-arg", required_argument, NULL, QEMU_ARG },
    { "profile", no_argument, NULL, PROFILE },
    { "rows", required_argument, NULL, ROWS },
    { "depth", required_argument, NULL, DEPTH },
    { "view", optional_argument, NULL, VIEW },
    { "list-options", no_argument, NULL, LIST },
    { "check-options", no_argument, NULL, CHECK },
    { NULL, 0, NULL, 0 },
};

static const char letters[] = "+:m:s:k:a:t:o:";

/* For scripts that complete or make command lines: a line for each option, with = if it wants a value. */
static void list_options(void)
{
    for (const char *c = letters; *c; c++)
        if (*c != '+' && *c != ':')
            printf("-%c\n", *c);
    for (const struct option *o = longs; o->name; o++)
        if (o->val != LIST && o->val != CHECK)
            printf("--%s%s\n", o->name, o->has_arg == required_argument ? "=" : "");
    exit(0);
}

/* Which model runs when.  False: @c is another option. */
static bool set_region_option(struct options *opt, int c)
{
    switch (c) {
    case UNTIL_ROI:
        opt->before = before("--until-roi", optarg, strlen(optarg));
        break;
    case UNTIL_TIME:
        until_time(opt, optarg);
        break;
    case ROI:
        opt->roi = optarg;
        break;
    case WARM:
        opt->warm = nanoseconds(optarg, "--warm", "milliseconds", 1e6);
        break;
    case REGIONS:
        opt->regions = optarg;
        break;
    case SAVE:
        opt->save = optarg;
        break;
    case RESTORE:
        opt->restore = optarg;
        break;
    case SEED:
        opt->seed = variants_seed("--seed", optarg);
        break;
    case SPLIT:
        opt->futures.dir = optarg;
        break;
    case FUTURE:
        variants_add(&opt->futures, optarg);
        break;
    case SET:
        variants_set(&opt->futures, optarg);
        break;
    case AT_ONCE:
        opt->futures.at_once = at_once(optarg);
        break;
    default:
        return false;
    }
    return true;
}

static void set_long_option(struct options *opt, int c)
{
    if (set_region_option(opt, c))
        return;
    switch (c) {
    case MODEL:
        opt->model = model(optarg);
        break;
    case PROFILE:
        opt->profile = true;
        break;
    case ROWS:
        opt->profile_rows = number("--rows", optarg, 1024, 16000000);
        break;
    case DEPTH:
        opt->profile_depth = number("--depth", optarg, 0, 1024);
        break;
    case R2:
        opt->r2 = on_off("--r2", optarg);
        break;
    case RANGES:
        opt->range_monitor = true;
        break;
    case TIME:
        opt->time = time_model(optarg);
        break;
    case QUANTUM:
        opt->quantum = quantum(optarg);
        break;
    case THREADS:
        opt->threads = number("--threads", optarg, 1, MAX_THREADS);
        break;
    case CONSOLE:
        opt->console = optarg;
        break;
    case EXEC:
        opt->exec = optarg;
        break;
    case BOOT:
        opt->boot_timeout = seconds(optarg, "--boot-timeout");
        break;
    case DISK:
        devices_add_disk(&opt->devices, optarg);
        break;
    case IMAGE:
        devices_add_image(&opt->devices, optarg);
        break;
    case NET:
        devices_set_net(&opt->devices, optarg);
        break;
    case GDB:
        debugger_set_kind(&opt->debugger, optarg);
        opt->boot_timeout = INFINITY; /* gdb decides when the machine goes on */
        break;
    case BREAK_AT:
        debugger_set_break(&opt->debugger, optarg);
        break;
    case VIEW:
        view(opt, optarg);
        opt->boot_timeout = INFINITY; /* whoever looks may pause the machine */
        break;
    case LIST:
        list_options();
        break;
    case CHECK:
        opt->check = true;
        break;
    case QEMU_ARG:
        opt->qemu_args[opt->qemu_argc++] = optarg;
        break;
    }
}

/* -o and --model=off, each with and without a profile. */
static void check_profile(struct options *opt)
{
    if ((opt->profile_dir || opt->profile_rows || opt->profile_depth) && !opt->profile)
        die(EXIT_USAGE, MSG_PROFILE_ONLY,
            opt->profile_dir    ? "-o"
            : opt->profile_rows ? "--rows"
                                : "--depth");
    if (opt->profile && opt->model && !strcmp(opt->model, "off"))
        die(EXIT_USAGE, MSG_PROFILE_MODEL);
    if (opt->profile && !opt->profile_dir)
        opt->profile_dir = "origin.profile";
}

static void check_regions(const struct options *opt)
{
    const char *option = opt->from      ? "--until-time"
                         : opt->before  ? "--until-roi"
                         : opt->roi     ? "--roi"
                         : opt->warm    ? "--warm"
                         : opt->regions ? "--regions"
                                        : NULL;
    bool at_region = opt->futures.n || opt->save || opt->restore;

    if (!option)
        return;
    if (opt->quantum && !strcmp(opt->quantum, "off"))
        die(EXIT_USAGE, MSG_NEEDS_TIME, option);
    if (((opt->roi && !at_region) || opt->warm) && !opt->before)
        die(EXIT_USAGE, MSG_NEEDS_UNTIL, option);
    if (opt->from && opt->roi)
        die(EXIT_USAGE, MSG_ROI_OR_TIME);
    if (opt->before && opt->model && !strcmp(opt->model, "off"))
        die(EXIT_USAGE, MSG_UNTIL_MODEL, option);
}

/* A checkpoint is of one machine with one command, and all that it needs is in the file. */
static void check_save(const struct options *opt)
{
    const char *option = opt->save ? "--save" : "--restore";
    const char *without = opt->profile                                   ? "a profile"
                          : opt->view                                    ? "--view"
                          : opt->debugger.kind != GDB_NONE               ? "--gdb"
                          : opt->futures.dir || opt->futures.n           ? "--split"
                          : opt->qemu_argc                               ? "--qemu-arg"
                          : opt->argc == 0                               ? "a shell on the console"
                          : opt->quantum && !strcmp(opt->quantum, "off") ? "--quantum=off"
                                                                         : NULL;

    if ((opt->save || opt->restore) && without)
        die(EXIT_USAGE, MSG_CHECKPOINT_WITHOUT, option, without);
}

/* Disks that are not images */
static unsigned int own_disks(const struct options *opt)
{
    unsigned int n = 0;

    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        n += !opt->devices.disk[i].image;
    return n;
}

static void parse(int argc, char **argv, struct options *opt)
{
    int c;

    *opt = (struct options){ .machine = "ricotta", .boot_timeout = BOOT_TIMEOUT };
    opt->kernel = product("ORIGIN_VMLINUX");
    opt->qemu = product("ORIGIN_QEMU");
    opt->initrd = product("ORIGIN_INITRD");
    opt->machines = product("ORIGIN_MACHINES");
    opt->includes = product("ORIGIN_INCLUDES");
    opt->layout = getenv("ORIGIN_LAYOUT");
    opt->modules = getenv("ORIGIN_MODULES");
    opt->dtinfo = getenv("ORIGIN_DTINFO");
    opt->page = getenv("ORIGIN_VIEW_PAGE");
    opt->profile_report = getenv("ORIGIN_PROFILE_REPORT");
    opt->qemu_args = calloc((size_t)argc, sizeof(char *));
    if (!opt->qemu_args)
        die(EXIT_MACHINE, MSG_NO_MEMORY);

    optind = 0; /* from the beginning */
    opterr = 0;
    while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (c >= MODEL)
            set_long_option(opt, c);
        else
            set_option(opt, c, argv);
    }
    opt->words = argv + 1;
    opt->nwords = optind - 1;
    opt->argv = argv + optind;
    opt->argc = argc - optind;
}

/* What belongs to this run and not to the machine that was saved */
static void override(struct options *opt, const struct options *mine, char **argv)
{
    unsigned int n = 0;

    for (int i = 0; i < mine->nwords; i++) {
        static const char *const allowed[] = { "-s",        "-k",        "-m",
                                               "-t",        "--disk",    "--net",
                                               "--regions", "--console", "--boot-timeout",
                                               "--restore" };
        const char *word = mine->words[i];
        size_t k = 0, count = sizeof(allowed) / sizeof(allowed[0]);

        while (k < count && strncmp(word, allowed[k], strlen(allowed[k])))
            k++;
        if (k == count)
            die(EXIT_USAGE, MSG_RESTORE_ONLY, word);
        /* Its value is the next word, unless it is part of this one. */
        i += !word[strlen(allowed[k])];
    }
    if (mine->argc)
        die(EXIT_USAGE, MSG_RESTORE_ONLY, argv[argv == mine->argv ? 0 : mine->nwords + 1]);
    if (opt->share && !mine->share)
        die(EXIT_USAGE, MSG_RESTORE_NEEDS, "a share", "-s HOSTDIR");
    if (own_disks(opt) != own_disks(mine))
        die(EXIT_USAGE, MSG_RESTORE_NEEDS, own_disks(opt) ? "disks" : "no disk", "--disk FILE");
    if (!opt->devices.net && mine->devices.net)
        die(EXIT_USAGE, MSG_RESTORE_NET);
    opt->share = opt->share ? mine->share : NULL;
    if (mine->devices.net)
        opt->devices.net = mine->devices.net;
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        if (!opt->devices.disk[i].image)
            opt->devices.disk[i].path = mine->devices.disk[n++].path;
    opt->regions = mine->regions;
    opt->console = mine->console;
    opt->timeout = mine->timeout;
    opt->boot_timeout = mine->boot_timeout;
    opt->restore = mine->restore;
    opt->save = NULL;
}

/* Was the option given?  Its default is another word. */
static bool given(const struct options *mine, const char *option)
{
    for (int i = 0; i < mine->nwords; i++)
        if (!strncmp(mine->words[i], option, strlen(option)))
            return true;
    return false;
}

/* --restore: the saved options, and those of this run. */
static void parse_saved(char **argv, struct options *opt)
{
    struct options mine = *opt;
    int argc;
    char **saved = checkpoint_words(mine.restore, argv[0], &argc);

    parse(argc, saved, opt);
    override(opt, &mine, argv);
    if (given(&mine, "-k"))
        opt->kernel = mine.kernel;
    if (given(&mine, "-m"))
        opt->machine = mine.machine;
}

/*
 * What needs one host thread, or NULL.  A profile and the range monitor count in
 * tables of all processors.  Futures are processes that fork, and only one thread
 * goes on in a child.  Without machine time QEMU's own scheduler runs all
 * processors on one thread.
 */
static const char *needs_one_thread(const struct options *opt)
{
    return opt->quantum && !strcmp(opt->quantum, "off") ? "--quantum=off"
           : opt->profile                               ? "a profile"
           : opt->debugger.kind != GDB_NONE             ? "--gdb"
           : opt->futures.dir || opt->futures.n         ? "--split"
           : opt->range_monitor                         ? "--range-monitor"
                                                        : NULL;
}

/*
 * One thread for each processor that this process may use, but no more than have been tried.
 * On other hosts than x86-64 it is not known whether a stack may move between threads
 * (mp-stacks.c).
 */
#ifdef __x86_64__
#define MOST_THREADS 4
#else
#define MOST_THREADS 1
#endif

static const char *threads_of_host(void)
{
    static char n[] = "1";
    cpu_set_t set;

    if (!sched_getaffinity(0, sizeof(set), &set))
        n[0] = (char)('0' + (CPU_COUNT(&set) < MOST_THREADS ? CPU_COUNT(&set) : MOST_THREADS));
    return n;
}

/* The result does not depend on the number of threads, so this only chooses what is fast. */
static void choose_threads(struct options *opt)
{
    const char *alone = needs_one_thread(opt), *wish = getenv("ORIGIN_THREADS");

    if (opt->threads && strcmp(opt->threads, "1") && alone)
        die(EXIT_USAGE, MSG_THREADS_WITHOUT, alone);
    if (opt->threads)
        return;
    if (wish && *wish)
        opt->threads = number("ORIGIN_THREADS", wish, 1, MAX_THREADS);
    else
        opt->threads = threads_of_host();
    if (alone)
        opt->threads = "1";
}

void options_parse(int argc, char **argv, struct options *opt)
{
    parse(argc, argv, opt);
    if (opt->restore && opt->save)
        die(EXIT_USAGE, MSG_CHECKPOINT_WITHOUT, "--restore", "--save");
    if (opt->restore)
        parse_saved(argv, opt);
    check_profile(opt);
    choose_threads(opt);
    check_save(opt);
    check_regions(opt);
    if (opt->view && (!opt->dtinfo || !opt->page))
        die(EXIT_MACHINE, MSG_NOT_SET, opt->dtinfo ? "ORIGIN_VIEW_PAGE" : "ORIGIN_DTINFO");
    debugger_check(&opt->debugger);
    variants_check(opt);
}

void options_put_word(FILE *f, const char *s)
{
    if (*s && !s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                           "%+,-./:=@_")]) {
        fputs(s, f);
        return;
    }
    fputc('\'', f);
    for (; *s; s++)
        if (*s == '\'')
            fputs("'\\''", f);
        else
            fputc(*s, f);
    fputc('\'', f);
}

void options_put_command(FILE *f, const struct options *opt)
{
    for (int i = 0; i < opt->argc; i++) {
        if (i)
            fputc(' ', f);
        options_put_word(f, opt->argv[i]);
    }
}

void options_put_origin(FILE *f, const struct options *opt)
{
    fputs(opt->profile ? "origin profile" : "origin run", f);
    for (int i = 0; i < opt->nwords; i++)
        if (strcmp(opt->words[i], "--profile")) {
            fputc(' ', f);
            options_put_word(f, opt->words[i]);
        }
    if (opt->argc)
        fputc(' ', f);
    options_put_command(f, opt);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of `origin run` and `origin profile`.  Interface: command_line.h. */
#include "command_line.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "machine.h"
#include "messages.h"
#include "quote.h"
#include "remedy.h"
#include "table.h"
#include "variants.h"
#include "what.h"

static const char *product(const char *variable)
{
    const char *path = getenv(variable);

    if (!path || !*path)
        die(EXIT_MACHINE, MSG_NOT_SET, variable);
    return path;
}

/* --- values that only one option has ------------------------------------------- */

/* @arg times @scale as whole nanoseconds. */
static char *nanoseconds(const struct option_row *row, const char *arg, const char *unit,
                         double scale)
{
    char *end, *text;
    double v = strtod(arg, &end);

    if (end == arg || *end || !(v > 0) || v * scale > 1e17 || v * scale < 1)
        die(EXIT_USAGE, MSG_BAD_TIME_VALUE, table_name(row), unit, arg);
    text = xasprintf("%.0f", v * scale);
    return text;
}

static void take_warm(struct options *opt, const struct option_row *row, const char *arg)
{
    opt->warm = nanoseconds(row, arg, "milliseconds", 1e6);
}

/* MODEL,SECONDS: the models are those of --until-roi. */
static void take_until_time(struct options *opt, const struct option_row *row, const char *arg)
{
    const char *comma = strchr(arg, ',');
    char *before = comma ? strndup(arg, (size_t)(comma - arg)) : NULL;

    if (!before)
        table_bad_value(row, table_name(row), arg);
    table_check_value(table_row(RUN, "until-roi"), table_name(row), before);
    opt->before = before;
    opt->from = nanoseconds(row, comma + 1, "seconds", 1e9);
}

/* PORT, paused, or both with a comma. */
static void take_view(struct options *opt, const struct option_row *row, const char *arg)
{
    const char *rest = arg ? arg : "";
    char *end;

    opt->view = true;
    if (*rest >= '0' && *rest <= '9') {
        unsigned long port = strtoul(rest, &end, 10);

        if (port > 65535)
            table_bad_value(row, table_name(row), arg);
        opt->view_port = (unsigned int)port;
        rest = *end == ',' && end[1] ? end + 1 : end;
    }
    opt->view_paused = !strcmp(rest, "paused");
    if (arg && (!*arg || (*rest && !opt->view_paused)))
        table_bad_value(row, table_name(row), arg);
}

static void take_net(struct options *opt, const struct option_row *row, const char *arg)
{
    if (!devices_set_net(&opt->devices, arg))
        table_bad_value(row, table_name(row), arg);
}

/* What others keep. */
#define TAKER(name, call)                                                                       \
    static void take_##name(struct options *opt, const struct option_row *row, const char *arg) \
    {                                                                                           \
        (void)row;                                                                              \
        call;                                                                                   \
    }
TAKER(disk, devices_add_disk(&opt->devices, arg))
TAKER(image, devices_add_image(&opt->devices, arg))
TAKER(gdb, opt->debugger.kind = !strcmp(arg, "kernel") ? GDB_KERNEL : GDB_PROCESS)
TAKER(future, variants_add(&opt->futures, arg))
TAKER(remedy, remedy_add(&opt->remedies, arg))
TAKER(set, variants_set(&opt->futures, arg))
TAKER(what, what_add(opt, arg))

static void take_qemu_arg(struct options *opt, const struct option_row *row, const char *arg)
{
    (void)row;
    opt->qemu_args = realloc(opt->qemu_args, (opt->qemu_argc + 1) * sizeof(char *));
    if (!opt->qemu_args)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    opt->qemu_args[opt->qemu_argc++] = (char *)arg;
}

/* --- the command line ------------------------------------------------------------------ */

static void (*const take[])(struct options *, const struct option_row *, const char *) = {
#define X(name) [TO_##name] = take_##name,
    TAKE_LIST(X)
#undef X
};

/* A positive number of seconds. */
static double seconds(const struct option_row *row, const char *arg)
{
    char *end;
    double v = strtod(arg, &end);

    if (end == arg || *end || !(v > 0) || !isfinite(v))
        die(EXIT_USAGE, MSG_BAD_SECONDS, table_name(row), arg);
    return v;
}

/* Put the value of an option where its row says. */
static void put(struct options *opt, const struct option_row *row, const char *value)
{
    void *to = (char *)opt + row->to;

    if (row->type == TO_FLAG)
        *(bool *)to = true;
    else if (row->type == TO_INT)
        *(int *)to = atoi(value);
    else if (row->type == TO_SECONDS)
        *(double *)to = seconds(row, value);
    else if (row->type == TO_TEXT)
        *(const char **)to = value;
    else if (row->type != TO_NOTHING)
        take[row->type](opt, row, value);
}

static void parse(int argc, char **argv, struct options *opt)
{
    *opt = (struct options){ .profile = !strcmp(argv[0], "profile") };
    opt->qemu = product("ORIGIN_QEMU");
    opt->initrd = product("ORIGIN_INITRD");
    opt->machines = product("ORIGIN_MACHINES");
    opt->includes = product("ORIGIN_INCLUDES");
    opt->modules = getenv("ORIGIN_MODULES");
    opt->dtinfo = getenv("ORIGIN_DTINFO");
    opt->page = getenv("ORIGIN_VIEW_PAGE");
    opt->profile_report = getenv("ORIGIN_PROFILE_REPORT");
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->standard)
            put(opt, row, row->standard);
    opt->given = table_read(opt->profile ? PROFILE : RUN, argc, argv);
    for (int i = 0; i < opt->given.n; i++)
        put(opt, opt->given.v[i].row, opt->given.v[i].value);
    opt->profile |= opt->follow != NULL; /* what is followed goes to a profile */
    opt->words = argv + 1;
    opt->nwords = opt->given.words;
    opt->argv = opt->words + opt->nwords;
    opt->argc = argc - 1 - opt->nwords;
    opt->layout = opt->kernel ? NULL : getenv("ORIGIN_LAYOUT");
    if (!opt->kernel)
        opt->kernel = product("ORIGIN_VMLINUX");
}

/* --- --restore ------------------------------------------------------------------- */

/* Disks that are not images */
static unsigned int own_disks(const struct options *opt)
{
    unsigned int n = 0;

    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        n += !opt->devices.disk[i].image;
    return n;
}

/* Exit: @what is not of this run. */
static void only(const char *what) __attribute__((noreturn));
static void only(const char *what)
{
    char names[512] = "";

    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->restore && row->help && strcmp(row->name, "restore"))
            snprintf(names + strlen(names), sizeof(names) - strlen(names), "|%s", table_name(row));
    die(EXIT_USAGE, MSG_RESTORE_ONLY, what, table_or(names + 1));
}

/* What belongs to this run and not to the machine that was saved */
static void override(struct options *opt, const struct options *mine)
{
    unsigned int n = 0;

    if (opt->share && !mine->share)
        die(EXIT_USAGE, MSG_RESTORE_NEEDS, "a share", "-s HOSTDIR");
    if (own_disks(opt) != own_disks(mine))
        die(EXIT_USAGE, MSG_RESTORE_NEEDS, own_disks(opt) ? "disks" : "no disk", "--disk FILE");
    if (!opt->devices.net && mine->devices.net)
        die(EXIT_USAGE, MSG_RESTORE_NONE, "network (--net)");
    if (!opt->exec && mine->exec)
        die(EXIT_USAGE, MSG_RESTORE_NONE, "socket for commands (--exec)");
    opt->share = opt->share ? mine->share : NULL;
    if (mine->devices.net)
        opt->devices.net = mine->devices.net;
    for (unsigned int i = 0; i < opt->devices.ndisks; i++)
        if (!opt->devices.disk[i].image)
            opt->devices.disk[i].path = mine->devices.disk[n++].path;
    if (mine->exec)
        opt->exec = mine->exec;
    if (table_holds(mine, "--kernel"))
        opt->kernel = mine->kernel;
    if (table_holds(mine, "--machine"))
        opt->machine = mine->machine;
    opt->regions = mine->regions;
    opt->console = mine->console;
    opt->timeout = mine->timeout;
    opt->boot_timeout = mine->boot_timeout;
    opt->restore = mine->restore;
    opt->check = mine->check;
    opt->save = NULL;
}

/*
 * Who made the file says what is in its options.  They must be such as --save allows, and what
 * reaches the host must be wanted by who restores.
 */
static void check_saved(const struct options *opt, const struct options *mine)
{
    char *text = NULL;
    size_t n;
    FILE *f;

    if (!table_holds(opt, "--save"))
        die(EXIT_MACHINE, MSG_CHECKPOINT, "--restore", mine->restore,
            "its command line has no --save");
    table_check(opt);
    f = open_memstream(&text, &n);
    for (int i = 0; f && i < opt->given.n; i++) {
        const struct given *g = &opt->given.v[i];
        char *name;

        if (g->row->saved == TAKEN || g->row->saved == LEFT ||
            (g->row->saved == PRESET && machine_is_preset(g->value)))
            continue;
        name = xasprintf("--%s", g->row->name);
        if (!table_holds(mine, name)) {
            fprintf(f, " %s", name);
            if (g->value) {
                fputc('=', f);
                quote_word(f, g->value);
            }
        }
        free(name);
    }
    if (!f || fclose(f))
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (n && !mine->trust)
        die(EXIT_USAGE, MSG_RESTORE_TRUST, mine->restore, text);
    free(text);
}

/* The saved options, and those of this run: what was given is then of both, without --save. */
static void parse_saved(char **argv, struct options *opt)
{
    struct options mine = *opt;
    int argc, n = 0;
    char **saved;
    struct given *both;

    for (int i = 0; i < mine.given.n; i++)
        if (!mine.given.v[i].row->restore)
            only(table_name(mine.given.v[i].row));
    if (mine.argc)
        only(mine.argv[0]);
    saved = checkpoint_words(mine.restore, argv[0], &argc);
    parse(argc, saved, opt);
    check_saved(opt, &mine);
    both = calloc((size_t)opt->given.n + (size_t)mine.given.n, sizeof(*both));
    if (!both)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    for (int i = 0; i < opt->given.n; i++)
        if (strcmp(opt->given.v[i].row->name, "save"))
            both[n++] = opt->given.v[i];
    memcpy(both + n, mine.given.v, (size_t)mine.given.n * sizeof(*both));
    free(opt->given.v);
    opt->given.v = both;
    opt->given.n = n + mine.given.n;
    override(opt, &mine);
}

/* --- host threads ------------------------------------------------------------------ */

/* One thread for each processor that this process may use, but no more than have been tried */
#define MOST_THREADS 4

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
    const struct option_row *row = table_row(RUN, "threads");
    const char *wish = getenv("ORIGIN_THREADS");

    if (opt->threads)
        return;
    opt->threads = wish && *wish ? wish : threads_of_host();
    table_check_value(row, "ORIGIN_THREADS", opt->threads);
    if (table_excluded(opt, row, opt->threads))
        opt->threads = "1";
}

void command_line_read(int argc, char **argv, struct options *opt)
{
    parse(argc, argv, opt);
    if (opt->restore && !opt->save)
        parse_saved(argv, opt);
    table_check(opt);
    choose_threads(opt);
    /* gdb, or whoever looks at the page, decides when the machine goes on. */
    if ((opt->view || opt->debugger.kind != GDB_NONE) && !table_holds(opt, "--boot-timeout"))
        opt->boot_timeout = INFINITY;
    if (opt->view && (!opt->dtinfo || !opt->page))
        die(EXIT_MACHINE, MSG_NOT_SET, opt->dtinfo ? "ORIGIN_VIEW_PAGE" : "ORIGIN_DTINFO");
    debugger_check(&opt->debugger);
    variants_check(opt);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The options that say what each future does otherwise.  Interface: variants.h. */
#include "variants.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "options.h"

const char *variants_seed(const char *option, const char *arg)
{
    char *end;

    errno = 0;
    if (*arg < '0' || *arg > '9' || strtoul(arg, &end, 10) > UINT32_MAX || *end || errno)
        die(EXIT_USAGE, MSG_BAD_SEED, option, arg);
    return arg;
}

static bool name_is_good(const struct futures *f, const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            return false;
    for (int i = 0; i < f->n; i++)
        if (!strcmp(f->f[i].name, name))
            return false;
    return *name && *name != '.' && *name != '-' && strlen(name) < 100;
}

void variants_add(struct futures *f, const char *name)
{
    if (!name_is_good(f, name))
        die(EXIT_USAGE, MSG_BAD_FUTURE, name);
    f->f = realloc(f->f, ((size_t)f->n + 1) * sizeof(*f->f));
    if (!f->f)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    f->f[f->n++] = (struct future){ .name = name };
}

static void add_text(struct future *f, const char *word, const char *value)
{
    char *all;

    if (asprintf(&all, "%s%s %s\n", f->text ? f->text : "", word, value) < 0)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    free(f->text);
    f->text = all;
}

void variants_set(struct futures *f, const char *setting)
{
    struct future *last = f->n ? &f->f[f->n - 1] : NULL;
    const char *value = strchr(setting, '=');

    if (!last)
        die(EXIT_USAGE, MSG_SET_FIRST, setting);
    if (strchr(setting, '\n'))
        die(EXIT_USAGE, MSG_SET_LINE, setting);
    if (!value)
        die(EXIT_USAGE, MSG_BAD_SET, setting);
    value++;
    if (!strncmp(setting, "seed=", 5))
        last->seed = variants_seed("--set seed", value);
    else if (!strcmp(setting, "time=full") || !strcmp(setting, "time=unloaded") ||
             !strcmp(setting, "model=off"))
        last->model = value;
    else if (!strncmp(setting, "env:", 4) && value > setting + 5)
        add_text(last, "env", setting + 4);
    else if (!strncmp(setting, "sh=", 3))
        add_text(last, "sh", value);
    else
        die(EXIT_USAGE, MSG_BAD_SET, setting);
}

/* The real path of @path ends at a '/' or the end of the real path of @below. */
static bool lies_in(const char *path, const char *in)
{
    size_t n = strlen(in);

    return !strncmp(path, in, n) && (path[n] == '/' || !path[n]);
}

/* The real path of DIR, which need not exist yet. */
static char *real_dir(const char *dir)
{
    char *real = realpath(dir, NULL), *copy, *slash, *parent;

    if (real)
        return real;
    copy = strdup(dir);
    while (copy[0] && copy[1] && copy[strlen(copy) - 1] == '/')
        copy[strlen(copy) - 1] = 0;
    slash = strrchr(copy, '/');
    if (slash)
        *slash = 0;
    parent = realpath(slash ? (*copy ? copy : "/") : ".", NULL);
    if (!parent)
        die(EXIT_MACHINE, MSG_SPLIT, dir, strerror(errno));
    if (asprintf(&real, "%s/%s", parent, slash ? slash + 1 : copy) < 0)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    free(parent);
    free(copy);
    return real;
}

void variants_check(const struct options *opt)
{
    const struct futures *f = &opt->futures;
    const char *without = opt->profile                                   ? "a profile"
                          : opt->view                                    ? "--view"
                          : opt->devices.net                             ? "--net"
                          : opt->exec                                    ? "--exec"
                          : opt->debugger.kind != GDB_NONE               ? "--gdb"
                          : opt->from                                    ? "--until-time"
                          : opt->argc == 0                               ? "a shell on the console"
                          : opt->quantum && !strcmp(opt->quantum, "off") ? "--quantum=off"
                                                                         : NULL;

    if (!f->dir && !f->n && !f->at_once)
        return;
    if (!f->dir || !f->n)
        die(EXIT_USAGE, MSG_NO_FUTURES);
    if (without)
        die(EXIT_USAGE, MSG_FUTURES_WITHOUT, without);
    for (int i = 0; i < f->n; i++)
        if (f->f[i].model && opt->model && !strcmp(opt->model, "off"))
            die(EXIT_USAGE, MSG_UNTIL_MODEL, "--set time");
    if (opt->share) {
        char *share = realpath(opt->share, NULL), *dir = real_dir(f->dir);

        if (share && lies_in(dir, share))
            die(EXIT_USAGE, MSG_SPLIT_SHARE, f->dir, opt->share);
        free(share);
        free(dir);
    }
}

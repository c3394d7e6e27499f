// SPDX-License-Identifier: GPL-2.0-or-later
/* The options that say what each future does otherwise.  Interface: variants.h. */
#include "variants.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "messages.h"
#include "remedy.h"
#include "table.h"

bool variants_name_is_good(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            return false;
    return *name && *name != '.' && *name != '-' && strlen(name) < 100;
}

static bool is_new(const struct futures *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (!strcmp(f->f[i].name, name))
            return false;
    return true;
}

void variants_add(struct futures *f, const char *name)
{
    if (!variants_name_is_good(name) || !is_new(f, name))
        die(EXIT_USAGE, MSG_BAD_FUTURE, name);
    f->f = realloc(f->f, ((size_t)f->n + 1) * sizeof(*f->f));
    if (!f->f)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    f->f[f->n++] = (struct future){ .name = name };
}

static void add_text(struct future *f, const char *word, const char *value)
{
    char *all;

    all = xasprintf("%s%s %s\n", f->text ? f->text : "", word, value);
    free(f->text);
    f->text = all;
}

/* "time=, seed=, env:NAME= or sh=" */
static const char *keys(void)
{
    char names[512] = "";

    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->setting || row->of & SETTING)
            snprintf(names + strlen(names), sizeof(names) - strlen(names), "|%s=", row->name);
    return table_or(names + 1);
}

/* The row of the key that @setting begins with; NULL: there is none. */
static const struct option_row *key_row(const char *setting)
{
    size_t n = strcspn(setting, "=");

    if (!strncmp(setting, "env:", 4) && n > 4)
        return table_row(SETTING, "env:NAME");
    for (const struct option_row *row = option_rows; row->name; row++)
        if ((row->setting || row->of & SETTING) && strlen(row->name) == n &&
            !strncmp(row->name, setting, n))
            return row;
    return NULL;
}

void variants_set(struct futures *f, const char *setting)
{
    struct future *last = f->n ? &f->f[f->n - 1] : NULL;
    const char *value = strchr(setting, '=');
    const struct option_row *row = value ? key_row(setting) : NULL;
    struct option_row of_set;
    char *option;

    if (!last)
        die(EXIT_USAGE, MSG_SET_FIRST, setting);
    if (strchr(setting, '\n'))
        die(EXIT_USAGE, MSG_SET_LINE, setting);
    if (!row)
        die(EXIT_USAGE, MSG_BAD_SET, setting, keys());
    value++;
    if (row->of & SETTING && !strcmp(row->name, "remedy")) {
        remedy_add(&last->remedies, value);
        return;
    }
    if (row->of & SETTING) {
        add_text(last, !strcmp(row->name, "sh") ? "sh" : "env",
                 !strcmp(row->name, "sh") ? value : setting + 4);
        return;
    }
    option = xasprintf("--set %s", row->name);
    of_set = *row;
    of_set.value = row->setting;
    table_check_value(&of_set, option, value);
    free(option);
    if (!strcmp(row->name, "seed"))
        last->seed = value;
    else
        last->model = value;
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
    real = xasprintf("%s/%s", parent, slash ? slash + 1 : copy);
    free(parent);
    free(copy);
    return real;
}

void variants_check(const struct options *opt)
{
    char *share = opt->share ? realpath(opt->share, NULL) : NULL;
    char *dir = share && opt->futures.dir ? real_dir(opt->futures.dir) : NULL;

    /* Those that are asked for have the share itself. */
    if (dir && !opt->futures.from && lies_in(dir, share))
        die(EXIT_USAGE, MSG_SPLIT_SHARE, opt->futures.dir, opt->share);
    free(share);
    free(dir);
}

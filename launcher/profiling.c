// SPDX-License-Identifier: GPL-2.0-or-later
/* What a profile needs besides the model's tables.  Interface: profiling.h. */
#include "profiling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fabric/topo.h"
#include "files.h"
#include "kernel.h"
#include "messages.h"
#include "quote.h"
#include "table.h"
#include "profile/allocators_find.h"
#include "profile/kernel_layout.h"
#include "profile/profile.h"

#define LAYOUT_MAX (1u << 20) /* bytes; ours has 1504 */
#define COPY_MAX   (1u << 30) /* of what was written here */

const char *const profiling_constants[] = { "run.csv", "hops.csv", "machine.dtb", NULL };

static const char *const tables[] = {
#define X(NAME, file) file,
    SN_PROFILE_TABLES(X)
#undef X
        "truth.json",
    "run.csv",
    "hops.csv",
    "machine.dtb",
    PROFILING_LAYOUT,
    PROFILING_FUNCTIONS,
};

static int refuse(const struct options *opt, const char *file)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s%s%s", opt->profile_dir, file ? "/" : "", file ? file : "");
    complain(MSG_PROFILE, path, strerror(errno));
    return -1;
}

static char *in_dir(const struct options *opt, const char *file)
{
    return xasprintf("%s/%s", opt->profile_dir, file);
}

/* Make the directory, or remove an earlier profile's files from it, and no others. */
static int make_dir(struct options *opt)
{
    struct stat st;
    char *absolute;

    if (mkdir(opt->profile_dir, 0777) < 0 && errno != EEXIST)
        return refuse(opt, NULL);
    if (stat(opt->profile_dir, &st) == 0 && !S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return refuse(opt, NULL);
    }
    absolute = realpath(opt->profile_dir, NULL);
    if (!absolute || access(absolute, W_OK | X_OK) < 0)
        return refuse(opt, NULL);
    opt->profile_dir = absolute;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        char *path = in_dir(opt, tables[i]);
        int failed = unlink(path) < 0 && errno != ENOENT;

        free(path);
        if (failed)
            return refuse(opt, tables[i]);
    }
    return 0;
}

/* Close @f and say whether all of it was written. */
static int finish(const struct options *opt, FILE *f, const char *file)
{
    int bad = ferror(f);

    if (fclose(f) || bad)
        return refuse(opt, file);
    return 0;
}

static FILE *create(const struct options *opt, const char *file)
{
    char *path = in_dir(opt, file);
    FILE *f = fopen(path, "wxe"); /* a guest may have put a link there since make_dir() */

    free(path);
    if (!f)
        refuse(opt, file);
    return f;
}

static void quoted(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', f);
        fputc(*s == '\n' || *s == '\r' ? ' ' : *s, f);
    }
}

static void line(FILE *f, const char *key, const char *value)
{
    if (!value)
        return;
    fprintf(f, "%s,\"", key);
    quoted(f, value);
    fputs("\"\n", f);
}

/* A path that means the same in another directory. */
static void path_line(FILE *f, const char *key, const char *path)
{
    char *absolute = path ? realpath(path, NULL) : NULL;

    line(f, key, absolute);
    free(absolute);
}

/* Does a shell run it?  One word with blanks is a line for the shell. */
static bool is_shell_line(const struct options *opt)
{
    return opt->argc == 0 || (opt->argc == 1 && strpbrk(opt->argv[0], " \t\n"));
}

char *profiling_comm(const struct options *opt)
{
    const char *slash = is_shell_line(opt) ? NULL : strrchr(opt->argv[0], '/');

    return is_shell_line(opt) ? NULL : xasprintf("%.15s", slash ? slash + 1 : opt->argv[0]);
}

char *profiling_command(const struct options *opt)
{
    char *comm = profiling_comm(opt);

    return comm ? comm : xasprintf("sh");
}

static void comm_line(FILE *f, const struct options *opt)
{
    char *comm = profiling_command(opt);

    line(f, "comm", comm);
    free(comm);
}

/* The options that `origin run` has, too. */
static void put_options(FILE *t, const struct options *opt)
{
    const char *before = "";

    for (int i = 0; i < opt->given.n; i++) {
        const struct given *g = &opt->given.v[i];

        /* What is followed is a profile's. */
        if (!(g->row->of & RUN) || !strncmp(g->row->name, "follow", 6) ||
            !strcmp(g->row->name, "output"))
            continue;
        fprintf(t, "%s%s", before, table_name(g->row));
        before = " ";
        if (g->value) {
            fputc(g->row->letter ? ' ' : '=', t);
            quote_word(t, g->value);
        }
    }
}

/* What @put prints, for a shell. */
static void shell_line(FILE *f, const char *key, void (*put)(FILE *t, const struct options *opt),
                       const struct options *opt)
{
    char *text = NULL;
    size_t bytes;
    FILE *t = open_memstream(&text, &bytes);

    if (!t)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    put(t, opt);
    if (fclose(t))
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    line(f, key, text);
    free(text);
}

/* The build lists the files of initramfs.cpio in initramfs.list. */
static char *list_of(const struct options *opt)
{
    char *list;

    list = xasprintf("%.*s.list", (int)(strrchr(opt->initrd, '.') - opt->initrd), opt->initrd);
    return list;
}

/* Which build runs: its commit and its guest.  Of another kernel, only the commit is known. */
static void build_line(FILE *f, const struct options *opt)
{
    const char *file = getenv("ORIGIN_BUILD");
    FILE *in = file ? fopen(file, "re") : NULL;
    char text[128];

    if (in && fgets(text, sizeof(text), in)) {
        text[strcspn(text, opt->layout ? "\n" : " \n")] = '\0';
        line(f, "build", text);
    }
    if (in)
        fclose(in);
}

static int write_run(const struct options *opt, const struct machine *m)
{
    FILE *f = create(opt, "run.csv");
    char *list = list_of(opt);

    if (!f)
        return -1;
    fprintf(f, "key,value\ncommand,\"");
    for (int i = 0; i < opt->argc; i++) {
        if (i)
            fputc(' ', f);
        quoted(f, opt->argv[i]);
    }
    fputs("\"\n", f);
    shell_line(f, "origin", quote_origin, opt);
    comm_line(f, opt);
    shell_line(f, "options", put_options, opt);
    if (!is_shell_line(opt))
        shell_line(f, "words", quote_command, opt);
    line(f, "machine", m->name);
    build_line(f, opt);
    if (*m->topo->desc->what.keys)
        line(f, "hypothetical", m->topo->desc->what.keys);
    path_line(f, "kernel", opt->kernel);
    path_line(f, "share", opt->share);
    path_line(f, "modules", opt->modules);
    path_line(f, "initramfs_list", list);
    fprintf(f, "page_bytes,%d\n", KERNEL_PAGE);
    free(list);
    return finish(opt, f, "run.csv");
}

static int write_hops(const struct options *opt, const struct machine *m)
{
    FILE *f = create(opt, "hops.csv");
    unsigned int n = m->topo->desc->nnodes;

    if (!f)
        return -1;
    fprintf(f, "from,to,hops\n");
    for (unsigned int a = 0; a < n; a++)
        for (unsigned int b = 0; b < n; b++)
            fprintf(f, "%u,%u,%u\n", a, b, sn_topo_hops(m->topo, a, b));
    return finish(opt, f, "hops.csv");
}

/* The flattened description: a report draws the machine from it, whatever becomes of the preset. */
static int write_machine(const struct options *opt, const struct machine *m)
{
    FILE *f = create(opt, "machine.dtb");
    char block[4096];
    off_t at = 0;
    ssize_t n;

    if (!f)
        return -1;
    while ((n = pread(m->dtb, block, sizeof(block), at)) > 0) {
        fwrite(block, 1, (size_t)n, f);
        at += n;
    }
    return finish(opt, f, "machine.dtb");
}

static int write_layout(const struct options *opt)
{
    FILE *f = create(opt, PROFILING_LAYOUT);
    char why[256];
    size_t size;

    if (!f)
        return -1;
    if (opt->layout) { /* what the build wrote for our kernel */
        if (copy_file(opt->layout, fileno(f), LAYOUT_MAX, &size) < 0)
            die(EXIT_MACHINE, MSG_PROFILE, opt->layout, strerror(errno));
    } else if (!layout_write(opt->kernel, f, why, sizeof(why)) && !ferror(f)) {
        complain(MSG_LAYOUT, opt->kernel, why);
        fclose(f);
        return -1;
    }
    return finish(opt, f, PROFILING_LAYOUT);
}

static int write_functions(const struct options *opt)
{
    FILE *f = create(opt, PROFILING_FUNCTIONS);
    char *list = list_of(opt);

    if (!f)
        return -1;
    if (!allocators_find(f, list, opt->share))
        complain(MSG_MANY_FILES, opt->share);
    free(list);
    return finish(opt, f, PROFILING_FUNCTIONS);
}

/* --- of a future ----------------------------------------------------------- */

static int copy(const struct options *from, const struct options *to, const char *file)
{
    char *path = in_dir(from, file);
    FILE *f = create(to, file);
    size_t size;
    int bad = f ? copy_file(path, fileno(f), COPY_MAX, &size) : -1;

    free(path);
    if (f && bad)
        refuse(to, file);
    return f && !finish(to, f, file) ? bad : -1;
}

/* One more option of a run; @name is one of origin profile's. */
static void give(struct given_options *g, const char *name, const char *value)
{
    if (value)
        g->v[g->n++] = (struct given){ table_row(PROFILE, name), value };
}

/* Is the option about how the run splits? */
static bool is_of_split(const struct options *opt, const char *name)
{
    static const char *const of_split[] = { "split", "split-at", "future",
                                            "set",   "at-once",  "futures-from" };

    for (size_t i = 0; i < sizeof(of_split) / sizeof(of_split[0]); i++)
        if (!strcmp(name, of_split[i]))
            return true;
    return !strcmp(name, "roi") && !opt->before;
}

/* Let @own be a run of its own that does what the future does, as far as options can say it. */
static void own_options(struct options *own, const struct options *opt, const struct future *f)
{
    struct given_options *g = &own->given;
    bool at_region = !strcmp(opt->futures.at, "region");

    *own = *opt;
    g->v = calloc((size_t)opt->given.n + f->remedies.n + 3, sizeof(*g->v));
    own->words = calloc((size_t)opt->given.n + f->remedies.n + 4, sizeof(*own->words));
    if (!g->v || !own->words)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    g->n = own->nwords = 0;
    for (int i = 0; i < opt->given.n; i++)
        if (!is_of_split(opt, opt->given.v[i].row->name))
            g->v[g->n++] = opt->given.v[i];
    for (unsigned int i = 0; i < f->remedies.n; i++)
        give(g, "remedy", f->remedies.v[i]);
    give(g, "remedy-from", f->remedies.n && at_region ? opt->roi : NULL);
    give(g, "seed", f->seed);
    give(g, f->model && !strcmp(f->model, "off") ? "model" : "time", f->model);
    for (int i = 0; i < g->n; i++)
        own->words[own->nwords++] = g->v[i].value
                                        ? xasprintf("--%s=%s", g->v[i].row->name, g->v[i].value)
                                        : xasprintf("--%s", g->v[i].row->name);
    if (opt->argc)
        own->words[own->nwords++] = xasprintf("--");
}

int profiling_future(const struct options *opt, const struct machine *m, const struct future *f,
                     const char *dir)
{
    static const char *const same[] = { "hops.csv", "machine.dtb", PROFILING_LAYOUT,
                                        PROFILING_FUNCTIONS };
    struct options own;
    int bad;

    own_options(&own, opt, f);
    own.profile_dir = dir;
    bad = write_run(&own, m) < 0;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        bad |= copy(opt, &own, same[i]) < 0;
    for (int i = 0; i < own.nwords; i++)
        free(own.words[i]);
    free(own.words);
    free(own.given.v);
    return bad ? -1 : 0;
}

int profiling_begin(struct options *opt, const struct machine *m)
{
    if (make_dir(opt) < 0 || write_layout(opt) < 0 || write_run(opt, m) < 0)
        return -1;
    return write_functions(opt) < 0 || write_hops(opt, m) < 0 ? -1 : write_machine(opt, m);
}

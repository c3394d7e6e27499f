// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of a view.  Interface: page.h. */
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "messages.h"
#include "quote.h"
#include "tool.h"
#include "fabric/topo.h"
#include "what/what.h"

#define MARK "@DATA@"

/* The metrics of nodes and ports, from the rows that snsar's come from, and those of CPUs. */
static const struct metric {
    const char *name, *kind, *unit, *formula, *text;
} metrics[] = {
#define EV_METRIC(METRIC, name, KINDS, UNIT, formula, caption) \
    { name, #KINDS, #UNIT, formula, caption },
#define MD_EV(mode, counter, NAME, METRIC, metric, expression, caption, meaning) \
    { metric, "NODE", "COUNT", NULL, caption },
#include "regs/ev_md.h.inc"
#define EV_METRIC(METRIC, name, KINDS, UNIT, formula, caption) \
    { name, #KINDS, #UNIT, formula, caption },
#define RR_EV(mode, counter, NAME, METRIC, metric, what, caption, meaning) \
    { metric, "LINK", "COUNT", NULL, caption },
#include "regs/ev_router.h.inc"
    { "insn", "CPU", "PERCENT", "100 * insns / cycles", "instructions in 100 cycles" },
    { "wait", "CPU", "PERCENT", "100 * waitns / dtns", "latency of its transactions in 100 ns" },
    { "remote", "CPU", "PERCENT", "100 * txremote / (txlocal + txremote)",
      "transactions with memory of another node" },
    { "txlocal", "CPU", "COUNT", NULL, "transactions with memory of its node" },
    { "txremote", "CPU", "COUNT", NULL, "transactions with memory of other nodes" },
    { "txbackoff", "CPU", "COUNT", NULL, "transactions that the home backed off" },
    { "insns", "CPU", "COUNT", NULL, "instructions" },
};

/* A whole stream as text; NULL when it cannot be read. */
static char *read_all(FILE *f)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t n = getdelim(&text, &room, '\0', f);

    if (n < 0 || ferror(f)) {
        free(text);
        return NULL;
    }
    return text;
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "re");
    char *text = f ? read_all(f) : NULL;

    if (!text)
        complain(MSG_VIEW_PAGE, path, strerror(f ? EIO : errno));
    if (f)
        fclose(f);
    return text;
}

/* What a program prints that is given the description in @dtb; NULL: it failed. */
static char *of_description(const char *const argv[], int dtb, const char *package)
{
    int out = memfd_create("view", MFD_CLOEXEC);
    char path[32], *text = NULL;

    if (out < 0)
        die_errno("memfd_create");
    fcntl(dtb, F_SETFD, 0);
    if (run_tool(argv, out, package)) {
        snprintf(path, sizeof(path), "/dev/fd/%d", out);
        text = read_file(path);
    }
    fcntl(dtb, F_SETFD, FD_CLOEXEC);
    close(out);
    return text;
}

static json_t *machine_json(const char *dtinfo, int dtb)
{
    char path[32], *text;
    const char *const argv[] = { dtinfo, "-j", path, NULL };
    json_t *o;

    snprintf(path, sizeof(path), "/dev/fd/%d", dtb);
    text = of_description(argv, dtb, "origin2000");
    o = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    if (!o)
        complain(MSG_VIEW_DTINFO, dtinfo);
    return o;
}

/* The description's source, which the page lets its reader save; null: dtc is not there. */
static json_t *source_json(int dtb)
{
    char path[32], *text;
    const char *const argv[] = { "dtc", "-q", "-I", "dtb", "-O", "dts", path, NULL };
    json_t *o;

    snprintf(path, sizeof(path), "/dev/fd/%d", dtb);
    text = of_description(argv, dtb, "device-tree-compiler");
    o = text ? json_string(text) : NULL;
    free(text);
    return o ? o : json_null();
}

static char *lower(const char *s)
{
    char *copy = strdup(s);

    for (char *p = copy; p && *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p - 'A' + 'a');
    return copy;
}

static json_t *formulas(void)
{
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        const struct metric *m = &metrics[i];
        char *kind = lower(m->kind), *unit = lower(m->unit);

        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s?}", "name", m->name, "text",
                                              m->text, "kind", kind, "unit", unit, "formula",
                                              m->formula));
        free(kind);
        free(unit);
    }
    return list;
}

/* What @put prints, for a reader. */
static char *command_text(void (*put)(FILE *f, const struct options *opt),
                          const struct options *opt)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    if (!f)
        return NULL;
    put(f, opt);
    fclose(f);
    return text;
}

/* What runs in the guest. */
static void put_guest(FILE *f, const struct options *opt)
{
    if (!opt->argc)
        fputs("a shell", f);
    for (int i = 0; i < opt->argc; i++)
        fprintf(f, "%s%s", i ? " " : "", opt->argv[i]);
}

/* A host's words need not be UTF-8: what is not becomes '?'. */
static json_t *string(const char *s)
{
    json_t *o = json_string(s);
    char *copy;

    if (o)
        return o;
    copy = strdup(s);
    for (char *p = copy; p && *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    o = json_string(copy ? copy : "");
    free(copy);
    return o;
}

/* JSON inside a script element: `<` is escaped, so that no name can end the element. */
static void put_json(FILE *f, const json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);

    for (const char *p = text; p && *p; p++) {
        if (*p == '<')
            fputs("\\u003c", f);
        else
            putc(*p, f);
    }
    free(text);
}

static char *join(const char *page, const json_t *data)
{
    const char *at = strstr(page, MARK);
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    if (!f || !at)
        return NULL;
    fwrite(page, 1, (size_t)(at - page), f);
    put_json(f, data);
    fputs(at + sizeof(MARK) - 1, f);
    return fclose(f) ? NULL : text;
}

char *page_make(const struct options *opt, const struct machine *m)
{
    char *page = read_file(opt->page), *whole = NULL;
    char *command = command_text(quote_origin, opt), *guest = command_text(put_guest, opt);
    json_t *shape = page ? machine_json(opt->dtinfo, m->dtb) : NULL, *data;
    const char *keys = m->topo->desc->what.keys;
    char mark[600];

    if (!page || !shape)
        return NULL;
    snprintf(mark, sizeof(mark), "%s%s", *keys ? SN_WHAT_MARK("h") : "", keys);
    data = json_pack("{s:i, s:[], s:{s:o, s:o, s:s, s:o, s:s, s:o, s:o, s:b, s:s}}", "format", 1,
                     "inputs", "live", "command", string(guest ? guest : ""), "origin",
                     string(command ? command : ""), "host", m->name, "machine", shape, "time",
                     opt->time, "formulas", formulas(), "description", source_json(m->dtb),
                     "profile", opt->profile, "hypothetical", mark);
    if (data)
        whole = join(page, data);
    if (!whole)
        complain(MSG_VIEW_PAGE, opt->page, "no " MARK);
    json_decref(data);
    free(page);
    free(command);
    free(guest);
    return whole;
}

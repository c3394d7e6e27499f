/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines from one table; see options.h. */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ORIGIN_VERSION
#define ORIGIN_VERSION "0.1"
#endif

enum {
    ID_BASE = 0x100, /* what getopt returns: above every letter */
    ID_HELP = 0x10000000,
    ID_VERSION,
    ID_COMPLETION,
};

struct opt_state {
    const struct opt_program *prog;
    int argc;
    char **argv;
    char *letters;
    struct option *options;
};

static const struct opt_row common[] = {
    { .help = "Help:" },
    { "help", 0, NULL, "print this text and exit", ID_HELP },
    { "version", 0, NULL, "print the version and exit", ID_VERSION },
    { "bash-completion", 0, NULL, "print a completion script for bash and zsh, and exit",
      ID_COMPLETION },
    { 0 },
};

static bool is_end(const struct opt_row *r)
{
    return !r->name && !r->help;
}

struct opt_state *opt_begin(const struct opt_program *p, int argc, char **argv)
{
    struct opt_state *s = calloc(1, sizeof(*s));
    size_t n = 0, l = 0;

    for (const struct opt_row *r = p->rows; !is_end(r); r++) {
        n += r->name != NULL;
    }
    if (s) {
        s->letters = calloc(1, 3 * n + 3);
        s->options = calloc(n + sizeof(common) / sizeof(*common), sizeof(*s->options));
    }
    if (!s || !s->letters || !s->options) {
        opt_fail(p, "out of memory");
    }
    s->prog = p;
    s->argc = argc;
    s->argv = argv;
    if (p->stop_at_command) {
        s->letters[l++] = '+';
    }
    s->letters[l++] = ':';
    n = 0;
    for (int t = 0; t < 2; t++) {
        for (const struct opt_row *r = t ? common : p->rows; !is_end(r); r++) {
            int has = !r->arg            ? no_argument
                      : r->arg[0] == '[' ? optional_argument
                                         : required_argument;

            if (!r->name) {
                continue;
            }
            s->options[n++] = (struct option){ r->name, has, NULL, r->id + ID_BASE };
            if (r->letter) {
                s->letters[l++] = r->letter;
                for (int i = 0; i < has; i++) {
                    s->letters[l++] = ':';
                }
            }
        }
    }
    optind = 0; /* glibc: starts a new command line */
    opterr = 0;
    return s;
}

int opt_next(struct opt_state *s, const char **arg)
{
    const struct opt_program *p = s->prog;
    int at = optind ? optind : 1;
    int c = getopt_long_only(s->argc, s->argv, s->letters, s->options, NULL);
    const char *word = at < s->argc ? s->argv[at] : "";

    *arg = optarg;
    if (c == -1) {
        return 0;
    }
    if (c == ID_HELP + ID_BASE) {
        opt_help(p);
        opt_close_stdout(p);
        exit(0);
    }
    if (c == ID_VERSION + ID_BASE) {
        printf("%s %s\n", p->name, ORIGIN_VERSION);
        opt_close_stdout(p);
        exit(0);
    }
    if (c == ID_COMPLETION + ID_BASE) {
        opt_completion(p);
        opt_close_stdout(p);
        exit(0);
    }
    /* getopt may have moved operands, so the wrong word need not be at the old optind. */
    if ((c == '?' || c == ':') && optind > 0 && optind <= s->argc && optind - 1 >= at) {
        word = s->argv[optind - 1];
    }
    if (c == '?') {
        if (optopt > 0 && optopt < ID_BASE) {
            opt_usage_error(p, "unknown option '-%c'", optopt);
        }
        if (optopt >= ID_BASE) {
            opt_usage_error(p, "option '%s' takes no argument", word);
        }
        opt_usage_error(p, "unknown option '%s'", word);
    }
    if (c == ':') {
        opt_usage_error(p, "option '%s' needs an argument", word);
    }
    if (c < ID_BASE) {
        for (const struct opt_row *r = p->rows; !is_end(r); r++) {
            if (r->name && r->letter == c) {
                return r->id;
            }
        }
    }
    return c - ID_BASE;
}

int opt_index(const struct opt_state *s)
{
    (void)s;
    return optind;
}

/* The label of an option in the script's case: "--node|-n". */
static void print_label(const struct opt_row *r)
{
    printf("    --%s", r->name);
    if (r->letter) {
        printf("|-%c", r->letter);
    }
    printf(") ");
}

void opt_completion(const struct opt_program *p)
{
    printf("# SPDX-License-Identifier: GPL-2.0-or-later\n"
           "# completion for %s in bash and zsh, from its table of options.\n"
           "if [ -n \"${ZSH_VERSION-}\" ]; then\n"
           "    type compdef >/dev/null 2>&1 || { autoload -U +X compinit && compinit -u; }\n"
           "    type complete >/dev/null 2>&1 || { autoload -U +X bashcompinit && bashcompinit; }\n"
           "fi\n_%s()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n\n"
           "    COMPREPLY=()\n    case $prev in\n",
           p->name, p->name);
    for (const struct opt_row *r = p->rows; !is_end(r); r++) {
        if (!r->name || !r->arg || r->arg[0] == '[') {
            continue;
        }
        print_label(r);
        if (strchr(r->arg, '|')) {
            printf("COMPREPLY=($(compgen -W '");
            for (const char *c = r->arg; *c; c++) {
                putchar(*c == '|' ? ' ' : *c);
            }
            printf("' -- \"$cur\"));");
        } else if (strstr(r->arg, "FILE") || strstr(r->arg, "PATH")) {
            printf("COMPREPLY=($(compgen -f -- \"$cur\"));");
        }
        printf(" return ;;\n");
    }
    printf("    esac\n    case $cur in\n    -*) COMPREPLY=($(compgen -W '");
    for (int t = 0; t < 2; t++) {
        for (const struct opt_row *r = t ? common : p->rows; !is_end(r); r++) {
            if (r->name) {
                printf("--%s ", r->name);
            }
        }
    }
    printf("' -- \"$cur\")) ;;\n    *) COMPREPLY=($(compgen -%s -- \"$cur\")) ;;\n    esac\n}\n"
           "complete -o filenames -F _%s %s\n",
           p->stop_at_command ? "cf" : "f", p->name, p->name);
}

static int row_width(const struct opt_row *r)
{
    return (int)strlen(r->name) + (r->arg ? (int)strlen(r->arg) + 1 : 0);
}

void opt_help(const struct opt_program *p)
{
    int width = 0;
    const char *line = p->usage;

    for (bool first = true; line; first = false) {
        const char *end = strchr(line, '\n');
        int n = end ? (int)(end - line) : (int)strlen(line);

        printf("%s %s%s%.*s\n", first ? "usage:" : "      ", p->name, n ? " " : "", n, line);
        line = end ? end + 1 : NULL;
    }
    printf("%s\n", p->text);
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < 2; t++) {
            for (const struct opt_row *r = t ? common : p->rows; !is_end(r); r++) {
                if (pass == 0) {
                    int w = r->name ? row_width(r) : 0;

                    width = w > width && w <= 24 ? w : width;
                } else if (!r->name) {
                    printf("\n%s\n", r->help);
                } else {
                    char lead[4] = "   ";
                    int n;

                    if (r->letter) {
                        lead[0] = '-';
                        lead[1] = r->letter;
                        lead[2] = ',';
                    }
                    n = printf("  %s --%s", lead, r->name) - 8;
                    if (r->arg && r->arg[0] == '[') {
                        n += printf("[=%s", r->arg + 1);
                    } else if (r->arg) {
                        n += printf(" %s", r->arg);
                    }
                    printf("%*s  %s\n", n < width + 1 ? width + 1 - n : 0, "", r->help);
                }
            }
        }
    }
}

double opt_number(const struct opt_program *p, const char *option, const char *text, double lo,
                  double hi)
{
    char *end;
    double v;

    errno = 0;
    v = strtod(text, &end);
    if (end == text || *end || errno == ERANGE || !isfinite(v) || v < lo || v > hi) {
        opt_usage_error(p, "%s: '%s' is not a number from %.12g to %.12g", option, text, lo, hi);
    }
    return v;
}

uint64_t opt_unsigned(const struct opt_program *p, const char *option, const char *text,
                      uint64_t lo, uint64_t hi)
{
    char *end;
    unsigned long long v;

    errno = 0;
    v = strtoull(text, &end, 0);
    if (text[0] < '0' || text[0] > '9' || *end || errno == ERANGE || v < lo || v > hi) {
        opt_usage_error(p, "%s: '%s' is not a whole number from %llu to %llu", option, text,
                        (unsigned long long)lo, (unsigned long long)hi);
    }
    return v;
}

static void say(const struct opt_program *p, const char *fmt, va_list ap)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", p->name);
    vfprintf(stderr, fmt, ap);
}

void opt_usage_error(const struct opt_program *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(p, fmt, ap);
    va_end(ap);
    fprintf(stderr, " (see %s --help)\n", p->name);
    exit(2);
}

void opt_fail(const struct opt_program *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(p, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(1);
}

void opt_close_stdout(const struct opt_program *p)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return;
    }
    if (errno == EPIPE) {
        exit(1); /* the reader ended on purpose, as head(1) does */
    }
    fprintf(stderr, "%s: standard output: %s\n", p->name, strerror(errno));
    exit(1);
}

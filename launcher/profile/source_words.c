// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of source files.  Interface: source_words.h. */
#include "source_words.h"

#include <string.h>

#include "plain.h"

/* Where the lexer is. */
struct at {
    const char *p, *start; /* start: of the line */
    int line;
};

static void newline(struct at *a)
{
    a->line++;
    a->start = a->p + 1;
}

/* Behind the end of @text, or of the file. */
static void skip_to(struct at *a, const char *text)
{
    size_t n = strlen(text);

    while (*a->p && strncmp(a->p, text, n) != 0) {
        if (*a->p == '\n')
            newline(a);
        a->p++;
    }
    if (*a->p && *text != '\n')
        a->p += n;
}

/* A line of the preprocessor goes on behind a backslash at its end. */
static void skip_directive(struct at *a)
{
    do {
        skip_to(a, "\n");
        if (!*a->p || a->p[-1] != '\\')
            return;
        newline(a);
        a->p++;
    } while (*a->p);
}

static void skip_string(struct at *a)
{
    char quote = *a->p++;

    while (*a->p && *a->p != quote && *a->p != '\n')
        a->p += *a->p == '\\' && a->p[1] && a->p[1] != '\n' ? 2 : 1;
    a->p += *a->p == quote;
}

static bool is_first(char c)
{
    return g_ascii_isalpha(c) || c == '_' || c == '$';
}

static void skip_name(struct at *a)
{
    for (;;) {
        if (is_first(*a->p) || g_ascii_isdigit(*a->p))
            a->p++;
        else if (a->p[0] == ':' && a->p[1] == ':' && is_first(a->p[2]))
            a->p += 2;
        else
            return;
    }
}

static void skip_operator(struct at *a)
{
    static const char *const two[] = { "->", "==", "!=", "<=", ">=", "&&", "||",
                                       "+=", "-=", "*=", "/=", "|=", "&=", "::" };

    for (size_t i = 0; i < G_N_ELEMENTS(two); i++)
        if (!strncmp(a->p, two[i], 2)) {
            a->p += 2;
            return;
        }
    a->p++;
}

/* Over what is no word.  False: there is a word. */
static bool skip_between(struct at *a, bool fortran)
{
    if (*a->p == '\n') {
        newline(a);
        a->p++;
    } else if (g_ascii_isspace(*a->p)) {
        a->p++;
    } else if (fortran && *a->p == '!') {
        skip_to(a, "\n");
    } else if (fortran) {
        return false;
    } else if (*a->p == '#') {
        skip_directive(a);
    } else if (!strncmp(a->p, "//", 2)) {
        skip_to(a, "\n");
    } else if (!strncmp(a->p, "/*", 2)) {
        skip_to(a, "*/");
    } else {
        return false;
    }
    return true;
}

struct words *words_read(const char *path)
{
    g_autofree char *text = plain_text(path, 0, TEXT_MOST);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct word));
    struct at a = { text, text, 1 };
    struct words *w;

    if (!text)
        return NULL;
    w = g_new0(struct words, 1);
    w->fortran = g_regex_match_simple("\\.f(or|[0-9]+)?$", path, G_REGEX_CASELESS, 0);
    while (*a.p) {
        const char *begin = a.p;
        struct word word = { .line = a.line, .column = (int)(a.p - a.start) + 1 };

        if (skip_between(&a, w->fortran))
            continue;
        if (*a.p == '"' || *a.p == '\'')
            skip_string(&a);
        else
            skip_name(&a);
        if (a.p == begin)
            skip_operator(&a);
        word.text = g_strndup(begin, (gsize)(a.p - begin));
        g_array_append_val(all, word);
    }
    w->n = (int)all->len;
    w->v = (struct word *)g_array_free(g_steal_pointer(&all), FALSE);
    return w;
}

bool word_is(const struct words *w, int i, const char *text)
{
    if (i < 0 || i >= w->n)
        return false;
    return w->fortran ? !g_ascii_strcasecmp(w->v[i].text, text) : !strcmp(w->v[i].text, text);
}

bool word_is_name(const struct words *w, int i)
{
    return i >= 0 && i < w->n && (is_first(*w->v[i].text) || !strncmp(w->v[i].text, "::", 2));
}

int word_match(const struct words *w, int i)
{
    static const char open[] = "([{<", shut[] = ")]}>";
    const char *at = i < 0 || i >= w->n || w->v[i].text[1] ? NULL : strchr(open, *w->v[i].text);
    int step = at ? 1 : -1, depth = 0;
    char from, to;

    if (!at && (i < 0 || i >= w->n || w->v[i].text[1] || !strchr(shut, *w->v[i].text)))
        return -1;
    from = *w->v[i].text;
    to = at ? shut[at - open] : open[strchr(shut, from) - shut];
    for (; i >= 0 && i < w->n; i += step) {
        if (w->v[i].text[1])
            continue;
        depth += *w->v[i].text == from;
        depth -= *w->v[i].text == to;
        if (!depth)
            return i;
    }
    return -1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks of the heap: who asked, and for what.  Interface: allocation.h. */
#include "allocation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 32 /* calls that are looked at */

/* One frame of the program, at a call that led to the allocator. */
struct call_site {
    struct image *image;
    uint64_t at; /* the call's address in the file */
    int frame;
    const struct frame *f;
    const struct words *w; /* of its source */
    int call;              /* the word that is called, or `new`; -1: not found */
    int begin;             /* of the expression that the call is in */
};

/* --- types that the source names ---------------------------------------------------------- */

static uint64_t target(const struct call_site *s, uint64_t type)
{
    return image_target_type(s->image, type);
}

static bool type_is(const struct call_site *s, uint64_t type, const char *name)
{
    char text[64];

    image_type_name(s->image, type, text, sizeof(text));
    return !strcmp(text, name);
}

/* Does a pointer to @type tell nothing: `void *`, `char *`? */
static bool is_vague(const struct call_site *s, uint64_t type)
{
    return !type || type_is(s, type, "char") || type_is(s, type, "void");
}

/*
 * The type that the words from @from to before @to name, without const and the like.  @stars: the * behind it.
 * 0: they name none.
 */
static uint64_t named_type(const struct call_site *s, int from, int to, int *stars)
{
    g_autoptr(GString) name = g_string_new("");

    *stars = 0;
    for (int i = from; i < to; i++) {
        if (word_is(s->w, i, "const") || word_is(s->w, i, "volatile") ||
            word_is(s->w, i, "typename"))
            continue;
        if (word_is(s->w, i, "*"))
            ++*stars;
        else if (!*stars && (word_is_name(s->w, i) || strchr("<>,", *s->w->v[i].text)))
            g_string_append_printf(name, "%s%s", name->len && word_is_name(s->w, i) ? " " : "",
                                   s->w->v[i].text);
        else
            return 0;
    }
    return name->len ? image_named_type(s->image, s->at, name->str) : 0;
}

/* --- expressions ---------------------------------------------------------------------------- */

static uint64_t without_reference(const struct call_site *s, uint64_t type)
{
    return image_type_is_reference(s->image, type) ? target(s, type) : type;
}

/* Where the postfix expression that ends before @to begins with a name, "p" of "p->of[3].x"; -1. */
static int base_of(const struct call_site *s, int from, int to)
{
    int i = to - 1;

    while (i >= from) {
        if (word_is(s->w, i, "]"))
            i = word_match(s->w, i) - 1;
        else if (!word_is_name(s->w, i))
            return -1;
        else if (word_is(s->w, i - 1, "->") || word_is(s->w, i - 1, ".") ||
                 word_is(s->w, i - 1, "%"))
            i -= 2;
        else
            return i;
    }
    return -1;
}

/* In `T (*name)[N]`, name; else -1. */
static int name_in_brackets(const struct call_site *s, int from, int to)
{
    int i = to - 1;

    while (i >= from && word_is(s->w, i, "]"))
        i = word_match(s->w, i) - 1;
    if (i < from || !word_is(s->w, i, ")") || !word_is_name(s->w, i - 1) ||
        !word_is(s->w, i - 2, "*"))
        return -1;
    return i - 1;
}

/* The type of the expression of the words from @from to before @to; a declaration's is that of what it declares. */
static uint64_t type_of_expression(const struct call_site *s, int from, int to)
{
    int base = base_of(s, from, to), declared = name_in_brackets(s, from, to), line;
    int name = base < 0 ? declared : base;
    uint64_t type;

    if (name < 0)
        return 0;
    type = image_seen_type(s->image, s->at, s->frame, s->w->v[name].text, &line);
    type = without_reference(s, type);
    if (line >= s->w->v[from].line && line <= s->w->v[to - 1].line && name > from)
        return type; /* the * before it are the type's */
    if (base < 0)
        return 0;
    for (int i = base + 1; type && i < to; i++) {
        if (word_is(s->w, i, "[")) {
            type = target(s, type);
            i = word_match(s->w, i);
            if (i < 0)
                return 0;
        } else {
            if (word_is(s->w, i, "->"))
                type = target(s, type);
            type = image_member_type(s->image, type, s->w->v[++i].text);
        }
        type = without_reference(s, type);
    }
    for (int i = base - 1; type && i >= from && word_is(s->w, i, "*"); i--)
        type = target(s, type);
    return type;
}

/* --- the statement --------------------------------------------------------------------------- */

/* Is the ( at @i that of static_cast<T>(...)?  The word of the cast, else -1. */
static int cast_before(const struct words *w, int i)
{
    int open = word_is(w, i - 1, ">") ? word_match(w, i - 1) : -1;

    return open > 0 && g_str_has_suffix(w->v[open - 1].text, "_cast") ? open - 1 : -1;
}

/* The first word of the expression, declaration or `return` that the word @call is in. */
static int begin_of(const struct words *w, int call)
{
    int i = word_is(w, call, "]") ? call : call - 1; /* `new T[n]` is told of its last bracket */

    for (; i >= 0; i--) {
        if (word_is(w, i, ")") || word_is(w, i, "]")) {
            i = word_match(w, i);
        } else if (word_is(w, i, "(") && cast_before(w, i) >= 0) {
            i = cast_before(w, i);
        } else if (strchr("([;{},", *w->v[i].text)) {
            break;
        }
        if (i < 0)
            return 0;
    }
    return i + 1;
}

/* The word that the debug information's line and column mean; -1: there is none. */
static int word_at(const struct words *w, int line, int column)
{
    int low = 0, high = w->n, found = -1;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (w->v[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = low; i < w->n && w->v[i].line == line; i++) {
        if (column ? w->v[i].column <= column : found < 0 && word_is(w, i, "="))
            found = column ? i : i + 1;
    }
    return found;
}

/* `new` may be told of a word behind it. */
static int new_of(const struct call_site *s)
{
    for (int i = s->begin; i <= s->call; i++)
        if (word_is(s->w, i, "new"))
            return i;
    return s->call;
}

/* The last = of the expression before the call; -1: none. */
static int assignment(const struct call_site *s)
{
    for (int i = s->call - 1; i >= s->begin; i--) {
        if (word_is(s->w, i, ")") || word_is(s->w, i, "]"))
            i = word_match(s->w, i);
        else if (word_is(s->w, i, "="))
            return i;
        if (i < 0)
            break;
    }
    return -1;
}

static uint64_t type_of_cast(const struct call_site *s)
{
    int shut = s->call - 1, open, stars = 0, cast;
    uint64_t type;

    if (word_is(s->w, shut, "(") && (cast = cast_before(s->w, shut)) >= 0) {
        open = cast + 1;
        shut--;
    } else if (word_is(s->w, shut, ")")) {
        open = word_match(s->w, shut);
    } else {
        return 0;
    }
    type = open >= 0 ? named_type(s, open + 1, shut, &stars) : 0;
    return stars == 1 ? type : 0;
}

/* T of `new T[n]`, `new (place) T(x)`. */
static uint64_t type_of_new(const struct call_site *s)
{
    int from = s->call + 1, to, stars;
    uint64_t type;

    if (!word_is(s->w, s->call, "new"))
        return 0;
    if (word_is(s->w, from, "("))
        from = word_match(s->w, from) + 1;
    for (to = from; from && to < s->w->n; to++) {
        if (word_is(s->w, to, "<") && (to = word_match(s->w, to)) < 0)
            return 0;
        if (!word_is_name(s->w, to) && !strchr("*>", *s->w->v[to].text))
            break;
    }
    type = named_type(s, from, to, &stars);
    return stars ? 0 : type;
}

/* T of malloc(n * sizeof(T)), or of the variable whose size it is. */
static uint64_t type_of_size(const struct call_site *s)
{
    int end = word_is(s->w, s->call + 1, "(") ? word_match(s->w, s->call + 1) : -1;

    for (int i = s->call + 2; i < end; i++) {
        bool brackets = word_is(s->w, i + 1, "(");
        int from = i + 1 + brackets, to = brackets ? word_match(s->w, i + 1) : from, stars;
        uint64_t type;

        if (!word_is(s->w, i, "sizeof") || to < 0)
            continue;
        while (!brackets && to < end && !(to > from && word_is(s->w, to, "*")) &&
               (word_is(s->w, to, "*") || word_is_name(s->w, to) || word_is(s->w, to, "->") ||
                word_is(s->w, to, ".")))
            to++;
        if (to == from)
            return 0;
        type = named_type(s, from, to, &stars);
        if (type)
            return stars ? 0 : type;
        return type_of_expression(s, from, to);
    }
    return 0;
}

/* Of posix_memalign(&p, ...): what p points at. */
static uint64_t type_of_first_argument(const struct call_site *s)
{
    int from = s->call + 2, to;

    if (!g_str_has_suffix(s->w->v[s->call].text, "memalign") || !word_is(s->w, s->call + 1, "("))
        return 0;
    if (word_is(s->w, from, "("))
        from = word_match(s->w, from) + 1; /* a cast */
    if (!from || !word_is(s->w, from, "&"))
        return 0;
    for (to = ++from; to < s->w->n && !word_is(s->w, to, ","); to++)
        if (word_is(s->w, to, "[") && (to = word_match(s->w, to)) < 0)
            return 0;
    return target(s, type_of_expression(s, from, to));
}

/* Of Fortran's ALLOCATE(a(n)): the elements of a, if nothing else is allocated on that line. */
static uint64_t type_of_allocate(const struct call_site *s)
{
    for (int i = 0; i < s->w->n && s->w->v[i].line <= s->f->line; i++) {
        int end, to;

        if (s->w->v[i].line < s->f->line || !word_is(s->w, i, "allocate"))
            continue;
        end = word_match(s->w, i + 1);
        for (to = i + 2; to < end && !word_is(s->w, to, "("); to++)
            ;
        if (to >= end || word_match(s->w, to) != end - 1)
            return 0;
        return image_element_type(s->image, type_of_expression(s, i + 2, to));
    }
    return 0;
}

static uint64_t type_of_block(const struct call_site *s)
{
    int equals = assignment(s);
    uint64_t type = 0, weak;

    if (s->w->fortran)
        return type_of_allocate(s);
    if (equals > s->begin)
        type = target(s, type_of_expression(s, s->begin, equals));
    if (is_vague(s, type) && (weak = type_of_cast(s)))
        type = weak;
    if (is_vague(s, type) && (weak = type_of_new(s)))
        type = weak;
    if (is_vague(s, type) && (weak = type_of_first_argument(s)))
        type = weak;
    if (is_vague(s, type) && (weak = type_of_size(s)))
        type = weak;
    return image_element_type(s->image, type);
}

/* --- wrappers --------------------------------------------------------------------------------- */

/* Does the function that is declared at @line return the variable @name? */
static bool returns(const struct words *w, int line, const char *name)
{
    int i = 0, end;

    while (i < w->n && (w->v[i].line < line || !word_is(w, i, "{")))
        i++;
    end = word_match(w, i);
    for (; i < end; i++) {
        int at = i + 1;

        if (!word_is(w, i, "return"))
            continue;
        if (word_is(w, at, "(") && word_match(w, at) > 0 && word_is_name(w, word_match(w, at) + 1))
            at = word_match(w, at) + 1; /* a cast */
        if (word_is(w, at, name) && word_is(w, at + 1, ";"))
            return true;
    }
    return false;
}

/* Does the function return what this call did? */
static bool is_returned(const struct call_site *s, int line)
{
    int equals = assignment(s);

    if (word_is(s->w, s->begin, "return"))
        return true;
    return equals > s->begin && base_of(s, s->begin, equals) == equals - 1 &&
           returns(s->w, line, s->w->v[equals - 1].text);
}

/* "set<long>::set" */
static bool is_constructor(const char *function)
{
    const char *name = function, *end = NULL;
    int depth = 0;

    for (const char *c = function; *c; c++) {
        depth += (*c == '<') - (*c == '>');
        if (depth == 0 && c[0] == ':' && c[1] == ':') {
            name = end ? end + 2 : function;
            end = c;
        }
    }
    return end && !strncmp(name, end + 2, strlen(end + 2)) && strchr("<:", name[strlen(end + 2)]);
}

/* --- the frames of the call path ---------------------------------------------------------------- */

/* Look at frame @i of @c.  True: its function allocates for its caller. */
static bool look(const struct asked *q, const struct code *c, int i, struct allocation *a)
{
    struct call_site s = { c->of, c->at, i, &c->frame[i], NULL, -1, 0 };
    uint64_t returned, type = 0;
    bool passes = false;
    int line;

    if (!s.image)
        return false;
    returned = target(&s, image_returned_type(s.image, s.at, i, &line));
    s.w = q->words(q->r, s.image, s.f->file);
    s.call = s.w ? word_at(s.w, s.f->line, s.f->column) : -1;
    if (s.call >= 0) {
        s.begin = begin_of(s.w, s.call);
        s.call = new_of(&s);
        type = type_of_block(&s);
        passes = is_returned(&s, line);
        if (is_vague(&s, type) && passes)
            type = returned;
    }
    if (!a->type && !is_vague(&s, type)) {
        a->image = s.image;
        a->type = type;
    }
    if (s.f->function && (is_constructor(s.f->function) ||
                          g_strv_contains((const char *const *)q->wrappers, s.f->function)))
        return true;
    /* The result of `void *` has no type, or it would be no pointer. */
    return passes && is_vague(&s, returned);
}

/* What a function of a library returns, such as std::allocator<long>::allocate(). */
static void look_at_library(const struct code *c, int i, struct allocation *a)
{
    struct call_site s = { .image = c->of };
    uint64_t type;
    int line;

    if (!c->of || a->type)
        return;
    type = target(&s, image_returned_type(c->of, c->at, i, &line));
    if (is_vague(&s, type))
        return;
    a->image = c->of;
    a->type = type;
}

/*
 * The library that @c is of, if that asks in its own name: OpenMP's for its threads, C's for a file.  What C++'s asks for
 * is the program's.
 */
static const char *library_of(const struct code *c)
{
    const char *name = strrchr(c->image, '/');

    if (!name || c->frame[0].file || !strstr(name, ".so") || g_str_has_prefix(name, "/libstdc++."))
        return NULL;
    return name + 1;
}

static void put_frame(GString *path, const struct code *c, int i)
{
    const char *name = c->frame[i].function ? c->frame[i].function : c->function;
    g_autofree char *place = frame_place(c, i);

    g_string_append_printf(path, "%s%s (%s)", path->len ? " < " : "", name, place);
}

void allocation_find(const struct asked *q, const struct thread *who, const struct block *b,
                     struct allocation *a)
{
    const struct code *first = q->code(q->r, who, b->pc - 8);
    g_autoptr(GString) path = g_string_new("");
    uint64_t pc = b->pc, next = b->path;

    *a = (struct allocation){ .library = library_of(first) };
    for (int level = 0; level < DEEPEST; level++) {
        const struct code *c = q->code(q->r, who, pc - 8);
        const struct call *call;

        for (int i = 0; i < c->frames; i++) {
            bool own = c->frame[i].file && !q->is_library(q->r, c->frame[i].file);

            put_frame(path, c, i);
            if (a->code)
                continue;
            if (!own)
                look_at_library(c, i, a);
            else if (!look(q, c, i, a)) {
                a->code = c;
                a->frame = i;
            }
        }
        call = g_hash_table_lookup(q->call_by_path, GSIZE_TO_POINTER(next));
        if (!call)
            break;
        pc = call->pc;
        next = call->parent;
    }
    if (!a->code) {
        a->code = first;
        a->frame = first->own;
    }
    a->path = g_string_free(g_steal_pointer(&path), FALSE);
}

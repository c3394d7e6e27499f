// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that try a remedy, and placement files.  Interface: advice.h. */
#include "advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- placement files ------------------------------------------------------------------------ */

/*
 * A placement file works before main(): only variables of a program that is always at the same
 * address are there by then.
 */
static bool can_be_placed(const struct tally *t, int object)
{
    const struct object *o = object_at(t->r, object);

    return o->kind == OBJECT_STATIC && !o->kernel && image_is_fixed(o->image);
}

/* The objects whose pages are misplaced, by number.  g_free(). */
static bool *misplaced(const struct tally *t)
{
    bool *is = g_new0(bool, object_count(t->r) + 1);

    for (guint i = 0; i < t->problems->len; i++) {
        const struct problem *q = AT(t->problems, struct problem, i);

        is[q->object] |= q->kind == PROBLEM_PLACE;
    }
    return is;
}

static gint by_address(gconstpointer a, gconstpointer b)
{
    const struct page *x = *(struct page *const *)a, *y = *(struct page *const *)b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* The misplaced pages that can be placed, by address: of one process, the one with the most to save. */
static GPtrArray *placed_pages(const struct tally *t)
{
    g_autofree bool *is_problem = misplaced(t);
    GPtrArray *pages = g_ptr_array_new();
    uint64_t mm = UNKNOWN;

    for (guint i = 0; i < t->pages->len; i++) {
        struct page *g = t->pages->pdata[i];

        if (g->best == UNKNOWN || !is_problem[g->object] || !can_be_placed(t, g->object) ||
            (mm != UNKNOWN && g->mm != mm))
            continue;
        mm = g->mm;
        g_ptr_array_add(pages, g);
    }
    g_ptr_array_sort(pages, by_address);
    return pages;
}

/* The statement that makes the memories; @memory: their numbers by node. */
static void print_memories(const struct tally *t, const GPtrArray *pages, uint64_t *memory)
{
    g_autofree bool *used = g_new0(bool, t->p->nodes);
    uint64_t n = 0;

    for (guint i = 0; i < pages->len; i++) {
        const struct page *g = pages->pdata[i];

        n += !used[g->best];
        used[g->best] = true;
    }
    printf("memories %" PRIu64 " in topology physical near", n);
    n = 0;
    for (uint64_t node = 0; node < t->p->nodes; node++)
        if (used[node]) {
            memory[node] = n++;
            printf(" /hw/nodenum/%" PRIu64, node);
        }
    putchar('\n');
}

void report_placement(const struct tally *t)
{
    g_autoptr(GPtrArray) pages = placed_pages(t);
    g_autofree uint64_t *memory = g_new0(uint64_t, t->p->nodes);

    if (!pages->len) {
        printf("# no page of a variable is misplaced\n");
        return;
    }
    print_memories(t, pages, memory);
    for (guint i = 0; i < pages->len;) {
        const struct page *g = pages->pdata[i], *last = g;

        while (++i < pages->len) {
            const struct page *next = pages->pdata[i];

            if (next->best != g->best || next->address != last->address + t->p->page)
                break;
            last = next;
        }
        printf("place range 0x%" PRIx64 " to 0x%" PRIx64 " on memory %" PRIu64 "\n", g->address,
               last->address + t->p->page, memory[g->best]);
    }
}

/* --- commands --------------------------------------------------------------------------------- */

/* A word as the shell wants it; free it. */
static char *shell_word(const char *s)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "%+,-./:=@_";

    return *s && !s[strspn(s, plain)] ? g_strdup(s) : g_shell_quote(s);
}

/* The profile's directory without a / at its end. */
static char *directory(const struct tally *t)
{
    size_t n = strlen(t->p->dir);

    while (n > 1 && t->p->dir[n - 1] == '/')
        n--;
    return g_strndup(t->p->dir, n);
}

/* Run it again with @command instead of the profiled one. */
static char *again(const struct tally *t, const char *command)
{
    const char *options = profile_run(t->p, "options");
    g_autofree char *dir = directory(t), *next = g_strdup_printf("%s.next", dir);
    g_autofree char *word = shell_word(next);

    return g_strdup_printf("origin profile %s%s-o %s -- %s", options ? options : "",
                           options && *options ? " " : "", word, command);
}

static char *place_command(const struct tally *t, const struct problem *q, const char *words)
{
    const char *share = profile_run(t->p, "share");
    g_autofree char *dir = directory(t), *name = g_path_get_basename(dir);
    g_autofree char *file = g_strdup_printf("%s.place", name);
    g_autofree char *path = share ? g_build_filename(share, file, NULL) : NULL;
    g_autofree char *to = path ? shell_word(path) : NULL, *from = shell_word(dir);
    g_autofree char *guest_file = shell_word(file), *command = NULL, *run = NULL;

    if (!share || !can_be_placed(t, q->object))
        return NULL;
    command = g_strdup_printf("dplace -place %s %s", guest_file, words);
    run = again(t, command);
    return g_strdup_printf("origin report --placement %s >%s && %s", from, to, run);
}

/* A copy of a library that is read on the node that runs it. */
static char *copy_command(const struct tally *t, const struct problem *q, const char *words)
{
    const char *name = object_at(t->r, q->object)->name + strlen("code of ");
    g_autofree char *library = shell_word(name), *shell = NULL, *quoted = NULL, *command = NULL;

    if (!strstr(name, ".so"))
        return NULL;
    shell = g_strdup_printf("numactl --membind=%" PRIu64 " cp %s /tmp/ && LD_LIBRARY_PATH=/tmp %s",
                            q->best, library, words);
    quoted = shell_word(shell);
    command = g_strdup_printf("sh -c %s", quoted);
    return again(t, command);
}

char *advice_command(const struct tally *t, const struct problem *q)
{
    const char *words = profile_run(t->p, "words");
    g_autofree char *command = NULL;

    if (!words)
        return NULL;
    switch (q->kind) {
    case PROBLEM_PLACE:
        return place_command(t, q, words);
    case PROBLEM_FETCH:
        return q->best == UNKNOWN ? NULL : copy_command(t, q, words);
    case PROBLEM_MOVING:
        if (q->best == UNKNOWN)
            return NULL;
        command = g_strdup_printf("numactl --physcpubind=%" PRIu64 " %s", q->best, words);
        return again(t, command);
    default:
        return NULL;
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where watched functions begin, by file; see watch.h. */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "system/mp-time.h"
#include "target/mips/cpu.h"
#include "target/mips/r10k.h"
#include "heap.h"
#include "locks.h"
#include "maps.h"
#include "threads.h"
#include "watch.h"

#define USER_END (1ull << 62)

/* Who watches */
typedef struct Watcher {
    /* The number of its function of this name; -1: it has none. */
    int (*function)(const char *name);
    void (*enter)(CPUState *cs, uint32_t thread, uint64_t pc,
                  unsigned function);
    void (*leave)(CPUState *cs, uint32_t thread, uint64_t to);
} Watcher;

static const Watcher watchers[] = {
    { guest_heap_function, guest_heap_enter, guest_heap_leave },
    { guest_locks_function, guest_locks_enter, guest_locks_leave },
};

/* A watched function of a file */
typedef struct Watch {
    uint64_t offset;
    const Watcher *by;
    unsigned function;
} Watch;

static struct {
    GHashTable *files; /* path: GArray of Watch */
    struct {
        uint64_t pc;
        uint32_t space;
        const Watch *w;
    } seen[256]; /* what entered() has found lately */
} watched;

static bool find(const char *name, Watch *w)
{
    for (unsigned i = 0; i < ARRAY_SIZE(watchers); i++) {
        int function = watchers[i].function(name);

        if (function >= 0) {
            w->by = &watchers[i];
            w->function = function;
            return true;
        }
    }
    return false;
}

static bool watch(const char *line)
{
    g_auto(GStrv) word = g_strsplit(line, "\t", 3);
    Watch w;
    GArray *of;

    if (g_strv_length(word) != 3 ||
        qemu_strtou64(word[1], NULL, 0, &w.offset) || !find(word[2], &w)) {
        return false;
    }
    of = g_hash_table_lookup(watched.files, word[0]);
    if (!of) {
        of = g_array_new(false, false, sizeof(Watch));
        g_hash_table_insert(watched.files, g_strdup(word[0]), of);
    }
    g_array_append_val(of, w);
    return true;
}

void guest_watch_init(const char *file)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) gerr = NULL;
    g_auto(GStrv) line = NULL;

    watched.files = g_hash_table_new(g_str_hash, g_str_equal);
    if (!file) {
        return;
    }
    if (!g_file_get_contents(file, &text, NULL, &gerr)) {
        error_report("origin2000: profile-functions: %s", gerr->message);
        exit(1);
    }
    line = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; line[i]; i++) {
        if (*line[i] && *line[i] != '#' && !watch(line[i])) {
            error_report("origin2000: profile-functions: %s:%u: '%s' is not "
                         "PATH, OFFSET, and a function to watch",
                         file, i + 1, line[i]);
            exit(1);
        }
    }
}

/* The watched functions of the file that is mapped at pc; NULL: none. */
static const GArray *functions_at(const GuestMap *map, uint64_t pc,
                                  uint64_t *offset)
{
    if (!map) {
        return NULL;
    }
    *offset = pc - map->start + map->offset;
    return g_hash_table_lookup(watched.files, map->path);
}

static const Watch *at_offset(const GArray *of, uint64_t offset)
{
    for (unsigned i = 0; i < of->len; i++) {
        const Watch *w = &g_array_index(of, Watch, i);

        if (w->offset == offset) {
            return w;
        }
    }
    return NULL;
}

unsigned guest_watch_code(CPUState *cs, uint64_t pc)
{
    const GArray *of;
    const GuestMap *map;
    uint64_t offset;
    uint32_t n, thread;

    if (pc >= USER_END || !g_hash_table_size(watched.files)) {
        return 0;
    }
    thread = guest_thread(cs);
    map = guest_map_ahead(guest_threads(&n)[thread].space, pc);
    of = functions_at(map, pc, &offset);
    if (!of) {
        return 0;
    }
    return R10K_CODE_LEAVE | (at_offset(of, offset) ? R10K_CODE_ENTER : 0);
}

/* The watched function that begins at pc; NULL: none. */
static const Watch *entered(uint32_t space, uint64_t pc)
{
    typeof(&watched.seen[0]) e =
        &watched.seen[(pc >> 2 ^ space) % ARRAY_SIZE(watched.seen)];
    const GArray *of;
    uint64_t offset;

    if (e->pc != pc || e->space != space) {
        of = functions_at(guest_map(space, pc), pc, &offset);
        e->pc = pc;
        e->space = space;
        e->w = of ? at_offset(of, offset) : NULL;
    }
    return e->w;
}

void guest_watch_enter(CPUState *cs, uint64_t pc)
{
    uint32_t n, thread = guest_thread(cs);
    uint32_t space = guest_threads(&n)[thread].space;
    const Watch *w;

    mp_time_in_turn();
    w = space ? entered(space, pc) : NULL;
    if (w) {
        w->by->enter(cs, thread, pc, w->function);
    }
}

void guest_watch_leave(CPUState *cs, uint64_t to)
{
    uint32_t thread = guest_thread_quick(cs);

    for (unsigned i = 0; thread && i < ARRAY_SIZE(watchers); i++) {
        watchers[i].leave(cs, thread, to);
    }
}

void guest_watch_rest(void)
{
    memset(watched.seen, 0, sizeof(watched.seen));
}

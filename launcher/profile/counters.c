// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What snrun counted, beside what the profile of the same run has.  Interface: counters.h.
 *
 * A thread's R10000 events begin to count when the wrapper of snrun starts them.  The profile knows how
 * many transactions the thread had before (threads.csv), so the rest is the same in both.  This holds in
 * user mode only: in the kernel, a thread's counters begin and end somewhere in the scheduler.
 */
#include "counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace.h"

#define COLUMNS SNT_MAX_COLS

/* Counters of snrun that a profile has, too, and their columns in threads.csv */
static const char *const metrics[] = { "rsmisss", "rsimiss", "rstshrd" };

enum { DATA, CODE, UPGRADES, OTHER };

/* The thread of a trace file, and its counters at the end. */
struct counted {
    const char *file;
    char *name, *column[COLUMNS];
    uint64_t pid, tid, begun; /* begun: ns */
    uint64_t value[COLUMNS];
    unsigned n;
    bool user, range, estimate;
    bool ended; /* by itself; else another image followed, or the trace is cut off */
};

static void take_object(struct counted *c, const struct snt_record *r)
{
    c->name = g_strdup(r->u.object.name);
    c->pid = (uint64_t)r->u.object.number;
    c->tid = (uint64_t)r->u.object.tid;
    c->n = r->u.object.ncols;
    for (unsigned i = 0; i < c->n; i++)
        c->column[i] = g_strdup(snt_col_at(r, i));
}

static void take_record(struct counted *c, const struct snt_reader *in, const struct snt_record *r)
{
    switch (r->type) {
    case SNT_SYSTEM:
        c->user = !g_strcmp0(snt_system_get(r, "mode"), "user");
        c->range = snt_system_get(r, "range") != NULL;
        break;
    case SNT_OBJECT:
        if (r->u.object.kind == SNT_THREAD && !c->name)
            take_object(c, r);
        break;
    case SNT_EVENT:
        if (r->u.event.what == SNT_START)
            c->begun = r->u.event.time;
        c->ended |= r->u.event.what == SNT_EXIT;
        break;
    case SNT_SAMPLE:
        for (unsigned i = 0; i < r->u.sample.n && i < c->n; i++)
            c->value[i] = snt_value_at(in, r, i);
        c->estimate |= (r->u.sample.flags & SNT_ESTIMATE) != 0;
        break;
    }
}

static bool refuse(const char *file, const char *why)
{
    fprintf(stderr, "origin: %s: %s\n", file, why);
    return false;
}

static bool read_trace(struct counted *c, const char *file)
{
    g_autofree struct snt_reader *in = g_new0(struct snt_reader, 1);
    g_autoptr(GError) error = NULL;
    g_autofree char *bytes = NULL;
    struct snt_record r;
    gsize size;
    int status;

    memset(c, 0, sizeof(*c));
    c->file = file;
    if (!g_file_get_contents(file, &bytes, &size, &error))
        return refuse(file, error->message);
    status = snt_open(in, bytes, size);
    if (status < 0)
        return refuse(file, snt_strerror(status));
    while (snt_next(in, &r) > 0)
        take_record(c, in, &r);
    if (!c->name)
        return refuse(file,
                      "no thread is in this trace; those of the threads of snrun end in .snp.*");
    return true;
}

/* The row of threads.csv: the image that the thread ran when its counters began. */
static const struct thread *find_thread(const struct profile *p, const struct counted *c)
{
    for (guint i = 0; i < p->threads->len; i++) {
        const struct thread *w = AT(p->threads, struct thread, i);

        if (w->pid == c->pid && w->tid == c->tid && w->counted_ns == c->begun)
            return w;
    }
    return NULL;
}

/* Transactions in user mode of each thread in threads.csv, by kind; UNKNOWN: of some the mode is not known. */
static uint64_t (*count_all(const struct profile *p))[OTHER]
{
    const struct thread *first = AT(p->threads, struct thread, 0);
    uint64_t(*n)[OTHER] = g_malloc0_n(p->threads->len, sizeof(*n));

    for (guint i = 0; i < p->misses->len; i++) {
        const struct miss *m = AT(p->misses, struct miss, i);
        bool upgrade = m->cause == CAUSE_UPGRADE || m->cause == CAUSE_UPGRADE_LOST;
        int kind = upgrade ? UPGRADES : !strcmp(m->kind, "fetch") ? CODE : DATA;
        uint64_t *sum = m->who ? &n[m->who - first][kind] : NULL;

        if (!sum || *sum == UNKNOWN || (m->pc != UNKNOWN && is_kernel(m->pc)))
            continue;
        *sum = m->pc == UNKNOWN ? UNKNOWN : *sum + m->count;
    }
    return n;
}

struct notes {
    bool kernel, range, followed, estimate, merged, turn;
    GString *others;
};

/* The profile's number, of @all in user mode, or why there is none. */
static uint64_t profile_number(const struct counted *c, const struct thread *w, uint64_t all,
                               int what, struct notes *notes)
{
    notes->kernel |= !c->user;
    notes->range |= c->range;
    notes->followed |= !c->ended;
    if (!c->user || c->range || !c->ended)
        return UNKNOWN;
    notes->merged |= all == UNKNOWN;
    return all == UNKNOWN ? UNKNOWN : all - w->before[what];
}

static void print_thread(const struct counted *c, const struct thread *w, const uint64_t all[OTHER],
                         struct notes *notes)
{
    for (unsigned i = 0; i < c->n; i++) {
        int what = DATA;
        uint64_t n;

        while (what < OTHER && strcmp(c->column[i], metrics[what]))
            what++;
        if (what == OTHER) {
            bool place = !strcmp(c->column[i], "pc") || !strcmp(c->column[i], "cpuid");

            if (!place && !strstr(notes->others->str, c->column[i]))
                g_string_append_printf(notes->others, " %s", c->column[i]);
            continue;
        }
        n = profile_number(c, w, all[what], what, notes);
        notes->estimate |= c->estimate;
        if (c->value[i] == SNT_UNKNOWN)
            printf("%11s  ", "-");
        else
            printf("%11" PRIu64 "%s ", c->value[i], c->estimate ? "~" : " ");
        notes->turn |= c->value[i] == SNT_UNKNOWN;
        if (n == UNKNOWN)
            printf("%11s", "-");
        else
            printf("%11" PRIu64, n);
        printf("  %-8s %s\n", c->column[i], c->name);
    }
}

static void print_notes(const struct notes *notes)
{
    if (notes->kernel)
        puts("  -: snrun counted the kernel, too, in which the two do not begin at the same time: "
             "snrun -u");
    if (notes->range)
        puts("  -: snrun counted a range only");
    if (notes->followed)
        puts("  -: another image followed, and snrun counted how it began, too");
    if (notes->merged)
        puts("  -: instructions were merged, so the profile does not know which were in user mode: "
             "raise --rows");
    if (notes->turn)
        puts("  -: events took turns, and the thread ended before the first turn of this one");
    if (notes->estimate)
        puts("  ~: an estimate, because events took turns");
    if (notes->others->len)
        printf("Counters of snrun that a profile does not have:%s\n", notes->others->str);
}

bool report_counters(const struct profile *p, char **files, int n)
{
    g_autofree struct counted *all = g_new0(struct counted, n);
    g_autofree const struct thread **of = g_new0(const struct thread *, n);
    struct notes notes = { .others = g_string_new("") };
    uint64_t(*sums)[OTHER];

    for (int i = 0; i < n; i++) {
        if (!read_trace(&all[i], files[i]))
            return false;
        of[i] = find_thread(p, &all[i]);
        if (!of[i])
            return refuse(files[i], "its thread is not in the profile: a trace of another run");
    }
    printf("\nCOUNTERS of snrun and the same of the profile, in user mode since snrun began to "
           "count\n%11s  %11s  %-8s %s\n",
           "SNRUN", "PROFILE", "METRIC", "THREAD");
    sums = count_all(p);
    for (int i = 0; i < n; i++)
        print_thread(&all[i], of[i], sums[of[i] - AT(p->threads, struct thread, 0)], &notes);
    g_free(sums);
    print_notes(&notes);
    g_string_free(notes.others, TRUE);
    return true;
}

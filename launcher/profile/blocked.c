// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of what threads wait for.  Interface: blocked.h. */
#include "blocked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "table.h"

/* The first line is about waits that take so much of the threads' time. */
#define MUCH 0.25

#define BAR 40

/* In the name of a block that OpenMP's library allocated for itself: what threads wait for there, it made */
#define OPENMP " by libgomp.so"

/* --- names --------------------------------------------------------------------------- */

/* What a wait is for, as text; free it.  @locks: by its misses a lock of the kernel has a name, too; NULL: it has none. */
static char *name_of(const struct tally *t, const struct kernel_time *locks, const struct wait *w)
{
    static const char *const files[WAITS] = {
        [WAIT_PIPE] = " of a pipe",
        [WAIT_SOCKET] = " of a socket",
        [WAIT_DEVICE] = " of a device",
        [WAIT_FILE] = " of a file",
    };
    bool number = g_ascii_isdigit(*w->call);

    if (w->lock) {
        int lock = locks ? kernel_time_lock(locks, w->lock) : -1;
        g_autofree char *object = lock >= 0 ? object_text(object_at(t->r, lock)) : NULL;

        return g_strdup_printf("a lock of the kernel in %s()%s%s", w->lock,
                               object ? ", probably " : "", object ? object : "");
    }
    if (w->what == WAIT_JOIN)
        return g_strdup("the end of a thread");
    if (w->what == WAIT_PAGE_FAULT || w->object >= 0) {
        g_autofree char *object =
            w->object >= 0 ? object_text(object_at(t->r, w->object)) : g_strdup("?");

        if (w->what == WAIT_PAGE_FAULT)
            return g_strdup_printf("a page of %s", object);
        return strstr(object, OPENMP) ? g_strdup_printf("a barrier or lock of OpenMP, %s", object)
                                      : g_steal_pointer(&object);
    }
    if (strcmp(w->call, "-"))
        return g_strdup_printf("%s%s()%s", number ? "system call " : "", w->call,
                               files[w->what] ? files[w->what] : "");
    return g_strdup(wait_meaning[w->what]);
}

/* --- sums ---------------------------------------------------------------------------- */

struct sums {
    const struct tally *t;
    GHashTable *life;  /* thread -> index + 1 */
    GHashTable *cause; /* name -> index + 1 */
    GPtrArray *places; /* by cause: code as text -> ticks */
    GPtrArray *who;    /* by cause: threads that waited, as a set */
    GPtrArray *by;     /* by cause: thread -> how often it ended a wait */
    struct blocked *b;
};

static struct life *life_of(struct sums *s, const struct thread *who)
{
    guint i = GPOINTER_TO_UINT(g_hash_table_lookup(s->life, GSIZE_TO_POINTER(who->thread)));
    struct life new = { .who = who };

    if (!i) {
        g_array_append_val(s->b->lives, new);
        i = s->b->lives->len;
        g_hash_table_insert(s->life, GSIZE_TO_POINTER(who->thread), GUINT_TO_POINTER(i));
    }
    return AT(s->b->lives, struct life, i - 1);
}

static guint cause_of(struct sums *s, const struct wait *w)
{
    char *name = name_of(s->t, s->b->locks, w);
    guint i = GPOINTER_TO_UINT(g_hash_table_lookup(s->cause, name));
    struct cause_of_wait new = {
        .name = name, .kernel = w->lock, .what = w->what, .object = w->object, .code = -1
    };

    if (i) {
        g_free(name);
        return i - 1;
    }
    g_array_append_val(s->b->causes, new);
    g_ptr_array_add(s->places, g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free));
    g_ptr_array_add(s->who, g_hash_table_new(number_hash, NULL));
    g_ptr_array_add(s->by, g_hash_table_new_full(number_hash, NULL, NULL, g_free));
    i = s->b->causes->len;
    g_hash_table_insert(s->cause, name, GUINT_TO_POINTER(i));
    return i - 1;
}

/* Adds to the number of a key; returns the sum. */
static uint64_t add_to(GHashTable *sums, gpointer key, uint64_t n)
{
    uint64_t *sum = g_hash_table_lookup(sums, key);

    if (!sum)
        g_hash_table_insert(sums, key, sum = g_new0(uint64_t, 1));
    return *sum += n;
}

static void add_place(struct sums *s, guint i, const struct wait *w, uint64_t *most)
{
    char *key;
    uint64_t sum;
    bool known;

    if (w->code < 0)
        return;
    key = code_place(code_at(s->t->r, w->code));
    known = g_hash_table_contains(s->places->pdata[i], key); /* else the table keeps the key */
    sum = add_to(s->places->pdata[i], key, w->ticks);
    if (known)
        g_free(key);
    if (sum >= most[0]) {
        most[0] = sum;
        AT(s->b->causes, struct cause_of_wait, i)->code = w->code;
    }
}

static void add_waker(struct sums *s, guint i, const struct wait *w)
{
    struct cause_of_wait *c = AT(s->b->causes, struct cause_of_wait, i);
    uint64_t n;

    if (w->interrupt)
        c->irqs += w->count;
    if (!w->by)
        return;
    n = add_to(s->by->pdata[i], GSIZE_TO_POINTER(w->by->thread), w->count);
    c->wakers = g_hash_table_size(s->by->pdata[i]);
    c->woken += (guint)MIN(w->count, G_MAXUINT);
    if (n > c->by_count) {
        c->by_count = n;
        c->by = w->by;
    }
}

static bool is_end(enum awaited what)
{
    return what == WAIT_JOIN || what == WAIT_CHILD;
}

static void add_wait(struct sums *s, const struct wait *w, GArray *most)
{
    struct life *l = life_of(s, w->who);
    struct cause_of_wait *c;
    guint i;

    l->all += w->ticks;
    l->state[w->state] += w->ticks;
    if (w->state != STATE_BLOCKED || !is_end(w->what))
        s->b->time += w->ticks;
    if (w->state == STATE_BLOCKED)
        l->blocked[w->what] += w->ticks;
    else if (w->state != STATE_READY || w->what == WAIT_NEW || w->what == WAIT_PREEMPTED ||
             w->what == WAIT_YIELD)
        return;
    i = cause_of(s, w);
    c = AT(s->b->causes, struct cause_of_wait, i);
    if (w->state == STATE_READY) {
        c->ready += w->ticks;
        return;
    }
    c->count += w->count;
    c->ticks += w->ticks;
    if (g_hash_table_add(s->who->pdata[i], GSIZE_TO_POINTER(w->who->thread)))
        c->threads++;
    g_array_set_size(most, s->b->causes->len);
    add_place(s, i, w, AT(most, uint64_t, i));
    add_waker(s, i, w);
}

static gint by_life(gconstpointer a, gconstpointer b)
{
    const struct life *x = a, *y = b;

    if (x->all != y->all)
        return x->all < y->all ? 1 : -1;
    return x->who->thread < y->who->thread ? -1 : x->who->thread > y->who->thread;
}

static gint by_ticks(gconstpointer a, gconstpointer b)
{
    const struct cause_of_wait *x = a, *y = b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Of a profile that does not say, interrupts are the kernel's. */
static enum state mode_of(const struct stall *w)
{
    return w->mode != STATES ? w->mode : is_kernel(w->pc) ? STATE_KERNEL : STATE_USER;
}

/* What threads waited for memory is part of the time that they ran. */
static void add_stalls(struct sums *s)
{
    for (guint i = 0; i < s->t->p->stalls->len; i++) {
        const struct stall *w = AT(s->t->p->stalls, struct stall, i);
        guint known =
            w->who && w->code >= 0
                ? GPOINTER_TO_UINT(g_hash_table_lookup(s->life, GSIZE_TO_POINTER(w->who->thread)))
                : 0;

        if (known)
            AT(s->b->lives, struct life, known - 1)->stalled[mode_of(w)] += w->ticks;
    }
}

struct blocked *blocked_sum(const struct tally *t)
{
    struct sums s = { .t = t };
    g_autoptr(GArray) most = g_array_new(FALSE, TRUE, sizeof(uint64_t));

    if (!t->p->lives)
        return NULL;
    s.life = g_hash_table_new(number_hash, NULL);
    s.cause = g_hash_table_new(text_hash, g_str_equal);
    s.places = g_ptr_array_new();
    s.who = g_ptr_array_new();
    s.by = g_ptr_array_new();
    s.b = g_new0(struct blocked, 1);
    s.b->locks = kernel_time_sum(t);
    s.b->lives = g_array_new(FALSE, FALSE, sizeof(struct life));
    s.b->causes = g_array_new(FALSE, FALSE, sizeof(struct cause_of_wait));
    for (guint i = 0; i < t->p->waits->len; i++)
        add_wait(&s, AT(t->p->waits, struct wait, i), most);
    add_stalls(&s);
    for (guint i = 0; i < s.places->len; i++) {
        g_hash_table_destroy(s.places->pdata[i]);
        g_hash_table_destroy(s.who->pdata[i]);
        g_hash_table_destroy(s.by->pdata[i]);
    }
    g_ptr_array_free(s.places, TRUE);
    g_ptr_array_free(s.who, TRUE);
    g_ptr_array_free(s.by, TRUE);
    g_hash_table_destroy(s.life);
    g_hash_table_destroy(s.cause);
    g_array_sort(s.b->lives, by_life);
    g_array_sort(s.b->causes, by_ticks);
    return s.b;
}

void blocked_free(struct blocked *b)
{
    if (!b)
        return;
    for (guint i = 0; i < b->causes->len; i++)
        g_free(AT(b->causes, struct cause_of_wait, i)->name);
    g_array_free(b->lives, TRUE);
    g_array_free(b->causes, TRUE);
    kernel_time_free(b->locks);
    g_free(b);
}

/* --- text ---------------------------------------------------------------------------- */

static double percent(uint64_t part, uint64_t of)
{
    return of ? 100 * (double)part / (double)of : 0;
}

char *blocked_headline(const struct tally *t, const struct blocked *b)
{
    const struct cause_of_wait *c = NULL;
    const struct problem *q = tally_first(t);
    const struct code *code;
    g_autofree char *spot = NULL;
    uint64_t more = q ? q->cost : 0;
    char *locks;

    for (guint i = 0; i < b->causes->len && !c; i++) {
        const struct cause_of_wait *w = AT(b->causes, struct cause_of_wait, i);

        /* Nobody's end; and who asks for the kernel's objects does not ask what the program waits for. */
        if (!is_end(w->what) && (w->kernel || !t->p->kernel))
            c = w;
    }
    locks = kernel_time_headline(t, b->locks, b->time, MAX(more, c ? c->ticks : 0));
    if (locks)
        return locks;
    if (!c || !c->ticks || (double)c->ticks < MUCH * (double)b->time || more > c->ticks)
        return NULL;
    code = c->code >= 0 ? code_at(t->r, c->code) : NULL;
    spot = code ? code_spot(code) : g_strdup("-");
    return g_strdup_printf(
        "%s: %u thread%s blocked for %.1f us, %.0f %% of all threads' time, most of it at "
        "%s",
        c->name, c->threads, c->threads == 1 ? " is" : "s are", tally_us(t, c->ticks),
        percent(c->ticks, b->time), spot);
}

/*
 * All of a life in BAR characters: computing, waiting for memory, the kernel, interrupts, ready, blocked.  Each part
 * ends where its share of the life ends, so that what is too short for a character shows as none.
 */
static void put_bar(const struct life *l)
{
    uint64_t stalled = MIN(l->stalled[STATE_USER], l->state[STATE_USER]);
    const uint64_t part[] = { l->state[STATE_USER] - stalled, stalled,
                              l->state[STATE_KERNEL],         l->state[STATE_INTERRUPT],
                              l->state[STATE_READY],          l->state[STATE_BLOCKED] };
    const char sign[] = "#mki-.";
    double sum = 0;
    int at = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(part); i++) {
        int end;

        sum += (double)part[i];
        end = l->all ? (int)(BAR * sum / (double)l->all + 0.5) : 0;
        for (; at < end && at < BAR; at++)
            putchar(sign[i]);
    }
    for (; at < BAR; at++)
        putchar(' ');
}

static void put_life(const struct tally *t, const struct life *l, const char *name)
{
    uint64_t stalled = 0;

    for (int s = 0; s <= STATE_INTERRUPT; s++)
        stalled += l->stalled[s];
    printf("%11.1f", tally_us(t, l->all));
    for (int s = 0; s <= STATE_BLOCKED; s++)
        printf(" %11.1f", tally_us(t, l->state[s]));
    printf(" %11.1f  ", tally_us(t, stalled));
    put_bar(l);
    printf("  %s", name);
    for (int w = 0; w < WAITS; w++)
        if (tally_us(t, l->blocked[w]) >= 0.05)
            printf(" %s=%.1f", wait_name[w], tally_us(t, l->blocked[w]));
    putchar('\n');
}

static void threads(const struct tally *t, const struct blocked *b, int top)
{
    struct life all = { 0 };

    printf("\nTHREADS, from begin to end in us; of the time that they ran, MEMORY is what they "
           "waited for it\n"
           "%11s %11s %11s %11s %11s %11s %11s  %-*s  %s\n",
           "LIFE", "USER", "KERNEL", "INTERRUPT", "READY", "BLOCKED", "MEMORY", BAR,
           "#user mem kernel int -ready .blocked", "THREAD  BLOCKED=us...");
    for (guint i = 0; i < b->lives->len; i++) {
        const struct life *l = AT(b->lives, struct life, i);
        g_autofree char *name = g_strdup_printf("%" PRIu64 " %s", l->who->tid, l->who->comm);

        all.all += l->all;
        for (int s = 0; s < STATES; s++)
            all.state[s] += l->state[s];
        for (int w = 0; w < WAITS; w++)
            all.blocked[w] += l->blocked[w];
        for (int s = 0; s <= STATE_INTERRUPT; s++)
            all.stalled[s] += l->stalled[s];
        if ((int)i < top)
            put_life(t, l, name);
    }
    put_life(t, &all, "all");
}

static void causes(const struct tally *t, const struct blocked *b, int top)
{
    printf("\nBLOCKED, by what threads wait for; READY is how long they then wait for a processor\n"
           "%11s %11s %8s %7s  %s\n",
           "BLOCKED us", "READY us", "TIMES", "THREADS", "WHAT");
    for (guint i = 0; i < b->causes->len && (int)i < top; i++) {
        const struct cause_of_wait *c = AT(b->causes, struct cause_of_wait, i);
        const struct code *code = c->code >= 0 ? code_at(t->r, c->code) : NULL;
        g_autofree char *spot = code ? code_spot(code) : g_strdup("-");

        printf("%11.1f %11.1f %8" PRIu64 " %7u  %s: %s; at %s\n", tally_us(t, c->ticks),
               tally_us(t, c->ready), c->count, c->threads, c->name, wait_name[c->what], spot);
        if (c->by || c->irqs)
            printf("%42swoken by", "");
        if (c->by && c->wakers == 1)
            printf(" %" PRIu64 " %s %" PRIu64 " times%s", c->by->tid, c->by->comm, c->by_count,
                   c->irqs ? ";" : "");
        else if (c->by)
            printf(" %u thread%s %u times, most often by %" PRIu64 " %s, %" PRIu64 " times%s",
                   c->wakers, c->wakers == 1 ? "" : "s", c->woken, c->by->tid, c->by->comm,
                   c->by_count, c->irqs ? ";" : "");
        if (c->irqs)
            printf(" interrupts %" PRIu64 " times", c->irqs);
        if (c->by || c->irqs)
            putchar('\n');
    }
}

void report_blocked(const struct tally *t, const struct blocked *b, int top)
{
    threads(t, b, top);
    causes(t, b, top);
}

/* --- for a page -------------------------------------------------------------------------- */

#define PAGE_ROWS 1000u

/* Parts of a life that do not overlap, and so add up to it.  First two for each state in which it runs. */
enum part_of_life {
    COMPUTING,
    MEMORY,
    IN_KERNEL,
    KERNEL_MEMORY,
    INTERRUPTS,
    INTERRUPT_MEMORY,
    READY,
    PARTS_OF_LIFE
};

static const struct {
    const char *name, *meaning;
} parts_of_life[PARTS_OF_LIFE] = {
    [COMPUTING] = { "computing", "in user mode" },
    [MEMORY] = { "memory", "in user mode, waiting for caches and memory" },
    [IN_KERNEL] = { "kernel", "in the kernel" },
    [KERNEL_MEMORY] = { "kernel_memory", "in the kernel, waiting for caches and memory" },
    [INTERRUPTS] = { "interrupt", "its processor handles an interrupt" },
    [INTERRUPT_MEMORY] = { "interrupt_memory", "the same, waiting for caches and memory" },
    [READY] = { "ready", "another thread has its processor" },
};

static void divide(const struct life *l, uint64_t part[PARTS_OF_LIFE])
{
    for (int s = STATE_USER; s <= STATE_INTERRUPT; s++) {
        uint64_t waited = MIN(l->stalled[s], l->state[s]);

        part[COMPUTING + 2 * s] = l->state[s] - waited;
        part[MEMORY + 2 * s] = waited;
    }
    part[READY] = l->state[STATE_READY];
}

static void page_lives(const struct tally *t, const struct blocked *b)
{
    bool used[WAITS] = { false };

    for (guint i = 0; i < b->lives->len; i++)
        for (int w = 0; w < WAITS; w++)
            used[w] |= AT(b->lives, struct life, i)->blocked[w] > 0;
    rows_begin("lives");
    rows_column("thread", "", "of the command");
    rows_column("life", "us", "from begin to end");
    for (int p = 0; p < PARTS_OF_LIFE; p++)
        rows_column(parts_of_life[p].name, "us", parts_of_life[p].meaning);
    for (int w = 0; w < WAITS; w++)
        if (used[w])
            rows_column(wait_name[w], "us", wait_meaning[w]);
    for (guint i = 0; i < b->lives->len && rows_room(i, PAGE_ROWS); i++) {
        const struct life *l = AT(b->lives, struct life, i);
        g_autofree char *name = g_strdup_printf("%" PRIu64 " %s", l->who->tid, l->who->comm);
        uint64_t part[PARTS_OF_LIFE];

        divide(l, part);
        rows_next();
        cell_text(name);
        cell_us(tally_us(t, l->all));
        for (int p = 0; p < PARTS_OF_LIFE; p++)
            cell_us(tally_us(t, part[p]));
        for (int w = 0; w < WAITS; w++)
            if (used[w])
                cell_us(tally_us(t, l->blocked[w]));
    }
    rows_end();
}

static void page_causes(const struct tally *t, const struct blocked *b)
{
    rows_begin("blocked");
    rows_column("for", "", "what threads waited for");
    rows_column("what", "", "its sort");
    rows_column("at", "", "the program's line with the longest waits");
    rows_column("function", "", "that this line is in");
    rows_column("by", "", "who ended most waits");
    rows_column("by_count", "waits", "that it ended");
    rows_column("count", "waits", "all of them");
    rows_column("threads", "threads", "that waited");
    rows_column("blocked", "us", "that they waited");
    rows_column("ready", "us", "until they ran again");
    for (guint i = 0; i < b->causes->len && rows_room(i, PAGE_ROWS); i++) {
        const struct cause_of_wait *c = AT(b->causes, struct cause_of_wait, i);
        const struct code *code = c->code >= 0 ? code_at(t->r, c->code) : NULL;
        g_autofree char *place = code ? code_place(code) : NULL;
        bool thread = c->by && c->by_count >= c->irqs;
        g_autofree char *by =
            thread ? g_strdup_printf("%" PRIu64 " %s", c->by->tid, c->by->comm) : NULL;

        rows_next();
        cell_text(c->name);
        cell_text(wait_name[c->what]);
        cell_text(place);
        cell_text(code ? code_function(code) : NULL);
        cell_text(by ? by : c->irqs ? "interrupts" : NULL);
        cell_number(thread ? c->by_count : c->irqs);
        cell_number(c->count);
        cell_number(c->threads);
        cell_us(tally_us(t, c->ticks));
        cell_us(tally_us(t, c->ready));
    }
    rows_end();
}

void page_blocked(const struct tally *t, const struct blocked *b)
{
    page_lives(t, b);
    page_causes(t, b);
}

/* --- CSV ------------------------------------------------------------------------------- */

static void field(const char *text)
{
    putchar(',');
    table_put(text && *text ? text : "-");
}

void blocked_csv(const struct tally *t)
{
    puts("origin_blocked_1,pid,tid,comm,state,what,call,object,object_where,place,function,file,"
         "line,by,region,cpu,"
         "count,ns");
    for (guint i = 0; i < t->p->waits->len; i++) {
        const struct wait *w = AT(t->p->waits, struct wait, i);
        const struct object *o = w->object >= 0 ? object_at(t->r, w->object) : NULL;
        const struct code *c = w->code >= 0 ? code_at(t->r, w->code) : NULL;
        g_autofree char *lock = w->lock ? name_of(t, NULL, w) : NULL;

        printf("%u,%" PRIu64 ",%" PRIu64, i, w->who->pid, w->who->tid);
        field(w->who->comm);
        field(state_name[w->state]);
        field(wait_name[w->what]);
        field(w->call);
        field(lock ? lock : o ? o->name : NULL);
        field(o ? o->where : NULL);
        field(w->place);
        field(c ? c->function : NULL);
        field(c ? c->file : NULL);
        if (c && c->file)
            printf(",%d", c->line);
        else
            fputs(",-", stdout);
        if (w->by)
            printf(",%" PRIu64, w->by->tid);
        else
            fputs(w->interrupt ? ",interrupt" : ",-", stdout);
        printf(",%" PRIu64, w->region);
        if (w->cpu == UNKNOWN)
            fputs(",-", stdout);
        else
            printf(",%" PRIu64, w->cpu);
        printf(",%" PRIu64 ",%.3f\n", w->count, tally_us(t, w->ticks) * 1e3);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines that were followed (docs/follow.md), as text and as tables of a page.  Interface: follow.h. */
#include "follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

#define MAX_PAGE_EVENTS 20000u

#define COLUMN_NAME(name, type, meaning) #name,
static const char *const line_columns[] = { SN_PROFILE_COLUMNS_FOLLOWED(COLUMN_NAME) };
static const char *const event_columns[] = { SN_PROFILE_COLUMNS_FOLLOW(COLUMN_NAME) };
#undef COLUMN_NAME
#define LINE_NUMBER(name, type, meaning)  LINE_##name,
#define EVENT_NUMBER(name, type, meaning) EVENT_##name,
enum { SN_PROFILE_COLUMNS_FOLLOWED(LINE_NUMBER) };
enum { SN_PROFILE_COLUMNS_FOLLOW(EVENT_NUMBER) };

/* An access: who it was, and of what. */
struct access {
    const struct thread *who;
    char *code, *function, *what; /* source line, its function, data member */
};

static void access_free(struct access *a)
{
    g_free(a->code);
    g_free(a->function);
    g_free(a->what);
}

static uint64_t known(uint64_t v)
{
    return v == UNKNOWN ? 0 : v;
}

static struct access access_of(const struct tally *t, const struct table *e)
{
    const struct profile *p = t->p;
    struct miss m = {
        .kind = g_intern_string(table_text(e, EVENT_name)),
        .cpu = table_number(e, EVENT_cpu),
        .pc = table_number(e, EVENT_pc),
        .path = known(table_number(e, EVENT_path)),
        .address = table_number(e, EVENT_address),
        .bytes = 1,
        .who = g_hash_table_lookup(p->thread_by_number,
                                   GSIZE_TO_POINTER(table_number(e, EVENT_thread))),
        .block = g_hash_table_lookup(p->block_by_number,
                                     GSIZE_TO_POINTER(known(table_number(e, EVENT_block)))),
    };
    const struct code *c;

    resolve_miss(t->r, &m);
    c = code_at(t->r, m.code);
    return (struct access){ m.who, code_place(c), g_strdup(code_function(c)),
                            resolve_place(t->r, &m) };
}

/* --- text ------------------------------------------------------------------------ */

static double us(const struct table *e, int column)
{
    return (double)table_number(e, column) / 1e6;
}

/* ps from the transaction's start */
static double after(uint64_t start, const struct table *e, int column)
{
    return ((double)table_number(e, column) - (double)start) / 1e3;
}

static bool has(const struct table *e, int column)
{
    return strcmp(table_text(e, column), "-") != 0;
}

static void add_message(GString *s, const struct table *e, uint64_t start)
{
    g_string_append_printf(s, "%16.6f %9s   %-5s %5s > %-5s %+10.1f %+10.1f", us(e, EVENT_sent),
                           table_text(e, EVENT_transaction), table_text(e, EVENT_name),
                           table_text(e, EVENT_from), table_text(e, EVENT_to),
                           after(start, e, EVENT_sent), after(start, e, EVENT_taken));
    g_string_append_printf(s, "  %s %s", table_text(e, EVENT_rule), table_text(e, EVENT_row));
    if (has(e, EVENT_after))
        g_string_append_printf(s, ", %s -> %s", table_text(e, EVENT_before),
                               table_text(e, EVENT_after));
    if (has(e, EVENT_copies))
        g_string_append_printf(s, ", cpu %s", table_text(e, EVENT_copies));
    if (has(e, EVENT_step))
        g_string_append_printf(s, ", %s", table_text(e, EVENT_step));
    if (has(e, EVENT_waits))
        g_string_append_printf(s, ", waits: %s", table_text(e, EVENT_waits));
    g_string_append_c(s, '\n');
}

static void print_access(const struct tally *t, const struct table *e)
{
    struct access a = access_of(t, e);

    printf("%16.6f %9s %-5s cpu %s (%s)", us(e, EVENT_sent), table_text(e, EVENT_transaction),
           table_text(e, EVENT_name), table_text(e, EVENT_cpu), table_text(e, EVENT_req));
    if (a.who)
        printf(" %s:%" PRIu64, a.who->comm, a.who->tid);
    printf(" %s in %s(): %s, %s, %s, %.1f ns\n", a.code, a.function, a.what,
           table_text(e, EVENT_tx), table_text(e, EVENT_cause),
           after(table_number(e, EVENT_sent), e, EVENT_taken));
    access_free(&a);
}

/* One line's events; the messages of a transaction stand below its access. */
struct printing {
    const struct tally *t;
    GString *messages;
    uint64_t transaction, start;
};

static void put_messages(struct printing *p)
{
    fputs(p->messages->str, stdout);
    g_string_truncate(p->messages, 0);
}

static void print_event(struct printing *p, const struct table *e)
{
    const char *event = table_text(e, EVENT_event);

    if (!strcmp(event, "message")) {
        uint64_t transaction = table_number(e, EVENT_transaction);

        if (transaction != p->transaction) {
            put_messages(p);
            p->transaction = transaction;
            p->start = table_number(e, EVENT_sent);
        }
        add_message(p->messages, e, p->start);
        return;
    }
    if (!strcmp(event, "access")) {
        print_access(p->t, e);
        put_messages(p);
        return;
    }
    put_messages(p);
    printf("%16.6f %9s %s by cpu %s\n", (double)table_number(e, EVENT_tick) * p->t->p->tick_us, "-",
           event, table_text(e, EVENT_cpu));
}

static void print_line(const struct table *l)
{
    printf("line %s", table_text(l, LINE_line));
    if (has(l, LINE_address))
        printf(", address %s", table_text(l, LINE_address));
    printf(": %s transactions, %s events", table_text(l, LINE_transactions),
           table_text(l, LINE_events));
    if (table_number(l, LINE_lost) && table_number(l, LINE_lost) != UNKNOWN)
        printf(", %s more were not kept", table_text(l, LINE_lost));
    puts("");
}

/* Open a table of lines or events; NULL after one line on stderr. */
static struct table *open_table(struct profile *p, const char *name, const char *const *columns,
                                int n)
{
    struct table *t = profile_table(p, name, columns, n);

    if (!t && !p->damaged)
        fprintf(stderr, "origin: %s: no line was followed (origin run --follow)\n", p->dir);
    return t;
}

bool report_follow(const struct tally *t, const char *only)
{
    struct profile *p = t->p;
    struct table *l = open_table(p, "followed.csv", line_columns, G_N_ELEMENTS(line_columns)), *e;
    struct printing printing = { t, g_string_new(""), 0, 0 };
    g_autofree char *line = g_strdup("");

    while (l && table_next(l))
        print_line(l);
    if (l)
        table_close(l);
    e = l ? open_table(p, "follow.csv", event_columns, G_N_ELEMENTS(event_columns)) : NULL;
    while (e && table_next(e)) {
        if (only && g_ascii_strcasecmp(only, table_text(e, EVENT_line)))
            continue;
        if (strcmp(line, table_text(e, EVENT_line))) {
            put_messages(&printing);
            g_free(line);
            line = g_strdup(table_text(e, EVENT_line));
            printf("\nline %s\n%16s %9s EVENT\n", line, "TIME us", "");
        }
        print_event(&printing, e);
    }
    put_messages(&printing);
    g_string_free(printing.messages, TRUE);
    if (e)
        table_close(e);
    return e != NULL;
}

/* --- page ------------------------------------------------------------------------ */

/* How many events of each line the profile has. */
static GHashTable *count_events(struct profile *p)
{
    struct table *e = profile_table(p, "follow.csv", event_columns, G_N_ELEMENTS(event_columns));
    GHashTable *n = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    while (e && table_next(e)) {
        const char *line = table_text(e, EVENT_line);
        size_t before = GPOINTER_TO_SIZE(g_hash_table_lookup(n, line));

        g_hash_table_insert(n, g_strdup(line), GSIZE_TO_POINTER(before + 1));
    }
    if (e)
        table_close(e);
    return n;
}

/* How many of them the page gets, of an event's or a line's row. */
static size_t kept(GHashTable *counts, const char *line, bool newest)
{
    size_t n = GPOINTER_TO_SIZE(g_hash_table_lookup(counts, line));

    return n && newest ? MIN(n, MAX_PAGE_EVENTS / g_hash_table_size(counts)) : n;
}

static void page_lines(const struct tally *t, struct profile *p, GHashTable *counts, bool newest)
{
    struct table *l = profile_table(p, "followed.csv", line_columns, G_N_ELEMENTS(line_columns));

    rows_begin("followed");
    rows_column("line", "address", "physical");
    rows_column("address", "address", "virtual, of the first access");
    rows_column("what", "", "what lies there");
    rows_column("transactions", "transactions", "of processors for it");
    rows_column("events", "events", "that were recorded");
    rows_column("lost", "events", "that were not kept");
    rows_column("before", "events", "that came before those of the page, if it has the newest");
    while (l && table_next(l)) {
        struct miss m = { .kind = "",
                          .address = table_number(l, LINE_address),
                          .bytes = 1,
                          .pc = UNKNOWN,
                          .who =
                              g_hash_table_lookup(p->thread_by_number,
                                                  GSIZE_TO_POINTER(table_number(l, LINE_thread))) };
        g_autofree char *what = NULL;
        uint64_t events = known(table_number(l, LINE_events));
        uint64_t here = kept(counts, table_text(l, LINE_line), newest);

        if (m.address != UNKNOWN) {
            resolve_miss(t->r, &m);
            what = object_text(object_at(t->r, m.object));
        }
        rows_next();
        cell_text(table_text(l, LINE_line));
        cell_address(m.address);
        cell_text(what);
        cell_number(table_number(l, LINE_transactions));
        cell_number(table_number(l, LINE_events));
        cell_number(table_number(l, LINE_lost));
        cell_number(events > here ? events - here : 0);
    }
    rows_end();
    if (l)
        table_close(l);
}

static void cell_ns(const struct table *e, int column)
{
    if (has(e, column))
        cell_us((double)table_number(e, column) / 1e3);
    else
        cell_number(UNKNOWN);
}

static void event_cells(const struct tally *t, const struct table *e)
{
    static const int texts[] = { EVENT_line,  EVENT_event,  EVENT_name, EVENT_from, EVENT_to,
                                 EVENT_waits, EVENT_rule,   EVENT_row,  EVENT_step, EVENT_before,
                                 EVENT_after, EVENT_copies, EVENT_tx,   EVENT_cause };
    struct access a = { 0 };
    g_autofree char *who = NULL;

    if (!strcmp(table_text(e, EVENT_event), "access"))
        a = access_of(t, e);
    if (a.who)
        who = g_strdup_printf("%s:%" PRIu64, a.who->comm, a.who->tid);
    rows_next();
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        cell_text(table_text(e, texts[i]));
    cell_number(table_number(e, EVENT_transaction));
    cell_number(table_number(e, EVENT_cpu));
    cell_ns(e, EVENT_sent);
    cell_ns(e, EVENT_left);
    cell_ns(e, EVENT_arrived);
    cell_ns(e, EVENT_taken);
    cell_text(who);
    cell_text(a.code);
    cell_text(a.function);
    cell_text(a.what);
    access_free(&a);
}

static void event_columns_of_page(void)
{
    rows_column("line", "address", "physical");
    rows_column("event", "", "message, access, dropped or flushed");
    rows_column("name", "", "of the message, or of the access");
    rows_column("from", "", "sender: node, and A or B a processor, M the memory, I the I/O unit");
    rows_column("to", "", "receiver");
    rows_column("waits", "", "on which part of the way, for what, where, ps");
    rows_column("rule", "", "table of the protocol");
    rows_column("row", "", "state in it");
    rows_column("step", "", "what it did to the requestor");
    rows_column("before", "", "the directory's entry");
    rows_column("after", "", "the same, after the message");
    rows_column("copies", "", "of processors that changed: cpu, before, after");
    rows_column("tx", "", "kind of transaction");
    rows_column("cause", "", "of the miss");
    rows_column("transaction", "", "its number");
    rows_column("cpu", "", "that made the access");
    rows_column("sent", "ns", "since the machine was switched on");
    rows_column("left", "ns", "the sender");
    rows_column("arrived", "ns", "at the receiver");
    rows_column("taken", "ns", "by it");
    rows_column("who", "", "thread");
    rows_column("at", "", "source line");
    rows_column("function", "", "of it");
    rows_column("what", "", "what was touched");
}

void page_follow(const struct tally *t, bool newest)
{
    struct profile *p = t->p;
    struct table *e = profile_table(p, "follow.csv", event_columns, G_N_ELEMENTS(event_columns));
    g_autoptr(GHashTable) counts = NULL, before = NULL;

    if (!e)
        return;
    counts = count_events(p);
    before = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    page_lines(t, p, counts, newest);
    rows_begin("follow");
    event_columns_of_page();
    for (guint n = 0; n < MAX_PAGE_EVENTS && table_next(e);) {
        const char *line = table_text(e, EVENT_line);
        size_t number = GPOINTER_TO_SIZE(g_hash_table_lookup(before, line)) + 1;

        g_hash_table_insert(before, g_strdup(line), GSIZE_TO_POINTER(number));
        if (number + kept(counts, line, newest) >
            GPOINTER_TO_SIZE(g_hash_table_lookup(counts, line))) {
            event_cells(t, e);
            n++;
        }
    }
    rows_end();
    table_close(e);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of a page by processor, node and thread.  Interface: page_machine.h. */
#include "page_machine.h"

#include <inttypes.h>
#include <string.h>

#include "rows.h"

static void part_columns(int first)
{
    rows_column("cpu", "", "processor, node * 2 + slice");
    rows_column("node", "", "its node");
    for (int k = first; k < PARTS; k++)
        if (k != PART_IDLE || first == PART_BUSY)
            rows_column(part_name[k], "us", part_meaning[k]);
}

/*
 * A row for each processor: all of its time, or what it waited for the command.  Busy and idle
 * time have no thread, so the command's part of them is not known.
 */
static void part_rows(const struct tally *t, bool whole)
{
    uint64_t(*ticks)[PARTS] = g_malloc0(TALLY_CPUS * sizeof(*ticks));

    tally_parts(t, whole, ticks);
    for (guint i = 0; i < t->p->cpus->len; i++) {
        const struct cpu *c = AT(t->p->cpus, struct cpu, i);

        if (c->cpu >= TALLY_CPUS)
            continue;
        rows_next();
        cell_number(c->cpu);
        cell_number(c->node);
        for (int k = 0; k < PARTS; k++)
            if (whole || (k != PART_BUSY && k != PART_IDLE))
                cell_us(tally_us(t, ticks[c->cpu][k]));
    }
    g_free(ticks);
}

/* All of a processor's time since its first switch between threads, in parts that add up to it. */
static void page_modes(const struct tally *t)
{
    rows_begin("modes");
    rows_column("cpu", "", "processor, node * 2 + slice");
    rows_column("node", "", "its node");
    for (int s = 0; s <= STATE_INTERRUPT; s++) {
        g_autofree char *memory = g_strconcat(state_name[s], "_memory", NULL);

        rows_column(state_name[s], "us", state_meaning[s]);
        rows_column(memory, "us", "the same, waiting for caches and memory");
    }
    rows_column("idle", "us", "in the kernel as its idle thread");
    for (guint i = 0; i < t->p->cpus->len; i++) {
        const struct cpu *c = AT(t->p->cpus, struct cpu, i);

        rows_next();
        cell_number(c->cpu);
        cell_number(c->node);
        for (int s = 0; s <= STATE_INTERRUPT; s++) {
            uint64_t waited = MIN(c->waited[s], c->mode[s]);

            cell_us(tally_us(t, c->mode[s] - waited));
            if (t->p->modes)
                cell_us(tally_us(t, waited));
            else
                cell_number(UNKNOWN);
        }
        cell_us(tally_us(t, c->idled));
    }
    rows_end();
}

void page_time(const struct tally *t)
{
    rows_begin("time");
    part_columns(PART_BUSY);
    part_rows(t, true);
    rows_end();
    rows_begin("waits");
    part_columns(PART_BUSY + 1);
    part_rows(t, false);
    rows_end();
    if (t->p->lives)
        page_modes(t);
}

/* The transactions of one processor that are of one kind. */
struct mix {
    uint64_t cpu, node, local, remote, backoff, latency_ns, ticks;
    const char *tx;
};

static gint by_cpu(gconstpointer a, gconstpointer b)
{
    const struct mix *x = *(struct mix *const *)a, *y = *(struct mix *const *)b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    return strcmp(x->tx, y->tx);
}

void page_transactions(const struct tally *t)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        g_autofree char *key = g_strdup_printf("%" PRIu64 "/%s", m->cpu, m->tx);
        struct mix *x = g_hash_table_lookup(known, key);

        if (m->object < 0)
            continue;
        if (!x) {
            x = g_new0(struct mix, 1);
            *x = (struct mix){ .cpu = m->cpu, .node = profile_node(t->p, m->cpu), .tx = m->tx };
            g_hash_table_insert(known, g_steal_pointer(&key), x);
            g_ptr_array_add(all, x);
        }
        *(m->home == x->node ? &x->local : &x->remote) += m->count;
        x->backoff += m->backoff;
        x->latency_ns += m->latency_ns;
        x->ticks += m->ticks;
    }
    g_ptr_array_sort(all, by_cpu);
    rows_begin("transactions");
    rows_column("cpu", "", "processor");
    rows_column("node", "", "its node");
    rows_column("kind", "", "how the directory answered");
    rows_column("local", "transactions", "with memory of the own node");
    rows_column("remote", "transactions", "with memory of another node");
    rows_column("backoff", "transactions", "that the home backed off");
    rows_column("latency", "ns", "mean of a transaction");
    rows_column("stall", "us", "what the processor waited");
    for (guint i = 0; i < all->len; i++) {
        const struct mix *x = all->pdata[i];
        uint64_t count = x->local + x->remote;

        rows_next();
        cell_number(x->cpu);
        cell_number(x->node);
        cell_text(x->tx);
        cell_number(x->local);
        cell_number(x->remote);
        cell_number(x->backoff);
        cell_number(count ? (x->latency_ns + count / 2) / count : UNKNOWN);
        cell_us(tally_us(t, x->ticks));
    }
    rows_end();
}

void page_matrix(const struct tally *t)
{
    uint64_t n = t->p->nodes;
    g_autofree uint64_t *count = g_new0(uint64_t, n * n + 1);
    g_autofree uint64_t *ticks = g_new0(uint64_t, n * n + 1);

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);
        uint64_t node = profile_node(t->p, m->cpu);

        if (m->object < 0 || node >= n || m->home >= n)
            continue;
        count[node * n + m->home] += m->count;
        ticks[node * n + m->home] += m->ticks;
    }
    rows_begin("matrix");
    rows_column("node", "", "of the processor that missed");
    rows_column("home", "", "node of the memory");
    rows_column("hops", "", "routers between them");
    rows_column("count", "transactions", "of the node with the home");
    rows_column("stall", "us", "what the node's processors waited for the home");
    for (uint64_t i = 0; i < n * n; i++)
        if (count[i]) {
            rows_next();
            cell_number(i / n);
            cell_number(i % n);
            cell_number(profile_hops(t->p, i / n, i % n));
            cell_number(count[i]);
            cell_us(tally_us(t, ticks[i]));
        }
    rows_end();
}

void page_threads(const struct tally *t)
{
    guint n = t->p->threads->len;
    g_autofree struct sum *sum = g_new0(struct sum, n + 1);

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);

        if (m->object < 0 || !m->who)
            continue;
        sum[m->who - AT(t->p->threads, struct thread, 0)].all_count += m->count;
        sum[m->who - AT(t->p->threads, struct thread, 0)].all_ticks += m->ticks;
    }
    rows_begin("threads");
    rows_column("thread", "", "name of its program");
    rows_column("pid", "", "process");
    rows_column("tid", "", "thread");
    rows_column("begin", "us", "seen first, since the machine was switched on");
    rows_column("end", "us", "seen last");
    rows_column("count", "transactions", "that it made");
    rows_column("stall", "us", "what it waited for them");
    for (guint i = 0; i < n; i++) {
        const struct thread *w = AT(t->p->threads, struct thread, i);

        if (!w->ours || w->mm == 0)
            continue;
        rows_next();
        cell_text(w->comm);
        cell_number(w->pid);
        cell_number(w->tid);
        cell_us(tally_us(t, w->first));
        cell_us(tally_us(t, w->last));
        cell_number(sum[i].all_count);
        cell_us(tally_us(t, sum[i].all_ticks));
    }
    rows_end();
}

/* Regions of interest: own costs, without those of the regions in them. */
void page_regions(const struct tally *t)
{
    static const char *const columns[] = { "region", "name", "parent", "begun", "ticks" };
    struct table *regions = profile_table(t->p, "regions.csv", columns, (int)G_N_ELEMENTS(columns));
    g_autofree struct sum *sum = g_new0(struct sum, t->p->regions->len + 1);

    for (guint i = 0; i < t->p->misses->len; i++) {
        const struct miss *m = AT(t->p->misses, struct miss, i);

        if (m->object >= 0 && m->region < t->p->regions->len) {
            sum[m->region].all_count += m->count;
            sum[m->region].all_ticks += m->ticks;
        }
    }
    rows_begin("regions");
    rows_column("region", "", "number; the region that it lies in is its parent");
    rows_column("name", "", "as the program named it");
    rows_column("parent", "", "0: in no other");
    rows_column("begun", "times", "that it was begun");
    rows_column("elapsed", "us", "of machine time, from begin to end, summed up");
    rows_column("count", "transactions", "of the command in it, without the regions in it");
    rows_column("stall", "us", "what they waited");
    while (regions && table_next(regions)) {
        uint64_t number = table_number(regions, 0), ticks = table_number(regions, 4);
        const struct sum *own = &sum[MIN(number, t->p->regions->len)];

        rows_next();
        cell_number(number);
        cell_text(table_text(regions, 1));
        cell_number(table_number(regions, 2));
        cell_number(table_number(regions, 3));
        if (ticks == UNKNOWN)
            cell_text(NULL);
        else
            cell_us(tally_us(t, ticks));
        cell_number(own->all_count);
        cell_us(tally_us(t, own->all_ticks));
    }
    rows_end();
    if (regions)
        table_close(regions);
}

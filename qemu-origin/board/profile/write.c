/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a profile (docs/profile-format.md).  Each file is written under
 * another name and renamed when it is complete; meta.csv is the last.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "system/mp-time.h"
#include "origin.h"
#include "sn.h"
#include "observe/record.h"
#include "kernel.h"
#include "maps.h"
#include "threads.h"
#include "tap.h"

/* All that the functions below share. */
typedef struct Writer {
    OriginMachineState *m;
    struct sn_profile *p;
    const char *dir;
    Error **errp; /* who asked for it; NULL: nobody, it is the machine's own */
    FILE *f;
    const char *name; /* of the file under way; NULL: none */
    unsigned table;   /* rows of sn_row_key.table that are wanted */
    bool failed;
} Writer;

/* Say what went wrong, once in a run: a full disk stays full. */
static void fail(Writer *w)
{
    static bool said;

    if (w->errp) {
        error_setg(w->errp, "profile: %s/%s: %s", w->dir, w->name,
                   strerror(errno));
    } else if (!said) {
        error_report("origin2000: profile: %s/%s: %s", w->dir, w->name,
                     strerror(errno));
        said = true;
    }
    w->failed = true;
}

static char *temporary(const Writer *w)
{
    return g_strdup_printf("%s/.%s.new", w->dir, w->name);
}

static bool begin(Writer *w, const char *name)
{
    g_autofree char *path = NULL;

    w->name = name;
    path = temporary(w);
    w->f = w->failed ? NULL : fopen(path, "w");
    if (!w->f && !w->failed) {
        fail(w);
    }
    return w->f;
}

static void end(Writer *w)
{
    g_autofree char *from = temporary(w);
    g_autofree char *to = g_strdup_printf("%s/%s", w->dir, w->name);
    bool bad = ferror(w->f) || fflush(w->f);

    bad |= fclose(w->f);
    if (bad || rename(from, to)) {
        fail(w);
        unlink(from);
    }
}

/* Text as RFC 4180 has it; control characters become '?'. */
static void text(Writer *w, const char *s)
{
    bool quote = strpbrk(s, ",\"") || *s == ' ';

    if (quote) {
        fputc('"', w->f);
    }
    for (; *s; s++) {
        if (*s == '"') {
            fputc('"', w->f);
        }
        fputc((unsigned char)*s < ' ' ? '?' : *s, w->f);
    }
    if (quote) {
        fputc('"', w->f);
    }
}

#define COLUMN(name, type, meaning) #name ","
/* The header of a table, from its list of columns. */
static void header(Writer *w, const char *columns)
{
    fprintf(w->f, "%.*s\n", (int)strlen(columns) - 1, columns);
}

/* ---- tables ---- */

static CPUState *cpu_of(const Writer *w, unsigned i)
{
    return CPU(w->m->node[i / SN_NODE_CPUS].cpu[i % SN_NODE_CPUS]);
}

static void cpus(Writer *w)
{
    if (!begin(w, "cpus.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_CPUS(COLUMN));
    for (unsigned i = 0; i < w->m->desc.nnodes * SN_NODE_CPUS; i++) {
        const struct sn_cpu_desc *d =
            &w->m->desc.node[i / SN_NODE_CPUS].cpu[i % SN_NODE_CPUS];
        uint64_t ticks, insns, delays, busy, stalled;

        if (d->model == SN_CPU_NONE) {
            continue;
        }
        ticks = mp_time_local(cpu_of(w, i));
        delays = cpu_env(cpu_of(w, i))->r10k.load_use_delays;
        insns = mp_time_insns(cpu_of(w, i)) - delays;
        busy = (insns + delays) * origin_insn_ticks(w->m, d->khz * 1000ull);
        stalled = sn_profile_stalled(w->p, i);
        fprintf(w->f,
                "%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRId64 "\n",
                i, i / SN_NODE_CPUS, d->khz, ticks, insns, busy, stalled,
                (int64_t)(ticks - busy - stalled));
    }
    end(w);
}

static void threads(Writer *w)
{
    uint32_t n;
    const GuestThread *t = guest_threads(&n);

    if (!begin(w, "threads.csv")) {
        return;
    }
    guest_refresh();
    header(w, SN_PROFILE_COLUMNS_THREADS(COLUMN));
    for (uint32_t i = 1; i < n; i++) {
        fprintf(w->f, "%u,%u,%u,%u,%u,", i, t[i].pid, t[i].tid, t[i].ppid,
                t[i].space);
        text(w, t[i].comm);
        fprintf(w->f, ",%" PRId64 ",%" PRId64 "\n", t[i].first, t[i].last);
    }
    end(w);
}

static void maps(Writer *w)
{
    uint32_t n;
    const GuestMap *map = guest_maps(&n);

    if (!begin(w, "maps.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_MAPS(COLUMN));
    if (guest_known()) {
        fprintf(
            w->f,
            "0,0x%" PRIx64 ",0x%" PRIx64 ",0x0,[kernel],0,r-x,0,%" PRId64 "\n",
            guest_layout._text, guest_layout._end, mp_time_local(first_cpu));
    }
    for (uint32_t i = 0; i < n; i++) {
        fprintf(w->f, "%u,0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64 ",",
                map[i].space, map[i].start, map[i].end, map[i].offset);
        text(w, map[i].path);
        fprintf(w->f, ",%" PRIu64 ",%.3s,%" PRId64 ",%" PRId64 "\n",
                map[i].inode, map[i].flags, map[i].first, map[i].last);
    }
    end(w);
}

static const char *const kind_name[SN_NKIND] = {
    [SN_LOAD] = "load",   [SN_STORE] = "store", [SN_IFETCH] = "fetch",
    [SN_LL] = "ll",       [SN_SC] = "sc",       [SN_PREF] = "pref",
    [SN_PREFX] = "prefx",
};

static void put_pc(Writer *w, uint64_t pc)
{
    if (pc == SN_ROW_NO_PC) {
        fputs(",-", w->f);
    } else {
        fprintf(w->f, ",0x%" PRIx64, pc);
    }
}

static void miss(Writer *w, const struct sn_row *r)
{
    const struct sn_row_key *k = &r->key;
    bool backoff = k->kind & 0x80;

    fprintf(w->f, "%s,%s,%s,%u", sn_cause_name(k->what),
            kind_name[k->kind & 0x7f], sn_tx_name(k->tx), k->cpu);
    if (k->home == SN_ROW_NO_HOME) {
        fputs(",-,-", w->f);
    } else {
        fprintf(w->f, ",%u,%u", k->home,
                w->m->topo.hops[k->cpu / SN_NODE_CPUS][k->home]);
    }
    fprintf(w->f, ",%u,%u", k->thread, k->region);
    put_pc(w, k->pc);
    fprintf(w->f, ",%u", k->path);
    put_pc(w, k->addr);
    fprintf(w->f, ",%llu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
            k->block < 64 ? 1ull << k->block : 0, r->count,
            backoff ? r->count : 0, r->latency_ns, r->stall);
}

static void stalled(Writer *w, const struct sn_row *r)
{
    const struct sn_row_key *k = &r->key;

    fprintf(w->f, "%s,%u,%u,%u", sn_part_name(k->what), k->cpu, k->thread,
            k->region);
    put_pc(w, k->pc);
    fprintf(w->f, ",%u,%" PRIu64 ",%" PRIu64 "\n", k->home, r->count, r->stall);
}

static void row(void *opaque, const struct sn_row *r)
{
    Writer *w = opaque;

    if (r->key.table == w->table) {
        w->table ? stalled(w, r) : miss(w, r);
    }
}

static void rows(Writer *w, unsigned table, const char *name,
                 const char *columns)
{
    if (!begin(w, name)) {
        return;
    }
    header(w, columns);
    w->table = table;
    if (w->errp) {
        sn_profile_look(w->p, row, w);
    } else {
        sn_profile_each(w->p, row, w);
    }
    end(w);
}

static void truth(Writer *w)
{
    size_t need = 0;
    char nothing[1];
    g_autofree char *buf = NULL;

    sn_truth_json(w->m->engine, nothing, sizeof(nothing), &need);
    buf = g_malloc(need + 1);
    sn_truth_json(w->m->engine, buf, need + 1, NULL);
    if (begin(w, "truth.json")) {
        fputs(buf, w->f);
        end(w);
    }
}

static void put_merged(Writer *w)
{
    const struct sn_rows_merged *g = sn_profile_merged(w->p);

    fputs("merged,", w->f);
    if (g->times) {
        fputs("\"some addresses to blocks of ", w->f);
        if (g->block < 64) {
            fprintf(w->f, "up to %llu bytes", 1ull << g->block);
        } else {
            fputs("any size", w->f);
        }
        fprintf(w->f, "%s%s%s: raise profile-rows\"",
                g->paths ? ", call paths" : "", g->pcs ? ", instructions" : "",
                g->threads ? ", threads" : "");
    }
    fprintf(w->f, "\nlost,%" PRIu64 "\n", sn_profile_lost(w->p));
}

static void meta(Writer *w, bool complete)
{
    uint64_t last = 0;
    CPUState *cs;

    CPU_FOREACH(cs) {
        last = MAX(last, (uint64_t)mp_time_local(cs));
    }
    if (!begin(w, "meta.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_META(COLUMN));
    fprintf(w->f,
            "format,%d\ncomplete,%s\ntick_hz,%" PRIu64 "\nend_tick,%" PRIu64
            "\ntime,%s\nnodes,%u\nmachine,",
            SN_PROFILE_VERSION, complete ? "yes" : "no", w->m->tick_hz, last,
            w->m->time_full ? "full" : "unloaded", w->m->desc.nnodes);
    text(w, w->m->description);
    fputs("\nkernel,", w->f);
    text(w, guest_known() ? w->m->profile_kernel : "-");
    if (!guest_known()) {
        fputs("\nkernel_why,the layout of the kernel was not given", w->f);
    }
    fprintf(w->f, "\nrows,%u\nrows_max,%u\n", sn_profile_rows(w->p),
            w->m->profile_rows);
    put_merged(w);
    end(w);
}

static void tables(Writer *w, bool complete)
{
    rows(w, 0, "misses.csv", SN_PROFILE_COLUMNS_MISSES(COLUMN));
    rows(w, 1, "stalls.csv", SN_PROFILE_COLUMNS_STALLS(COLUMN));
    threads(w);
    maps(w);
    cpus(w);
    truth(w);
    if (!w->failed) {
        meta(w, complete);
    }
}

void origin_profile_write(OriginMachineState *m, struct sn_profile *p,
                          bool complete)
{
    Writer w = { .m = m, .p = p, .dir = m->profile_dir };

    tables(&w, complete);
}

void origin_profile_copy(OriginMachineState *m, struct sn_profile *p,
                         const char *dir, Error **errp)
{
    ERRP_GUARD();
    Writer w = { .m = m, .p = p, .dir = dir, .errp = errp };

    tables(&w, false);
}

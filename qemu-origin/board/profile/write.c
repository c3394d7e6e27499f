/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a profile (docs/profile-format.md).  Each file is written under
 * another name and renamed when it is complete; meta.csv is the last.
 *
 * The directory may lie where the guest can write.  So the machine's own one is
 * opened before the guest runs, and no symbolic link in it is followed.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "system/mp-time.h"
#include "origin.h"
#include "sn.h"
#include "observe/record.h"
#include "computing.h"
#include "follow.h"
#include "heap.h"
#include "kernel.h"
#include "locks.h"
#include "maps.h"
#include "modules.h"
#include "paths.h"
#include "refills.h"
#include "regions.h"
#include "threads.h"
#include "waits.h"
#include "tap.h"
#include "../../prom/doorbell.h"

/* The PROM's addresses, in ckseg1 */
#define PROM_CODE (0xffffffffa0000000ull + PROM_BASE)

/* All that the functions below share. */
typedef struct Writer {
    OriginMachineState *m;
    struct sn_profile *p;
    const char *dir; /* for errp */
    int fd;          /* of the directory */
    Error **errp; /* who asked for it; NULL: nobody, it is the machine's own */
    bool last;    /* it is the machine's own one at the end */
    bool life;    /* only the life of lines is wanted: no misses, no stalls */
    FILE *f;
    const char *name; /* of the file under way; NULL: none */
    bool failed;
} Writer;

/*
 * Say what went wrong.  What is written while the machine runs is written again,
 * so only the end counts, and there the first table that fails.
 */
static void fail(Writer *w)
{
    if (w->errp) {
        error_setg(w->errp, "profile: %s/%s: %s", w->dir, w->name,
                   strerror(errno));
    } else if (w->last && !w->failed) {
        /* The launcher looks for it. */
        error_report("origin2000: profile: %s: %s", w->name, strerror(errno));
    }
    w->failed = true;
}

static char *temporary(const Writer *w)
{
    return g_strdup_printf(".%s.new", w->name);
}

static bool begin(Writer *w, const char *name)
{
    g_autofree char *new = NULL;
    int fd = -1;

    w->name = name;
    w->f = NULL;
    new = temporary(w);
    if (!w->failed) {
        unlinkat(w->fd, new, 0);
        fd = openat(w->fd, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        w->f = fd < 0 ? NULL : fdopen(fd, "w");
    }
    if (!w->f && !w->failed) {
        fail(w);
    }
    return w->f;
}

static void end(Writer *w)
{
    g_autofree char *from = temporary(w);
    bool bad = ferror(w->f) || fflush(w->f);

    bad |= fclose(w->f);
    if (bad || renameat(w->fd, from, w->fd, w->name)) {
        fail(w);
        unlinkat(w->fd, from, 0);
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
        uint64_t ticks, busy, stalled;

        if (d->model == SN_CPU_NONE) {
            continue;
        }
        ticks = mp_time_local(cpu_of(w, i));
        busy = mp_time_insns(cpu_of(w, i)) *
                   origin_insn_ticks(w->m, d->khz * 1000ull) -
               cpu_env(cpu_of(w, i))->r10k.awaited -
               profile_refill_ticks(cpu_of(w, i));
        stalled = sn_profile_stalled(w->p, i);
        fprintf(w->f,
                "%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRId64 "\n",
                i, i / SN_NODE_CPUS, d->khz, ticks,
                origin_insns(MIPS_CPU(cpu_of(w, i))), busy, stalled,
                (int64_t)(ticks - busy - stalled));
    }
    end(w);
}

static void threads(Writer *w)
{
    uint32_t n;
    const GuestThread *t;
    uint64_t begun, ended;

    if (!begin(w, "threads.csv")) {
        return;
    }
    guest_refresh();
    t = guest_threads(&n);
    header(w, SN_PROFILE_COLUMNS_THREADS(COLUMN));
    for (uint32_t i = 1; i < n; i++) {
        fprintf(w->f, "%u,%u,%u,%u,%u,", i, t[i].pid, t[i].tid, t[i].ppid,
                t[i].space);
        text(w, t[i].comm);
        fprintf(w->f, ",%" PRId64 ",%" PRId64, t[i].first, t[i].last);
        if (t[i].counted) {
            fprintf(w->f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                    t[i].counted_ns, t[i].before.data, t[i].before.code,
                    t[i].before.upgrades);
        } else {
            fputs(",-,-,-,-", w->f);
        }
        if (profile_waits_life(i, &begun, &ended)) {
            fprintf(w->f, ",%" PRIu64 ",%" PRIu64 "\n", begun, ended);
        } else {
            fputs(",-,-\n", w->f);
        }
    }
    end(w);
}

/* Code that is there as long as the machine */
static void lasting(Writer *w, uint64_t start, uint64_t end, const char *name)
{
    fprintf(w->f, "0,0x%" PRIx64 ",0x%" PRIx64 ",0x0,%s,0,r-x,0,%" PRId64 "\n",
            start, end, name, mp_time_local(first_cpu));
}

/* Each processor's copy of the per-CPU variables */
static void per_cpu(Writer *w)
{
    uint64_t offset;

    for (unsigned c = 0;
         guest_layout_has_objects && c < w->m->desc.nnodes * SN_NODE_CPUS;
         c++) {
        if (!guest_read_u64(guest_layout.__per_cpu_offset + 8 * c, &offset) ||
            !offset) {
            continue;
        }
        fprintf(w->f,
                "0,0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64
                ",[per-CPU %u],0,rw-,0,%" PRId64 "\n",
                guest_layout.__per_cpu_start + offset,
                guest_layout.__per_cpu_end + offset,
                guest_layout.__per_cpu_start, c, mp_time_local(first_cpu));
    }
}

static void maps(Writer *w)
{
    uint32_t n;
    const GuestMap *map;

    if (!begin(w, "maps.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_MAPS(COLUMN));
    if (guest_known()) {
        lasting(w, guest_layout._text, guest_layout._end, "[kernel]");
        lasting(w, GUEST_VECTORS, GUEST_VECTORS + GUEST_VECTORS_SIZE,
                "[vectors]");
        per_cpu(w);
        lasting(w, PROM_CODE, PROM_CODE + PROM_SIZE, "[prom]");
    }
    if (!w->errp) {
        guest_modules_look();
    }
    map = guest_maps(&n);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(w->f, "%u,0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64 ",",
                map[i].space, map[i].start, map[i].end, map[i].offset);
        text(w, map[i].path);
        fprintf(w->f, ",%" PRIu64 ",%.3s,%" PRId64 ",%" PRId64 "\n",
                map[i].inode, map[i].flags, map[i].first, map[i].last);
    }
    end(w);
}

static void paths(Writer *w)
{
    uint32_t n;
    const GuestPath *p = guest_paths(&n);

    if (!begin(w, "paths.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_PATHS(COLUMN));
    for (uint32_t i = 1; i < n; i++) {
        fprintf(w->f, "%u,%u,0x%" PRIx64 "\n", i, p[i].parent, p[i].pc);
    }
    end(w);
}

static void heap(Writer *w)
{
    uint32_t n;
    const GuestBlock *b = guest_heap_blocks(&n);

    if (!begin(w, "heap.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_HEAP(COLUMN));
    for (uint32_t i = 0; i < n; i++, b++) {
        fprintf(w->f,
                "%u,%u,0x%" PRIx64 ",%" PRIu64 ",%s,%u,0x%" PRIx64
                ",%u,%" PRId64 ",%" PRId64 "\n",
                i + 1, b->space, b->address, b->bytes, b->how, b->thread, b->pc,
                b->path, b->first,
                b->last ? b->last : (int64_t)mp_time_local(first_cpu));
    }
    end(w);
}

static void regions(Writer *w)
{
    unsigned n;
    const GuestRegion *r = guest_regions(&n);

    if (!n || !begin(w, "regions.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_REGIONS(COLUMN));
    for (unsigned i = 0; i < n; i++) {
        fprintf(w->f, "%u,", i + 1);
        text(w, r[i].name);
        fprintf(w->f, ",%u,%" PRIu64 ",%" PRIu64 "\n", r[i].parent, r[i].begun,
                r[i].ticks);
    }
    end(w);
}

/*
 * Rows of misses and stalls are many: their fields are put into a buffer by
 * hand, which takes a fraction of the time that fprintf() does.
 */
#define ROW_MAX 512

typedef struct Lines {
    Writer *w;
    char text[64 * KiB], *at;
} Lines;

static void put_char(Lines *l, char c)
{
    *l->at++ = c;
}

static void put_text(Lines *l, const char *s)
{
    while (*s) {
        *l->at++ = *s++;
    }
}

/* Puts the digits from d to `end`, at most 20. */
static void put_digits(Lines *l, const char *d, const char *end)
{
    memcpy(l->at, d, end - d);
    l->at += end - d;
}

/* Each field but the first begins with its comma. */
static void put_dec(Lines *l, uint64_t v)
{
    char digits[20], *end = digits + sizeof(digits), *d = end;

    put_char(l, ',');
    do {
        *--d = '0' + v % 10;
        v /= 10;
    } while (v);
    put_digits(l, d, end);
}

static void put_address(Lines *l, uint64_t v, bool known)
{
    char digits[16], *end = digits + sizeof(digits), *d = end;

    if (!known) {
        put_text(l, ",-");
        return;
    }
    put_text(l, ",0x");
    do {
        *--d = "0123456789abcdef"[v % 16];
        v /= 16;
    } while (v);
    put_digits(l, d, end);
}

static uint64_t bytes_of(const struct sn_row_key *k)
{
    return k->block < 64 ? 1ull << k->block : 0;
}

static void miss(Lines *l, const struct sn_row *r)
{
    const struct sn_row_key *k = &r->key;

    put_text(l, sn_cause_name(k->what));
    put_char(l, ',');
    put_text(l, sn_kind_name(k->kind & 0x7f));
    put_char(l, ',');
    put_text(l, sn_tx_name(k->tx));
    put_dec(l, k->cpu);
    if (k->home == SN_ROW_NO_HOME) {
        put_text(l, ",-,-");
    } else {
        put_dec(l, k->home);
        put_dec(l, l->w->m->topo.hops[k->cpu / SN_NODE_CPUS][k->home]);
    }
    put_dec(l, k->thread);
    put_dec(l, k->region);
    put_address(l, k->pc, k->pc != SN_ROW_NO_PC);
    put_dec(l, k->path);
    put_address(l, k->addr, k->addr != SN_ROW_NO_PC);
    put_dec(l, bytes_of(k));
    put_dec(l, r->count);
    put_dec(l, k->kind & 0x80 ? r->count : 0);
    put_dec(l, r->latency_ns);
    put_dec(l, r->stall);
    put_dec(l, k->object);
    put_char(l, ',');
    put_text(l, sn_mode_name(k->mode));
}

static void stalled(Lines *l, const struct sn_row *r)
{
    const struct sn_row_key *k = &r->key;
    bool queue = k->what >= SN_PART_SYSAD && k->what <= SN_PART_LINK;

    put_text(l, sn_part_name(k->what));
    put_dec(l, k->cpu);
    put_dec(l, k->thread);
    put_dec(l, k->region);
    put_address(l, k->pc, k->pc != SN_ROW_NO_PC);
    put_dec(l, k->home);
    put_dec(l, r->count);
    put_dec(l, r->stall);
    put_address(l, k->addr, k->block);
    put_dec(l, k->block ? bytes_of(k) : 0);
    put_dec(l, k->object);
    put_char(l, ',');
    put_text(l, queue ? sn_part_name(k->kind) : "-");
    if (queue) {
        put_dec(l, k->at);
    } else {
        put_text(l, ",-");
    }
    put_char(l, ',');
    put_text(l, sn_mode_name(k->mode));
}

static void flush(Lines *l)
{
    fwrite(l->text, 1, l->at - l->text, l->w->f);
    l->at = l->text;
}

static void row(void *opaque, const struct sn_row *r)
{
    Lines *l = opaque;

    if (r->key.table) {
        stalled(l, r);
    } else {
        miss(l, r);
    }
    put_char(l, '\n');
    if (l->at > l->text + sizeof(l->text) - ROW_MAX) {
        flush(l);
    }
}

static void rows(Writer *w, unsigned table, const char *name,
                 const char *columns)
{
    g_autofree Lines *l = NULL;

    if (!begin(w, name)) {
        return;
    }
    header(w, columns);
    l = g_new(Lines, 1);
    l->w = w;
    l->at = l->text;
    if (w->life) {
        /* none */
    } else if (w->errp) {
        sn_profile_look(w->p, table, row, l);
    } else {
        sn_profile_each(w->p, table, row, l);
    }
    flush(l);
    end(w);
}

static void computed(void *opaque, const ProfileComputing *c)
{
    Lines *l = opaque;

    l->at += sprintf(l->at, "%u", c->cpu);
    put_dec(l, c->thread);
    put_dec(l, c->region);
    put_address(l, c->pc, c->pc != SN_ROW_NO_PC);
    put_dec(l, c->insns);
    for (unsigned b = 0; b < PROFILE_BOUNDS; b++) {
        put_dec(l, c->ticks[b]);
    }
    put_char(l, ',');
    put_text(l, sn_mode_name(c->mode));
    put_char(l, '\n');
    if (l->at > l->text + sizeof(l->text) - ROW_MAX) {
        flush(l);
    }
}

static void computing(Writer *w)
{
    g_autofree Lines *l = NULL;

    if (!profile_computing_on() || !begin(w, "computing.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_COMPUTING(COLUMN));
    l = g_new(Lines, 1);
    l->w = w;
    l->at = l->text;
    if (!w->life) {
        profile_computing_rows(computed, l);
    }
    flush(l);
    end(w);
}

static const struct {
    const char *name;
} states[] = {
#define X(NAME, name, meaning) { #name },
    SN_PROFILE_STATES(X)
#undef X
}, whats[] = {
#define X(NAME, name, meaning) { #name },
    SN_PROFILE_WAITS(X)
#undef X
};

static void put_call(Lines *l, uint16_t call)
{
    const char *name = profile_waits_call(call);

    if (call && !name) {
        put_dec(l, call);
    } else {
        put_char(l, ',');
        put_text(l, name ? name : "-");
    }
}

static void waited(void *opaque, const ProfileWait *r)
{
    const ProfileWaitKey *k = &r->key;
    Lines *l = opaque;

    l->at += sprintf(l->at, "%u,%s,%s", k->thread, states[k->state].name,
                     whats[k->what].name);
    put_call(l, k->call);
    put_address(l, k->address, k->address);
    put_dec(l, k->block);
    put_dec(l, k->path);
    if (k->by == PROFILE_BY_INTERRUPT) {
        put_text(l, ",interrupt");
    } else if (k->by == PROFILE_BY_NOBODY) {
        put_text(l, ",-");
    } else {
        put_dec(l, k->by);
    }
    put_dec(l, k->region);
    if (k->cpu == PROFILE_NO_CPU) {
        put_text(l, ",-");
    } else {
        put_dec(l, k->cpu);
    }
    put_dec(l, r->count);
    put_dec(l, r->ticks);
    put_char(l, '\n');
    if (l->at > l->text + sizeof(l->text) - ROW_MAX) {
        flush(l);
    }
}

static void blocked(Writer *w)
{
    g_autofree Lines *l = NULL;

    if (!profile_waits_on() || !begin(w, "blocked.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_BLOCKED(COLUMN));
    l = g_new(Lines, 1);
    l->w = w;
    l->at = l->text;
    if (!w->life) {
        profile_waits_rows(waited, l);
    }
    flush(l);
    end(w);
}

static void taken(void *opaque, const GuestLockRow *r)
{
    const GuestLockKey *k = &r->key;
    Lines *l = opaque;

    l->at += sprintf(l->at, "%u", k->thread);
    put_address(l, k->address, true);
    put_dec(l, k->block);
    put_address(l, k->pc, true);
    put_dec(l, k->path);
    put_dec(l, k->region);
    put_dec(l, k->cpu);
    if (k->from == GUEST_NO_NODE) {
        put_text(l, ",-,-");
    } else {
        put_dec(l, k->from);
        put_dec(l, l->w->m->topo.hops[k->from][k->cpu / SN_NODE_CPUS]);
    }
    put_dec(l, r->count);
    put_dec(l, r->contended);
    put_dec(l, r->waited);
    put_dec(l, r->held);
    put_char(l, '\n');
    if (l->at > l->text + sizeof(l->text) - ROW_MAX) {
        flush(l);
    }
}

static void locks(Writer *w)
{
    g_autofree Lines *l = NULL;

    if (!w->m->profile_functions || !begin(w, "locks.csv")) {
        return;
    }
    header(w, SN_PROFILE_COLUMNS_LOCKS(COLUMN));
    l = g_new(Lines, 1);
    l->w = w;
    l->at = l->text;
    if (!w->life) {
        guest_locks_rows(taken, l);
    }
    flush(l);
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
    fprintf(w->f,
            "\nlost,%" PRIu64 "\npaths_lost,%" PRIu64 "\nblocks_lost,%" PRIu64
            "\nregions_lost,%" PRIu64 "\nlocks_lost,%" PRIu64 "\n",
            sn_profile_lost(w->p), guest_paths_lost(), guest_heap_lost(),
            guest_regions_lost(), guest_locks_lost());
    if (profile_waits_on()) {
        fprintf(w->f, "blocked_lost,%" PRIu64 "\n", profile_waits_lost());
    }
    if (profile_computing_on()) {
        fprintf(w->f, "computing_merged,%" PRIu64 "\n",
                profile_computing_merged());
    }
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
            "\ntime,%s\nnodes,%u\nline,%u\nmachine,",
            SN_PROFILE_VERSION, complete ? "yes" : "no", w->m->tick_hz, last,
            origin_model_name(w->m->time), w->m->desc.nnodes,
            1u << sn_desc_line(&w->m->desc));
    text(w, w->m->description);
    fputs("\nkernel,", w->f);
    text(w, guest_known() ? w->m->profile_kernel : "-");
    if (!guest_known()) {
        fputs("\nkernel_why,the layout of the kernel was not given", w->f);
    }
    if (guest_layout_no_switch) {
        fprintf(w->f, "\nblocked_why,the kernel has no %s",
                guest_layout_no_switch);
    }
    fprintf(w->f, "\nrows,%u\nrows_max,%u\n", sn_profile_rows(w->p),
            w->m->profile_rows);
    put_merged(w);
    end(w);
}

static void followed(Writer *w)
{
    if (!w->m->follow) {
        return;
    }
    if (begin(w, "followed.csv")) {
        header(w, SN_PROFILE_COLUMNS_FOLLOWED(COLUMN));
        profile_follow_put_lines(w->f);
        end(w);
    }
    if (begin(w, "follow.csv")) {
        header(w, SN_PROFILE_COLUMNS_FOLLOW(COLUMN));
        profile_follow_put_events(w->f, w->errp != NULL);
        end(w);
    }
}

static void tables(Writer *w, bool complete)
{
    rows(w, 0, "misses.csv", SN_PROFILE_COLUMNS_MISSES(COLUMN));
    rows(w, 1, "stalls.csv", SN_PROFILE_COLUMNS_STALLS(COLUMN));
    computing(w);
    if (profile_waits_on()) {
        profile_waits_look(!w->errp);
    }
    threads(w);
    blocked(w);
    locks(w);
    maps(w);
    regions(w);
    paths(w);
    heap(w);
    followed(w);
    cpus(w);
    truth(w);
    if (!w->failed) {
        meta(w, complete);
    }
}

/* The machine's own directory, which the launcher made */
static int own_dir = -1;

bool origin_profile_open(OriginMachineState *m)
{
    own_dir = open(m->profile_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return own_dir >= 0 && !faccessat(own_dir, ".", W_OK | X_OK, 0);
}

int origin_profile_create(const char *name)
{
    unlinkat(own_dir, name, 0);
    return openat(own_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

void origin_profile_write(OriginMachineState *m, struct sn_profile *p,
                          bool complete)
{
    Writer w = { .m = m, .p = p, .fd = own_dir, .last = complete };

    tables(&w, complete);
}

void origin_profile_copy(OriginMachineState *m, struct sn_profile *p,
                         const char *dir, bool life, Error **errp)
{
    ERRP_GUARD();
    Writer w = { .m = m, .p = p, .dir = dir, .errp = errp, .life = life };
    size_t n = strlen(m->profile_dir);
    bool inside = !strncmp(dir, m->profile_dir, n) && dir[n] == '/';

    w.fd = openat(own_dir, inside ? dir + n + 1 : dir,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (w.fd < 0) {
        error_setg(errp, "profile: %s: %s", dir, strerror(errno));
        return;
    }
    tables(&w, false);
    close(w.fd);
}

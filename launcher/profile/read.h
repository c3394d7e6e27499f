/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile in memory: the tables that docs/profile-format.md describes, and what
 * `origin profile` wrote beside them (run.csv, hops.csv).
 */
#ifndef LAUNCHER_PROFILE_READ_H
#define LAUNCHER_PROFILE_READ_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "plain.h"
#include "profile/profile.h"
#include "table.h"

enum cause {
#define X(NAME, name, meaning) CAUSE_##NAME,
    SN_PROFILE_CAUSES(X)
#undef X
        CAUSE_OTHER, /* a newer profile's */
    CAUSES
};

enum part {
#define X(NAME, name, meaning) PART_##NAME,
    SN_PROFILE_PARTS(X)
#undef X
        PART_OTHER,
    PARTS
};

enum bound {
#define X(NAME, name, meaning) BOUND_##NAME,
    SN_PROFILE_BOUNDS(X)
#undef X
        BOUNDS
};

/* What a newer profile names otherwise is blocked, or for something else. */
enum state {
#define X(NAME, name, meaning) STATE_##NAME,
    SN_PROFILE_STATES(X)
#undef X
        STATES
};

enum awaited {
#define X(NAME, name, meaning) WAIT_##NAME,
    SN_PROFILE_WAITS(X)
#undef X
        WAITS
};

extern const char *const state_name[STATES], *const state_meaning[STATES];
extern const char *const wait_name[WAITS], *const wait_meaning[WAITS];
extern const char *const bound_name[BOUNDS], *const bound_meaning[BOUNDS];
extern const char *const cause_name[CAUSES], *const cause_meaning[CAUSES];
extern const char *const part_name[PARTS], *const part_meaning[PARTS];

struct cpu {
    uint64_t cpu, node, khz, ticks, insns, busy, stall, idle;
    uint64_t
        mode[STATE_INTERRUPT + 1]; /* of its clock, by what all threads on it did; 0: not known */
    uint64_t idled;                /* beside these, in the kernel as its idle thread */
    uint64_t waited[STATE_INTERRUPT +
                    2]; /* what it waited for memory in each mode; the last: idle thread, boot */
    uint64_t bound[BOUNDS]; /* of busy, whoever computed; 0 without the pipeline */
};

struct thread {
    uint64_t thread, pid, tid, ppid, mm, first, last;
    uint64_t counted_ns;   /* when snrun began to count, as its trace says; UNKNOWN: it did not */
    uint64_t before[3];    /* data misses, code misses, upgrades before that */
    uint64_t begun, ended; /* its life in blocked.csv; UNKNOWN: it is not there */
    char *comm;
    bool ours; /* of the command, or a process that it made */
};

struct map {
    uint64_t mm, start, end, offset, last;
    char *path;
    bool executable;
};

struct call {
    uint64_t path, parent, pc;
};

struct block {
    uint64_t number, mm, address, bytes, thread, pc, path, first, last;
    const char *how; /* interned */
};

struct miss {
    enum cause cause;
    enum state mode;       /* user, kernel or interrupt; STATES: not known */
    const char *kind, *tx; /* interned: compare pointers */
    uint64_t cpu, home, hops, thread, region, pc, path, address, bytes, count, backoff, latency_ns,
        ticks;
    const struct block *block; /* of the heap; NULL: in none */
    const struct thread *who;  /* NULL: not known */
    int code, object;          /* of resolve.h; -1 until they are wanted */
};

struct stall {
    enum part part;
    enum state mode; /* as of a miss */
    uint64_t cpu, thread, region, pc, hops, count, ticks;
    uint64_t address, bytes;   /* of part tlb, as those of a miss; else UNKNOWN, 0 */
    uint64_t at;               /* of queueing: the place, as in stalls.csv; else UNKNOWN */
    const struct block *block; /* the same */
    const struct thread *who;
    int code, object; /* object: of part tlb, else -1 */
};

/* What threads of ours computed with --cpu=pipeline */
struct computing {
    uint64_t cpu, region, pc, insns, ticks[BOUNDS];
    enum state mode; /* as of a miss */
    const struct thread *who;
    int code;
};

/* What threads of ours did all their life */
struct wait {
    enum state state;
    enum awaited what;
    const char *call;                                  /* interned; "-": none */
    uint64_t address, path, region, cpu, count, ticks; /* address: UNKNOWN if there is none */
    const struct block *block;
    const struct thread *who, *by; /* by: who ended it; NULL: no thread that is known */
    bool interrupt;                /* an interrupt did */
    int code, object;              /* of resolve.h; -1: none, or not wanted yet */
    char *place;                   /* in the object; NULL: in none */
    const char
        *lock; /* the kernel's function that waits for a lock of the kernel; NULL: it is for none */
};

/* How threads of ours took a lock */
struct taken {
    uint64_t address, pc, path, region, cpu, from,
        hops;                                /* from, hops: UNKNOWN: nobody had given it back */
    uint64_t count, contended, waited, held; /* ticks, as in locks.csv */
    const struct block *block;
    const struct thread *who;
};

struct profile {
    char *dir;
    GHashTable *meta, *run; /* key -> text */
    double tick_us;         /* of one tick */
    uint64_t page, line;    /* bytes */
    GArray *cpus, *threads, *maps, *calls, *blocks, *misses, *stalls, *computing, *waits,
        *taken; /* of the structs above */
    GHashTable *cpu_by_number, *node_by_cpu, *thread_by_number, *call_by_path, *block_by_number;
    GPtrArray *regions;     /* names by number */
    GArray *region_parents; /* uint64_t by number; 0: none */
    uint8_t *hops;          /* nodes * nodes; 255: not known */
    uint64_t nodes;
    uint64_t *first_cpu; /* by node; UNKNOWN: it has none */
    bool kernel;         /* its objects are problems, too: for whoever changes it */
    bool modes;          /* it says in which mode processors waited, of the kernel, too */
    bool computed;       /* and in which they computed */
    bool lives;          /* it says what threads did all their life */
    bool pipeline;       /* it says what the processors computed */
    bool complete;
    bool damaged; /* a table cannot be read; stderr has said which */
};

/*
 * Read the profile in directory @dir.  NULL after one line on stderr that says what is
 * wrong.  @all: threads that the command did not make count as ours, too.
 */
struct profile *profile_read(const char *dir, bool all);

/* Open a table of it (table_open()), NULL: it is not there, or damaged. */
struct table *profile_table(struct profile *p, const char *name, const char *const *columns, int n);

const char *profile_meta(const struct profile *p, const char *key); /* NULL: none */
const char *profile_run(const struct profile *p, const char *key);

/* Routers between two nodes, UNKNOWN if the profile does not say. */
uint64_t profile_hops(const struct profile *p, uint64_t a, uint64_t b);

/* NULL: there is no such processor. */
struct cpu *profile_cpu(const struct profile *p, uint64_t number);

/* The node of a processor, UNKNOWN if there is no such processor. */
uint64_t profile_node(const struct profile *p, uint64_t cpu);

/* Most texts that are not @word begin otherwise. */
static inline bool is_word(const char *text, const char *word)
{
    return *text == *word && !strcmp(text, word);
}

/* Does @address lie in the kernel's part of the address space? */
static inline bool is_kernel(uint64_t address)
{
    return address >= UINT64_C(1) << 63;
}

#define AT(array, type, i) (&g_array_index(array, type, i))

#endif

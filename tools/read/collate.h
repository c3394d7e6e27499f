/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace files on one time line (thesis 5.3.4): objects, their samples, and metrics over the
 * intervals between samples. For the guest and the host.
 *
 *   collate_add()       adds a file; collate_add_bytes(): a file that lies in memory
 *   collate_finish()    after the last file: sorts and labels objects, finds what can be computed
 *   collate_value()     a metric of an object over the interval between two of its samples
 *   collate_place()     a program counter as FUNCTION+OFFSET; collate_code() and
 *                       collate_code_name() by parts
 *
 * Files stay mapped until the program ends; collate_free() frees the rest.
 */
#ifndef TOOLS_COLLATE_H
#define TOOLS_COLLATE_H

#include <stdbool.h>
#include <stdio.h>

#include "../../lib/mapping/mapping.h"
#include "sn_metric.h"
#include "../common/symbols.h"
#include "trace.h"

struct collate_sample {
    uint64_t time; /* ns of the Hub's clock */
    uint32_t flags;
    uint32_t ncols;
    const unsigned char *raw;
    const struct mapping *map; /* of the program counter; null: none is known */
};

/* Where the program of a thread said to be. */
struct collate_mark {
    uint64_t time;
    unsigned what; /* enum snt_mark */
    const char *text;
    const struct collate_object *object;
};

struct collate_object {
    enum snt_kind kind;
    char label[16];   /* n1, p0, t2 */
    const char *name; /* from the trace: a path, or program:tid */
    int node, number, tid;
    struct collate_file *file;
    uint16_t id; /* in its file */
    unsigned ncols;
    int col[SN_NVALUES]; /* column of a counter, or -1 */
    struct collate_sample *sample;
    size_t n, room;
    struct mapping *map;
    size_t nmaps;
    bool shown; /* it is to be printed */
};

struct collate_file {
    const char *path;
    struct snt_reader reader;
    struct snt_record system; /* type 0: the file has none */
    uint64_t first, last;     /* times of sampling */
    uint64_t ticks, cost, lost;
    double ms_per_tick;
    struct collate_object **by_id; /* the latest OBJECT record of each id; nids of them */
    unsigned nids;
    unsigned unordered; /* samples that are not later than the one before; they are dropped */
};

/* An executable or library that code was mapped from. */
struct collate_image {
    struct collate_image *next;
    const char *path;
    struct symbols *symbols;
    char *where; /* the file that the symbols are from, or null */
    bool tried;
};

struct collate {
    struct collate_file **file;
    size_t nfiles;
    struct collate_object **object;
    size_t nobjects;
    const struct collate_object **node; /* those of nodes with counters, by node and file */
    size_t nnodes;
    struct collate_mark *mark; /* in the order of the files */
    size_t nmarks;
    struct snt_cpu cpu[SNT_MAX_CPUS];
    unsigned ncpus;
    uint64_t origin;       /* the start of the earliest run, which is time 0 */
    bool have[SN_NVALUES]; /* counters that any object has */
    /* Which metrics are about requests of the processors that a thread ran on. */
    bool reads[SN_NMETRICS], wbacks[SN_NMETRICS];
    struct collate_image *images;
    void *image_tree;         /* of tsearch(): the same by path */
    const char *symbols_root; /* the directory on this machine that holds the images, or null */
};

/*
 * Reads a whole file. 0, or -1 with one line in why, without the file's name. A cut or damaged file
 * is read as far as possible; the reader in struct collate_file says what is missing.
 */
int collate_add(struct collate *c, const char *path, char *why, size_t size);
/*
 * Adds all files of a null-ended list. A file that is too short for a header, as a killed writer
 * may leave it, is reported on stderr after "PROG: " and skipped if there are other files. 0, or -1
 * with one line in why, with the file's name.
 */
int collate_add_all(struct collate *c, const char *prog, char **paths, char *why, size_t size);
int collate_add_bytes(struct collate *c, const char *path, const void *bytes, size_t n, char *why,
                      size_t size);

void collate_free(struct collate *c);

void collate_finish(struct collate *c);

/* Whether the metric can be computed for the object from these files. */
bool collate_available(const struct collate *c, const struct collate_object *o, int metric);

/*
 * The metric over samples [from, to] of o, with from < to < o->n. NAN: it is unknown. pc and cpuid
 * are those of sample `to`.
 *
 * Metrics of threads use the node's counters for the processor that the thread ran on, interpolated
 * linearly between the node's samples. If the thread moved between two samples, half of the
 * interval counts for each processor. Intervals between two samples of the thread for which no file
 * has samples of these nodes are left out, also from the thread's own counters.
 */
double collate_value(const struct collate *c, const struct collate_object *o, size_t from,
                     size_t to, int metric);

/*
 * Whether an event that the metric needs had had no turn by sample `at`, so that the value is
 * unknown. Only threads whose events take turns have such samples.
 */
bool collate_waits(const struct collate_object *o, size_t at, int metric);

/* How much of the time of samples [from, to] collate_value() counts for a metric of a thread. */
struct collate_cover {
    double seconds, unknown; /* of all; of these, without the counters of the thread's nodes */
    uint64_t nodes;          /* nodes where it ran then and that no file has; bit 0: node 0 */
};
struct collate_cover collate_cover(const struct collate *c, const struct collate_object *o,
                                   size_t from, size_t to, int metric);

/*
 * The code at sample k < o->n of a thread that has the counter pc: "FUNCTION+0xOFFSET",
 * "IMAGE+0xOFFSET" or the bare address. Returns buf.
 */
char *collate_place(struct collate *c, const struct collate_object *o, size_t k, char *buf,
                    size_t size);
/* The same without the offset, for totals. */
char *collate_function(struct collate *c, const struct collate_object *o, size_t k, char *buf,
                       size_t size);

/* The code that a thread ran at a sample. */
struct collate_code {
    struct collate_image *image; /* null: unknown */
    uint64_t offset;             /* in the image's file; the virtual address if that is unknown */
    uint64_t address;            /* the same as the headers of the image's file have it */
};
/* Sample k < o->n of a thread that has the counter pc. */
struct collate_code collate_code(struct collate *c, const struct collate_object *o, size_t k);
/*
 * The function there: its name, or IMAGE:0xADDRESS with its start if it has none, or IMAGE. Returns
 * buf.
 */
char *collate_code_name(struct collate *c, struct collate_image *image, uint64_t offset, char *buf,
                        size_t size);
/* The file on this machine that holds the image, in buf; false: none can be read. */
bool collate_image_path(struct collate *c, struct collate_image *image, char *buf, size_t size);

/*
 * The preamble of figures 5.3 and 5.5: the system, the shown objects, the meanings of the metrics
 * if there are any, and a blank line.
 */
void collate_preamble(const struct collate *c, const int *metric, unsigned nmetrics, FILE *f,
                      const char *lead);

/*
 * Reports damage, one line for each file and kind on stderr after "PROG: "; true if there is any.
 */
bool collate_complain(const struct collate *c, const char *prog);

#endif

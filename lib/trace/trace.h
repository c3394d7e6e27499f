/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event trace files: what snrun and `snsar --output` write and sninfo and
 * sndump read.  docs/trace-format.md gives the format byte by byte.
 *
 * A file is a header and records.  Each record carries its length, a sequence
 * number and a CRC-32C.  So a file that was cut off can be read up to its last
 * whole record, and damage in the middle costs only the records that it touches.
 * Reading takes time in proportion to the file's bytes, whatever they are.
 * Numbers are in the writer's byte order; the reader swaps them.
 *
 * Pure C11, except for the writing of files (snt_file_*).  Serves host and guest.
 * Allocates nothing.
 *
 *   Writing   snt_file_create, snt_put_*, snt_file_flush, snt_file_close
 *   Reading   snt_open (a buffer that holds the file), snt_next, snt_strerror
 */
#ifndef SN_TRACE_H
#define SN_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNT_MAGIC      "\211SNT\r\n\032\n"
#define SNT_ORDER      0x01020304u
#define SNT_MAJOR      1 /* a reader refuses any other */
#define SNT_MINOR      1 /* a reader ignores records of later versions */
#define SNT_HEADER     64
#define SNT_RECORD     16   /* a record's own header */
#define SNT_MAX_RECORD 8192 /* bytes, header included */
#define SNT_WINDOW     (2 * SNT_MAX_RECORD)
#define SNT_MAX_COLS   256
#define SNT_MAX_CPUS   512
#define SNT_MAX_OBJECT 65535
#define SNT_UNKNOWN    UINT64_MAX /* a value of a sample: the event has not had a turn yet */

enum snt_type {
    SNT_SYSTEM = 1, /* "key=value" strings: the machine and the run */
    SNT_CPUS,       /* the node of each CPU */
    SNT_OBJECT,     /* a node, port or thread and the columns of its samples */
    SNT_SAMPLE,     /* the counters of an object at one time */
    SNT_MAP,        /* a file mapped executable into a thread's process */
    SNT_EVENT,      /* something that happened to an object */
    SNT_END,        /* the writer closed the file properly */
    SNT_MARK,       /* the program of an object said where it is */
};

enum snt_kind {
    SNT_NODE = 1,
    SNT_PORT = 2,
    SNT_THREAD = 4,
};

/* Flags of a sample. */
#define SNT_ESTIMATE 1u /* some values cover part of the interval and were scaled up */
#define SNT_OVERFLOW 2u /* the interval was too long: a counter may have wrapped unseen */
#define SNT_KERNEL   4u /* the thread was in the kernel: pc is where it entered it */

enum snt_what {
    SNT_START = 1, /* sampling of the object began */
    SNT_FORK,      /* arg: pid of the child */
    SNT_CLONE,     /* arg: tid of the new thread */
    SNT_EXEC,      /* the process has begun to run another image */
    SNT_EXIT,      /* the thread ended */
    SNT_LOST,      /* arg: samples lost since the last stored one */
};

enum snt_mark {
    SNT_REGION_BEGIN = 1, /* of the region of interest that the text names */
    SNT_REGION_END,
    SNT_BARRIER, /* all threads of a barrier have come */
};

/* Errors are negative.  snt_strerror() explains them. */
#define SNT_ERR_SHORT   -1 /* no room for a header: an empty or cut file */
#define SNT_ERR_MAGIC   -2 /* not a trace file */
#define SNT_ERR_ORDER   -3 /* the byte-order tag is neither big- nor little-endian */
#define SNT_ERR_VERSION -4 /* a major version other than SNT_MAJOR */
#define SNT_ERR_HEADER  -5 /* the header's checksum is wrong */

/* The file's header.  Times are nanoseconds. */
struct snt_header {
    uint16_t major, minor;
    uint64_t boot;  /* identifies the boot; files of one boot share a clock */
    uint64_t run;   /* identifies the run of the tool that wrote the file */
    uint64_t start; /* CLOCK_MONOTONIC_RAW (the Hub's clock) when the run's time was 0 */
    uint64_t wall;  /* CLOCK_REALTIME at the same time */
};

struct snt_cpu {
    uint16_t cpu, node, slice; /* logical number, cnodeid, 0 or 1 in the node */
    uint16_t model;            /* 10, 12, 14: R10000, R12000, R14000; 0 unknown */
    uint32_t khz;
};

/* A record that was read.  Its pointers point into the caller's buffer. */
struct snt_record {
    uint16_t type;
    uint32_t length, seq;
    uint64_t offset; /* in the file */
    union {
        struct {
            const char *text; /* strings, one after the other */
            uint32_t bytes;   /* of all strings, NULs included */
        } system;
        struct {
            uint32_t n;
            const unsigned char *raw; /* snt_cpu_at decodes */
        } cpus;
        struct {
            uint16_t id, kind;
            int32_t node;   /* cnodeid of a node; -1 otherwise */
            int32_t number; /* port number or pid; -1 otherwise */
            int32_t tid;    /* thread; -1 otherwise */
            uint16_t ncols;
            const char *name; /* /hw path, path:port, or program:tid */
            const char *cols; /* names of the columns, one after the other */
        } object;
        struct {
            uint16_t object, n;
            uint32_t flags;
            uint64_t time;            /* CLOCK_MONOTONIC */
            const unsigned char *raw; /* snt_value_at decodes */
        } sample;
        struct {
            uint16_t object;
            uint64_t time, addr, size, offset; /* offset: in the file */
            const char *path;
        } map;
        struct {
            uint16_t object, what;
            uint64_t time, arg;
        } event;
        struct {
            uint16_t object, what; /* enum snt_mark */
            uint64_t time;
            const char *text;
        } mark;
        struct {
            uint64_t time;  /* when the file was closed */
            uint64_t first; /* when sampling began */
            uint64_t ticks; /* rounds of sampling */
            uint64_t cost;  /* ns spent on them */
            uint64_t lost;  /* samples dropped: taken too late, or not stored */
        } end;
    } u;
};

struct snt_reader {
    struct snt_header header;
    bool swap;
    const unsigned char *buf;
    uint64_t len, pos;
    uint32_t seq;     /* expected next */
    uint64_t damaged; /* bytes skipped in the middle: records with a wrong checksum */
    uint64_t tail;    /* bytes at the end that are not a whole record */
    uint64_t missing; /* records that are gone, by the sequence numbers */
    bool ended;       /* an END record was read */
    /* Checksums of any stretch of a window, for the search behind damage; see reader.c. */
    bool searching;
    uint64_t window;                        /* its start */
    uint32_t prefix[SNT_WINDOW / 8 + 1];    /* CRC of its first 8 * i bytes */
    uint32_t power[SNT_MAX_RECORD / 8 + 1]; /* x^(64 * i) modulo the CRC's polynomial */
};

/*
 * Starts reading a file that is in memory at buf, which must stay there.  Returns 0
 * or SNT_ERR_*; after an error the reader must not be used.
 */
int snt_open(struct snt_reader *r, const void *buf, size_t len);

/*
 * Finds the next whole, undamaged record of a known type and form.  Returns 1 and
 * sets *rec, or 0 at the end.  Damage is counted in the reader, never returned.
 */
int snt_next(struct snt_reader *r, struct snt_record *rec);

uint64_t snt_value_at(const struct snt_reader *r, const struct snt_record *rec, unsigned i);
/* Name of column i < ncols of an OBJECT: a counter of libsnpc's sn_metrics.h.inc. */
const char *snt_col_at(const struct snt_record *rec, unsigned i);
struct snt_cpu snt_cpu_at(const struct snt_reader *r, const struct snt_record *rec, unsigned i);

/*
 * The value of key in a SYSTEM record, or NULL.  snt_next() returns only records
 * whose strings end within them.
 */
const char *snt_system_get(const struct snt_record *rec, const char *key);

const char *snt_strerror(int err);

/* CRC-32C (Castagnoli) of n bytes, continuing from crc (0 to begin). */
uint32_t snt_crc32c(uint32_t crc, const void *p, size_t n);

/*
 * The product of two polynomials modulo that of the CRC. Bit 31 is the coefficient of x^0. With b =
 * x^(8 * n), a CRC's register a becomes what it is after n bytes of zeros.
 */
uint32_t snt_crc32c_times(uint32_t a, uint32_t b);

/* --- writing --- */

/*
 * A file that is being written.  Records gather in buf and are written in whole
 * batches.  If a batch does not fit (full disk), it is cut off again as a whole, and
 * its samples count as lost.  Not for use by two threads at once.
 */
struct snt_file {
    int fd;
    int error;    /* errno of the last write, 0 if it succeeded */
    uint64_t pos; /* where the whole records end */
    uint32_t seq;
    uint64_t lost;     /* SAMPLE records dropped */
    uint64_t reported; /* of these, reported by LOST events */
    uint32_t used;     /* bytes in buf */
    uint32_t samples;  /* SAMPLE records in buf */
    unsigned char buf[4 * SNT_MAX_RECORD];
};

/*
 * Creates or truncates path (mode 0644 & ~umask) and writes the header.  Returns 0,
 * or -1 with errno and f->fd = -1.
 */
int snt_file_create(struct snt_file *f, const char *path, const struct snt_header *h);

/*
 * Writes the records that have gathered.  Returns 0, or -1 with errno if they had to
 * be dropped.  Later records can still be stored, once there is room.
 */
int snt_file_flush(struct snt_file *f);

/*
 * Flushes and closes.  Returns 0, or -1 with the errno of the first failure.  To be
 * sure that the data are on the disk, fsync or syncfs f->fd before.
 */
int snt_file_close(struct snt_file *f);

/*
 * Each of these appends one record.  They return -1 with errno EINVAL if the record
 * would be longer than SNT_MAX_RECORD, or with the errno of a failed flush.  A path
 * that is too long is cut.
 */
int snt_put_system(struct snt_file *f, const char *const *strings, unsigned n);
int snt_put_cpus(struct snt_file *f, const struct snt_cpu *cpu, unsigned n);
int snt_put_object(struct snt_file *f, uint16_t id, enum snt_kind kind, int32_t node,
                   int32_t number, int32_t tid, const char *const *col, unsigned ncols,
                   const char *name);
int snt_put_sample(struct snt_file *f, uint16_t object, uint64_t time, uint32_t flags,
                   const uint64_t *value, unsigned n);
int snt_put_map(struct snt_file *f, uint16_t object, uint64_t time, uint64_t addr, uint64_t size,
                uint64_t offset, const char *path);
int snt_put_event(struct snt_file *f, uint16_t object, enum snt_what what, uint64_t time,
                  uint64_t arg);
int snt_put_mark(struct snt_file *f, uint16_t object, enum snt_mark what, uint64_t time,
                 const char *text);
int snt_put_end(struct snt_file *f, uint64_t first, uint64_t time, uint64_t ticks, uint64_t cost);

#endif

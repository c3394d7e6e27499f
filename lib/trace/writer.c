/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes trace files; see trace.h.  Records are built in the file's buffer and
 * written in batches at a known offset.  A batch that did not fit on the disk is cut
 * off again, so that the file always ends with a whole record.
 */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void put16(unsigned char *p, uint16_t v)
{
    memcpy(p, &v, 2);
}

static void put32(unsigned char *p, uint32_t v)
{
    memcpy(p, &v, 4);
}

static void put64(unsigned char *p, uint64_t v)
{
    memcpy(p, &v, 8);
}

/* Writes all n bytes at offset pos; 0, or -1 with errno. */
static int write_at(int fd, const unsigned char *p, size_t n, uint64_t pos)
{
    while (n) {
        ssize_t k = pwrite(fd, p, n, (off_t)pos);

        if (k < 0 && errno == EINTR) {
            continue;
        }
        if (k <= 0) {
            errno = k ? errno : ENOSPC;
            return -1;
        }
        p += k;
        n -= (size_t)k;
        pos += (uint64_t)k;
    }
    return 0;
}

int snt_file_create(struct snt_file *f, const char *path, const struct snt_header *h)
{
    unsigned char b[SNT_HEADER] = { 0 };

    memset(f, 0, offsetof(struct snt_file, buf));
    f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (f->fd < 0) {
        return -1;
    }
    memcpy(b, SNT_MAGIC, 8);
    put32(b + 8, SNT_ORDER);
    put16(b + 12, SNT_MAJOR);
    put16(b + 14, SNT_MINOR);
    put32(b + 16, SNT_HEADER);
    put64(b + 24, h->boot);
    put64(b + 32, h->run);
    put64(b + 40, h->start);
    put64(b + 48, h->wall);
    put32(b + 60, snt_crc32c(0, b, 60));
    if (write_at(f->fd, b, sizeof(b), 0) < 0) {
        int e = errno;

        close(f->fd);
        f->fd = -1;
        errno = e;
        return -1;
    }
    f->pos = sizeof(b);
    return 0;
}

int snt_file_flush(struct snt_file *f)
{
    if (!f->used) {
        return 0;
    }
    if (write_at(f->fd, f->buf, f->used, f->pos) < 0) {
        f->error = errno;
        f->lost += f->samples;
        /* Ignored: if even this fails, the reader finds the cut itself. */
        if (ftruncate(f->fd, (off_t)f->pos) < 0) {
            errno = f->error;
        }
        f->used = f->samples = 0;
        errno = f->error;
        return -1;
    }
    f->pos += f->used;
    f->used = f->samples = 0;
    f->error = 0;
    return 0;
}

/*
 * Makes room for a record with n bytes of payload.  Returns the payload, zeroed, or
 * NULL with errno.  record_done() must follow.
 */
static unsigned char *record(struct snt_file *f, enum snt_type type, size_t n)
{
    size_t length = SNT_RECORD + ((n + 7) & ~(size_t)7);
    unsigned char *p;

    if (length > SNT_MAX_RECORD) {
        errno = EINVAL;
        return NULL;
    }
    if (f->used + length > sizeof(f->buf) && snt_file_flush(f) < 0) {
        return NULL;
    }
    p = f->buf + f->used;
    memset(p, 0, length);
    p[0] = 'S';
    p[1] = 'N';
    put16(p + 2, type);
    put32(p + 4, (uint32_t)length);
    put32(p + 8, f->seq);
    return p + SNT_RECORD;
}

static int record_done(struct snt_file *f)
{
    unsigned char *p = f->buf + f->used;
    uint32_t length;

    memcpy(&length, p + 4, 4);
    put32(p + 12, snt_crc32c(snt_crc32c(0, p, 12), p + SNT_RECORD, length - SNT_RECORD));
    f->used += length;
    f->seq++;
    return 0;
}

int snt_put_system(struct snt_file *f, const char *const *strings, unsigned n)
{
    size_t bytes = 0;
    unsigned char *p;

    for (unsigned i = 0; i < n; i++) {
        bytes += strlen(strings[i]) + 1;
    }
    p = record(f, SNT_SYSTEM, 8 + bytes);
    if (!p) {
        return -1;
    }
    put32(p, (uint32_t)bytes);
    p += 8;
    for (unsigned i = 0; i < n; i++) {
        size_t k = strlen(strings[i]) + 1;

        memcpy(p, strings[i], k);
        p += k;
    }
    return record_done(f);
}

int snt_put_cpus(struct snt_file *f, const struct snt_cpu *cpu, unsigned n)
{
    unsigned char *p = n <= SNT_MAX_CPUS ? record(f, SNT_CPUS, 8 + 12 * (size_t)n) : NULL;

    if (!p) {
        errno = n <= SNT_MAX_CPUS ? errno : EINVAL;
        return -1;
    }
    put32(p, n);
    p += 8;
    for (unsigned i = 0; i < n; i++, p += 12) {
        put16(p, cpu[i].cpu);
        put16(p + 2, cpu[i].node);
        put16(p + 4, cpu[i].slice);
        put16(p + 6, cpu[i].model);
        put32(p + 8, cpu[i].khz);
    }
    return record_done(f);
}

int snt_put_object(struct snt_file *f, uint16_t id, enum snt_kind kind, int32_t node,
                   int32_t number, int32_t tid, const char *const *col, unsigned ncols,
                   const char *name)
{
    size_t bytes = strlen(name) + 1;
    unsigned char *p;

    for (unsigned i = 0; i < ncols; i++) {
        bytes += strlen(col[i]) + 1;
    }
    p = ncols <= SNT_MAX_COLS ? record(f, SNT_OBJECT, 24 + bytes) : NULL;
    if (!p) {
        errno = ncols <= SNT_MAX_COLS ? errno : EINVAL;
        return -1;
    }
    put16(p, id);
    put16(p + 2, kind);
    put32(p + 4, (uint32_t)node);
    put32(p + 8, (uint32_t)number);
    put32(p + 12, (uint32_t)tid);
    put16(p + 16, (uint16_t)ncols);
    p += 24;
    for (unsigned i = 0; i <= ncols; i++) {
        const char *text = i ? col[i - 1] : name;
        size_t k = strlen(text) + 1;

        memcpy(p, text, k);
        p += k;
    }
    return record_done(f);
}

int snt_put_sample(struct snt_file *f, uint16_t object, uint64_t time, uint32_t flags,
                   const uint64_t *value, unsigned n)
{
    unsigned char *p;

    if (n > SNT_MAX_COLS) {
        errno = EINVAL;
        return -1;
    }
    if (f->lost != f->reported) {
        uint64_t lost = f->lost;

        if (snt_put_event(f, object, SNT_LOST, time, lost - f->reported) == 0 &&
            snt_file_flush(f) == 0) {
            f->reported = lost;
        }
    }
    p = record(f, SNT_SAMPLE, 16 + 8 * (size_t)n);
    if (!p) {
        f->lost++;
        return -1;
    }
    put16(p, object);
    put16(p + 2, (uint16_t)n);
    put32(p + 4, flags);
    put64(p + 8, time);
    memcpy(p + 16, value, 8 * (size_t)n);
    f->samples++;
    return record_done(f);
}

int snt_put_map(struct snt_file *f, uint16_t object, uint64_t time, uint64_t addr, uint64_t size,
                uint64_t offset, const char *path)
{
    size_t k = strnlen(path, SNT_MAX_RECORD - SNT_RECORD - 41);
    unsigned char *p = record(f, SNT_MAP, 40 + k + 1);

    if (!p) {
        return -1;
    }
    put16(p, object);
    put64(p + 8, time);
    put64(p + 16, addr);
    put64(p + 24, size);
    put64(p + 32, offset);
    memcpy(p + 40, path, k);
    return record_done(f);
}

int snt_put_event(struct snt_file *f, uint16_t object, enum snt_what what, uint64_t time,
                  uint64_t arg)
{
    unsigned char *p = record(f, SNT_EVENT, 24);

    if (!p) {
        return -1;
    }
    put16(p, object);
    put16(p + 2, what);
    put64(p + 8, time);
    put64(p + 16, arg);
    return record_done(f);
}

int snt_put_mark(struct snt_file *f, uint16_t object, enum snt_mark what, uint64_t time,
                 const char *text)
{
    size_t k = strnlen(text, SNT_MAX_RECORD - SNT_RECORD - 17);
    unsigned char *p = record(f, SNT_MARK, 16 + k + 1);

    if (!p) {
        return -1;
    }
    put16(p, object);
    put16(p + 2, what);
    put64(p + 8, time);
    memcpy(p + 16, text, k);
    return record_done(f);
}

int snt_put_end(struct snt_file *f, uint64_t first, uint64_t time, uint64_t ticks, uint64_t cost)
{
    unsigned char *p;

    /* Flush first: only then is the number of lost samples known. */
    if (snt_file_flush(f) < 0 || !(p = record(f, SNT_END, 40))) {
        return -1;
    }
    put64(p, time);
    put64(p + 8, first);
    put64(p + 16, ticks);
    put64(p + 24, cost);
    put64(p + 32, f->lost);
    return record_done(f);
}

int snt_file_close(struct snt_file *f)
{
    int e = snt_file_flush(f) < 0 ? errno : 0;

    if (close(f->fd) < 0 && !e) {
        e = errno;
    }
    f->fd = -1;
    errno = e;
    return e ? -1 : 0;
}

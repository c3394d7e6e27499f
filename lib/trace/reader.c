/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads trace files from memory; see trace.h.  Every length is checked against the
 * record, every record against the file.  Unknown or malformed records are skipped.
 */
#include "trace.h"

#include <string.h>

static uint16_t get16(const struct snt_reader *r, const unsigned char *p)
{
    uint16_t v;

    memcpy(&v, p, 2);
    return r->swap ? __builtin_bswap16(v) : v;
}

static uint32_t get32(const struct snt_reader *r, const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return r->swap ? __builtin_bswap32(v) : v;
}

static uint64_t get64(const struct snt_reader *r, const unsigned char *p)
{
    uint64_t v;

    memcpy(&v, p, 8);
    return r->swap ? __builtin_bswap64(v) : v;
}

int snt_open(struct snt_reader *r, const void *buf, size_t len)
{
    const unsigned char *p = buf;
    uint32_t order, size;

    memset(r, 0, sizeof(*r));
    if (len < 8 || memcmp(p, SNT_MAGIC, 8) != 0) {
        return len < 8 && memcmp(p, SNT_MAGIC, len) == 0 ? SNT_ERR_SHORT : SNT_ERR_MAGIC;
    }
    if (len < SNT_HEADER) {
        return SNT_ERR_SHORT;
    }
    memcpy(&order, p + 8, 4);
    if (order != SNT_ORDER && order != __builtin_bswap32(SNT_ORDER)) {
        return SNT_ERR_ORDER;
    }
    r->swap = order != SNT_ORDER;
    r->header.major = get16(r, p + 12);
    r->header.minor = get16(r, p + 14);
    if (r->header.major != SNT_MAJOR) {
        return SNT_ERR_VERSION;
    }
    size = get32(r, p + 16);
    if (get32(r, p + 60) != snt_crc32c(0, p, 60) || size < SNT_HEADER || size % 8 != 0) {
        return SNT_ERR_HEADER;
    }
    if (size > len) {
        return SNT_ERR_SHORT;
    }
    r->header.boot = get64(r, p + 24);
    r->header.run = get64(r, p + 32);
    r->header.start = get64(r, p + 40);
    r->header.wall = get64(r, p + 48);
    r->buf = p;
    r->len = len;
    r->pos = size;
    return 0;
}

/* --- checksums --- */

/*
 * After damage a record may begin at every eighth byte, and what looks like a record's header may
 * claim 8 KB. Reading all of these bytes for each such checksum would take a thousand times as long
 * as reading the file once. A CRC is linear: the checksum of any stretch follows from those of two
 * prefixes by one multiplication. A window of two longest records moves through the file, so each
 * byte is read for two windows at most.
 */
static void begin_search(struct snt_reader *r)
{
    static const unsigned char zeros[8];

    r->searching = true;
    r->window = UINT64_MAX;
    r->power[0] = 1u << 31;
    r->power[1] = ~snt_crc32c(~r->power[0], zeros, 8);
    for (unsigned i = 2; i < sizeof(r->power) / sizeof(*r->power); i++) {
        r->power[i] = snt_crc32c_times(r->power[i - 1], r->power[1]);
    }
}

/* Makes the window hold the longest record that may begin at pos. */
static void move_window(struct snt_reader *r, uint64_t pos)
{
    uint64_t words = (r->len - pos) / 8;

    if (pos >= r->window && pos - r->window <= SNT_WINDOW - SNT_MAX_RECORD) {
        return;
    }
    r->window = pos;
    r->prefix[0] = ~0u; /* the register is the complement of the CRC: 0 */
    for (unsigned i = 0; i < SNT_WINDOW / 8 && i < words; i++) {
        r->prefix[i + 1] = snt_crc32c(r->prefix[i], r->buf + pos + 8 * i, 8);
    }
}

/* snt_crc32c(head, ...) of the bytes from `from` to `to`, multiples of eight in the window. */
static uint32_t stretch(const struct snt_reader *r, uint32_t head, uint64_t from, uint64_t to)
{
    uint32_t before = r->prefix[(from - r->window) / 8], all = r->prefix[(to - r->window) / 8];

    return all ^ snt_crc32c_times(head ^ before, r->power[(to - from) / 8]);
}

/* The length of the record at pos; 0 if there is no whole and undamaged one. */
static uint32_t whole(struct snt_reader *r, uint64_t pos)
{
    const unsigned char *p = r->buf + pos;
    uint64_t left = r->len - pos;
    uint32_t length, crc;

    if (left < SNT_RECORD || p[0] != 'S' || p[1] != 'N') {
        return 0;
    }
    length = get32(r, p + 4);
    if (length < SNT_RECORD || length > SNT_MAX_RECORD || length % 8 != 0 || length > left) {
        return 0;
    }
    crc = snt_crc32c(0, p, 12);
    if (r->searching) {
        move_window(r, pos);
        crc = stretch(r, crc, pos + SNT_RECORD, pos + length);
    } else {
        crc = snt_crc32c(crc, p + SNT_RECORD, length - SNT_RECORD);
    }
    if (crc == get32(r, p + 12)) {
        return length;
    }
    if (!r->searching) {
        begin_search(r);
    }
    return 0;
}

/* --- records --- */

/* The string at p, or NULL if its NUL does not come before end. */
static const char *text(const unsigned char *p, const unsigned char *end)
{
    return p < end && memchr(p, 0, (size_t)(end - p)) ? (const char *)p : NULL;
}

/* The payload from p to end is at least 24 bytes. */
static bool decode_object(const struct snt_reader *r, struct snt_record *rec,
                          const unsigned char *p, const unsigned char *end)
{
    rec->u.object.id = get16(r, p);
    rec->u.object.kind = get16(r, p + 2);
    rec->u.object.node = (int32_t)get32(r, p + 4);
    rec->u.object.number = (int32_t)get32(r, p + 8);
    rec->u.object.tid = (int32_t)get32(r, p + 12);
    rec->u.object.ncols = get16(r, p + 16);
    rec->u.object.name = text(p + 24, end);
    if (!rec->u.object.name || rec->u.object.ncols > SNT_MAX_COLS) {
        return false;
    }
    p = (const unsigned char *)rec->u.object.name;
    for (unsigned i = 0; i < rec->u.object.ncols; i++) {
        p += strlen((const char *)p) + 1;
        if (!text(p, end)) {
            return false;
        }
    }
    rec->u.object.cols = rec->u.object.name + strlen(rec->u.object.name) + 1;
    return rec->u.object.kind == SNT_NODE || rec->u.object.kind == SNT_PORT ||
           rec->u.object.kind == SNT_THREAD;
}

/* Fills rec->u from the payload; false if the payload does not have its type's form. */
static bool decode(const struct snt_reader *r, struct snt_record *rec)
{
    const unsigned char *p = r->buf + rec->offset + SNT_RECORD;
    const unsigned char *end = r->buf + rec->offset + rec->length;
    size_t n = rec->length - SNT_RECORD;

    switch (rec->type) {
    case SNT_SYSTEM:
        if (n < 8) {
            return false;
        }
        rec->u.system.bytes = get32(r, p);
        rec->u.system.text = (const char *)p + 8;
        return rec->u.system.bytes <= n - 8 && rec->u.system.bytes > 0 &&
               p[8 + rec->u.system.bytes - 1] == 0;
    case SNT_CPUS:
        if (n < 8) {
            return false;
        }
        rec->u.cpus.n = get32(r, p);
        rec->u.cpus.raw = p + 8;
        return rec->u.cpus.n <= SNT_MAX_CPUS && rec->u.cpus.n <= (n - 8) / 12;
    case SNT_OBJECT:
        return n >= 24 && decode_object(r, rec, p, end);
    case SNT_SAMPLE:
        if (n < 16) {
            return false;
        }
        rec->u.sample.object = get16(r, p);
        rec->u.sample.n = get16(r, p + 2);
        rec->u.sample.flags = get32(r, p + 4);
        rec->u.sample.time = get64(r, p + 8);
        rec->u.sample.raw = p + 16;
        return rec->u.sample.n <= SNT_MAX_COLS && rec->u.sample.n <= (n - 16) / 8;
    case SNT_MAP:
        if (n < 40) {
            return false;
        }
        rec->u.map.object = get16(r, p);
        rec->u.map.time = get64(r, p + 8);
        rec->u.map.addr = get64(r, p + 16);
        rec->u.map.size = get64(r, p + 24);
        rec->u.map.offset = get64(r, p + 32);
        rec->u.map.path = text(p + 40, end);
        return rec->u.map.path != NULL;
    case SNT_EVENT:
        if (n < 24) {
            return false;
        }
        rec->u.event.object = get16(r, p);
        rec->u.event.what = get16(r, p + 2);
        rec->u.event.time = get64(r, p + 8);
        rec->u.event.arg = get64(r, p + 16);
        return true;
    case SNT_MARK:
        if (n < 17) {
            return false;
        }
        rec->u.mark.object = get16(r, p);
        rec->u.mark.what = get16(r, p + 2);
        rec->u.mark.time = get64(r, p + 8);
        rec->u.mark.text = text(p + 16, end);
        return rec->u.mark.text != NULL;
    case SNT_END:
        if (n < 40) {
            return false;
        }
        rec->u.end.time = get64(r, p);
        rec->u.end.first = get64(r, p + 8);
        rec->u.end.ticks = get64(r, p + 16);
        rec->u.end.cost = get64(r, p + 24);
        rec->u.end.lost = get64(r, p + 32);
        return true;
    }
    return false;
}

int snt_next(struct snt_reader *r, struct snt_record *rec)
{
    while (r->pos < r->len) {
        uint64_t at = r->pos;
        uint32_t length = 0;

        /* Records begin at multiples of eight bytes: look for the next good one. */
        while (at < r->len && !(length = whole(r, at))) {
            at += 8;
        }
        if (!length) {
            r->tail = r->len - r->pos;
            r->pos = r->len;
            return 0;
        }
        r->damaged += at - r->pos;
        r->pos = at + length;
        memset(rec, 0, sizeof(*rec));
        rec->offset = at;
        rec->length = length;
        rec->type = get16(r, r->buf + at + 2);
        rec->seq = get32(r, r->buf + at + 8);
        r->missing += rec->seq - r->seq < 0x80000000u ? rec->seq - r->seq : 0;
        r->seq = rec->seq + 1;
        if (decode(r, rec)) {
            r->ended |= rec->type == SNT_END;
            return 1;
        }
    }
    return 0;
}

uint64_t snt_value_at(const struct snt_reader *r, const struct snt_record *rec, unsigned i)
{
    return get64(r, rec->u.sample.raw + 8 * (size_t)i);
}

const char *snt_col_at(const struct snt_record *rec, unsigned i)
{
    const char *p = rec->u.object.cols;

    while (i--) {
        p += strlen(p) + 1;
    }
    return p;
}

struct snt_cpu snt_cpu_at(const struct snt_reader *r, const struct snt_record *rec, unsigned i)
{
    const unsigned char *p = rec->u.cpus.raw + 12 * (size_t)i;

    return (struct snt_cpu){ get16(r, p), get16(r, p + 2), get16(r, p + 4), get16(r, p + 6),
                             get32(r, p + 8) };
}

const char *snt_system_get(const struct snt_record *rec, const char *key)
{
    const char *p = rec->u.system.text, *end = p + rec->u.system.bytes;
    size_t n = strlen(key);

    for (; p < end; p += strlen(p) + 1) {
        if (strncmp(p, key, n) == 0 && p[n] == '=') {
            return p + n + 1;
        }
    }
    return NULL;
}

const char *snt_strerror(int err)
{
    static const char *const text[] = {
        [0] = "no error",
        [-SNT_ERR_SHORT] = "cut short: no whole header",
        [-SNT_ERR_MAGIC] = "not a trace file",
        [-SNT_ERR_ORDER] = "damaged: no byte-order tag",
        [-SNT_ERR_VERSION] = "of another format version",
        [-SNT_ERR_HEADER] = "damaged: the header's checksum is wrong",
    };

    return err <= 0 && err >= SNT_ERR_HEADER ? text[-err] : "unknown error";
}

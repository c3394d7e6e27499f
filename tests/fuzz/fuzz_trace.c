/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzer of the code that reads trace files (libFuzzer): the reader, collation with
 * every metric, and the ELF symbol reader.  An input is tried as it is and once more
 * with corrected checksums, so that mutations get past them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collate.h"
#include "symbols.h"

#define CHECK(x)     \
    do {             \
        if (!(x)) {  \
            abort(); \
        }            \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t get32(const uint8_t *p, int swap)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return swap ? __builtin_bswap32(v) : v;
}

static void put32(uint8_t *p, uint32_t v, int swap)
{
    v = swap ? __builtin_bswap32(v) : v;
    memcpy(p, &v, 4);
}

static void put16(uint8_t *p, uint16_t v, int swap)
{
    v = swap ? __builtin_bswap16(v) : v;
    memcpy(p, &v, 2);
}

/* Corrects the magic, the version and every checksum. */
static void repair(uint8_t *p, size_t n)
{
    uint32_t order;
    int swap;

    if (n < SNT_HEADER) {
        return;
    }
    memcpy(p, SNT_MAGIC, 8);
    memcpy(&order, p + 8, 4);
    swap = order == __builtin_bswap32(SNT_ORDER);
    put32(p + 8, SNT_ORDER, swap);
    put16(p + 12, SNT_MAJOR, swap);
    put32(p + 16, SNT_HEADER, swap);
    put32(p + 60, snt_crc32c(0, p, 60), swap);
    for (size_t at = SNT_HEADER; at + SNT_RECORD <= n;) {
        uint32_t length = get32(p + at + 4, swap) & ~7u;

        if (length < SNT_RECORD || length > SNT_MAX_RECORD || length > n - at) {
            at += 8;
            continue;
        }
        p[at] = 'S';
        p[at + 1] = 'N';
        put32(p + at + 4, length, swap);
        put32(p + at + 12,
              snt_crc32c(snt_crc32c(0, p + at, 12), p + at + SNT_RECORD, length - SNT_RECORD),
              swap);
        at += length;
    }
}

static void try(const uint8_t *data, size_t size)
{
    static struct collate c;
    char why[200] = "", text[300];
    uint8_t *p = malloc(size ? size : 1); /* a copy, so that reads beyond its end are found */

    memcpy(p, data, size);
    c.symbols_root = "/nonexistent";
    if (collate_add_bytes(&c, "input", p, size, why, sizeof(why)) < 0) {
        CHECK(*why && strlen(why) < sizeof(why));
        free(p);
        return;
    }
    collate_finish(&c);
    CHECK(c.file[0]->reader.tail + c.file[0]->reader.damaged <= size);
    for (size_t i = 0; i < c.nobjects && i < 20; i++) {
        const struct collate_object *o = c.object[i];

        CHECK(strlen(o->label) && o->name);
        for (size_t k = 0; k + 1 < o->n && k < 20; k++) {
            CHECK(o->sample[k].time < o->sample[k + 1].time);
            for (int m = 0; m < SN_NMETRICS; m++) {
                double v = collate_value(&c, o, k, k + 1, m);

                CHECK(sn_metric_format(m, v, text, sizeof(text)) == text);
                if (m == SN_M_PC && collate_available(&c, o, m)) {
                    collate_place(&c, o, k + 1, text, sizeof(text));
                }
            }
        }
    }
    collate_free(&c);
    free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why = "", *name;
    uint64_t into;
    uint8_t *fixed = malloc(size ? size : 1);
    struct symbols *s;

    try(data, size);
    memcpy(fixed, data, size);
    repair(fixed, size);
    try(fixed, size);
    if (size > 4) {
        memcpy(fixed, data, size);
        memcpy(fixed, "\177ELF", 4);
        s = symbols_read(fixed, size, &why);
        CHECK(s || *why);
        for (uint64_t at = 0; s && at < size; at += 1 + size / 16) {
            name = symbols_find(s, at, &into);
            CHECK(!name || (strlen(name) < size && into <= size));
        }
        symbols_free(s);
    }
    free(fixed);
    return 0;
}

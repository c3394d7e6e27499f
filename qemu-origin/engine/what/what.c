/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of hypothetical machines; see what.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "parts/timing.h"
#include "text/distance.h"
#include "what/what.h"

#define FACTOR_MAX 1000.0
#define PS_MAX     1e9 /* a millisecond */

enum sort { SIZE, COUNT, POWER, WORD, FLAG, FORM, TIMES, RATE };
enum key {
#define SN_WHAT(NAME, ...)       KEY_##NAME,
#define SN_WHAT_GROUP(NAME, ...) KEY_##NAME,
#include "what/what.h.inc"
    KEYS
};

_Static_assert(SN_NPARTS <= SN_WHAT_PARTS && KEYS <= 64, "each has room");

struct row {
    const char *key, *value, *changes, *help;
    enum sort sort;
    uint32_t low, high;
    const char *whole, *parts; /* of TIMES and RATE */
};

#define TIME_VALUE   "xFACTOR|TIME|ideal"
#define FACTOR_VALUE "xFACTOR|ideal"

static const struct row rows[KEYS] = {
#define SN_WHAT(NAME, key, sort, low, high, value, changes, help) \
    [KEY_##NAME] = { key, value, changes, help, sort, low, high, "", "" },
#define SN_WHAT_GROUP(NAME, key, sort, whole, changes, help, parts) \
    [KEY_##NAME] = { key, TIME_VALUE, changes, help, sort, 0, 0, whole, parts },
#include "what/what.h.inc"
};

static int fail(char *err, size_t errlen, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(char *err, size_t errlen, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(err, errlen, fmt, ap);
    va_end(ap);
    return -1;
}

/* The next word of a list with `c` between them, cut off at size - 1; false: none */
static bool next(const char **list, char c, char *word, size_t size)
{
    const char *end = strchr(*list, c);
    size_t n = end ? (size_t)(end - *list) : strlen(*list);

    if (!**list) {
        return false;
    }
    snprintf(word, size, "%.*s", (int)n, *list);
    *list += n + (end != NULL);
    return true;
}

/* ---- rows ---- */

/* The key of a row of timing.h.inc */
static void part_key(enum sn_part p, char key[24])
{
    const char *s = sn_parts[p].name;
    unsigned i = 0;

    for (; s[i] && i < 23; i++) {
        key[i] = s[i];
        if (s[i] == '_') {
            key[i] = '-';
        } else if (s[i] >= 'A' && s[i] <= 'Z') {
            key[i] = (char)(s[i] - 'A' + 'a');
        }
    }
    key[i] = '\0';
}

/* 96 K as 96K, 1024 K as 1M */
static int print_k(char *to, size_t size, uint32_t k)
{
    return snprintf(to, size, "%u%c", k % 1024 ? k : k / 1024,
                    k % 1024 ? 'K' : 'M');
}

static void print_range(char *to, size_t size, const struct row *r)
{
    int n;

    switch (r->sort) {
    case SIZE:
        n = print_k(to, size, r->low);
        n += snprintf(to + n, size - (size_t)n, " to ");
        n += print_k(to + n, size - (size_t)n, r->high);
        snprintf(to + n, size - (size_t)n, ", a power of 2");
        break;
    case COUNT:
        snprintf(to, size, "%u to %u", r->low, r->high);
        break;
    case POWER:
    case WORD:
    case FLAG:
        break;
    case FORM:
        snprintf(to, size, "N from %u to %u", r->low, r->high);
        break;
    case TIMES:
    case RATE:
        snprintf(to, size, "x0 to x%.0f%s", FACTOR_MAX,
                 *r->whole ? ", up to 1ms" : "");
    }
}

bool sn_what_rows(unsigned i, struct sn_what_row *row)
{
    const struct row *r = &rows[i < KEYS ? i : 0];

    memset(row, 0, sizeof(*row));
    if (i >= KEYS + SN_NPARTS) {
        return false;
    }
    if (i < KEYS) {
        snprintf(row->key, sizeof(row->key), "%s", r->key);
        row->value = r->sort >= TIMES && !*r->whole ? FACTOR_VALUE : r->value;
        row->changes = r->changes;
        row->help = r->help;
        print_range(row->range, sizeof(row->range), r);
        return true;
    }
    part_key(i - KEYS, row->key);
    row->value = TIME_VALUE;
    row->changes = "a part of latencies";
    row->help = sn_parts[i - KEYS].what;
    snprintf(row->range, sizeof(row->range), "x0 to x%.0f, up to 1ms",
             FACTOR_MAX);
    return true;
}

/* Number of the row with this key, as sn_what_rows() has them; -1 and a line: none */
static int find(const char *key, char *err, size_t errlen)
{
    unsigned best = 99;
    struct sn_what_row row;
    char near[24] = "";

    for (unsigned i = 0; sn_what_rows(i, &row); i++) {
        unsigned far = text_distance(key, row.key);

        if (!strcmp(key, row.key)) {
            return (int)i;
        }
        if (far < best) {
            best = far;
            memcpy(near, row.key, sizeof(near));
        }
    }
    return fail(err, errlen, "%.40s: no such key, the nearest is %s", key,
                near);
}

/* ---- values ---- */

static int bad(const char *key, const char *value, char *err, size_t errlen)
{
    struct sn_what_row row;
    int i = find(key, err, errlen);

    if (i >= 0 && sn_what_rows((unsigned)i, &row)) {
        fail(err, errlen, "%s=%.40s: %s is wanted%s%s", key, value,
             *row.value ? row.value : "no value", *row.range ? ", " : "",
             row.range);
    }
    return -1;
}

/* A number, for SIZE in KB; false: it is none that the row allows. */
static bool number(const struct row *r, const char *value, uint32_t *v)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);

    if (*value < '0' || *value > '9' || n > UINT32_MAX / 1024) {
        return false;
    }
    if (r->sort == SIZE) {
        if (*end == 'M') {
            n *= 1024;
        } else if (*end != 'K') {
            return false;
        }
        end++;
    }
    *v = (uint32_t)n;
    return !*end && n >= r->low && n <= r->high &&
           (r->sort == COUNT || r->sort == FORM || !(n & (n - 1)));
}

/* A factor or a time; false: it is neither, or out of range. */
static bool duration(const char *value, bool times, struct sn_what_part *w)
{
    static const struct {
        const char *name;
        double ps;
    } unit[] = { { "ps", 1 }, { "ns", 1e3 }, { "us", 1e6 }, { "ms", 1e9 } };
    bool factor = *value == 'x';
    const char *digits = value + factor;
    char *end;
    double v = strtod(digits, &end);

    w->how = SN_WHAT_FACTOR;
    w->v = 0;
    if (!strcmp(value, "ideal")) {
        return true;
    }
    /* strtod() would take nan and hexadecimal numbers, too */
    if (!*digits || end == digits ||
        strspn(digits, "0123456789.") < (size_t)(end - digits)) {
        return false;
    }
    w->v = v;
    if (factor) {
        return !*end && v <= FACTOR_MAX;
    }
    w->how = SN_WHAT_PS;
    for (unsigned i = 0; times && i < sizeof(unit) / sizeof(unit[0]); i++) {
        if (!strcmp(end, unit[i].name)) {
            w->v = v * unit[i].ps;
            return w->v <= PS_MAX;
        }
    }
    return false;
}

/* One part gets what the key says; -1: another key has changed it. */
static int change(struct sn_desc *d, const char *key, const char *name,
                  const struct sn_what_part *to, char *err, size_t errlen)
{
    for (unsigned p = 0; p < SN_NPARTS; p++) {
        struct sn_what_part *w = &d->what.part[p];

        if (strcmp(sn_parts[p].name, name)) {
            continue;
        }
        if (w->how != SN_WHAT_NOT) {
            char own[24];

            part_key(p, own);
            return fail(err, errlen, "%s: another key has changed %s already",
                        key, own);
        }
        *w = *to;
    }
    return 0;
}

static int set_parts(struct sn_desc *d, unsigned i, const char *key,
                     const char *value, char *err, size_t errlen)
{
    const struct row *r = i < KEYS ? &rows[i] : NULL;
    struct sn_what_part w = { 0 };
    const char *whole = r ? r->whole : sn_parts[i - KEYS].name;
    char name[24];

    if (!duration(value, *whole, &w)) {
        return bad(key, value, err, errlen);
    }
    if (r && r->sort == RATE && w.v > 0) {
        w.v = 1 / w.v;
    } else if (r && r->sort == RATE && strcmp(value, "ideal")) {
        return fail(err, errlen, "%s=%.40s: nothing would ever arrive", key,
                    value);
    }
    for (unsigned p = 0; p < SN_NPARTS; p++) {
        if (!strcmp(sn_parts[p].name, whole)) {
            w.of = (uint8_t)p;
        }
    }
    for (const char *list = r ? r->parts : whole; next(&list, ' ', name, 24);) {
        if (change(d, key, name, &w, err, errlen)) {
            return -1;
        }
    }
    return 0;
}

static void set_l2(struct sn_desc *d, uint32_t kb)
{
    d->what.l2 = kb < 1024 || kb > 8192;
    for (unsigned n = 0; n < d->nnodes; n++) {
        for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
            d->node[n].cpu[s].l2_bytes = kb * 1024;
        }
    }
}

/* full, coarse[:N] or limited:N[:evict]; false: it is none of them. */
static bool set_directory(struct sn_desc *d, const struct row *r,
                          const char *value)
{
    const char *colon = strchr(value, ':');
    size_t n = colon ? (size_t)(colon - value) : strlen(value);
    char digits[8];
    uint32_t v = 8;

    if (colon) {
        const char *more = strchr(colon + 1, ':');

        snprintf(digits, sizeof(digits), "%.*s",
                 more ? (int)(more - colon - 1) : 7, colon + 1);
        d->what.evict = more && !strcmp(more, ":evict") && *value == 'l';
        if (!number(r, digits, &v) || (more && !d->what.evict)) {
            return false;
        }
    }
    if (n == 6 && !strncmp(value, "coarse", n)) {
        d->what.group = (uint8_t)v;
        return true;
    }
    if (colon && n == 7 && !strncmp(value, "limited", n)) {
        d->what.sharers = (uint8_t)v;
        return true;
    }
    return !strcmp(value, "full");
}

/* A key with a word, or without a value.  1: as the hardware is; -1: no such word */
static int set_word(struct sn_desc *d, enum key k, const char *value, char *err,
                    size_t errlen)
{
    switch (k) {
    case KEY_DIRECTORY:
        if (!set_directory(d, &rows[k], value)) {
            return -1;
        }
        if (d->what.evict && d->what.sharers < 2) {
            return fail(err, errlen,
                        "directory=%s: an owner and the reader that it gives "
                        "the line to are two sharers",
                        value);
        }
        return !d->what.group && !d->what.sharers;
    case KEY_PROTOCOL:
        d->what.msi = !strcmp(value, "msi");
        return d->what.msi ? 0 : strcmp(value, "mesi") ? -1 : 1;
    case KEY_SPEC:
        d->what.no_spec = !*value;
        return d->what.no_spec ? 0 : -1;
    case KEY_FOUR:
        d->what.four_hop = !*value;
        return d->what.four_hop ? 0 : -1;
    case KEY_L2_REPLACEMENT:
        d->what.l2_lru = !strcmp(value, "lru");
        return d->what.l2_lru ? 0 : strcmp(value, "random") ? -1 : 1;
    case KEY_BACKOFF:
        d->what.no_backoff = !*value;
        return d->what.no_backoff ? 0 : -1;
    default:
        return -1;
    }
}

/* One of the primary caches; false: another key has set it. */
static bool set_l1(uint32_t *bytes, uint32_t kb)
{
    bool first = !*bytes;

    *bytes = kb * 1024;
    return first;
}

/* Is this the length of the active list of all processors? */
static bool is_own_list(const struct sn_desc *d, uint32_t v)
{
    bool own = true;

    for (unsigned i = 0; i < d->nnodes * SN_NODE_CPUS; i++) {
        enum sn_cpu_model model =
            d->node[i / SN_NODE_CPUS].cpu[i % SN_NODE_CPUS].model;

        own &= model == SN_CPU_NONE ||
               v == (model == SN_CPU_R12000 ? SN_WINDOW_R12K : SN_WINDOW_R10K);
    }
    return own;
}

/* A key with a number.  1: as the hardware is, or a description can say it. */
static int set_number(struct sn_desc *d, enum key k, uint32_t v, char *err,
                      size_t errlen)
{
    struct sn_what *w = &d->what;
    bool first = true;

    switch (k) {
    case KEY_L2:
        set_l2(d, v);
        return !w->l2;
    case KEY_L1:
        first = set_l1(&w->l1d, v);
        first &= set_l1(&w->l1i, v);
        break;
    case KEY_L1D:
        first = set_l1(&w->l1d, v);
        break;
    case KEY_L1I:
        first = set_l1(&w->l1i, v);
        break;
    case KEY_L1_WAYS:
        w->l1_ways = (uint8_t)v;
        return v == 2;
    case KEY_L2_WAYS:
        w->l2_ways = (uint8_t)v;
        return v == 2;
    case KEY_L2_LINE:
        w->line_shift = (uint8_t)__builtin_ctz(v);
        return v == SN_LINE_SIZE;
    case KEY_MISSES:
        w->misses = (uint8_t)v;
        return v == SN_MSHRS;
    case KEY_LIST:
        w->list = (uint16_t)v;
        return is_own_list(d, v);
    default:
        return 0;
    }
    return first ? v == 32
                 : fail(err, errlen, "%s: another key has changed it already",
                        rows[k].key);
}

static int set_one(struct sn_desc *d, const char *text, char *err,
                   size_t errlen)
{
    char key[40];
    const char *value = strchr(text, '=');
    size_t used = strlen(d->what.keys), n;
    uint32_t v;
    int i, rc;

    *err = '\0';
    n = value ? (size_t)(value - text) : strlen(text);
    snprintf(key, sizeof(key), "%.*s", (int)n, text);
    i = find(key, err, errlen);
    if (i < 0) {
        return -1;
    }
    value = value ? value + 1 : "";
    if (i < KEYS && d->what.given >> i & 1) {
        return fail(err, errlen, "%s: given twice", key);
    }
    d->what.given |= i < KEYS ? 1ull << i : 0;
    if (i >= KEYS || rows[i].sort >= TIMES) {
        rc = set_parts(d, (unsigned)i, key, value, err, errlen);
    } else if (rows[i].sort >= WORD) {
        rc = set_word(d, (enum key)i, value, err, errlen);
    } else {
        rc = number(&rows[i], value, &v)
                 ? set_number(d, (enum key)i, v, err, errlen)
                 : -1;
    }
    if (rc < 0 && !*err) {
        bad(key, value, err, errlen);
    }
    if (rc) {
        return rc < 0 ? -1 : 0;
    }
    if (used + strlen(text) + 3 > sizeof(d->what.keys)) {
        return fail(err, errlen, "%s: too many keys", key);
    }
    snprintf(d->what.keys + used, sizeof(d->what.keys) - used, "%s%s",
             used ? ", " : "", text);
    return 0;
}

int sn_what_set(struct sn_desc *d, const char *text, char *err, size_t errlen)
{
    char one[80];

    if (!*text) {
        return fail(err, errlen, "KEY=VALUE is wanted");
    }
    while (next(&text, ',', one, sizeof(one))) {
        if (set_one(d, one, err, errlen)) {
            return -1;
        }
    }
    return 0;
}

/* Of two parts, the first is a time within the second. */
static int within(const struct sn_desc *d, enum sn_part a, enum sn_part b,
                  const struct sn_node_desc *n, const struct sn_cpu_desc *c,
                  char *err, size_t errlen)
{
    char inner[24], outer[24];

    if (sn_part_ps(d, a, n->hub_khz, c->l2_khz, c->khz) <=
        sn_part_ps(d, b, n->hub_khz, c->l2_khz, c->khz)) {
        return 0;
    }
    part_key(a, inner);
    part_key(b, outer);
    return fail(err, errlen, "%s is a part of %s, and would be longer", inner,
                outer);
}

/* A tag has room for the address if a way is large enough. */
static int check_l1(const struct sn_what *w, char *err, size_t errlen)
{
    uint32_t ways = w->l1_ways ? w->l1_ways : 2;
    uint32_t l1d = w->l1d ? w->l1d : SN_L1_BYTES;
    uint32_t l1i = w->l1i ? w->l1i : SN_L1_BYTES;

    if (ways * SN_WAY_SMALLEST > l1d || ways * SN_WAY_SMALLEST > l1i) {
        return fail(err, errlen,
                    "a primary cache of %uK has %u ways at most, not %u",
                    (l1d < l1i ? l1d : l1i) / 1024,
                    (l1d < l1i ? l1d : l1i) / SN_WAY_SMALLEST, ways);
    }
    return 0;
}

int sn_what_check(const struct sn_desc *d, char *err, size_t errlen)
{
    if (check_l1(&d->what, err, errlen)) {
        return -1;
    }
    for (unsigned i = 0; d->what.keys[0] && i < d->nnodes * SN_NODE_CPUS; i++) {
        const struct sn_node_desc *n = &d->node[i / SN_NODE_CPUS];
        const struct sn_cpu_desc *c = &n->cpu[i % SN_NODE_CPUS];

        if (c->model != SN_CPU_NONE &&
            (within(d, SN_P_LINE, SN_P_DIRTY, n, c, err, errlen) ||
             within(d, SN_P_ACK_USE, SN_P_ACK_NEXT, n, c, err, errlen) ||
             within(d, SN_P_OQ_LOW, SN_P_OQ_FULL, n, c, err, errlen))) {
            return -1;
        }
    }
    return 0;
}

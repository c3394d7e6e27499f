/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates the measured loops; see code.h. */
#include "code.h"
#include <stdbool.h>

/* Registers of the n64 calling convention. */
enum { ZERO = 0, V0 = 2, A0 = 4, A1 = 5, A2 = 6, A3 = 7, RA = 31 };

/* Floating point: loads use eight registers in turn, sums go into four. */
enum { TEMP = 0, TEMPS = 8, SUM = 16, SUMS = 4, LAG = 4 };

/* Where instructions are written; without out they are only counted. */
struct stream {
    uint32_t *out;
    size_t n;
};

static void put(struct stream *s, uint32_t word)
{
    if (s->out) {
        s->out[s->n] = word;
    }
    s->n++;
}

static void imm(struct stream *s, unsigned op, int base, int rt, int offset)
{
    put(s, (uint32_t)op << 26 | (uint32_t)base << 21 | (uint32_t)rt << 16 | (offset & 0xffff));
}

static void ld(struct stream *s, int rt, int off, int base)
{
    imm(s, 067, base, rt, off);
}
static void sd(struct stream *s, int rt, int off, int base)
{
    imm(s, 077, base, rt, off);
}
static void ldc1(struct stream *s, int ft, int off, int base)
{
    imm(s, 065, base, ft, off);
}
static void sdc1(struct stream *s, int ft, int off, int base)
{
    imm(s, 075, base, ft, off);
}
static void pref(struct stream *s, int hint, int off, int base)
{
    imm(s, 063, base, hint, off);
}
static void daddiu(struct stream *s, int rt, int rs, int n)
{
    imm(s, 031, rs, rt, n);
}

static void daddu(struct stream *s, int rd, int rs, int rt)
{
    put(s, (uint32_t)rs << 21 | (uint32_t)rt << 16 | (uint32_t)rd << 11 | 0x2d);
}

static void dmtc1(struct stream *s, int rt, int fs)
{
    put(s, 0x44a00000u | (uint32_t)rt << 16 | (uint32_t)fs << 11);
}

static void add_d(struct stream *s, int fd, int fs, int ft)
{
    put(s, 0x46200000u | (uint32_t)ft << 16 | (uint32_t)fs << 11 | (uint32_t)fd << 6);
}

/* Branches back to word `top` until the count in A1 is 0. The caller emits the delay slot. */
static void loop(struct stream *s, size_t top)
{
    daddiu(s, A1, A1, -1);
    imm(s, 005, A1, ZERO, (int)top - (int)s->n - 1);
}

static void jr_ra(struct stream *s)
{
    put(s, (uint32_t)RA << 21 | 0x08);
}

int code_unroll(int stride)
{
    int u = 16;

    while (u > 1 && 2 * u * stride > 0x7fff) {
        u /= 2;
    }
    return u;
}

int code_ahead(int stride)
{
    return code_unroll(stride) > 1 ? code_unroll(stride) / 2 : 1;
}

static void chase(struct stream *s, bool store, int work)
{
    for (int i = 0; i < CODE_CHASE_UNROLL; i++) {
        if (store) {
            sd(s, A3, 8, A0);
        }
        ld(s, A0, 0, A0);
        for (int k = 0; k < work; k++) {
            daddu(s, A0, A0, A2);
        }
    }
    loop(s, 0);
    put(s, 0);
    jr_ra(s);
    daddu(s, V0, A0, ZERO);
}

/*
 * The accesses of one turn. With ahead, each prefetches the line so many accesses ahead, if its
 * number is below `until`.
 */
static void sum_turn(struct stream *s, int stride, int ahead, int until)
{
    int u = code_unroll(stride);

    for (int i = 0; i < u + LAG; i++) {
        if (ahead && i < u && i + ahead < until) {
            pref(s, 0, (i + ahead) * stride, A0);
        }
        if (i < u) {
            ldc1(s, TEMP + i % TEMPS, i * stride, A0);
        }
        if (i >= LAG) {
            add_d(s, SUM + i % SUMS, SUM + i % SUMS, TEMP + (i - LAG) % TEMPS);
        }
    }
}

static void sum(struct stream *s, int stride, int ahead)
{
    int u = code_unroll(stride);
    size_t top, out;

    for (int i = 0; i < SUMS; i++) {
        dmtc1(s, ZERO, SUM + i);
    }
    if (ahead) {
        /* The last turn must not prefetch beyond the array, so it stands behind the loop. */
        for (int i = 0; i < ahead; i++) {
            pref(s, 0, i * stride, A0);
        }
        daddiu(s, A1, A1, -1);
        out = s->n;
        put(s, 0);
        put(s, 0);
        top = s->n;
        sum_turn(s, stride, ahead, u + ahead);
        loop(s, top);
        daddiu(s, A0, A0, u * stride);
        if (s->out) {
            /* beq a1,zero: skip the loop if the last turn is the only one */
            s->out[out] = 004u << 26 | (uint32_t)A1 << 21 | ((s->n - out - 1) & 0xffff);
        }
        sum_turn(s, stride, ahead, u);
    } else {
        top = s->n;
        sum_turn(s, stride, 0, 0);
        loop(s, top);
        daddiu(s, A0, A0, u * stride);
    }
    add_d(s, SUM, SUM, SUM + 1);
    add_d(s, SUM + 2, SUM + 2, SUM + 3);
    jr_ra(s);
    add_d(s, 0, SUM, SUM + 2);
}

static void fill(struct stream *s, int stride)
{
    int u = code_unroll(stride);
    size_t top;

    dmtc1(s, ZERO, 0);
    top = s->n;
    for (int i = 0; i < u; i++) {
        sdc1(s, 0, i * stride, A0);
    }
    loop(s, top);
    daddiu(s, A0, A0, u * stride);
    jr_ra(s);
    put(s, 0);
}

static size_t make(enum code_kernel k, int stride, int work, uint32_t *out)
{
    struct stream s = { out, 0 };

    switch (k) {
    case CODE_WALK:
    case CODE_MODIFY:
        chase(&s, k == CODE_MODIFY, work);
        break;
    case CODE_SUM:
        sum(&s, stride, 0);
        break;
    case CODE_PRESUM:
        sum(&s, stride, code_ahead(stride));
        break;
    case CODE_FILL:
        fill(&s, stride);
        break;
    }
    return s.n;
}

size_t code_size(enum code_kernel k, int stride, int work)
{
    return make(k, stride, work, NULL);
}

void code_make(enum code_kernel k, int stride, int work, uint32_t *out)
{
    make(k, stride, work, out);
}

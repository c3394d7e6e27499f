/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The II's 20-bit linear feedback shift register as a counter.  The model
 * counts with it, drivers and tools decode it.  The hardware's polynomial is
 * not published; here it is x^20 + x^3 + 1 (Fibonacci form, shifting left),
 * whose period is the longest, 2^20 - 1.  State 0 never occurs: the register
 * starts at SN_LFSR_SEED.
 *
 *   sn_lfsr_step()    one event
 *   sn_lfsr_jump()    n events, in at most 20 matrix squarings
 *   sn_lfsr_decode()  events between two states, modulo 2^20 - 1
 */
#ifndef SN_LFSR_H
#define SN_LFSR_H

#define SN_LFSR_MASK   0xfffffu
#define SN_LFSR_PERIOD 0xfffffu
#define SN_LFSR_SEED   1u

static inline unsigned int sn_lfsr_step(unsigned int s)
{
    return (s << 1 | ((s >> 19 ^ s >> 2) & 1)) & SN_LFSR_MASK;
}

/* The product of a matrix, given by its columns, and the vector v. */
static inline unsigned int sn_lfsr_apply(const unsigned int col[20], unsigned int v)
{
    unsigned int r = 0, i;

    for (i = 0; i < 20; i++) {
        if (v >> i & 1) {
            r ^= col[i];
        }
    }
    return r;
}

static inline unsigned int sn_lfsr_jump(unsigned int s, unsigned long long n)
{
    unsigned int col[20], sq[20], i;

    n %= SN_LFSR_PERIOD;
    for (i = 0; i < 20; i++) {
        col[i] = sn_lfsr_step(1u << i);
    }
    for (; n; n >>= 1) {
        if (n & 1) {
            s = sn_lfsr_apply(col, s);
        }
        for (i = 0; i < 20; i++) {
            sq[i] = sn_lfsr_apply(col, col[i]);
        }
        for (i = 0; i < 20; i++) {
            col[i] = sq[i];
        }
    }
    return s;
}

/* Linear search: at most 2^20 steps, a few milliseconds. */
static inline unsigned int sn_lfsr_decode(unsigned int from, unsigned int to)
{
    unsigned int n = 0;

    from &= SN_LFSR_MASK;
    to &= SN_LFSR_MASK;
    if (!from || !to) {
        return 0;
    }
    while (from != to) {
        from = sn_lfsr_step(from);
        n++;
    }
    return n;
}

#endif

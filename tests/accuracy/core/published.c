/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What others measured on real machines: docs/fidelity/core.md compares both (published.csv has their
 * figures).  Digests and ciphers of 8192 bytes at a time, as SSLeay's and OpenSSL's `speed` has them, and
 * the loop by which Linux waits.  Each cipher and digest proves first that it is right, by the values that
 * its standard gives.  Lines as measure.h has them.
 *
 * Sources: RFC 1321, FIPS 180-1, RFC 6229, Lai's thesis on IDEA (1992).
 */
#include "measure.h"

#define BLOCK 8192
#define TIMES 16

static uint8_t text[BLOCK];

static uint32_t rotate(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

/* --- MD5 ---------------------------------------------------------------------------- */

#define F(x, y, z)                   (((y ^ z) & x) ^ z)
#define G(x, y, z)                   (((x ^ y) & z) ^ y)
#define H(x, y, z)                   (x ^ y ^ z)
#define I(x, y, z)                   (y ^ (x | ~z))
#define STEP(f, a, b, c, d, k, n, t) (a = rotate(a + f(b, c, d) + w[k] + t, n) + b)
/* Four steps, whose words lie @more apart, and where the words of a round begin */
#define STEPS(f, k, more, n0, n1, n2, n3, t0, t1, t2, t3)                                  \
    STEP(f, a, b, c, d, (k) % 16, n0, t0), STEP(f, d, a, b, c, ((k) + more) % 16, n1, t1), \
        STEP(f, c, d, a, b, ((k) + 2 * more) % 16, n2, t2),                                \
        STEP(f, b, c, d, a, ((k) + 3 * more) % 16, n3, t3)
#define MD5_1(k, ...) STEPS(F, k, 1, 7, 12, 17, 22, __VA_ARGS__)
#define MD5_2(k, ...) STEPS(G, k, 5, 5, 9, 14, 20, __VA_ARGS__)
#define MD5_3(k, ...) STEPS(H, k, 3, 4, 11, 16, 23, __VA_ARGS__)
#define MD5_4(k, ...) STEPS(I, k, 7, 6, 10, 15, 21, __VA_ARGS__)

static void md5_blocks(uint32_t state[4], const uint8_t *p, size_t blocks)
{
    for (; blocks; blocks--, p += 64) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3], w[16];

        for (int i = 0; i < 16; i++)
            w[i] = p[4 * i] | p[4 * i + 1] << 8 | p[4 * i + 2] << 16 | (uint32_t)p[4 * i + 3] << 24;
        MD5_1(0, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee);
        MD5_1(4, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501);
        MD5_1(8, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be);
        MD5_1(12, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821);
        MD5_2(1, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa);
        MD5_2(5, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8);
        MD5_2(9, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed);
        MD5_2(13, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a);
        MD5_3(5, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c);
        MD5_3(1, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70);
        MD5_3(13, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05);
        MD5_3(9, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665);
        MD5_4(0, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039);
        MD5_4(12, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1);
        MD5_4(8, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1);
        MD5_4(4, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391);
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
}

static double md5(void)
{
    uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };

    for (int i = 0; i < TIMES; i++)
        md5_blocks(state, text, BLOCK / 64);
    text[0] = (uint8_t)state[0];
    return TIMES * BLOCK;
}

/* --- SHA-1 -------------------------------------------------------------------------- */

#define MAJORITY(x, y, z) ((x & y) | ((x | y) & z))
/* A step; the caller has the variables change their places. */
#define SHA(f, k, a, b, c, d, e, i) \
    (e += rotate(a, 5) + f(b, c, d) + k + word(w, i), b = rotate(b, 30))
#define SHA5(f, k, i)                                                                              \
    SHA(f, k, a, b, c, d, e, i), SHA(f, k, e, a, b, c, d, i + 1), SHA(f, k, d, e, a, b, c, i + 2), \
        SHA(f, k, c, d, e, a, b, i + 3), SHA(f, k, b, c, d, e, a, i + 4)
#define SHA20(f, k, i) (SHA5(f, k, i), SHA5(f, k, i + 5), SHA5(f, k, i + 10), SHA5(f, k, i + 15))

static inline uint32_t word(uint32_t w[16], int i)
{
    if (i >= 16)
        w[i % 16] = rotate(w[i % 16] ^ w[(i + 2) % 16] ^ w[(i + 8) % 16] ^ w[(i + 13) % 16], 1);
    return w[i % 16];
}

static void sha1_blocks(uint32_t state[5], const uint8_t *p, size_t blocks)
{
    for (; blocks; blocks--, p += 64) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], w[16];

        memcpy(w, p, sizeof(w)); /* words are big-endian, as the processor is */
        SHA20(F, 0x5a827999, 0);
        SHA20(H, 0x6ed9eba1, 20);
        SHA20(MAJORITY, 0x8f1bbcdc, 40);
        SHA20(H, 0xca62c1d6, 60);
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
    }
}

static double sha1(void)
{
    uint32_t state[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };

    for (int i = 0; i < TIMES; i++)
        sha1_blocks(state, text, BLOCK / 64);
    text[0] = (uint8_t)state[0];
    return TIMES * BLOCK;
}

/* --- RC4, its table of int, as SSLeay's options say ---------------------------------- */

static struct rc4 {
    unsigned x, y, s[256];
} rc4_state;

static void rc4_key(struct rc4 *r, const uint8_t *key, unsigned n)
{
    *r = (struct rc4){ 0 };
    for (unsigned i = 0; i < 256; i++)
        r->s[i] = i;
    for (unsigned i = 0, j = 0; i < 256; i++) {
        unsigned t = r->s[i];

        j = (j + t + key[i % n]) & 255;
        r->s[i] = r->s[j];
        r->s[j] = t;
    }
}

static void rc4_crypt(struct rc4 *r, uint8_t *p, size_t n)
{
    unsigned x = r->x, y = r->y, *s = r->s;

    for (size_t i = 0; i < n; i++) {
        unsigned sx, sy;

        x = (x + 1) & 255;
        sx = s[x];
        y = (y + sx) & 255;
        sy = s[y];
        s[x] = sy;
        s[y] = sx;
        p[i] ^= (uint8_t)s[(sx + sy) & 255];
    }
    r->x = x;
    r->y = y;
}

static double rc4(void)
{
    for (int i = 0; i < TIMES; i++)
        rc4_crypt(&rc4_state, text, BLOCK);
    return TIMES * BLOCK;
}

/* --- IDEA, chained ------------------------------------------------------------------- */

static uint16_t idea_keys[52];

static void idea_key(uint16_t k[52], const uint16_t key[8])
{
    memcpy(k, key, 16);
    for (int i = 8; i < 52; i++) { /* eight keys, and the same rotated by 25 */
        int from = i / 8 * 8 - 8, at = i % 8;

        k[i] = (uint16_t)(k[from + (at + 1) % 8] << 9 | k[from + (at + 2) % 8] >> 7);
    }
}

/* a b modulo 65537, in which 0 means 65536 */
static inline uint32_t product(uint32_t a, uint32_t b)
{
    uint32_t p = a * b, low;

    if (!p)
        return (1 - a - b) & 0xffff;
    low = p & 0xffff;
    p >>= 16;
    return (low - p + (low < p)) & 0xffff;
}

static void idea_crypt(const uint16_t *k, uint16_t x[4])
{
    uint32_t a = x[0], b = x[1], c = x[2], d = x[3], s, t;

    for (int round = 0; round < 8; round++, k += 6) {
        a = product(a, k[0]);
        b = (b + k[1]) & 0xffff;
        c = (c + k[2]) & 0xffff;
        d = product(d, k[3]);
        s = product(a ^ c, k[4]);
        t = product(((b ^ d) + s) & 0xffff, k[5]);
        s = (s + t) & 0xffff;
        a ^= t;
        d ^= s;
        s ^= b;
        b = c ^ t;
        c = s;
    }
    x[0] = (uint16_t)product(a, k[0]);
    x[1] = (uint16_t)(c + k[1]);
    x[2] = (uint16_t)(b + k[2]);
    x[3] = (uint16_t)product(d, k[3]);
}

static double idea(void)
{
    uint16_t *p = (uint16_t *)(void *)text, x[4] = { 0 };

    for (int i = 0; i < TIMES / 4; i++)
        for (int at = 0; at < BLOCK / 2; at += 4) {
            for (int k = 0; k < 4; k++)
                x[k] ^= p[at + k];
            idea_crypt(idea_keys, x);
            memcpy(p + at, x, sizeof(x));
        }
    return TIMES / 4 * BLOCK;
}

/* --- Linux's delay loop: BogoMIPS are half as many as its turns ---------------------- */

static double delay(void)
{
    long n = 200000;

    __asm__ volatile(
        ".set push\n.set noreorder\n.align 3\n1: bnez %0, 1b\ndaddiu %0, %0, -1\n.set pop"
        : "+r"(n));
    return 200000 * 2;
}

/* --- */

static bool right(void)
{
    static const uint32_t md5_abc[4] = { 0x98500190, 0xb04fd23c, 0x7d3f96d6, 0x727fe128 };
    static const uint32_t sha1_abc[5] = { 0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c,
                                          0x9cd0d89d };
    static const uint8_t stream[4] = { 0xb2, 0x39, 0x63, 0x05 };
    static const uint16_t key[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const uint16_t crypted[4] = { 0x11fb, 0xed2b, 0x0198, 0x6de5 };
    uint32_t m[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
    uint32_t s[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    uint16_t x[4] = { 0, 1, 2, 3 };
    uint8_t block[64] = "abc\x80", zero[4] = { 0 };
    bool ok;

    block[56] = 24;
    md5_blocks(m, block, 1);
    block[56] = 0;
    block[63] = 24;
    sha1_blocks(s, block, 1);
    rc4_key(&rc4_state, (const uint8_t *)"\1\2\3\4\5", 5);
    rc4_crypt(&rc4_state, zero, 4);
    idea_key(idea_keys, key);
    idea_crypt(idea_keys, x);
    ok = !memcmp(m, md5_abc, sizeof(m)) && !memcmp(s, sha1_abc, sizeof(s)) &&
         !memcmp(zero, stream, 4) && !memcmp(x, crypted, sizeof(x));
    if (!ok)
        fprintf(stderr, "published: a digest or a cipher is wrong: %08x %08x %02x %04x\n", m[0],
                s[0], zero[0], x[0]);
    return ok;
}

int main(void)
{
    if (!right() || !measure_open())
        return 1;
    for (int i = 0; i < BLOCK; i++)
        text[i] = (uint8_t)i;
    measure("md5", "bytes", md5);
    measure("sha1", "bytes", sha1);
    measure("rc4", "bytes", rc4);
    measure("idea-cbc", "bytes", idea);
    measure("delay", "BogoMIPS", delay);
    return 0;
}

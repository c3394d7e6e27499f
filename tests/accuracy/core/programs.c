/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole programs of one thread, for docs/fidelity/core.md.  Lines as measure.h has them.
 *
 * The data are made first, so that no page is touched for the first time while the clock runs.
 */
#include <math.h>
#include "measure.h"

#define VECTOR (1 << 20) /* doubles: three vectors are more than any L2 */
#define APART  640       /* doubles between them, so that they have other places in the L1 */
#define N      192       /* rows of a matrix: three of them fit in the L2, and none in the L1 */
#define POINTS 4096
#define KEYS   100000
#define BODIES 256
#define SMALL  100
#define TEXT   31

static double *a, *b, *c;

static void fill(double *p, long n)
{
    for (long i = 0; i < n; i++)
        p[i] = 1.0 + (double)(i * 7919 % 1000) / 1000;
}

/* --- each returns its operations --------------------------------------------------- */

static double copy(void)
{
    for (long i = 0; i < VECTOR; i++)
        c[i] = a[i];
    return 16.0 * VECTOR;
}

static double scale(void)
{
    for (long i = 0; i < VECTOR; i++)
        b[i] = 3.0 * c[i];
    return 16.0 * VECTOR;
}

static double add(void)
{
    for (long i = 0; i < VECTOR; i++)
        c[i] = a[i] + b[i];
    return 24.0 * VECTOR;
}

static double triad(void)
{
    for (long i = 0; i < VECTOR; i++)
        a[i] = b[i] + 3.0 * c[i];
    return 24.0 * VECTOR;
}

static double naive(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;

            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * b[k * N + j];
            c[i * N + j] = sum;
        }
    return 2.0 * N * N * N;
}

/* Four by four sums in registers */
static void block(const double *x, const double *y, double *z)
{
    double s[4][4] = { { 0 } };

    for (int k = 0; k < N; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                s[i][j] += x[i * N + k] * y[k * N + j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            z[i * N + j] = s[i][j];
}

static double blocked(void)
{
    for (int j = 0; j < N; j += 4)
        for (int i = 0; i < N; i += 4)
            block(a + i * N, b + j, c + i * N + j);
    return 2.0 * N * N * N;
}

/* Radix 2 in place; roots of unity are in b, the points in a: pairs of real and imaginary parts */
static double fft(void)
{
    int bits = 0;

    for (int half = 1; half < POINTS; half *= 2, bits++)
        for (int k = 0; k < half; k++) {
            double wr = b[2 * (k * (POINTS / 2 / half))], wi = b[2 * (k * (POINTS / 2 / half)) + 1];

            for (int i = k; i < POINTS; i += 2 * half) {
                double *p = a + 2 * i, *q = p + 2 * half;
                double r = wr * q[0] - wi * q[1], m = wr * q[1] + wi * q[0];

                q[0] = p[0] - r;
                q[1] = p[1] - m;
                p[0] += r;
                p[1] += m;
            }
        }
    return 5.0 * POINTS * bits;
}

static void quicksort(int *p, long n)
{
    while (n > 1) {
        int pivot = p[n / 2], t;
        long i = 0, j = n - 1;

        while (i <= j) {
            while (p[i] < pivot)
                i++;
            while (p[j] > pivot)
                j--;
            if (i <= j) {
                t = p[i];
                p[i++] = p[j];
                p[j--] = t;
            }
        }
        quicksort(p, j + 1);
        p += i;
        n -= i;
    }
}

static int keys[KEYS];
static double sort(void)
{
    uint32_t r = 1;

    for (int i = 0; i < KEYS; i++) {
        r = r * 1664525 + 1013904223;
        keys[i] = (int)(r >> 8);
    }
    quicksort(keys, KEYS);
    return KEYS;
}

static double bodies(void)
{
    for (int i = 0; i < BODIES; i++) {
        double x = 0, y = 0, z = 0;

        for (int j = 0; j < BODIES; j++) {
            double dx = a[j] - a[i], dy = b[j] - b[i], dz = c[j] - c[i];
            double d = dx * dx + dy * dy + dz * dz + 0.01, f = 1 / (d * sqrt(d));

            x += f * dx;
            y += f * dy;
            z += f * dz;
        }
        a[BODIES + i] = x + y + z;
    }
    return 20.0 * BODIES * BODIES;
}

/* LINPACK's system of 100 equations, by columns: factors, then the solution */
static double linpack(void)
{
    for (int i = 0; i < SMALL * SMALL; i++)
        a[i] = (double)(i * 3125 % 65536 - 32768) / 16384 + (i % (SMALL + 1) ? 0 : 50);
    for (int i = 0; i < SMALL; i++)
        b[i] = i;
    for (int k = 0; k < SMALL - 1; k++) {
        double *p = a + k * SMALL;

        for (int i = k + 1; i < SMALL; i++)
            p[i] = -p[i] / p[k];
        for (int j = k + 1; j < SMALL; j++) {
            double *q = a + j * SMALL, t = q[k];

            for (int i = k + 1; i < SMALL; i++)
                q[i] += t * p[i];
        }
        for (int i = k + 1; i < SMALL; i++)
            b[i] += b[k] * p[i];
    }
    for (int k = SMALL - 1; k >= 0; k--) {
        b[k] /= a[k * SMALL + k];
        for (int i = 0; i < k; i++)
            b[i] -= b[k] * a[k * SMALL + i];
    }
    return 2.0 / 3 * SMALL * SMALL * SMALL + 2.0 * SMALL * SMALL;
}

/* Records, strings, calls and branches, as programs without floating point have them */
struct record {
    struct record *next;
    int kind, value;
    char text[TEXT + 1];
};

static __attribute__((noinline)) int choose(const struct record *r, int n)
{
    switch ((r->kind + n) % 4) {
    case 0:
        return r->value;
    case 1:
        return r->value > n ? n : -n;
    case 2:
        return strcmp(r->text, r->next->text) > 0;
    default:
        return r->next->value;
    }
}

static double records(void)
{
    static struct record r[2] = { { r + 1, 1, 2, "a text of some thirty letters" },
                                  { r, 2, 3, "a text of some thirty-one lines" } };
    enum { TURNS = 20000 };

    for (int i = 0; i < TURNS; i++) {
        struct record *p = &r[i % 2];

        p->value = choose(p, i) % 100;
        *p->next = *p;
        p->next->next = p;
        strcpy(p->text, i % 3 ? "a text of some thirty letters" : "another text of thirty letters");
    }
    return TURNS;
}

int main(void)
{
    static const struct {
        const char *name, *unit;
        double (*run)(void);
    } rows[] = { { "stream-copy", "bytes", copy },
                 { "stream-scale", "bytes", scale },
                 { "stream-add", "bytes", add },
                 { "stream-triad", "bytes", triad },
                 { "matrix-naive", "flop", naive },
                 { "matrix-blocked", "flop", blocked },
                 { "fft", "flop", fft },
                 { "sort", "keys", sort },
                 { "n-body", "flop", bodies },
                 { "linpack-100-C", "flop", linpack },
                 { "records", "turns", records } };

    a = malloc(3 * 8 * (VECTOR + APART));
    b = a + VECTOR + APART;
    c = b + VECTOR + APART;
    if (!a || !measure_open())
        return 1;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fill(a, VECTOR);
        fill(b, VECTOR);
        fill(c, VECTOR);
        measure(rows[i].name, rows[i].unit, rows[i].run);
    }
    return 0;
}

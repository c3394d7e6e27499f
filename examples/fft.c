// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Six-step FFT: the discrete Fourier transform of 2^m complex points by all processors.
 *
 * The points are a matrix of 2^(m/2) rows, and each thread has a stretch of rows.  Steps: transpose,
 * transform the rows, multiply by the roots of unity, transpose, transform the rows, transpose.  Threads
 * need each other's rows in the transposes only.  The algorithm is D. H. Bailey, "FFTs in External or
 * Hierarchical Memory" (1990); the SPLASH-2 suite has a kernel of this kind, which U. Prestor's thesis
 * measures (6.4).
 *
 * In a transpose a thread reads a patch of the matrix from each thread.  Who is first?
 *
 *   none       thread 0 for everybody: one memory after the other is a hot spot
 *   basic      the next thread, then the one behind it: no two threads read the same rows, if they keep step
 *   scrambled  an order in which a thread that is late does not delay the one behind it: the number of the
 *              step, its bits reversed, exclusive-or the thread's own number
 *   routes     an order that the machine's routes decide: threads of even nodes take the scrambled order, and those
 *              of odd nodes take, of the steps that they have left, the one that makes the most used memory and
 *              then the most used cable least used.  The routes come from snroute
 *
 * With -P a transpose prefetches the next block of 8 times 8 while it moves one.
 *
 * With -b the threads meet after each patch, so that they keep step (J. McCalpin's way, thesis 6.4).
 * With -c each thread copies its rows at the end, twice, and the time of the second copy is printed: what a transpose would
 * take if nothing were remote.
 */
#include "team.h"

#include <getopt.h>
#include <math.h>
#include <sys/mman.h>

/* Lines of 128 bytes hold 8 points: patches are transposed by blocks of 8 times 8. */
#define BLOCK 8

#define NODE_MAX   64
#define HUGE_BYTES (32l << 20)
#define HOP_MAX    16   /* ports that a packet leaves by */
#define PORT_MAX   1024 /* of all routers */

enum stagger { NONE, BASIC, SCRAMBLED, ROUTES };

static const char *const names[] = { "none", "basic", "scrambled", "routes" };

struct point {
    double re, im;
};

static struct {
    int threads, m;
    enum stagger stagger;
    int barriers;   /* the threads meet after each patch */
    int prefetch;   /* the next block of a transpose */
    int copies;     /* a local copy at the end, for comparison */
    int huge;       /* matrices lie in the largest pages */
    int main_first; /* thread 0 touches all data first */
    int main_fills; /* thread 0 initializes all data after their threads touched them first */
    long side;      /* rows and columns */
    struct point *data, *other; /* side * side: transposes go from one to the other */
    struct point *twiddle;      /* side * side: root of unity number i * j of side * side */
    struct point *root;         /* side: roots of unity of side, for the rows */
    double transpose[TEAM_MAX]; /* seconds of each thread */
    double copy[TEAM_MAX];      /* with -c, seconds of a copy of a thread's rows */
    double begun, ended;
} fft;

/* Which ports a packet leaves by on its way, and the order of patches that follows. */
static struct {
    int ports;
    char name[PORT_MAX][24];
    short route[NODE_MAX][NODE_MAX][HOP_MAX]; /* from, to: numbers of ports + 1, then 0 */
    int node[TEAM_MAX];                       /* of each thread */
    short partner[TEAM_MAX][TEAM_MAX];        /* of a thread in a step */
} order;

/* How many threads use each memory and each port in a step. */
struct load {
    int most_memory, most_port, hops; /* hops: of all threads */
    short memory[NODE_MAX], port[PORT_MAX + 1];
};

static struct point times(struct point a, struct point b)
{
    return (struct point){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static struct point unit(long number, long of)
{
    double angle = -2 * M_PI * (double)number / (double)of;

    return (struct point){ cos(angle), sin(angle) };
}

static struct point input(long i)
{
    return (struct point){ random_at(2 * (unsigned long)i) - 0.5,
                           random_at(2 * (unsigned long)i + 1) - 0.5 };
}

/* The roots of unity of the rows from @first to before @end. */
static void fill_roots(long first, long end)
{
    long n = fft.side * fft.side;

    for (long i = first; i < end; i++) {
        struct point step = unit(i, n), w = { 1, 0 };

        for (long j = 0; j < fft.side; j++) {
            if (j % 32 == 0)
                w = unit(i * j % n, n); /* products lose digits */
            fft.twiddle[i * fft.side + j] = w;
            w = times(w, step);
        }
    }
}

static void fill_data(long first, long end)
{
    for (long i = first * fft.side; i < end * fft.side; i++) {
        fft.data[i] = input(i);
        fft.other[i] = (struct point){ 0, 0 };
    }
}

/* Pages come to be on the node of the thread that touches them first. */
static void fill(int me)
{
    long first, end;

    team_share(fft.side, me, fft.threads, &first, &end);
    if (fft.main_fills) {
        for (long i = first * fft.side; i < end * fft.side;
             i += PAGE_BYTES / (long)sizeof(struct point))
            fft.twiddle[i].re = fft.data[i].re = fft.other[i].re = 0;
        team_wait();
    }
    if (fft.main_fills || fft.main_first) {
        if (me)
            return;
        first = 0;
        end = fft.side;
    }
    if (me == 0)
        team_mark("roots of unity");
    fill_roots(first, end);
    if (me == 0)
        team_mark("data");
    fill_data(first, end);
}

/* --- an order by routes -------------------------------------------------------------- */

static short port_number(const char *name)
{
    int i = 0;

    while (i < order.ports && strcmp(order.name[i], name))
        i++;
    if (i == PORT_MAX || strlen(name) >= sizeof(order.name[0])) {
        fprintf(stderr, "fft: too many ports, or a name too long: %s\n", name);
        exit(1);
    }
    if (i == order.ports)
        strcpy(order.name[order.ports++], name);
    return (short)(i + 1);
}

/* Lines "nFROM -> nTO table, N routers: MODULErSLOT:PORT ...", as snroute -t prints them. */
static void read_routes(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[1024];
    int lines = 0;

    if (!f)
        die(path);
    while (fgets(line, sizeof(line), f)) {
        int from, to, hop = 0;
        char *word, *at;

        if (sscanf(line, "n%d -> n%d table", &from, &to) != 2 || from >= NODE_MAX || to >= NODE_MAX)
            continue;
        lines++;
        for (word = strtok_r(line, " \t\n", &at); word; word = strtok_r(NULL, " \t\n", &at))
            if (strchr(word, ':') && strchr(word, ':')[1] && hop < HOP_MAX - 1)
                order.route[from][to][hop++] = port_number(word);
    }
    fclose(f);
    if (!lines) {
        fprintf(stderr, "fft: %s has no route as snroute -t prints them\n", path);
        exit(1);
    }
}

/* The number whose bits are those of @step in reverse. */
static int reversed(int step, int threads)
{
    int r = 0;

    for (int bit = 1; bit < threads; bit *= 2)
        r = 2 * r | !!(step & bit);
    return r;
}

/* Add what threads on nodes of this parity use when each reads the patch of the thread whose number is its own, exclusive-or @mask. */
static void add_load(struct load *load, int parity, int mask)
{
    for (int me = 0; me < fft.threads; me++) {
        int home = order.node[me ^ mask], node = order.node[me];

        if (node % 2 != parity)
            continue;
        if (++load->memory[home] > load->most_memory)
            load->most_memory = load->memory[home];
        for (const short *p = order.route[home][node]; *p; p++, load->hops++)
            if (++load->port[*p] > load->most_port)
                load->most_port = load->port[*p];
    }
}

static bool better(const struct load *a, const struct load *b)
{
    if (a->most_memory != b->most_memory)
        return a->most_memory < b->most_memory;
    if (a->most_port != b->most_port)
        return a->most_port < b->most_port;
    return a->hops > b->hops;
}

/*
 * In a step of the scrambled stagger all packets leave their routers in the same directions, and the cables of the other directions are idle.
 * So the two nodes of a router, an even and an odd one, take different steps of it at the same time.
 */
static void order_by_routes(void)
{
    static char taken[TEAM_MAX];

    for (int step = 0; step < fft.threads; step++) {
        int even = reversed(step, fft.threads), odd = -1;
        struct load with_even = { 0 }, least = { 0 };

        add_load(&with_even, 0, even);
        for (int mask = 0; mask < fft.threads; mask++) {
            struct load load = with_even;

            if (taken[mask])
                continue;
            add_load(&load, 1, mask);
            if (odd < 0 || better(&load, &least)) {
                odd = mask;
                least = load;
            }
        }
        taken[odd] = 1;
        for (int me = 0; me < fft.threads; me++)
            order.partner[me][step] = (short)(me ^ (order.node[me] % 2 ? odd : even));
    }
}

static void find_node(int me)
{
    unsigned int cpu, node;

    if (getcpu(&cpu, &node) < 0 || node >= NODE_MAX)
        die("getcpu");
    order.node[me] = (int)node;
}

/* --- steps ---------------------------------------------------------------------- */

/* Whose patch thread @me transposes in step @step. */
static int partner(int me, int step)
{
    switch (fft.stagger) {
    case BASIC:
        return (me + 1 + step) % fft.threads;
    case SCRAMBLED:
        return me ^ reversed(step, fft.threads);
    case ROUTES:
        return order.partner[me][step];
    default:
        return step;
    }
}

/*
 * Rows of thread @from and columns of thread @me of @a become rows of @me of @b.  @next: whose rows follow, -1: nobody's.
 * A compiler removes loops that only prefetch, so each row of a block prefetches the same row of the next one.
 */
static void transpose_patch(const struct point *a, struct point *b, int me, int from, int next)
{
    long row, last_row, first, last, next_row = -1, end;

    team_share(fft.side, from, fft.threads, &row, &last_row);
    team_share(fft.side, me, fft.threads, &first, &last);
    if (next >= 0)
        team_share(fft.side, next, fft.threads, &next_row, &end);
    for (; row < last_row; row += BLOCK)
        for (long column = first; column < last; column += BLOCK) {
            bool in_row = column + BLOCK < last, in_patch = row + BLOCK < last_row;
            long ahead = in_row ? row : in_patch ? row + BLOCK : next_row;
            long beside = in_row ? column + BLOCK : first;

            for (long k = 0; k < BLOCK; k++) {
                if (fft.prefetch && ahead >= 0) {
                    __builtin_prefetch(&a[(ahead + k) * fft.side + beside], 0, 2);
                    __builtin_prefetch(&b[(beside + k) * fft.side + ahead], 1, 2);
                }
                for (long j = column; j < column + BLOCK; j++)
                    b[j * fft.side + row + k] = a[(row + k) * fft.side + j];
            }
        }
}

static void transpose(const struct point *a, struct point *b, int me)
{
    double begun = seconds();

    if (me == 0)
        team_mark("transpose");
    for (int step = 0; step < fft.threads; step++) {
        transpose_patch(a, b, me, partner(me, step),
                        step + 1 < fft.threads ? partner(me, step + 1) : -1);
        if (fft.barriers)
            team_meet(me);
    }
    fft.transpose[me] += seconds() - begun;
}

/* Transform one row in place: decimation in time, radix 2. */
static void transform(struct point *x)
{
    long n = fft.side;

    for (long i = 1, j = 0; i < n; i++) {
        long bit = n / 2;

        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            struct point t = x[i];

            x[i] = x[j];
            x[j] = t;
        }
    }
    for (long half = 1; half < n; half *= 2)
        for (long i = 0; i < n; i += 2 * half)
            for (long k = 0; k < half; k++) {
                struct point a = x[i + k];
                struct point b = times(x[i + k + half], fft.root[k * (n / half / 2)]);

                x[i + k] = (struct point){ a.re + b.re, a.im + b.im };
                x[i + k + half] = (struct point){ a.re - b.re, a.im - b.im };
            }
}

/* The first copy takes the lines from those that read them in the last transpose. */
static void copy_rows(int me, long first, long end)
{
    for (int i = 0; i < 2; i++) {
        double begun;

        team_wait();
        begun = seconds();
        memcpy(&fft.data[first * fft.side], &fft.other[first * fft.side],
               (size_t)((end - first) * fft.side) * sizeof(struct point));
        fft.copy[me] = seconds() - begun;
    }
}

static void work(int me)
{
    long first, end;

    team_share(fft.side, me, fft.threads, &first, &end);
    find_node(me);
    fill(me);
    team_wait();
    if (me == 0 && fft.stagger == ROUTES)
        order_by_routes();
    team_wait();
    if (me == 0) {
        team_region("fft");
        fft.begun = seconds();
    }
    transpose(fft.data, fft.other, me);
    if (me == 0)
        team_mark("rows");
    for (long i = first; i < end; i++) {
        transform(&fft.other[i * fft.side]);
        for (long j = i * fft.side; j < (i + 1) * fft.side; j++)
            fft.other[j] = times(fft.other[j], fft.twiddle[j]);
    }
    team_wait();
    transpose(fft.other, fft.data, me);
    if (me == 0)
        team_mark("rows");
    for (long i = first; i < end; i++)
        transform(&fft.data[i * fft.side]);
    team_wait();
    transpose(fft.data, fft.other, me);
    team_wait();
    if (me == 0) {
        fft.ended = seconds();
        team_mark("end");
        team_region(NULL);
    }
    if (fft.copies)
        copy_rows(me, first, end);
}

/* --- the result ------------------------------------------------------------------- */

/* The largest error of some points, each computed from its definition. */
static double error(void)
{
    static const double some[] = { 0, 0.3, 0.777 };
    long n = fft.side * fft.side;
    double most = 0;

    for (size_t s = 0; s < sizeof(some) / sizeof(some[0]); s++) {
        long k = (long)(some[s] * (double)n);
        struct point sum = { 0, 0 };

        for (long i = 0; i < n; i++) {
            /* i * k = row * side + column: the root is in the tables. */
            long number = i * k % n, row = number / fft.side, column = number % fft.side;
            struct point w = times(fft.root[row], fft.twiddle[fft.side + column]);
            struct point p = times(input(i), w);

            sum.re += p.re;
            sum.im += p.im;
        }
        most = fmax(most, hypot(sum.re - fft.other[k].re, sum.im - fft.other[k].im));
    }
    return most;
}

static struct point *matrix(void)
{
    size_t bytes = (size_t)(fft.side * fft.side) * sizeof(struct point);
    void *p;

    if (!fft.huge)
        return aligned(bytes);
    bytes = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (p == MAP_FAILED)
        die("mmap of huge pages");
    return p;
}

static void usage(void)
{
    fprintf(stderr,
            "usage: fft [-m LOG2_POINTS] [-p THREADS] [-s none|basic|scrambled|routes] [-r FILE] "
            "[-b] [-c] [-P]\n"
            "           [-i | -I] [-H] [-v]\n"
            "  -r  the routes, as snroute -t prints them\n"
            "  -b  the threads meet after each patch of a transpose\n"
            "  -c  print how long a local copy takes, too\n"
            "  -P  a transpose prefetches the next block\n"
            "  -i  thread 0 initializes all data, so that it touches all pages first\n"
            "  -I  thread 0 initializes all data, but each thread touched its own pages first\n"
            "  -v  print when each part begins\n");
    exit(2);
}

static enum stagger stagger(const char *name)
{
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return (enum stagger)i;
    usage();
    return NONE;
}

/* Whether marks are wanted. */
static int options(int argc, char **argv)
{
    const char *routes = NULL;
    int c, verbose = 0;

    while ((c = getopt(argc, argv, "m:p:s:r:bcPiIHv")) != -1)
        if (c == 'm')
            fft.m = (int)option_number("-m", optarg, 6, 28);
        else if (c == 'p')
            fft.threads = (int)option_number("-p", optarg, 1, TEAM_MAX);
        else if (c == 's')
            fft.stagger = stagger(optarg);
        else if (c == 'r')
            routes = optarg;
        else if (c == 'b')
            fft.barriers = 1;
        else if (c == 'c')
            fft.copies = 1;
        else if (c == 'i')
            fft.main_first = 1;
        else if (c == 'I')
            fft.main_fills = 1;
        else if (c == 'P')
            fft.prefetch = 1;
        else if (c == 'H')
            fft.huge = 1;
        else if (c == 'v')
            verbose = 1;
        else
            usage();
    fft.side = 1L << fft.m / 2;
    if (optind < argc || fft.m % 2 || fft.threads & (fft.threads - 1) ||
        fft.side < BLOCK * fft.threads) {
        fprintf(stderr, "fft: -m is even, -p a power of 2, and each thread has %d rows or more\n",
                BLOCK);
        usage();
    }
    if ((fft.stagger == ROUTES) != !!routes || (fft.main_first && fft.main_fills)) {
        fprintf(stderr, "fft: -s routes and -r need each other; -i and -I exclude each other\n");
        usage();
    }
    if (routes)
        read_routes(routes);
    return verbose;
}

int main(int argc, char **argv)
{
    double transpose = 0, copy = 0, wrong;
    int verbose;

    fft.m = 16;
    fft.threads = 1;
    fft.stagger = BASIC;
    verbose = options(argc, argv);
    fft.data = matrix();
    fft.other = matrix();
    fft.twiddle = matrix();
    fft.root = aligned((size_t)fft.side * sizeof(struct point));
    for (long i = 0; i < fft.side; i++)
        fft.root[i] = unit(i, fft.side);
    team_run(fft.threads, work);
    for (int i = 0; i < fft.threads; i++) {
        transpose += fft.transpose[i] / fft.threads;
        copy += fft.copy[i] / fft.threads;
    }
    wrong = error();
    printf("fft: %ld points, %d threads, %s%s: %.1f us, transposes %.1f us", fft.side * fft.side,
           fft.threads, names[fft.stagger], fft.barriers ? " with barriers" : "",
           1e6 * (fft.ended - fft.begun), 1e6 * transpose);
    if (fft.copies)
        printf(", copy %.1f us", 1e6 * copy);
    printf("; largest error %.1e\n", wrong);
    if (verbose)
        team_print_marks();
    return wrong > 1e-9 * (double)fft.side;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The full-screen view of snsar: nodes with the utilization of their memory, links with the
 * utilization of both directions, as numbers, bars and sparklines of the last frames. 64 nodes fit a
 * terminal of 80 columns and 24 lines. Where the screen cannot hold all, it shows the busiest.
 */
#define _GNU_SOURCE
#include "top.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

#define CLEAR "\033[H\033[J"
#define CELL  40 /* columns of one object */
#define BAR   12
/* Where more objects must fit, a cell has half the width. */
#define NARROW_CELL  20
#define LINK_BAR     6
#define SPARK        7 /* values of a sparkline */
#define NARROW_SPARK 5

static struct termios saved;
static bool raw, on;

void top_begin(void)
{
    struct termios t;

    on = true;
    if (isatty(0) && !tcgetattr(0, &saved)) {
        t = saved;
        t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw = !tcsetattr(0, TCSANOW, &t);
    }
    if (isatty(1)) {
        printf("\033[?25l");
    }
}

void top_end(void)
{
    if (raw) {
        tcsetattr(0, TCSANOW, &saved);
    }
    if (on && isatty(1)) {
        printf("\033[?25h");
    }
    raw = on = false;
}

int top_key(void)
{
    struct pollfd p = { .fd = 0, .events = POLLIN };
    char c;

    return raw && poll(&p, 1, 0) == 1 && read(0, &c, 1) == 1 ? c : 0;
}

static void screen(int *rows, int *columns)
{
    struct winsize w;
    const char *l = getenv("LINES"), *c = getenv("COLUMNS");

    *rows = l ? atoi(l) : 24;
    *columns = c ? atoi(c) : 80;
    if (!ioctl(1, TIOCGWINSZ, &w) && w.ws_row && w.ws_col) {
        *rows = w.ws_row;
        *columns = w.ws_col;
    }
}

static const char *bar(double percent, int width)
{
    static char text[BAR + 1];
    int n = (int)(percent * width / 100 + 0.5);

    for (int i = 0; i < width; i++) {
        text[i] = i < n ? '#' : '.';
    }
    text[width] = 0;
    return text;
}

/* "n1   11n2" or "11r1:3": a node with module and slot, or module, slot and port. */
static void short_name(const struct sn_object *o, char *buf, size_t size)
{
    int module = 0, slot = 0;
    char kind = '?';

    if (sscanf(o->path, "/hw/module/%d/slot/%c%d/", &module, &kind, &slot) != 3) {
        snprintf(buf, size, "%s", o->name);
    } else if (o->kind == SN_NODE) {
        snprintf(buf, size, "%-4s %d%c%d", o->name, module, kind, slot);
    } else {
        snprintf(buf, size, "%d%c%d:%d", module, kind, slot, o->port);
    }
}

static double load(const struct interval *iv)
{
    double a = interval_value(iv, SN_M_SEND), b = interval_value(iv, SN_M_RECV);

    if (iv->obj->kind == SN_NODE) {
        return interval_value(iv, SN_M_MEM);
    }
    return isnan(a) || b > a ? b : a;
}

static int by_load(const void *a, const void *b)
{
    const struct interval *x = *(const struct interval *const *)a;
    const struct interval *y = *(const struct interval *const *)b;
    double lx = load(x), ly = load(y);

    return lx > ly ? -1 : lx < ly ? 1 : x < y ? -1 : x > y;
}

/* --- what it was before --- */

static double (*past)[SPARK]; /* of each object, the latest last; 0 to 100 */

static void remember(const struct interval *iv, unsigned n)
{
    if (!past) {
        past = calloc(n, sizeof(*past));
    }
    for (unsigned i = 0; past && i < n; i++) {
        double v = load(&iv[i]);

        memmove(past[i], past[i] + 1, sizeof(past[i]) - sizeof(past[i][0]));
        past[i][SPARK - 1] = isnan(v) ? 0 : v;
    }
}

/* The last `n` values of an object, a character each. */
static const char *sparkline(unsigned object, int n)
{
    static const char ramp[] = " .:-=+*#%@";
    static char text[SPARK + 1];
    int steps = (int)sizeof(ramp) - 2;

    for (int i = 0; i < n; i++) {
        double v = past ? past[object][SPARK - n + i] : 0;
        int level = (int)ceil(v * steps / 100);

        text[i] = ramp[level < 0 ? 0 : level > steps ? steps : level];
    }
    text[n] = 0;
    return text;
}

/* --- colours: on a terminal, unless NO_COLOR (no-color.org) or TERM=dumb say no --- */

static bool colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(1) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

static const char *colour(double percent)
{
    return !colours() ? "" : percent >= 75 ? "\033[31m" : percent >= 40 ? "\033[33m" : "\033[32m";
}

static const char *plain(void)
{
    return colours() ? "\033[0m" : "";
}

/* --- one object --- */

static double known(double v)
{
    return isnan(v) ? 0 : v;
}

static void put_wide(const struct interval *iv, unsigned object)
{
    double percent = known(load(iv));
    char name[32];

    short_name(iv->obj, name, sizeof(name));
    if (iv->obj->kind == SN_NODE) {
        printf("%-10.10s%s%5.1f%% [%s] %-7s%s ", name, colour(percent), percent, bar(percent, BAR),
               sparkline(object, SPARK), plain());
    } else {
        printf("%-9.9s%s%6.2f%%%7.2f%% [%s] %-5s%s ", name, colour(percent),
               known(interval_value(iv, SN_M_SEND)), known(interval_value(iv, SN_M_RECV)),
               bar(percent, LINK_BAR), sparkline(object, NARROW_SPARK), plain());
    }
}

/* The same in half the width. */
static void put_narrow(const struct interval *iv, unsigned object)
{
    double percent = known(load(iv));
    char name[32];

    short_name(iv->obj, name, sizeof(name));
    printf("%-9.9s%s%3.0f%% %-5s%s ", name, colour(percent), percent,
           sparkline(object, NARROW_SPARK), plain());
}

/* The objects of one kind, in at most `room` lines of cells of `cell` columns. */
static void section(const struct interval *iv, unsigned n, enum sn_kind kind, int room, int columns,
                    int cell)
{
    const struct interval **list = calloc(n + 1, sizeof(*list));
    unsigned k = 0, per = columns >= cell ? (unsigned)(columns / cell) : 1, fit;

    for (unsigned i = 0; list && i < n; i++) {
        if (iv[i].obj->kind == kind) {
            list[k++] = &iv[i];
        }
    }
    fit = room > 1 ? (unsigned)(room - 1) * per : per;
    if (!k) {
        free(list);
        return;
    }
    printf("%s\n", kind == SN_NODE ? "node      memory"
                   : cell == CELL  ? "link      send          receive"
                                   : "link      send or receive");
    if (k > fit) {
        qsort(list, k, sizeof(*list), by_load);
    }
    for (unsigned i = 0; i < k && i < fit; i++) {
        (cell == CELL ? put_wide : put_narrow)(list[i], (unsigned)(list[i] - iv));
        if (i % per == per - 1 || i == k - 1 || i == fit - 1) {
            putchar('\n');
        }
    }
    free(list);
}

void top_frame(const struct interval *iv, unsigned n, uint64_t origin_ns)
{
    int rows, columns, lines = 0, cell = CELL;
    unsigned nodes = 0, per;
    struct utsname u;
    char head[160];

    screen(&rows, &columns);
    uname(&u);
    for (unsigned i = 0; i < n; i++) {
        nodes += iv[i].obj->kind == SN_NODE;
    }
    if (isatty(1)) {
        printf(CLEAR);
    }
    snprintf(head, sizeof(head), "%s  %.3f s, last %.3f s  %u nodes, %u links", u.nodename,
             (double)(iv[0].to->ns - origin_ns) / 1e9,
             (double)(iv[0].to->ns - iv[0].from->ns) / 1e9, nodes, n - nodes);
    printf("%.*s\n", columns, head);
    remember(iv, n);
    per = columns >= cell ? (unsigned)(columns / cell) : 1;
    if (2 + (int)((nodes + per - 1) / per) > rows) {
        cell = NARROW_CELL;
        per = columns >= cell ? (unsigned)(columns / cell) : 1;
    }
    lines = 1 + (int)((nodes + per - 1) / per);
    if (lines > rows - 5 && n > nodes) {
        lines = rows > 7 ? rows - 5 : 2; /* some links should be seen, too */
    }
    section(iv, n, SN_NODE, lines, columns, cell);
    section(iv, n, SN_PORT, rows - 2 - lines, columns, cell);
}

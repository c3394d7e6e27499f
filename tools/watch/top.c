/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The full-screen view of snsar: nodes with the utilization of their memory, links with the
 * utilization of both directions. Where the screen cannot hold all, it shows the busiest.
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

static const char *bar(double percent)
{
    static char text[BAR + 1];
    int n = isnan(percent) ? 0 : (int)(percent * BAR / 100 + 0.5);

    for (int i = 0; i < BAR; i++) {
        text[i] = i < n ? '#' : '.';
    }
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

/* The objects of one kind, in at most `room` lines. */
static void section(const struct interval *iv, unsigned n, enum sn_kind kind, int room, int columns)
{
    const struct interval **list = calloc(n + 1, sizeof(*list));
    unsigned k = 0, per = columns >= CELL ? (unsigned)columns / CELL : 1, fit;
    char name[32];

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
    printf("%s\n", kind == SN_NODE ? "node      memory" : "link      send          receive");
    if (k > fit) {
        qsort(list, k, sizeof(*list), by_load);
    }
    for (unsigned i = 0; i < k && i < fit; i++) {
        short_name(list[i]->obj, name, sizeof(name));
        if (kind == SN_NODE) {
            double mem = interval_value(list[i], SN_M_MEM);

            printf("%-10.10s%5.1f%% [%s]", name, isnan(mem) ? 0 : mem, bar(mem));
        } else {
            double send = interval_value(list[i], SN_M_SEND);
            double recv = interval_value(list[i], SN_M_RECV);

            printf("%-9.9s%6.2f%%%7.2f%% [%s]", name, isnan(send) ? 0 : send,
                   isnan(recv) ? 0 : recv, bar(recv > send ? recv : send));
        }
        if (i % per == per - 1 || i == k - 1 || i == fit - 1) {
            putchar('\n');
        } else {
            printf("%*s", kind == SN_NODE ? CELL - 31 : CELL - 39, "");
        }
    }
    free(list);
}

void top_frame(const struct interval *iv, unsigned n, uint64_t origin_ns)
{
    int rows, columns, lines = 0;
    unsigned nodes = 0, per;
    struct utsname u;

    screen(&rows, &columns);
    uname(&u);
    for (unsigned i = 0; i < n; i++) {
        nodes += iv[i].obj->kind == SN_NODE;
    }
    if (isatty(1)) {
        printf(CLEAR);
    }
    printf("%s  %.3f s, last %.3f s  %u nodes, %u links\n", u.nodename,
           (double)(iv[0].to->ns - origin_ns) / 1e9, (double)(iv[0].to->ns - iv[0].from->ns) / 1e9,
           nodes, n - nodes);
    per = columns >= CELL ? (unsigned)columns / CELL : 1;
    lines = 1 + (int)((nodes + per - 1) / per);
    if (lines > (rows - 3) / 2 && n > nodes) {
        lines = (rows - 3) / 2;
    }
    section(iv, n, SN_NODE, lines, columns);
    section(iv, n, SN_PORT, rows - 2 - lines, columns);
}

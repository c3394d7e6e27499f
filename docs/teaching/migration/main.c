// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread on node 6 reads pages that lie on node 1, some of them often.  Before that, it may move pages with the
 * function of migration.c.  Moving and reading is the region "all", moving alone the region "move" in it,
 * reading the region "read".  The line `read N of M` says how many loads were made.
 *
 * A read of a page loads one word of each of its lines, one after the other, each only when the last one is there.
 * Between two reads of a page so many others are read that the cache holds nothing of it.
 */
#include "kit.h"
#include "migration.h"

#define PAGES 192 /* three times the secondary cache */
#define LINES (PAGE / LINE_BYTES)
#define OFTEN 12

struct line {
    struct line *next;
    char rest[LINE_BYTES - sizeof(struct line *)];
};

static struct line memory[PAGES][LINES] __attribute__((aligned(PAGE_BYTES)));
static int uses[PAGES];

static long read_page(const struct line *line)
{
    long loads = 0;

    for (; line; line = line->next)
        loads++;
    return loads;
}

int main(void)
{
    long loads = 0, want = 0;

    use_node(6);
    put_on(1, memory, sizeof(memory));
    for (int p = 0; p < PAGES; p++) {
        uses[p] = random_at((unsigned long)p) < 0.75 ? OFTEN : 1;
        want += (long)uses[p] * LINES;
        for (int i = 0; i + 1 < LINES; i++)
            memory[p][i].next = &memory[p][i + 1];
    }
    region_begin("all");
    part_begin("move");
    move_pages_here((char *)memory, uses, PAGES);
    part_end();
    part_begin("read");
    for (int time = 0; time < OFTEN; time++)
        for (int p = 0; p < PAGES; p++)
            if (uses[p] > time)
                loads += read_page(memory[p]);
    part_end();
    region_end();
    printf("read %ld of %ld\n", loads, want);
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * origin core: what the blocks of a function take on an R10000 or R12000, and why
 *
 *   core-schedule classes              the classes of instructions and their costs
 *   core-schedule CHIP CHART FILE FUNCTION
 *     CHIP   r10000 or r12000     CHART   1: draw when each instruction is where
 *
 * A block begins where a branch goes to or behind a branch, and ends with a branch and its delay
 * slot, as the emulator translates code.  So blocks overlap where a loop is entered from above.
 *
 * Left out: functions that jump through a table, whose targets are not known here.  Their blocks
 * are found as far as they begin behind a branch.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/core.h"
#include "image.h"

/* A function of more bytes is refused: no compiler writes one. */
#define MOST_BYTES (1 << 22)

/* A chart is so wide at most. */
#define CHART_MAX 120

static _Noreturn void die(int status, const char *format, ...)
{
    va_list ap;

    fputs("origin: core: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(status);
}

static void print_classes(void)
{
    static const char *const queues[] = { "-", "int", "address", "fp" };
    static const char *const units[] = { "alu1",       "alu2",    "load", "adder",
                                         "multiplier", "divider", "root" };

    printf("%-9s %7s %7s  %-8s %s\n", "CLASS", "LATENCY", "REPEAT", "QUEUE", "UNITS");
    for (unsigned c = 0; c < CORE_CLASSES; c++) {
        const struct core_class_row *r = &core_class[c];
        char latency[16], repeat[16];

        snprintf(latency, sizeof(latency), r->hi ? "%u/%u" : "%u", r->latency, r->hi);
        snprintf(repeat, sizeof(repeat), r->repeat[0] != r->repeat[1] ? "%u/%u" : "%u",
                 r->repeat[0] > r->busy ? r->repeat[0] : r->busy, r->repeat[1]);
        printf("%-9s %7s %7s  %-8s", r->name, latency, repeat, queues[r->queue]);
        for (unsigned u = 0; u < CORE_UNITS; u++)
            if (r->ports >> u & 1 || r->unit == u)
                printf(" %s", units[u]);
        putchar('\n');
    }
}

/* A function: its code, as instructions */
struct function {
    const char *name;
    uint64_t start;
    unsigned n;
    struct core_insn *insn;
    bool *begins; /* a block begins here */
};

static void read_function(struct image *m, const char *file, struct function *f)
{
    uint64_t end;
    const unsigned char *code;

    if (!image_extent(m, f->name, &f->start, &end))
        die(1, "%s: no function '%s'%s", file, f->name,
            image_lacks(m) && strstr(image_lacks(m), "stripped") ? " (the file is stripped)" : "");
    if (end - f->start > MOST_BYTES || f->start % 4 || end - f->start < 4)
        die(1, "%s: the function '%s' has no sensible size", file, f->name);
    code = image_bytes(m, f->start, end - f->start);
    if (!code)
        die(1, "%s: the code of '%s' is not in the file", file, f->name);
    f->n = (unsigned)(end - f->start) / 4;
    f->insn = calloc(f->n, sizeof(*f->insn));
    f->begins = calloc(f->n + 2, sizeof(*f->begins));
    if (!f->insn || !f->begins)
        die(1, "%s: no memory", file);
    for (unsigned i = 0; i < f->n; i++)
        core_decode((uint32_t)code[4 * i] << 24 | (uint32_t)code[4 * i + 1] << 16 |
                        (uint32_t)code[4 * i + 2] << 8 | code[4 * i + 3],
                    &f->insn[i]);
}

static void find_blocks(struct function *f)
{
    f->begins[0] = true;
    for (unsigned i = 0; i < f->n; i++) {
        uint64_t pc = f->start + 4 * (uint64_t)i, target;

        if (!f->insn[i].branch)
            continue;
        f->begins[i + 2] = true;
        if (core_target(&f->insn[i], pc, &target) && target - f->start < 4 * (uint64_t)f->n)
            f->begins[(target - f->start) / 4] = true;
    }
}

/* The instructions of the block that begins at @first, and how it ends */
static unsigned block_at(const struct function *f, unsigned first, enum core_way *way)
{
    uint64_t start = f->start + 4 * (uint64_t)first, target;
    unsigned i;

    *way = CORE_NEXT;
    for (i = first; i < f->n && i - first < CORE_BLOCK_MAX; i++) {
        const struct core_insn *n = &f->insn[i];

        if (!n->branch)
            continue;
        if (core_target(n, f->start + 4 * (uint64_t)i, &target) && target == start)
            *way = CORE_LOOP;
        else if (n->branch != CORE_CONDITIONAL)
            *way = CORE_TAKEN;
        return i + 1 < f->n ? i + 2 - first : i + 1 - first;
    }
    return i - first;
}

static const char *const bounds[CORE_BOUNDS] = { "width", "unit", "dependence", "branch" };

static void print_sum(const struct function *f, unsigned first, unsigned n, enum core_way way,
                      const struct core_sum *sum)
{
    static const char *const ways[] = { "goes on", "leaves by a jump", "loops to itself" };

    printf("%s+0x%x: %u instruction%s, %s: %.2f cycles, %.2f instructions a cycle\n", f->name,
           4 * first, n, n == 1 ? "" : "s", ways[way], sum->quarters / 4.0,
           4.0 * n / sum->quarters);
    printf("  of these:");
    for (unsigned b = 0; b < CORE_BOUNDS; b++)
        if (sum->by[b])
            printf(" %s %.2f", bounds[b], sum->by[b] / 4.0);
    if (sum->mispredict)
        printf("; a wrong prediction adds %.2f", sum->mispredict / 4.0);
    putchar('\n');
}

/*
 * Where an instruction is: F fetched, D decoded, = it waits, e in a unit, E its result is there,
 * - it waits for older ones, G it graduates
 */
static void print_chart(const struct core_line *l)
{
    char chart[CHART_MAX + 1];
    uint32_t end = l->graduate < CHART_MAX ? l->graduate : CHART_MAX - 1;

    for (uint32_t t = 0; t <= end; t++)
        chart[t] = t < l->fetch       ? ' '
                   : t == l->fetch    ? 'F'
                   : t < l->decode    ? '.'
                   : t == l->decode   ? 'D'
                   : t < l->issue     ? '='
                   : t + 1 < l->ready ? 'e'
                   : t < l->ready     ? 'E'
                   : t < l->graduate  ? '-'
                                      : 'G';
    chart[end + 1] = '\0';
    printf("  %s", chart);
}

static void print_block(struct image *m, const struct function *f, unsigned first,
                        const struct core_chip_row *chip, bool chart)
{
    static struct core_line line[CORE_BLOCK_MAX];
    struct core_sum sum;
    struct frame frame, before = { .function = NULL };
    enum core_way way;
    unsigned n = block_at(f, first, &way);
    uint64_t pc = f->start + 4 * (uint64_t)first;

    core_schedule(chip, &f->insn[first], n, pc, way, line, &sum);
    print_sum(f, first, n, way, &sum);
    for (unsigned i = 0; i < n; i++, pc += 4) {
        const struct core_insn *insn = &f->insn[first + i];
        char text[64];

        if (image_line(m, pc, &frame) && frame.file && frame.line &&
            (frame.line != before.line || frame.file != before.file)) {
            printf("  %s:%d\n", frame.file, frame.line);
            before = frame;
        }
        core_text(insn, pc, text, sizeof(text));
        printf("  %8.2f  %-10s  %-8s  %8" PRIx64 "  %-28s", line[i].done / 4.0,
               bounds[line[i].bound], core_class[insn->class].name, pc, text);
        if (chart)
            print_chart(&line[i]);
        putchar('\n');
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    const struct core_chip_row *chip = NULL;
    struct function f = { 0 };
    struct image *m;

    if (argc == 2 && !strcmp(argv[1], "classes")) {
        print_classes();
        return 0;
    }
    for (unsigned c = 0; argc == 5 && c < 2; c++)
        if (!strcasecmp(argv[1], core_chip[c].name))
            chip = &core_chip[c];
    if (!chip)
        die(2, "started by ./origin only");
    m = image_open(argv[3]);
    if (!m)
        die(1, "%s: %s", argv[3], errno == ENOEXEC ? "no ELF file" : strerror(errno));
    if (!image_is_guest(m))
        die(1, "%s: no program of the guest (big-endian MIPS)", argv[3]);
    f.name = argv[4];
    read_function(m, argv[3], &f);
    find_blocks(&f);
    for (unsigned i = 0; i < f.n; i++)
        if (f.begins[i])
            print_block(m, &f, i, chip, *argv[2] == '1');
    free(f.insn);
    free(f.begins);
    image_close(m);
    return 0;
}

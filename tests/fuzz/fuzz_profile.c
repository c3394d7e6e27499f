/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzer of the reader of profiles (libFuzzer): the tables, what is found out from them, and each
 * format of the report.  The input is the files of a profile, each behind a line "@NAME"; its first
 * byte chooses the format.  A profile is read once in the life of origin's reader, which frees
 * nothing, so a run is restarted after some thousand inputs.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "annotate.h"
#include "blocked.h"
#include "export.h"
#include "page.h"
#include "report.h"
#include "types_text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "meta.csv",      "run.csv",    "cpus.csv",      "threads.csv",
                                     "maps.csv",      "paths.csv",  "heap.csv",      "regions.csv",
                                     "hops.csv",      "misses.csv", "stalls.csv",    "truth.json",
                                     "kernel.layout", "allocators", "computing.csv", "blocked.csv",
                                     "locks.csv" };
static char dir[] = "/dev/shm/fuzz_profile.XXXXXX";

static void clean(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        unlink(names[i]);
    rmdir(dir);
}

/* Files that a profile names are looked for here, and there are none but its own. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (!mkdtemp(dir) || chdir(dir))
        abort();
    atexit(clean);
    return 0;
}

static void write_file(const char *name, const uint8_t *p, size_t n)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, p, n) != (ssize_t)n)
        abort();
    close(fd);
}

/* Where the line "@NAME" of a file of ours begins; @end: nowhere. */
static const uint8_t *next_name(const uint8_t *p, const uint8_t *end, size_t *which)
{
    for (; p < end; p++) {
        if (*p != '@')
            continue;
        for (*which = 0; *which < G_N_ELEMENTS(names); ++*which) {
            size_t n = strlen(names[*which]);

            if ((size_t)(end - p) > n + 1 && !memcmp(p + 1, names[*which], n) && p[n + 1] == '\n')
                return p;
        }
    }
    return end;
}

static void write_files(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size, *p, *next;
    size_t which, other;

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        unlink(names[i]);
    for (p = next_name(data, end, &which); p < end; p = next, which = other) {
        const uint8_t *from = p + strlen(names[which]) + 2;

        next = next_name(from, end, &other);
        write_file(names[which], from, (size_t)(next - from));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct page_parts parts = {
        .name = "p", .command = "c", .running = size & 1, .compared = size & 2
    };
    struct profile *p;
    struct tally *t;

    if (size < 1)
        return 0;
    write_files(data + 1, size - 1);
    p = profile_read(".", data[0] & 8);
    if (!p)
        return 0;
    t = tally_new(p, resolver_new(p, "/usr", "checked:wrap", NULL));
    switch (data[0] & 7) {
    case 0:
        report_text(t, 20);
        report_annotate(t, NULL);
        break;
    case 1:
        report_placement(t);
        report_types(t, 20);
        break;
    case 2:
        export_csv(t);
        blocked_csv(t);
        break;
    case 3:
        export_json(t);
        break;
    case 4:
        export_callgrind(t);
        break;
    case 5:
        export_folded(t);
        break;
    default:
        export_page(t, &parts);
    }
    return 0;
}

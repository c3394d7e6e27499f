/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * native: the calls of machine.h and races.h on the host, for tests that compare them with
 * those in the browser.
 *
 *   native FILE.dtb <CALLS      a call a line, "NAME NUMBER..."; answers go to standard output:
 *                               the number that the call returns, and what it has to say
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "races.h"

static uint32_t length; /* of the blob */

static int64_t call(const char *name, const uint64_t *a)
{
    if (!strcmp(name, "new")) {
        return machine_new(length, (uint32_t)a[0], (uint32_t)a[1]);
    }
    if (!strcmp(name, "do")) {
        return machine_do((uint32_t)a[0], (uint32_t)a[1], a[2], a[3]);
    }
    if (!strcmp(name, "look")) {
        return machine_look(a[0]);
    }
    if (!strcmp(name, "check")) {
        return machine_check();
    }
    if (!strcmp(name, "truth")) {
        return machine_truth();
    }
    if (!strcmp(name, "way")) {
        return machine_way((uint32_t)a[0], (uint32_t)a[1]);
    }
    if (!strcmp(name, "save")) {
        return machine_save();
    }
    if (!strcmp(name, "load")) {
        return machine_load((uint32_t)a[0]);
    }
    if (!strcmp(name, "drop")) {
        machine_drop((uint32_t)a[0]);
        return 0;
    }
    if (!strcmp(name, "digest")) {
        return (int64_t)(machine_digest() >> 1);
    }
    if (!strcmp(name, "tables")) {
        machine_tables();
        return 0;
    }
    if (!strcmp(name, "shape")) {
        machine_shape();
        return 0;
    }
    if (!strcmp(name, "races_new")) {
        return races_new((uint32_t)a[0], (uint32_t)a[1]);
    }
    if (!strcmp(name, "races_request")) {
        return races_request((uint32_t)a[0], (uint32_t)a[1]);
    }
    if (!strcmp(name, "races_evict")) {
        return races_evict((uint32_t)a[0]);
    }
    if (!strcmp(name, "races_deliver")) {
        return races_deliver((uint32_t)a[0], (uint32_t)a[1]);
    }
    return -2;
}

/* The description; -1: unreadable. */
static int load(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *blob = machine_room(1 << 20);

    if (!f || !blob) {
        return -1;
    }
    length = (uint32_t)fread(blob, 1, 1 << 20, f);
    fclose(f);
    return 0;
}

int main(int argc, char **argv)
{
    char line[256];

    if (argc != 2) {
        fprintf(stderr, "usage: native FILE.dtb <CALLS\n");
        return 2;
    }
    if (load(argv[1])) {
        fprintf(stderr, "native: %s cannot be read\n", argv[1]);
        return 1;
    }
    while (fgets(line, sizeof(line), stdin)) {
        uint64_t a[4] = { 0 };
        char name[32];
        int64_t rc;

        if (sscanf(line, "%31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name, &a[0], &a[1],
                   &a[2], &a[3]) < 1) {
            continue;
        }
        rc = call(name, a);
        if (rc == -2) {
            fprintf(stderr, "native: no call '%s'\n", name);
            return 1;
        }
        printf("%" PRId64 " %s\n", rc, machine_said());
    }
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Hypothetical machines.  Interface: what.h. */
#include "what.h"

#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"
#include "what/what.h"

static void list(void)
{
    struct sn_what_row row;

    for (unsigned int i = 0; sn_what_rows(i, &row); i++)
        printf("%-17s %-18s %-25s %s: %s\n", row.key, row.value, row.range, row.changes, row.help);
}

void what_print_rows(void)
{
    struct sn_what_row row;

    for (unsigned int i = 0; sn_what_rows(i, &row); i++)
        printf("%s\t%s\t%s\t%s\t%s\n", row.key, row.value, row.range, row.changes, row.help);
}

void what_add(struct options *opt, const char *text)
{
    static struct sn_desc seen; /* a machine without boards: keys and ranges are checked */
    char err[160], *more;

    if (!strcmp(text, "list")) {
        list();
        exit(0);
    }
    if (sn_what_set(&seen, text, err, sizeof(err)) < 0)
        die(EXIT_USAGE, MSG_WHAT, err);
    more = xasprintf("%s%s%s", opt->what ? opt->what : "", opt->what ? "," : "", text);
    free(opt->what);
    opt->what = more;
}

void what_describe(const struct options *opt, int dtb)
{
    struct stat st;
    size_t size;
    void *fdt = NULL;

    if (fstat(dtb, &st) < 0)
        die_errno("fstat");
    size = (size_t)st.st_size + strlen(opt->what) + 4096;
    fdt = calloc(1, size);
    if (!fdt)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (pread(dtb, fdt, (size_t)st.st_size, 0) != st.st_size)
        die_errno("pread");
    if (fdt_open_into(fdt, fdt, (int)size) < 0 ||
        fdt_appendprop_string(fdt, 0, "what", opt->what) < 0 || fdt_pack(fdt) < 0)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (pwrite(dtb, fdt, fdt_totalsize(fdt), 0) != (ssize_t)fdt_totalsize(fdt) ||
        ftruncate(dtb, fdt_totalsize(fdt)) < 0)
        die_errno("pwrite");
    free(fdt);
}

void what_say(const char *keys)
{
    if (*keys)
        complain(MSG_WHAT_IS, keys);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the lists of metrics in docs/man/snsar.1, from the rows of lib/snpc/sn_metrics.h.inc.
 *
 *   cc -Iinclude -o metricdoc scripts/metricdoc.c lib/snpc/metric.c -lm && ./metricdoc
 */
#include <stdio.h>

#include "../lib/snpc/sn_metric.h"

static const char *const set_names[] = { "MD mode", "I/O selection", "histogram mode" };

/* Does an R12000 count something else under this number? */
static int is_r10k_only(unsigned event)
{
    static const char *const r12k_name[] = {
#define R10K_EV(number, NAME, r12k_name, ...) [number] = r12k_name,
#include "regs/ev_r10k.h.inc"
    };

    return *r12k_name[event] != 0;
}

int main(void)
{
    static const struct {
        unsigned kinds;
        const char *heading;
    } part[] = {
        { SN_NODE, "Metrics of nodes" },
        { SN_LINK, "Metrics of ports, and of nodes' own links" },
        { SN_THREAD, "Metrics of threads (snrun)" },
    };

    for (int k = 0; k < 3; k++) {
        printf(".Ss %s\n.Bl -tag -width rdexclme -compact\n", part[k].heading);
        for (int i = 0; i < SN_NMETRICS; i++) {
            const struct sn_metric *m = &sn_metrics[i];

            if (m->kinds != part[k].kinds) {
                continue;
            }
            printf(".It Fl -%s\n%s%s", m->name, m->text, m->unit == SN_UNIT_PERCENT ? ", %" : "");
            if (m->formula) {
                printf(":\n.Li \"%s\"\n", m->formula);
            } else if (m->set <= SN_SET_LINK) {
                printf(m->set == SN_SET_IO ? "; %s %#x\n" : "; %s %u\n", set_names[m->set],
                       m->mode);
            } else if (m->set == SN_SET_R10K) {
                printf("; event %u%s\n", m->index,
                       m->mode                  ? " of an R12000"
                       : is_r10k_only(m->index) ? " of an R10000"
                                                : "");
            } else {
                putchar('\n');
            }
        }
        printf(".El\n");
    }
    return 0;
}

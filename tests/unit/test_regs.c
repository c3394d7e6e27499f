/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of include/regs: registers that do not collide, fields that fit,
 * reset values and write masks that agree with the access class.
 * tests/static/regs-linux.sh compares the Hub's offsets with Linux's headers,
 * test_events.c has the rows of events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SN_REGS_TABLES
#include "regs/regs.h"

/* The address space of a unit: Linux hub.h's 2 MB a Hub unit, docs/abi.md's
 * 512 KB of router registers, 16 MB of a widget. */
static const struct {
    const char *name;
    enum sn_unit unit;
    const struct sn_reg *regs;
    const struct sn_reg_field *fields;
    unsigned first, end;
} units[] = {
    { "PI", SN_UNIT_PI, sn_regs_pi, sn_fields_pi, 0x000000, 0x200000 },
    { "MD", SN_UNIT_MD, sn_regs_md, sn_fields_md, 0x200000, 0x400000 },
    { "II", SN_UNIT_II, sn_regs_ii, sn_fields_ii, 0x400000, 0x600000 },
    { "NI", SN_UNIT_NI, sn_regs_ni, sn_fields_ni, 0x600000, 0x800000 },
    { "RR", SN_UNIT_RR, sn_regs_rr, sn_fields_rr, 0x00000, 0x80000 },
    { "XBOW", SN_UNIT_XBOW, sn_regs_xbow, sn_fields_xbow, 0, 0x1000000 },
    { "BRIDGE", SN_UNIT_BRIDGE, sn_regs_bridge, sn_fields_bridge, 0, 0x1000000 },
    { "IOC3", SN_UNIT_IOC3, sn_regs_ioc3, sn_fields_ioc3, 0, 0x1000000 },
};
#define NUNITS (sizeof(units) / sizeof(units[0]))

static const struct sn_reg *find(unsigned u, const char *name)
{
    const struct sn_reg *r = units[u].regs;

    while (r->name && strcmp(r->name, name)) {
        r++;
    }
    return r->name ? r : NULL;
}

static void test_every_unit_is_here(void **state)
{
    (void)state;
    assert_int_equal(NUNITS, SN_NUNITS);
    for (unsigned u = 0; u < NUNITS; u++) {
        unsigned n = 0;

        assert_int_equal(units[u].unit, u);
        for (const struct sn_reg *r = units[u].regs; r->name; r++, n++) {
            assert_int_equal(r->unit, u);
            assert_true(strlen(r->meaning) > 0);
            assert_true(strlen(r->source) > 0);
        }
        assert_true(n > 0);
    }
}

/*
 * No two registers start at one address; those of Hub and router are aligned
 * double words, so they do not overlap either.
 */
static void test_no_overlap(void **state)
{
    (void)state;
    for (unsigned u = 0; u < NUNITS; u++) {
        unsigned bytes = sn_unit_bytes(units[u].unit);
        unsigned span = units[u].end - units[u].first;
        const char **owner = calloc(span, sizeof(*owner));

        for (const struct sn_reg *r = units[u].regs; r->name; r++) {
            assert_true(r->count >= 1);
            assert_true(r->count == 1 || r->stride >= 1);
            for (unsigned i = 0; i < r->count; i++) {
                unsigned at = r->offset + i * r->stride;

                if (at < units[u].first || at + 1 > units[u].end) {
                    fail_msg("%s[%u] at 0x%x is outside of %s", r->name, i, at, units[u].name);
                }
                if (bytes == 8 && at % 8) {
                    fail_msg("%s[%u] at 0x%x is not aligned", r->name, i, at);
                }
                if (owner[at - units[u].first]) {
                    fail_msg("%s[%u] at 0x%x is %s's place", r->name, i, at,
                             owner[at - units[u].first]);
                }
                owner[at - units[u].first] = r->name;
            }
        }
        free(owner);
    }
}

static void test_names_are_unique(void **state)
{
    (void)state;
    for (unsigned u = 0; u < NUNITS; u++) {
        for (const struct sn_reg *r = units[u].regs; r->name; r++) {
            for (unsigned v = 0; v < NUNITS; v++) {
                const struct sn_reg *other = find(v, r->name);

                if (other && other != r) {
                    fail_msg("%s is there twice", r->name);
                }
            }
        }
    }
}

/* Reset value and write mask must agree with the access class. */
static void test_access_classes(void **state)
{
    (void)state;
    for (unsigned u = 0; u < NUNITS; u++) {
        unsigned long long all = SN_ONES(8 * sn_unit_bytes(units[u].unit));

        for (const struct sn_reg *r = units[u].regs; r->name; r++) {
            bool bad = (r->reset | r->wmask) & ~all;

            bad |= r->access == SN_RO && r->wmask;
            bad |= r->access == SN_WO && r->reset;
            bad |= r->access == SN_RCLR && (r->reset || r->wmask);
            bad |= (r->access == SN_W1C || r->access == SN_W1S) && !r->wmask;
            bad |= (r->access == SN_RCLR) != (r->target != 0);
            if (bad) {
                fail_msg("%s: reset 0x%llx, write mask 0x%llx, access %d", r->name, r->reset,
                         r->wmask, r->access);
            }
        }
    }
}

static void test_clearing_aliases(void **state)
{
    unsigned aliases = 0;

    (void)state;
    for (unsigned u = 0; u < NUNITS; u++) {
        for (const struct sn_reg *r = units[u].regs; r->name; r++) {
            const struct sn_reg *t = units[u].regs;

            if (r->access != SN_RCLR) {
                continue;
            }
            while (t->name && t->offset != r->target) {
                t++;
            }
            if (!t->name || t->access == SN_RCLR || t->count != r->count ||
                t->stride != r->stride) {
                fail_msg("%s clears nothing of its shape", r->name);
            }
            aliases++;
        }
    }
    assert_true(aliases >= 5);
}

static void test_fields_fit(void **state)
{
    (void)state;
    for (unsigned u = 0; u < NUNITS; u++) {
        unsigned bits = 8 * sn_unit_bytes(units[u].unit);

        for (const struct sn_reg_field *f = units[u].fields; f->reg; f++) {
            const struct sn_reg *r = find(u, f->reg);

            if (!r) {
                fail_msg("%s.%s: no such register", f->reg, f->field);
            }
            if (f->width < 1 || f->shift + f->width > bits) {
                fail_msg("%s.%s: bits %u+%u", f->reg, f->field, f->shift, f->width);
            }
            assert_true(strlen(f->meaning) > 0);
            for (const struct sn_reg_field *g = f + 1; g->reg; g++) {
                if (!strcmp(f->reg, g->reg) && !strcmp(f->field, g->field)) {
                    fail_msg("%s.%s is there twice", f->reg, f->field);
                }
            }
        }
    }
}

/* Constants and tables come from the same rows, so they must agree. */
static void test_constants(void **state)
{
    (void)state;
    assert_int_equal(find(SN_UNIT_MD, "MD_PERF_SEL")->offset, R_MD_PERF_SEL);
    assert_int_equal(R_MD_PERF_SEL, 0x210000);
    assert_int_equal(SN_REG_N(MD_PERF_CNT, 5), 0x210038);
    assert_int_equal(R_MD_PERF_CNT_COUNT, 6);
    assert_int_equal(SN_REG_N(RR_HISTOGRAM, 5), 0x60010);
    assert_int_equal(SN_REG_N(RR_HISTOGRAM_CLEAR, 0), 0x10090);
    assert_int_equal(SN_REG_N(RR_META_TABLE, 31), 0x700f8);
    assert_int_equal(SN_REG_N(RR_LOCAL_TABLE, 15), 0x70178);
    assert_int_equal(SN_FIELD_SET(0, RR_PORT_PARMS, HISTSEL, 7), 3u << 18);
    assert_int_equal(SN_FIELD_GET(0x2aULL << 8, NI_STATUS_REV_ID, NODEID), 0x2a);
    assert_int_equal(SN_ONES(64), ~0ULL);
    assert_int_equal(SN_ONES(0), 0);
    assert_int_equal(SN_SET(~0ULL, 60, 4, 0), ~0ULL >> 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit_is_here), cmocka_unit_test(test_no_overlap),
        cmocka_unit_test(test_names_are_unique),   cmocka_unit_test(test_access_classes),
        cmocka_unit_test(test_clearing_aliases),   cmocka_unit_test(test_fields_fit),
        cmocka_unit_test(test_constants),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The description reader: contents of the presets, inheritance, order, and blobs that
 * dtc would not make (tests/dt/ has the ones that it does).
 *
 * Presets are read from $ORIGIN_MACHINES (default build/machines).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <libfdt.h>

#include "dt/dt.h"
#include "fabric/topo.h"

static struct sn_desc d;
static struct sn_topo t;
static char err[200];
static uint64_t blob[1 << 12];

static size_t load_blob(const char *name)
{
    const char *dir = getenv("ORIGIN_MACHINES");
    char path[512];
    size_t len;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s.dtb", dir ? dir : "build/machines", name);
    f = fopen(path, "rb");
    if (!f) {
        fail_msg("cannot open %s", path);
    }
    len = fread(blob, 1, sizeof(blob), f);
    fclose(f);
    return len;
}

/* --- presets: docs/machine-description.md and the sources it names -------- */

static const struct {
    const char *name;
    unsigned nodes, routers, metas, cpus, hub_khz;
    enum sn_cpu_model model;
    unsigned khz, l2_khz, l2_mb, total_mb;
    enum sn_dir_dimm dir;
} preset[] = {
    { "origin200", 1, 0, 0, 2, 90000, SN_CPU_R10000, 180000, 120000, 1, 256, SN_DIMM_STANDARD },
    { "ricotta", 8, 4, 0, 16, 90000, SN_CPU_R10000, 180000, 120000, 1, 2048, SN_DIMM_STANDARD },
    { "rapture", 15, 8, 0, 30, 100000, SN_CPU_R10000, 250000, 250000, 4, 3840, SN_DIMM_STANDARD },
    { "bitmap", 8, 4, 0, 16, 97500, SN_CPU_R10000, 195000, 130000, 4, 2048, SN_DIMM_STANDARD },
    { "bootleg", 16, 8, 0, 32, 100000, SN_CPU_R10000, 250000, 250000, 4, 4096, SN_DIMM_STANDARD },
    { "lego-oil", 16, 8, 0, 32, 100000, SN_CPU_R12000, 300000, 200000, 8, 4096, SN_DIMM_STANDARD },
    { "arctic", 32, 16, 0, 64, 100000, SN_CPU_R12000, 300000, 200000, 8, 8192, SN_DIMM_PREMIUM },
    { "bwana", 8, 4, 0, 16, 100000, SN_CPU_R12000, 400000, 266667, 8, 2048, SN_DIMM_STANDARD },
    { "stinger", 64, 40, 8, 128, 100000, SN_CPU_R12000, 300000, 200000, 8, 16384, SN_DIMM_PREMIUM },
    { "refcnt-example", 8, 4, 0, 16, 90000, SN_CPU_R10000, 180000, 120000, 1, 2176,
      SN_DIMM_STANDARD },
    { "like-2s", 2, 2, 0, 4, 100000, SN_CPU_R12000, 800000, 800000, 2, 512, SN_DIMM_STANDARD },
    { "like-8s", 8, 8, 0, 16, 100000, SN_CPU_R12000, 800000, 800000, 2, 2048, SN_DIMM_STANDARD },
};
#define NPRESETS (sizeof(preset) / sizeof(preset[0]))

static void read_preset(const char *name)
{
    size_t len = load_blob(name);

    if (origin_dt_read(blob, len, &d, err, sizeof(err)) < 0 ||
        sn_topo_build(&t, &d, err, sizeof(err)) < 0) {
        fail_msg("%s: %s", name, err);
    }
}

static void test_presets(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NPRESETS; i++) {
        unsigned cpus = 0, mb = 0, metas = 0;

        read_preset(preset[i].name);
        assert_string_equal(d.name, preset[i].name);
        assert_true(strlen(d.title) > 10);
        /* A sketch says that it is one. */
        assert_int_equal(d.what.keys[0] != '\0', !strncmp(d.name, "like-", 5));
        assert_int_equal(d.what.keys[0] != '\0', !strncmp(d.title, "sketch, not validated: ", 23));
        assert_int_equal(d.nnodes, preset[i].nodes);
        assert_int_equal(d.nrouters, preset[i].routers);
        for (unsigned n = 0; n < d.nnodes; n++) {
            assert_int_equal(d.node[n].hub_khz, preset[i].hub_khz);
            assert_int_equal(d.node[n].dir, preset[i].dir);
            for (unsigned b = 0; b < SN_NODE_BANKS; b++) {
                mb += d.node[n].bank_mb[b];
            }
            for (unsigned s = 0; s < SN_NODE_CPUS; s++) {
                const struct sn_cpu_desc *c = &d.node[n].cpu[s];

                cpus += c->model != SN_CPU_NONE;
                assert_int_equal(c->model, preset[i].model);
                assert_int_equal(c->khz, preset[i].khz);
                assert_int_equal(c->l2_khz, preset[i].l2_khz);
                assert_int_equal(c->l2_bytes, preset[i].l2_mb << 20);
            }
        }
        for (unsigned r = 0; r < d.nrouters; r++) {
            metas += d.router[r].meta;
        }
        assert_int_equal(metas, preset[i].metas);
        assert_int_equal(cpus, preset[i].cpus);
        assert_int_equal(mb, preset[i].total_mb);
    }
}

/* memory_config.csv: module, slot, MB */
static void test_refcnt_example(void **state)
{
    static const unsigned want[8][3] = {
        { 1, 1, 512 }, { 1, 2, 256 }, { 1, 3, 256 }, { 1, 4, 512 },
        { 2, 1, 256 }, { 2, 2, 64 },  { 2, 3, 64 },  { 2, 4, 256 },
    };

    (void)state;
    read_preset("refcnt-example");
    for (unsigned n = 0; n < 8; n++) {
        unsigned mb = 0;

        for (unsigned b = 0; b < SN_NODE_BANKS; b++) {
            mb += d.node[n].bank_mb[b];
        }
        assert_int_equal(d.node[n].module, want[n][0]);
        assert_int_equal(d.node[n].slot, want[n][1]);
        assert_int_equal(mb, want[n][2]);
    }
}

/* Thesis figures 5.3 and 5.5: n1 is module 11 slot n2, n2 is slot n3. */
static void test_rapture(void **state)
{
    (void)state;
    read_preset("rapture");
    assert_int_equal(d.node[1].module, 11);
    assert_int_equal(d.node[1].slot, 2);
    assert_int_equal(d.node[2].module, 11);
    assert_int_equal(d.node[2].slot, 3);
}

/* --- blobs made by hand -------------------------------------------------- */

static char sw[8192] __attribute__((aligned(8)));

static void begin(void)
{
    fdt_create(sw, sizeof(sw));
    fdt_finish_reservemap(sw);
    fdt_begin_node(sw, "");
    fdt_property_string(sw, "compatible", "sgi,origin2000");
    fdt_property_string(sw, "model", "made");
    fdt_property_u32(sw, "hub-khz", 100000);
    fdt_property_string(sw, "directory", "premium");
    fdt_property_u32(sw, "memory-mb", 512);
    fdt_property_string(sw, "cpu-model", "R10000");
    fdt_property_u32(sw, "cpu-khz", 250000);
    fdt_property_u32(sw, "l2-khz", 250000);
    fdt_property_u32(sw, "l2-kb", 4096);
}

static int end(void)
{
    fdt_end_node(sw);
    assert_int_equal(fdt_finish(sw), 0);
    err[0] = '\0';
    if (origin_dt_read(sw, fdt_totalsize(sw), &d, err, sizeof(err)) < 0) {
        return -1;
    }
    return sn_topo_build(&t, &d, err, sizeof(err));
}

static void empty(const char *name)
{
    fdt_begin_node(sw, name);
    fdt_end_node(sw);
}

/* The nearest value counts: CPU, node, module, modules, root. */
static void test_inheritance(void **state)
{
    (void)state;
    begin();
    fdt_begin_node(sw, "modules");
    fdt_property_u32(sw, "l2-kb", 2048);
    fdt_begin_node(sw, "module@7");
    fdt_property_u32(sw, "memory-mb", 256);
    fdt_begin_node(sw, "node@n1");
    fdt_property_u32(sw, "memory-mb", 128);
    fdt_property_string(sw, "cpu-model", "R12000");
    empty("cpu@a");
    fdt_begin_node(sw, "cpu@b");
    fdt_property_string(sw, "cpu-model", "R10000");
    fdt_property_u32(sw, "l2-kb", 1024);
    fdt_end_node(sw);
    fdt_end_node(sw);
    fdt_begin_node(sw, "node@n2");
    fdt_property_string(sw, "directory", "standard");
    empty("cpu@b");
    fdt_end_node(sw);
    empty("router@r1");
    fdt_end_node(sw);
    fdt_end_node(sw);
    assert_int_equal(end(), 0);
    assert_int_equal(d.nnodes, 2);
    assert_string_equal(d.title, "");
    assert_int_equal(d.node[0].module, 7);
    assert_int_equal(d.node[0].bank_mb[0], 128);
    assert_int_equal(d.node[1].bank_mb[0], 256);
    assert_int_equal(d.node[0].dir, SN_DIMM_PREMIUM);
    assert_int_equal(d.node[1].dir, SN_DIMM_STANDARD);
    assert_int_equal(d.node[0].cpu[0].model, SN_CPU_R12000);
    assert_int_equal(d.node[0].cpu[0].l2_bytes, 2 << 20);
    assert_int_equal(d.node[0].cpu[1].model, SN_CPU_R10000);
    assert_int_equal(d.node[0].cpu[1].l2_bytes, 1 << 20);
    assert_int_equal(d.node[1].cpu[0].model, SN_CPU_NONE);
    assert_int_equal(d.node[1].cpu[1].model, SN_CPU_R10000);
}

/* Cables may stand before the modules that they join. */
static void test_order_of_parts(void **state)
{
    fdt32_t c[5] = { cpu_to_fdt32(1), cpu_to_fdt32(3), cpu_to_fdt32(2), cpu_to_fdt32(2),
                     cpu_to_fdt32(70) };

    (void)state;
    begin();
    fdt_begin_node(sw, "links");
    fdt_property(sw, "cables", c, sizeof(c));
    fdt_end_node(sw);
    fdt_begin_node(sw, "modules");
    for (unsigned m = 2; m >= 1; m--) {
        fdt_begin_node(sw, m == 2 ? "module@2" : "module@1");
        fdt_begin_node(sw, "router@r1");
        fdt_property_u32(sw, "phandle", m);
        fdt_end_node(sw);
        empty("node@n2");
        fdt_end_node(sw);
    }
    fdt_end_node(sw);
    empty("__symbols__");
    assert_int_equal(end(), 0);
    assert_int_equal(d.node[0].module, 2);
    assert_int_equal(d.node[0].link.port, 4);
    assert_int_equal(d.router[0].port[2].index, 1);
    assert_int_equal(d.router[0].port[2].port, 3);
    assert_int_equal(d.router[0].port[2].cable_cm, 70);
    assert_int_equal(d.router[1].port[3].index, 0);
    assert_int_equal(sn_topo_hops(&t, 0, 1), 2);
}

static void test_same_slot_twice(void **state)
{
    (void)state;
    begin();
    fdt_begin_node(sw, "modules");
    for (unsigned i = 0; i < 2; i++) {
        fdt_begin_node(sw, "module@1");
        empty("node@n1");
        fdt_end_node(sw);
    }
    fdt_end_node(sw);
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules/module@1/node@n1: slot taken twice");

    begin();
    fdt_begin_node(sw, "modules");
    fdt_begin_node(sw, "module@1");
    empty("node@n1");
    empty("router@r1");
    empty("router@r1");
    fdt_end_node(sw);
    fdt_end_node(sw);
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules/module@1/router@r1: slot taken twice");

    begin();
    fdt_begin_node(sw, "modules");
    fdt_begin_node(sw, "module@1");
    fdt_begin_node(sw, "node@n1");
    empty("cpu@a");
    empty("cpu@a");
    fdt_end_node(sw);
    fdt_end_node(sw);
    fdt_end_node(sw);
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules/module@1/node@n1/cpu@a: slot taken "
                             "twice");
}

static void test_parts_twice(void **state)
{
    (void)state;
    begin();
    fdt_begin_node(sw, "modules");
    fdt_begin_node(sw, "module@1");
    empty("node@n1");
    fdt_end_node(sw);
    fdt_end_node(sw);
    empty("modules");
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules: there twice");
    begin();
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules: no node in it");
}

static void test_phandle_twice(void **state)
{
    (void)state;
    begin();
    fdt_begin_node(sw, "modules");
    fdt_begin_node(sw, "module@1");
    fdt_begin_node(sw, "node@n1");
    fdt_property_u32(sw, "phandle", 5);
    fdt_end_node(sw);
    fdt_begin_node(sw, "router@r1");
    fdt_property_u32(sw, "phandle", 5);
    fdt_end_node(sw);
    fdt_end_node(sw);
    fdt_end_node(sw);
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules/module@1/router@r1: phandle: used "
                             "twice");
}

/* Names and values from the blob must not break the line or the terminal. */
static void test_message_is_printable(void **state)
{
    (void)state;
    begin();
    fdt_begin_node(sw, "modules");
    empty("mod\n\x1b[31mule@1");
    fdt_end_node(sw);
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules/mod??[31mule@1: modules are module@1 "
                             "to module@255");
    begin();
    fdt_begin_node(sw, "modules");
    fdt_property_string(sw, "cpu-model", "R\n5000");
    fdt_begin_node(sw, "module@1");
    empty("node@n1");
    assert_int_equal(fdt_end_node(sw), 0);
    fdt_end_node(sw);
    assert_int_equal(end(), -1);
    assert_string_equal(err, "/modules/module@1/node@n1/cpu@a: cpu-model: "
                             "R?5000 is not R10000 or R12000");
}

static void test_not_a_blob(void **state)
{
    size_t len = load_blob("ricotta");

    (void)state;
    assert_int_equal(origin_dt_read((char *)blob + 4, len, &d, err, sizeof(err)), -1);
    assert_string_equal(err, "/: not a device tree blob: not aligned");
    assert_int_equal(origin_dt_read(blob, 12, &d, err, sizeof(err)), -1);
    assert_string_equal(err, "/: not a device tree blob: truncated");
    assert_int_equal(origin_dt_read(blob, len - 1, &d, err, sizeof(err)), -1);
    assert_string_equal(err, "/: not a device tree blob: FDT_ERR_TRUNCATED");
    fdt_set_version(blob, 16);
    assert_int_equal(origin_dt_read(blob, len, &d, err, sizeof(err)), -1);
    assert_string_equal(err, "/: not a device tree blob: version 16, 17 "
                             "wanted");
    memset(blob, 0, sizeof(blob));
    assert_int_equal(origin_dt_read(blob, len, &d, err, sizeof(err)), -1);
    assert_string_equal(err, "/: not a device tree blob: FDT_ERR_BADMAGIC");
    /* no room, little room */
    assert_int_equal(origin_dt_read(blob, len, &d, err, 0), -1);
    err[4] = 'x';
    assert_int_equal(origin_dt_read(blob, len, &d, err, 4), -1);
    assert_string_equal(err, "/: ");
}

/* Every byte of a blob set to every power-of-two distance from its value. */
static void test_every_byte_damaged(void **state)
{
    size_t len = load_blob("ricotta");
    unsigned char *p = (unsigned char *)blob;
    unsigned refused = 0, accepted = 0;

    (void)state;
    for (size_t i = 0; i < len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            memset(err, 0, sizeof(err));
            p[i] ^= 1u << bit;
            if (origin_dt_read(blob, len, &d, err, sizeof(err)) < 0 ||
                sn_topo_build(&t, &d, err, sizeof(err)) < 0) {
                refused++;
                assert_true(strlen(err) > 0 && strlen(err) < sizeof(err));
                for (const char *c = err; *c; c++) {
                    assert_in_range(*c, ' ', '~');
                }
            } else {
                accepted++;
            }
            p[i] ^= 1u << bit;
        }
    }
    assert_true(refused > 4 * accepted);
    assert_true(accepted > 0); /* reserved fields, the title */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_refcnt_example),
        cmocka_unit_test(test_rapture),
        cmocka_unit_test(test_inheritance),
        cmocka_unit_test(test_order_of_parts),
        cmocka_unit_test(test_same_slot_twice),
        cmocka_unit_test(test_parts_twice),
        cmocka_unit_test(test_phandle_twice),
        cmocka_unit_test(test_message_is_printable),
        cmocka_unit_test(test_not_a_blob),
        cmocka_unit_test(test_every_byte_damaged),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

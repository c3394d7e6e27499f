/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 1-wire memories of board/xio/w1.c, driven as Linux's sgi_w1 and w1 core do:
 * pulses (520,65), (6,13), (80,30) and nothing else.  CRC vectors are the
 * published ones (Maxim application note 27; CRC-16/ARC).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "xio/w1.h"

static struct w1_bus bus;

static bool touch(bool bit)
{
    return bit ? w1_bus_pulse(&bus, 6, 13) : w1_bus_pulse(&bus, 80, 30);
}

/* Linux returns the sample: 0 means that a device is present. */
static bool present(void)
{
    return !w1_bus_pulse(&bus, 520, 65);
}

static void put(uint8_t byte)
{
    for (int i = 0; i < 8; i++) {
        touch(byte >> i & 1);
    }
}

static uint8_t get(void)
{
    uint8_t byte = 0;

    for (int i = 0; i < 8; i++) {
        byte |= touch(true) << i;
    }
    return byte;
}

static void get_block(uint8_t *buf, int len)
{
    while (len--) {
        *buf++ = get();
    }
}

static void command(uint8_t cmd, uint16_t addr)
{
    assert_true(present());
    put(W1_SKIP_ROM);
    put(cmd);
    put(addr & 0xff);
    put(addr >> 8);
}

static int one_ds2505(void **state)
{
    (void)state;
    memset(&bus, 0, sizeof(bus));
    w1_eprom_init(&bus.dev[0], W1_DS2505, 0x123456789abcULL);
    assert_int_equal(0, w1_eprom_set_board(&bus.dev[0], "K0001234", "030-1124-002", "A"));
    bus.ndev = 1;
    w1_bus_power_on(&bus);
    return 0;
}

static int one_ds2502(void **state)
{
    static const uint8_t mac[6] = { 0x08, 0x00, 0x69, 0x12, 0x34, 0x56 };

    (void)state;
    memset(&bus, 0, sizeof(bus));
    w1_eprom_init(&bus.dev[0], W1_DS2502, 1);
    w1_eprom_set_mac(&bus.dev[0], mac);
    bus.ndev = 1;
    return 0;
}

static void crc_vectors(void **state)
{
    static const uint8_t rom[] = { 0x02, 0x1c, 0xb8, 0x01, 0, 0, 0, 0xa2 };

    (void)state;
    assert_int_equal(0xa2, w1_crc8(0, rom, 7));
    assert_int_equal(0x00, w1_crc8(0, rom, 8));
    assert_int_equal(0xbb3d, w1_crc16(0, "123456789", 9));
    assert_int_equal(0xbb3d, w1_crc16(w1_crc16(0, "1234", 4), "56789", 5));
}

static void rom_code(void **state)
{
    const uint8_t *rom = bus.dev[0].rom;

    (void)state;
    assert_int_equal(0x0b, rom[0]);
    assert_int_equal(0xbc, rom[1]); /* serial, LSB first */
    assert_int_equal(0x12, rom[6]);
    assert_int_equal(0, w1_crc8(0, rom, 8));
}

static void presence_and_width(void **state)
{
    (void)state;
    assert_true(present());
    /* 480 us is a reset, 479 is a long 0 */
    assert_false(w1_bus_pulse(&bus, 480, 65));
    assert_true(w1_bus_pulse(&bus, 479, 65));
    /* sampled before the presence pulse begins or after it ends: high */
    assert_true(w1_bus_pulse(&bus, 520, 29));
    assert_false(w1_bus_pulse(&bus, 520, 30));
    assert_false(w1_bus_pulse(&bus, 520, 149));
    assert_true(w1_bus_pulse(&bus, 520, 150));
    /* without a pulse there is no slot */
    assert_true(w1_bus_pulse(&bus, 0, 65));
    bus.ndev = 0;
    assert_false(present());
}

static void read_rom(void **state)
{
    uint8_t rom[8];

    (void)state;
    assert_true(present());
    put(W1_READ_ROM);
    get_block(rom, 8);
    assert_memory_equal(bus.dev[0].rom, rom, 8);
}

/* A 0 is held for 30 us from the edge: a master that samples later sees 1. */
static void late_sample_misses_zero(void **state)
{
    (void)state;
    assert_true(present());
    put(W1_READ_ROM);
    touch(true); /* family 0x0b = 1101 0000, LSB first: bits 0,1 = 1 */
    touch(true);
    assert_true(w1_bus_pulse(&bus, 6, 24));  /* bit 2 is 0, too late */
    assert_true(touch(true));                /* bit 3 is 1 */
    assert_false(w1_bus_pulse(&bus, 6, 23)); /* bit 4 is 0, in time */
}

/* Linux w1_search(): follow 0 branches first, return the ROM codes found. */
static int search(uint64_t *found, int max)
{
    uint64_t last = 0;
    int desc = -1, n = 0;
    bool more = true;

    while (more && n < max) {
        uint64_t rn = 0;
        int last_zero = -1, bit;

        if (!present()) {
            break;
        }
        put(W1_SEARCH_ROM);
        for (bit = 0; bit < 64; bit++) {
            bool a = touch(true), b = touch(true), dir;

            if (a && b) {
                return n;
            }
            if (a != b) {
                dir = a;
            } else if (bit == desc) {
                dir = true;
            } else if (bit > desc) {
                dir = false;
            } else {
                dir = last >> bit & 1;
            }
            if (a == b && !dir) {
                last_zero = bit;
            }
            touch(dir);
            rn |= (uint64_t)dir << bit;
        }
        more = last_zero != -1 && last_zero != desc;
        desc = last_zero;
        last = rn;
        found[n++] = rn;
    }
    return n;
}

static uint64_t rom64(const struct w1_eprom *e)
{
    uint64_t r = 0;

    for (int i = 0; i < 8; i++) {
        r |= (uint64_t)e->rom[i] << 8 * i;
    }
    return r;
}

static void search_finds_all(void **state)
{
    uint64_t found[4] = { 0 };

    (void)state;
    assert_int_equal(1, search(found, 4));
    assert_true(found[0] == rom64(&bus.dev[0]));

    w1_eprom_init(&bus.dev[1], W1_DS2502, 0x123456789abdULL);
    bus.ndev = 2;
    assert_int_equal(2, search(found, 4));
    assert_true((found[0] == rom64(&bus.dev[0]) && found[1] == rom64(&bus.dev[1])) ||
                (found[0] == rom64(&bus.dev[1]) && found[1] == rom64(&bus.dev[0])));
}

static void match_selects_one(void **state)
{
    uint8_t byte;

    (void)state;
    w1_eprom_init(&bus.dev[1], W1_DS2505, 77);
    memset(bus.dev[1].mem, 0x55, 64);
    bus.ndev = 2;
    for (int i = 0; i < 2; i++) {
        assert_true(present());
        put(W1_MATCH_ROM);
        for (int k = 0; k < 8; k++) {
            put(bus.dev[i].rom[k]);
        }
        put(W1_READ_MEMORY);
        put(0);
        put(0);
        byte = get();
        assert_int_equal(i ? 0x55 : 'K', byte);
    }
    /* one wrong bit: no device answers */
    assert_true(present());
    put(W1_MATCH_ROM);
    for (int k = 0; k < 8; k++) {
        put(bus.dev[0].rom[k] ^ (k == 7));
    }
    put(W1_READ_MEMORY);
    put(0);
    put(0);
    assert_int_equal(0xff, get());
}

/* Both driving at once is the AND of both: a bus, not a switch. */
static void wired_and(void **state)
{
    (void)state;
    w1_eprom_init(&bus.dev[1], W1_DS2505, 77);
    memset(bus.dev[1].mem, 0x0f, 64);
    bus.ndev = 2;
    command(W1_READ_MEMORY, 0);
    assert_int_equal('K' & 0x0f, get());
}

/* What w1_ds2505_read_page() does: both CRCs must come out as 0xb001. */
static void ext_read(void **state)
{
    uint8_t buf[6], page[34];

    (void)state;
    for (int pg = 0; pg < 2; pg++) {
        uint16_t addr = pg * W1_PAGE;

        command(W1_EXT_READ, addr);
        buf[0] = W1_EXT_READ;
        buf[1] = addr & 0xff;
        buf[2] = addr >> 8;
        get_block(buf + 3, 3);
        assert_int_equal(0xff, buf[3]);
        assert_int_equal(0xb001, w1_crc16(0, buf, 6));
        get_block(page, 34);
        assert_memory_equal(bus.dev[0].mem + addr, page, 32);
        assert_int_equal(0xb001, w1_crc16(0, page, 34));
        /* and the stored page carries a CRC of its own */
        assert_int_equal(0xb001, w1_crc16(0, page, 32));
        if (pg == 0) {
            assert_memory_equal("030-1124-002       ", page + 11, 19);
        }
    }
}

/* The next page follows: its redirection byte has a CRC of its own alone. */
static void ext_read_runs_on(void **state)
{
    uint8_t buf[34];

    (void)state;
    command(W1_EXT_READ, 3 * W1_PAGE - 1);
    for (int i = 0; i < 3; i++) {
        get();
    }
    get_block(buf, 3); /* last byte of page 2 and its CRC */
    assert_int_equal(0xb001, w1_crc16(0, buf, 3));
    get_block(buf, 3);
    assert_int_equal(0xff, buf[0]);
    assert_int_equal(0xb001, w1_crc16(0, buf, 3));
    get_block(buf, 34);
    assert_int_equal(0xb001, w1_crc16(0, buf, 34));
    /* the last page: after its CRC the line floats */
    command(W1_EXT_READ, W1_DS2505_SIZE - 1);
    bus.dev[0].mem[W1_DS2505_SIZE - 1] = 0;
    for (int i = 0; i < 6; i++) {
        get();
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(0xff, get());
    }
}

static void read_memory(void **state)
{
    uint8_t buf[16];

    (void)state;
    command(W1_READ_MEMORY, 11);
    get_block(buf, 12);
    assert_memory_equal("030-1124-002", buf, 12);
    bus.dev[0].mem[W1_DS2505_SIZE - 1] = 0x12;
    command(W1_READ_MEMORY, W1_DS2505_SIZE - 1);
    assert_int_equal(0x12, get());
    assert_int_equal(0xff, get());
}

static void read_status(void **state)
{
    uint8_t buf[13];

    (void)state;
    command(W1_READ_STATUS, 0);
    memcpy(buf, (uint8_t[]){ W1_READ_STATUS, 0, 0 }, 3);
    get_block(buf + 3, 10);
    assert_int_equal(0xb001, w1_crc16(0, buf, 13));
    assert_int_equal(0xff, buf[3]); /* nothing protected */
}

/* What w1_ds2502_read_page() and ioc3eth_get_mac_addr() do. */
static void ds2502_mac(void **state)
{
    uint8_t cmd[3] = { W1_READ_DATA_CRC8, 0, 0 }, page[33];

    (void)state;
    command(cmd[0], 0);
    assert_int_equal(w1_crc8(0, cmd, 3), get());
    get_block(page, 33);
    assert_int_equal(0, w1_crc8(0, page, 33));
    assert_int_equal(0x0a, page[0]);
    assert_int_equal(0xb001, w1_crc16(0, page, 13));
    assert_int_equal(0x08, page[10]);
    assert_int_equal(0x56, page[5]);
    /* page 1 follows at once with a CRC8 of its own */
    get_block(page, 33);
    assert_int_equal(0, w1_crc8(0, page, 33));
}

static void unknown_commands_deselect(void **state)
{
    (void)state;
    assert_true(present());
    put(0x99); /* no ROM command */
    assert_int_equal(0xff, get());
    command(W1_EXT_READ, 0); /* a DS2502 has none */
    assert_int_equal(0xff, get());
    assert_true(present()); /* and a reset revives it */
    put(W1_READ_ROM);
    assert_int_equal(0x09, get());
}

/* A reset in the middle of anything starts over. */
static void reset_anywhere(void **state)
{
    (void)state;
    for (int n = 0; n < 200; n++) {
        assert_true(present());
        for (int i = 0; i < n; i++) {
            touch((W1_READ_ROM >> (i & 7)) & 1);
        }
        assert_true(present());
        put(W1_READ_ROM);
        assert_int_equal(0x0b, get());
    }
}

static void strings_too_long(void **state)
{
    struct w1_eprom e;

    (void)state;
    w1_eprom_init(&e, W1_DS2505, 1);
    assert_int_equal(-1, w1_eprom_set_board(&e, "12345678901", "p", "r"));
    assert_int_equal(-1, w1_eprom_set_board(&e, "s", "01234567890123456789", ""));
    assert_int_equal(-1, w1_eprom_set_board(&e, "s", "p", "1234567"));
    assert_int_equal(0, w1_eprom_set_board(&e, "1234567890", "0123456789012345678", "123456"));
}

/* Whatever a file says that is found possible: no pulse reads beyond the device's memory. */
static void test_possible(void **state)
{
    unsigned possible = 0;

    assert_true(w1_bus_possible(&bus));
    bus.ndev = W1_MAX_DEVICES + 1;
    assert_false(w1_bus_possible(&bus));
    srandom(1);
    for (unsigned i = 0; i < 20000; i++) {
        /* just as large as the bus, so that the sanitizer sees what is beyond it */
        struct w1_bus *b = malloc(sizeof(*b));
        struct w1_eprom *e = &b->dev[0];

        one_ds2505(state);
        *b = bus;
        b->ndev = 1;
        e->state = random() % (W1_DATA + 2);
        e->bit = random() % 4 ? random() % 8 : random() % 80;
        e->ncmd = random() % 5;
        e->stage = random() % 8;
        e->addr = random();
        e->cmd[0] = random() & 1 ? W1_READ_MEMORY : W1_EXT_READ;
        if (random() % 8 == 0) {
            e->size = random();
        }
        if (w1_bus_possible(b)) {
            possible++;
            for (unsigned k = 0; k < 200; k++) {
                w1_bus_pulse(b, random() & 1 ? 6 : 80, 13);
            }
        }
        free(b);
    }
    assert_in_range(possible, 2000, 18000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_vectors),
        cmocka_unit_test(strings_too_long),
        cmocka_unit_test_setup(rom_code, one_ds2505),
        cmocka_unit_test_setup(presence_and_width, one_ds2505),
        cmocka_unit_test_setup(read_rom, one_ds2505),
        cmocka_unit_test_setup(late_sample_misses_zero, one_ds2505),
        cmocka_unit_test_setup(search_finds_all, one_ds2505),
        cmocka_unit_test_setup(match_selects_one, one_ds2505),
        cmocka_unit_test_setup(wired_and, one_ds2505),
        cmocka_unit_test_setup(ext_read, one_ds2505),
        cmocka_unit_test_setup(ext_read_runs_on, one_ds2505),
        cmocka_unit_test_setup(read_memory, one_ds2505),
        cmocka_unit_test_setup(read_status, one_ds2505),
        cmocka_unit_test_setup(ds2502_mac, one_ds2502),
        cmocka_unit_test_setup(unknown_commands_deselect, one_ds2502),
        cmocka_unit_test_setup(reset_anywhere, one_ds2505),
        cmocka_unit_test_setup(test_possible, one_ds2505),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("w1", tests, NULL, NULL);
}

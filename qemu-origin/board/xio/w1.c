/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 1-wire memories and their bus: see w1.h.
 *
 * Every slot is shown to all devices.  A device that sends a 0 holds the line
 * low for a time; one that sends a 1 does not.  The bus is a wired AND.
 */
#include <string.h>

#include "xio/w1.h"

/* Data-sheet times, microseconds. */
#define T_RESET        480 /* shortest reset pulse */
#define T_SAMPLE       30  /* a device reads the line here (15..60) */
#define T_HOLD         30  /* a device holds a 0 this long (15..60) */
#define T_PRESENCE     30  /* release to presence pulse (15..60) */
#define T_PRESENCE_LOW 120 /* presence pulse (60..240) */

/* Fields of a W1_DATA answer, in the order in which they are sent. */
enum stage {
    ST_REDIR,      /* DS2505: redirection byte, 0xff = none */
    ST_CMD_CRC_LO, /* CRC over command, address (and redirection) */
    ST_CMD_CRC_HI, /* DS2505 only */
    ST_DATA,
    ST_PAGE_CRC_LO,
    ST_PAGE_CRC_HI, /* DS2505 only */
    ST_ONES,        /* past the end: the bus floats high */
};

uint8_t w1_crc8(uint8_t crc, const void *buf, size_t len)
{
    const uint8_t *p = buf;

    while (len--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++) {
            crc = crc & 1 ? crc >> 1 ^ 0x8c : crc >> 1;
        }
    }
    return crc;
}

uint16_t w1_crc16(uint16_t crc, const void *buf, size_t len)
{
    const uint8_t *p = buf;

    while (len--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++) {
            crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
        }
    }
    return crc;
}

void w1_eprom_init(struct w1_eprom *e, enum w1_family family, uint64_t serial)
{
    memset(e, 0, sizeof(*e));
    e->rom[0] = family;
    for (int i = 0; i < 6; i++) {
        e->rom[1 + i] = serial >> 8 * i;
    }
    e->rom[7] = w1_crc8(0, e->rom, 7);
    e->size = family == W1_DS2505 ? W1_DS2505_SIZE : W1_DS2502_SIZE;
    memset(e->mem, 0xff, sizeof(e->mem));
}

static void close_page(struct w1_eprom *e, unsigned page)
{
    uint8_t *p = e->mem + page * W1_PAGE;
    uint16_t crc = ~w1_crc16(0, p, W1_PAGE - 2);

    p[W1_PAGE - 2] = crc;
    p[W1_PAGE - 1] = crc >> 8;
}

int w1_eprom_set_board(struct w1_eprom *e, const char *serial, const char *part,
                       const char *rev)
{
    if (strlen(serial) > 10 || strlen(part) > 19 || strlen(rev) > 6) {
        return -1;
    }
    memset(e->mem, ' ', 2 * W1_PAGE);
    memcpy(e->mem, serial, strlen(serial));
    memcpy(e->mem + 11, part, strlen(part));
    memcpy(e->mem + W1_PAGE, rev, strlen(rev));
    close_page(e, 0);
    close_page(e, 1);
    return 0;
}

void w1_eprom_set_mac(struct w1_eprom *e, const uint8_t mac[6])
{
    uint16_t crc;

    memset(e->mem, 0xff, W1_PAGE);
    e->mem[0] = 0x0a;
    memset(e->mem + 1, 0, 4);
    for (int i = 0; i < 6; i++) {
        e->mem[10 - i] = mac[i];
    }
    crc = ~w1_crc16(0, e->mem, 11);
    e->mem[11] = crc;
    e->mem[12] = crc >> 8;
}

static bool rom_bit(const struct w1_eprom *e, unsigned n)
{
    return e->rom[n / 8] >> (n & 7) & 1;
}

static void enter(struct w1_eprom *e, enum w1_state state)
{
    e->state = state;
    e->bit = 0;
    e->shift = 0;
}

/* The next byte of an answer: data or status of the memory, or a CRC. */
static uint8_t next_byte(struct w1_eprom *e)
{
    bool wide = e->rom[0] == W1_DS2505;
    uint8_t byte, crc;

    switch (e->stage) {
    case ST_REDIR:
        byte = 0xff; /* no page is redirected */
        e->crc = w1_crc16(w1_crc16(0, e->cmd, e->ncmd), &byte, 1);
        e->stage = ST_CMD_CRC_LO;
        return byte;
    case ST_CMD_CRC_LO:
        if (wide) {
            e->stage = ST_CMD_CRC_HI;
            return ~e->crc;
        }
        crc = w1_crc8(0, e->cmd, 3);
        e->stage = ST_DATA;
        e->crc = 0;
        return crc;
    case ST_CMD_CRC_HI:
        byte = (uint16_t)~e->crc >> 8;
        e->stage = ST_DATA;
        e->crc = 0;
        return byte;
    case ST_DATA:
        if (e->cmd[0] == W1_READ_STATUS) {
            byte = 0xff; /* no page is write-protected or redirected */
        } else {
            byte = e->addr < e->size ? e->mem[e->addr] : 0xff;
        }
        e->crc = wide ? w1_crc16(e->crc, &byte, 1) : w1_crc8(e->crc, &byte, 1);
        e->addr++;
        if (e->cmd[0] == W1_READ_MEMORY) {
            if (e->addr >= e->size) {
                e->stage = wide ? ST_ONES : ST_PAGE_CRC_LO;
            }
        } else if (e->cmd[0] == W1_READ_STATUS) {
            if (e->addr % 8 == 0) {
                e->stage = ST_PAGE_CRC_LO;
            }
        } else if (e->addr % W1_PAGE == 0) {
            e->stage = ST_PAGE_CRC_LO;
        }
        return byte;
    case ST_PAGE_CRC_LO:
        if (wide) {
            e->stage = ST_PAGE_CRC_HI;
            return ~e->crc;
        }
        byte = e->crc;
        break;
    case ST_PAGE_CRC_HI:
        byte = (uint16_t)~e->crc >> 8;
        break;
    default:
        return 0xff;
    }
    /*
     * The CRC of a page has been sent.  The next page follows, if there is one;
     * on the DS2505 its redirection byte comes first.
     */
    if (e->addr >= e->size || e->cmd[0] == W1_READ_STATUS) {
        e->stage = ST_ONES;
    } else {
        if (wide && e->cmd[0] == W1_EXT_READ) {
            e->ncmd = 0; /* the CRC covers the redirection byte only */
            e->stage = ST_REDIR;
        } else {
            e->stage = ST_DATA;
        }
        e->crc = 0;
    }
    return byte;
}

static void rom_command(struct w1_eprom *e, uint8_t cmd)
{
    e->ncmd = 0;
    switch (cmd) {
    case W1_READ_ROM:
        enter(e, W1_ROM_SEND);
        break;
    case W1_MATCH_ROM:
        enter(e, W1_ROM_MATCH);
        break;
    case W1_SEARCH_ROM:
        enter(e, W1_SEARCH_TRUE);
        break;
    case W1_SKIP_ROM:
        enter(e, W1_MEM_CMD);
        break;
    default:
        enter(e, W1_IDLE);
    }
}

/* Takes a byte of a memory command; after the third the answer begins. */
static void mem_command(struct w1_eprom *e, uint8_t byte)
{
    bool wide = e->rom[0] == W1_DS2505;

    e->cmd[e->ncmd++] = byte;
    if (e->ncmd == 1) {
        bool known = byte == W1_READ_MEMORY || byte == W1_READ_STATUS ||
                     byte == (wide ? W1_EXT_READ : W1_READ_DATA_CRC8);

        enter(e, known ? W1_MEM_CMD : W1_IDLE);
        return;
    }
    enter(e, W1_MEM_CMD);
    if (e->ncmd < 3) {
        return;
    }
    enter(e, W1_DATA);
    e->addr = e->cmd[1] | e->cmd[2] << 8;
    if (e->cmd[0] != W1_READ_STATUS) {
        e->addr &= e->size - 1;
    }
    e->crc = 0;
    if (e->cmd[0] == W1_EXT_READ) {
        e->stage = ST_REDIR;
    } else if (wide) {
        /*
         * Read Memory and Read Status of a DS2505 begin with data.  The
         * CRC16 after a page of status also covers the command.
         */
        e->stage = ST_DATA;
        if (e->cmd[0] == W1_READ_STATUS) {
            e->crc = w1_crc16(0, e->cmd, 3);
        }
    } else {
        e->stage = ST_CMD_CRC_LO;
    }
}

/*
 * One slot as a device sees it; `in` is the level when the device samples.
 * Returns true if the device holds the line low, which sends a 0.
 */
static bool device_slot(struct w1_eprom *e, bool in)
{
    bool out = true;

    switch (e->state) {
    case W1_ROM_CMD:
    case W1_MEM_CMD:
        e->shift |= in << e->bit;
        if (++e->bit == 8) {
            uint8_t byte = e->shift;

            if (e->state == W1_ROM_CMD) {
                rom_command(e, byte);
            } else {
                mem_command(e, byte);
            }
        }
        return false;
    case W1_ROM_SEND:
        out = rom_bit(e, e->bit);
        if (++e->bit == 64) {
            enter(e, W1_MEM_CMD);
        }
        break;
    case W1_ROM_MATCH:
        if (in != rom_bit(e, e->bit)) {
            enter(e, W1_IDLE);
        } else if (++e->bit == 64) {
            enter(e, W1_MEM_CMD);
        }
        return false;
    case W1_SEARCH_TRUE:
        out = rom_bit(e, e->bit);
        e->state = W1_SEARCH_COMPL;
        break;
    case W1_SEARCH_COMPL:
        out = !rom_bit(e, e->bit);
        e->state = W1_SEARCH_SELECT;
        break;
    case W1_SEARCH_SELECT:
        if (in != rom_bit(e, e->bit)) {
            enter(e, W1_IDLE);
        } else if (++e->bit == 64) {
            enter(e, W1_MEM_CMD);
        } else {
            e->state = W1_SEARCH_TRUE;
        }
        return false;
    case W1_DATA:
        if (e->bit == 0) {
            e->shift = next_byte(e);
        }
        out = e->shift >> e->bit & 1;
        e->bit = (e->bit + 1) & 7;
        break;
    default:
        break;
    }
    return !out;
}

void w1_bus_power_on(struct w1_bus *b)
{
    for (unsigned i = 0; i < b->ndev; i++) {
        enter(&b->dev[i], W1_IDLE);
    }
}

bool w1_bus_possible(const struct w1_bus *b)
{
    if (b->ndev > W1_MAX_DEVICES) {
        return false;
    }
    for (unsigned i = 0; i < b->ndev; i++) {
        const struct w1_eprom *e = &b->dev[i];
        bool rom = e->state == W1_ROM_SEND || e->state == W1_ROM_MATCH ||
                   (e->state >= W1_SEARCH_TRUE && e->state <= W1_SEARCH_SELECT);

        if (e->state > W1_DATA || e->bit >= (rom ? 64 : 8) ||
            e->ncmd > sizeof(e->cmd) ||
            (e->ncmd == sizeof(e->cmd) && (rom || e->state == W1_MEM_CMD)) ||
            (e->size != W1_DS2502_SIZE && e->size != W1_DS2505_SIZE)) {
            return false;
        }
    }
    return true;
}

bool w1_bus_pulse(struct w1_bus *b, unsigned low_us, unsigned sample_us)
{
    bool held = false;

    if (low_us >= T_RESET) {
        for (unsigned i = 0; i < b->ndev; i++) {
            enter(&b->dev[i], W1_ROM_CMD);
        }
        return !(b->ndev && sample_us >= T_PRESENCE &&
                 sample_us < T_PRESENCE + T_PRESENCE_LOW);
    }
    if (low_us == 0) {
        return true; /* no edge begins a slot: the line stays high */
    }
    for (unsigned i = 0; i < b->ndev; i++) {
        held |= device_slot(&b->dev[i], low_us < T_SAMPLE);
    }
    return !(held && low_us + sample_us < T_HOLD);
}

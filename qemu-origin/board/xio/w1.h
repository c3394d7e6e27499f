/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 1-wire ("MicroLAN", "Number In a Can") bus with add-only memories, as SGI
 * boards carry them: DS2505 (2 KB, board part numbers) and DS2502 (128 B,
 * Ethernet address).  Pure C, no QEMU: board/xio/w1-mcr.c gives it registers.
 *
 * Modelled: reset and presence; the ROM commands (read, match, search, skip);
 * Read Memory; the page reads with CRC (DS2505 Extended Read: CRC16; DS2502
 * Read Data: CRC8); Read Status; the pulse widths that distinguish the slots.
 * Left out: programming (the 12 V pulse), overdrive speed, alarms.
 * Sources: data sheets of DS2502 and DS2505; Linux's w1_io.c, w1_ds250x.c.
 *
 * A slot, times in microseconds from the falling edge that the master makes:
 *
 *   0          6    15          30          60      80          480
 *   |<- low -->|                                                      write 1,
 *   |<- low -->|~~ device may hold low to 30 ~~|                      or read
 *   |<- low ----------------------------------------->|               write 0
 *   |<- low ----------------------------------------------- ... --->| reset
 */
#ifndef ORIGIN_W1_H
#define ORIGIN_W1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define W1_MAX_DEVICES 2
#define W1_PAGE        32 /* bytes */
#define W1_DS2502_SIZE 128
#define W1_DS2505_SIZE 2048

enum w1_family {
    W1_DS2502 = 0x09,
    W1_DS2505 = 0x0b,
};

enum w1_rom_cmd {
    W1_READ_ROM = 0x33,
    W1_MATCH_ROM = 0x55,
    W1_SKIP_ROM = 0xcc,
    W1_SEARCH_ROM = 0xf0,
};

enum w1_mem_cmd {
    W1_READ_MEMORY = 0xf0,
    W1_READ_STATUS = 0xaa,
    W1_READ_DATA_CRC8 = 0xc3, /* DS2502 */
    W1_EXT_READ = 0xa5,       /* DS2505 */
};

/* The state of a device between two slots. */
enum w1_state {
    W1_IDLE,          /* deselected: waits for a reset */
    W1_ROM_CMD,       /* collects a ROM command byte */
    W1_ROM_SEND,      /* Read ROM: sends its 64 bits */
    W1_ROM_MATCH,     /* compares 64 bits with its own */
    W1_SEARCH_TRUE,   /* search: sends bit */
    W1_SEARCH_COMPL,  /* search: sends complement */
    W1_SEARCH_SELECT, /* search: listens to the choice */
    W1_MEM_CMD,       /* collects a memory command and its address */
    W1_DATA,          /* sends what the command asks for */
};

/* One memory device.  The first part never changes after w1_eprom_init(). */
struct w1_eprom {
    uint8_t rom[8]; /* family, 48-bit serial (LSB first), CRC8 */
    uint16_t size;  /* bytes of mem in use */
    uint8_t mem[W1_DS2505_SIZE];

    uint8_t state;  /* enum w1_state */
    uint8_t bit;    /* bits done of the byte or ROM code in hand */
    uint8_t shift;  /* byte being collected or sent, LSB first */
    uint8_t cmd[3]; /* memory command, address low, address high */
    uint8_t ncmd;
    uint8_t stage; /* W1_DATA: which field of the answer, see w1.c */
    uint16_t addr; /* next byte to send */
    uint16_t crc;  /* running CRC16 or CRC8 */
};

struct w1_bus {
    struct w1_eprom dev[W1_MAX_DEVICES];
    unsigned ndev;
};

/*
 * CRC8 (x^8+x^5+x^4+1) and CRC16 (x^16+x^15+x^2+1), reflected, of len bytes
 * added to crc; start with 0.  The devices send the CRC16 inverted.
 */
uint8_t w1_crc8(uint8_t crc, const void *buf, size_t len);
uint16_t w1_crc16(uint16_t crc, const void *buf, size_t len);

/*
 * Makes *e a blank device (all ones) of that family with a 48-bit serial
 * number, and computes the CRC of its ROM code.
 */
void w1_eprom_init(struct w1_eprom *e, enum w1_family family, uint64_t serial);

/*
 * Fills pages 0 and 1 as SGI's boards store their identity: serial number (at
 * most 10 characters, bytes 0-9), part number (at most 19, bytes 11-29) and
 * revision (at most 6, bytes 32-37), each padded with blanks.  Each page ends
 * with its inverted CRC16 (Linux's pci-xtalk-bridge.c reads it).
 * Returns 0, or -1 if a string is too long.
 */
int w1_eprom_set_board(struct w1_eprom *e, const char *serial, const char *part,
                       const char *rev);

/*
 * Stores an Ethernet address in page 0, as Linux's ioc3-eth.c reads it: byte 0
 * is 0x0a, the address stands in reverse order in bytes 5-10, CRC16 in 11-12.
 */
void w1_eprom_set_mac(struct w1_eprom *e, const uint8_t mac[6]);

/* May the bus be in this state?  For one that comes from a file. */
bool w1_bus_possible(const struct w1_bus *b);

/* Power-on state: every device is deselected. */
void w1_bus_power_on(struct w1_bus *b);

/*
 * One pulse of the master: it pulls the line low for `low_us` microseconds,
 * releases it, and samples it `sample_us` after the release.  Returns the level
 * sampled.  A pulse of 480 us or more is a reset; a low level then means that a
 * device is present.
 */
bool w1_bus_pulse(struct w1_bus *b, unsigned low_us, unsigned sample_us);

#endif

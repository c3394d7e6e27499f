/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small client of QEMU's qtest protocol and a TAP printer, for register
 * tests.  The machine has no running CPUs: the test itself reads and writes
 * physical addresses and steps the virtual clock.
 *
 *   qt_start()      boots a preset; ORIGIN_QEMU and ORIGIN_MACHINES name the
 *                   program and the directory of *.dtb (default: build/...)
 *   qt_r32() ...    physical accesses, big-endian values as the CPU sees them
 *   qt_ok()         one TAP line
 *   qt_done()       the plan; value for main() to return
 *
 * A protocol error or a QEMU that dies ends the test with "Bail out!".
 */
#ifndef QT_H
#define QT_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the preset with further QEMU arguments (NULL-terminated list after
 * `machine`), for instance qt_start("origin200", "-device", "virtio-rng-pci",
 * NULL).  A name with a slash is the path of a .dtb. */
void qt_start(const char *machine, ...) __attribute__((sentinel));
/* Compiles the description beside the test's source file to a temporary .dtb;
 * remove() and free() the path. */
char *qt_dtb(const char *source, const char *dts);
/* Ends QEMU; false if its exit status is not 0. */
bool qt_stop(void);
/* True while the process lives. */
bool qt_alive(void);

uint8_t qt_r8(uint64_t pa);
uint16_t qt_r16(uint64_t pa);
uint32_t qt_r32(uint64_t pa);
uint64_t qt_r64(uint64_t pa);
void qt_w8(uint64_t pa, uint8_t v);
void qt_w16(uint64_t pa, uint16_t v);
void qt_w32(uint64_t pa, uint32_t v);
void qt_w64(uint64_t pa, uint64_t v);

/* Moves the virtual clock; returns the new time, both in ns. */
int64_t qt_clock_step(int64_t ns);

/* Sends one raw command line; the reply without "OK " until the next call. */
const char *qt_command(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The same in two steps, to send many lines at once: qt_queue() for each line,
 * then qt_reply() for each reply, in the same order.  At most 1000 lines may be
 * queued.  No other call of this file may come in between.
 */
void qt_queue(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *qt_reply(void);

bool qt_ok(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* ok if got == want, else prints both in hex. */
bool qt_eq(uint64_t got, uint64_t want, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int qt_done(void);

/* The next random number, xorshift64* (Vigna 2016); *state is not 0 */
static inline uint64_t qt_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

#endif

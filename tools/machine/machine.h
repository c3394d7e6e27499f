/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine (qemu-origin/engine/sn.h) behind calls with plain numbers, for the
 * page docs/machine.html, where it runs as WebAssembly, and for the program
 * build/machine/native, which gives the same answers to the same calls.  There
 * is one machine.
 *
 *   machine_room()    memory for the blob of a description
 *   machine_new()     a machine from the blob that is there, at power-on
 *   machine_do()      one access, by a processor or by the I/O side of a node
 *   machine_look()    directory entry and copies of a line
 *   machine_check()   the invariants (sn_check())
 *   machine_truth()   the ground truth (sn_truth_json())
 *   machine_save()    the state as the next number from 0 on; machine_load() goes back to it
 *   machine_drop()    forget the states from this number on
 *   machine_digest()  a number for the state
 *   machine_tables()  names, rows of the protocol, parts of latencies, kinds of accesses
 *   machine_shape()   clocks and parts of each processor
 *   machine_way()     the routers between two nodes
 *
 * Calls that return an int return 0 or more, or -1.  What else there is to say is
 * in machine_said(): JSON, or after -1 a line of text.
 *
 * Time.  The machine has TICK_HZ ticks a second.  Each processor has a clock; an
 * access begins at it, or at `at` if that is later, and ends when the processor
 * can go on.
 *
 * Left out: programs.  So accesses of a processor do not overlap, for the time
 * model `full` does not know which of them depend on each other.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdint.h>

#define TICK_HZ 100000000000ull /* a tick is 10 ps */

/*
 * Kinds of accesses: name, kind of the engine's, meaning.  From io_read on, node
 * `who` does them, the others processor `who`.  The last two are registers that
 * software writes; they take no time.
 */
/* clang-format off */
#define MACHINE_OPS(X)                                                                     \
    X(load,        SN_LOAD,   "load")                                                      \
    X(store,       SN_STORE,  "store")                                                     \
    X(ll,          SN_LL,     "load linked")                                               \
    X(sc,          SN_SC,     "store conditional")                                         \
    X(prefetch,    SN_PREF,   "prefetch to read")                                          \
    X(prefetchx,   SN_PREFX,  "prefetch to write")                                         \
    X(fetch,       SN_IFETCH, "fetch an instruction")                                      \
    X(flush,       SN_NKIND,  "CACHE instruction: write the line back and invalidate it")  \
    X(io_read,     SN_NKIND,  "I/O reads the line")                                        \
    X(io_write,    SN_NKIND,  "I/O writes the whole line")                                 \
    X(io_part,     SN_NKIND,  "I/O writes 8 bytes of the line")                            \
    X(io_poison,   SN_NKIND,  "block transfer reads the line and leaves it poisoned")      \
    X(unowned,     SN_NKIND,  "back door of the directory: unowned, whoever has a copy")   \
    X(moq,         SN_NKIND,  "MD_MOQ_SIZE of the line's home becomes 0: it backs off early")
/* clang-format on */

enum machine_op {
#define X(name, kind, text) OP_##name,
    MACHINE_OPS(X)
#undef X
        OP_COUNT
};

uint8_t *machine_room(uint32_t len);
int machine_new(uint32_t len, uint32_t time, uint32_t seed);
int machine_do(uint32_t op, uint32_t who, uint64_t pa, uint64_t at);
int machine_look(uint64_t pa);
int machine_check(void);
int machine_truth(void);
int machine_save(void);
int machine_load(uint32_t number);
void machine_drop(uint32_t number);
uint64_t machine_digest(void);
void machine_tables(void);
void machine_shape(void);
int machine_way(uint32_t from, uint32_t to);
const char *machine_said(void);

#endif

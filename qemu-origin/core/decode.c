/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an instruction is: its class, what it sets and needs, and its text
 *
 * Copyright (c) 2026 The Origin 2000 project contributors
 *
 * Interface: core.h.  The rows are in insn.h.inc.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

enum table {
    MAJOR,
    SPECIAL,
    SPECIAL2,
    SPECIAL3,
    REGIMM,
    COP0,
    C0,
    COP1,
    FP,
    COP1X,
    TABLES
};

enum form {
#define FORM(NAME, ...) FORM_##NAME,
#include "core/insn.h.inc"
};

static const struct form_row {
    const char *text, *sets, *needs;
    char late;
    uint8_t branch;
    bool link;
} forms[] = {
#define FORM(NAME, text, sets, needs, late, branch, link) \
    [FORM_##NAME] = { text, sets, needs, late, CORE_##branch, link },
#include "core/insn.h.inc"
};

static const struct row {
    const char *name; /* NULL: there is no such instruction */
    uint8_t class, form;
} rows[TABLES][64] = {
#define INSN(table, index, name, CLASS, FORM) \
    [table][index] = { name, CORE_CLASS_##CLASS, FORM_##FORM },
#include "core/insn.h.inc"
};

const struct core_class_row core_class[CORE_CLASSES] = {
#define ALU1       (1u << CORE_ALU1)
#define ALU2       (1u << CORE_ALU2)
#define LOAD       (1u << CORE_LOAD)
#define ADDER      (1u << CORE_ADDER)
#define MULTIPLIER (1u << CORE_MULTIPLIER)
#define CORE_NONE  CORE_UNITS
#define CLASS(NAME, text, queue, ports, busy, unit, after, r10k, r12k,   \
              latency, hi, entries, source)                              \
    [CORE_CLASS_##                                                       \
        NAME] = { text,  CORE_QUEUE_##queue, ports,   busy, CORE_##unit, \
                  after, { r10k, r12k },     latency, hi,   entries },
#include "core/class.h.inc"
#undef CLASS
};

const struct core_chip_row core_chip[2] = {
#define CHIP(NAME, text, fetch, graduate, list, queue, regs, branches, bubble, \
             counters, targets, returns, source)                               \
    [CORE_##NAME] = { text,     fetch,  graduate, list,    queue,  regs,       \
                      branches, bubble, counters, targets, returns },
#include "core/chip.h.inc"
#undef CHIP
};

static unsigned field(uint32_t word, unsigned at, unsigned bits)
{
    return word >> at & ((1u << bits) - 1);
}

/* Where the letters of insn.h.inc have a register: @base and a field */
static const struct letter {
    uint8_t base, at, bits;
} letters[128] = {
    ['s'] = { 0, 21, 5 },        ['t'] = { 0, 16, 5 },
    ['d'] = { 0, 11, 5 },        ['A'] = { 31, 0, 0 },
    ['R'] = { 32, 21, 5 },       ['T'] = { 32, 16, 5 },
    ['S'] = { 32, 11, 5 },       ['D'] = { 32, 6, 5 },
    ['c'] = { CORE_FCC, 18, 3 }, ['C'] = { CORE_FCC, 8, 3 },
    ['H'] = { CORE_HI, 0, 0 },   ['L'] = { CORE_LO, 0, 0 },
    ['K'] = { CORE_LINK, 0, 0 },
};

/* The register that letter @l stands for; CORE_NOREG: none */
static unsigned reg_of(uint32_t word, char l)
{
    const struct letter *p = &letters[(unsigned char)l % 128];
    unsigned r = p->base + field(word, p->at, p->bits);

    return r ? r : CORE_NOREG; /* register 0 is a constant */
}

static unsigned row_number(uint32_t word)
{
    unsigned major = field(word, 26, 6), low = field(word, 0, 6);

    switch (major) {
    case 0x00:
        return SPECIAL * 64 + low;
    case 0x01:
        return REGIMM * 64 + field(word, 16, 5);
    case 0x10:
        return field(word, 25, 1) ? C0 * 64 + low
                                  : COP0 * 64 + field(word, 21, 5);
    case 0x11:
        return field(word, 25, 1) ? FP * 64 + low
                                  : COP1 * 64 + field(word, 21, 5);
    case 0x13:
        return COP1X * 64 + low;
    case 0x1c:
        return SPECIAL2 * 64 + low;
    case 0x1f:
        return SPECIAL3 * 64 + low;
    default:
        return MAJOR * 64 + major;
    }
}

static const struct row *row_at(unsigned number)
{
    return &rows[number / 64][number % 64];
}

/* Formats of floating-point operands, in bits 25:21 */
enum { SINGLE = 16, DOUBLE, WORD = 20, LONG };

/* What the row alone does not say of the class */
static unsigned class_of(uint32_t word, unsigned number)
{
    unsigned class = row_at(number)->class, fmt = field(word, 21, 5);

    if (number / 64 == FP) {
        switch (class) {
        case CORE_CLASS_DIVS:
            return fmt == SINGLE ? CORE_CLASS_DIVS : CORE_CLASS_DIVD;
        case CORE_CLASS_SQRTS:
            return fmt == SINGLE ? CORE_CLASS_SQRTS : CORE_CLASS_SQRTD;
        case CORE_CLASS_RSQRTS:
            return fmt == SINGLE ? CORE_CLASS_RSQRTS : CORE_CLASS_RSQRTD;
        }
        /* An integer is converted to single. */
        return field(word, 0, 6) == 0x20 && fmt >= WORD ? CORE_CLASS_FCVT
                                                        : class;
    }
    /* SLL with register 0 as its target: NOP, SSNOP */
    if (number == SPECIAL * 64 && !field(word, 11, 5)) {
        return CORE_CLASS_NONE;
    }
    return class;
}

/* What the row alone does not say of a branch */
static unsigned branch_of(const struct core_insn *i, unsigned branch)
{
    unsigned s = field(i->word, 21, 5), t = field(i->word, 16, 5);
    unsigned major = field(i->word, 26, 6);

    if (branch == CORE_INDIRECT && s == 31 && !i->link) {
        return CORE_RETURN;
    }
    /* BEQ of a register with itself, BGEZ and BGEZAL of register 0 */
    if ((major == 4 && s == t) || (major == 1 && !s && (t & 0xf) == 1)) {
        return CORE_JUMP;
    }
    return branch;
}

void core_decode(uint32_t word, struct core_insn *i)
{
    unsigned number = row_number(word);
    const struct row *row = row_at(number);
    const struct form_row *form = &forms[row->form];
    unsigned n;

    *i = (struct core_insn){
        .word = word,
        .row = number,
        .class = row->name ? class_of(word, number) : CORE_CLASS_SERIAL,
        .link = form->link,
        .dst = { CORE_NOREG, CORE_NOREG },
        .src = { CORE_NOREG, CORE_NOREG, CORE_NOREG },
        .late = reg_of(word, form->late),
    };
    for (n = 0; form->sets[n]; n++) {
        i->dst[n] = reg_of(word, form->sets[n]);
    }
    for (n = 0; form->needs[n]; n++) {
        i->src[n] = reg_of(word, form->needs[n]);
    }
    if (form->branch) {
        i->branch = branch_of(i, form->branch);
    }
}

bool core_target(const struct core_insn *i, uint64_t pc, uint64_t *target)
{
    const char *text = forms[row_at(i->row)->form].text;

    if (strchr(text, 'b')) {
        *target = pc + 4 + (uint64_t)((int64_t)(int16_t)i->word * 4);
        return true;
    }
    if (strchr(text, 'j')) {
        *target = ((pc + 4) & ~UINT64_C(0xfffffff)) |
                  (uint64_t)field(i->word, 0, 26) << 2;
        return true;
    }
    return false;
}

/* Operand @l of the text of @i, in @part */
static void operand(const struct core_insn *i, uint64_t pc, char l, char *part,
                    size_t size)
{
    static const char *const names[32] = {
        "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
        "a7",   "t0", "t1", "t2", "t3", "s0", "s1", "s2", "s3", "s4", "s5",
        "s6",   "s7", "t8", "t9", "k0", "k1", "gp", "sp", "s8", "ra",
    };
    uint32_t w = i->word;
    uint64_t target;
    unsigned r = reg_of(w, l);

    if (strchr("std", l)) {
        snprintf(part, size, "%s", names[r == CORE_NOREG ? 0 : r]);
    } else if (strchr("DSTR", l)) {
        snprintf(part, size, "$f%u", r - 32);
    } else if (strchr("cC", l)) {
        snprintf(part, size, "$fcc%u", r - CORE_FCC);
    } else if (strchr("io", l)) {
        snprintf(part, size, "%d", (int16_t)w);
    } else if (l == 'u') {
        snprintf(part, size, "0x%x", field(w, 0, 16));
    } else if (strchr("aq", l)) {
        snprintf(part, size, "%u", field(w, l == 'a' ? 6 : 11, 5));
    } else if (l == 'p') {
        snprintf(part, size, "%u", field(w, 16, 5));
    } else if (l == 'n') {
        snprintf(part, size, "$%u", field(w, 11, 5));
    } else if (strchr("bj", l) && core_target(i, pc, &target)) {
        snprintf(part, size, "%" PRIx64, target);
    } else {
        snprintf(part, size, "%c", l); /* a comma, a bracket */
    }
}

/* Which exchange of bytes, or extension of a sign, of R2 */
static const char *swap_name(uint32_t word, const char *row)
{
    bool wide = field(word, 0, 6) == 0x24;

    switch (field(word, 6, 5)) {
    case 0x02:
        return wide ? "dsbh" : "wsbh";
    case 0x05:
        return wide ? "dshd" : row;
    case 0x10:
        return wide ? row : "seb";
    case 0x18:
        return wide ? row : "seh";
    default:
        return row;
    }
}

/* The name with what it gets from fields: a format, a condition */
static void name_of(const struct core_insn *i, char *text, size_t size)
{
    static const char *const moves[2] = { "movf", "movt" };
    static const char *const branches[4] = { "bc1f", "bc1t", "bc1fl", "bc1tl" };
    const struct row *row = row_at(i->row);
    unsigned fmt = field(i->word, 21, 5);
    char letter = fmt == SINGLE   ? 's'
                  : fmt == DOUBLE ? 'd'
                  : fmt == WORD   ? 'w'
                                  : 'l';

    if (row->form == FORM_DT) {
        snprintf(text, size, "%s", swap_name(i->word, row->name));
    } else if (row->form == FORM_MOVC) {
        snprintf(text, size, "%s", moves[field(i->word, 16, 1)]);
    } else if (row->form == FORM_FMOVC) {
        snprintf(text, size, "%s.%c", moves[field(i->word, 16, 1)], letter);
    } else if (row->form == FORM_BC1) {
        snprintf(text, size, "%s", branches[field(i->word, 16, 2)]);
    } else if (i->row / 64 == FP) {
        snprintf(text, size, "%s.%c", row->name, letter);
    } else {
        snprintf(text, size, "%s", row->name);
    }
}

void core_text(const struct core_insn *i, uint64_t pc, char *text, size_t size)
{
    const struct row *row = row_at(i->row);
    const char *form = forms[row->form].text;
    char part[24];

    if (!row->name) {
        snprintf(text, size, ".word 0x%08" PRIx32, i->word);
        return;
    }
    if (!i->word) {
        snprintf(text, size, "nop");
        return;
    }
    name_of(i, text, size);
    for (const char *l = form; *l; l++) {
        size_t n = strlen(text);

        operand(i, pc, *l, part, sizeof(part));
        snprintf(text + n, size - n, "%s%s", l == form ? " " : "", part);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the address of a second access depend on an outstanding access?  The
 * number of instructions between the two is known exactly and at most as large
 * as the processor's window.  So a depth-first search in the guest's code finds
 * a path of that length through the branches; the first such path counts.
 * Along this path the code follows the value of the load through registers to
 * the base register of the second access.
 *
 * A load of another word of the outstanding line through the same base register
 * gets its data with that line.  It counts like the first load.
 *
 * Verdicts are cached by the addresses and words of the two instructions and by
 * their distance.  Different code between the same two instructions is rare,
 * and a wrong verdict costs accuracy only.
 *
 * Left out: values that go through memory or floating-point registers; calls
 * through registers; returns other than through $31 from a call on the path.
 */
#include <string.h>

#include "time/depend.h"

#define VERDICTS 4096u
#define BUDGET   2000u /* instructions looked at for one verdict */
#define CALLS    4
#define HI       32
#define LO       33
#define REGS     34

struct sn_depend {
    struct verdict {
        uint64_t pc1, pc2;
        uint64_t words; /* the two instructions */
        uint32_t how;   /* see sn_depend(); never 0 */
        int32_t depth;
    } v[VERDICTS];
};

struct sn_depend *sn_depend_new(void)
{
    return sn_env_alloc(1, sizeof(struct sn_depend));
}

void sn_depend_free(struct sn_depend *d)
{
    sn_env_free(d);
}

void sn_depend_state(struct sn_depend *d, struct sn_archive *a)
{
    SN_MOVE(a, d->v);
}

/*
 * What the walk knows at one instruction.  reg[]: cycles from the arrival of
 * the data until the register has its value; -1: it does not depend on them.
 */
struct state {
    int16_t reg[REGS];
    uint8_t base; /* of the outstanding access; 0: overwritten since */
    uint64_t ret[CALLS];
    unsigned calls;
};

struct walk {
    struct sn_machine *m;
    unsigned cpu;
    uint64_t pc2;
    int line; /* offset in the line of 0(base) */
    unsigned budget;
    bool blind; /* met code that cannot be followed */
};

enum what { ALU, LOAD, OTHER, BRANCH, LIKELY, CALL, JUMP, JUMP_REG, UNKNOWN };
struct insn {
    enum what what;
    uint8_t dest, src[2]; /* 0: none */
    int imm;
    unsigned cycles;
    uint64_t target;
};

/* An instruction that computes dest from rs and rt (0: not used). */
static void alu(struct insn *i, unsigned dest, unsigned rs, unsigned rt,
                unsigned cycles)
{
    i->what = ALU;
    i->dest = (uint8_t)dest;
    i->src[0] = (uint8_t)rs;
    i->src[1] = (uint8_t)rt;
    i->cycles = cycles;
}

/* Opcode SPECIAL. */
static void decode_special(struct insn *i, uint32_t w)
{
    unsigned rs = w >> 21 & 31, rt = w >> 16 & 31, rd = w >> 11 & 31;
    unsigned fn = w & 63;

    switch (fn >> 3) {
    case 3: /* R10000 manual: DIV, MULT */
        alu(i, LO, rs, rt, fn & 2 ? 35 : 6);
        return;
    case 6: /* traps */
        return;
    }
    switch (fn) {
    case 0x08: /* JR */
        i->what = JUMP_REG;
        i->src[0] = (uint8_t)rs;
        break;
    case 0x09: /* JALR, SYSCALL, BREAK */
    case 0x0c:
    case 0x0d:
        i->what = UNKNOWN;
        break;
    case 0x0f: /* SYNC */
        break;
    case 0x10: /* MFHI, MTHI, MFLO, MTLO */
        alu(i, rd, HI, 0, 1);
        break;
    case 0x11:
        alu(i, HI, rs, 0, 1);
        break;
    case 0x12:
        alu(i, rd, LO, 0, 1);
        break;
    case 0x13:
        alu(i, LO, rs, 0, 1);
        break;
    default:
        alu(i, rd, rs, rt, 1);
        break;
    }
}

/*
 * Classes of opcodes.  IMM computes with an immediate; LD loads an integer
 * register; SC is SC or SCD, whose register gets the outcome; SPC2 and SPC3 are
 * MIPS64's SPECIAL2 and SPECIAL3.
 */
enum op {
    NONE,
    SPEC,
    RGIM,
    JMP,
    JAL,
    BR,
    BRL,
    IMM,
    COP0,
    COP1,
    LD,
    SC,
    SPC2,
    SPC3
};

/* clang-format off */
static const uint8_t ops[64] = {
    SPEC, RGIM, JMP,  JAL,  BR,   BR,   BR,   BR,
    IMM,  IMM,  IMM,  IMM,  IMM,  IMM,  IMM,  IMM,
    COP0, COP1, NONE, NONE, BRL,  BRL,  BRL,  BRL,
    IMM,  IMM,  LD,   LD,   SPC2, NONE, NONE, SPC3,
    LD,   LD,   LD,   LD,   LD,   LD,   LD,   LD,
    NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
    LD,   NONE, NONE, NONE, LD,   NONE, NONE, LD,
    SC,   NONE, NONE, NONE, SC,   NONE, NONE, NONE,
};
/* clang-format on */

static struct insn decode(uint32_t w, uint64_t pc)
{
    unsigned rs = w >> 21 & 31, rt = w >> 16 & 31, rd = w >> 11 & 31;
    struct insn i = { .what = OTHER, .imm = (int16_t)w, .cycles = 1 };
    enum op op = ops[w >> 26];

    i.target = pc + 4 + ((uint64_t)(int64_t)i.imm << 2);
    switch (op) {
    case SPEC:
        decode_special(&i, w);
        break;
    case RGIM:
        if ((rt & 0x1c) == 0 || (rt & 0x1c) == 0x10) {
            i.what = rt & 0x10 ? UNKNOWN : rt & 2 ? LIKELY : BRANCH;
        }
        break;
    case JMP:
    case JAL:
        i.what = op == JMP ? JUMP : CALL;
        i.target = ((pc + 4) & ~0xfffffffull) | (uint64_t)(w & 0x3ffffff) << 2;
        break;
    case BR: /* BEQ of a register with itself always branches */
        i.what = w >> 26 == 4 && rs == rt ? JUMP : BRANCH;
        break;
    case BRL:
        i.what = LIKELY;
        break;
    case COP0: /* ERET and TLB instructions; MFC0 */
        if (w & 1u << 25) {
            i.what = UNKNOWN;
        } else if (rs < 2) {
            alu(&i, rt, 0, 0, 1);
        }
        break;
    case COP1: /* MFC1; BC1 */
        if (rs < 3) {
            alu(&i, rt, 0, 0, 1);
        } else if (rs == 8) {
            i.what = rt & 2 ? LIKELY : BRANCH;
        }
        break;
    case SPC2:
    case SPC3:
        alu(&i, op == SPC3 && (w & 63) < 8 ? rt : rd, rs, rt, 1);
        break;
    case IMM:
    case SC:
        alu(&i, rt, rs, 0, 1);
        break;
    case LD:
        alu(&i, rt, rs, 0, 1);
        i.what = LOAD;
        break;
    case NONE:
        break;
    }
    return i;
}

static bool fetch(struct walk *k, uint64_t pc, uint32_t *w)
{
    if (k->budget == 0) {
        return false;
    }
    k->budget--;
    return k->m->ops.insn && k->m->ops.insn(k->m->opaque, k->cpu, pc, w);
}

static int later(int a, int b)
{
    return a > b ? a : b;
}

static void effect(const struct walk *k, struct state *s, const struct insn *i)
{
    int d = -1;

    if (!i->dest) {
        return;
    }
    for (unsigned n = 0; n < 2; n++) {
        if (i->src[n]) {
            d = later(d, s->reg[i->src[n]]);
        }
    }
    if (d >= 0 && d < 1000) {
        d += (int)i->cycles;
    }
    if (i->what == LOAD && s->base && i->src[0] == s->base &&
        k->line + i->imm >= 0 && k->line + i->imm < (int)k->m->line_bytes) {
        d = later(d, 0);
    }
    s->reg[i->dest] = (int16_t)d;
    if (i->dest == LO) {
        s->reg[HI] = (int16_t)d;
    }
    if (i->dest == s->base) {
        s->base = 0;
    }
}

/* Cycles until the address of the access at pc2 is known; else see judge(). */
static int address(struct walk *k, const struct state *s)
{
    uint32_t w;
    int d;

    if (!fetch(k, k->pc2, &w)) {
        return -2;
    }
    d = w >> 21 & 31 ? s->reg[w >> 21 & 31] : -1;
    if (w >> 26 == 0x13 && (w >> 16 & 31)) { /* indexed */
        d = later(d, s->reg[w >> 16 & 31]);
    }
    return d;
}

/*
 * Search for a path of `left` instructions that starts at pc and ends with the
 * one at pc2.  Returns true with the result in *depth.
 */
static bool follow(struct walk *k, uint64_t pc, unsigned left, struct state s,
                   int *depth)
{
    while (left > 1 || (left == 1 && pc != k->pc2)) {
        struct insn i, slot;
        struct state t;
        uint32_t w;

        if (left == 1 || !fetch(k, pc, &w)) {
            return false;
        }
        i = decode(w, pc);
        if (i.what == UNKNOWN) {
            k->blind = true;
            return false;
        }
        if (i.what < BRANCH) {
            effect(k, &s, &i);
            pc += 4;
            left--;
            continue;
        }
        /* A branch.  The path continues in its delay slot and may end there. */
        left--;
        if (left == 1 && pc + 4 == k->pc2) {
            break;
        }
        if (!fetch(k, pc + 4, &w)) {
            return false;
        }
        slot = decode(w, pc + 4);
        t = s;
        if (slot.what < BRANCH) {
            effect(k, &t, &slot);
        }
        if (left < 2 && i.what != LIKELY) {
            return false;
        }
        switch (i.what) {
        case BRANCH:
            if (follow(k, pc + 8, left - 1, t, depth)) {
                return true;
            }
            break;
        case LIKELY: /* if not taken, the slot is not executed */
            if (follow(k, pc + 8, left, s, depth)) {
                return true;
            }
            if (left < 2) {
                return false;
            }
            break;
        case CALL:
            if (t.calls < CALLS) {
                t.ret[t.calls++] = pc + 8;
            }
            break;
        case JUMP_REG:
            if (i.src[0] != 31 || !t.calls) {
                k->blind = true;
                return false;
            }
            i.target = t.ret[--t.calls];
            break;
        default:
            break;
        }
        s = t;
        pc = i.target;
        left--;
    }
    if (left != 1) {
        return false;
    }
    *depth = address(k, &s);
    return true;
}

/*
 * Returns the cycles from the data to the address.  -1: no dependence; -2: it
 * cannot be decided.  Not inline: most verdicts come from the cache, and that
 * path should not save the registers that this one needs.
 */
__attribute__((noinline)) static int judge(struct sn_machine *m, unsigned cpu,
                                           uint64_t pc1, unsigned off,
                                           bool load, uint64_t pc2,
                                           unsigned dist)
{
    struct walk k = { .m = m, .cpu = cpu, .pc2 = pc2, .budget = BUDGET };
    struct state s;
    struct insn i;
    uint32_t w;
    int depth;

    if (!fetch(&k, pc1, &w)) {
        return -2;
    }
    i = decode(w, pc1);
    memset(&s, 0, sizeof(s));
    memset(s.reg, 0xff, sizeof(s.reg));
    s.base = w >> 21 & 31;
    if (w >> 26 == 0x13) {
        s.base = 0; /* indexed: not base + offset */
    }
    k.line = (int)off - i.imm;
    if (load && i.what == LOAD) {
        s.reg[i.dest] = 0;
        if (i.dest == s.base) {
            s.base = 0;
        }
    }
    s.reg[0] = -1;
    if (follow(&k, pc1 + 4, dist, s, &depth)) {
        return depth;
    }
    /* The access was in a branch's delay slot. */
    if (fetch(&k, pc1 - 4, &w)) {
        i = decode(w, pc1 - 4);
        if ((i.what == BRANCH || i.what == LIKELY || i.what == JUMP ||
             i.what == CALL) &&
            follow(&k, i.target, dist, s, &depth)) {
            return depth;
        }
    }
    return -2;
}

int sn_depend(struct sn_depend *d, struct sn_machine *m, unsigned cpu,
              const struct sn_miss *first, const struct sn_issue *second,
              unsigned dist)
{
    uint64_t pc1 = first->pc, pc2 = second->pc;
    bool load = first->kind == SN_LOAD || first->kind == SN_LL;
    uint64_t h = (pc1 ^ pc2 * 0x9e3779b97f4a7c15ull ^ (uint64_t)dist << 40 ^
                  (uint64_t)first->off << 50 ^ first->insn) *
                 0xd6e8feb86659fd93ull;
    struct verdict *v = &d->v[h >> 52 & (VERDICTS - 1)];
    uint64_t words = (uint64_t)first->insn << 32 | second->insn;
    uint32_t how = dist << 9 | (uint32_t)load << 8 | first->off;

    if (dist == 0 || dist > SN_REACH) {
        return -1; /* two halves of one instruction, or too far apart */
    }
    if (v->pc1 != pc1 || v->pc2 != pc2 || v->words != words || v->how != how) {
        v->pc1 = pc1;
        v->pc2 = pc2;
        v->words = words;
        v->how = how;
        v->depth = judge(m, cpu, pc1, first->off, load, pc2, dist);
    }
    return v->depth;
}

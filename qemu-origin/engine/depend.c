/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does an address depend on an outstanding access?  Between the two lie at
 * most as many instructions as the processor's window holds, and their number
 * is known exactly, so the way through the branches between them can be found
 * in the guest's code: depth first, the first way of that length counts.  On
 * it the destination of the load is followed through registers to the base
 * register of the second access.
 *
 * The other words of the outstanding line, loaded through the same base
 * register, are on their way too and count like it.
 *
 * Verdicts are kept by addresses, words and distance: other code between the
 * same two instructions is rare, and a wrong verdict costs accuracy only.
 *
 * Left out: values that go through memory or floating-point registers; calls
 * and returns through registers other than $31 of a call on the way.
 */
#include <string.h>

#include "machine.h"

#define VERDICTS    4096u
#define BUDGET      2000u       /* instructions looked at for one verdict */
#define CALLS       4
#define HI          32
#define LO          33
#define REGS        34

struct sn_depend {
    struct verdict {
        uint64_t pc1, pc2;
        uint64_t words;         /* at the two */
        uint32_t how;           /* distance, what the first is; never 0 */
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

/* What the walk knows at one instruction: cycles since the data, -1: clean. */
struct state {
    int16_t reg[REGS];
    uint8_t base;               /* of the outstanding access; 0: changed since */
    uint64_t ret[CALLS];
    unsigned calls;
};

struct walk {
    struct sn_machine *m;
    unsigned cpu;
    uint64_t pc2;
    int line;                   /* offset in the line of 0(base) */
    unsigned budget;
    bool blind;                 /* met code that cannot be followed */
};

enum what { ALU, LOAD, OTHER, BRANCH, LIKELY, CALL, JUMP, JUMP_REG, UNKNOWN };
struct insn {
    enum what what;
    uint8_t dest, src[2];       /* 0: none */
    int imm;
    unsigned cycles;
    uint64_t target;
};

static struct insn decode(uint32_t w, uint64_t pc)
{
    unsigned op = w >> 26, rs = w >> 21 & 31, rt = w >> 16 & 31, rd = w >> 11 & 31;
    unsigned fn = w & 63;
    int imm = (int16_t)w;
    struct insn i = { .what = OTHER, .imm = imm, .cycles = 1 };

    i.target = pc + 4 + ((uint64_t)(int64_t)imm << 2);
    switch (op) {
    case 0:
        switch (fn) {
        case 0x08: i.what = JUMP_REG; i.src[0] = (uint8_t)rs; break;
        case 0x09: case 0x0c: case 0x0d: i.what = UNKNOWN; break;
        case 0x0f: break;
        case 0x10: i.what = ALU; i.dest = (uint8_t)rd; i.src[0] = HI; break;
        case 0x12: i.what = ALU; i.dest = (uint8_t)rd; i.src[0] = LO; break;
        case 0x11: i.what = ALU; i.dest = HI; i.src[0] = (uint8_t)rs; break;
        case 0x13: i.what = ALU; i.dest = LO; i.src[0] = (uint8_t)rs; break;
        case 0x18: case 0x19: case 0x1a: case 0x1b:
        case 0x1c: case 0x1d: case 0x1e: case 0x1f:
            i.what = ALU;
            i.dest = LO;
            i.src[0] = (uint8_t)rs;
            i.src[1] = (uint8_t)rt;
            i.cycles = fn & 2 ? 35 : 6;     /* R10000 manual: DIV, MULT */
            break;
        default:
            if (fn < 0x30 || fn > 0x37) {   /* but for traps */
                i.what = ALU;
                i.dest = (uint8_t)rd;
                i.src[0] = (uint8_t)rs;
                i.src[1] = (uint8_t)rt;
            }
        }
        break;
    case 1:
        if ((rt & 0x1c) == 0 || (rt & 0x1c) == 0x10) {
            i.what = rt & 0x10 ? UNKNOWN : rt & 2 ? LIKELY : BRANCH;
        }
        break;
    case 2: case 3:
        i.what = op == 2 ? JUMP : CALL;
        i.target = ((pc + 4) & ~0xfffffffull) | (uint64_t)(w & 0x3ffffff) << 2;
        break;
    case 4: case 5: case 6: case 7:
        /* beq r, r is an unconditional branch */
        i.what = op == 4 && rs == rt ? JUMP : BRANCH;
        break;
    case 0x14: case 0x15: case 0x16: case 0x17:
        i.what = LIKELY;
        break;
    case 0x08: case 0x09: case 0x0a: case 0x0b: case 0x0c: case 0x0d: case 0x0e: case 0x0f:
    case 0x18: case 0x19:
        i.what = ALU;
        i.dest = (uint8_t)rt;
        i.src[0] = (uint8_t)rs;
        break;
    case 0x10:
        if (w & 1u << 25) {
            i.what = UNKNOWN;               /* ERET, TLB */
        } else if (rs < 2) {
            i.what = ALU;
            i.dest = (uint8_t)rt;
        }
        break;
    case 0x11:
        if (rs < 3) {
            i.what = ALU;
            i.dest = (uint8_t)rt;
        } else if (rs == 8) {
            i.what = rt & 2 ? LIKELY : BRANCH;
        }
        break;
    case 0x1c: case 0x1f:                   /* MIPS64: SPECIAL2, SPECIAL3 */
        i.what = ALU;
        i.dest = (uint8_t)(op == 0x1f && fn < 8 ? rt : rd);
        i.src[0] = (uint8_t)rs;
        i.src[1] = (uint8_t)rt;
        break;
    case 0x1a: case 0x1b: case 0x20: case 0x21: case 0x22: case 0x23: case 0x24: case 0x25:
    case 0x26: case 0x27: case 0x30: case 0x34: case 0x37:
        i.what = LOAD;
        i.dest = (uint8_t)rt;
        i.src[0] = (uint8_t)rs;
        break;
    case 0x38: case 0x3c:                   /* SC: the outcome */
        i.what = ALU;
        i.dest = (uint8_t)rt;
        i.src[0] = (uint8_t)rs;
        break;
    default:
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
    if (i->what == LOAD && s->base && i->src[0] == s->base && k->line + i->imm >= 0 &&
        k->line + i->imm < (int)SN_LINE_SIZE) {
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

/* Cycles to the address of the access at pc2. */
static int address(struct walk *k, const struct state *s)
{
    uint32_t w;
    int d;

    if (!fetch(k, k->pc2, &w)) {
        return -2;
    }
    d = w >> 21 & 31 ? s->reg[w >> 21 & 31] : -1;
    if (w >> 26 == 0x13 && (w >> 16 & 31)) {        /* indexed */
        d = later(d, s->reg[w >> 16 & 31]);
    }
    return d;
}

/* `left` instructions from pc on the last one is at pc2: true, *depth. */
static bool follow(struct walk *k, uint64_t pc, unsigned left, struct state s, int *depth)
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
        /* A branch: then its slot, which may be where it ends. */
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
        case LIKELY:            /* not taken: the slot is not executed */
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

/* Not inline: most verdicts are known, and then need none of its registers. */
__attribute__((noinline)) static int judge(struct sn_machine *m, unsigned cpu, uint64_t pc1,
                                           unsigned off, bool load, uint64_t pc2,
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
        s.base = 0;                         /* indexed: not base + offset */
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
        if ((i.what == BRANCH || i.what == LIKELY || i.what == JUMP || i.what == CALL) &&
            follow(&k, i.target, dist, s, &depth)) {
            return depth;
        }
    }
    return -2;
}

int sn_depend(struct sn_machine *m, unsigned cpu, const struct sn_miss *first,
              const struct sn_issue *second, unsigned dist)
{
    uint64_t pc1 = first->pc, pc2 = second->pc;
    bool load = first->kind == SN_LOAD || first->kind == SN_LL;
    uint64_t h = (pc1 ^ pc2 * 0x9e3779b97f4a7c15ull ^ (uint64_t)dist << 40 ^
                  (uint64_t)first->off << 50 ^ first->insn) * 0xd6e8feb86659fd93ull;
    struct verdict *v = &m->depend->v[h >> 52 & (VERDICTS - 1)];
    uint64_t words = (uint64_t)first->insn << 32 | second->insn;
    uint32_t how = dist << 9 | (uint32_t)load << 8 | first->off;

    if (dist == 0 || dist > SN_REACH) {
        return -1;              /* one instruction's two halves; too far */
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

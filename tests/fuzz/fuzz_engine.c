/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the engine.  The first byte of the input chooses a machine; with bit 2 it
 * has the full time model, and the guest's code is arbitrary.  The rest is a list of
 * 8-byte actions: accesses of all kinds, CACHE instructions, DMA, block transfers,
 * register reads and writes, back-door writes of arbitrary directory words,
 * and single protocol messages, legal or not, for the pure functions.  Nothing may
 * crash or trip a sanitizer.  Unless an action used the back door or CACHE to lose
 * data, the invariants of sn_check() must hold at the end.
 */
#include <stddef.h>
#include <stdint.h>

#include "../unit/mach.h"
#include "time/model.h"

static struct mach *machines[8];

/* The guest: the positions of its processors, and code whose words follow from their addresses. */
static uint64_t place;

static bool where(void *opaque, unsigned cpu, uintptr_t from, struct sn_where *w)
{
    (void)from;
    (void)opaque;
    w->pc = 0x80000000u + place / 3 * 4 + cpu * 64u;
    w->word = (uint32_t)(w->pc * 0x9e3779b1u) | (place & 1 ? 0xdc000000u : 0);
    return place % 7 != 0;
}

static bool insn(void *opaque, unsigned cpu, uint64_t pc, uint32_t *word)
{
    (void)opaque;
    *word = (uint32_t)((pc ^ cpu) * 0x9e3779b97f4a7c15ull >> 29);
    return pc % 124 != 0;
}

static const struct sn_ops ops = { .interrupt = mach_irq, .where = where, .insn = insn };

static struct mach *machine(unsigned i)
{
    static const unsigned nodes[4] = { 1, 2, 8, 70 };

    if (!machines[i]) {
        machines[i] = malloc(sizeof(**machines));
        mach_desc(machines[i], nodes[i & 3], 8192 << (i & 3), i & 1 ? &mach_r10k195 : &mach_r12k300,
                  (i & 3) > 1);
        machines[i]->time = i > 3 ? SN_TIME_FULL : SN_TIME_UNLOADED;
        machines[i]->ops = &ops;
        mach_start(machines[i], 1);
    } else {
        sn_machine_reset(machines[i]->m);
    }
    return machines[i];
}

/* Sends one message, whatever it is, to one directory entry and one buffer. */
static void message(const uint8_t *p)
{
    static const uint8_t states[8] = { SN_SHRD,  SN_POIS, SN_EXCL, SN_BUSYS,
                                       SN_BUSYE, SN_WAIT, SN_UOWN, SN_UOWN };
    struct sn_dirent d = { .state = states[p[1] & 7],
                           .prio = p[1] >> 4,
                           .vec = p[2] * 0x0101010101010101ull,
                           .ptr = (uint16_t)(p[3] << 2 | (p[4] & 3)),
                           .oct = p[4] >> 2 & 3,
                           .coarse = p[4] >> 7 };
    struct sn_cpu_line c = { .mesi = p[5] & 3,
                             .rrb = (p[5] >> 2 & 7) % SN_NRRB,
                             .wrb = p[5] >> 5 & 3,
                             .req = p[6] % (SN_PRDX + 1),
                             .iv = SN_NOMSG,
                             .acks = (int16_t)(p[6] >> 5),
                             .inv = p[7] & 1,
                             .prio_max = 15 };
    struct sn_msg m = { .type = p[0] % SN_NMSG,
                        .src = (uint16_t)(p[7] << 2 | (p[6] & 3)),
                        .dst = 1,
                        .req = (uint16_t)p[7],
                        .vec = d.vec,
                        .count = (int8_t)p[2],
                        .prio = p[3] & 15,
                        .oct = d.oct,
                        .coarse = d.coarse };
    struct sn_dirent before = d;
    struct sn_out out = { .n = 0 };
    uint8_t mem = 0;

    if (d.state != SN_SHRD) {
        d.vec = 0;
    }
    before = d;
    if (!sn_home_step(&d, &m, 2, p[4] >> 6 & 1, 256, &mem, &out)->legal) {
        SN_ASSERT(!memcmp(&before, &d, sizeof(d)) && out.n == 0);
    }
    out.n = 0;
    if (sn_cpu_step(&c, &m, 1, 2, &out) != SN_STEP_ILLEGAL) {
        sn_cpu_replay(&c, 1, 2, &out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mach *k;
    unsigned nodes;
    uint64_t now = 0;
    bool tampered = false;
    char err[256];

    if (size < 1) {
        return 0;
    }
    k = machine(data[0] & 7);
    place = 0;
    nodes = k->m->nnodes;
    for (data++, size--; size >= 8; data += 8, size -= 8) {
        unsigned cpu = data[1] % (nodes * 2), node = data[2] % (nodes + (data[0] >> 7)), flags;
        uint64_t pa = at(node, ((uint64_t)(data[3] & 15) << 16 | data[4] << 7 | (data[5] & 0x7f)));
        uint64_t v;

        memcpy(&v, data, 8);
        now += data[7];
        if (cpu >= 2 * nodes) {
            continue;
        }
        switch (data[0] & 31) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
        case 8:
        case 9:
        case 10:
        case 11:
            /* clocks of processors differ by up to a quantum */
            sn_access(k->m, cpu, pa, (enum sn_kind)(data[6] % SN_NKIND),
                      now + (cpu & 15) * (data[6] >> 4) * 13, 0, &flags);
            place += data[7];
            break;
        case 12:
            sn_cacheop(k->m, cpu, data[6] & 31, pa, now);
            break;
        case 13:
        case 14:
            sn_dma(k->m, data[1], pa, data[6] * 3u, data[0] & 1, now, NULL);
            break;
        case 15:
            sn_bte(k->m, data[1] % nodes, pa & ~127ull, (pa ^ 0x40000) & ~127ull,
                   (data[6] & 7) * 128, data[6] >> 6, now, NULL);
            break;
        case 16:
            sn_bddir_write(k->m, pa, data[6] & 1, v * 0x9e3779b97f4a7c15ull);
            tampered = true;
            break;
        case 17:
            sn_bdprt_write(k->m, pa, data[6], v);
            break;
        case 18:
            sn_bddir_read(k->m, pa, data[6] & 1);
            sn_bdprt_read(k->m, pa, data[6]);
            break;
        case 19:
            sn_md_perf_sel_set(k->m, data[1] % nodes, data[6], now);
            sn_md_perf_cnt(k->m, data[1] % nodes, data[6] & 7, now);
            sn_md_perf_cnt_set(k->m, data[1] % nodes, data[6] & 7, v, now);
            break;
        case 20:
            sn_io_perf_sel_set(k->m, data[1] % nodes, data[6]);
            sn_io_perf_cnt(k->m, data[1] % nodes);
            sn_io_perf_cnt_set(k->m, data[1] % nodes, v);
            break;
        case 21:
            sn_rr_parms_set(k->m, data[1], data[2] & 7, v, now);
            sn_rr_histogram(k->m, data[1], data[2] & 7, data[6] & 1, now * (1 + data[6]));
            break;
        case 22:
            sn_md_mig_thresh_set(k->m, data[1] % nodes, data[6] & 1, v);
            sn_md_mig_candidate(k->m, data[1] % nodes, data[6] & 2);
            break;
        case 23:
            sn_uncached(k->m, cpu, data[2], (enum sn_uc)(data[6] & 3), data[6] & 4, now);
            break;
        case 24:
            sn_fetchop(k->m, cpu, pa, data[6] & 1, data[6] & 2, now);
            break;
        case 25:
            sn_vector(k->m, data[1] % nodes, v, data[6] & 15, now);
            break;
        case 26:
            sn_line_json(k->m, pa, err, sizeof(err), NULL);
            break;
        case 27:
            sn_md_moq_set(k->m, data[1] % nodes, v);
            sn_cpu_event_watch(k->m, cpu, data[6] & 31, v & 0xff);
            break;
        case 28:
            sn_cpu_drain(k->m, &k->m->cpu[cpu], now + (cpu & 15) * (data[6] >> 4) * 13);
            break;
        default:
            message(data);
        }
    }
    if (!tampered && sn_check(k->m, err, sizeof(err))) {
        fprintf(stderr, "%s\n", err);
        abort();
    }
    return 0;
}

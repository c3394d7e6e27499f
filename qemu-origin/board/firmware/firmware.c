/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The firmware's side of the board: see firmware.h.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/core/cpu.h"
#include "system/mp-time.h"
#include "system/runstate.h"
#include "../../prom/doorbell.h"
#include "origin.h"
#include "firmware/klconfig.h"
#include "firmware/loader.h"
#include "../trace.h"

static const uint8_t prom_image[] = {
#include "prom.h"
};

/* What the kernel's entry gets: argc, and the (cached) address of argv. */
#define ARGV 0xa800000000001000ULL
#define ARGC 2

/* gda.h */
#define PROMOP_MAGIC      0x0ead0000
#define PROMOP_MAGIC_MASK 0x0fff0000
#define PROMOP_CMD_MASK   0xf0
#define PROMOP_CMD_REBOOT 0x40

/* Nanoseconds until a launched processor starts. */
#define LAUNCH_NS 1000

/* --- starting processors --- */

void origin_firmware_launch(void *opaque)
{
    OriginLaunch *l = opaque;
    const uint64_t a[4] = { l->parm };

    mips_r10k_start(l->cpu, l->pc, l->sp, l->gp, a);
}

static void launch_work(CPUState *cs, run_on_cpu_data data)
{
    origin_firmware_launch(data.host_ptr);
}

/* Starts a processor that is both wanted and held. */
static void launch_if_ready(OriginLaunch *l)
{
    CPUState *cs = CPU(l->cpu);

    if (!l->wanted || !l->parked) {
        return;
    }
    l->wanted = false;
    l->parked = false;
    if (mp_time_enabled()) {
        mp_time_post(cs,
                     mp_time_local(current_cpu) + mp_time_from_ns(LAUNCH_NS),
                     origin_firmware_launch, l);
    } else {
        async_run_on_cpu(cs, launch_work, RUN_ON_CPU_HOST_PTR(l));
    }
}

static void launch(OriginFirmware *fw)
{
    uint64_t nasid = fw->mailbox[0], slice = fw->mailbox[1];
    OriginLaunch *l = NULL;

    if (nasid < SN_BOARD_NODES && slice < SN_NODE_CPUS) {
        l = &fw->launch[nasid * SN_NODE_CPUS + slice];
    }
    if (!l || !l->cpu) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "origin: PROM: launch of processor %" PRIu64 ".%" PRIu64
                      " that is not fitted\n",
                      nasid, slice);
        return;
    }
    l->pc = fw->mailbox[2];
    l->parm = fw->mailbox[3];
    l->sp = fw->mailbox[4];
    l->gp = fw->mailbox[5];
    l->wanted = true;
    trace_origin_launch(nasid, slice, l->pc);
    launch_if_ready(l);
}

/* The running processor has entered the PROM's slave loop. */
static void park(OriginFirmware *fw)
{
    const CPUMIPSState *env = &MIPS_CPU(current_cpu)->env;
    OriginLaunch *l =
        &fw->launch[env->r10k.nasid * SN_NODE_CPUS + env->r10k.slice];

    trace_origin_park(env->r10k.nasid, env->r10k.slice);
    l->parked = true;
    launch_if_ready(l);
}

/* At reset all processors are held, except the one that boots. */
static void launch_reset(OriginMachineState *m)
{
    for (unsigned i = 0; i < m->desc.nnodes * SN_NODE_CPUS; i++) {
        MIPSCPU *cpu = m->node[i / SN_NODE_CPUS].cpu[i % SN_NODE_CPUS];

        m->fw.launch[i] = (OriginLaunch){
            .cpu = cpu,
            .parked = cpu && CPU(cpu) != first_cpu,
        };
    }
}

/* --- fatal reports --- */

static void fatal(uint64_t what)
{
    static const char *const text[] = {
        [DB_FATAL_NO_KERNEL] = "nothing to boot: no -kernel given",
        [DB_FATAL_TLB] = "TLB refill exception",
        [DB_FATAL_XTLB] = "XTLB refill exception",
        [DB_FATAL_CACHE] = "cache error exception",
        [DB_FATAL_GENERAL] = "exception",
        [DB_FATAL_RESET] = "soft reset",
        [DB_FATAL_NMI] = "NMI without a handler",
        [DB_FATAL_ENTRY] = "call of a PROM entry point that is not there",
        [DB_FATAL_RETURNED] = "the kernel returned",
    };
    const char *s = what < ARRAY_SIZE(text) ? text[what] : "unknown report";
    CPUMIPSState *env = &MIPS_CPU(current_cpu)->env;

    if (what == DB_FATAL_NO_KERNEL) {
        error_report("origin2000: PROM: %s", s);
    } else {
        error_report(
            "origin2000: PROM: node %u cpu %c: %s (code %u): epc 0x%" PRIx64
            " badvaddr 0x%" PRIx64 " ra 0x%" PRIx64 " errorepc 0x%" PRIx64
            " status 0x%x",
            env->r10k.nasid, 'a' + env->r10k.slice, s,
            extract32(env->CP0_Cause, CP0Ca_EC, 5), (uint64_t)env->CP0_EPC,
            (uint64_t)env->CP0_BadVAddr, (uint64_t)env->active_tc.gpr[31],
            (uint64_t)env->CP0_ErrorEPC, env->CP0_Status);
    }
    qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_GUEST_PANIC, 1);
}

/* --- doorbell --- */

static uint64_t doorbell_read(void *opaque, hwaddr addr, unsigned size)
{
    OriginFirmware *fw = opaque;

    switch (addr) {
    case DB_ENTRY:
        return fw->image.entry;
    case DB_ARGC:
        return ARGC;
    case DB_ARGV:
        return ARGV;
    default:
        return addr < DB_COMMAND ? fw->mailbox[addr / 8] : 0;
    }
}

static void doorbell_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    OriginFirmware *fw = opaque;

    if (addr < DB_COMMAND) {
        fw->mailbox[addr / 8] = v;
    } else if (addr == DB_COMMAND && current_cpu) {
        switch (v) {
        case DB_LAUNCH:
            launch(fw);
            break;
        case DB_PARK:
            park(fw);
            break;
        case DB_FATAL:
            fatal(fw->mailbox[0]);
            break;
        default:
            qemu_log_mask(LOG_GUEST_ERROR,
                          "origin: PROM: unknown command %" PRIu64 "\n", v);
            break;
        }
    }
}

static const MemoryRegionOps doorbell_ops = {
    .read = doorbell_read,
    .write = doorbell_write,
    .endianness = DEVICE_BIG_ENDIAN,
    .valid = { .min_access_size = 8, .max_access_size = 8 },
    .impl = { .min_access_size = 8, .max_access_size = 8 },
};

/* --- the machine's calls --- */

void origin_firmware_create(OriginMachineState *m)
{
    OriginFirmware *fw = &m->fw;
    MemoryRegion *sys = get_system_memory();
    unsigned i;

    memory_region_init_rom_nomigrate(&fw->prom, OBJECT(m), "prom", PROM_SIZE,
                                     &error_fatal);
    QEMU_BUILD_BUG_ON(sizeof(prom_image) > PROM_SIZE);
    memcpy(memory_region_get_ram_ptr(&fw->prom), prom_image,
           sizeof(prom_image));
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_HSPEC, 0, PROM_BASE),
                                &fw->prom);
    memory_region_init_io(&fw->doorbell, OBJECT(m), &doorbell_ops, fw,
                          "doorbell", DB_SIZE);
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_HSPEC, 0, PROM_DOORBELL),
                                &fw->doorbell);
    for (i = 0; i < m->desc.nnodes; i++) {
        g_autofree char *name = g_strdup_printf("rboot%u", i);
        uint32_t at = SN_RBOOT + (PROM_BASE - SN_LBOOT);

        memory_region_init_alias(&fw->rboot[i], OBJECT(m), name, &fw->prom, 0,
                                 PROM_SIZE);
        memory_region_add_subregion(sys, SN_PA(SN_SPACE_HSPEC, i, at),
                                    &fw->rboot[i]);
    }
    origin_loader_read(m, &fw->image);
}

void origin_firmware_reset(OriginMachineState *m)
{
    OriginFirmware *fw = &m->fw;

    fw->promop = 0;
    memset(fw->mailbox, 0, sizeof(fw->mailbox));
    origin_loader_write(&fw->image, m->checkpoint.restore);
    origin_klconfig_write(m);
    launch_reset(m);
}

/* What the loader found is the same in each run. */
void origin_firmware_state(OriginMachineState *m, struct sn_archive *a)
{
    OriginFirmware *fw = &m->fw;

    SN_MOVE(a, fw->mailbox);
    SN_MOVE(a, fw->promop);
    for (unsigned i = 0; i < m->desc.nnodes * SN_NODE_CPUS; i++) {
        OriginLaunch *l = &fw->launch[i];

        SN_MOVE(a, l->pc);
        SN_MOVE(a, l->parm);
        SN_MOVE(a, l->sp);
        SN_MOVE(a, l->gp);
        SN_MOVE(a, l->parked);
        SN_MOVE(a, l->wanted);
    }
}

/* --- halt and reboot --- */

void origin_firmware_promop(OriginFirmware *fw, uint32_t request)
{
    if ((request & PROMOP_MAGIC_MASK) == PROMOP_MAGIC) {
        fw->promop = request;
    }
}

void origin_firmware_port_reset(OriginFirmware *fw, unsigned nasid,
                                uint64_t bits)
{
    uint32_t op = fw->promop;

    trace_origin_port_reset(nasid, bits, op);
    if (op && (op & PROMOP_CMD_MASK) != PROMOP_CMD_REBOOT) {
        qemu_system_shutdown_request(SHUTDOWN_CAUSE_GUEST_SHUTDOWN);
    } else {
        qemu_system_reset_request(SHUTDOWN_CAUSE_GUEST_RESET);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The firmware's side of the board.
 *
 *   firmware.c   PROM image and its doorbell, start of processors, halt
 *   loader.c     kernel and initial RAM disk
 *   klconfig.c   tables that the firmware leaves in memory
 *
 * The PROM (../prom/prom.S) is mapped at LBOOT and, for other nodes, at RBOOT.
 * At reset the first processor of node 0 runs it and jumps to the kernel;
 * the kernel starts the others through LAUNCHSLAVE, which rings the doorbell.
 * A processor that goes back to the PROM's slave loop can be started again.
 *
 * The kernel's halt leaves a request in PROMOP_REG and then resets: the machine
 * powers off.  A reset without a request is a reboot.
 *
 * Left out: ARCS calls, flash programming, environment variables.
 * Sources: Linux's launch.h, nmi.h, gda.h, klconfig.h, kldir.h.
 */
#ifndef ORIGIN_FIRMWARE_H
#define ORIGIN_FIRMWARE_H

#include "exec/memory.h"
#include "target/mips/cpu.h"
#include "target/mips/r10k.h"
#include "fabric/desc.h"
#include "sn_state.h"

typedef struct OriginMachineState OriginMachineState;

#define ORIGIN_MAX_SEGMENTS 8

/* What a processor starts with. */
typedef struct OriginLaunch {
    MIPSCPU *cpu; /* NULL: slice not fitted */
    uint64_t pc, parm, sp, gp;
    bool parked; /* held: never started, or in the slave loop */
    bool wanted; /* to be started as soon as it is held */
} OriginLaunch;

/* What the loader has found; it fills memory from it at each reset. */
typedef struct OriginImage {
    uint64_t entry; /* kernel's first instruction, 0: no kernel */
    char *cmdline;
    struct {
        hwaddr at;
        size_t size;
    } segment[ORIGIN_MAX_SEGMENTS]; /* of the kernel */
    unsigned nsegment;
    GMappedFile *initrd;               /* NULL: none */
    uint64_t initrd_base, initrd_size; /* in node 0's memory */
} OriginImage;

typedef struct OriginFirmware {
    MemoryRegion prom;                  /* one image for all nodes */
    MemoryRegion rboot[SN_BOARD_NODES]; /* aliases: the PROM of node i */
    MemoryRegion doorbell;              /* how the PROM talks to firmware.c */
    uint64_t mailbox[8];                /* arguments of the doorbell */
    uint32_t promop; /* last request of the kernel, 0: none */
    OriginLaunch launch[SN_BOARD_NODES * SN_NODE_CPUS];
    OriginImage image;
} OriginFirmware;

/* Maps the PROM and its doorbell; loads kernel and initrd.  Exits on errors. */
void origin_firmware_create(OriginMachineState *m);
/* At reset, after the devices': images and tables into memory. */
void origin_firmware_reset(OriginMachineState *m);

void origin_firmware_state(OriginMachineState *m, struct sn_archive *a);
/* A processor starts (OriginLaunch): for mp_time_post(). */
void origin_firmware_launch(void *opaque);

/* The kernel writes PROMOP_REG: a request to the firmware (gda.h). */
void origin_firmware_promop(OriginFirmware *fw, uint32_t request);
/* The Hub `nasid` resets the machine by NI_PORT_RESET = bits. */
void origin_firmware_port_reset(OriginFirmware *fw, unsigned nasid,
                                uint64_t bits);

#endif

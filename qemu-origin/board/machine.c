/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine type origin2000: options, construction, reset order.
 *
 *   -M origin2000,description=FILE.dtb[,model=on|off][,cpu=simple|pipeline][,r2=on|off]
 *      [,time=MODEL][,range-monitor=on|off]
 *      [,profile=DIR[,profile-kernel=FILE][,profile-functions=FILE]
 *       [,profile-rows=N][,profile-depth=N]
 *       [,accesses=misses|all[,accesses-region=NAME]]
 *       [,follow=LINES[,follow-comm=NAME][,follow-max=N]]]
 *      [,remedy=LIST[,remedy-comm=NAME][,remedy-roi=NAME][,remedy-log=FILE]]
 *      [,command=NAME[,split-at-command=on]]
 *      [,break-at=TICK][,seed=N][,order-log=FILE]
 *      [,before=MODEL[,roi=NAME|,from=NS][,warm=NS]]
 *      [,region-log=FILE][,futures=FD][,save=FD][,restore=FD]
 *      [,keep=FD,keep-told=FD][,job=FD]
 *
 * description names the device tree blob that says what the machine consists
 * of (dt/dt.h).  It alone decides about processors and memory: -smp and -m are
 * refused.  model turns caches and directory on; time chooses the time model
 * (SN_TIME_LIST in sn.h), before may also be off;
 * cpu says what instructions take while they hit the L1: each a cycle, or what the
 * pipeline of docs/core.md needs;
 * r2 lets user programs use the integer instructions of MIPS64 R2;
 * range-monitor adds the registers that restrict event counters to addresses;
 * profile writes what docs/profile-format.md describes;
 * remedy has the model believe that objects lie elsewhere (whatif/whatif.h);
 * break-at stops the machine for a debugger (debug.h);
 * order-log gets a line about accesses out of order at the end (truth.c);
 * seed is of the generators that choose which line leaves an L2;
 * before to region-log are about regions of interest (roi.h);
 * futures lets the machine split into several (futures.h);
 * save, restore and keep are about checkpoints (checkpoint.h);
 * job says what the guest is to do (job.h).
 *
 * Left out: migration and snapshots of QEMU's, hot plug.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "migration/blocker.h"
#include "hw/nmi.h"
#include "hw/qdev-properties.h"
#include "qom/object.h"
#include "system/mp-time.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "system/system.h"
#include "debug.h"
#include "dt/dt.h"
#include "origin.h"
#include "property.h"
#include "profile/accesses.h"
#include "profile/follow.h"
#include "profile/tap.h"
#include "whatif/whatif.h"
#include "xio/bridge_bars.h"
#include "xio/bridge_dma.h"

/* Rows of a profile: the default, the limits of the option */
#define PROFILE_ROWS_MIN 1024u
#define PROFILE_ROWS_MAX 16000000u

/* Calls of a path: the default, the limit */
#define PROFILE_DEPTH     64u
#define PROFILE_DEPTH_MAX 1024u

/* The default of -m; no real size, so that we notice a -m that is given. */
#define ORIGIN_NO_RAM (1 * MiB)

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;

        a = b;
        b = t;
    }
    return a;
}

/* The limit of the engine.  Only odd mixes of clocks have a larger multiple. */
#define MAX_TICK_HZ 100000000000ULL

/*
 * Machine-time ticks in a second: four times the least common multiple of the
 * processors' clocks, so that a quarter of each cycle is a whole number of
 * ticks.  At the limit, cycles are off by less than 0.3 %.
 */
static uint64_t tick_hz(const struct sn_desc *d)
{
    uint64_t lcm = 1;
    unsigned i, s;

    for (i = 0; i < d->nnodes; i++) {
        for (s = 0; s < SN_NODE_CPUS; s++) {
            uint64_t khz = d->node[i].cpu[s].khz;

            if (d->node[i].cpu[s].model != SN_CPU_NONE) {
                lcm = lcm / gcd(lcm, khz) * khz;
            }
            if (lcm > MAX_TICK_HZ / 4000) { /* the next step might overflow */
                return MAX_TICK_HZ;
            }
        }
    }
    return lcm * 1000 * 4;
}

static void read_description(OriginMachineState *m)
{
    g_autofree char *blob = NULL;
    g_autoptr(GError) gerr = NULL;
    char err[256];
    gsize len;

    if (!m->description || !*m->description) {
        error_report("origin2000: no description: give "
                     "-M origin2000,description=FILE.dtb");
        exit(1);
    }
    if (!g_file_get_contents(m->description, &blob, &len, &gerr)) {
        error_report("origin2000: description: %s", gerr->message);
        exit(1);
    }
    if (origin_dt_read(blob, len, &m->desc, err, sizeof(err)) < 0 ||
        sn_topo_build(&m->topo, &m->desc, err, sizeof(err)) < 0) {
        error_report("origin2000: %s: %s", m->description, err);
        exit(1);
    }
    if (m->desc.nnodes > SN_BOARD_NODES) {
        error_report("origin2000: %s: /modules: %u nodes are more than the "
                     "board's %u",
                     m->description, m->desc.nnodes, SN_BOARD_NODES);
        exit(1);
    }
}

/* What the counters of CP0 count: cycles and instructions. */
static uint64_t clock_cycles(MIPSCPU *cpu)
{
    OriginMachineState *m = ORIGIN_MACHINE(qdev_get_machine());
    const MIPSR10KState *r = &cpu->env.r10k;
    uint64_t hz = m->desc.node[r->nasid].cpu[r->slice].khz * 1000ULL;

    return (unsigned __int128)mp_time_local(CPU(cpu)) * hz / m->tick_hz;
}

static const MIPSR10KClock origin_clock = {
    .cycles = clock_cycles,
    .insns = origin_insns,
};

static void create_nodes(OriginMachineState *m)
{
    unsigned i;

    m->node = g_new0(OriginNode, m->desc.nnodes);
    for (i = 0; i < m->desc.nnodes; i++) {
        OriginNode *n = &m->node[i];

        object_initialize_child(OBJECT(m), "node[*]", n, TYPE_ORIGIN_NODE);
        object_property_set_link(OBJECT(n), "machine", OBJECT(m), &error_abort);
        qdev_prop_set_uint32(DEVICE(n), "nasid", i);
        qdev_realize(DEVICE(n), NULL, &error_fatal);
    }
}

static void create_routers(OriginMachineState *m)
{
    unsigned i;

    m->router = g_new0(OriginRouter, m->desc.nrouters);
    for (i = 0; i < m->desc.nrouters; i++) {
        OriginRouter *r = &m->router[i];

        object_initialize_child(OBJECT(m), "router[*]", r, TYPE_ORIGIN_ROUTER);
        object_property_set_link(OBJECT(r), "machine", OBJECT(m), &error_abort);
        qdev_prop_set_uint32(DEVICE(r), "index", i);
        qdev_realize(DEVICE(r), NULL, &error_fatal);
    }
}

/* Processors share blocks of translated code, and with them their schedules. */
static void check_pipeline(const OriginMachineState *m)
{
    enum sn_cpu_model first = SN_CPU_NONE;

    for (unsigned i = 0; m->pipeline && i < m->desc.nnodes * SN_NODE_CPUS;
         i++) {
        enum sn_cpu_model model =
            m->desc.node[i / SN_NODE_CPUS].cpu[i % SN_NODE_CPUS].model;

        if (model == SN_CPU_NONE) {
            continue;
        }
        first = first == SN_CPU_NONE ? model : first;
        if (model != first) {
            error_report("origin2000: cpu=pipeline: the machine has R10000 and "
                         "R12000 processors, and can have one kind");
            exit(1);
        }
    }
}

static void origin_init(MachineState *ms)
{
    OriginMachineState *m = ORIGIN_MACHINE(ms);
    MachineClass *mc = MACHINE_GET_CLASS(ms);

    if (ms->smp.cpus != 1 || ms->smp.max_cpus != 1) {
        error_report("origin2000: -smp: the description says which processors "
                     "there are");
        exit(1);
    }
    if (ms->ram_size != mc->default_ram_size) {
        error_report("origin2000: -m: the description says how much memory "
                     "there is");
        exit(1);
    }
    if (ms->firmware) {
        error_report("origin2000: -bios: the board brings its own PROM");
        exit(1);
    }
    error_setg(&m->unmigratable,
               "an origin2000 cannot be migrated or saved: the state of its "
               "caches, directory and clocks stays in this process");
    migrate_add_blocker(&m->unmigratable, &error_fatal);
    read_description(m);
    check_pipeline(m);
    mp_time_set_tick_hz(tick_hz(&m->desc));
    /* without machine time, a tick is a nanosecond of the virtual clock */
    m->tick_hz = mp_time_tick_hz();
    if (mp_time_enabled()) {
        mips_r10k_set_clock(&origin_clock);
    }
    if (m->model) {
        origin_model_attach(m);
    }
    if ((m->follow || m->accesses) && !m->profile_dir) {
        error_report("origin2000: %s: goes to a profile (profile=DIR)",
                     m->follow ? "follow" : "accesses");
        exit(1);
    }
    if (!m->model && m->remedy) {
        error_report("origin2000: remedy: model=off has no misses to change");
        exit(1);
    }
    if (!m->model && m->profile_dir) {
        error_report("origin2000: profile: model=off has no misses to profile");
        exit(1);
    }

    /* One update of the memory map for all devices, not one for each */
    memory_region_transaction_begin();
    create_nodes(m);
    if (m->engine) {
        origin_model_connect(m);
    }
    create_routers(m);
    m->bridge = origin_io_create(m, &m->node[0].hub);
    if (m->engine) {
        origin_bridge_set_dma_hook(m->bridge, origin_model_dma, m);
    }
    origin_firmware_create(m);
    origin_debug_init(m);
    origin_regions_init(m);
    origin_truth_init(m);
    origin_futures_init(m);
    origin_checkpoint_init(m);
    origin_job_init(m);
    memory_region_transaction_commit();
}

/*
 * Reset everything that is on a bus.  That also copies the kernel into memory.  If
 * a checkpoint brings all of memory, the copy would be in vain, and QEMU makes
 * none for a machine that waits for its state.
 */
static void reset_buses(OriginMachineState *m, ResetType type)
{
    bool replaced =
        m->checkpoint.restore && runstate_check(RUN_STATE_PRELAUNCH);

    if (replaced) {
        runstate_set(RUN_STATE_INMIGRATE);
    }
    qemu_devices_reset(type);
    if (replaced) {
        runstate_set(RUN_STATE_PRELAUNCH);
    }
}

/*
 * The order matters.  The I/O devices are reset before the Hubs, because the
 * Hubs drop the interrupts that those have sent.  The engine is reset before
 * Hubs and routers, because these write to it.  The firmware needs all of them.
 */
static void origin_reset(MachineState *ms, ResetType type)
{
    OriginMachineState *m = ORIGIN_MACHINE(ms);
    unsigned i;

    reset_buses(m, type);
    if (m->engine) {
        origin_model_reset(m);
    }
    for (i = 0; i < m->desc.nnodes; i++) {
        device_cold_reset(DEVICE(&m->node[i]));
    }
    for (i = 0; i < m->desc.nrouters; i++) {
        device_cold_reset(DEVICE(&m->router[i]));
    }
    origin_bridge_assign(m->bridge, &error_fatal);
    origin_firmware_reset(m);
}

/* The button on the front panel (HMP `nmi`) interrupts every processor. */
static void origin_nmi(NMIState *n, int cpu_index, Error **errp)
{
    OriginMachineState *m = ORIGIN_MACHINE(n);
    unsigned i, s;

    for (i = 0; i < m->desc.nnodes; i++) {
        for (s = 0; s < SN_NODE_CPUS; s++) {
            origin_hub_nmi(&m->node[i].hub, s);
        }
    }
}

static const char *cpu_name(unsigned pipeline)
{
    static const char *const name[] = { "simple", "pipeline" };

    return pipeline < ARRAY_SIZE(name) ? name[pipeline] : NULL;
}

static void set_profile_now(Object *obj, const char *value, Error **errp)
{
    origin_profile_now(value, false, errp);
}

static void set_profile_life(Object *obj, const char *value, Error **errp)
{
    origin_profile_now(value, true, errp);
}

static const OriginProperty properties[] = {
    ORIGIN_PROPERTY("description", TEXT, description,
                    "device tree blob that says what the machine consists of"),
    ORIGIN_PROPERTY("model", BOOL, model, "model caches and directory"),
    ORIGIN_PROPERTY("time", NAME, time,
                    "the time model: how long accesses take (docs/engine.md)",
                    .low = ORIGIN_MODEL_FIRST_TIME, .value = origin_model_name),
    ORIGIN_PROPERTY("cpu", NAME, pipeline,
                    "the processors' own time: what instructions take",
                    .value = cpu_name),
    ORIGIN_PROPERTY("r2", BOOL, r2,
                    "user programs may use MIPS64 R2 integer instructions"),
    ORIGIN_PROPERTY(
        "range-monitor", BOOL, range_monitor,
        "performance counters can be restricted to ranges of addresses"),
    ORIGIN_PROPERTY("seed", UINT32, seed,
                    "of the generators that choose L2 victims"),
    ORIGIN_PROPERTY("profile", TEXT, profile_dir,
                    "directory that gets a profile of the guest"),
    ORIGIN_PROPERTY("profile-kernel", TEXT, profile_kernel,
                    "layout of the guest kernel's structures"),
    ORIGIN_PROPERTY("profile-functions", TEXT, profile_functions,
                    "functions of the guest that allocate memory"),
    ORIGIN_PROPERTY("profile-rows", UINT32, profile_rows,
                    "limit of a profile's rows, 64 bytes each",
                    .low = PROFILE_ROWS_MIN, .high = PROFILE_ROWS_MAX),
    ORIGIN_PROPERTY("profile-depth", UINT32, profile_depth,
                    "limit of the calls of a path; 0: no paths",
                    .high = PROFILE_DEPTH_MAX),
    ORIGIN_PROPERTY("accesses", TEXT, accesses,
                    "misses or all: a profile has each of them",
                    .check = profile_accesses_check),
    ORIGIN_PROPERTY("accesses-region", TEXT, accesses_region,
                    "only those in this region of interest"),
    ORIGIN_PROPERTY("follow", TEXT, follow,
                    "lines that a profile follows (docs/follow.md)",
                    .check = profile_follow_check),
    ORIGIN_PROPERTY("follow-comm", TEXT, follow_comm,
                    "at user addresses: only of threads of this name"),
    ORIGIN_PROPERTY("follow-max", UINT32, follow_max,
                    "limit of the events of all lines",
                    .low = FOLLOW_EVENTS_MIN, .high = FOLLOW_EVENTS_MAX),
    ORIGIN_PROPERTY("remedy", TEXT, remedy,
                    "objects that lie elsewhere for the model alone",
                    .check = origin_whatif_check),
    ORIGIN_PROPERTY("remedy-comm", TEXT, remedy_comm,
                    "only threads of this name have the objects"),
    ORIGIN_PROPERTY("remedy-roi", TEXT, remedy_roi,
                    "the region with which the remedies begin"),
    ORIGIN_PROPERTY("remedy-log", TEXT, remedy_log,
                    "file that gets what each remedy has changed"),
    ORIGIN_PROPERTY("command", TEXT, command,
                    "the name of the process with which remedies begin"),
    ORIGIN_PROPERTY("split-at-command", BOOL, split_at_command,
                    "the machine splits there, not at a region"),
    ORIGIN_PROPERTY("break-at", UINT64, break_at,
                    "the tick at which the machine stops"),
    ORIGIN_PROPERTY("futures", UINT32, futures.fd,
                    "descriptor of a socket that asks for futures"),
    ORIGIN_PROPERTY("save", UINT32, checkpoint.save,
                    "descriptor of the file that gets a checkpoint"),
    ORIGIN_PROPERTY("restore", UINT32, checkpoint.restore,
                    "descriptor of the file that has a checkpoint"),
    ORIGIN_PROPERTY("keep", UINT32, checkpoint.keep,
                    "descriptor of the file that gets the booted machine"),
    ORIGIN_PROPERTY("keep-told", UINT32, checkpoint.keep_told,
                    "descriptor of the socket that is told of it"),
    ORIGIN_PROPERTY("job", UINT32, job.fd,
                    "descriptor of the file that says what to do"),
    {},
};

static void origin_instance_init(Object *obj)
{
    OriginMachineState *m = ORIGIN_MACHINE(obj);

    m->model = true;
    m->time = ORIGIN_MODEL_UNLOADED;
    m->r2 = true;
    m->profile_depth = PROFILE_DEPTH;
    m->follow_max = FOLLOW_EVENTS;
    m->seed = 1;
}

static void origin_class_init(ObjectClass *oc, void *data)
{
    MachineClass *mc = MACHINE_CLASS(oc);
    NMIClass *nc = NMI_CLASS(oc);

    mc->desc = "SGI Origin 2000 (IP27)";
    mc->init = origin_init;
    mc->reset = origin_reset;
    mc->max_cpus = SN_BOARD_NODES * SN_NODE_CPUS;
    mc->default_cpu_type = MIPS_CPU_TYPE_NAME("R10000");
    mc->default_ram_size = ORIGIN_NO_RAM;
    mc->no_parallel = 1;
    mc->no_floppy = 1;
    mc->no_cdrom = 1;
    mc->block_default_type = IF_VIRTIO;
    nc->nmi_monitor_handler = origin_nmi;
    compat_props_add(mc->compat_props, origin_io_compat, origin_io_compat_len);

    origin_properties_add(oc, properties);
    object_class_property_add_str(oc, "profile-now", NULL, set_profile_now);
    object_class_property_set_description(
        oc, "profile-now", "write the profile so far to this directory");
    object_class_property_add_str(oc, "profile-life", NULL, set_profile_life);
    object_class_property_set_description(
        oc, "profile-life",
        "write the life of followed lines so far to this directory");
    origin_debug_class_init(oc);
    origin_truth_class_init(oc);
    origin_regions_class_init(oc);
}

static const TypeInfo origin_type[] = {
    {
        .name = TYPE_ORIGIN_MACHINE,
        .parent = TYPE_MACHINE,
        .instance_size = sizeof(OriginMachineState),
        .instance_init = origin_instance_init,
        .class_init = origin_class_init,
        .interfaces = (InterfaceInfo[]){ { TYPE_NMI }, {} },
    },
};

DEFINE_TYPES(origin_type)

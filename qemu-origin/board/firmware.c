/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The firmware's side of the board: PROM image, its doorbell, the loader of
 * kernel and initial RAM disk, starting and stopping.
 *
 * The PROM (../prom/prom.S) is mapped at LBOOT and, for other nodes, RBOOT.
 * At reset the first processor of node 0 runs it and jumps to the kernel;
 * the kernel starts the others through LAUNCHSLAVE, which rings the doorbell.
 * A processor that goes back to the PROM's slave loop can be started again.
 *
 * The kernel's halt leaves a request in PROMOP_REG and resets: the machine
 * powers off.  A reset without a request is a reboot.
 *
 * Left out: ARCS calls, flash programming, environment variables.
 * Source: boot contract 1, 2; Linux's launch.h, nmi.h, gda.h.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/madvise.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/loader.h"
#include "hw/core/cpu.h"
#include "elf.h"
#include "system/runstate.h"
#include "system/system.h"
#include "system/mp-time.h"
#include "../prom/doorbell.h"
#include "origin.h"
#include "trace.h"

static const uint8_t prom_image[] = {
#include "prom.h"
};

/* The kernel lives above the firmware's tables (kldir.h). */
#define KERNEL_BASE     0x1c000
#define CAC_BASE        0xa800000000000000ULL
#define ARGV            0x1000
#define INITRD_ALIGN    (64 * KiB)      /* the largest page size */

/* gda.h */
#define PROMOP_MAGIC        0x0ead0000
#define PROMOP_MAGIC_MASK   0x0fff0000
#define PROMOP_CMD_MASK     0xf0
#define PROMOP_CMD_REBOOT   0x40

/* How long the packet takes that wakes a launched processor. */
#define LAUNCH_NS           1000

/* --- starting processors --- */

static void launch_arrives(void *opaque)
{
    OriginLaunch *l = opaque;
    const uint64_t a[4] = { l->parm };

    mips_r10k_start(l->cpu, l->pc, l->sp, l->gp, a);
}

static void launch_work(CPUState *cs, run_on_cpu_data data)
{
    launch_arrives(data.host_ptr);
}

/* Start a processor that is wanted once it is held, whichever comes last. */
static void launch_if_ready(OriginLaunch *l)
{
    CPUState *cs = CPU(l->cpu);

    if (!l->wanted || !l->parked) {
        return;
    }
    l->wanted = false;
    l->parked = false;
    if (mp_time_enabled()) {
        mp_time_post(cs, mp_time_local(current_cpu) +
                     mp_time_from_ns(LAUNCH_NS), launch_arrives, l);
    } else {
        async_run_on_cpu(cs, launch_work, RUN_ON_CPU_HOST_PTR(l));
    }
}

static void launch(OriginMachineState *m)
{
    uint64_t nasid = m->mailbox[0], slice = m->mailbox[1];
    OriginLaunch *l;

    if (nasid >= m->desc.nnodes || slice >= SN_NODE_CPUS ||
        !m->node[nasid].cpu[slice]) {
        qemu_log_mask(LOG_GUEST_ERROR, "origin: PROM: launch of processor %"
                      PRIu64 ".%" PRIu64 " that is not fitted\n", nasid, slice);
        return;
    }
    l = &m->node[nasid].launch[slice];
    l->pc = m->mailbox[2];
    l->parm = m->mailbox[3];
    l->sp = m->mailbox[4];
    l->gp = m->mailbox[5];
    l->wanted = true;
    trace_origin_launch(nasid, slice, l->pc);
    launch_if_ready(l);
}

/* The running processor has come to the slave loop. */
static void park(OriginMachineState *m)
{
    const CPUMIPSState *env = &MIPS_CPU(current_cpu)->env;
    OriginLaunch *l = &m->node[env->r10k.nasid].launch[env->r10k.slice];

    trace_origin_park(env->r10k.nasid, env->r10k.slice);
    l->parked = true;
    launch_if_ready(l);
}

/* All but the one that boots are held. */
static void launch_reset(OriginMachineState *m)
{
    for (unsigned i = 0; i < m->desc.nnodes * SN_NODE_CPUS; i++) {
        OriginNode *n = &m->node[i / SN_NODE_CPUS];
        MIPSCPU *cpu = n->cpu[i % SN_NODE_CPUS];

        n->launch[i % SN_NODE_CPUS] = (OriginLaunch) {
            .cpu = cpu,
            .parked = cpu && CPU(cpu) != first_cpu,
        };
    }
}

/* --- fatal reports --- */

static void fatal(OriginMachineState *m, uint64_t what)
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
        error_report("origin2000: PROM: node %u cpu %c: %s (code %u): epc 0x%"
                     PRIx64 " badvaddr 0x%" PRIx64 " ra 0x%" PRIx64
                     " errorepc 0x%" PRIx64 " status 0x%x",
                     env->r10k.nasid, 'a' + env->r10k.slice, s,
                     extract32(env->CP0_Cause, CP0Ca_EC, 5),
                     (uint64_t)env->CP0_EPC, (uint64_t)env->CP0_BadVAddr,
                     (uint64_t)env->active_tc.gpr[31],
                     (uint64_t)env->CP0_ErrorEPC, env->CP0_Status);
    }
    qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_GUEST_PANIC, 1);
}

/* --- doorbell --- */

static uint64_t doorbell_read(void *opaque, hwaddr addr, unsigned size)
{
    OriginMachineState *m = opaque;

    switch (addr) {
    case DB_ENTRY:
        return m->entry;
    case DB_ARGC:
        return 2;
    case DB_ARGV:
        return CAC_BASE | ARGV;
    default:
        return addr < DB_COMMAND ? m->mailbox[addr / 8] : 0;
    }
}

static void doorbell_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    OriginMachineState *m = opaque;

    if (addr < DB_COMMAND) {
        m->mailbox[addr / 8] = v;
    } else if (addr == DB_COMMAND && current_cpu) {
        switch (v) {
        case DB_LAUNCH:
            launch(m);
            break;
        case DB_PARK:
            park(m);
            break;
        case DB_FATAL:
            fatal(m, m->mailbox[0]);
            break;
        default:
            qemu_log_mask(LOG_GUEST_ERROR, "origin: PROM: unknown command %"
                          PRIu64 "\n", v);
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

/* --- loader --- */

/* Segments are linked at xkphys addresses: keep the physical part. */
static uint64_t to_physical(void *opaque, uint64_t addr)
{
    return addr & ((1ULL << SN_SPACE_SHIFT) - 1);
}

#define SELF_BRANCH 0x1000ffffu     /* b . */
/* where the PROM's slave loop spins, in CKSEG1 */
#define SLAVE_WAIT  (0xffffffffa0000000ULL + PROM_BASE + PROM_SLAVE_WAIT)
#define MAX_IDLE    R10K_IDLE_PCS_MAX

typedef struct Idle {
    uint64_t pc[MAX_IDLE];
    unsigned count;
    uint64_t spin[MAX_IDLE], spin_size[MAX_IDLE];   /* functions that end so */
    unsigned nspin;
} Idle;

/* Collected while the ELF is read, used at each reset. */
static Idle idle;

/*
 * The kernel's idle loop is a call of arch_cpu_idle(), which is empty on the
 * R10000; the functions below end in endless loops of one branch.
 */
static void note_symbol(const char *name, int info, uint64_t value,
                        uint64_t size)
{
    static const char *const spinning[] = {
        "stop_this_cpu", "ip27_machine_power_off", "ip27_machine_halt",
        "ip27_machine_restart"
    };
    unsigned i;

    if (!strcmp(name, "arch_cpu_idle") && idle.count < MAX_IDLE) {
        idle.pc[idle.count++] = value;
    }
    for (i = 0; i < ARRAY_SIZE(spinning); i++) {
        if (!strcmp(name, spinning[i]) && idle.nspin < MAX_IDLE) {
            idle.spin[idle.nspin] = value;
            idle.spin_size[idle.nspin++] = size;
        }
    }
}

/* Tells the CPU model where kernels do nothing; needs the image in memory. */
static void set_idle_pcs(void)
{
    uint64_t pcs[MAX_IDLE] = { SLAVE_WAIT };
    unsigned n = 1, i;
    uint64_t off;

    for (i = 0; i < idle.count && n < MAX_IDLE; i++) {
        pcs[n++] = idle.pc[i];
    }
    for (i = 0; i < idle.nspin; i++) {
        for (off = 0; off < idle.spin_size[i] && n < MAX_IDLE; off += 4) {
            hwaddr pa = to_physical(NULL, idle.spin[i] + off);

            if (address_space_ldl_be(&address_space_memory, pa,
                                     MEMTXATTRS_UNSPECIFIED, NULL) ==
                SELF_BRANCH) {
                pcs[n++] = idle.spin[i] + off;
            }
        }
    }
    mips_r10k_set_idle_pcs(pcs, n);
}

/* Bytes of node 0 that are contiguous from offset off on. */
static uint64_t contiguous(OriginMachineState *m, uint64_t off)
{
    uint64_t lo = 0, hi = SN_BANK_SIZE;

    while (lo < hi) {
        uint64_t mid = (lo + hi + 1) / 2;

        if (origin_ram_present(m, off, mid)) {
            lo = mid;
        } else {
            hi = mid - 1;
        }
    }
    return lo;
}

/* Why a file cannot even be an ELF image; NULL: it may be one. */
static const char *no_elf(const char *path)
{
    char magic[SELFMAG] = "";
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f) {
        return strerror(errno);
    }
    n = fread(magic, 1, sizeof(magic), f);
    fclose(f);
    return n < SELFMAG || memcmp(magic, ELFMAG, SELFMAG) ? "is no ELF file" :
           NULL;
}

/*
 * Parts of files that memory is filled from at each reset.  They stay mapped,
 * but what has been copied is not kept in the host's memory as well: the next
 * reset reads it from the file again.
 */
#define MAX_SEGMENTS 8

static struct {
    hwaddr at;
    size_t size;
} segment[MAX_SEGMENTS];
static unsigned nsegment;

static void note_segments(const char *path)
{
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, false, NULL);
    size_t len = file ? g_mapped_file_get_length(file) : 0;
    const Elf64_Ehdr *eh = len ? (void *)g_mapped_file_get_contents(file) : NULL;
    const Elf64_Phdr *ph;
    unsigned n;

    if (len < sizeof(*eh) || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
        eh->e_ident[EI_DATA] != ELFDATA2MSB ||
        be16_to_cpu(eh->e_phentsize) != sizeof(*ph) ||
        be64_to_cpu(eh->e_phoff) > len || be64_to_cpu(eh->e_phoff) % 8) {
        return;     /* what is wrong with it, if anything, load_elf() says */
    }
    n = MIN((len - be64_to_cpu(eh->e_phoff)) / sizeof(*ph),
            be16_to_cpu(eh->e_phnum));
    ph = (const void *)((const char *)eh + be64_to_cpu(eh->e_phoff));
    for (; n > 0 && nsegment < MAX_SEGMENTS; n--, ph++) {
        if (be32_to_cpu(ph->p_type) == PT_LOAD) {
            segment[nsegment].at = to_physical(NULL, be64_to_cpu(ph->p_paddr));
            segment[nsegment++].size = be64_to_cpu(ph->p_filesz);
        }
    }
}

/* Lets go of the whole pages in [p, p + size) of a private, unwritten map. */
static void drop_pages(void *p, size_t size)
{
    uintptr_t page = qemu_real_host_page_size();
    uintptr_t from = ROUND_UP((uintptr_t)p, page);
    uintptr_t to = QEMU_ALIGN_DOWN((uintptr_t)p + size, page);

    if (to > from) {
        qemu_madvise((void *)from, to - from, QEMU_MADV_DONTNEED);
    }
}

static void write_initrd(OriginMachineState *m)
{
    char *p = g_mapped_file_get_contents(m->initrd);

    address_space_write(&address_space_memory, m->initrd_base,
                        MEMTXATTRS_UNSPECIFIED, p, m->initrd_size);
    drop_pages(p, m->initrd_size);
}

static uint64_t load_kernel(OriginMachineState *m, const char *path)
{
    const char *why = no_elf(path);
    uint64_t low = 0, high = 0;
    ssize_t size;

    if (why) {
        error_report("origin2000: -kernel %s: %s", path, why);
        exit(1);
    }
    note_segments(path);
    size = load_elf_ram_sym(path, NULL, to_physical, NULL, &m->entry, &low,
                            &high, NULL, ELFDATA2MSB, EM_MIPS, 1, 0, NULL, true,
                            note_symbol);
    if (size < 0) {
        error_report("origin2000: -kernel %s: %s", path,
                     load_elf_strerror(size));
        exit(1);
    }
    low &= SN_NODE_SIZE - 1;
    if (low < KERNEL_BASE) {
        error_report("origin2000: -kernel %s: loads at 0x%" PRIx64 ", over the "
                     "firmware's tables below 0x%x: not an IP27 kernel", path,
                     low, KERNEL_BASE);
        exit(1);
    }
    if (!origin_ram_present(m, low, high - low)) {
        error_report("origin2000: -kernel %s: needs memory from 0x%" PRIx64
                     " to 0x%" PRIx64 ", node 0 has %" PRIu64
                     " MB in one piece", path, low, high,
                     contiguous(m, 0) / MiB);
        exit(1);
    }
    return high;
}

/* The highest place in node 0's banks that holds size bytes; 0: none. */
static uint64_t initrd_place(OriginMachineState *m, uint64_t size,
                             uint64_t kernel_end)
{
    int chunk;

    for (chunk = SN_NODE_SIZE / SN_BANK_CHUNK - 1; chunk >= 0; chunk--) {
        uint64_t start = chunk * SN_BANK_CHUNK;
        uint64_t len = MIN(contiguous(m, start), SN_BANK_CHUNK);
        uint64_t at;

        if (len < size) {
            continue;
        }
        at = QEMU_ALIGN_DOWN(start + len - size, INITRD_ALIGN);
        /* leave room for what the kernel puts behind itself */
        if (at >= start && at >= kernel_end + 4 * MiB) {
            return at;
        }
    }
    return 0;
}

static void load_initrd(OriginMachineState *m, const char *path,
                        uint64_t kernel_end)
{
    m->initrd = g_mapped_file_new(path, false, NULL);
    if (!m->initrd || !g_mapped_file_get_length(m->initrd)) {
        error_report("origin2000: -initrd %s: %s", path,
                     m->initrd ? "is empty" : "cannot be read");
        exit(1);
    }
    m->initrd_size = g_mapped_file_get_length(m->initrd);
    m->initrd_base = initrd_place(m, m->initrd_size, kernel_end);
    if (!m->initrd_base) {
        error_report("origin2000: -initrd %s: %" PRId64 " bytes do not fit "
                     "into one piece of node 0's memory behind the kernel",
                     path, m->initrd_size);
        exit(1);
    }
}

void origin_firmware_create(OriginMachineState *m)
{
    MachineState *ms = MACHINE(m);
    MemoryRegion *sys = get_system_memory();
    uint64_t kernel_end = 0;
    unsigned i;

    memory_region_init_rom_nomigrate(&m->prom, OBJECT(m), "prom", PROM_SIZE,
                                     &error_fatal);
    QEMU_BUILD_BUG_ON(sizeof(prom_image) > PROM_SIZE);
    memcpy(memory_region_get_ram_ptr(&m->prom), prom_image, sizeof(prom_image));
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_HSPEC, 0, PROM_BASE),
                                &m->prom);
    memory_region_init_io(&m->doorbell, OBJECT(m), &doorbell_ops, m, "doorbell",
                          DB_SIZE);
    memory_region_add_subregion(sys, SN_PA(SN_SPACE_HSPEC, 0, PROM_DOORBELL),
                                &m->doorbell);
    for (i = 0; i < m->desc.nnodes; i++) {
        g_autofree char *name = g_strdup_printf("rboot%u", i);
        OriginNode *n = &m->node[i];

        memory_region_init_alias(&n->rboot, OBJECT(m), name, &m->prom, 0,
                                 PROM_SIZE);
        memory_region_add_subregion(sys,
            SN_PA(SN_SPACE_HSPEC, i, SN_RBOOT + (PROM_BASE - SN_LBOOT)),
            &n->rboot);
    }

    if (ms->kernel_filename) {
        kernel_end = load_kernel(m, ms->kernel_filename);
    }
    m->cmdline = g_strdup(ms->kernel_cmdline ?: "");
    if (ms->initrd_filename) {
        char *old = m->cmdline;

        load_initrd(m, ms->initrd_filename, kernel_end);
        /* First: what follows "--" is for init, not for the kernel. */
        m->cmdline = g_strdup_printf("rd_start=0x%" PRIx64 " rd_size=0x%"
                                     PRIx64 "%s%s",
                                     (uint64_t)CAC_BASE | m->initrd_base,
                                     m->initrd_size, *old ? " " : "", old);
        g_free(old);
    }
}

void origin_firmware_reset(OriginMachineState *m)
{
    unsigned i;

    m->promop = 0;
    memset(m->mailbox, 0, sizeof(m->mailbox));
    for (i = 0; i < nsegment; i++) {
        void *p = rom_ptr(segment[i].at, segment[i].size);

        if (p) {
            drop_pages(p, segment[i].size);
        }
    }
    if (m->initrd) {
        write_initrd(m);
    }
    origin_klconfig_write(m);
    launch_reset(m);
    set_idle_pcs();
}

/* --- NMI, reset, halt --- */

static void deliver(CPUState *cs, run_on_cpu_data exception)
{
    cs->exception_index = exception.host_int;
    cs->halted = 0;
}

void origin_cpu_nmi(OriginNode *n, unsigned slice)
{
    if (n->cpu[slice]) {
        trace_origin_nmi(n->nasid, slice);
        async_run_on_cpu(CPU(n->cpu[slice]), deliver,
                         RUN_ON_CPU_HOST_INT(EXCP_NMI));
    }
}

void origin_firmware_soft_reset(OriginNode *n)
{
    unsigned s;

    for (s = 0; s < SN_NODE_CPUS; s++) {
        if (n->cpu[s]) {
            async_run_on_cpu(CPU(n->cpu[s]), deliver,
                             RUN_ON_CPU_HOST_INT(EXCP_SRESET));
        }
    }
}

void origin_firmware_promop(OriginNode *n, uint32_t request)
{
    if ((request & PROMOP_MAGIC_MASK) == PROMOP_MAGIC) {
        n->m->promop = request;
    }
}

void origin_firmware_port_reset(OriginNode *n, uint64_t bits)
{
    uint32_t op = n->m->promop;

    trace_origin_port_reset(n->nasid, bits, op);
    if (op && (op & PROMOP_CMD_MASK) != PROMOP_CMD_REBOOT) {
        qemu_system_shutdown_request(SHUTDOWN_CAUSE_GUEST_SHUTDOWN);
    } else {
        qemu_system_reset_request(SHUTDOWN_CAUSE_GUEST_RESET);
    }
}

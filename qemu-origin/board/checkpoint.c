/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checkpoints: see checkpoint.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/madvise.h"
#include "exec/cputlb.h"
#include "hw/9pfs/9p-visit.h"
#include "hw/virtio/virtio.h"
#include "io/channel-file.h"
#include "migration/global_state.h"
#include "migration/qemu-file.h"
#include "migration/savevm.h"
#include "migration/vmstate.h"
#include "net/slirp.h"
#include "system/mp-time.h"
#include "system/runstate.h"
#include "system/system.h"
#include "target/mips/fpu_helper.h"
#include "target/mips/internal.h"
#include "clock.h"
#include "node/hub_units.h"
#include "origin.h"
#include "profile/tap.h"
#include "xio/bridge.h"
#include "xio/bridge_dma.h"
#include "xio/io.h"

/* If the network is busy, saving waits so long at most, in machine time. */
#define PATIENCE_NS NANOSECONDS_PER_SECOND

#define PAGE      4096u
#define NO_PAGE   UINT32_MAX
#define PAGE_BITS 4096u /* pages whose presence is asked for at once */

/* --- an archive in QEMU's stream --- */

typedef struct FileArchive {
    struct sn_archive a;
    QEMUFile *f;
} FileArchive;

static bool file_move(struct sn_archive *a, void *p, size_t n)
{
    QEMUFile *f = container_of(a, FileArchive, a)->f;

    if (a->loading) {
        return qemu_get_buffer(f, p, n) == n;
    }
    qemu_put_buffer(f, p, n);
    return !qemu_file_get_error(f);
}

/* --- an archive that is soon read again --- */

typedef struct ArrayArchive {
    struct sn_archive a;
    GByteArray *bytes;
    size_t at; /* of those, the ones that were read */
} ArrayArchive;

static bool array_move(struct sn_archive *a, void *p, size_t n)
{
    ArrayArchive *aa = container_of(a, ArrayArchive, a);

    if (!a->loading) {
        g_byte_array_append(aa->bytes, p, n);
        return true;
    }
    if (n > aa->bytes->len - aa->at) {
        return false;
    }
    memcpy(p, aa->bytes->data + aa->at, n);
    aa->at += n;
    return true;
}

/* --- memory --- */

/*
 * Bit 63 of an entry says that the page is in memory, bit 62 that it is swapped
 * out.  A page with neither was never touched.  It is not read, because reading
 * would make the host give it memory.
 */
static bool ask_present(int pagemap, uintptr_t host, uint64_t *entry, size_t n)
{
    off_t at = host / PAGE * sizeof(*entry);

    return pagemap >= 0 && qemu_real_host_page_size() == PAGE &&
           pread(pagemap, entry, n * sizeof(*entry), at) == n * sizeof(*entry);
}

/*
 * In the file, pages are in front of QEMU's stream, at places that the host can
 * map; the first page there has the place of the stream.  The stream has
 * the runs of pages.  A page that is zero has no place, unless it lies between two
 * others.
 */
#define GAP       8u     /* so many pages of zeros do not end a run */
#define MAP_LEAST 16u    /* a shorter run is read: a mapping costs more */
#define MAP_MOST  16384u /* Linux has 65530 for a process */

typedef struct PageRun {
    uint32_t page, pages;
} PageRun;

/* Add the page @i to the runs of a node, which begin at @from. */
static void add_page(GArray *runs, unsigned from, uint32_t i)
{
    PageRun *last =
        runs->len > from ? &g_array_index(runs, PageRun, runs->len - 1) : NULL;
    PageRun run = { i, 1 };

    if (last && i - (last->page + last->pages) < GAP) {
        last->pages = i + 1 - last->page;
    } else {
        g_array_append_val(runs, run);
    }
}

/* The pages of a node that are not zero.  @mapped: some are of a file. */
static void find_pages(uint8_t *host, uint32_t pages, bool mapped, GArray *runs)
{
    g_autofree uint64_t *entry = g_new(uint64_t, PAGE_BITS);
    int pagemap =
        mapped ? -1 : open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    unsigned from = runs->len;
    bool known = false;

    for (uint32_t i = 0; i < pages; i++) {
        if (i % PAGE_BITS == 0) {
            known = ask_present(pagemap, (uintptr_t)host + (size_t)i * PAGE,
                                entry, MIN(PAGE_BITS, pages - i));
        }
        if ((!known || entry[i % PAGE_BITS] >> 62) &&
            !buffer_is_zero(host + (size_t)i * PAGE, PAGE)) {
            add_page(runs, from, i);
        }
    }
    if (pagemap >= 0) {
        close(pagemap);
    }
}

static uint8_t *node_ram(OriginMachineState *m, unsigned n, uint32_t *pages)
{
    *pages = memory_region_size(&m->node[n].ram) / PAGE;
    return memory_region_get_ram_ptr(&m->node[n].ram);
}

/* Write @n bytes of the file at @at, or read them. */
static bool move_at(int fd, bool writes, void *p, size_t n, off_t at)
{
    for (ssize_t done; n; n -= done, p += done, at += done) {
        done = writes ? pwrite(fd, p, n, at) : pread(fd, p, n, at);
        if (done < 0 && errno == EINTR) {
            done = 0;
        } else if (done <= 0) {
            return false;
        }
    }
    return true;
}

/* Where the pages of a file begin whose part of ours begins at @at */
static off_t pages_begin(off_t at)
{
    return ROUND_UP(at + sizeof(uint64_t), PAGE);
}

/* Write the pages, and leave @fd where the stream begins.  0 or -errno. */
static int write_pages(OriginMachineState *m, int fd)
{
    OriginCheckpoint *c = &m->checkpoint;
    off_t begin = lseek(fd, 0, SEEK_CUR), at = pages_begin(begin);
    uint64_t stream;

    c->runs = g_array_new(false, false, sizeof(PageRun));
    if (begin < 0) {
        return -errno;
    }
    for (unsigned n = 0; n < m->desc.nnodes; n++) {
        PageRun end = { NO_PAGE, 0 };
        unsigned from = c->runs->len;
        uint32_t pages;
        uint8_t *host = node_ram(m, n, &pages);

        find_pages(host, pages, c->mapped, c->runs);
        for (unsigned i = from; i < c->runs->len; i++) {
            const PageRun *r = &g_array_index(c->runs, PageRun, i);
            size_t bytes = (size_t)r->pages * PAGE;

            if (!move_at(fd, true, host + (size_t)r->page * PAGE, bytes, at)) {
                return -errno;
            }
            at += bytes;
        }
        g_array_append_val(c->runs, end);
    }
    stream = at;
    return move_at(fd, true, &stream, sizeof(stream), begin) &&
                   lseek(fd, at, SEEK_SET) == at
               ? 0
               : -errno;
}

/* Move @fd to the stream. */
static bool find_stream(OriginCheckpoint *c, int fd)
{
    off_t begin = lseek(fd, 0, SEEK_CUR);
    uint64_t stream;

    c->pages = pages_begin(begin);
    if (begin < 0 || !move_at(fd, false, &stream, sizeof(stream), begin) ||
        stream < c->pages || stream > INT64_MAX ||
        lseek(fd, stream, SEEK_SET) != stream) {
        return false;
    }
    c->pages_end = stream;
    return true;
}

/* The pages come from the file when they are touched. */
static bool load_run(OriginCheckpoint *c, uint8_t *to, size_t bytes)
{
    off_t at = c->pages;

    if (bytes > c->pages_end - at) {
        return false;
    }
    c->pages += bytes;
    if (bytes < MAP_LEAST * PAGE || c->mapped == MAP_MOST ||
        qemu_real_host_page_size() != PAGE) {
        return move_at(c->restore, false, to, bytes, at);
    }
    c->mapped++;
    return mmap(to, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, c->restore,
                at) != MAP_FAILED;
}

static void load_pages(OriginCheckpoint *c, uint8_t *host, uint32_t pages,
                       struct sn_archive *a)
{
    PageRun r = { NO_PAGE, 0 };

    /* Empty the memory: the reset has put the kernel there. */
    if (qemu_madvise(host, (size_t)pages * PAGE, QEMU_MADV_DONTNEED) < 0) {
        a->failed = true;
    }
    while (!a->failed) {
        SN_MOVE(a, r);
        if (a->failed || r.page >= pages || r.pages > pages - r.page) {
            a->failed |= r.page != NO_PAGE;
            return;
        }
        sn_must(a, load_run(c, host + (size_t)r.page * PAGE,
                            (size_t)r.pages * PAGE));
    }
}

static void memory_state(OriginMachineState *m, struct sn_archive *a)
{
    OriginCheckpoint *c = &m->checkpoint;

    for (unsigned n = 0; a->loading && n < m->desc.nnodes; n++) {
        uint32_t pages;
        uint8_t *host = node_ram(m, n, &pages);

        load_pages(c, host, pages, a);
    }
    if (!a->loading) {
        sn_move(a, c->runs->data, c->runs->len * sizeof(PageRun));
    }
    origin_bridge_state(m->bridge, a);
}

/* --- processors --- */

/*
 * What a file says is checked before it is used, as in the engine (sn_state.h):
 * indices, sizes, and values for which QEMU would abort.  A wrong value of a
 * register harms only the guest.
 */

static bool r10k_is_possible(const MIPSR10KState *r, const MIPSR10KState *own)
{
    for (unsigned i = 0; i < ARRAY_SIZE(r->branch_history); i++) {
        if (r->branch_history[i] > 3) {
            return false;
        }
    }
    return r->nasid == own->nasid && r->slice == own->slice &&
           r->l2_bytes == own->l2_bytes &&
           r->range_index < MIPS_R10K_RANGE_PAIRS &&
           r->targets.top < CORE_RETURNS_MAX;
}

/* The R10000's part, without its pointers */
static void r10k_state(CPUMIPSState *env, struct sn_archive *a)
{
    MIPSR10KState r = env->r10k;

    sn_move(a, &r, offsetof(MIPSR10KState, host));
    sn_must(a, r10k_is_possible(&r, &env->r10k));
    if (a->loading && !a->failed) {
        r.present = env->r10k.present;
        r.pipeline = env->r10k.pipeline;
        r.r2 = env->r10k.r2;
        r.range_monitor = env->r10k.range_monitor;
        env->r10k = r;
    }
    origin_timer_state(env->r10k.perf_timer, a);
}

/* The registers.  Those that the model of the CPU fixes stay as they are. */
static void registers_state(CPUMIPSState *env, struct sn_archive *a)
{
    const size_t n = offsetof(CPUMIPSState, end_reset_fields);
    g_autofree CPUMIPSState *own = g_malloc(sizeof(*own));
    uint16_t flags;

    memcpy(own, env, n);
    sn_move(a, env, n);
    if (!a->loading) {
        return;
    }
    env->current_tc = own->current_tc;
    env->SEGBITS = own->SEGBITS;
    env->PABITS = own->PABITS;
    env->SEGMask = own->SEGMask;
    env->PAMask = own->PAMask;
    env->CP0_PRid = own->CP0_PRid;
    env->CP0_LLAddr_shift = own->CP0_LLAddr_shift;
    env->insn_flags = own->insn_flags;
    /* The modes of QEMU's arithmetic follow from FCR31. */
    flags = get_float_exception_flags(&env->active_fpu.fp_status);
    env->active_fpu.fp_status = own->active_fpu.fp_status;
    set_float_exception_flags(flags, &env->active_fpu.fp_status);
    restore_fp_status(env);
    env->active_tc.msa_fp_status = own->active_tc.msa_fp_status;
    sn_must(a, env->CP0_Wired >= 0 && env->CP0_Wired < env->tlb->nb_tlb);
}

/* An exception that is under way between two instructions */
static bool exception_is_possible(int index)
{
    switch (index) {
    case EXCP_NONE:
    case EXCP_INTERRUPT:
    case EXCP_HLT:
    case EXCP_HALTED:
    case EXCP_YIELD:
        return true;
    case EXCP_DFWATCH: /* QEMU cannot take these exceptions */
    case EXCP_IWATCH:
    case EXCP_TLBF:
    case EXCP_SEMIHOST:
        return false;
    default:
        return index >= 0 && index <= EXCP_LAST;
    }
}

/* vmstate_mips_cpu leaves out flags, timers and bits of the TLB. */
static void cpu_state(MIPSCPU *cpu, struct sn_archive *a)
{
    CPUMIPSState *env = &cpu->env;
    CPUState *cs = CPU(cpu);
    uint32_t entries = env->tlb->nb_tlb, in_use = env->tlb->tlb_in_use;

    registers_state(env, a);
    SN_MOVE(a, *env->mvp);
    SN_MOVE(a, entries);
    SN_MOVE(a, in_use);
    sn_must(a, entries == env->tlb->nb_tlb && in_use == env->tlb->tlb_in_use);
    SN_MOVE(a, env->tlb->mmu);
    SN_MOVE(a, env->exception_base);
    origin_timer_state(env->timer, a);
    r10k_state(env, a);
    SN_MOVE(a, cs->halted);
    SN_MOVE(a, cs->interrupt_request);
    SN_MOVE(a, cs->exception_index);
    sn_must(a, exception_is_possible(cs->exception_index));
    sn_must(a, !(cs->interrupt_request &
                 ~(CPU_INTERRUPT_HARD | CPU_INTERRUPT_EXITTB)));
    if (a->failed) {
        cs->exception_index = EXCP_NONE;
    } else if (a->loading) {
        mips_r10k_loaded(cpu);
    }
}

/* --- machine time --- */

typedef struct TimeVisitor {
    MPTimeVisitor v;
    OriginMachineState *m;
    struct sn_archive *a;
} TimeVisitor;

static void time_move(MPTimeVisitor *v, void *p, size_t n)
{
    sn_move(container_of(v, TimeVisitor, v)->a, p, n);
}

/* Packets to Hubs have even numbers, launches of processors odd ones. */
static bool time_post(MPTimeVisitor *v, uint64_t *number, MPTimeFunc **fn,
                      void **opaque)
{
    OriginMachineState *m = container_of(v, TimeVisitor, v)->m;
    uint64_t packets = m->desc.nnodes * ORIGIN_LEVELS;
    uint64_t launches = m->desc.nnodes * SN_NODE_CPUS, i = *number / 2;

    if (v->loading) {
        if (i >= (*number & 1 ? launches : packets)) {
            return false;
        }
        *fn = *number & 1 ? origin_firmware_launch : origin_pi_packet;
        *opaque =
            *number & 1
                ? (void *)&m->fw.launch[i]
                : &m->node[i / ORIGIN_LEVELS].hub.pi.packet[i % ORIGIN_LEVELS];
        return true;
    }
    if (*fn == origin_pi_packet) {
        const OriginPacket *p = *opaque;

        *number = 2 * (p->hub->nasid * (uint64_t)ORIGIN_LEVELS + p->level);
        return true;
    }
    *number = 2 * ((OriginLaunch *)*opaque - m->fw.launch) + 1;
    return *fn == origin_firmware_launch;
}

static void time_state(OriginMachineState *m, struct sn_archive *a)
{
    TimeVisitor t = {
        .v = { .move = time_move, .post = time_post, .loading = a->loading },
        .m = m,
        .a = a,
    };

    if (!mp_time_visit(&t.v)) {
        a->failed = true;
        if (!a->loading && !m->checkpoint.why) {
            error_setg(&m->checkpoint.why, "machine time: %s is under way",
                       t.v.why);
        }
    }
}

/* --- devices of QEMU's --- */

static int queues_state(Object *obj, void *opaque)
{
    struct sn_archive *a = opaque;
    VirtIODevice *vdev =
        (VirtIODevice *)object_dynamic_cast(obj, TYPE_VIRTIO_DEVICE);

    for (int i = 0; vdev && i < VIRTIO_QUEUE_MAX; i++) {
        if (virtio_queue_get_num(vdev, i)) {
            VirtQueue *vq = virtio_get_queue(vdev, i);
            VirtQueueLooks looks = virtio_queue_get_looks(vq);

            SN_MOVE(a, looks);
            virtio_queue_set_looks(vq, looks);
        }
    }
    return 0;
}

typedef struct ShareVisitor {
    V9fsVisitor v;
    struct sn_archive *a;
} ShareVisitor;

static void share_move(V9fsVisitor *v, void *p, size_t n)
{
    sn_move(container_of(v, ShareVisitor, v)->a, p, n);
}

static void shares_state(struct sn_archive *a, Error **why)
{
    ShareVisitor s = {
        .v = { .move = share_move, .loading = a->loading },
        .a = a,
    };

    if (!v9fs_visit(&s.v, why)) {
        a->failed = true;
    }
}

/* --- the machine --- */

static void machine_state(OriginMachineState *m, struct sn_archive *a)
{
    shares_state(a, &m->checkpoint.why);
    object_child_foreach_recursive(object_get_root(), queues_state, a);
    /*
     * Loading these may raise interrupts.  What interrupts change is loaded
     * after them.
     */
    origin_io_state(m, a);
    for (unsigned i = 0; i < m->desc.nrouters; i++) {
        origin_regs_state(&m->router[i].rf, a);
    }
    origin_firmware_state(m, a);
    origin_regions_state(m, a);
    origin_job_state(m, a);
    for (unsigned i = 0; i < m->desc.nnodes; i++) {
        origin_hub_state(&m->node[i].hub, a);
    }
    if (m->engine) {
        origin_model_state(m, a);
    }
    for (unsigned i = 0; i < m->desc.nnodes * SN_NODE_CPUS; i++) {
        MIPSCPU *cpu = origin_cpu(m, i);

        if (cpu) {
            cpu_state(cpu, a);
        }
    }
    time_state(m, a);
    origin_profile_state(a);
}

static const VMStateInfo memory_info;

static int move_section(QEMUFile *f, OriginMachineState *m,
                        const VMStateField *field, bool loading)
{
    FileArchive fa = {
        .a = { .loading = loading, .move = file_move },
        .f = f,
    };

    if (field->info == &memory_info) {
        memory_state(m, &fa.a);
    } else {
        machine_state(m, &fa.a);
    }
    return fa.a.failed ? -EINVAL : 0;
}

static int get(QEMUFile *f, void *m, size_t size, const VMStateField *field)
{
    return move_section(f, m, field, true);
}

static int put(QEMUFile *f, void *m, size_t size, const VMStateField *field,
               JSONWriter *vmdesc)
{
    return move_section(f, m, field, false);
}

static const VMStateInfo memory_info = {
    .name = "memory",
    .get = get,
    .put = put,
};

static const VMStateInfo machine_info = {
    .name = "machine",
    .get = get,
    .put = put,
};

/* A section that is one field, which covers the whole machine */
#define WHOLE(INFO)                                                     \
    {                                                                   \
        .name = "state", .info = (INFO), .size = 1, .flags = VMS_SINGLE \
    }

static const VMStateDescription vmstate_memory = {
    .name = "origin2000/memory",
    .version_id = 1,
    .minimum_version_id = 1,
    .priority = MIG_PRI_IOMMU,
    .fields =
        (const VMStateField[]){ WHOLE(&memory_info), VMSTATE_END_OF_LIST() },
};

static const VMStateDescription vmstate_machine = {
    .name = "origin2000",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields =
        (const VMStateField[]){ WHOLE(&machine_info), VMSTATE_END_OF_LIST() },
};

/* --- saving --- */

/* One line, which begins with "checkpoint: " */
static G_NORETURN void failed(OriginMachineState *m, int ret)
{
    error_report("checkpoint: %s", m->checkpoint.why
                                       ? error_get_pretty(m->checkpoint.why)
                                       : strerror(-ret));
    exit(1);
}

/*
 * In the main loop's thread: write the machine.  0 or -errno; checkpoint.why may
 * say more.
 */
static int write_machine(OriginMachineState *m, int fd)
{
    int ret = write_pages(m, fd);
    QIOChannelFile *io = qio_channel_file_new_fd(fd);
    QEMUFile *f = qemu_file_new_output(QIO_CHANNEL(io));

    global_state_store_running();
    if (ret == 0) {
        ret = qemu_save_device_state(f);
    }
    g_array_unref(m->checkpoint.runs);
    if (ret >= 0) {
        ret = qemu_fflush(f);
    }
    if (ret < 0 && !m->checkpoint.why) {
        qemu_file_get_error_obj(f, &m->checkpoint.why);
    }
    qemu_fclose(f);
    object_unref(OBJECT(io));
    return MIN(ret, 0);
}

/* In the main loop's thread */
static void save(void *opaque)
{
    OriginMachineState *m = opaque;
    int ret = -EBUSY;

    m->checkpoint.pending = false;
    if (!m->checkpoint.why) {
        ret = write_machine(m, m->checkpoint.save);
    }
    if (ret < 0) {
        failed(m, ret);
    }
    exit(ORIGIN_CHECKPOINT_SAVED);
}

/*
 * In the main loop's thread.  The launcher has room to look at what the guest has
 * printed so far, before the guest prints more.
 */
static void keep(void *opaque)
{
    OriginMachineState *m = opaque;
    OriginCheckpoint *c = &m->checkpoint;
    char told[] = { 'F' };

    if (!c->why && write_machine(m, c->keep) == 0) {
        *told = 'K';
    }

    error_free(c->why);
    c->why = NULL;
    while (write(c->keep_told, told, 1) < 0 && errno == EINTR) {
        ;
    }
    while (read(c->keep_told, told, 1) < 0 && errno == EINTR) {
        ;
    }
    close(c->keep_told);
    c->keep = 0;
}

/* Is something under way that cannot be saved?  If so, say what. */
static bool busy(OriginMachineState *m)
{
    g_autofree char *outside = net_slirp_busy();
    const char *what = outside ?: origin_io_busy(m);

    error_free(m->checkpoint.why);
    m->checkpoint.why = NULL;
    if (what) {
        error_setg(&m->checkpoint.why, "%s", what);
    }
    return what;
}

/*
 * Save now, or wait a little for connections that are being closed and frames
 * under way.
 */
static void save_due(void *opaque)
{
    OriginMachineState *m = opaque;

    if (busy(m) && mp_time_now() < m->checkpoint.give_up) {
        mp_time_at_rest(save_due, m);
    } else {
        mp_time_call_main(save, m);
    }
}

/* In the thread of the processors, in the middle of an instruction */
static void marked(Notifier *n, void *data)
{
    OriginMachineState *m =
        container_of(n, OriginMachineState, checkpoint.mark);
    const MIPSR10KMark *mark = data;
    const char *roi = m->regions.roi;

    if (mark->hint == R10K_MARK_BEGIN && (!roi || !strcmp(roi, mark->name))) {
        OriginCheckpoint *c = &m->checkpoint;

        BQL_LOCK_GUARD();
        if (!c->pending) {
            c->pending = true;
            c->give_up = mp_time_now() + mp_time_from_ns(PATIENCE_NS);
        }
        mp_time_at_rest(save_due, m);
    }
}

/* Process 1 waits for its job, and nothing is under way. */
static void job_due(void *opaque)
{
    OriginMachineState *m = opaque;

    if (busy(m) && mp_time_now() < m->checkpoint.give_up) {
        mp_time_at_rest(job_due, m);
        return;
    }
    m->job.ready = true;
    origin_profile_rest();
    if (m->checkpoint.keep) {
        if (!m->checkpoint.why && origin_profile_unsaved()) {
            error_setg(&m->checkpoint.why, "%s", origin_profile_unsaved());
        }
        mp_time_call_main(keep, m);
    }
}

static void job_asked(OriginMachineState *m)
{
    m->job.ready = !mp_time_enabled();
    if (!m->job.ready) {
        m->checkpoint.give_up = mp_time_now() + mp_time_from_ns(PATIENCE_NS);
        mp_time_at_rest(job_due, m);
    }
}

/* --- restoring --- */

/*
 * Some devices have a timer that is due at once after they were loaded, and look
 * at their rings in it.  A machine that was never saved does not look.  So let
 * them do it here, where nobody counts it, and forget what they have seen.
 */
static void settle_devices(void)
{
    ArrayArchive aa = { .a = { .move = array_move },
                        .bytes = g_byte_array_new() };

    object_child_foreach_recursive(object_get_root(), queues_state, &aa.a);
    /* Machine time does not go on before the machine runs. */
    qemu_clock_enable(QEMU_CLOCK_VIRTUAL, true);
    qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL);
    qemu_clock_enable(QEMU_CLOCK_VIRTUAL, false);
    aa.a.loading = true;
    object_child_foreach_recursive(object_get_root(), queues_state, &aa.a);
    g_byte_array_unref(aa.bytes);
}

static bool restore(OriginMachineState *m)
{
    bool ok = find_stream(&m->checkpoint, m->checkpoint.restore);
    QIOChannelFile *io = qio_channel_file_new_fd(m->checkpoint.restore);
    QEMUFile *f = qemu_file_new_input(QIO_CHANNEL(io));

    origin_bridge_set_dma_hook(m->bridge, NULL, NULL);
    ok = ok && qemu_get_be32(f) == QEMU_VM_FILE_MAGIC &&
         qemu_get_be32(f) == QEMU_VM_FILE_VERSION &&
         qemu_load_device_state(f) == 0;
    if (ok) {
        settle_devices();
    }
    if (m->engine) {
        origin_bridge_set_dma_hook(m->bridge, origin_model_dma, m);
    }
    qemu_fclose(f);
    object_unref(OBJECT(io));
    return ok;
}

/* The machine is about to run for the first time: everything is there. */
static void before_start(void *opaque, bool running, RunState state)
{
    OriginMachineState *m = opaque;

    if (!running || !m->checkpoint.restore) {
        return;
    }
    if (!restore(m)) {
        error_report("checkpoint: %s", m->checkpoint.why
                                           ? error_get_pretty(m->checkpoint.why)
                                           : "it is damaged");
        exit(1);
    }
    m->checkpoint.restore = 0;
}

/* --- options --- */

/* All other devices are there: our section comes after theirs. */
static void machine_done(Notifier *n, void *data)
{
    vmstate_register(NULL, 0, &vmstate_machine, qdev_get_machine());
}

void origin_checkpoint_init(OriginMachineState *m)
{
    static Notifier done = { .notify = machine_done };
    OriginCheckpoint *c = &m->checkpoint;

    m->job.when_asked = job_asked;
    if (!c->save && !c->restore && !c->keep) {
        return;
    }
    if (!mp_time_enabled() || (m->accesses && !m->accesses_region) ||
        m->break_at || (c->save && (m->accesses || m->follow))) {
        error_report("origin2000: save, keep and restore need machine time "
                     "(-icount mode=mp), and exclude break-at and accesses "
                     "without a region; save excludes follow, too");
        exit(1);
    }
    if (c->save) {
        c->mark.notify = marked;
        mips_r10k_add_mark_notifier(&c->mark);
    }
    vmstate_register(NULL, 0, &vmstate_memory, m);
    qemu_add_machine_init_done_notifier(&done);
    qemu_add_vm_change_state_handler_prio(before_start, m, -1);
}

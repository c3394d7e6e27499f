/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader: see loader.h.  The kernel is an ELF image whose segments QEMU's
 * loader keeps and copies at each reset; the initrd is copied here.
 *
 * Left out: kernels that do not run at their link address.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/madvise.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "hw/loader.h"
#include "elf.h"
#include "../../prom/doorbell.h"
#include "origin.h"
#include "firmware/elf-check.h"
#include "firmware/loader.h"

/* The kernel lives above the firmware's tables (kldir.h). */
#define KERNEL_BASE  0x1c000
#define CAC_BASE     0xa800000000000000ULL
#define INITRD_ALIGN (64 * KiB) /* the largest page size */

/* --- where the kernel idles --- */

/* The kernel is linked at xkphys addresses: this is their physical part. */
static uint64_t to_physical(void *opaque, uint64_t addr)
{
    return addr & ((1ULL << SN_SPACE_SHIFT) - 1);
}

#define SELF_BRANCH 0x1000ffffu /* b . */
/* where the PROM's slave loop spins, in CKSEG1 */
#define SLAVE_WAIT (0xffffffffa0000000ULL + PROM_BASE + PROM_SLAVE_WAIT)
#define MAX_IDLE   R10K_IDLE_PCS_MAX
/* Bytes of such a function that are looked at; the kernel's have some 300 */
#define MAX_SPIN 4096u

typedef struct Idle {
    uint64_t pc[MAX_IDLE];
    unsigned count;
    uint64_t spin[MAX_IDLE],
        spin_size[MAX_IDLE]; /* functions with such loops */
    unsigned nspin;
} Idle;

/*
 * Collected while the ELF is read, used at each reset.  Static, because QEMU's
 * callback for symbols has no argument for it.
 */
static Idle idle;

/*
 * The kernel's idle loop calls arch_cpu_idle(), which is empty on the R10000.
 * The functions named here end in an endless loop of one branch.
 */
static void note_symbol(const char *name, int info, uint64_t value,
                        uint64_t size)
{
    static const char *const spinning[] = { "stop_this_cpu",
                                            "ip27_machine_power_off",
                                            "ip27_machine_halt",
                                            "ip27_machine_restart" };
    unsigned i;

    if (!strcmp(name, "arch_cpu_idle") && idle.count < MAX_IDLE) {
        idle.pc[idle.count++] = value;
    }
    for (i = 0; i < ARRAY_SIZE(spinning); i++) {
        if (!strcmp(name, spinning[i]) && idle.nspin < MAX_IDLE) {
            idle.spin[idle.nspin] = value;
            idle.spin_size[idle.nspin++] = MIN(size, MAX_SPIN);
        }
    }
}

/*
 * Tells the CPU model where the kernel idles.  The image is read, for memory may
 * not have it yet (origin_loader_write()).
 */
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
            const void *insn =
                rom_ptr(to_physical(NULL, idle.spin[i] + off), 4);

            if (insn && ldl_be_p(insn) == SELF_BRANCH) {
                pcs[n++] = idle.spin[i] + off;
            }
        }
    }
    mips_r10k_set_idle_pcs(pcs, n);
}

/* --- kernel --- */

/* How many bytes of node 0's memory are contiguous from offset off on. */
static uint64_t contiguous(OriginMachineState *m, uint64_t off)
{
    uint64_t lo = 0, hi = SN_BANK_SIZE;

    while (lo < hi) {
        uint64_t mid = (lo + hi + 1) / 2;

        if (origin_ram_present(&m->desc, off, mid)) {
            lo = mid;
        } else {
            hi = mid - 1;
        }
    }
    return lo;
}

/*
 * Notes which parts of the file QEMU's loader copies into memory at each
 * reset: origin_loader_write() then drops the pages of the file that the host
 * has read for that.
 */
static void note_segments(OriginImage *image, const char *file)
{
    Elf64_Ehdr eh;
    Elf64_Phdr ph;

    memcpy(&eh, file, sizeof(eh));
    for (unsigned i = 0;
         i < be16_to_cpu(eh.e_phnum) && image->nsegment < ORIGIN_MAX_SEGMENTS;
         i++) {
        memcpy(&ph, file + be64_to_cpu(eh.e_phoff) + i * sizeof(ph),
               sizeof(ph));
        if (be32_to_cpu(ph.p_type) == PT_LOAD) {
            image->segment[image->nsegment].at =
                to_physical(NULL, be64_to_cpu(ph.p_paddr));
            image->segment[image->nsegment++].size = be64_to_cpu(ph.p_filesz);
        }
    }
}

/*
 * Looks at the file before QEMU's loader does.  Returns why it cannot be a
 * kernel, NULL if it may be one.
 */
static const char *look_at(OriginImage *image, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    g_autoptr(GMappedFile) file = NULL;
    const char *text, *why;
    size_t len;

    if (fd < 0) {
        return strerror(errno);
    }
    file = g_mapped_file_new_from_fd(fd, false, NULL);
    close(fd);
    text = file ? g_mapped_file_get_contents(file) : NULL;
    len = text ? g_mapped_file_get_length(file) : 0;
    why = origin_elf_check(text, len);
    if (!why && text[EI_DATA] == ELFDATA2MSB) {
        note_segments(image, text);
    }
    return why;
}

/* Returns the first physical address after the kernel. */
static uint64_t load_kernel(OriginMachineState *m, OriginImage *image,
                            const char *path)
{
    const char *why = look_at(image, path);
    uint64_t low = 0, high = 0;
    ssize_t size;

    if (why) {
        error_report("origin2000: -kernel %s: %s", path, why);
        exit(1);
    }
    size = load_elf_ram_sym(path, NULL, to_physical, NULL, &image->entry, &low,
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
                     "firmware's tables below 0x%x: not an IP27 kernel",
                     path, low, KERNEL_BASE);
        exit(1);
    }
    if (!origin_ram_present(&m->desc, low, high - low)) {
        error_report("origin2000: -kernel %s: needs memory from 0x%" PRIx64
                     " to 0x%" PRIx64 ", node 0 has %" PRIu64
                     " MB in one piece",
                     path, low, high, contiguous(m, 0) / MiB);
        exit(1);
    }
    return high;
}

/* The highest place for size bytes in the banks of node 0; 0: there is none. */
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
        /* leave room for what the kernel allocates after its image */
        if (at >= start && at >= kernel_end + 4 * MiB) {
            return at;
        }
    }
    return 0;
}

static void load_initrd(OriginMachineState *m, OriginImage *image,
                        const char *path, uint64_t kernel_end)
{
    image->initrd = g_mapped_file_new(path, false, NULL);
    if (!image->initrd || !g_mapped_file_get_length(image->initrd)) {
        error_report("origin2000: -initrd %s: %s", path,
                     image->initrd ? "is empty" : "cannot be read");
        exit(1);
    }
    image->initrd_size = g_mapped_file_get_length(image->initrd);
    image->initrd_base = initrd_place(m, image->initrd_size, kernel_end);
    if (!image->initrd_base) {
        error_report("origin2000: -initrd %s: %" PRId64 " bytes do not fit "
                     "into one piece of node 0's memory behind the kernel",
                     path, image->initrd_size);
        exit(1);
    }
}

void origin_loader_read(OriginMachineState *m, OriginImage *image)
{
    MachineState *ms = MACHINE(m);
    uint64_t kernel_end = 0;

    if (ms->kernel_filename) {
        kernel_end = load_kernel(m, image, ms->kernel_filename);
    }
    image->cmdline = g_strdup(ms->kernel_cmdline ?: "");
    if (ms->initrd_filename) {
        char *old = image->cmdline;

        load_initrd(m, image, ms->initrd_filename, kernel_end);
        /* in front, because what follows a "--" is for init, not for the kernel */
        image->cmdline =
            g_strdup_printf("rd_start=0x%" PRIx64 " rd_size=0x%" PRIx64 "%s%s",
                            (uint64_t)CAC_BASE | image->initrd_base,
                            image->initrd_size, *old ? " " : "", old);
        g_free(old);
    }
}

/* --- reset --- */

/*
 * Drops the whole pages in [p, p + size) of a private, unwritten map: they
 * have been copied into memory, and the next reset reads them from the file
 * again.
 */
static void drop_pages(void *p, size_t size)
{
    uintptr_t page = qemu_real_host_page_size();
    uintptr_t from = ROUND_UP((uintptr_t)p, page);
    uintptr_t to = QEMU_ALIGN_DOWN((uintptr_t)p + size, page);

    if (to > from) {
        qemu_madvise((void *)from, to - from, QEMU_MADV_DONTNEED);
    }
}

void origin_loader_write(OriginImage *image, bool replaced)
{
    unsigned i;

    for (i = 0; i < image->nsegment; i++) {
        void *p = rom_ptr(image->segment[i].at, image->segment[i].size);

        if (p) {
            drop_pages(p, image->segment[i].size);
        }
    }
    if (image->initrd && !replaced) {
        char *p = g_mapped_file_get_contents(image->initrd);

        address_space_write(&address_space_memory, image->initrd_base,
                            MEMTXATTRS_UNSPECIFIED, p, image->initrd_size);
        drop_pages(p, image->initrd_size);
    }
    set_idle_pcs();
}

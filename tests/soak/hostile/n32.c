// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile requests of a program of the n32 ABI, whose pointers have four bytes: every request of our headers and others, on devices and on
 * /proc/self, with good and bad arguments.  The same 20,000 calls for each seed, a decimal number.  The guest has no C library of that ABI, so the
 * program makes its system calls itself.  Prints "ok", or the request that the kernel must not allow.
 */
#define __KERNEL__ /* our headers without the C library's */
#include <procfs/procfs.h>
#include <sys/SN/hwcntrs.h>

#define CALLS 20000
#define PAGE  16384

enum {
    NR_write = 6001,
    NR_open = 6002,
    NR_close = 6003,
    NR_mmap = 6009,
    NR_munmap = 6011,
    NR_ioctl = 6015,
    NR_exit = 6058
};

static const char *const files[] = { "/proc/self",
                                     "/hw/nodenum/0/refcnt",
                                     "/hw/nodenum/0/hub/md",
                                     "/hw/nodenum/0/hub/io",
                                     "/hw/nodenum/0/hub/ni",
                                     "/hw/nodenum/0/hub/mon",
                                     "/hw/nodenum/0/hub/rtc",
                                     "/hw/nodenum/0/stat",
                                     "/hw/mmem",
                                     "/hw/stat" };

/* Of requests; 0: the plain numbers of RCB_*. */
static const unsigned int types[] = { 'n', 'q', 'm', 'r', 0 };
static char data[4 * PAGE] __attribute__((aligned(PAGE))) = { 1 };
static sn0_refcnt_buf_t buf[40];
static unsigned long long seed = 1;

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
    register long v0 __asm__("$2") = nr, a0 __asm__("$4") = a, a1 __asm__("$5") = b,
                     a2 __asm__("$6") = c, a3 __asm__("$7") = d, a4 __asm__("$8") = e,
                     a5 __asm__("$9") = f;

    __asm__ volatile("syscall"
                     : "+r"(v0), "+r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a4), "r"(a5)
                     : "$1", "$3", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "hi",
                       "lo", "memory");
    return a3 ? -v0 : v0;
}

static unsigned int rnd(unsigned int n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned int)(seed >> 33) % n;
}

static unsigned int request(void)
{
    unsigned int type = types[rnd(5)], number = rnd(8) ? 0x50 + rnd(12) : rnd(256);

    if (type == 'q')
        number = rnd(8) ? 250 + rnd(5) : rnd(256);
    if (type == 0)
        return rnd(20);
    if (type == 'n' && rnd(2)) /* the direction and size that the kernel checks */
        return (rnd(4) + 1) << 29 | (rnd(2) ? 24 : rnd(256)) << 16 | type << 8 | number;
    return type << 8 | number;
}

static void *argument(unsigned int cmd)
{
    static unsigned long long words[1024];
    sn0_refcnt_args_t *args = (void *)words;
    unsigned int i;

    for (i = 0; i < 32; i++)
        words[i] = rnd(2) ? rnd(8) : seed;
    if (cmd >> 8 == 'q') {
        args->vaddr = rnd(4) ? (unsigned long)data + rnd(3 * PAGE) : seed;
        args->len = rnd(4) ? rnd(PAGE) : seed;
        if (cmd == PIOCGETSN0REFCNTRS || cmd == PIOCGETSN0EXTREFCNTRS) {
            args->buf = rnd(4) ? buf : (void *)(rnd(2) ? 8UL : 0x7fff0000UL);
            /* No more than the buffer holds, if it is ours. */
            if (args->buf == buf)
                args->len = rnd(PAGE);
        }
        if (cmd == PIOCSETSN0POLICY && rnd(2))
            for (i = 3; i < 32; i++)
                words[i] = 0;
    }
    return rnd(6) ? words : (void *)(rnd(2) ? 8UL : 0x7ffffff8UL);
}

static void say(const char *s)
{
    int n = 0;

    while (s[n])
        n++;
    call(NR_write, 1, (long)s, n, 0, 0, 0);
}

/* The stack of a new process: argc, argv[0], argv[1], ... */
__asm__(".globl __start; .ent __start; __start: move $4, $29; addiu $29, $29, -32; jal run; .end "
        "__start");
void run(const int *stack);

void run(const int *stack)
{
    const char *digit = stack[0] > 1 ? (const char *)(long)stack[2] : "1";
    long fd, at;
    int i, k;

    for (seed = 0; *digit; digit++)
        seed = 10 * seed + (*digit - '0');

    for (i = 0; i < CALLS; i += 10) {
        const char *name = files[rnd(sizeof(files) / sizeof(files[0]))];

        fd = call(NR_open, (long)name, rnd(2) ? 0 : 2, 0, 0, 0, 0);
        for (k = 0; k < 8; k++) {
            unsigned int cmd = request();
            long r = call(NR_ioctl, fd, cmd, (long)argument(cmd), 0, 0, 0);

            if (r >= 0 && cmd >> 8 == 'q' && name != files[0]) {
                say("a request of /proc on ");
                say(name);
                call(NR_exit, 1, 0, 0, 0, 0, 0);
            }
        }
        k = (1 + rnd(3)) * PAGE;
        at = call(NR_mmap, 0, k, rnd(8), 1 + rnd(2), fd, rnd(3) * PAGE);
        if (at > 0)
            call(NR_munmap, at, k, 0, 0, 0, 0);
        if (fd >= 0)
            call(NR_close, fd, 0, 0, 0, 0, 0);
    }
    say("ok\n");
    call(NR_exit, 0, 0, 0, 0, 0, 0);
}

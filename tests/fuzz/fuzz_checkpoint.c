/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzer of what the launcher reads of a checkpoint (libFuzzer): the header, the command line and
 * the archives.  Each input is tried as it is and once more with the right checksum, so that
 * mutations get past it.  What QEMU reads of it is in tests/unit/test_state.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "../../launcher/checkpoint.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static jmp_buf refused;

/* --- the launcher's other parts --- */

static void check_line(const char *fmt, va_list ap)
{
    char text[8192];

    if (vsnprintf(text, sizeof(text), fmt, ap) <= 0)
        abort();
}

void complain(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    check_line(fmt, ap);
    va_end(ap);
}

void die(int status, const char *fmt, ...)
{
    va_list ap;

    (void)status;
    va_start(ap, fmt);
    check_line(fmt, ap);
    va_end(ap);
    longjmp(refused, 1);
}

char *xasprintf(const char *fmt, ...)
{
    (void)fmt;
    abort(); /* for files that are written */
}

bool run_tool(const char *const argv[], int out, const char *package)
{
    (void)argv;
    (void)out;
    (void)package;
    abort(); /* nothing is unpacked here */
}

/* --- one input --- */

static void put_sum(int fd)
{
    char text[HEADER], digits[SUM_DIGITS + 1];

    if (pread(fd, text, HEADER, 0) != HEADER)
        return;
    memcpy(text, MAGIC "sum ", sizeof(MAGIC) + 3);
    ck.fd = fd;
    sprintf(digits, "%016" PRIx64, whole_sum(text));
    memcpy(text + SUM_AT, digits, SUM_DIGITS);
    if (pwrite(fd, text, HEADER, 0) != HEADER)
        abort();
}

/* Options that want what the file has: as many disks, and a share. */
static void check_all(void)
{
    struct options opt = { .share = ck.share ? "share" : NULL };

    opt.devices.ndisks = ck.ndisks;
    check_archives(&opt);
}

static void try(int fd)
{
    static char name[] = "origin";
    char path[32], **argv;
    int argc = 0;

    memset(&ck, 0, sizeof(ck));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (!setjmp(refused)) {
        argv = checkpoint_words(path, name, &argc);
        for (int i = 0; i < argc; i++)
            if (!argv[i] || strlen(argv[i]) > WORDS_MAX)
                abort();
        check_all();
        if (argc > 1)
            free(argv[1]);
        free(argv);
    }
    if (ck.fd > 0)
        close(ck.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("checkpoint", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    try(fd);
    put_sum(fd);
    try(fd);
    close(fd);
    return 0;
}

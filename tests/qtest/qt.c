/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qtest client and TAP printer: see qt.h.  QEMU's system/qtest.c describes the
 * protocol: a line in each direction, over the child's stdin and stdout.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qt.h"

#define MAX_ARGS 64

static FILE *to, *from;
static pid_t child;
static unsigned ntests, nfailed;
static char reply[4096];

static void bail(const char *why)
{
    printf("Bail out! %s\n", why);
    fflush(stdout);
    if (child > 0) {
        kill(child, SIGKILL);
    }
    exit(1);
}

char *qt_dtb(const char *source, const char *dts)
{
    const char *slash = strrchr(source, '/');
    char path[] = "/tmp/qt-XXXXXX.dtb", *command;
    int fd = mkstemps(path, 4);

    if (fd < 0 || asprintf(&command, "dtc -q -I dts -O dtb -o %s '%.*s%s'", path,
                           slash ? (int)(slash + 1 - source) : 0, source, dts) < 0) {
        bail("no temporary file");
    }
    close(fd);
    if (system(command)) {
        remove(path);
        bail(command);
    }
    free(command);
    return strdup(path);
}

void qt_start(const char *machine, ...)
{
    const char *qemu = getenv("ORIGIN_QEMU"), *dir = getenv("ORIGIN_MACHINES");
    const char *argv[MAX_ARGS] = { qemu,        "-M",          NULL,       "-accel",
                                   "qtest",     "-qtest",      "stdio",    "-qtest-log",
                                   "/dev/null", "-nodefaults", "-display", "none" };
    int in[2], out[2], n = 12;
    char *board;
    va_list ap;

    if (!qemu) {
        argv[0] = qemu = "build/qemu-system-mips64";
    }
    if (!dir) {
        dir = "build/machines";
    }
    if (access(qemu, X_OK)) {
        bail("no QEMU: run from the repository's root after make, or set "
             "ORIGIN_QEMU and ORIGIN_MACHINES");
    }
    if ((strchr(machine, '/')
             ? asprintf(&board, "origin2000,description=%s", machine)
             : asprintf(&board, "origin2000,description=%s/%s.dtb", dir, machine)) < 0) {
        bail("out of memory");
    }
    argv[2] = board;
    va_start(ap, machine);
    do {
        if (n == MAX_ARGS) {
            bail("too many arguments");
        }
        argv[n] = va_arg(ap, const char *);
    } while (argv[n++]);
    va_end(ap);

    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
        bail("pipe");
    }
    fflush(NULL);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a killed test leaves no QEMU */
        dup2(in[0], 0);
        dup2(out[1], 1);
        execv(qemu, (char **)argv);
        _exit(127);
    }
    free(board);
    close(in[0]);
    close(out[1]);
    to = fdopen(in[1], "w");
    from = fdopen(out[0], "r");
    signal(SIGPIPE, SIG_IGN);
}

bool qt_alive(void)
{
    if (child > 0 && waitpid(child, NULL, WNOHANG) == child) {
        child = 0;
    }
    return child > 0;
}

bool qt_stop(void)
{
    int status = -1;

    if (child > 0) {
        kill(child, SIGTERM);
        waitpid(child, &status, 0);
        child = 0;
    }
    fclose(to);
    fclose(from);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void send_line(const char *fmt, va_list ap)
{
    vfprintf(to, fmt, ap);
    fputc('\n', to);
}

void qt_queue(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    send_line(fmt, ap);
    va_end(ap);
}

const char *qt_reply(void)
{
    fflush(to);
    do {
        if (!fgets(reply, sizeof(reply), from)) {
            bail("QEMU is gone");
        }
    } while (!strncmp(reply, "IRQ ", 4));
    if (strncmp(reply, "OK", 2)) {
        bail(reply);
    }
    return reply[2] ? reply + 3 : reply + 2;
}

const char *qt_command(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    send_line(fmt, ap);
    va_end(ap);
    return qt_reply();
}

static uint64_t rd(char size, uint64_t pa)
{
    return strtoull(qt_command("read%c 0x%" PRIx64, size, pa), NULL, 0);
}

static void wr(char size, uint64_t pa, uint64_t v)
{
    qt_command("write%c 0x%" PRIx64 " 0x%" PRIx64, size, pa, v);
}

uint8_t qt_r8(uint64_t pa)
{
    return rd('b', pa);
}

uint16_t qt_r16(uint64_t pa)
{
    return rd('w', pa);
}

uint32_t qt_r32(uint64_t pa)
{
    return rd('l', pa);
}

uint64_t qt_r64(uint64_t pa)
{
    return rd('q', pa);
}

void qt_w8(uint64_t pa, uint8_t v)
{
    wr('b', pa, v);
}

void qt_w16(uint64_t pa, uint16_t v)
{
    wr('w', pa, v);
}

void qt_w32(uint64_t pa, uint32_t v)
{
    wr('l', pa, v);
}

void qt_w64(uint64_t pa, uint64_t v)
{
    wr('q', pa, v);
}

int64_t qt_clock_step(int64_t ns)
{
    return strtoll(qt_command("clock_step %" PRId64, ns), NULL, 0);
}

static bool report(bool ok, const char *fmt, va_list ap)
{
    printf("%sok %u - ", ok ? "" : "not ", ++ntests);
    vprintf(fmt, ap);
    putchar('\n');
    nfailed += !ok;
    return ok;
}

bool qt_ok(bool ok, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    report(ok, fmt, ap);
    va_end(ap);
    return ok;
}

bool qt_eq(uint64_t got, uint64_t want, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    report(got == want, fmt, ap);
    va_end(ap);
    if (got != want) {
        printf("# got 0x%" PRIx64 ", want 0x%" PRIx64 "\n", got, want);
    }
    return got == want;
}

int qt_done(void)
{
    printf("1..%u\n", ntests);
    return nfailed != 0;
}

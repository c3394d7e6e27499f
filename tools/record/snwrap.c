/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsnrun.so: the thread wrapper of thesis 5.3.3, which snrun preloads into the program.
 *
 * It announces each thread of the program to snrun together with the thread's perf events (see
 * wrapper.h): at the start of an image, in pthread_create and thrd_create, and in the child of fork.
 * It marks where the program's regions of interest begin and end (sn_roi_begin, sn_roi_end), and
 * where a pthread_barrier_wait ends for all; of barriers at most one an interval between samples,
 * for that is what a reader of the samples can tell apart.
 * It adds itself to the environment of programs that the program executes, even where the program
 * passes its own environment.
 *
 * The program sees no signal, timer, descriptor or thread that it would not have without the
 * wrapper. When snrun is gone or the kernel refuses the events, the program runs on without
 * samples.
 *
 * Left out: barriers of OpenMP's library; threads made by clone(2) directly; children of vfork, _Fork and posix_spawn until they
 * execute; images that the dynamic linker starts without the preload (statically linked,
 * set-user-ID). The first thread of such an image is still sampled through the events that it had
 * before exec.
 */
#define _GNU_SOURCE
#include "wrapper.h"
#include "sn_roi.h"
#include "trace.h"
#include "pmu.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Parsed once, before the code of the program runs; read only from then on. */
static struct {
    bool active;
    char spec[SNRUN_SPEC_MAX]; /* the value of SNRUN_ENV, for children */
    char socket[32];
    unsigned long long interval;
    int pmu, modes;
    unsigned ngroups;
    struct {
        unsigned n;
        int event[2];
    } group[SNRUN_MAX_GROUPS];
    char restricted;       /* events are restricted to 'd' data or 'c' code; 0: they are not */
    bool elsewhere;        /* the range is not in this image, so nothing counts */
    struct sn_range range; /* the cover */
} cfg;

/* dl_iterate_phdr(): by how much the program itself, the first object, was relocated. */
static int find_bias(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uint64_t *)data = info->dlpi_addr;
    return 1;
}

/* Computes the cover of --range in this image, as it was relocated. */
static bool configure_range(const char *p)
{
    unsigned long long from, bytes;
    uint64_t bias = 0;
    char self[SNRUN_SPEC_MAX];
    ssize_t length;
    int n = 0;

    if (sscanf(p, SNRUN_RANGE_FORMAT, &cfg.restricted, &from, &bytes, &n) != 3 || n == 0) {
        return false;
    }
    p += n;
    if (*p) {
        length = readlink("/proc/self/exe", self, sizeof(self) - 1);
        self[length > 0 ? length : 0] = 0;
        cfg.elsewhere = strcmp(self, p) != 0;
        dl_iterate_phdr(find_bias, &bias);
    }
    cfg.elsewhere |= sn_range_cover_kind(cfg.restricted == 'c', from + bias, from + bias + bytes,
                                         &cfg.range) < 0;
    return true;
}

static bool configure(void)
{
    const char *p = getenv(SNRUN_ENV);
    int n = 0;

    if (!p || strlen(p) >= sizeof(cfg.spec)) {
        return false;
    }
    strcpy(cfg.spec, p);
    if (sscanf(p, SNRUN_ENV_FORMAT, cfg.socket, &cfg.interval, &cfg.pmu, &cfg.modes, &n) != 4 ||
        n == 0 || cfg.interval == 0) {
        return false;
    }
    p += n;
    do {
        unsigned g = cfg.ngroups++;

        while (*p >= '0' && *p <= '9' && cfg.group[g].n < 2) {
            cfg.group[g].event[cfg.group[g].n++] = (int)strtol(p, (char **)&p, 10);
            p += *p == '+';
        }
        if (*p != '/' && *p != ';' && *p) {
            return false;
        }
    } while (*p == '/' && *p++ && cfg.ngroups < SNRUN_MAX_GROUPS);
    return *p != ';' || configure_range(p);
}

static int perf_open(struct perf_event_attr *attr, int group)
{
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sets what the event counts, and where. In an image without the range it never starts. */
static void set_terms(struct perf_event_attr *a, unsigned number)
{
    const struct sn_range *r = cfg.elsewhere ? NULL : &cfg.range;
    uint64_t config[3] = { number, 0, 0 };

    if (cfg.restricted) {
        a->disabled = cfg.elsewhere;
        sn_range_terms(number, cfg.restricted == 'd' ? r : NULL, cfg.restricted == 'c' ? r : NULL,
                       config);
    }
    a->config = config[0];
    a->config1 = config[1];
    a->config2 = config[2];
}

/*
 * Starts a group of events, and says so with PREF, hint 29 (docs/regions.md).  That is the next instruction
 * in user mode, so the events count nothing before it but its own fetch.  The time tells this thread from
 * others with the same number.
 */
static void start_events(int leader, uint64_t time)
{
    register long number __asm__("$2") = SYS_ioctl;
    register long fd __asm__("$4") = leader;
    register long request __asm__("$5") = PERF_EVENT_IOC_ENABLE;
    register long arg __asm__("$6") = 0;
    register long error __asm__("$7");
    register uint64_t base __asm__("$16") = time;

    __asm__ volatile("syscall\n\t.word %6"
                     : "+r"(number), "=r"(error)
                     : "r"(fd), "r"(request), "r"(arg), "r"(base),
                       "i"(0x33u << 26 | 16u << 21 | 29u << 16)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo", "memory");
}

/*
 * Opens the calling thread's events into fd[]. The leader of each group is a clock of the thread's
 * running time, which takes the samples; the R10000 events are members of the group, so each sample
 * reads them. Groups take turns, so each samples after its share of the interval.
 */
static void open_events(struct snrun_hello *h, int fd[SNRUN_MAX_FDS])
{
    struct perf_event_attr clock = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(clock),
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = cfg.interval / cfg.ngroups,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                       PERF_SAMPLE_READ | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_REGS_USER,
        .sample_regs_user = 1, /* the PC */
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .sample_id_all = 1,
        .disabled = 1, /* with its group, until all events are there */
        .watermark = 1,
        .wakeup_watermark = 16384,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC_RAW,
        .exclude_kernel = !!(cfg.modes & SNRUN_CLOCK_USER),
        .exclude_hv = 1,
    };
    struct perf_event_attr event = {
        .type = (uint32_t)cfg.pmu,
        .size = sizeof(event),
        .read_format = clock.read_format,
        .use_clockid = 1, /* all events of a group must have the same clock */
        .clockid = CLOCK_MONOTONIC_RAW,
        .exclude_kernel = !!(cfg.modes & SNRUN_EVENTS_USER),
        .exclude_hv = 1,
    };

    for (unsigned g = 0; g < cfg.ngroups; g++) {
        int leader;

        clock.task = clock.mmap = clock.comm = clock.comm_exec = g == 0;
        leader = perf_open(&clock, -1);
        if (leader < 0) {
            h->error = errno;
            h->event = -1;
            return;
        }
        fd[h->nfds++] = leader;
        for (unsigned i = 0; i < cfg.group[g].n; i++) {
            set_terms(&event, (unsigned)cfg.group[g].event[i]);
            fd[h->nfds] = perf_open(&event, leader);
            if (fd[h->nfds] < 0) {
                h->error = errno;
                h->event = cfg.group[g].event[i];
                return;
            }
            h->nfds++;
        }
    }
    h->time = clock_ns();
    for (unsigned g = 0, at = 0; g < cfg.ngroups; at += 1 + cfg.group[g++].n) {
        start_events(fd[at], h->time);
    }
}

struct maps {
    unsigned char *p, *end;
    unsigned n;
};

/* dl_iterate_phdr(): appends an object's executable segments. */
static int add_maps(struct dl_phdr_info *info, size_t size, void *data)
{
    struct maps *m = data;
    char self[512];
    const char *path = info->dlpi_name;

    (void)size;
    if (!*path) { /* the program itself */
        ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

        self[n > 0 ? n : 0] = 0;
        path = self;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        struct snrun_map map = { info->dlpi_addr + ph->p_vaddr, ph->p_memsz, ph->p_offset,
                                 (uint32_t)((strlen(path) + 8) & ~(size_t)7), 0 };

        if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X)) {
            continue;
        }
        if (sizeof(map) + map.path_size > (size_t)(m->end - m->p)) {
            return 1;
        }
        memcpy(m->p, &map, sizeof(map));
        memset(m->p + sizeof(map), 0, map.path_size);
        memcpy(m->p + sizeof(map), path, strlen(path));
        m->p += sizeof(map) + map.path_size;
        m->n++;
    }
    return 0;
}

/* The calling thread's ring. The destructor unmaps it when the thread ends. */
static pthread_key_t ring_key;

#define RING_BYTES ((size_t)sysconf(_SC_PAGESIZE) * (1 + SNRUN_RING_PAGES))

/*
 * Waits up to 40 ms until snrun has mapped the ring, before the calling thread or its image ends.
 * Otherwise the samples of a thread that ends within milliseconds of its start would be lost.
 */
static void settle(void)
{
    const char *ring = cfg.active ? pthread_getspecific(ring_key) : NULL;
    int saved = errno;

    for (int i = 0; ring && i < 200; i++) {
        if (__atomic_load_n((const uint32_t *)(ring + SNRUN_RING_TAKEN), __ATOMIC_ACQUIRE)) {
            break;
        }
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
    }
    errno = saved;
}

static void unmap_ring(void *ring)
{
    pthread_setspecific(ring_key, ring);
    settle();
    pthread_setspecific(ring_key, NULL);
    munmap(ring, RING_BYTES);
}

/* The address of snrun's socket; returns its length. */
static socklen_t snrun_address(struct sockaddr_un *to)
{
    *to = (struct sockaddr_un){ .sun_family = AF_UNIX };
    strcpy(to->sun_path + 1, cfg.socket);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(cfg.socket));
}

/* Announces the calling thread. Errno and all descriptors stay as they were. */
static void announce(enum snrun_kind kind, void *pc)
{
    static unsigned char image_maps[SNRUN_MAX_HELLO - sizeof(struct snrun_hello)];
    struct snrun_hello h = { .magic = SNRUN_MAGIC, .kind = kind };
    struct sockaddr_un to;
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(SNRUN_MAX_FDS * sizeof(int))];
    } control = { 0 };
    struct iovec part[2] = { { &h, sizeof(h) }, { NULL, 0 } };
    struct msghdr msg = { .msg_name = &to, .msg_iov = part, .msg_iovlen = 1 };
    int fd[SNRUN_MAX_FDS];
    int saved = errno;
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (s < 0) {
        errno = saved;
        return;
    }
    if (kind == SNRUN_EXEC) { /* at most once and without other threads: image_maps is free */
        struct maps m = { image_maps, image_maps + sizeof(image_maps), 0 };

        dl_iterate_phdr(add_maps, &m);
        h.nmaps = m.n;
        part[1] = (struct iovec){ image_maps, (size_t)(m.p - image_maps) };
        msg.msg_iovlen = 2;
    }
    h.pid = getpid();
    h.ppid = kind == SNRUN_THREAD ? h.pid : getppid();
    h.tid = gettid();
    h.cpu = sched_getcpu();
    if (cfg.restricted && !cfg.elsewhere) {
        h.range_from = cfg.range.start;
        h.range_bytes = cfg.range.end - cfg.range.start;
        h.range_before = cfg.range.start_off;
        h.range_after = cfg.range.end_off;
    }
    h.pc = (uintptr_t)pc;
    prctl(PR_GET_NAME, h.name);
    h.time = clock_ns();
    open_events(&h, fd);
    msg.msg_namelen = snrun_address(&to);
    if (h.nfds) {
        msg.msg_control = &control;
        msg.msg_controllen = CMSG_SPACE(h.nfds * sizeof(int));
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(h.nfds * sizeof(int));
        memcpy(CMSG_DATA(&control.head), fd, h.nfds * sizeof(int));
    }
    pthread_setspecific(ring_key, NULL); /* a child has its parent's value but not the mapping */
    /* Map the ring now: it exists as long as this mapping, or the one of snrun, does. */
    if (h.nfds) {
        void *ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd[0], 0);

        if (ring != MAP_FAILED) {
            pthread_setspecific(ring_key, ring);
        }
    }
    while (sendmsg(s, &msg, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
    for (unsigned i = 0; i < h.nfds; i++) {
        close(fd[i]);
    }
    close(s);
    errno = saved;
}

static void in_child(void)
{
    announce(SNRUN_FORK, __builtin_return_address(0));
}

__attribute__((constructor)) static void begin(void)
{
    cfg.active = configure();
    if (cfg.active && pthread_key_create(&ring_key, unmap_ring) == 0) {
        pthread_atfork(NULL, NULL, in_child);
        announce(SNRUN_EXEC, (void *)begin);
    }
}

__attribute__((destructor)) static void end(void)
{
    settle();
}

/* --- marks --- */

/* Says where the calling thread is. Errno and all descriptors stay as they were. */
static void mark(enum snt_mark what, const char *text)
{
    struct snrun_mark m = {
        .magic = SNRUN_MARK, .what = what, .pid = getpid(), .tid = gettid(), .time = clock_ns()
    };
    struct sockaddr_un to;
    socklen_t length = snrun_address(&to);
    int saved = errno;
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    strncpy(m.text, text, sizeof(m.text) - 1);
    if (s >= 0) {
        /* Nobody waits for a barrier's mark. */
        int flags = MSG_NOSIGNAL | (what == SNT_BARRIER ? MSG_DONTWAIT : 0);

        while (sendto(s, &m, sizeof(m), flags, (struct sockaddr *)&to, length) < 0 &&
               errno == EINTR) {}
        close(s);
    }
    errno = saved;
}

/* The definition of a function that comes after the one in this file. */
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    static __typeof__(pthread_barrier_wait) *next;
    static _Atomic uint64_t last; /* CLOCK_MONOTONIC_RAW of the last mark */
    int status;

    if (!next) {
        next = NEXT(pthread_barrier_wait);
    }
    status = next(barrier);
    if (status == PTHREAD_BARRIER_SERIAL_THREAD && cfg.active) {
        uint64_t now = clock_ns();

        if (now - last >= cfg.interval) {
            last = now;
            mark(SNT_BARRIER, "");
        }
    }
    return status;
}

/* Of libsnpc, which a program that calls them has. */
void sn_roi_begin(const char *name)
{
    if (cfg.active) {
        mark(SNT_REGION_BEGIN, name ? name : "");
    }
    NEXT(sn_roi_begin)(name);
}

void sn_roi_end(void)
{
    NEXT(sn_roi_end)();
    if (cfg.active) {
        mark(SNT_REGION_END, "");
    }
}

/* --- threads --- */

struct thread {
    void *(*fn)(void *);
    int (*fn_int)(void *);
    void *arg;
};

static void *thread_main(void *data)
{
    struct thread t = *(struct thread *)data;

    free(data);
    announce(SNRUN_THREAD, (void *)t.fn);
    return t.fn(t.arg);
}

static int thread_main_int(void *data)
{
    struct thread t = *(struct thread *)data;

    free(data);
    announce(SNRUN_THREAD, (void *)t.fn_int);
    return t.fn_int(t.arg);
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    struct thread *t = cfg.active ? malloc(sizeof(*t)) : NULL;
    int err;

    if (!t) {
        return NEXT(pthread_create)(id, attr, fn, arg);
    }
    *t = (struct thread){ .fn = fn, .arg = arg };
    err = NEXT(pthread_create)(id, attr, thread_main, t);
    if (err) {
        free(t);
    }
    return err;
}

int thrd_create(thrd_t *id, thrd_start_t fn, void *arg)
{
    struct thread *t = cfg.active ? malloc(sizeof(*t)) : NULL;
    int err;

    if (!t) {
        return NEXT(thrd_create)(id, fn, arg);
    }
    *t = (struct thread){ .fn_int = fn, .arg = arg };
    err = NEXT(thrd_create)(id, thread_main_int, t);
    if (err != thrd_success) {
        free(t);
    }
    return err;
}

/* --- exits that run no destructors --- */

void _exit(int status)
{
    settle();
    NEXT(_exit)(status);
    __builtin_unreachable();
}

void _Exit(int status)
{
    _exit(status);
}

/* --- exec: the wrapper goes along --- */

#define ENTRY_MAX 1024

/* Room for the two entries that keep_wrapper() may add. */
struct extra {
    char preload[ENTRY_MAX];
    char trace[sizeof(SNRUN_ENV) + sizeof(cfg.spec)];
};

static const char *find(char *const *env, const char *name)
{
    size_t n = strlen(name);

    for (; env && *env; env++) {
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=') {
            return *env + n + 1;
        }
    }
    return NULL;
}

static size_t count(char *const *v)
{
    size_t n = 0;

    while (v && v[n]) {
        n++;
    }
    return n;
}

/*
 * Copies env with the wrapper's two entries into out[count(env) + 3], or returns env itself when it
 * has them already. The caller provides the memory on its stack, because it may be a child of
 * vfork.
 */
static char *const *keep_wrapper(char *const *env, char **out, struct extra *x)
{
    const char *preload = find(env, "LD_PRELOAD"), *trace = find(env, SNRUN_ENV);
    size_t n = 0;

    settle();
    if (!cfg.active || (trace && preload && strstr(preload, SNRUN_WRAPPER)) ||
        (preload && strlen(preload) > ENTRY_MAX - sizeof("LD_PRELOAD=" SNRUN_WRAPPER " "))) {
        return env;
    }
    for (; env && *env; env++) {
        if (strncmp(*env, "LD_PRELOAD=", 11) != 0 &&
            strncmp(*env, SNRUN_ENV "=", sizeof(SNRUN_ENV)) != 0) {
            out[n++] = *env;
        }
    }
    strcpy(x->preload, "LD_PRELOAD=" SNRUN_WRAPPER);
    if (preload && *preload && !strstr(preload, SNRUN_WRAPPER)) {
        strcat(strcat(x->preload, " "), preload);
    }
    strcat(strcpy(x->trace, SNRUN_ENV "="), cfg.spec);
    out[n++] = x->preload;
    out[n++] = x->trace;
    out[n] = NULL;
    return out;
}

#define KEPT(env) \
    keep_wrapper(env, alloca((count(env) + 3) * sizeof(char *)), &(struct extra){ { 0 }, { 0 } })

int execve(const char *path, char *const argv[], char *const envp[])
{
    return NEXT(execve)(path, argv, KEPT(envp));
}

int execv(const char *path, char *const argv[])
{
    return NEXT(execve)(path, argv, KEPT(environ));
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return NEXT(execvpe)(file, argv, KEPT(envp));
}

int execvp(const char *file, char *const argv[])
{
    return NEXT(execvpe)(file, argv, KEPT(environ));
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
    return NEXT(fexecve)(fd, argv, KEPT(envp));
}

/* The arguments of execl() and its relatives, collected on the stack. */
#define GATHER(first, ap, argv)                            \
    size_t gathered = 1;                                   \
    va_start(ap, first);                                   \
    while (va_arg(ap, char *)) {                           \
        gathered++;                                        \
    }                                                      \
    va_end(ap);                                            \
    char **argv = alloca((gathered + 1) * sizeof(char *)); \
    va_start(ap, first);                                   \
    argv[0] = (char *)first;                               \
    for (size_t i = 1; i <= gathered; i++) {               \
        argv[i] = va_arg(ap, char *);                      \
    }

int execl(const char *path, const char *arg, ...)
{
    va_list ap;

    GATHER(arg, ap, argv);
    va_end(ap);
    return NEXT(execve)(path, argv, KEPT(environ));
}

int execlp(const char *file, const char *arg, ...)
{
    va_list ap;

    GATHER(arg, ap, argv);
    va_end(ap);
    return NEXT(execvpe)(file, argv, KEPT(environ));
}

int execle(const char *path, const char *arg, ...)
{
    char *const *envp;
    va_list ap;

    GATHER(arg, ap, argv);
    envp = va_arg(ap, char *const *);
    va_end(ap);
    return NEXT(execve)(path, argv, KEPT(envp));
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    return NEXT(posix_spawn)(pid, path, actions, attr, argv, KEPT(envp));
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    return NEXT(posix_spawnp)(pid, file, actions, attr, argv, KEPT(envp));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snrun: runs a program and records its threads and what they do to the machine (thesis 5.3.3).
 *
 *   snrun [OPTION...] COMMAND [ARG...]
 *
 * There are three processes. snrun itself waits for the program and passes its exit status on. The
 * program has the thread wrapper preloaded (snwrap.c). The collector samples and writes the trace
 * files (collector.c).
 *
 * Exit status: the program's; 128 + N when signal N killed it; 127 when it was not found and 126
 * when it could not be executed. Before the program starts: 1 when nothing can be measured, 2 for
 * wrong usage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector.h"
#include "../common/options.h"
#include "model.h"
#include "pmu.h"
#include "runs.h"
#include "../common/sampling.h"
#include "../common/symbols.h"

#define PMU_TYPE         "/sys/bus/event_source/devices/r10k/type"
#define DEFAULT_INTERVAL 10000000u /* ns */

/*
 * The events of --range if the command line names none: loads and stores, on an R10000 one for each
 * counter.  An R12000 does not count issued loads.
 */
static const int range_metrics[2][2] = { { SN_M_RISSLD, SN_M_RGRADST },
                                         { SN_M_RGRADLD, SN_M_RGRADST } };

enum { ID_WAIT = 1, ID_QUIET, ID_USER, ID_RANGE, ID_RUNS };

static const struct opt_row own[] = {
    { .help = "Running:" },
    { "wait", 0, NULL, "Wait for everything that the program left running, not only for itself",
      ID_WAIT },
    { "user", 'u', NULL, "Count the threads' R10000 events in user mode only", ID_USER },
    { "range", 0, "SYMBOL|ADDR:LEN",
      "Count the events only where they access that variable, or are in that function", ID_RANGE },
    { "runs", 0, NULL, "Run COMMAND once for each set of counter modes that exclude each other",
      ID_RUNS },
    { "quiet", 'q', NULL, "Print no summary of the trace files", ID_QUIET },
    { 0 },
};

static struct opt_program prog = {
    .name = "snrun",
    .usage = "[OPTION...] COMMAND [ARG...]",
    .text =
        "Runs COMMAND and samples its threads, and nodes and ports of the machine, into trace "
        "files\nthat sninfo and sndump read: COMMAND.out and COMMAND.out.snp.* for each thread.",
    .stop_at_command = true,
};

static struct sampling sampling;
/* --range */
static struct {
    const char *word;               /* the option's argument, or NULL */
    char kind;                      /* 'd' data, 'c' code; 0: nothing is restricted */
    uint64_t from, bytes;           /* address as the executable has it */
    char image[SNRUN_SPEC_MAX / 2]; /* the executable that has the symbol; "": an address */
} range;

static struct collector_setup setup = { .request = &sampling.req };

/*
 * Sorts the events into groups that the processor can count together: on an R10000 one of 0-15 and
 * one of 16-31, on an R12000 any two.
 */
static void make_groups(void)
{
    uint32_t events = sampling.req.plan.events;
    bool any_counter = model_is_later();

    do {
        unsigned g = setup.ngroups++;

        for (int half = 0; half < 2; half++) {
            uint32_t of = any_counter ? events : events & (half ? 0xffff0000u : 0xffffu);

            if (of) {
                int e = __builtin_ctz(of);

                setup.group[g].event[setup.group[g].n++] = e;
                events &= ~(1u << e);
            }
        }
    } while (events);
}

static int open_event(uint32_t type, uint64_t config, bool user_only)
{
    struct perf_event_attr a = {
        .type = type,
        .size = sizeof(a),
        .config = config,
        .disabled = 1,
        .exclude_kernel = user_only,
        .exclude_hv = 1,
    };

    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* --- --range --- */

/* Finds the file that execvp() takes for a command, and follows its links. */
static bool find_program(const char *command, char image[PATH_MAX])
{
    const char *path = getenv("PATH");
    char file[2 * PATH_MAX];

    if (strchr(command, '/')) {
        return realpath(command, image);
    }
    for (path = path ? path : "/bin:/usr/bin"; *path; path += *path == ':') {
        size_t n = strcspn(path, ":");

        snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, command);
        if (!access(file, X_OK) && realpath(file, image)) {
            return true;
        }
        path += n;
    }
    return false;
}

/* The whole text up to end as a number, decimal or hexadecimal. */
static bool number(const char *text, const char *end, uint64_t *value)
{
    char *stop;

    errno = 0;
    *value = strtoull(text, &stop, 0);
    return stop != text && stop == end && *text != '-' && !errno;
}

static void find_range(const char *command)
{
    const char *word = range.word, *colon = strchr(word, ':'), *why;
    char image[PATH_MAX];
    struct symbol s;

    if (colon && number(word, colon, &range.from) &&
        number(colon + 1, colon + strlen(colon), &range.bytes)) {
        range.kind = 'd';
        return;
    }
    if (!*word || colon || (*word >= '0' && *word <= '9')) {
        opt_usage_error(&prog, "--range: '%s' is neither a symbol nor ADDR:LEN", word);
    }
    if (!find_program(command, image)) {
        return; /* execvp() reports the error */
    }
    if (symbols_lookup(image, word, &s, &why) < 0) {
        opt_fail(&prog, "--range: %s: %s: %s", image, word, why);
    }
    if (strlen(image) >= sizeof(range.image)) {
        opt_fail(&prog, "--range: %s: the path is too long", image);
    }
    strcpy(range.image, image);
    range.kind = s.function ? 'c' : 'd';
    range.from = s.addr;
    range.bytes = s.size;
}

/* Exits where the kernel cannot count the range, as far as this shows before the image is loaded. */
static void check_range(void)
{
    struct sn_range cover;

    if (!range.kind) {
        return;
    }
    if (!range.bytes) {
        opt_fail(&prog, "--range: %s is empty", range.word);
    }
    if (sn_range_cover_kind(range.kind == 'c', range.from, range.from + range.bytes, &cover) < 0) {
        opt_fail(&prog, "--range: %s: %s", range.word,
                 errno == EINVAL ? "the range wraps" : "four pairs of registers cannot cover it");
    }
    for (unsigned g = 0; g < setup.ngroups; g++) {
        for (unsigned i = 0; i < setup.group[g].n; i++) {
            unsigned e = (unsigned)setup.group[g].event[i];
            const struct sn_range *r = &cover;
            int fd =
                sn_range_open(e, range.kind == 'd' ? r : NULL, range.kind == 'c' ? r : NULL, 0);

            if (fd < 0) {
                opt_fail(&prog,
                         errno == EOPNOTSUPP
                             ? "--range: the processors have no range monitor (origin run "
                               "--range-monitor)"
                         : errno == EINVAL
                             ? "--range: %s: not of the program's memory, or nothing for event %u"
                             : "--range: %s: event %u: %s",
                         range.word, e, strerror(errno));
            }
            close(fd);
        }
    }
}

/*
 * Opens the events for snrun itself, so that an error comes before the program runs. Users who may
 * not observe the kernel count in user mode only.
 */
static void check_events(int *pmu, bool *user_only)
{
    FILE *f = fopen(PMU_TYPE, "re");
    int clock;

    *pmu = -1;
    if (f) {
        if (fscanf(f, "%d", pmu) != 1) {
            *pmu = -1;
        }
        fclose(f);
    }
    if (sampling.req.plan.events && *pmu < 0) {
        opt_fail(&prog,
                 "the kernel has no R10000 counters (%s: %s); is the module r10k_perf loaded?",
                 PMU_TYPE, strerror(ENOENT));
    }
    *user_only = false;
    clock = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false);
    if (clock < 0 && (errno == EACCES || errno == EPERM)) {
        *user_only = true;
        clock = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true);
    }
    if (clock < 0) {
        opt_fail(&prog, "sampling of threads: %s%s", strerror(errno),
                 errno == EACCES || errno == EPERM ? " (see /proc/sys/kernel/perf_event_paranoid)"
                                                   : "");
    }
    for (unsigned g = 0; g < setup.ngroups; g++) {
        for (unsigned i = 0; i < setup.group[g].n; i++) {
            int fd = open_event((uint32_t)*pmu, (uint64_t)setup.group[g].event[i], *user_only);

            if (fd < 0) {
                opt_fail(&prog, "R10000 event %d: %s", setup.group[g].event[i], strerror(errno));
            }
            close(fd);
        }
    }
    /*
     * The clock stays open: the kernel waits for RCU when the first event of a task is opened on
     * the machine, and the program must not have to wait for that.
     */
}

/* sn_metric_needs(): a thread's metric that divides by counters of its node needs nodes. */
static void check_needs(void *ctx, int need)
{
    const char *name = ctx;

    if ((need == SN_V_LPREAD || need == SN_V_LPWBACK) && !sampling.req.nnodes) {
        opt_usage_error(&prog,
                        "--%s needs the counters of the nodes that the program runs on: add "
                        "--node",
                        name);
    }
}

static void check_request(void)
{
    const struct sn_plan *plan = &sampling.req.plan;

    sampling_check(&sampling, &prog);
    for (unsigned i = 0; i < sampling.nmetrics; i++) {
        sn_metric_needs(sampling.metrics[i], check_needs,
                        (void *)sn_metrics[sampling.metrics[i]].name);
    }
    if (sampling.req.nnodes + sampling.req.nports && plan->md_mode < 0 && plan->io_sel < 0 &&
        plan->link_mode < 0) {
        opt_usage_error(&prog, "nodes or ports are named, but no metric of theirs");
    }
    setup.interval = sampling.req.sample_ns ? sampling.req.sample_ns : DEFAULT_INTERVAL;
    /* The threads' interval may be long, but the Hub's counters must not wrap within an interval. */
    for (unsigned i = 0; i <= sampling.req.nmore; i++) {
        if (sampling.req.sample_ns >
            sn_plan_max_interval(i ? &sampling.req.more[i - 1] : plan, 0)) {
            sampling.req.sample_ns = 0;
        }
    }
}

/* The name of the trace files: --output, or the program's name and ".out". */
static const char *output_name(const char *command)
{
    const char *base = strrchr(command, '/');
    char *name;

    if (sampling.output) {
        return sampling.output;
    }
    if (asprintf(&name, "%s.out", base ? base + 1 : command) < 0) {
        opt_fail(&prog, "out of memory");
    }
    return name;
}

/* The wrappers' socket. Its name is abstract (unix(7)), so no file is left behind. */
static int make_socket(char *name, size_t size)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int on = 1, bytes = 4 << 20;

    snprintf(name, size, "snrun-%d", (int)getpid());
    strcpy(at.sun_path + 1, name);
    if (s < 0 || setsockopt(s, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0 ||
        bind(s, (struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) < 0) {
        opt_fail(&prog, "socket of the thread wrapper: %s", strerror(errno));
    }
    setsockopt(s, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
    return s;
}

static void set_environment(const char *socket_name, int pmu, int modes)
{
    const char *preload = getenv("LD_PRELOAD");
    char spec[SNRUN_SPEC_MAX], *all;
    size_t n = (size_t)snprintf(spec, sizeof(spec), "%s,%llu,%d,%d,", socket_name,
                                (unsigned long long)setup.interval, pmu, modes);

    for (unsigned g = 0; g < setup.ngroups; g++) {
        for (unsigned i = 0; i < setup.group[g].n && n < sizeof(spec); i++) {
            n += (size_t)snprintf(spec + n, sizeof(spec) - n, "%s%d",
                                  i   ? "+"
                                  : g ? "/"
                                      : "",
                                  setup.group[g].event[i]);
        }
    }
    if (range.kind) {
        snprintf(spec + n, sizeof(spec) - n, ";%c:%llx:%llx:%s", range.kind,
                 (unsigned long long)range.from, (unsigned long long)range.bytes, range.image);
    }
    if (asprintf(&all, "%s%s%s", SNRUN_WRAPPER, preload && *preload ? " " : "",
                 preload ? preload : "") < 0 ||
        setenv(SNRUN_ENV, spec, 1) < 0 || setenv("LD_PRELOAD", all, 1) < 0) {
        opt_fail(&prog, "out of memory");
    }
    free(all);
}

static volatile pid_t child; /* the program */
static bool repeats;         /* not the first run of --runs: the program's output is not wanted */

/* Passes a signal on to the program. */
static void forward(int sig)
{
    int saved = errno;

    if (child > 0) {
        kill(child, sig);
    }
    errno = saved;
}

static int wait_for_program(void)
{
    int status;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            opt_fail(&prog, "%s", strerror(errno));
        }
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Takes the options. Returns the command with its arguments. */
static char **parse(int argc, char **argv, bool *user)
{
    struct opt_state *opts;
    const char *arg;
    int id;

    sampling_init(&sampling);
    sampling.threads_too = true;
    prog.rows = sampling_rows(SN_NODE | SN_LINK | SN_THREAD, own);
    opts = opt_begin(&prog, argc, argv);
    while ((id = opt_next(opts, &arg))) {
        if (id == ID_WAIT) {
            setup.wait = true;
        } else if (id == ID_QUIET) {
            setup.quiet = true;
        } else if (id == ID_USER) {
            *user = true;
        } else if (id == ID_RANGE) {
            range.word = arg;
            *user = true;
        } else if (id == ID_RUNS) {
            sampling.runs = setup.wait = true;
        } else {
            sampling_set(&sampling, &prog, id, arg);
        }
    }
    argv += opt_index(opts);
    if (!*argv) {
        opt_usage_error(&prog, "no command to run");
    }
    if (range.word) {
        find_range(argv[0]);
        if (!sampling.req.plan.events) {
            sampling_add_metric(&sampling, range_metrics[model_is_later()][0]);
            sampling_add_metric(&sampling, range_metrics[model_is_later()][1]);
        }
        setup.range = range.word;
    }
    check_request();
    model_check(&sampling.req.plan, &prog);
    return argv;
}

/* Forks the collector and waits until it samples. False: it does not, and has said why. */
static bool start_collector(pid_t *pid, int *to_collector)
{
    struct collector_message m;
    int control[2], status;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0) {
        opt_fail(&prog, "%s", strerror(errno));
    }
    fflush(NULL);
    *pid = fork();
    if (*pid == 0) {
        close(control[0]);
        setup.control = control[1];
        sampling_bind(&sampling, &prog);
        _exit(collector(&setup));
    }
    close(control[1]);
    close(setup.socket);
    if (*pid < 0) {
        opt_fail(&prog, "%s", strerror(errno));
    }
    *to_collector = control[0];
    if (recv(control[0], &m, sizeof(m), 0) != sizeof(m) || m.what != COLLECTOR_READY) {
        waitpid(*pid, &status, 0);
        return false;
    }
    return true;
}

/* Forks the program. From then on snrun passes signals on to it. */
static void start_program(char **argv, const char *socket_name, int pmu, int modes)
{
    static const int passed[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
    struct sigaction act = { .sa_handler = forward, .sa_flags = SA_RESTART };
    struct sigaction old_int, old_quit;
    int error;

    /* The terminal sends its signals to the program itself; snrun outlives them. */
    sigaction(SIGINT, &(struct sigaction){ .sa_handler = SIG_IGN }, &old_int);
    sigaction(SIGQUIT, &(struct sigaction){ .sa_handler = SIG_IGN }, &old_quit);
    child = fork();
    if (child == 0) {
        sigaction(SIGINT, &old_int, NULL);
        sigaction(SIGQUIT, &old_quit, NULL);
        set_environment(socket_name, pmu, modes);
        if (repeats && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))) {
            _exit(126);
        }
        execvp(argv[0], argv);
        error = errno;
        fprintf(stderr, "snrun: %s: %s\n", argv[0], strerror(error));
        _exit(error == ENOENT ? 127 : 126);
    }
    if (child < 0) {
        opt_fail(&prog, "%s", strerror(errno));
    }
    for (unsigned i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        sigaction(passed[i], &act, NULL);
    }
}

/* Tells the collector that the program ended; returns when the trace files are closed, or the
 * collector goes on in the background. */
static void finish_collector(int to_collector, pid_t pid)
{
    static const char killed[] =
        "snrun: the sampling process was killed; the trace files end there\n";
    struct collector_message m = { .what = COLLECTOR_EXITED };
    ssize_t n;

    if (send(to_collector, &m, sizeof(m), MSG_NOSIGNAL) < 0) {
        fputs(killed, stderr);
        return;
    }
    do {
        do {
            n = recv(to_collector, &m, sizeof(m), 0);
        } while (n < 0 && errno == EINTR);
        if (n <= 0) {
            fputs(killed, stderr);
            return;
        }
        if (m.what == COLLECTOR_DETACHED) {
            fprintf(stderr,
                    "snrun: %u thread%s left by the program run%s on; sampling goes on in "
                    "the background (process %d)\n",
                    m.left, m.left == 1 ? "" : "s", m.left == 1 ? "s" : "", (int)pid);
        }
    } while (m.what != COLLECTOR_DONE && m.what != COLLECTOR_DETACHED);
}

static int pmu;
static bool user_only, user; /* threads are sampled, their events are counted in user mode only */

/* Runs the program once and records it. Its status. */
static int run_once(unsigned run, const char *output)
{
    char socket_name[32];
    int to_collector, status;
    pid_t pid;

    repeats = run > 0;
    setup.quiet |= repeats;
    setup.output = output;
    setup.user = user || user_only;
    setup.socket = make_socket(socket_name, sizeof(socket_name));
    if (!start_collector(&pid, &to_collector)) {
        return 1;
    }
    start_program((char **)setup.command, socket_name, pmu,
                  user_only ? SNRUN_CLOCK_USER | SNRUN_EVENTS_USER
                  : user    ? SNRUN_EVENTS_USER
                            : 0);
    status = wait_for_program();
    finish_collector(to_collector, pid);
    return status;
}

int main(int argc, char **argv)
{
    const char *output;

    argv = parse(argc, argv, &user);
    make_groups();
    check_events(&pmu, &user_only);
    check_range();
    output = output_name(argv[0]);
    setup.command = argv;
    return sampling.runs && sampling.req.nmore
               ? runs_all(&sampling.req, output, setup.quiet, run_once)
               : run_once(0, output);
}

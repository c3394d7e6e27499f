// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The conversation with QEMU: one command at a time, each answered at a point of machine time at which
 * QEMU's main loop runs.  Asking changes nothing in the machine, however often and however late.
 * Interface: monitor.h.
 *
 * A picture is made as often as somebody watches and QEMU answers, at most every PERIOD seconds.  If the
 * run is profiled, the profile so far is reported now and then (findings.h).
 */
#include "monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "signals.h"

#define PERIOD    0.25
#define BEAT      5.0         /* seconds after which streams are woken without news */
#define LEAVE     2.0         /* seconds that QEMU has to end when the launcher has died */
#define LINE_MOST (64u << 20) /* of an answer; a picture of the largest machine has 300 KB */

struct monitor {
    struct store *s;
    const struct monitor_news *news;
    struct findings *findings; /* NULL: there is no profile */
    int qmp, console;
    bool gone;           /* QEMU has closed the monitor */
    bool running;        /* not paused */
    bool due;            /* a picture, as soon as possible */
    bool moved[STORIES]; /* the machine did something since this was told */
    double begin, last, beat;
    char *line; /* from QEMU, not complete yet */
    size_t n, room;
    json_t *answer; /* to the command under way */
    char *text;     /* of the picture before, to tell whether there is anything new */
    bool text_running;
    uint64_t text_console, text_told[STORIES];
};

static volatile sig_atomic_t stopped; /* the launcher has died, or somebody ended the view */
static sigset_t mask_term;            /* lets SIGTERM in */

static void on_term(int sig)
{
    (void)sig;
    stopped = 1;
}

/* The caller has blocked SIGTERM: only a wait lets it in, so none is missed. */
static void listen_for_term(void)
{
    struct sigaction sa = { .sa_handler = on_term };

    sigemptyset(&sa.sa_mask);
    sigaction(SIGTERM, &sa, NULL);
    sigprocmask(SIG_BLOCK, NULL, &mask_term);
    sigdelset(&mask_term, SIGTERM);
}

/* --- what QEMU says --- */

static void event(struct monitor *m, const char *name)
{
    if (!strcmp(name, "STOP") || !strcmp(name, "RESUME")) {
        m->running = !strcmp(name, "RESUME");
        m->due = true;
    }
}

static void said(struct monitor *m, const char *line, size_t n)
{
    json_t *o = json_loadb(line, n, 0, NULL);
    const char *name = json_string_value(json_object_get(o, "event"));

    if (name) {
        event(m, name);
    } else if (json_object_get(o, "return") || json_object_get(o, "error")) {
        json_decref(m->answer);
        m->answer = o;
        return;
    }
    json_decref(o); /* an event, or the greeting */
}

static void hear(struct monitor *m)
{
    ssize_t n;
    char *end;

    if (m->n + 65536 > m->room) {
        char *more = m->room < LINE_MOST ? realloc(m->line, 2 * m->room + 131072) : NULL;

        if (!more) {
            m->gone = true;
            return;
        }
        m->line = more;
        m->room = 2 * m->room + 131072;
    }
    n = read(m->qmp, m->line + m->n, 65536);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        m->gone = true;
        return;
    }
    m->n += (size_t)n;
    while ((end = memchr(m->line, '\n', m->n))) {
        size_t len = (size_t)(end - m->line);

        said(m, m->line, len);
        m->n -= len + 1;
        memmove(m->line, end + 1, m->n);
    }
}

static void hear_console(struct monitor *m)
{
    char buf[65536];
    ssize_t n = read(m->console, buf, sizeof(buf));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(m->console);
        m->console = -1;
        return;
    }
    store_console(m->s, buf, (size_t)n);
}

static void hear_findings(struct monitor *m)
{
    enum story of;
    size_t n;
    char *text = findings_hear(m->findings, now(), &of, &n);

    if (text) {
        store_tell(m->s, of, text, n);
        m->due = true;
    }
}

/* Wait for anything, at most @seconds (negative: for ever); @bell: for questions, too. */
static void wait_some(struct monitor *m, double seconds, bool bell)
{
    struct pollfd p[4] = {
        { m->qmp, POLLIN, 0 },
        { m->console, POLLIN, 0 },
        { bell ? store_bell(m->s) : -1, POLLIN, 0 },
        { findings_fd(m->findings), POLLIN, 0 },
    };

    struct timespec t = { .tv_sec = (time_t)fmax(0, seconds) };

    t.tv_nsec = (long)(fmax(0, seconds - (double)t.tv_sec) * 1e9);
    if (ppoll(p, 4, seconds < 0 ? NULL : &t, &mask_term) <= 0)
        return;
    if (p[0].revents)
        hear(m);
    if (p[1].revents)
        hear_console(m);
    if (p[2].revents)
        store_quiet(m->s);
    if (p[3].revents)
        hear_findings(m);
}

/* --- what we say --- */

/* Give a command, whose object is taken over, and wait.  The answer is @m's; NULL: QEMU is gone. */
static json_t *command(struct monitor *m, json_t *o)
{
    char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;
    size_t n = line ? strlen(line) : 0;

    json_decref(o);
    json_decref(m->answer);
    m->answer = NULL;
    for (size_t at = 0; line && at < n && !m->gone;) {
        ssize_t done = write(m->qmp, line + at, n - at);

        if (done > 0)
            at += (size_t)done;
        else if (errno != EINTR)
            m->gone = true;
    }
    if (!line)
        m->gone = true;
    free(line);
    while (!m->answer && !m->gone)
        wait_some(m, -1, false);
    return m->answer;
}

static json_t *simple(struct monitor *m, const char *name)
{
    return command(m, json_pack("{s:s}", "execute", name));
}

static json_t *get(struct monitor *m, const char *property)
{
    return command(m, json_pack("{s:s, s:{s:s, s:s}}", "execute", "qom-get", "arguments", "path",
                                "/machine", "property", property));
}

static json_t *set(struct monitor *m, const char *property, json_t *value)
{
    return command(m, json_pack("{s:s, s:{s:s, s:s, s:o}}", "execute", "qom-set", "arguments",
                                "path", "/machine", "property", property, "value", value));
}

/* --- pictures --- */

static void publish(struct monitor *m, const char *text)
{
    uint64_t printed = store_console_end(m->s);
    uint64_t told[STORIES] = { store_told(m->s, STORY_FINDINGS), store_told(m->s, STORY_LIFE) };
    char *frame;
    int n;

    bool same = m->text && !strcmp(m->text, text);

    for (int of = 0; of < STORIES; of++)
        m->moved[of] |= !same;
    if (same && m->text_running == m->running && m->text_console == printed &&
        !memcmp(m->text_told, told, sizeof(told)))
        return;
    free(m->text);
    m->text = strdup(text);
    m->text_running = m->running;
    m->text_console = printed;
    memcpy(m->text_told, told, sizeof(told));
    n = asprintf(&frame,
                 "event: picture\ndata: {\"running\":%s,\"host\":%.6f,\"console\":%" PRIu64
                 ",\"findings\":%" PRIu64 ",\"life\":%" PRIu64 ",\"picture\":%s}\n\n",
                 m->running ? "true" : "false", now() - m->begin, printed, told[STORY_FINDINGS],
                 told[STORY_LIFE], text);
    if (n < 0)
        return;
    store_publish(m->s, frame, (size_t)n);
    free(frame);
    m->news->picture(m->news->opaque);
}

static void make_picture(struct monitor *m)
{
    const char *text;

    m->due = false;
    m->last = now();
    text = json_string_value(json_object_get(get(m, "picture"), "return"));
    if (text)
        publish(m, text);
}

/* --- findings --- */

/* QEMU writes the profile so far, or the life of lines, and a report of it begins. */
static void make_profile(struct monitor *m, enum story of)
{
    static const char *const property[STORIES] = { "profile-now", "profile-life" };
    double asked = now();

    /* The profile has the life, too. */
    m->moved[STORY_LIFE] = false;
    m->moved[of] = false;
    set(m, property[of], json_string(findings_dir(m->findings)));
    if (!m->gone)
        findings_report(m->findings, of, asked, now(), false);
}

/* Host seconds until the next one is due; INFINITY: none is. */
static double profile_due(const struct monitor *m, enum story of)
{
    return m->findings && m->moved[of] ? findings_due(m->findings, of, now()) : INFINITY;
}

/* QEMU is gone and has written the whole profile. */
static void last_profile(struct monitor *m)
{
    while (m->console >= 0 && !stopped) /* the launcher closes it when QEMU has ended */
        wait_some(m, -1, false);
    while (findings_fd(m->findings) >= 0 && !stopped)
        wait_some(m, -1, false);
    if (!stopped)
        findings_report(m->findings, STORY_FINDINGS, now(), now(), true);
    while (findings_fd(m->findings) >= 0 && !stopped)
        wait_some(m, -1, false);
}

/* QEMU dies with the launcher.  Until then it may write files of a profile, which are to be removed. */
static void see_it_die(struct monitor *m)
{
    double until = now() + LEAVE;

    while (!m->gone && now() < until)
        wait_some(m, until - now(), false);
}

/* --- questions --- */

/* {"error": TEXT}, as text; NULL when there is no memory. */
static char *refusal(const char *why)
{
    json_t *o = json_pack("{s:s}", "error", why);
    char *text = o ? json_dumps(o, JSON_ENSURE_ASCII) : NULL;

    json_decref(o);
    return text;
}

/* The status for an answer of QEMU's; *@text becomes what to say. */
static int judge(json_t *answer, char **text)
{
    const char *why = json_string_value(json_object_get(json_object_get(answer, "error"), "desc"));
    const char *good = json_string_value(json_object_get(answer, "return"));

    *text = NULL;
    if (!answer) {
        *text = refusal("the machine has ended");
        return 503;
    }
    if (why) {
        *text = refusal(why);
        return 400;
    }
    *text = strdup(good ? good : "{}");
    return 200;
}

/* Let the machine run for @ns of its time, then pause. */
static json_t *step(struct monitor *m, uint64_t ns)
{
    json_t *o = set(m, "pause-after", json_integer((json_int_t)ns));

    return !o || json_object_get(o, "error") ? o : simple(m, "cont");
}

static json_t *look(struct monitor *m, const char *property, uint64_t address)
{
    json_t *o = set(m, "line-address", json_integer((json_int_t)address));

    return !o || json_object_get(o, "error") ? o : get(m, property);
}

static void answer(struct monitor *m, struct question *q)
{
    json_t *o = NULL;
    char *text;
    int status;

    switch (q->ask) {
    case ASK_LINE:
        o = look(m, "line", q->number);
        break;
    case ASK_PAGE:
        o = look(m, "page", q->number);
        break;
    case ASK_PAUSE:
        o = simple(m, "stop");
        break;
    case ASK_CONTINUE:
        o = simple(m, "cont");
        break;
    case ASK_STEP:
        o = step(m, q->number);
        break;
    }
    status = judge(o, &text);
    m->news->answer(m->news->opaque, store_answer(m->s, q, status, text));
}

/* --- the loop --- */

static void begin(struct monitor *m)
{
    json_t *o;

    simple(m, "qmp_capabilities");
    o = json_object_get(simple(m, "query-status"), "return");
    m->running = json_is_true(json_object_get(o, "running"));
}

static void turn(struct monitor *m)
{
    struct question *q;
    double next = m->last + PERIOD - now(),
           due[STORIES] = { profile_due(m, STORY_FINDINGS), profile_due(m, STORY_LIFE) };
    bool watched = store_watchers(m->s) > 0;

    if (watched && (m->due || next <= 0))
        make_picture(m);
    else if (watched && due[STORY_FINDINGS] <= 0)
        make_profile(m, STORY_FINDINGS);
    else if (watched && due[STORY_LIFE] <= 0)
        make_profile(m, STORY_LIFE);
    else
        wait_some(m, watched ? fmin(next, fmin(due[STORY_FINDINGS], due[STORY_LIFE])) : -1, true);
    if (now() >= m->beat + BEAT) {
        m->beat = now();
        m->news->picture(m->news->opaque);
    }
    while ((q = store_question(m->s)))
        answer(m, q);
}

bool monitor_run(struct store *s, int qmp, int console, struct findings *f,
                 const struct monitor_news *news)
{
    struct monitor m = { .s = s, .news = news, .findings = f, .qmp = qmp, .console = console };

    m.begin = m.beat = now();
    m.last = m.begin - PERIOD;
    listen_for_term();
    begin(&m);
    while (!m.gone && !stopped)
        turn(&m);
    if (stopped)
        see_it_die(&m);
    close(m.qmp);
    m.qmp = -1;
    m.gone = true;
    if (f && store_watchers(s) > 0)
        last_profile(&m);
    store_end(s);
    for (struct question *q; (q = store_question(s));)
        answer(&m, q);
    news->picture(news->opaque);
    if (m.console >= 0)
        close(m.console);
    json_decref(m.answer);
    free(m.line);
    free(m.text);
    return !stopped;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The web server of a view.  Interface: server.h.
 *
 *   GET  /KEY/               the page
 *   GET  /KEY/pictures       server-sent events: "picture" with JSON, at last "end"
 *   GET  /KEY/findings       what the profile says so far, JSON; 404 as long as it says nothing
 *   GET  /KEY/life           the same of followed lines alone, which comes more often
 *   GET  /KEY/console?from=N the console's output from byte N on; X-Origin-From says where it begins
 *   GET  /KEY/line?address=A directory state and holders of a line
 *   GET  /KEY/page?address=A reference counters of a page
 *   POST /KEY/pause, continue, step?ns=N
 *
 * All else gets a status and one line.  No request may have a body, so the size of one does not
 * matter.  A connection holds at most one picture; one that does not read is closed.
 *
 * Any user of the host can connect.  Who has not shown the key is a stranger.  There is room for
 * a number of them: when one more comes, the one that has been there for longest is closed.  So
 * strangers cannot keep out those who have the key.
 */
#include "server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A browser uses one connection for the stream and some more for questions. */
#define CONNECTIONS  128
#define STRANGERS    32
#define IDLE_SECONDS 15u /* a connection that neither reads nor writes is closed */
#define BEAT_SECONDS 5   /* a stream without news shows that it is alive */
#define CHUNK        65536
/* After the end of the streams, browsers ask for the last output of the console. */
#define LAST_WORDS_US 200000
/* Browsers have so long to read the findings of the whole run.  Unit: 10 ms. */
#define LAST_FINDINGS 1000
#define ADDRESS_MOST  ((1ull << 40) - 1)
#define STEP_MOST     1000000000000000ull /* ns; eleven days */

/* A connection.  The lists belong to the thread of the daemon. */
struct peer {
    struct peer *next, **self; /* among the strangers, or NULL */
    int fd;
};

struct server {
    struct MHD_Daemon *daemon;
    struct peer *strangers, **last; /* the oldest first */
    unsigned int nstrangers;
    struct store *store;
    const char *key, *page;
    char host[2][32]; /* values of Host that are ours */
    pthread_mutex_t lock;
    struct stream *streams; /* lock */
};

/* An answer that is a stream of pictures.  The list, and asleep, belong to the server's lock. */
struct stream {
    struct stream *next, **self;
    struct server *v;
    struct MHD_Connection *connection;
    struct picture *picture; /* being sent; NULL: none */
    size_t at;
    uint64_t seen;
    time_t beat;
    bool asleep, said_end;
};

/* --- strangers --- */

static void leave_strangers(struct server *v, struct peer *p)
{
    if (!p || !p->self)
        return;
    *p->self = p->next;
    if (p->next)
        p->next->self = p->self;
    else
        v->last = p->self;
    p->self = NULL;
    v->nstrangers--;
}

static void connection(void *opaque, struct MHD_Connection *c, void **context,
                       enum MHD_ConnectionNotificationCode what)
{
    struct server *v = opaque;
    struct peer *p = *context;

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        leave_strangers(v, p);
        free(p);
        return;
    }
    p = calloc(1, sizeof(*p));
    *context = p;
    if (!p)
        return;
    p->fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    p->self = v->last;
    *v->last = p;
    v->last = &p->next;
    if (++v->nstrangers > STRANGERS) {
        shutdown(v->strangers->fd, SHUT_RDWR);
        leave_strangers(v, v->strangers);
    }
}

/* --- plain answers --- */

static enum MHD_Result send_response(struct MHD_Connection *c, unsigned int status,
                                     struct MHD_Response *r, const char *type)
{
    enum MHD_Result done;

    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "X-Frame-Options", "DENY");
    done = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *why)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(strlen(why), (void *)why, MHD_RESPMEM_PERSISTENT);

    if (r)
        MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
    return send_response(c, status, r, "text/plain");
}

static enum MHD_Result send_page(struct server *v, struct MHD_Connection *c)
{
    return send_response(
        c, MHD_HTTP_OK,
        MHD_create_response_from_buffer(strlen(v->page), (void *)v->page, MHD_RESPMEM_PERSISTENT),
        "text/html; charset=utf-8");
}

/* The number that argument @name has, decimal or 0x..., from 0 to @most. */
static bool number(struct MHD_Connection *c, const char *name, uint64_t most, uint64_t *value)
{
    const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
    char *end;
    bool hex = text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

    if (!text || strlen(text) > 20 || (hex ? !text[2] : *text < '0' || *text > '9'))
        return false;
    if (hex && strspn(text + 2, "0123456789abcdefABCDEF") != strlen(text + 2))
        return false;
    *value = strtoull(text, &end, hex ? 16 : 10);
    return !*end && *value <= most;
}

static enum MHD_Result send_console(struct server *v, struct MHD_Connection *c)
{
    struct MHD_Response *r;
    uint64_t from;
    char *buf, first[24];
    size_t n;

    if (!number(c, "from", UINT64_MAX, &from))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "from: not a number\n");
    buf = malloc(CHUNK);
    if (!buf)
        return MHD_NO;
    n = store_console_read(v->store, &from, buf, CHUNK);
    r = MHD_create_response_from_buffer(n, buf, MHD_RESPMEM_MUST_FREE);
    if (!r) {
        free(buf);
        return MHD_NO;
    }
    snprintf(first, sizeof(first), "%llu", (unsigned long long)from);
    MHD_add_response_header(r, "X-Origin-From", first);
    return send_response(c, MHD_HTTP_OK, r, "text/plain; charset=utf-8");
}

static void finding_read(void *opaque)
{
    store_finding_read(opaque);
}

static enum MHD_Result send_finding(struct server *v, struct MHD_Connection *c, enum story of)
{
    struct finding *f = store_finding(v->store, of);
    struct MHD_Response *r;

    if (!f)
        return refuse(c, MHD_HTTP_NOT_FOUND, "no findings\n");
    r = MHD_create_response_from_buffer_with_free_callback_cls(f->n, f->text, finding_read, f);
    if (!r)
        finding_read(f);
    return send_response(c, MHD_HTTP_OK, r, "application/json");
}

/* --- streams --- */

/* Something for @buf out of the stream: part of a picture, the end, or a sign of life. */
static ssize_t stream_some(struct stream *t, char *buf, size_t most)
{
    size_t n;

    if (!t->picture) {
        t->picture = store_take(t->v->store, t->seen);
        t->at = 0;
    }
    if (t->picture) {
        n = t->picture->n - t->at < most ? t->picture->n - t->at : most;
        memcpy(buf, t->picture->text + t->at, n);
        t->at += n;
        t->seen = t->picture->number;
        if (t->at == t->picture->n) {
            store_give_back(t->v->store, t->picture);
            t->picture = NULL;
        }
    } else if (store_ended(t->v->store)) {
        static const char end[] = "event: end\ndata: {}\n\n";

        if (t->said_end || most < sizeof(end))
            return MHD_CONTENT_READER_END_OF_STREAM;
        t->said_end = true;
        n = sizeof(end) - 1;
        memcpy(buf, end, n);
    } else if (time(NULL) >= t->beat + BEAT_SECONDS && most > 3) {
        n = 3;
        memcpy(buf, ":\n\n", n);
    } else {
        return 0;
    }
    t->beat = time(NULL);
    return (ssize_t)n;
}

static ssize_t stream_read(void *opaque, uint64_t at, char *buf, size_t most)
{
    struct stream *t = opaque;
    ssize_t n;

    (void)at;
    pthread_mutex_lock(&t->v->lock);
    n = stream_some(t, buf, most);
    if (n == 0) {
        t->asleep = true;
        MHD_suspend_connection(t->connection);
    }
    pthread_mutex_unlock(&t->v->lock);
    return n;
}

static void stream_free(void *opaque)
{
    struct stream *t = opaque;

    pthread_mutex_lock(&t->v->lock);
    *t->self = t->next;
    if (t->next)
        t->next->self = t->self;
    pthread_mutex_unlock(&t->v->lock);
    if (t->picture)
        store_give_back(t->v->store, t->picture);
    store_watch(t->v->store, -1);
    free(t);
}

static enum MHD_Result send_stream(struct server *v, struct MHD_Connection *c)
{
    struct stream *t = calloc(1, sizeof(*t));
    struct MHD_Response *r;

    if (!t)
        return MHD_NO;
    *t = (struct stream){ .v = v, .connection = c, .beat = time(NULL) };
    r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CHUNK, stream_read, t, stream_free);
    if (!r) {
        free(t);
        return MHD_NO;
    }
    pthread_mutex_lock(&v->lock);
    t->next = v->streams;
    t->self = &v->streams;
    if (t->next)
        t->next->self = &t->next;
    v->streams = t;
    pthread_mutex_unlock(&v->lock);
    store_watch(v->store, 1);
    return send_response(c, MHD_HTTP_OK, r, "text/event-stream");
}

/* --- questions --- */

static enum MHD_Result ask(struct server *v, struct MHD_Connection *c, enum ask what, void **ctx)
{
    struct question *q;
    uint64_t value = 0;

    if (what == ASK_STEP && (!number(c, "ns", STEP_MOST, &value) || value == 0))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "ns: not a number of nanoseconds\n");
    if ((what == ASK_LINE || what == ASK_PAGE) && !number(c, "address", ADDRESS_MOST, &value))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "address: not a physical address of 40 bits\n");
    q = calloc(1, sizeof(*q));
    if (!q)
        return MHD_NO;
    q->ask = what;
    q->number = value;
    q->whose = c;
    *ctx = q;
    MHD_suspend_connection(c);
    store_ask(v->store, q);
    return MHD_YES;
}

static enum MHD_Result send_answer(struct MHD_Connection *c, struct question *q)
{
    char *text = q->answer;

    q->answer = NULL;
    if (!text)
        return MHD_NO;
    return send_response(c, (unsigned int)q->status,
                         MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE),
                         "application/json");
}

/* --- requests --- */

enum what { PAGE, PICTURES, FINDINGS, LIFE, CONSOLE, QUESTION };

static const struct route {
    const char *path, *method;
    enum what what;
    enum ask ask;
} routes[] = {
    { "", MHD_HTTP_METHOD_GET, PAGE, 0 },
    { "pictures", MHD_HTTP_METHOD_GET, PICTURES, 0 },
    { "findings", MHD_HTTP_METHOD_GET, FINDINGS, 0 },
    { "life", MHD_HTTP_METHOD_GET, LIFE, 0 },
    { "console", MHD_HTTP_METHOD_GET, CONSOLE, 0 },
    { "line", MHD_HTTP_METHOD_GET, QUESTION, ASK_LINE },
    { "page", MHD_HTTP_METHOD_GET, QUESTION, ASK_PAGE },
    { "pause", MHD_HTTP_METHOD_POST, QUESTION, ASK_PAUSE },
    { "continue", MHD_HTTP_METHOD_POST, QUESTION, ASK_CONTINUE },
    { "step", MHD_HTTP_METHOD_POST, QUESTION, ASK_STEP },
};

/* The rest of @url behind the key, or NULL.  How long that takes does not depend on the key. */
static const char *behind_key(const struct server *v, const char *url)
{
    unsigned char differs = 0;

    if (strlen(url) < KEY_CHARS + 2 || url[0] != '/' || url[KEY_CHARS + 1] != '/')
        return NULL;
    for (int i = 0; i < KEY_CHARS; i++)
        differs |= (unsigned char)(url[i + 1] ^ v->key[i]);
    return differs ? NULL : url + KEY_CHARS + 2;
}

static bool has_body(struct MHD_Connection *c)
{
    const char *length =
        MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

    return (length && strcmp(length, "0")) ||
           MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/* A page of another host may not speak to us by a name that it lets point here. */
static bool our_host(const struct server *v, struct MHD_Connection *c)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

    return host && (!strcmp(host, v->host[0]) || !strcmp(host, v->host[1]));
}

/* The headers are there. */
static enum MHD_Result begin(struct server *v, struct MHD_Connection *c, const char *url,
                             const char *method, void **ctx)
{
    const char *path = behind_key(v, url);
    const struct route *r = NULL;

    if (path)
        leave_strangers(
            v, MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
    if (has_body(c))
        return refuse(c, MHD_HTTP_CONTENT_TOO_LARGE, "no request has a body here\n");
    for (size_t i = 0; path && i < sizeof(routes) / sizeof(routes[0]); i++)
        if (!strcmp(routes[i].path, path))
            r = &routes[i];
    if (!r || !our_host(v, c))
        return refuse(c, MHD_HTTP_NOT_FOUND, "not found\n");
    if (strcmp(r->method, method))
        return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "not allowed\n");
    switch (r->what) {
    case PAGE:
        return send_page(v, c);
    case PICTURES:
        return send_stream(v, c);
    case FINDINGS:
        return send_finding(v, c, STORY_FINDINGS);
    case LIFE:
        return send_finding(v, c, STORY_LIFE);
    case CONSOLE:
        return send_console(v, c);
    case QUESTION:
        return ask(v, c, r->ask, ctx);
    }
    return MHD_NO;
}

static enum MHD_Result handle(void *opaque, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **ctx)
{
    struct server *v = opaque;
    struct question *q = *ctx;

    (void)version;
    (void)data;
    if (!q)
        return begin(v, c, url, method, ctx);
    if (*size)
        return MHD_NO;
    return store_answered(v->store, q) ? send_answer(c, q) : MHD_YES;
}

static void completed(void *opaque, struct MHD_Connection *c, void **ctx,
                      enum MHD_RequestTerminationCode why)
{
    struct question *q = *ctx;

    (void)opaque;
    (void)c;
    (void)why;
    if (q)
        free(q->answer);
    free(q);
    *ctx = NULL;
}

static void silent(void *opaque, const char *fmt, va_list ap)
{
    (void)opaque;
    (void)fmt;
    (void)ap;
}

/* --- from the monitor's thread --- */

void server_picture(struct server *v)
{
    pthread_mutex_lock(&v->lock);
    for (struct stream *t = v->streams; t; t = t->next) {
        if (t->asleep) {
            t->asleep = false;
            MHD_resume_connection(t->connection);
        }
    }
    pthread_mutex_unlock(&v->lock);
}

void server_answer(struct server *v, void *whose)
{
    (void)v;
    MHD_resume_connection(whose);
}

void server_finish(struct server *v, double seconds)
{
    bool watched = store_watched_end(v->store);

    for (int i = 0; i < (int)(seconds * 100) && store_watchers(v->store) > 0; i++)
        usleep(10000);
    if (watched)
        usleep(LAST_WORDS_US);
    for (int i = 0; watched && i < LAST_FINDINGS && !store_heard(v->store); i++)
        usleep(10000);
}

struct server *server_start(int listener, unsigned int port, const char *key, const char *page,
                            struct store *s)
{
    struct server *v = calloc(1, sizeof(*v));

    if (!v)
        return NULL;
    v->last = &v->strangers;
    v->store = s;
    v->key = key;
    v->page = page;
    pthread_mutex_init(&v->lock, NULL);
    snprintf(v->host[0], sizeof(v->host[0]), "127.0.0.1:%u", port);
    snprintf(v->host[1], sizeof(v->host[1]), "localhost:%u", port);
    v->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        handle, v, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_EXTERNAL_LOGGER, silent, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, connection, v,
        MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
        MHD_OPTION_END);
    if (!v->daemon) {
        free(v);
        return NULL;
    }
    return v;
}

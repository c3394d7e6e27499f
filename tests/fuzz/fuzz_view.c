/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzer of the view's web server (libFuzzer): the input is what a connection sends.  All questions
 * are answered at once.  A key is known, so that mutations get past it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "view/server.h"

#define KEY "0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct store *store;
static struct server *server;
static struct sockaddr_un addr;
static socklen_t addr_len;

/* Not TCP: a host has 28,000 ports for connections that have ended within a minute. */
static void start(void)
{
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    signal(SIGPIPE, SIG_IGN);
    addr.sun_family = AF_UNIX;
    snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1, "fuzz_view.%d", (int)getpid());
    addr_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(addr.sun_path + 1));
    store = store_new();
    if (listener < 0 || bind(listener, (struct sockaddr *)&addr, addr_len) ||
        listen(listener, 16) || !store ||
        !(server = server_start(listener, 80, KEY, "<html></html>", store)))
        abort();
    store_publish(store, "event: picture\ndata: {}\n\n", 25);
    store_console(store, "console\n", 8);
    store_tell(store, STORY_FINDINGS, strdup("{}"), 2);
}

static void answer_all(void)
{
    struct question *q;

    while ((q = store_question(store)))
        server_answer(server, store_answer(store, q, 200, strdup("{}")));
}

/* Whether a request ends in it.  libmicrohttpd waits for the rest of one that does not. */
static bool whole(const uint8_t *data, size_t size)
{
    return memmem(data, size, "\r\n\r\n", 4) || memmem(data, size, "\n\n", 2);
}

/* The connection's answer within MS.  A stream has no end, so its reader goes. */
static void take_answer(int fd, int ms)
{
    struct pollfd p[2] = { { .fd = fd, .events = POLLIN },
                           { .fd = store_bell(store), .events = POLLIN } };
    static char buf[1 << 17];
    size_t n = 0;

    while (poll(p, 2, ms) > 0) {
        ssize_t got;

        if (p[1].revents) {
            store_quiet(store);
            answer_all();
        }
        if (!p[0].revents)
            continue;
        got = recv(fd, buf + n, sizeof(buf) - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        if (memmem(buf, n, "text/event-stream", 17))
            break;
        if (n == sizeof(buf))
            n = 0;
    }
    if (n >= 4 && memcmp(buf, "HTTP", 4) != 0 && n < sizeof(buf))
        abort(); /* what is no answer */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd, rc;

    if (!server)
        start();
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    do {
        rc = connect(fd, (struct sockaddr *)&addr, addr_len);
    } while (rc && errno == EINTR); /* libFuzzer's clock, while the server has a full queue */
    if (rc)
        abort();
    if (send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size)
        shutdown(fd, SHUT_WR);
    take_answer(fd, whole(data, size) ? 1000 : 1);
    close(fd);
    /* The monitor wakes streams all the time.  One that sleeps would not see that its reader is gone. */
    server_picture(server);
    return 0;
}

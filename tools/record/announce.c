/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives announcements of new threads; see announce.h. */
#define _GNU_SOURCE
#include "announce.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

void announcements_init(struct announcements *a)
{
    a->first = NULL;
    a->last = &a->first;
    a->mark = NULL;
    a->last_mark = &a->mark;
}

size_t announcement_ring_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE) * (1 + SNRUN_RING_PAGES);
}

unsigned announcement_leader(const struct collector_setup *c, unsigned group)
{
    unsigned k = 0;

    for (unsigned g = 0; g < group; g++) {
        k += 1 + c->group[g].n;
    }
    return k;
}

static void take_ring(struct announcement *a, const struct collector_setup *c)
{
    a->ring = MAP_FAILED;
    if (a->h.error || a->h.nfds != a->nfds || a->nfds != announcement_leader(c, c->ngroups)) {
        return;
    }
    a->ring =
        mmap(NULL, announcement_ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, a->fd[0], 0);
    a->error = a->ring == MAP_FAILED ? errno : 0;
    for (unsigned g = 0; g < c->ngroups && !a->error; g++) {
        int fd = a->fd[announcement_leader(c, g)];

        if (ioctl(fd, PERF_EVENT_IOC_ID, &a->id[g]) < 0 ||
            (g && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, a->fd[0]) < 0)) {
            a->error = errno;
        }
    }
    if (a->ring != MAP_FAILED) {
        __atomic_store_n((uint32_t *)((char *)a->ring + SNRUN_RING_TAKEN), 1, __ATOMIC_RELEASE);
    }
}

/* False: out of memory. */
static bool append(struct announcements *a, struct session *s, const struct snrun_hello *h,
                   const void *maps, size_t bytes, const int *fd, unsigned nfds)
{
    struct announcement *p = calloc(1, sizeof(*p) + bytes);

    if (!p) {
        session_error(s, "a thread", "out of memory");
        return false;
    }
    p->h = *h;
    p->bytes = bytes;
    memcpy(p->maps, maps, bytes);
    p->nfds = nfds;
    memcpy(p->fd, fd, nfds * sizeof(*fd));
    take_ring(p, s->setup);
    *a->last = p;
    a->last = &p->next;
    return true;
}

/* One that does not fit into memory is lost; samples are what counts. */
static void append_mark(struct announcements *a, const struct snrun_mark *m)
{
    struct marked *p = malloc(sizeof(*p));

    if (p) {
        p->next = NULL;
        p->m = *m;
        p->m.text[sizeof(p->m.text) - 1] = 0;
        *a->last_mark = p;
        a->last_mark = &p->next;
    }
}

/* The descriptors and the sender's credentials that came with a message. */
static unsigned take_control(struct msghdr *msg, int *fd, struct ucred *who)
{
    unsigned nfds = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
            nfds = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            memcpy(fd, CMSG_DATA(c), nfds * sizeof(int));
        } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
            memcpy(who, CMSG_DATA(c), sizeof(*who));
        }
    }
    return nfds;
}

void announcements_receive(struct announcements *a, struct session *s)
{
    static union {
        struct snrun_hello h;
        struct snrun_mark mark;
        unsigned char bytes[SNRUN_MAX_HELLO];
    } in;

    for (;;) {
        union {
            struct cmsghdr head;
            char space[CMSG_SPACE(SNRUN_MAX_FDS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
        } control;
        struct iovec part = { &in, sizeof(in) };
        struct msghdr msg = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = &control,
                              .msg_controllen = sizeof(control) };
        ssize_t n = recvmsg(s->setup->socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        int fd[SNRUN_MAX_FDS];
        struct ucred who = { .uid = (uid_t)-1 };
        unsigned nfds;

        if (n < 0) {
            return;
        }
        nfds = take_control(&msg, fd, &who);
        /* An abstract name has no permissions: messages count only from ourselves and root. */
        bool ours = who.uid == geteuid() || who.uid == 0 || geteuid() == 0;

        if (ours && (size_t)n == sizeof(in.mark) && in.mark.magic == SNRUN_MARK && !nfds) {
            append_mark(a, &in.mark);
            continue;
        }
        if (!ours || (size_t)n < sizeof(in.h) || in.h.magic != SNRUN_MAGIC) {
            while (nfds) {
                close(fd[--nfds]);
            }
            continue;
        }
        if (!append(a, s, &in.h, in.bytes + sizeof(in.h), (size_t)n - sizeof(in.h), fd, nfds)) {
            return;
        }
    }
}

struct announcement *announcements_take(struct announcements *a)
{
    struct announcement *p = a->first;

    if (p) {
        a->first = p->next;
        if (!a->first) {
            a->last = &a->first;
        }
    }
    return p;
}

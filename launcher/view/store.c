// SPDX-License-Identifier: GPL-2.0-or-later
/* What the threads of a view share.  Interface: store.h. */
#include "store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct store {
    pthread_mutex_t lock; /* guards all below */
    int bell;
    bool ended;
    struct picture *newest;           /* NULL: none yet */
    uint64_t pictures;                /* made so far */
    struct finding *finding[STORIES]; /* the newest; NULL: none yet */
    uint64_t told, heard;             /* numbers of the newest, and of the newest that was read */
    int watchers;
    bool watched_end;               /* somebody watched when the machine ended */
    struct question *first, **last; /* not taken yet */
    uint64_t printed;               /* bytes of the console */
    char console[STORE_CONSOLE];    /* byte i of the console is at i % STORE_CONSOLE */
};

/* Hold the lock to the end of the block. */
#define LOCKED(s)                                                        \
    pthread_mutex_t *held __attribute__((cleanup(unlock))) = &(s)->lock; \
    pthread_mutex_lock(held)

static void unlock(pthread_mutex_t **held)
{
    pthread_mutex_unlock(*held);
}

struct store *store_new(void)
{
    struct store *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->bell < 0 || pthread_mutex_init(&s->lock, NULL)) {
        free(s);
        return NULL;
    }
    s->last = &s->first;
    return s;
}

int store_bell(const struct store *s)
{
    return s->bell;
}

static void ring(struct store *s)
{
    uint64_t one = 1;
    ssize_t n = write(s->bell, &one, sizeof(one));

    (void)n; /* it fails only when the bell rings already */
}

void store_quiet(struct store *s)
{
    uint64_t rings;
    ssize_t n = read(s->bell, &rings, sizeof(rings));

    (void)n;
}

void store_end(struct store *s)
{
    LOCKED(s);
    s->ended = true;
    s->watched_end = s->watchers > 0;
}

bool store_ended(struct store *s)
{
    LOCKED(s);
    return s->ended;
}

/* --- pictures --- */

static void drop(struct picture *p)
{
    if (p && --p->users == 0)
        free(p);
}

void store_publish(struct store *s, const char *text, size_t n)
{
    struct picture *p = malloc(sizeof(*p) + n);

    if (!p)
        return; /* the next one may fit */
    memcpy(p->text, text, n);
    p->n = n;
    p->users = 1;
    LOCKED(s);
    p->number = ++s->pictures;
    drop(s->newest);
    s->newest = p;
}

struct picture *store_take(struct store *s, uint64_t seen)
{
    struct picture *p;

    LOCKED(s);
    p = s->newest && s->newest->number > seen ? s->newest : NULL;
    if (p)
        p->users++;
    return p;
}

void store_give_back(struct store *s, struct picture *p)
{
    LOCKED(s);
    drop(p);
}

void store_watch(struct store *s, int more)
{
    LOCKED(s);
    s->watchers += more;
    if (more > 0)
        ring(s);
}

int store_watchers(struct store *s)
{
    LOCKED(s);
    return s->watchers;
}

bool store_watched_end(struct store *s)
{
    LOCKED(s);
    return s->watched_end;
}

/* --- findings --- */

static void forget(struct finding *f)
{
    if (f && --f->users == 0) {
        free(f->text);
        free(f);
    }
}

void store_tell(struct store *s, enum story of, char *text, size_t n)
{
    struct finding *f = calloc(1, sizeof(*f));

    if (!f) {
        free(text);
        return;
    }
    *f = (struct finding){ .store = s, .users = 1, .n = n, .text = text };
    LOCKED(s);
    f->number = ++s->told;
    forget(s->finding[of]);
    s->finding[of] = f;
}

static uint64_t newest(const struct store *s, enum story of)
{
    return s->finding[of] ? s->finding[of]->number : 0;
}

uint64_t store_told(struct store *s, enum story of)
{
    LOCKED(s);
    return newest(s, of);
}

struct finding *store_finding(struct store *s, enum story of)
{
    struct finding *f;

    LOCKED(s);
    f = s->finding[of];
    if (f) {
        f->users++;
        f->asked_at_end |= s->ended;
    }
    return f;
}

void store_finding_read(struct finding *f)
{
    struct store *s = f->store;

    LOCKED(s);
    if (f->asked_at_end && f->number > s->heard)
        s->heard = f->number;
    forget(f);
}

bool store_heard(struct store *s)
{
    LOCKED(s);
    return s->heard >= newest(s, STORY_FINDINGS);
}

/* --- the console --- */

void store_console(struct store *s, const char *p, size_t n)
{
    LOCKED(s);
    for (size_t i = 0; i < n; i++)
        s->console[(s->printed + i) % STORE_CONSOLE] = p[i];
    s->printed += n;
}

uint64_t store_console_end(struct store *s)
{
    LOCKED(s);
    return s->printed;
}

size_t store_console_read(struct store *s, uint64_t *from, char *buf, size_t room)
{
    size_t n;

    LOCKED(s);
    if (*from > s->printed)
        *from = s->printed;
    if (s->printed - *from > STORE_CONSOLE)
        *from = s->printed - STORE_CONSOLE;
    n = s->printed - *from < room ? (size_t)(s->printed - *from) : room;
    for (size_t i = 0; i < n; i++)
        buf[i] = s->console[(*from + i) % STORE_CONSOLE];
    return n;
}

/* --- questions --- */

void store_ask(struct store *s, struct question *q)
{
    LOCKED(s);
    q->next = NULL;
    *s->last = q;
    s->last = &q->next;
    ring(s);
}

struct question *store_question(struct store *s)
{
    struct question *q;

    LOCKED(s);
    q = s->first;
    if (q) {
        s->first = q->next;
        if (!s->first)
            s->last = &s->first;
    }
    return q;
}

void *store_answer(struct store *s, struct question *q, int status, char *answer)
{
    LOCKED(s);
    q->status = status;
    q->answer = answer;
    return q->whose;
}

bool store_answered(struct store *s, const struct question *q)
{
    LOCKED(s);
    return q->status != 0;
}

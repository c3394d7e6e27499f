/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two threads of a view share: the monitor's puts in what QEMU says, the web server's takes
 * it out and leaves questions.  All functions may be called from both.
 *
 * A picture is one event of a stream of server-sent events.  Only the newest is kept, so that a
 * reader that is slow misses pictures and holds at most one old one.
 */
#ifndef LAUNCHER_VIEW_STORE_H
#define LAUNCHER_VIEW_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/* NULL when the host has no memory or no descriptor. */
struct store *store_new(void);

/* Readable when there is a question or a new watcher; store_quiet() ends that. */
int store_bell(const struct store *s);
void store_quiet(struct store *s);

/* The machine has ended: there will be nothing new. */
void store_end(struct store *s);
bool store_ended(struct store *s);

/* --- pictures --- */

struct picture {
    uint64_t number; /* from 1 */
    size_t n;
    unsigned int users;
    char text[];
};

/* Make @n bytes the newest picture. */
void store_publish(struct store *s, const char *text, size_t n);
/* The newest picture if its number is beyond @seen, else NULL.  Give it back. */
struct picture *store_take(struct store *s, uint64_t seen);
void store_give_back(struct store *s, struct picture *p);

/* How many streams there are.  Without any, no picture is made. */
void store_watch(struct store *s, int more);
int store_watchers(struct store *s);
/* Was there any when the machine ended?  Browsers that have got the end close their streams. */
bool store_watched_end(struct store *s);

/* --- findings: what the profile says so far, and the life of followed lines alone, JSON --- */

enum story { STORY_FINDINGS, STORY_LIFE, STORIES };

/* Takes over @text as the newest. */
void store_tell(struct store *s, enum story of, char *text, size_t n);
/* The number of the newest; 0: there is none. */
uint64_t store_told(struct store *s, enum story of);
/* The newest; NULL: none yet.  Give it back, and say that it was read. */
struct finding *store_finding(struct store *s, enum story of);
void store_finding_read(struct finding *f);
/* Has somebody asked for the newest findings after the end, and read them?  Also true if there are none. */
bool store_heard(struct store *s);

struct finding {
    struct store *store;
    uint64_t number; /* from 1; those of both kinds are counted together */
    unsigned int users;
    bool asked_at_end; /* a browser that knows the end has asked for it */
    size_t n;
    char *text;
};

/* --- the console: the last bytes of what it printed --- */

#define STORE_CONSOLE 262144

void store_console(struct store *s, const char *p, size_t n);
/* Bytes that the console has printed. */
uint64_t store_console_end(struct store *s);
/*
 * Copy what it printed from byte *@from on, at most @room bytes, and return how many.  If that is
 * gone already, *@from becomes the first byte that is still known.
 */
size_t store_console_read(struct store *s, uint64_t *from, char *buf, size_t room);

/* --- questions --- */

enum ask { ASK_LINE, ASK_PAGE, ASK_PAUSE, ASK_CONTINUE, ASK_STEP };

struct question {
    enum ask ask;
    uint64_t number; /* ASK_LINE, ASK_PAGE: the address; ASK_STEP: ns */
    void *whose;     /* the connection that waits */
    int status;      /* of HTTP; 0: not answered yet */
    char *answer;    /* JSON text; NULL: none */
    struct question *next;
};

/* The question stays the caller's, who frees it and its answer once it is answered. */
void store_ask(struct store *s, struct question *q);
/* The oldest question that nobody has taken; NULL: none. */
struct question *store_question(struct store *s);
/* Takes over @answer.  Tells whose the question was. */
void *store_answer(struct store *s, struct question *q, int status, char *answer);
bool store_answered(struct store *s, const struct question *q);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a phase comes to the threads that run it, and back (rounds/offer.h).  Threads run CPUs whose
 * data are plain memory, as mp-workers.c does: own ones, those of lists, and single ones that the
 * first thread hands over.  They sleep after a few looks, so that many waits end in sleep.
 * ThreadSanitizer watches the data: each of them must have been passed on.  A thread that sleeps for
 * ever would end the test by its timeout.
 */
/* sanitizer: thread */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "rounds/offer.h"

#define THREADS 4
#define CPUS    24
#define PHASES  20000
#define NOBODY  THREADS

static struct cpu {
    unsigned ran;  /* how often */
    unsigned seen; /* `now` when it ran last */
    unsigned home; /* the thread on whose stack it stands */
} cpu[CPUS];

static struct worker {
    struct rd_offer offer;
    unsigned own[CPUS], nown, list[CPUS], nlist;
    struct cpu *handed;
    unsigned wrong;  /* CPUs that another thread had to run */
    unsigned sleeps; /* how often it slept */
    pthread_t thread;
} __attribute__((aligned(64))) worker[THREADS];

static struct rd_ended ended;
static unsigned phase, now;
static bool over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;

static unsigned draw(unsigned *seed)
{
    *seed = *seed * 1103515245 + 12345;
    return *seed >> 16;
}

static void run_cpu(struct worker *self, struct cpu *c)
{
    unsigned me = (unsigned)(self - worker);

    self->wrong += c->home != NOBODY && c->home != me;
    c->ran++;
    c->seen = now;
    c->home = (c->ran * 7 + now) % 3 ? me : NOBODY;
}

/* Run what is offered: mp_work() */
static void work(struct worker *self, uint64_t word)
{
    unsigned done = 0;

    if (rd_offer_has_own(word) && self->handed) {
        run_cpu(self, self->handed);
        self->handed = NULL;
        done = 1;
    } else {
        if (rd_offer_has_own(word))
            for (; self->nown; done++)
                run_cpu(self, &cpu[self->own[--self->nown]]);
        for (unsigned k = 0; k < THREADS; k++) {
            struct worker *w = &worker[((unsigned)(self - worker) + k) % THREADS];

            for (int i; (i = rd_offer_take(&w->offer, word)) >= 0; done++)
                run_cpu(self, &cpu[w->list[i]]);
        }
    }
    if (done && rd_ended_add(&ended, done)) {
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&end);
        pthread_mutex_unlock(&lock);
    }
}

static uint64_t await_phase(struct worker *self, uint64_t last, unsigned looks)
{
    uint64_t word;

    while (looks--)
        if (rd_offer_differs(word = rd_offer_read(&self->offer), last))
            return word;
    self->sleeps++;
    pthread_mutex_lock(&lock);
    rd_sleeps(&self->offer.asleep, true);
    while (!rd_offer_differs(word = rd_offer_read(&self->offer), last))
        pthread_cond_wait(&wake, &lock);
    rd_sleeps(&self->offer.asleep, false);
    pthread_mutex_unlock(&lock);
    return word;
}

static void *thread_fn(void *opaque)
{
    struct worker *self = opaque;
    unsigned seed = (unsigned)(self - worker);
    uint64_t word = 0;

    while (true) {
        word = await_phase(self, word, draw(&seed) % 64);
        /* The last offer is of something that only this thread can do: to end. */
        if (rd_offer_has_own(word) && over)
            return NULL;
        work(self, word);
    }
}

static void wake_up(bool asleep)
{
    if (asleep) {
        pthread_mutex_lock(&lock);
        pthread_cond_broadcast(&wake);
        pthread_mutex_unlock(&lock);
    }
}

static void await_end(unsigned n, unsigned looks)
{
    while (looks--)
        if (rd_ended_reached(&ended, n))
            return;
    worker[0].sleeps++;
    pthread_mutex_lock(&lock);
    rd_sleeps(&ended.asleep, true);
    while (!rd_ended_reached(&ended, n))
        pthread_cond_wait(&end, &lock);
    rd_sleeps(&ended.asleep, false);
    pthread_mutex_unlock(&lock);
}

static void begin(void)
{
    rd_ended_begin(&ended);
    phase++;
    now++;
}

/* A phase of the CPUs of @set */
static void spread(unsigned set, unsigned looks)
{
    unsigned n = (unsigned)__builtin_popcount(set);
    bool asleep = false;

    begin();
    for (unsigned i = 0; i < CPUS; i++) {
        struct worker *w = &worker[cpu[i].home == NOBODY ? i % THREADS : cpu[i].home];

        if (!(set >> i & 1))
            continue;
        if (cpu[i].home == NOBODY)
            w->list[w->nlist++] = i;
        else
            w->own[w->nown++] = i;
    }
    for (unsigned k = 0; k < THREADS; k++) {
        struct worker *w = &worker[k];
        unsigned nlist = w->nlist;

        w->nlist = 0;
        asleep |= rd_offer(&w->offer, phase, w->nown, nlist);
    }
    wake_up(asleep);
    work(&worker[0], rd_offer_read(&worker[0].offer));
    await_end(n, looks);
}

/* Let CPU @i run alone: in its own thread if it stands there */
static void alone(unsigned i, unsigned looks)
{
    struct worker *w = &worker[cpu[i].home];

    begin();
    if (cpu[i].home == NOBODY || cpu[i].home == 0) {
        run_cpu(&worker[0], &cpu[i]);
        return;
    }
    w->handed = &cpu[i];
    wake_up(rd_offer(&w->offer, phase, true, 0));
    await_end(1, looks);
}

static void test_phases(void **state)
{
    unsigned seed = 1, bad = 0, want[CPUS] = { 0 };

    (void)state;
    for (unsigned i = 0; i < CPUS; i++)
        cpu[i].home = NOBODY;
    for (unsigned k = 1; k < THREADS; k++)
        assert_int_equal(pthread_create(&worker[k].thread, NULL, thread_fn, &worker[k]), 0);
    for (unsigned p = 0; p < PHASES; p++) {
        unsigned set = 1u << draw(&seed) % CPUS;

        if (draw(&seed) % 2) {
            alone((unsigned)__builtin_ctz(set), draw(&seed) % 256);
        } else {
            set |= (draw(&seed) | draw(&seed) << 12) & ((1u << CPUS) - 1);
            spread(set, draw(&seed) % 256);
        }
        for (unsigned i = 0; i < CPUS; i++) {
            want[i] += set >> i & 1;
            bad += cpu[i].ran != want[i] || ((set >> i & 1) && cpu[i].seen != now);
        }
    }
    over = true;
    begin();
    for (unsigned k = 1; k < THREADS; k++)
        wake_up(rd_offer(&worker[k].offer, phase, true, 0));
    for (unsigned k = 1; k < THREADS; k++)
        pthread_join(worker[k].thread, NULL);
    assert_int_equal(bad, 0);
    for (unsigned k = 0; k < THREADS; k++) {
        assert_int_equal(worker[k].wrong, 0);
        /* Else nothing is known of the words that sleepers use. */
        assert_true(worker[k].sleeps > 0);
    }
}

/* The three parts of a word do not touch each other, and a late thread takes nothing. */
static void test_word(void **state)
{
    struct rd_offer o = { 0 };
    uint64_t word;

    (void)state;
    assert_false(rd_offer(&o, UINT32_MAX, true, 1024));
    word = rd_offer_read(&o);
    assert_true(rd_offer_has_own(word) && rd_offer_differs(word, 0));
    for (int i = 0; i < 1024; i++)
        assert_int_equal(rd_offer_take(&o, word), i);
    for (int i = 0; i < 1024; i++)
        assert_int_equal(rd_offer_take(&o, word), -1);
    assert_false(rd_offer_differs(rd_offer_read(&o), word));
    rd_sleeps(&o.asleep, true);
    assert_true(rd_offer(&o, 0, false, 1));
    assert_false(rd_offer_has_own(rd_offer_read(&o)));
    assert_true(rd_offer_differs(rd_offer_read(&o), word));
    assert_int_equal(rd_offer_take(&o, word), -1); /* of the phase before */
    word = rd_offer_read(&o);
    assert_int_equal(rd_offer_take(&o, word), 0);
    assert_int_equal(rd_offer_take(&o, word), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_word),
        cmocka_unit_test(test_phases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

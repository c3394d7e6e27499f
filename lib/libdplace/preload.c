// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdplace: a program that dplace(1) runs.  The library is preloaded, does what the environment
 * says before main() runs, and sends threads to their memories as they are made.  Thread 0 is
 * main()'s.  An error ends the program with a message and exit status 1.
 *
 *   DPLACE_VERSION     set: dplace(1) runs the program
 *   DPLACE_FILE        placement file
 *   DPLACE_PAGESIZE    "data=N stack=N text=N"
 *   DPLACE_MIGRATION   off, on, or a threshold in percent
 *   DPLACE_MUSTRUN     set: threads stay on one processor
 *   DPLACE_VERBOSE     set: say what is done, on standard error
 *   DPLACE_PROPAGATE   set: children are placed too
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dplace.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "place.h"
#include "text.h"

static void __attribute__((noreturn)) die(void)
{
    fprintf(stderr, "dplace: %s\n", dplace_error());
    exit(1);
}

/* start_thread() frees it. */
struct start {
    void *(*run)(void *);
    void *arg;
    int thread;
};

static void *start_thread(void *arg)
{
    struct start s = *(struct start *)arg;

    free(arg);
    dpl_thread_starts(s.thread);
    if (dpl_failed())
        die();
    return s.run(s.arg);
}

/* The C library's pthread_create(), with threads numbered from 1 and placed as they start. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static atomic_int made = 1;
    struct start *s;
    int err;

    if (!create)
        *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    if (!dpl_threads())
        return create(thread, attr, run, arg);
    s = malloc(sizeof(*s));
    if (!s)
        return EAGAIN;
    *s = (struct start){ run, arg, atomic_fetch_add(&made, 1) };
    err = create(thread, attr, start_thread, s);
    if (err)
        free(s);
    return err;
}

static void set_page_sizes(const char *sizes)
{
    static const struct {
        const char *name;
        mem_type_t type;
    } part[] = {
        { "data=", MEM_DATA },
        { "stack=", MEM_STACK },
        { "text=", MEM_TEXT },
    };
    size_t i;

    for (i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        const char *p = strstr(sizes, part[i].name);

        if (p)
            dpl_page_size(part[i].type, strtoul(p + strlen(part[i].name), NULL, 10));
    }
}

static void __attribute__((constructor)) begin(void)
{
    const char *file = getenv("DPLACE_FILE"), *how = getenv("DPLACE_MIGRATION"),
               *sizes = getenv("DPLACE_PAGESIZE");

    if (!getenv("DPLACE_VERSION"))
        return;
    dpl_begin("");
    dpl_set_verbose(getenv("DPLACE_VERBOSE"));
    dpl_set_must_run(getenv("DPLACE_MUSTRUN"));
    if (sizes)
        set_page_sizes(sizes);
    if (how && !dpl_failed())
        dpl_migration(how);
    if (dpl_failed() || (file && dplace_file((char *)file)))
        die();
    if (!getenv("DPLACE_PROPAGATE")) {
        unsetenv("LD_PRELOAD");
        unsetenv("DPLACE_VERSION");
    }
}

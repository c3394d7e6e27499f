/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutants: deliberately broken protocols that the checkers must catch.  Most
 * change a row of the engine's tables (compiled here with SN_TABLE empty);
 * the others change a rule outside the tables and are recognised by name in
 * the checker.
 */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include <stdbool.h>
#include <string.h>

static inline bool mutant_is(const char *mutant, const char *name)
{
    return *mutant && !strcmp(mutant, name);
}

/* Name and what is broken; 0, or -1 for an unknown name. */
#define MUTANTS(X)                                                            \
    X("no-inval", "RDEX of a shared line invalidates nobody")                 \
    X("no-ack-wait", "RDEX completes before the acknowledgements")            \
    X("no-intervention", "READ of an owned line is answered from memory")     \
    X("wb-lost", "a write-back that crosses an intervention answers nobody")  \
    X("no-wait-state", "new owner's early write-back makes the line unowned") \
    X("no-shwb", "a modified owner becomes a sharer without updating memory") \
    X("owner-keeps", "a clean owner keeps its copy after IRDEX")              \
    X("upgrade-lost", "an upgrade uses a copy that was lost on the way")      \
    X("no-hold", "an intervention overtakes the owner's own request")         \
    X("no-inv-mark", "an INVAL that overtakes a shared reply is forgotten")   \
    X("one-cpu-inval", "INVAL reaches only one processor of a node")          \
    X("late-is-done", "a write buffer does not wait for the intervention")    \
    X("rdsh-keeps-owner", "RDSH by the owner leaves the line exclusive")      \
    X("requestor-forgotten", "a downgrade records only the old owner")        \
    X("no-retry", "a refused request is not repeated")                        \
    X("binv-lost", "a backoff invalidation is not sent by the requestor")     \
    X("brdex-dropped", "a backoff intervention is not sent by the requestor")

/* A wrong partial order reduction, which the explorer's -c must catch. */
#define MUTANT_REDUCTION "eager-refusal"

int mutate(const char *name);

/* The rows of a file instead of the home's; 0, or -1 and a line on standard error. */
int replace_rows(const char *path);
/* The words of `origin run --what` that change the protocol; 0, or -1 and a line there. */
int vary_rows(const char *words);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of virtual remedies (remedy.h). The launcher reads its option by them. */
#ifndef SN_REMEDY_KINDS_H
#define SN_REMEDY_KINDS_H

#define SN_REMEDY_MOST 256 /* remedies at a time */

#define SN_REMEDY_ONE 1024u /* what a miss costs without one */

/*
 * The name, what follows the object in the launcher's options, and what it does.
 * "-": an option has another name for it.
 */
/* clang-format off */
#define SN_REMEDY_LIST(X)                                                      \
    X(FREE,        "free",        ":FACTOR",  "misses cost a part of their time") \
    X(FREE_CODE,   "free-code",   "-",        "those of instructions at these addresses do") \
    X(FREE_CAUSE,  "free-cause",  "-",        "those of causes of these numbers do") \
    X(PAD,         "pad",         ":GRANULE", "each granule has lines of its own") \
    X(PLACE,       "place",       " NODE",    "its pages are on this node")    \
    X(FIRST_TOUCH, "first-touch", "-",        "its pages are where they are first used") \
    X(SPREAD,      "interleave",  "",         "its pages are on all nodes in turn") \
    X(COLOUR,      "colour",      "",         "its pages have colours in turn") \
    X(PREFETCH,    "prefetch",    ":LINES",   "an access asks for a line further on") \
    X(PRIVATE,     "private",     "",         "each thread has a copy of its own") \
    X(REPLICATE,   "replicate",   "",         "each node has a copy until it is written") \
    X(HUGE,        "huge",        "",         "TLB refills of it take no time, and leave no trace")
/* clang-format on */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of virtual remedies (remedy.h). The launcher reads its option by them. */
#ifndef SN_REMEDY_KINDS_H
#define SN_REMEDY_KINDS_H

#define SN_REMEDY_MOST 256 /* remedies at a time */

/* The name in options, what follows the object there, and what it does */
/* clang-format off */
#define SN_REMEDY_LIST(X)                                                      \
    X(FREE,      "free",      "",         "accesses cost nothing")             \
    X(PAD,       "pad",       ":GRANULE", "each granule has lines of its own") \
    X(PLACE,     "place",     " NODE",    "its pages are on this node")        \
    X(SPREAD,    "interleave", "",        "its pages are on all nodes in turn") \
    X(COLOUR,    "colour",    "",         "its pages have colours in turn")    \
    X(PRIVATE,   "private",   "",         "each thread has a copy of its own")  \
    X(REPLICATE, "replicate", "",         "each node has a copy until it is written")
/* clang-format on */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the code at an address is, and how tables name it. */
#ifndef LAUNCHER_PROFILE_CODE_H
#define LAUNCHER_PROFILE_CODE_H

#include <stdint.h>

#include "image.h"

#define FRAMES 8 /* inlined functions at one place, itself included */

struct code {
    const char *function; /* the symbol; "[exception]" and the like; "0xADDRESS" in @image */
    const char *image;    /* the file's name in the guest, "[kernel]", "[module snpc]", "?" */
    const char *file;     /* of the program's own line (resolver_new); NULL: not known */
    int line;
    int own; /* the frame of that line; those before it are of a library */
    int frames;
    struct frame frame[FRAMES]; /* innermost first */
    struct image *of;           /* that has the frames; NULL: none */
    uint64_t at;                /* the code's address in it */
};

/* " through std::swap(), HEADER:204": the innermost function of a library there; "": none.  Free it. */
char *code_through(const struct code *c);

/* The function of the program's own line. */
const char *code_function(const struct code *c);

/* "prog.c:12", without directories, or "image+0x123"; for tables. */
char *code_place(const struct code *c);

/* "prog.c:12 in run()", for text; "libc.so.6" of code without a symbol.  Free it. */
char *code_spot(const struct code *c);

/* A function's name for text: "set<...>::find", long template arguments left out.  Free it. */
char *name_short(const char *name);

/* Is @name called @asked, which may be short? */
bool name_is(const char *name, const char *asked);

/* The same of frame @i.  Free it. */
char *frame_place(const struct code *c, int i);
const char *frame_function(const struct code *c, int i);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that are nearly one that does not exist: what a message suggests. */
#ifndef LAUNCHER_NEAR_H
#define LAUNCHER_NEAR_H

#define NEAR_MOST 3

struct near {
    const char *wanted;
    unsigned int n;
    struct {
        const char *name;
        unsigned int distance; /* letters to insert, delete or replace; capitals do not count */
    } best[NEAR_MOST];         /* the nearest one first */
    char text[256];
};

/* Look at @name, which must stay valid, for the struct near @p, which begins as { .wanted = NAME }. */
void near_see(void *p, const char *name);

/* The end of the message: ": did you mean a, b or c?", or nothing.  It is in @near. */
const char *near_text(struct near *near);

#endif

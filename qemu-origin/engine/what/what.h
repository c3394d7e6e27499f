/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hypothetical machines: values of a machine that its description does not say,
 * or that no Origin had.  `origin run --what KEY=VALUE` and the property `what` of
 * a description have them; what.h.inc has the keys.
 *
 *   sn_what_set()     puts one KEY=VALUE into a description
 *   sn_what_check()   afterwards: do the values go together?
 *   sn_what_rows()    all keys, for documents
 *
 * What a description can say becomes part of the description: L2=8M is the same
 * machine as one that was described with it.  All other keys leave the machine
 * that the thesis measured.  They are listed in desc.what.keys, and who prints
 * figures says so.  The engine reads the values once, when a machine is made.
 */
#ifndef SN_WHAT_H
#define SN_WHAT_H

#include <stddef.h>

#include "fabric/desc.h"

/*
 * What all outputs with figures of such a machine say before desc.what.keys; `h` is
 * "h" or "H".  launcher/hypothetical.py has it for programs in Python.
 */
#define SN_WHAT_MARK(h) h "ypothetical, not validated: "

/*
 * `text` is one KEY=VALUE or several with commas between them.  0, or -1 with one
 * line in err.  All boards must have been read.
 */
int sn_what_set(struct sn_desc *d, const char *text, char *err, size_t errlen);
/* 0, or -1 with one line in err. */
int sn_what_check(const struct sn_desc *d, char *err, size_t errlen);

struct sn_what_row {
    char key[24];
    const char *value, *changes, *help;
    char range[40]; /* as documents print it */
};
/* Row i in *row.  False: there are no more. */
bool sn_what_rows(unsigned i, struct sn_what_row *row);

#endif

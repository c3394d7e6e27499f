/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `origin whatif` can try: the problems of a profile whose remedy the model can be made to believe in.
 */
#ifndef LAUNCHER_PROFILE_REMEDIES_H
#define LAUNCHER_PROFILE_REMEDIES_H

#include "tally.h"

/*
 * A line for each of the first @top problems, with tabs between its fields: what the report estimates to save
 * and what the problem costs, in us; object; problem; the change of the source; the line of code; values of
 * --remedy with a ; between them, none if the model has no such remedy; the object's addresses.
 */
void export_remedies(const struct tally *t, int top);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings and numbers as JSON has them, for the programs that print JSON: tools of the guest, and the
 * host's reports. Punctuation is the programs' own.
 */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include <stdio.h>

/*
 * Prints s to f as a JSON string, quotes included. UTF-8 is printed as \uXXXX escapes of its
 * characters. A byte that is no UTF-8 becomes \u00XX, so that the output is valid whatever s holds.
 * `<`, `>` and `&` are escaped: the string can stand inside an HTML script element and never ends it.
 */
void json_string(FILE *f, const char *s);

/*
 * Prints v with six significant digits, whole numbers below 1e15 with all of theirs; null if it is
 * not a number or infinite.
 */
void json_number(FILE *f, double v);

#endif

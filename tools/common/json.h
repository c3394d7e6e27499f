/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings as JSON has them, for the tools that print JSON. Numbers and punctuation are the
 * tools' own.
 */
#ifndef TOOLS_COMMON_JSON_H
#define TOOLS_COMMON_JSON_H

#include <stdio.h>

/*
 * Prints s to f as a JSON string, quotes included. A byte beyond ASCII becomes \u00XX, so that
 * the output is valid whatever encoding s has.
 */
void json_string(FILE *f, const char *s);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strings and numbers as JSON has them. See json.h.
 */
#include "json.h"

#include <math.h>
#include <string.h>

/*
 * The character that begins at s, and in *bytes how many bytes it has. A byte that does not begin a
 * character in its shortest form counts as a character of its own.
 */
static unsigned long character(const unsigned char *s, int *bytes)
{
    static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    int n = s[0] >= 0xf8 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 1;
    unsigned long c = n == 1 ? s[0] : s[0] & (0x7fu >> n);

    *bytes = 1;
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return s[0];
        }
        c = c << 6 | (s[i] & 0x3f);
    }
    if (n > 1 && (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))) {
        return s[0];
    }
    *bytes = n;
    return c;
}

void json_string(FILE *f, const char *s)
{
    int bytes;

    putc('"', f);
    for (; *s; s += bytes) {
        unsigned long c = character((const unsigned char *)s, &bytes);

        if (c >= 0x10000) {
            c -= 0x10000;
            fprintf(f, "\\u%04lx\\u%04lx", 0xd800 | c >> 10, 0xdc00 | (c & 0x3ff));
        } else if (c == '"' || c == '\\') {
            fprintf(f, "\\%c", (int)c);
        } else if (c < 0x20 || c >= 0x7f || strchr("<>&", (int)c)) {
            fprintf(f, "\\u%04lx", c);
        } else {
            putc((int)c, f);
        }
    }
    putc('"', f);
}

void json_number(FILE *f, double v)
{
    if (isnan(v) || isinf(v)) {
        fputs("null", f);
    } else if (fabs(v) < 1e15 && v == floor(v)) {
        fprintf(f, "%.0f", v);
    } else {
        fprintf(f, "%.6g", v);
    }
}

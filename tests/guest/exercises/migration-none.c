// SPDX-License-Identifier: GPL-2.0-or-later
/* points: 1 0 3 0 */
#include "migration.h"

void move_pages_here(char *memory, const int uses[], int pages)
{
    (void)memory;
    (void)uses;
    (void)pages;
}

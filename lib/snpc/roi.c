// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Marks of regions of interest.  Interface: sn_roi.h; docs/regions.md has the instruction.
 *
 * A compiler for the MIPS IV does not know the hints, so the instruction is a word: PREF hint,
 * 0($4).  $4 is the first argument's register in each ABI.
 */
#include "sn_roi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_BEGIN 26
#define MARK_END   27
#define MARK_TEXT  28
#define TEXT_MAX   4096

/* PREF: major opcode 0x33, base, hint, offset */
#define PREF(hint) (0x33u << 26 | 4u << 21 | (hint) << 16)

/*
 * A forked future may have lines for the program: "env NAME=VALUE", "sh COMMAND".  Elsewhere no
 * text comes, and this is a store and an instruction that does nothing.
 */
static void follow_text(void)
{
    static char block[TEXT_MAX] __attribute__((aligned(TEXT_MAX)));
    register char *at __asm__("$4") = block;
    char *line, *rest;

    __asm__ volatile("sb $0, 0(%0)\n\t.word %1" ::"r"(at), "i"(PREF(MARK_TEXT)) : "memory");
    for (line = strtok_r(block, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!strncmp(line, "env ", 4))
            putenv(strdup(line + 4));
        else if (!strncmp(line, "sh ", 3) && system(line + 3) < 0)
            perror("sn_roi_begin: sh");
    }
}

void sn_roi_begin(const char *name)
{
    /* One block, so that one page has the name; a load puts the page into the TLB. */
    char block[SN_ROI_NAME_MAX + 1] __attribute__((aligned(SN_ROI_NAME_MAX + 1)));
    register const char *at __asm__("$4") = block;

    strncpy(block, name ? name : "", sizeof(block) - 1);
    block[sizeof(block) - 1] = '\0';
    __asm__ volatile("lb $0, 0(%0)\n\t.word %1" ::"r"(at), "i"(PREF(MARK_BEGIN)) : "memory");
    follow_text();
}

void sn_roi_end(void)
{
    register const char *at __asm__("$4") = NULL;

    __asm__ volatile(".word %1" ::"r"(at), "i"(PREF(MARK_END)) : "memory");
}

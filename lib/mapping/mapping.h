/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which mapping an address was in at a time. Answers any number of questions together, in time
 * proportional to (mappings + questions) * log(mappings): a file is not trusted to have few.
 * Knows nothing of files and symbols.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collate_image;

/*
 * From `time` on, size bytes from addr on show the image from offset on. One that would reach
 * beyond the address space ends before its last byte.
 */
struct mapping {
    uint64_t time, addr, size, offset; /* ns of the Hub's clock, bytes */
    struct collate_image *image;
    bool exec; /* not a mapping but an exec: all earlier mappings end here */
};

struct mapping_question {
    uint64_t time, addr;
    const struct mapping **answer; /* set to null if the address was in no mapping */
};

/*
 * Sorts the questions by time and answers them. A mapping replaces what earlier ones showed at its
 * addresses; of two with the same time, the one that stands later in the list is the later one.
 * False: no memory.
 */
bool mapping_answer(const struct mapping *map, size_t nmaps, struct mapping_question *q, size_t n);

#endif

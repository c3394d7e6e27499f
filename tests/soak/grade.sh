#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# origin grade gives the points that solutions deserve (docs/teaching): those of tests/guest/exercises, right ones and wrong ones, and the files that
# students begin with. tests/guest/t_grade.sh has two of the exercises.
# timeout: 3600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest/exercises/graded.inc"
for file in "$solutions"/*.[ct]*; do
    graded "${file##*/}"
done
for exercise in latency first-touch false-sharing locks prefetch migration counters row; do
    begun "$exercise"
done
finish

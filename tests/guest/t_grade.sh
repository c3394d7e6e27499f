#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# origin grade: what it refuses, and the points of some solutions. tests/soak/grade.sh has all of them.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/exercises/graded.inc"

# refused NAME STATUS LINE ARG...: one line, nothing on standard output
refused() {
    local name=$1 status=$2 line=$3
    shift 3
    "$origin" grade "$@" >"$tmp/said" 2>"$tmp/err" </dev/null
    is "$name" "$? $(cat "$tmp/err")$(cat "$tmp/said")" "$status $line"
}
mkdir "$tmp/empty" "$tmp/two" "$tmp/link" "$tmp/folder" "$tmp/large"
touch "$tmp/two/locks.c" "$tmp/two/latency.c"
ln -s /etc/hostname "$tmp/link/locks.c"
mkdir "$tmp/folder/locks.c"
head -c 1048577 /dev/zero >"$tmp/large/locks.c"
all='latency.c, first-touch.c, false-sharing.c, locks.c, prefetch.c, migration.c, counters.c, row.txt'
refused 'no directory' 2 'origin: grade: give one directory (origin --help)'
refused 'two directories' 2 'origin: grade: give one directory (origin --help)' a b
refused 'a directory that is not there' 1 "origin: grade: $tmp/none: No such file or directory" "$tmp/none"
refused 'a directory without an exercise' 1 "origin: grade: $tmp/empty: no file of an exercise is there: want one of $all" "$tmp/empty"
refused 'a directory with two' 1 "origin: grade: $tmp/two: the files of several exercises are there: want one of latency.c, locks.c" "$tmp/two"
refused 'a link' 1 "origin: grade: $tmp/link/locks.c: Too many levels of symbolic links" "$tmp/link"
refused 'a directory instead of a file' 1 "origin: grade: $tmp/folder/locks.c: Is a directory" "$tmp/folder"
refused 'a large file' 1 "origin: grade: $tmp/large/locks.c: a program of an exercise has at most 1 MB" "$tmp/large"
refused 'an exercise that there is not' 2 \
    'origin: grade: no exercise '\''snake'\'': want one of latency, first-touch, false-sharing, locks, prefetch, migration, counters, row' --start snake "$tmp/snake"
refused 'a start where something is' 1 "origin: grade: $tmp/two: the directory is not empty" --start locks "$tmp/two"

# judged_text NAME LAST EXERCISE: standard input is the student's file, LAST the whole output of origin grade
judged_text() {
    mkdir "$tmp/$1"
    cat >"$tmp/$1/$3"
    is "$1" "$("$origin" grade "$tmp/$1" 2>&1 </dev/null; echo $?)" "$2
1"
}
judged_text 'it does not compile' 'locks: 0 of 10 points: it does not compile: locks.c:1:2: error: #error no' locks.c <<<'#error no'
judged_text 'it has no function' "locks: 0 of 10 points: it does not compile: ./main.c:29: undefined reference to \`acquire'" locks.c <<<''
judged_text 'it is no line of row.txt' "row: 0 of 10 points: row.txt: 'rejects: me' is none of the lines rejected:, because: and accepted:" row.txt <<<'rejects: me'
judged_text 'it is no row' "  0 of 3  the explorer rejects the first row: 'FOUND' is no word for the column
  0 of 2  because data or directory would be wrong
  0 of 2  the reason is named: 'old data' is not it
  0 of 3  the explorer accepts the second row: there is none
row: 0 of 10 points" row.txt <<<'rejected: SN_HOME(FOUND, READ, EXCL, OWN, RD, ERPLY, REQ, NOMSG, REQ)
because: old data'
judged_text 'it ends' 'locks: 0 of 10 points: the program ended with status 3' locks.c <<<'#include <stdlib.h>
void acquire(int me) { (void)me; exit(3); }
void release(int me) { (void)me; }'
for how in 'sn_roi_end();' 'sn_roi_end(); sn_roi_begin("lock");'; do
    judged_text "it marks regions itself: $how" 'locks: 0 of 10 points: its regions are not those of the main program: it must neither mark regions nor end before them' \
        locks.c <<<"#include <sn_roi.h>
int done;
void acquire(int me) { if (me == 0 && !done++) { $how } }
void release(int me) { (void)me; }"
done

graded row.txt
begun row
graded first-touch.c
begun first-touch
finish

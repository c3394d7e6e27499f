#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds a program of tests/accuracy with the engine and runs it: accuracy, the model against the thesis, or alone, single experiments.
# Usage: run.sh [alone] ARGUMENT...
cd "$(dirname "$0")/../.." || exit 1
program=accuracy
[ "${1-}" != alone ] || { program=alone; shift; }
mkdir -p build/accuracy
flags="-std=gnu11 -O2 -Wall -Wextra -Iinclude -Iqemu-origin/engine -Iqemu-origin/board -Itests/accuracy -Ilib/progress"
set -e
objects=
# shellcheck disable=SC2086
for source in tests/accuracy/$program.c tests/accuracy/rig.c qemu-origin/board/dt/dt.c $(sed 's,^,qemu-origin/engine/,' qemu-origin/engine/SOURCES); do
    object=build/accuracy/$(basename "$source" .c).$$.o
    objects="$objects $object"
    ccache gcc $flags -c -o "$object" "$source"
done
# shellcheck disable=SC2086
gcc -o build/accuracy/$program.$$ $objects -lfdt -lm
# shellcheck disable=SC2086
rm $objects
mv build/accuracy/$program.$$ build/accuracy/$program
exec build/accuracy/$program "$@"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds tests/accuracy/accuracy.c with the engine and runs it with the given arguments: the model against the thesis.
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/accuracy
# shellcheck disable=SC2046
ccache gcc -std=gnu11 -O2 -Wall -Wextra -Iinclude -Iqemu-origin/engine -Iqemu-origin/board -Itests/accuracy -c -o build/accuracy/rig.o tests/accuracy/rig.c &&
    gcc -std=gnu11 -O2 -Wall -Wextra -Iinclude -Iqemu-origin/engine -Iqemu-origin/board -Itests/accuracy -Ilib/progress -o build/accuracy/accuracy.$$ \
        tests/accuracy/accuracy.c build/accuracy/rig.o qemu-origin/board/dt/dt.c $(sed 's,^,qemu-origin/engine/,' qemu-origin/engine/SOURCES) -lfdt -lm &&
    mv build/accuracy/accuracy.$$ build/accuracy/accuracy && exec build/accuracy/accuracy "$@"

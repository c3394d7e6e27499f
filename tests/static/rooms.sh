#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which of the engine's rooms may use which: one row for each, and each may name only rooms whose rows stand before its own.
#   1: the room
#   2: its folders and files, below qemu-origin/engine
#   3: the rooms that it uses: by #include, by a function or variable of theirs, and by a header that declares what another file defines
# ANY: the engine's interface declares functions that any room defines. Nobody depends on those rooms through it.
# docs/engine.md says what is in the rooms.
cd "$(dirname "$0")/../.." || exit 99
exec python3 tests/static/sources.py rooms qemu-origin/engine <<END
ground    | env.h sn_state.h sn_time.h        |
fabric    | fabric                            |
proto     | proto                             | ground
cache     | cache                             | ground proto
parts     | parts                             | fabric
what      | what                              | fabric parts cache
interface | sn.h sn_fast.h                    | ANY ground fabric cache
machine   | machine.h seen.h                  | ground proto parts interface
counters  | counters                          | proto parts machine
time      | time                              | ground proto machine
access    | access                            | proto counters time
io        | io                                | counters time access
remedy    | remedy                            | ground fabric
observe   | observe                           | ground proto interface machine
top       | change.c check.c create.c state.c | fabric proto cache parts machine counters time
END

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may include whom: one row for each folder. Where two rows fit a file, the longer one counts.
#   1: the folder; FOLDER/* stands for each of the folders in it, but for those with a later row of their own
#   2: what it may include in quotes, besides its own files: folders and headers of this repository. LINUX, QEMU and PAPI stand for their
#      own headers, which are in no folder of this repository.
#   3: what it may include in angle brackets, as an extended regular expression
# Modules, libraries and tools learn about the machine from its registers only, so none of their rows names the engine or the board. tools/machine is no
# program of the guest: it is the engine in a page.
# Board and overlay see the engine through sn.h, sn_fast.h, sn_state.h, remedy and, to record what happens, observe; engine/fabric is what a description says.
cd "$(dirname "$0")/../.." || exit 99
freestanding='(assert|errno|inttypes|limits|std(int|bool|def|arg|io|lib|align|noreturn)|string)\.h'
linux='(linux|asm|asm-generic|uapi|trace|generated|kunit|net|sys|procfs|regs|abi)/.*|(snpc|statctr)\.h'
engine='qemu-origin/engine/sn.h qemu-origin/engine/sn_fast.h qemu-origin/engine/sn_state.h qemu-origin/engine/observe qemu-origin/engine/remedy'
exec python3 tests/static/sources.py layers <<END
include             |                                                                         | .*
include/regs        | include                                                                 | std(int|bool|def)\.h|linux/(types|bits|const)\.h
qemu-origin/engine  | include                                                                 | $freestanding
qemu-origin/engine/sn.h      | qemu-origin/engine/fabric qemu-origin/engine/sn_time.h         | $freestanding
qemu-origin/engine/sn_fast.h | include qemu-origin/engine/cache/cache.h qemu-origin/engine/env.h | $freestanding
qemu-origin/engine/sn_time.h |                                                                  |
qemu-origin/engine/sn_state.h |                                                                 | $freestanding
qemu-origin/engine/remedy/kinds.h |                                                            |
qemu-origin/engine/observe/lines.h |                                                           |
qemu-origin/rounds  |                                                                         | $freestanding
qemu-origin/core    |                                                                         | $freestanding
qemu-origin/overlay | include $engine qemu-origin/core qemu-origin/rounds QEMU                            | .*
qemu-origin/board   | include $engine qemu-origin/engine/fabric qemu-origin/engine/what qemu-origin/rounds qemu-origin/overlay qemu-origin/prom QEMU | .*
kernel/init         | include                                                                 | .*
driver/*            | include driver/include LINUX                                            | $linux
lib                 | include                                                                 | .*
lib/papi            | include lib PAPI                                                        | .*
tools/*             | include lib tools/common                                                | .*
tools/machine       | include qemu-origin/engine/sn.h qemu-origin/engine/sn_state.h qemu-origin/engine/proto qemu-origin/engine/parts qemu-origin/engine/fabric qemu-origin/board/dt | .*
launcher            | include lib/trace lib/image lib/json lib/mapping lib/progress qemu-origin/board/dt qemu-origin/core qemu-origin/engine/fabric qemu-origin/engine/what qemu-origin/engine/sn_time.h qemu-origin/engine/remedy/kinds.h qemu-origin/engine/observe/lines.h | .*
END

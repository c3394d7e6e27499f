#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may include whom. Each layer's #include lines may name only its own files and those of the layers below it:
#   include -> nothing      engine -> include       board -> engine, include, QEMU       driver -> include, Linux
#   lib -> include          tools -> lib, include         lib/papi -> lib, include, PAPI
# System headers (<...>) are free except that the engine takes freestanding C11 and nothing of an operating system, and that guest code never
# names the engine or the board.
set -u
n=0
point() { # name, file with offending lines
    n=$((n + 1))
    if [ -s "$2" ]; then
        sed 's/^/# /' "$2"
        echo "not ok $n - $1"
    else
        echo "ok $n - $1"
    fi
}
bad=$(mktemp); trap 'rm -f "$bad"' EXIT
sources() { find "$@" -type f \( -name '*.[chS]' -o -name '*.inc' \) 2>/dev/null; }
# lines FILE...: "FILE:LINE:header" of quoted and angled includes
includes() { xargs -r grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' | sed -E 's/^([^:]*:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^>"]*).*/\1 \2\3/'; }
# exists DIR... HEADER relative to the including file or one of the roots
resolve() { # allowed roots on the command line, lines on stdin; prints the quoted includes that no allowed root holds
    local at h root ok
    while read -r at h; do
        case $h in '"'*) ;; *) continue ;; esac
        h=${h#\"} ok=0
        local file=${at%%:*}
        local here; here=$(realpath -m --relative-to=. "$(dirname "$file")/$h")
        if [ -e "$here" ]; then
            for root in "$@"; do case $here in "$root"/*) ok=1 ;; esac; done
        else
            for root in "$@"; do
                for sub in "" regs/ abi/ snpc/ trace/; do [ ! -e "$root/$sub$h" ] || ok=1; done
            done
        fi
        [ "$ok" = 1 ] || echo "$at: \"$h\" is not of ${*}"
    done
}

sources include | includes | resolve include >"$bad"
sources include/regs | includes | grep -E ' <' | grep -vE ' <(std(int|bool|def)|linux/(types|bits|const))\.h' >>"$bad"
point "include depends on nothing" "$bad"

sources qemu-origin/engine | includes >"$bad.all"
{ resolve include qemu-origin/engine <"$bad.all"
  grep ' <' "$bad.all" | grep -vE ' <(assert|errno|inttypes|limits|std(int|bool|def|arg|io|lib|align|noreturn)|string)\.h'; } >"$bad"
rm -f "$bad.all"
point "engine depends on include only" "$bad"

sources qemu-origin/engine | xargs -r grep -nHE '\b(time|clock|gettimeofday|clock_gettime|rand|random|srand|getenv|fopen|malloc_stats)[[:space:]]*\(' >"$bad"
point "engine reads no clock, no randomness, no environment, no file" "$bad"

sources driver lib tools kernel/init | includes | grep -E 'qemu-origin|engine/|board/' >"$bad"
sources driver lib tools kernel/init | xargs -r grep -nHE '"(sn|proto|dir|cache|topo|desc|types|engine)\.h"' 2>/dev/null | while IFS=: read -r file rest; do
    h=$(sed -E 's/.*"([^"]*)".*/\1/' <<<"$rest")
    [ -e "$(dirname "$file")/$h" ] || echo "$file:$rest"
done >>"$bad"
point "guest code never includes the engine or the board" "$bad"

sources driver | includes | resolve include driver >"$bad"
sources driver | includes | grep -E ' <' | grep -vE ' <(linux|asm|asm-generic|uapi|trace|generated|kunit|net|sys|procfs|regs|abi)[/.]|<(snpc|statctr)\.h' >>"$bad"
point "driver depends on include and Linux" "$bad"

sources lib | grep -v '^lib/papi/' | includes | resolve include lib >"$bad"
point "lib depends on include" "$bad"
# A component that is compiled inside PAPI: its headers are those that PAPI's own components include.
sources lib/papi | includes | grep -vE ' "(papi|papi_[a-z]+|extras)\.h$' | resolve include lib >"$bad"
point "lib/papi depends on include, lib and PAPI" "$bad"
sources tools | includes | resolve include lib tools >"$bad"
point "tools depend on lib and include" "$bad"
echo "1..$n"

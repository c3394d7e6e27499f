#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# checkpatch: the kernel's, strict, over driver/ and kernel/patches, and less strict over perf's patches, because libdw's names are CamelCase; QEMU's
# over qemu-origin/patches, the overlay and the board.
# The QEMU patches stay thin hooks: none adds more than 250 lines, all together add less than 2,000.
# What has passed is kept in the cache (checked/), by content: a file that has not changed is not read again by the same checkpatch.
set -u
n=0
kernel=build/kernel/linux/scripts/checkpatch.pl
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/origin2000}
qemu=$(ls -d "$cache"/src/qemu-*/scripts/checkpatch.pl 2>/dev/null | tail -n 1)
point() { # name, command...
    local name=$1 out; shift
    n=$((n + 1))
    if out=$("$@" 2>&1); then echo "ok $n - $name"; else sed 's/^/# /' <<<"$out" | head -n 40; echo "not ok $n - $name"; fi
}
# What decides beside the file and the options: the programs and their lists of words.
programs=$(cat "$(dirname "$kernel")"/{checkpatch.pl,spelling.txt,const_structs.checkpatch} ${qemu:+"$qemu"} | sha256sum; perl -e 'print $]')
mkdir -p "$cache/checked"
# checked FILE COMMAND...: COMMAND, which checks FILE and nothing else
checked() {
    local file=$1 key
    shift
    key=$({ printf '%s\n' "$programs" "$@" && cat "$file"; } | sha256sum) && key=$cache/checked/${key%% *}
    if [ -e "$key" ]; then touch "$key"; else "$@" && : >"$key"; fi
}
shopt -s nullglob globstar
# Ignored: checks of a patch's context (file names), and NEW_TYPEDEFS, because the IRIX interfaces are typedefs.
linux=(perl "$kernel" --root build/kernel/linux --no-tree --terse --no-summary --ignore FILE_PATH_CHANGES,MACRO_ARG_REUSE,LINUX_VERSION_CODE,NEW_TYPEDEFS)
strict=("${linux[@]}" --strict)
# The patch comes through a pipe, because checkpatch takes a patch file that git tracks for a source file.
piped() { local p=$1; shift; checked "$p" from "$p" "$@" -; }
from() { local p=$1; shift; "$@" <"$p"; }
added() { cat "$@" | grep '^+' | grep -vc '^+++ '; }
none_above() { # LIMIT PATCH...
    local limit=$1 p n rc=0; shift
    for p in "$@"; do n=$(added "$p"); [ "$n" -le "$limit" ] || { echo "$p adds $n lines"; rc=1; }; done
    return $rc
}
all_below() { local limit=$1 n; shift; n=$(added "$@"); [ "$n" -lt "$limit" ] || { echo "the patches add $n lines"; return 1; }; }
point "no QEMU patch adds more than 250 lines" none_above 250 qemu-origin/patches/*.patch
point "the QEMU patches add less than 2,000 lines" all_below 2000 qemu-origin/patches/*.patch
for p in kernel/patches/*.patch; do point "$p" piped "$p" "${strict[@]}"; done
for p in scripts/tools-patches/perf/*.patch; do point "$p" piped "$p" "${linux[@]}"; done
# statctr_t, vertex_hdl_t and others are interfaces that are defined as typedefs.
for f in driver/**/*.[ch]; do point "$f" checked "$f" "${strict[@]}" --ignore NEW_TYPEDEFS -f "$f"; done
if [ -n "$qemu" ]; then
    for p in qemu-origin/patches/*.patch; do point "$p" piped "$p" perl "$qemu" --no-tree --terse --no-summary; done
    for f in qemu-origin/{board,overlay}/**/*.{[ch],c.inc}; do point "$f" checked "$f" perl "$qemu" --no-tree --terse --no-summary -f "$f"; done
else
    n=$((n + 1)); echo "ok $n - QEMU's checkpatch # SKIP no QEMU source in the cache"
fi
echo "1..$n"

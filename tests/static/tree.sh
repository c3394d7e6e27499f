#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules of this repository that a search can check: licence lines, no path of a developer's machine, a sorted package list, executable scripts,
# no left-over markers, no trailing blanks.
set -u
n=0
point() { n=$((n + 1)); if [ -s "$2" ]; then sed 's/^/# /' "$2" | head -n 20; echo "not ok $n - $1"; else echo "ok $n - $1"; fi; }
bad=$(mktemp); trap 'rm -f "$bad"' EXIT
if git rev-parse --git-dir >/dev/null 2>&1; then files() { git ls-files -z --cached --others --exclude-standard; }
else files() { find . -path ./build -prune -o -type f -printf '%P\0'; }; fi
# The patterns are split so that this file does not match itself.
files | xargs -0 grep -nIE "/(ho""me|ro""ot/\.|wo""rk/(main|shared)|tmp/(dev|dl))\b" 2>/dev/null | grep -v '^LICENSE' >"$bad"
point "no path of a developer's machine" "$bad"

files | grep -zvE '\.(md|csv|txt|json|patch|dtb|bin|svg|png)$|^(LICENSE|\.gitignore|\.clang-format)$|/SOURCES$|/trace-events$|^tests/.*/(broken|data|corpus)/|^kernel/rootfs/etc/|^tests/fingerprint/(commit|guest\.tar\.xz)$|\.specs$' |
    while IFS= read -r -d '' f; do [ -s "$f" ] && ! head -n 30 "$f" | grep -q SPDX-License-Identifier && echo "$f"; done >"$bad"
point "every source file names its licence" "$bad"

files | xargs -0 grep -nIwE "TO""DO|FIX""ME|X""XX|HA""CK" 2>/dev/null | grep -vE '\.patch:|^LICENSE' >"$bad"
point "no left-over markers" "$bad"

for list in scripts/packages*.txt; do LC_ALL=C sort -c "$list"; done 2>"$bad"
point "the lists of packages are sorted" "$bad"

files | xargs -0 grep -lIE '^#!' 2>/dev/null | while read -r f; do [ "$(head -c 2 "$f")" = '#!' ] && [ ! -x "$f" ] && case $f in *.sh) ;; *) echo "$f" ;; esac; done >"$bad"
point "scripts are executable" "$bad"

files | xargs -0 grep -nI '[[:space:]]$' 2>/dev/null | grep -vE '^LICENSE|\.patch:|\.txt:|\.csv:|\.md:|\.svg:|^tests/' >"$bad"
point "no trailing blanks" "$bad"
echo "1..$n"

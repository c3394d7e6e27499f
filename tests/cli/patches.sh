#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make patches-out: the mails have each patch once, and applied in order they make the tree that the build makes.
# timeout: 1200
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 99
scripts/patches-out "$tmp/out" >"$tmp/log" 2>&1
is 'the mails are written' "$? $(grep -v ': [0-9]*$' "$tmp/log")" '0 '

# --- each patch is in one series, under its own name -------------------------------------------------------------------------------------
plain() { sed 's#.*/[0-9]*-##' | sort; }
for where in qemu:qemu-origin/patches linux:kernel/patches perf:scripts/tools-patches/perf papi:lib/papi/patches; do
    ls "${where#*:}"/*.patch | plain >"$tmp/patches"
    find "$tmp/out/${where%%:*}" -name '*.patch' ! -name '0000-*' | plain >"$tmp/mails"
    ok "${where%%:*}: each patch is one mail" diff "$tmp/patches" "$tmp/mails"
done
faults=$(while read -r series; do
    count=$(ls "$tmp/out/$series"/*.patch | wc -l) n=0
    for mail in "$tmp/out/$series"/*.patch; do
        # [PATCH 03/12]: leading zeros are no octal numbers
        number=$(sed -n 's/^Subject: \[PATCH 0*\([0-9][0-9]*\/[0-9]*\)\] .*/\1/p' "$mail" | head -n 1)
        [ "$number" = "$n/$((count - 1))" ] || echo "$mail: $number is not $n/$((count - 1))"
        sed '/^$/q' "$mail" | grep -qE '^(To|Cc): .*@' || echo "$mail: for nobody"
        n=$((n + 1))
    done
    [ -f "$tmp/out/$series/0000-cover-letter.patch" ] || echo "$series: no cover letter"
    sed -n '/^$/,/^Origin 2000 ([0-9]*):$/p' "$tmp/out/$series/0000-cover-letter.patch" | awk 'length > 80 || /@[0-9]+@/ { print FILENAME ": " $0 }'
done <"$tmp/out/order")
is 'mails are numbered, for somebody, with a cover letter of lines for mails' "$faults" ''

# --- the trees ---------------------------------------------------------------------------------------------------------------------------
sources() { scripts/unpack "$1" "$2" "$("scripts/build-$3" --prune-list)"; }
# touched PRISTINE DIR PATCH...: those files of the sources that the patches change
touched() {
    pristine=$1 dir=$2
    shift 2
    mkdir -p "$dir"
    cat "$@" | sed -n 's#^--- a/\([^\t]*\).*#\1#p' | sort -u | (cd "$pristine" && xargs cp -p --parents -t "$dir")
}
apply() { # DIR PATCH...
    dir=$1
    shift
    for p in "$@"; do patch -s -d "$dir" -p1 -F0 --no-backup-if-mismatch <"$p" || { echo "$p does not apply"; return 1; }; done
}
mails() { # PROJECT: in order, without cover letters
    grep "^$1/" "$tmp/out/order" | while read -r series; do ls "$tmp/out/$series"/*.patch | grep -v /0000-; done
}

qemu=$(sources qemu "$QEMU_SERIES" qemu)
touched "$qemu" "$tmp/qemu-built" qemu-origin/patches/*.patch
cp -r "$tmp/qemu-built" "$tmp/qemu-mailed"
apply "$tmp/qemu-built" qemu-origin/patches/*.patch
bash -c '. scripts/lib.sh; qemu_own_files' | while read -r place own; do
    mkdir -p "$(dirname "$tmp/qemu-built/$place")" && cp "qemu-origin/$own" "$tmp/qemu-built/$place"
done
mkdir -p "$tmp/qemu-built/include/regs" && cp include/regs/ev_r10k.h.inc "$tmp/qemu-built/include/regs"
# shellcheck disable=SC2046
ok "QEMU's mails apply in order" apply "$tmp/qemu-mailed" $(mails qemu)
ok 'and make the tree that is built, files of ours included' diff -r "$tmp/qemu-built" "$tmp/qemu-mailed"

linux=$(sources linux "$LINUX_SERIES" kernel)
touched "$linux" "$tmp/linux" kernel/patches/*.patch
cp -r "$tmp/linux" "$tmp/linux-built"; cp -r "$tmp/linux" "$tmp/linux-mailed"
apply "$tmp/linux-built" kernel/patches/*.patch
# shellcheck disable=SC2046
ok "Linux's mails apply in order" apply "$tmp/linux-mailed" $(mails linux)
ok 'and make the tree that is built' diff -r "$tmp/linux-built" "$tmp/linux-mailed"
faults=$(grep '^linux/' "$tmp/out/order" | while read -r series; do
    rm -rf "$tmp/alone"; cp -r "$tmp/linux" "$tmp/alone"
    # shellcheck disable=SC2046
    apply "$tmp/alone" $(ls "$tmp/out/$series"/*.patch | grep -v /0000-) 2>&1
done)
is "each of Linux's series applies by itself, as its maintainer needs it" "$faults" ''

# --- what is wrong is said ---------------------------------------------------------------------------------------------------------------
mkdir "$tmp/mine" && echo precious >"$tmp/mine/file"
is "a folder of somebody's is left alone" "$(scripts/patches-out "$tmp/mine" 2>&1) $(cat "$tmp/mine/file")" \
    "patches-out: $tmp/mine has files that are not of an earlier run: name another folder precious"
mkdir "$tmp/tree" && cp -r scripts include qemu-origin "$tmp/tree"
cover=$tmp/tree/qemu-origin/patches/cover
sed -i 's/^Patches: 04\*/Patches: 0401*/' "$cover"/04-*
is 'a patch that no cover letter names' "$("$tmp/tree/scripts/patches-out" "$tmp/none" 2>&1; echo $?)" \
    "patches-out: qemu-origin/patches/cover: $(basename qemu-origin/patches/0402-* .patch) is in 0 series
1"
sed -i 's/^Patches: .*/Patches: 04* 0301*/' "$cover"/04-*
is 'one that two name' "$("$tmp/tree/scripts/patches-out" "$tmp/none" 2>&1; echo $?)" \
    "patches-out: qemu-origin/patches/cover: $(basename qemu-origin/patches/0301-* .patch) is in 2 series
1"
sed -i 's/^Patches: .*/Patches: 0499*/' "$cover"/04-*
is 'a series without patches' "$("$tmp/tree/scripts/patches-out" "$tmp/none" 2>&1; echo $?)" \
    'patches-out: qemu-origin/patches/cover/04-gdbstub.txt: no patch is like 0499*
1'
finish

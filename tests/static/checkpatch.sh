#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# checkpatch: the kernel's, strict, over driver/ and kernel/patches; QEMU's over qemu-origin/patches and the board.
set -u
n=0
kernel=build/kernel/linux/scripts/checkpatch.pl
qemu=build/qemu/src/scripts/checkpatch.pl
[ -e "$qemu" ] || qemu=$(ls -d "${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/origin2000}"/src/qemu-*/scripts/checkpatch.pl 2>/dev/null | tail -n 1)
point() { # name, command...
    local name=$1 out; shift
    n=$((n + 1))
    if out=$("$@" 2>&1); then echo "ok $n - $name"; else sed 's/^/# /' <<<"$out" | head -n 40; echo "not ok $n - $name"; fi
}
shopt -s nullglob globstar
# MACRO_ARG_REUSE and the file-name checks judge matters of a patch's context that hold no meaning here.
strict=(perl "$kernel" --root build/kernel/linux --strict --no-tree --terse --no-summary --ignore FILE_PATH_CHANGES,MACRO_ARG_REUSE,LINUX_VERSION_CODE,SPDX_LICENSE_TAG)
for p in kernel/patches/*.patch; do point "$p" "${strict[@]}" --ignore FILE_PATH_CHANGES,MISSING_SIGN_OFF,FROM_SIGN_OFF_MISMATCH "$p"; done
for f in driver/**/*.[ch]; do point "$f" "${strict[@]}" -f "$f"; done
if [ -n "$qemu" ]; then
    for p in qemu-origin/patches/*.patch; do point "$p" perl "$qemu" --no-tree --terse --no-summary --no-signoff "$p"; done
    for f in qemu-origin/board/**/*.[ch]; do point "$f" perl "$qemu" --no-tree --terse --no-summary -f "$f"; done
fi
echo "1..$n"

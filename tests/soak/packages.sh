#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 10800
# Debian source packages of different build systems and languages, unchanged: each is built by our compilers (`origin env`), and its own test
# suite runs in the guest. A file of tests/soak/packages describes a package:
#   series   versions to take, as in config.mk            about    build system, languages
#   build    build it in the working directory            check    run its tests
#   quick    1: also a part of `make check` (tests/guest/packages.sh, which sets QUICK)
# Both run in the package's top directory, with the variables of `origin env` and $src, the directory of the pristine sources. What they print
# goes to build/log/packages/NAME.log. check says how many tests there were in its last line, "N passed, N failed"; status 0 if none failed.
# PACKAGE=PATTERN picks some of them. docs/packages.md lists the results.
. "$(dirname "$0")/../lib.sh"
logs=$root/build/log/packages
mkdir -p "$logs"

# programs COMMAND...: runs each in one machine, in the working directory, which has its own path there as with origin-exec, and counts those that
# succeed; 77 is automake's status of a test that cannot run
programs() {
    # shellcheck disable=SC2016
    "$origin" run -m ricotta --model=off -s . -- sh -c 'pass=0 fail=0 skip=0
        mkdir -p "$0" && mount --bind /share "$0" && cd "$0" || exit
        for p; do
            (eval "$p") </dev/null
            case $? in 0) pass=$((pass + 1)) ;; 77) echo "skipped: $p"; skip=$((skip + 1)) ;; *) echo "failed: $p"; fail=$((fail + 1)) ;; esac
        done
        echo "$pass passed, $fail failed, $skip skipped"; [ $fail = 0 ]' "$PWD" "$@"
}

# in_package NAME STEP: in a subshell, since the packages' functions have the same names
in_package() (
    set -e
    # shellcheck source=/dev/null
    . "$root/tests/soak/packages/$1.sh"
    eval "$("$origin" env)"
    export ORIGIN_EXEC_DIR=$tmp/$1
    cd "$tmp/$1"
    src=$(<"$tmp/$1.src")
    "$2"
)

for file in "$root"/tests/soak/packages/*"${PACKAGE-}"*.sh; do
    name=$(basename "$file" .sh)
    # shellcheck source=/dev/null
    IFS='|' read -r series about quick < <(quick=; . "$file"; echo "$series|$about|$quick")
    [ -z "${QUICK-}" ] || [ -n "$quick" ] || continue
    { "$root/scripts/fetch-sources" "$name" "$series" && "$root/scripts/unpack" "$name" "$series" '' >"$tmp/$name.src"; } >"$logs/$name.log" 2>&1
    result $? "$name: sources" "$(tail -n 5 "$logs/$name.log")" || continue
    cp -a "$(<"$tmp/$name.src")" "$tmp/$name"
    begin=$SECONDS
    in_package "$name" build >>"$logs/$name.log" 2>&1 </dev/null
    result $? "$name: builds ($about)" "$(tail -n 15 "$logs/$name.log")"
    built=$((SECONDS - begin)) begin=$SECONDS
    in_package "$name" check >>"$logs/$name.log" 2>&1 </dev/null
    result $? "$name: its tests: $(grep -E '^[0-9]+ passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1)" "$(grep -E '^failed|^FAIL' "$logs/$name.log"; tail -n 15 "$logs/$name.log")"
    printf '# %-18s %-20s built in %4d s, tested in %4d s\n' "$name" "$about" "$built" $((SECONDS - begin))
    rm -rf "${tmp:?}/$name"
done
finish

# SPDX-License-Identifier: GPL-2.0-or-later
# For test programs in shell that print TAP: . "$(dirname "$0")/../lib.sh"
#
#   ok NAME COMMAND...           a point: COMMAND succeeds
#   is NAME GOT WANT             a point: two strings are the same
#   like NAME TEXT PATTERN       a point: a line of TEXT matches the grep -E pattern
#   unlike NAME TEXT PATTERN     a point: no line does
#   within NAME LOW VALUE HIGH   a point: LOW <= VALUE <= HIGH, decimal fractions allowed
#   less NAME A B                a point: A < B, decimal fractions allowed
#   skip NAME WHY                a point that cannot be tested on this host
#   skip_all WHY                 the same for the whole program; ends it
#   seconds                      print the host's time in seconds with fractions
#   run ARGS...                  origin run ARGS: sets $status, $out, $err (files $tmp/out, $tmp/err keep the bytes)
#   bare OUT SOURCE...           compile a bare-metal program of tests/cpu or tests/time for the machine's first processor
#   bare_points PREFIX FILE      repeat its output FILE as points of this program; $ended says whether it came to its end
#   points_of NAME FILE [SAID]   repeat the points that another program printed to FILE; NAME is in front of each. SAID has its standard error
#   own_boots                    keep boots (launcher/kept.h) in $boots, where only this program's are
#   count_boots                  print how many are there
#   three_runs OPTION...         call the program's go NAME OPTION... for the runs cold, which boots, makes, which keeps its boot, and kept, which begins with
#                                it; $before is the number of boots before
#   figure NAME UNIT VALUE...    (tests/bench) a measurement, with its value in each round: `make bench` makes a row of it. UNIT may be ''
#   column EXPRESSION            the values of an awk expression over the lines of $tmp/rounds; a line holds the figures of one round
#   finish                       print the plan; call it last
#   python3 ARGS...              with the modules of tests/ (qmp, browser); what a test runs otherwise does not see them
#
# $root is the repository, $origin the launcher, $tmp a directory that goes away. The variables of build/env are set, and not exported, so that
# the launcher has to find its products as it does for a user.

root=$(cd "$(dirname "$0")/../.." && pwd)
origin=$root/origin
tmp=$(mktemp -d) || exit 99
# shellcheck source=/dev/null
[ ! -r "$root/build/env" ] || . "$root/build/env"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
tests=0
failures=0

# result STATUS NAME [DETAIL]...
result() {
    tests=$((tests + 1))
    if [ "$1" = 0 ]; then
        echo "ok $tests - $2"
        return
    fi
    failures=$((failures + 1))
    echo "not ok $tests - $2"
    shift 2
    for detail in "$@"; do
        printf '%s\n' "$detail" | head -n 30 | sed 's/^/#   /'
    done
}

points_of() {
    # The shell may have said behind the plan that a process was killed.
    like "$1: it came to its end" "$(cat "$2")" '^1\.\.[0-9]+$'
    while IFS= read -r line; do
        case $line in
        'ok '*) result 0 "$1: ${line#* - }" ;;
        'not ok '*) result 1 "$1: ${line#* - }" "$(cat "$2")" ;;
        esac
    done <"$2"
    [ "$failures" = 0 ] || [ -z "$3" ] || sed 's/^/#   /' "$3"
}

ok() {
    ok_name=$1
    shift
    "$@"
    result $? "$ok_name" "failed: $*"
}

is() {
    [ "$2" = "$3" ]
    result $? "$1" "got:  $2" "want: $3"
}

like() {
    printf '%s\n' "$2" | grep -q -E -e "$3"
    result $? "$1" "no line matches: $3" "$2"
}

unlike() {
    ! printf '%s\n' "$2" | grep -q -E -e "$3"
    result $? "$1" "a line matches: $3" "$(printf '%s\n' "$2" | grep -E -e "$3")"
}

within() {
    awk -v lo="$2" -v v="$3" -v hi="$4" 'BEGIN { exit !(v != "" && lo + 0 <= v + 0 && v + 0 <= hi + 0) }'
    result $? "$1" "got $3, want $2 to $4"
}

less() {
    awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }'
    result $? "$1" "got $2, want less than $3"
}

skip() {
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

python3() {
    PYTHONPATH=$root/tests PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$@"
}

seconds() {
    date +%s.%N
}

run() {
    "$origin" run "$@" >"$tmp/out" 2>"$tmp/err"
    status=$?
    out=$(tr -d '\0' <"$tmp/out")
    err=$(tr -d '\0' <"$tmp/err")
}

column() {
    awk "{ print $1 }" "$tmp/rounds"
}

figure() {
    figure_name=$1 figure_unit=$2
    shift 2
    # Without a number in each round there is no median, and no aim is met.
    printf '%s\n' "$@" | sort -g | awk -v name="$figure_name" -v unit="$figure_unit" '
        { v[NR] = $1 } !/^-?[0-9.]+(e[-+]?[0-9]+)?$/ { bad = 1 }
        END {
            median = bad ? "-" : sprintf("%.12g", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2)
            printf "figure: %s | %s | %s | %s | %d | %s\n", name, median, v[1], v[NR], NR, unit }'
}

bare() {
    bare_out=$1
    shift
    "$ORIGIN_CROSS"gcc -mips4 -mabi=64 -mno-abicalls -fno-pic -G0 -msoft-float -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -static \
        -Wl,--build-id=none -Wl,-z,max-page-size=4096 -I"$root/include" -T "$root/tests/cpu/test.ld" -o "$bare_out" "$root/tests/cpu/start.S" "$@" ||
        { echo "Bail out! $* does not compile"; exit 99; }
}

bare_points() {
    ended=no
    while read -r line; do
        case $line in
        'ok - '*) result 0 "$1: ${line#ok - }" ;;
        'not ok - '*) result 1 "$1: ${line#not ok - }" ;;
        '# end') ended=yes ;;
        '#'*) echo "$line" ;;
        *) echo "# $line" ;;
        esac
    done <"$2"
}

own_boots() {
    export XDG_CACHE_HOME=$tmp/cache
    boots=$XDG_CACHE_HOME/origin2000/boots
}

count_boots() { find "$boots" -type f 2>/dev/null | wc -l; }

three_runs() {
    before=$(count_boots)
    go cold --boot=cold "$@"
    go makes --boot=kept "$@"
    go kept --boot=kept "$@"
}

finish() {
    echo "1..$tests"
    [ "$failures" = 0 ]
    exit
}

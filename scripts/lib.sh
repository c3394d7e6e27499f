# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Common part of the build scripts: where things are, progress lines, logs, locks, content keys, the cache.
#
#   step TEXT             one progress line with the seconds since the build began
#   run_logged NAME CMD.. run CMD with its output in build/log/NAME.log; on failure show the log's tail and stop
#   die TEXT              one line to stderr, exit 1
#   hash_paths PATH..     content key of files and directories (names relative to the repository's root count, times do not)
#   hash_text             key of stdin
#   cached KIND KEY       print the product's directory; true if it is complete
#   publish KIND KEY DIR  move a complete directory into the cache, at once
#   guest_toolchain, guest_sysroot   the guest's compilers if they are not the system's, and where its libraries are
#   end_build DIR PID     end all processes of a build
#   make_jobs             the option for a make: none below one that hands out its jobs
#   first_build KIND      have the compiler's cache save time if there is no product of KIND. All steps of a build then inherit that
#   with_lock NAME        hold an exclusive lock on a cache item for the rest of the (sub)shell
#
# Cache layout (scripts/lib.sh is the only place that knows it):
#   archives/SHA256/NAME  downloaded files
#   sources/NAME-VERSION.lock  which version was taken: version, then "sha256 file" lines. VERSION is the one of scripts/sources.txt, or the series
#   src/NAME-KEY/         unpacked sources          out/KIND-KEY/             finished products
#   apt/                  private apt state         ccache/  locks/
#   test-times            how long each test program took (scripts/tap-sum)
#   checked/              an empty file for each check of a source that has passed (tests/static/checkpatch.sh)
#   log-lines             lines in the log of each build step when it ran, for the share done
set -euo pipefail
trap 'rc=$?; [ $BASH_SUBSHELL -ne 0 ] || echo "$(basename "$0"): line $LINENO failed (exit $rc)" >&2' ERR
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/origin2000}
jobs=${JOBS:-$(nproc)}
mkdir -p "$build/log" "$build/stamps" "$cache"/{archives,sources,src,out,locks}
: "${ORIGIN_T0:=$(date +%s)}"
hash_text() { sha256sum | cut -c1-16; }
out_dir() { printf '%s/out/%s-%s\n' "$cache" "$1" "$2"; }

# shellcheck source=scripts/host.sh
. "$root/scripts/host.sh"
guest_packages() { grep -v -e '^#' -e '^$' "$root/scripts/packages-guest.txt"; }
guest_toolchain=
if ! compilers_are_packages; then
    guest_toolchain=$(out_dir toolchain "$({ sed 1,4d "$root/scripts/toolchain"; guest_packages; } | hash_text)")
    PATH=$guest_toolchain/bin:$PATH
fi
# Where that compiler has the guest's libraries.
guest_sysroot() { echo "$guest_toolchain/usr/${CROSS%-}"; }

# Paths below the base directory count relative to the build directory, so that all trees share results. Not /: the way from a build directory to
# /usr/include depends on how deep the tree lies.
export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

make_jobs() { case ${MAKEFLAGS:-} in *--jobserver*) ;; *) echo "-j$jobs" ;; esac; }
clear_line() { [ ! -t 1 ] || printf '\r%-80s\r' ''; } # a terminal may show the share done
step() { clear_line; printf '[%4ds] %s\n' $(($(date +%s) - ORIGIN_T0)) "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Steps of a build from nothing: lines of the log, seconds of processor time. Both only say how much is done.
steps_known() {
    cat <<'END'
packages 400 60
sources 20 10
kernel 1479 1250
qemu 1509 500
busybox 3629 150
papi 300 60
programs 201 60
tool-bash 1013 60
tool-strace 1240 60
tool-gdbserver 1890 60
tool-ncurses 769 20
tool-nano 2115 60
tool-make 310 10
END
}

# Lines that a step writes into its log: the most so far on this host, or those of a build from nothing.
expected_lines() {
    local known
    known=$(sed -n "s/^$1 //p" "$cache/log-lines" 2>/dev/null | tail -n 1)
    case ${known:-none} in *[!0-9]*) steps_known | sed -n "s/^$1 \([0-9]*\) .*/\1/p" ;; *) echo "$known" ;; esac
}

# What a build from nothing will do, for the share done.
steps_to_come() {
    local kind
    for kind in kernel qemu busybox papi; do compgen -G "$cache/out/$kind-*/.complete" >/dev/null || echo "$kind"; done
    [ -e "$build/initramfs.cpio" ] || echo programs
}

# share DIR COME: "DONE TOTAL NAMES" in seconds of processor time. DIR has a file for each step that has begun, with its lines, or `done`; COME are steps to come.
share() {
    local name lines expected weight done=0 total=0 running=
    while read -r name expected; do
        weight=$(steps_known | sed -n "s/^$name [0-9]* //p")
        : "${weight:=5}"
        total=$((total + weight))
        case $expected in
        done) done=$((done + weight)) ;;
        come) ;;
        *)
            lines=$(cat "$build/log/$name.log" 2>/dev/null | wc -l)
            # Nobody says when the first of the programs begins.
            [ "$lines-$name" = 0-programs ] || running+=${running:+, }$name
            [ "${expected:-0}" -gt 0 ] || continue
            [ "$lines" -lt "$expected" ] || lines=$expected
            done=$((done + weight * lines / expected)) ;;
        esac
    done < <(cd "$1" && for name in *; do [ ! -e "$name" ] || echo "$name $(cat "$name")"; done
             for name in $2; do
                 [ -e "$1/$name" ] || { [ "$name" = programs ] && echo "programs $(steps_known | sed -n 's/^programs \([0-9]*\) .*/\1/p')" || echo "$name come"; }
             done)
    echo "$done $total $running"
}

# While process PID runs: on a terminal one line with the share done, the time left and what the build does; in a log a line every minute.
watch_steps() { # PID DIR COME
    local begin=$SECONDS looked=$SECONDS every=60 done total running left
    [ ! -t 1 ] || every=3
    while kill -0 "$1" 2>/dev/null; do
        # Most builds have nothing to do.
        if [ $((SECONDS - begin)) -lt 2 ]; then sleep 0.1; continue; fi
        sleep 1
        # A look takes some twenty processes.
        [ $((SECONDS - looked)) -ge "$every" ] || continue
        looked=$SECONDS
        case " $3 " in *" programs "*) find "$build/guest" "$build/host" "$build/report" -type f 2>/dev/null >"$build/log/programs.log" || true ;; esac
        read -r done total running < <(share "$2" "$3")
        left=
        if [ "$done" -gt 0 ]; then
            left="$((100 * done / total)) %, $(((total - done) * (SECONDS - begin) / done)) s left: "
        fi
        if [ -t 1 ]; then
            [ -z "$running" ] || printf '\r        %-70.70s' "$left$running"
        else
            step "$left$running"
        fi
    done
    clear_line
}

# end_build DIR PID: end PID, our own subshell, and all processes of the build that has this directory, and wait for them. It is in their environment, so that
# those are found, too, whose parent has ended.
end_build() {
    local pids begin=$SECONDS told=
    kill "$2" 2>/dev/null || true
    while
        pids=$(cd /proc && env -u ORIGIN_STEPS grep -lsz "^ORIGIN_STEPS=$1\$" [0-9]*/environ || true)
        [ -n "$pids" ]
    do
        # shellcheck disable=SC2086 # a list
        kill ${pids//\/environ/} 2>/dev/null || true
        [ -n "$told" ] || [ $((SECONDS - begin)) -lt 2 ] || { told=1; step 'waiting for packages that are being installed'; }
        sleep 0.1
    done
}

# scripts/build watches all steps of a build at once, and says where (ORIGIN_STEPS). A step outside of one is watched alone.
run_logged() {
    local name=$1 log=$build/log/$1.log; shift
    local rc=0 pid expected steps=${ORIGIN_STEPS:-}
    expected=$(expected_lines "$name")
    [ -n "$steps" ] || steps=$(mktemp -d)
    ORIGIN_STEPS=$steps "$@" >"$log" 2>&1 </dev/null & pid=$!
    trap '[ -n "${ORIGIN_STEPS:-}" ] || { end_build "$steps" "$pid"; rm -rf "$steps"; }; exit 130' HUP INT TERM
    echo "${expected:-0}" >"$steps/$name"
    [ -n "${ORIGIN_STEPS:-}" ] || watch_steps "$pid" "$steps" ''
    wait "$pid" || rc=$?
    trap - HUP INT TERM
    if [ -n "${ORIGIN_STEPS:-}" ]; then echo done >"$steps/$name"; else rm -rf "$steps"; fi
    if [ "$rc" -eq 0 ]; then
        # The compiler's cache makes no difference: a whole step writes the same lines. Part of one writes fewer.
        [ "$(wc -l <"$log")" -le "${expected:-0}" ] || echo "$name $(wc -l <"$log")" >>"$cache/log-lines"
        return 0
    fi
    tail -n 25 "$log" >&2
    die "$name failed (exit $rc); the whole log is build/log/$name.log"
}

# Files of ours that stand inside QEMU's tree: "PLACE FILE", FILE below qemu-origin. The overlay's are at their places; headers of rounds/ and
# core/ are found by the name "rounds/NAME", from QEMU's include/.
qemu_own_files() {
    { (cd "$root/qemu-origin" && find overlay -type f ! -name '.*' ! -name '*~' -printf '%P %p\n')
      (cd "$root/qemu-origin" && find rounds -name '*.h' -printf 'include/%p %p\n' -o -name '*.c' -printf 'accel/tcg/%p %p\n')
      (cd "$root/qemu-origin" && find core -name '*.c' -printf 'target/mips/%p %p\n' -o -name '*.*' -printf 'include/%p %p\n'); } | sort
}

hash_paths() {
    (cd "$root"
     for p in "$@"; do if [ -e "$p" ]; then find -L "$p" -type f ! -name '*~' ! -name '.*' ! -path '*/__pycache__/*' -print0; fi; done |
         sort -zu | xargs -0r sha256sum) | hash_text
}

cached() { local d; d=$(out_dir "$1" "$2"); echo "$d"; [ -e "$d/.complete" ] && touch -c "$d/.complete"; }

# The compiler's cache has nothing to find in a first build. What it looks up by preprocessed sources then only costs time, and
# compilers that list their headers let it do without. Later builds find these objects as long as no header differs.
first_build() { compgen -G "$cache/out/$1-*/.complete" >/dev/null || export CCACHE_DEPEND=1; }

publish() {
    local d; d=$(out_dir "$1" "$2")
    touch "$3/.complete"
    rm -rf "$d"
    mv -T "$3" "$d"
    prune "$1"
}

# Drop all but the newest products of one kind; what was used within a day stays.
prune() {
    local d n=0
    for d in $(cd "$cache/out" && ls -dt -- "$1"-*/.complete 2>/dev/null); do
        d=$cache/out/${d%/.complete} n=$((n + 1))
        if [ "$n" -gt "${CACHE_KEEP:-6}" ] && [ -z "$(find "$d/.complete" -mtime -1)" ]; then rm -rf "$d"; fi
    done
}

with_lock() { exec 9>"$cache/locks/$1"; flock -n 9 || { step "$1: waiting for another build" >&2; flock 9; }; }

# Write a stamp only if its text changes, so that make sees a change only when there is one.
stamp() { local f=$build/stamps/$1; [ "$(cat "$f" 2>/dev/null)" = "$2" ] || printf '%s\n' "$2" >"$f"; }

# Point build/NAME at a cache directory.
link_product() { ln -sfn "$2" "$build/$1.tmp.$$" && mv -T "$build/$1.tmp.$$" "$build/$1"; }

# source_pin NAME SERIES: the version that scripts/sources.txt has of this series; empty if it has none.
source_pin() {
    local pin
    pin=$(sed -n "s/^$1 \([^ ]*\) .*/\1/p" "$root/scripts/sources.txt" | head -n 1)
    case ${pin#*:} in "$2"|"$2"[.+-]*) echo "$pin" ;; esac
}

# source_lock NAME SERIES: the lock file; source_version, source_archive read it. lock_of NAME VERSION: that of a version.
lock_of() { printf '%s/sources/%s-%s.lock\n' "$cache" "$1" "$2"; }
source_lock() {
    local pin
    pin=$(source_pin "$1" "$2")
    lock_of "$1" "${pin:-$2}"
}
source_version() { head -n 1 "$(source_lock "$1" "$2")"; }
source_archive() {
    local sum file
    while read -r sum file; do
        case $file in *.orig.tar.*) case $file in *.asc) ;; *) echo "$cache/archives/$sum/$file"; return ;; esac ;; esac
    done < <(tail -n +2 "$(source_lock "$1" "$2")")
    die "no original archive of $1 in the cache"
}

# apply_patches DIR PATCH...: in order, no fuzz; a hunk that fails is one clear line.
apply_patches() {
    local dir=$1 p out; shift
    for p in "$@"; do
        if ! out=$(patch -d "$dir" -p1 -F0 --no-backup-if-mismatch <"$p" 2>&1); then
            local line file=
            while IFS= read -r line; do
                case $line in
                "patching file "*) file=${line#patching file } ;;
                *"FAILED at"*) echo "${p#"$root"/}: $file: $line" >&2 ;;
                *"can't find file"*|*"malformed"*|*"already exists"*|*"Reversed"*) echo "${p#"$root"/}: ${file:+$file: }$line" >&2 ;;
                esac
            done <<<"$out"
            die "${p#"$root"/} does not apply"
        fi
    done
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Short, repeatable runs of the fuzzers (tests/fuzz) from their kept corpora, under ASan and UBSan. An input that fails stays in build/fuzz.
#   FUZZ           which of them (all)
#   FUZZ_RUNS      how many inputs of each, instead of the numbers below; tests/soak/fuzz.sh has a million
#   FUZZ_SECONDS   at most so many seconds for each, however many inputs that are
#   FUZZ_SEED      another seed (1)
#   FUZZ_WORKERS   so many processes of a fuzzer side by side (1). They share what they find, so their inputs depend on when
#   FUZZ_BUILT     1: the programs in build/fuzz as they are, on a host without clang
# timeout: 1200
. "$(dirname "$0")/../lib.sh"
[ -n "${FUZZ_BUILT:-}" ] || command -v clang >/dev/null || skip_all "clang is not installed"
cd "$root" || exit 99
mkdir -p build/fuzz
fuzz=tests/fuzz engine=qemu-origin/engine board=qemu-origin/board
seed=${FUZZ_SEED:-1} workers=${FUZZ_WORKERS:-1}

# What a fuzzer is made of. Those of programs in Python have no sources.
sources() {
    case $1 in
    dt) echo -I$engine -I$board -Iinclude $board/dt/dt.c $engine/fabric/topo.c $engine/parts/timing.c $engine/what/what.c -lfdt ;;
    engine) echo -I$engine -Iinclude $(sed "s,^,$engine/," $engine/SOURCES) ;;
    trace) echo -Iinclude -Ilib/trace -Ilib/snpc -Ilib/mapping -Itools/read -Itools/common tools/read/collate.c lib/mapping/mapping.c \
        tools/common/symbols.c tools/common/tracetext.c lib/trace/reader.c lib/trace/crc32c.c lib/snpc/metric.c -lm ;;
    profile) echo -D_GNU_SOURCE -Ilauncher/profile -Iinclude -I$engine -Ilib/image -Ilib/json -Ilib/mapping -Ilib/progress -Ilib/trace \
        $(find launcher/profile -name '*.c' ! -name main.c ! -name allocators_find.c) lib/image/*.c lib/json/json.c lib/mapping/mapping.c lib/trace/reader.c \
        lib/trace/crc32c.c $(pkg-config --cflags --libs glib-2.0) -ldw -lelf -liberty -lz -lm ;;
    checkpoint) echo -D_GNU_SOURCE -Ilauncher -Iinclude launcher/archive.c launcher/files.c launcher/sum.c ;;
    view) echo -D_GNU_SOURCE -Ilauncher launcher/view/server.c launcher/view/store.c -lmicrohttpd -lpthread ;;
    esac
}

# build NAME: build/fuzz/fuzz_NAME. The cache keeps what compiler, flags, sources and headers of the same content made (scripts/lib.sh).
build() (
    # shellcheck source=/dev/null
    . scripts/lib.sh
    program=fuzz_$1 kind=fuzz-$1
    # shellcheck disable=SC2046
    set -- -g -O1 -fdebug-compilation-dir=. -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Wall -Wextra -Werror \
        $fuzz/"$program".c $(sources "$1")
    key=$({ clang --version && echo "$@" && clang -M -Wno-unused-command-line-argument "$@" | tr -s ' \\' '\n\n' | grep '/' | sort -u | xargs sha256sum; } | hash_text)
    with_lock "$kind"
    if ! product=$(cached "$kind" "$key"); then
        made=$(mktemp -d "$cache/out/tmp.XXXXXX")
        clang -o "$made/program" "$@"
        publish "$kind" "$key" "$made"
    fi
    cp "$product/program" build/fuzz/"$program"
)

# worker NAME RUNS SEED SECONDS LOG FLAGS...: one process; its status
worker() {
    local name=$1 runs=$2 first=$3 left=$4 log=$5
    shift 5
    if [ -e $fuzz/fuzz_"$name".py ]; then
        (export ORIGIN_LAUNCHER; python3 $fuzz/fuzz_"$name".py "$runs" "$first" "$left") >"$log" 2>&1
    else
        # shellcheck disable=SC2046
        build/fuzz/fuzz_"$name" -seed="$first" -runs="$runs" -max_total_time="$left" -artifact_prefix="$root/build/fuzz/$name-" \
            "$@" "$tmp/$name" $([ ! -d $fuzz/corpus/"$name" ] || echo "$root/$fuzz/corpus/$name") >"$log" 2>&1
    fi
}

# reached LOG: how much of its code a process has reached
reached() {
    local edges
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$1" | tail -n 1)
    if [ -n "$edges" ]; then
        echo "$edges of $(sed -n 's/.*(\([0-9]*\) inline 8-bit counters).*/\1/p' "$1" | head -n 1) edges"
    else
        sed -n 's/^Done .* runs, //p' "$1"
    fi
}

# fuzz NAME RUNS CHUNK FLAGS...: RUNS inputs, new processes after each CHUNK of them
fuzz() {
    local name=$1 runs=${FUZZ_RUNS:-$2} chunk=$3 rc=0 n=0 end done w log pids
    shift 3
    if [ -e $fuzz/fuzz_"$name".c ] && [ -z "${FUZZ_BUILT:-}" ]; then
        ok "fuzz_$name builds" build "$name"
    fi
    mkdir -p "$tmp/$name"
    [ "$name" != dt ] || cp build/machines/*.dtb "$tmp/dt"
    end=$((SECONDS + ${FUZZ_SECONDS:-1000000}))
    while [ "$n" -lt "$runs" ] && [ $rc = 0 ] && [ $SECONDS -lt $end ]; do
        [ "$chunk" -le $(((runs - n + workers - 1) / workers)) ] || chunk=$(((runs - n + workers - 1) / workers))
        pids=
        for ((w = 0; w < workers; w++)); do
            worker "$name" "$chunk" $((seed + n + w * chunk)) $((end - SECONDS)) "$tmp/log.$w" "$@" &
            pids="$pids $!"
        done
        for w in $pids; do wait "$w" || rc=$?; done
        done=$(cat "$tmp"/log.* | sed -n 's/^Done \([0-9]*\) runs.*/\1/p' | paste -s -d + | bc)
        n=$((n + ${done:-0}))
    done
    is "$name: inputs" "$rc $(cat "$tmp"/log.* | grep -c -E 'ERROR|runtime error') $(cat "$tmp"/log.* | grep -c '^Done')" "0 0 $workers"
    for log in "$tmp"/log.*; do
        if [ $rc != 0 ] && { ! grep -q '^Done' "$log" || grep -q -E 'ERROR|runtime error' "$log"; }; then tail -n 40 "$log" | sed 's/^/# /'; fi
    done
    [ -n "${FUZZ_SECONDS:-}" ] || ok "$name: how many" [ "$n" -ge "$runs" ]
    echo "# $name: $n inputs, reached $(for log in "$tmp"/log.*; do reached "$log"; done | sort -n | tail -n 1)"
}

for name in ${FUZZ:-dt engine trace profile checkpoint view sweep exec}; do
    case $name in
    dt) fuzz dt 100000 1000000 -max_len=6000 ;;
    engine) fuzz engine 3000 1000000 -max_len=1600 -len_control=0 ;;
    trace) fuzz trace 30000 1000000 -max_len=8192 ;;
    # These two readers end with their programs and free nothing; the first one prints.
    profile) ASAN_OPTIONS=detect_leaks=0 fuzz profile 300 5000 -max_len=6000 -close_fd_mask=3 ;;
    checkpoint) ASAN_OPTIONS=detect_leaks=0 fuzz checkpoint 20000 200000 -max_len=30000 ;;
    view) fuzz view 200 1000000 -max_len=2000 ;;
    sweep) fuzz sweep 1000 1000000 ;;
    exec) fuzz exec 20000 1000000 ;;
    esac
done
finish

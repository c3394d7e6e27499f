# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
series=0.1 about='CMake; C, OpenMP'
build() {
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DWITH_LSR_BINDINGS=OFF -DBUILD_EXAMPLES=ON
    cmake --build build -j "$(nproc)"
}
# The 20-bit comparisons and the test of delays that ctest would run; the package does not offer them to cross builds. Then, as its io-test does it,
# several channels: those of one stream, and each by itself, by one thread and by OpenMP's. sox makes its input; here the same sweep is taken for it.
check() {
    local r a b list=(build/tests/1-delay-clear)
    for r in 44100 65537 192000; do list+=("build/tests/vector-gen $r 1 16 0 22050 1 ref-$r.s32"); done
    for r in '44100 192000' '192000 44100' '44100 65537' '65537 44100'; do
        a=${r% *} b=${r#* }
        list+=("build/examples/3-options-input-fn $a $b 1 2 2 44 a <ref-$a.s32 >out.s32 && build/tests/vector-cmp ref-$b.s32 out.s32 $b 1 15.68 20")
    done
    for r in 2 3 8; do
        a="65537 44100 $r 2 2 4 0 0 0 -1"
        list+=("for p in 3-options-input-fn 4-split-channels; do for t in 0 1; do build/examples/\$p $a \$t <ref-65537.s32 >out.\$p.\$t || exit; done; done
            cmp out.3-options-input-fn.0 out.3-options-input-fn.1 && cmp out.3-options-input-fn.0 out.4-split-channels.0 &&
            cmp out.4-split-channels.0 out.4-split-channels.1 && test -s out.4-split-channels.1")
    done
    programs "${list[@]}"
}

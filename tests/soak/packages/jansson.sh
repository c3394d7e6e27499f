# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
series=2 about='CMake; C'
build() {
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DJANSSON_BUILD_DOCS=OFF
    cmake --build build -j "$(nproc)"
}
# The programs that ctest would run, one machine for all.
check() {
    local t list=()
    for t in build/bin/test_*; do list+=("$t"); done
    for t in test/suites/*/*/; do
        list+=("build/bin/json_process ${t%/}")
        case $t in */valid/*|*/invalid/*) [ -e "$t/nostrip" ] || list+=("build/bin/json_process --strip ${t%/}") ;; esac
    done
    programs "${list[@]}"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
series=3 about='CMake; C++'
build() {
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON
    cmake --build build -j "$(nproc)"
}
# ctest would not use the emulator: the package names the program of its tests as $<TARGET_FILE:cctest>, which CMake takes for one of the host.
check() {
    local t list=()
    for t in $(cd test/cctest && echo test-*.cc); do t=${t%.cc}; list+=("build/test/cctest/cctest $t"); done
    programs "${list[@]}"
}

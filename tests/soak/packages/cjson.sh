# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
series=1 about='CMake; C'
build() {
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DENABLE_CJSON_UTILS=ON
    cmake --build build -j "$(nproc)"
}
# The programs that ctest would run, one machine for all.
check() {
    local t list=(build/cJSON_test)
    for t in $(ctest --test-dir build -N | sed -n 's/.*Test *#[0-9]*: //p'); do [ "$t" = cJSON_test ] || list+=("cd build/tests; ./$t"); done
    programs "${list[@]}"
}

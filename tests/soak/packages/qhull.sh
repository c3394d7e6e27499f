# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
series=2020 about='CMake; C, C++'
build() {
    cmake -S . -B out -DCMAKE_BUILD_TYPE=Release
    cmake --build out -j "$(nproc)"
}
# The programs that ctest would run, most of them as pipelines. user_eg3 is in C++.
check() {
    local list=('./testqset 10000' './testqset_r 10000' './rbox D4 | ./qhull Tv' './rbox 10 | ./qhull Tv' './rbox 10 | ./qconvex Tv'
        './rbox 10 | ./qdelaunay Tv' './rbox 10 | ./qconvex FQ FV n Tv | ./qhalf Tv' './rbox 10 | ./qvoronoi Tv' ./user_eg ./user_eg2
        "./user_eg3 rbox '10 D2' '2 D2' qhull 's p' facets")
    programs "${list[@]/#/set -o pipefail; cd out; }"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
series=3 about='CMake; Fortran'
names='xblat1s xblat1d xblat1c xblat1z xblat2s xblat2d xblat2c xblat2z xblat3s xblat3d xblat3c xblat3z'
# The BLAS alone: LAPACK itself takes too long to compile.
build() {
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON -DTEST_FORTRAN_COMPILER=OFF
    # shellcheck disable=SC2086
    cmake --build build -j "$(nproc)" --target $names
}
# The programs say FAIL, or write so to a file that their input names, and end well all the same.
check() {
    local t in list=()
    for t in $names; do
        in=${t: -1}blat${t:5:1}.in
        [ -e "BLAS/TESTING/$in" ] && in=../BLAS/TESTING/$in || in=/dev/null
        list+=("mkdir $t; cd $t; ../build/bin/$t <$in >out && cat out *out && ! grep -E 'FAIL|SUSPECT' *out && grep -q PASS *out")
    done
    programs "${list[@]}"
}

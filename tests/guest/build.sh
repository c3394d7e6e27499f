#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The compilers: C, C++ and Fortran with OpenMP, shared and static, run in the guest; the variables of `origin env`, CMake and Meson. Real
# packages are built and tested in tests/soak/packages.sh.
. "$(dirname "$0")/../lib.sh"
src=$root/tests/guest/build
cp "$src"/* "$tmp"
cd "$tmp" || exit 99

# --- the compilers ------------------------------------------------------------------
programs=
while read -r tool file; do
    for kind in shared static; do
        flags=-O2
        [ $kind = shared ] || flags='-O2 -static'
        # shellcheck disable=SC2086
        "$origin" "$tool" $flags -g -fopenmp "$file" -o "$tool-$kind" 2>"$tmp/said"
        result $? "origin $tool, $kind: compiles" "$(cat "$tmp/said")"
        programs="$programs $tool-$kind"
    done
done <<END
cc sum.c
c++ sum.cc
fortran sum.f90
END
# The first word says that an argument arrived, the last how many threads there were.
run -m ricotta -s "$tmp" -- "for p in $programs; do ./\$p \$p || echo \$p: status \$?; done"
for p in $programs; do
    like "$p: sums up in 16 threads and ends well" "$out" "^$p  *500500(\.0)?  *16$"
done
is 'and nothing else' "$(printf '%s\n' "$out" | wc -l)$err" 6
like 'a line of C++ is in the debug information' "$("$(cd / && "$origin" env OBJDUMP)" --dwarf=decodedline c++-shared 2>/dev/null)" 'sum\.cc +[0-9]+ +0x'

# --- origin env ---------------------------------------------------------------------
(
    eval "$("$origin" env)"
    # shellcheck disable=SC2086,SC2154
    $CC -fopenmp -c sum.c && $AR rc libsum.a sum.o && $RANLIB libsum.a && $CC -fopenmp libsum.a -o from-env && $CXX -c sum.cc &&
        $FC -c sum.f90 -fopenmp && $PKG_CONFIG --exists numa papi && ! $PKG_CONFIG --exists zlib &&
        "$ORIGIN_EXEC" ./from-env env && echo "$CONFIGURE_FLAGS"
) >"$tmp/out" 2>&1
is 'origin env: status' $? 0
like 'origin env: a program of its tools runs' "$(cat "$tmp/out")" '^env 500500 2$'
like 'origin env: flags of configure' "$(cat "$tmp/out")" '^--host=mips64-linux-gnuabi64 --build='
is 'origin env --host' "$("$origin" env --host)" "${ORIGIN_HOST:-mips64-linux-gnuabi64}"

# --- CMake and Meson ----------------------------------------------------------------
CMAKE_TOOLCHAIN_FILE=$("$origin" env CMAKE_TOOLCHAIN_FILE) cmake -S . -B cmake -G Ninja >"$tmp/log" 2>&1 && ninja -C cmake >>"$tmp/log" 2>&1
result $? 'CMake: configures and builds C, C++ and Fortran' "$(tail -n 20 "$tmp/log")"
ORIGIN_EXEC_DIR=$tmp ctest --test-dir cmake >"$tmp/log" 2>&1
result $? 'CMake: ctest runs the program in the guest' "$(tail -n 20 "$tmp/log")"
meson setup --cross-file "$("$origin" env MESON_CROSS_FILE)" meson . >"$tmp/log" 2>&1 && ninja -C meson >>"$tmp/log" 2>&1
result $? 'Meson: configures and builds C, C++ and Fortran' "$(tail -n 20 "$tmp/log")"
ORIGIN_EXEC_DIR=$tmp meson test -C meson --verbose >"$tmp/log" 2>&1
result $? 'Meson: meson test runs the program in the guest' "$(tail -n 20 "$tmp/log")"
like 'Meson: and passes on what it prints' "$(cat "$tmp/log")" 'through-meson 500500 2'

# --- origin-exec --------------------------------------------------------------------
mkdir -p 'a b/c'
cat >'a b/c/script' <<'END'
#!/bin/sh
pwd
echo "<$1> <$2>"
cat ../data
exit 7
END
chmod +x 'a b/c/script'
echo seen >'a b/data'
out=$(cd 'a b/c' && ORIGIN_EXEC_DIR=.. "$("$origin" env ORIGIN_EXEC)" ./script 'x y' '')
is 'origin-exec: directory, arguments, status' "$out $?" "$(pwd -P)/a b/c
<x y> <>
seen 7"
ORIGIN_EXEC_DIR=/usr "$("$origin" env ORIGIN_EXEC)" true >"$tmp/out" 2>&1
is 'origin-exec: a directory elsewhere is refused' "$? $(grep -c 'is not below ORIGIN_EXEC_DIR /usr$' "$tmp/out")" '2 1'
finish

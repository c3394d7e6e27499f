# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
series=0 about='configure; C, threads'
build() {
    ./configure $CONFIGURE_FLAGS --disable-shared
    make -j "$(nproc)"
}
# The unit and regression tests. rcutorture runs with two readers instead of one for each processor, since each of them takes a
# processor of the host's time, and its stress test, which lasts ten seconds, for one kind of RCU only.
check() {
    local t list=()
    for t in tests/unit/test_*; do if [ -x "$t" ] && [ -f "$t" ]; then list+=("$t"); fi; done
    list+=(tests/regression/test_urcu_fork.tap)
    for t in tests/regression/rcutorture_urcu_*; do
        case $t in *.tap*|*.o) ;; *) list+=("$t 2 perf 1") ;; esac
    done
    programs "${list[@]}" 'tests/regression/rcutorture_urcu_membarrier 2 stress'
}

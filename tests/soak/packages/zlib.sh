# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
series=1 quick=1 about='configure of its own; C'
build() {
    CHOST=$("$origin" env --host) ./configure
    make -j "$(nproc)"
}
# What `make test` does: with the static library, with the shared one, and with 64-bit file offsets.
check() {
    local t list=()
    for t in '' sh 64; do
        list+=("export LD_LIBRARY_PATH=.; echo hello world | ./minigzip$t | ./minigzip$t -d | grep -q '^hello world$' && ./example$t tmpst$t.gz")
    done
    programs "${list[@]}"
}

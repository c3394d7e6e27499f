# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
series=5 about='configure; C, threads'
build() { # docs/building.md shows it
    ./configure $CONFIGURE_FLAGS --disable-shared --disable-nls --disable-doc gl_cv_posix_shell=/bin/sh
    make -j "$(nproc)"
    make -C tests check TESTS=
}
# The programs and scripts that `make check` runs, from the makefile.
check() {
    local t list=()
    for t in $(make -s -C tests -f - show <<<'include Makefile
show: ; @echo $(TESTS)'); do
        list+=("cd tests; srcdir=. $t")
    done
    programs "${list[@]/#cd tests; srcdir=. /cd tests; export srcdir=.; ./}"
}

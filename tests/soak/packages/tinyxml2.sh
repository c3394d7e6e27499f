# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
series=11 about='Meson; C++'
build() {
    meson setup --cross-file "$MESON_CROSS_FILE" -Dtests=true -Ddefault_library=static build
    meson compile -C build
}
check() {
    meson test -C build --verbose --timeout-multiplier 20
    programs 'build/xmltest | tee /dev/stderr | grep -q "Fail 0$"'
}

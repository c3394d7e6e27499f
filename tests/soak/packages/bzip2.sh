# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
series=1.0 quick=1 about='make; C'
build() {
    make CC="$CC" AR="$AR" RANLIB="$RANLIB" bzip2 bzip2recover
}
# What `make test` does.
check() {
    programs './bzip2 -1 <sample1.ref >sample1.rb2 && cmp sample1.bz2 sample1.rb2' \
        './bzip2 -2 <sample2.ref >sample2.rb2 && cmp sample2.bz2 sample2.rb2' \
        './bzip2 -3 <sample3.ref >sample3.rb2 && cmp sample3.bz2 sample3.rb2' \
        './bzip2 -d <sample1.bz2 >sample1.tst && cmp sample1.tst sample1.ref' \
        './bzip2 -d <sample2.bz2 >sample2.tst && cmp sample2.tst sample2.ref' \
        './bzip2 -ds <sample3.bz2 >sample3.tst && cmp sample3.tst sample3.ref'
}

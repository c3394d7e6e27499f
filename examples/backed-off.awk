# SPDX-License-Identifier: GPL-2.0-or-later
# Counts, in the table misses.csv of a profile, the transactions that were backed off, and of these the ones at addresses of a program: the
# kernel's begin with 0x8 to 0xf. docs/profile-format.md has the columns.
NR > 1 {
    all += $14
    if ($11 !~ /^0x[89a-f]...............$/)
        own += $14
}
END {
    print "backed off:", all + 0, "of its own memory:", own + 0
}

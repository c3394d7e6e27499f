#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make bench and its page: figures with median and spread, aims that are met or missed, sections that stay, and the word that a section is older than
# its sources. A small tree with benches of its own takes the place of ours.
. "$(dirname "$0")/../lib.sh"
mkdir -p "$tmp/tree"/{scripts,tests/bench,docs,build,engine} && cd "$tmp/tree" || exit 99
cp "$root/scripts/bench" "$root/scripts/measured.py" scripts
cp "$root/tests/lib.sh" tests
echo 0123abc >build/commit
echo one >engine/one.c
cat >tests/bench/quick.sh <<'E2'
#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How quick it is, | and so on.
# depends: engine
. "$(dirname "$0")/../lib.sh"
# shellcheck disable=SC2086
figure 'the work' s ${WORK-3 1 2}
[ -n "${NO_SIZE-}" ] || figure 'size' '' 5
exit "${STATUS-0}"
E2
cat >tests/bench/slow.sh <<'E2'
#!/bin/bash
# Another one.
# depends: engine
. "$(dirname "$0")/../lib.sh"
figure 'slowness' '' 7
E2
printf '%s\n' '# a comment' '' 'quick most 2.5 the work' 'quick least 5 s?ze' >tests/bench/aims
bench() {
    scripts/bench "$@" >out 2>err
    echo $?
}
row() {
    sed -n "s/^| $1 | \(.*\) | \`make.*/\1/p" docs/bench.md
}

is 'aims that are met' "$(bench quick)" 0
is 'a bench that has not run has a section' "$(sed -n '/^## slow/,$p' docs/bench.md)" '## slow

Another one.

Not measured yet.'
bench slow >/dev/null
is 'the median, the spread and the aim' "$(row 'the work')" '2 s | 1 to 3 | 3 | most 2.5, met'
is 'one round has no spread' "$(row size)" '5 |  | 1 | least 5, met'
like 'a row has command, commit, date and host' "$(cat docs/bench.md)" \
    '^\| slowness \| 7 \|.* \| `make bench T=slow` \| 0123abc \| 20[0-9-]{8} \| [0-9]+ x .*, load [0-9.]+ \|$'
like 'a section says what it measures' "$(cat docs/bench.md)" '^How quick it is, \| and so on\.$'
is 'an aim that is missed' "$(WORK='3 4' bench quick)" 1
is 'the page has it' "$(row 'the work')" '3.5 s | 3 to 4 | 2 | most 2.5, **missed**'
like 'and so has the end of the output' "$(cat out)" '^quick: the work: 3.5 s, at most 2.5: MISSED$'
is 'sections of others stay' "$(row slowness)" '7 |  | 1 | '
is 'an aim without a figure' "$(NO_SIZE=1 bench quick)" 1
like 'is named' "$(cat out)" '^quick: s\?ze: not measured: MISSED$'
is 'a figure that is no number meets no aim' "$(WORK='1 x' bench quick)" 1
is 'a bench that fails' "$(STATUS=3 bench quick)" 1
is 'leaves its section as it was' "$(row 'the work')" '- s | x to 1 | 2 | most 2.5, **missed**'
is 'a pattern of nothing' "$(bench nothing) $(cat err)" "1 bench: no program of tests/bench has a name with 'nothing'"

bench >/dev/null
is 'the page is of these sources' "$(scripts/measured.py --status)" 'docs/bench.md: quick: of these sources
docs/bench.md: slow: of these sources'
cp docs/bench.md before
echo two >engine/one.c
is 'a source changes' "$(scripts/measured.py --status)" 'docs/bench.md: quick: older than the sources; make docs writes that into the page
docs/bench.md: slow: older than the sources; make docs writes that into the page'
scripts/measured.py --mark
is 'the page says so' "$(grep -c '^\*\*Older than the sources:\*\*' docs/bench.md)" 2
bench slow >/dev/null
is 'until it is measured anew' "$(scripts/measured.py --status)" 'docs/bench.md: quick: older than the sources
docs/bench.md: slow: of these sources'
is 'the other section still says so' "$(grep -c '^\*\*Older than the sources:\*\*' docs/bench.md)" 1
echo one >engine/one.c
scripts/measured.py --mark
is 'a source that is changed back makes its figures right again' "$(scripts/measured.py --status)" 'docs/bench.md: quick: of these sources
docs/bench.md: slow: older than the sources'
is 'and the page says that' "$(sed -n '/^## quick/,/^## slow/p' docs/bench.md)" "$(sed -n '/^## quick/,/^## slow/p' before)"
finish

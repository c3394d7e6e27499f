#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/reproduce with a table of its own and a launcher that runs commands on the host: pages, verdicts, failed ones shown as failed, a second run,
# an interrupted one, errors, programs that do not depend on where they were compiled. And the pages of docs/reproduction belong to the experiments of
# examples/papers.toml.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/table.toml" <<'END'
[[experiment]]
name = "sum"
title = "A sum"
source = "test"
paper = "Six."
machine = "origin200"
options = "--model=off"
[[experiment.run]]
name = "one"
command = "echo sum 6; for i in 3 9 1 4; do echo again x $i; done; echo again y 5; for i in 1 2 4; do echo row $i a $((i * i)); done"
[[experiment.run]]
name = "two"
command = "echo sum 7"
[[experiment.run]]
name = "quotes"
command = "x='a  b'; echo \"$x\" `echo c`"
[[experiment.value]]
id = "a"
what = "first"
is = "number('one', r'sum (\\d+)')"
paper = 6
percent = 1
[[experiment.value]]
id = "b"
what = "second"
is = "number('two', r'sum (\\d+)')"
paper = 6
points = 0.5
[[experiment.criterion]]
says = "the second is more"
holds = "v['b'] > v['a']"
[[experiment.criterion]]
asks = "Is the second even?"
holds = "v['b'] % 2 == 0"
[[experiment.table]]
name = "rows"
pattern = 'row (?P<x>\d+) (?P<who>\w+) (?P<y>\d+)'
columns = { x = "x", y = "y" }
text = "Rows:"
[[experiment.table]]
name = "again"
pattern = 'again (?P<who>\w+) (?P<y>\d+)'
median = ["y"]
columns = { who = "who", y = "y", spread = "spread" }
text = "Medians:"
[[experiment.chart]]
title = "squares"
table = "rows"
where = "row['y'] < 10"
x = "x"
y = "y"
by = "who"
y_text = "y"
text = "A picture:"
[[experiment]]
name = "status"
title = "A status"
source = "test"
paper = "None."
machine = "origin200"
options = "--model=off"
[[experiment.run]]
name = "bad"
command = "echo all went wrong >&2; exit 3"
[[experiment]]
name = "open"
title = "What is open"
source = "test"
question = true
paper = "Is it?"
uses = ["sum"]
[[experiment.criterion]]
asks = "Is the first 6?"
holds = "number('one', r'sum (\\d+)') == 6"
[[experiment.criterion]]
asks = "Is the second 6?"
holds = "number('two', r'sum (\\d+)') == 6"
[[experiment.criterion]]
says = "both are 6"
holds = "number('two', r'sum (\\d+)') == 6"
END
cat >"$tmp/program.toml" <<'END'
[[experiment]]
name = "program"
title = "A program"
source = "test"
paper = "None."
machine = "origin200"
options = "--model=off"
files = ["examples/references.c"]
[[experiment.run]]
name = "bytes"
command = "sha256sum references"
END
cat >"$tmp/origin" <<END
#!/bin/sh
[ "\$1" != cc ] || exec "$origin" "\$@"
END
cat >>"$tmp/origin" <<'END'
for last; do :; done
exec sh -c "$last"
END
chmod +x "$tmp/origin"
try() {
    ORIGIN="$tmp/origin" \
    "$root/scripts/reproduce" --table "$tmp/table.toml" --docs "$tmp/docs" --work "$tmp/work" "$@" >"$tmp/out" 2>"$tmp/err"
    status=$?
    out=$(cat "$tmp/out") err=$(cat "$tmp/err")
}
try sum
is "runs" "$status $err" "0 "
is "a line when a run begins" "$(printf '%s\n' "$out" | grep -cE '^reproduce: sum/[a-z]* begins; it takes about [0-9.]+ min$')" 3
like "progress" "$out" '^reproduce: 3 of 3: sum/[a-z]*: [0-9]* s; about 0 minutes left$'
like "the verdicts" "$out" '^reproduce: 2 criteria met, 1 failed; '
page=$(cat "$tmp/docs/sum.md")
like "a value that is met" "$page" '^\| first \| +\| 6 \| 6 \| within 1 % \| met \|$'
like "a value that failed is shown as failed" "$page" '^\| second \| +\| 6 \| 7 \| within 0.5 points \| \*\*FAILED\*\* \|$'
like "a criterion" "$page" "^\* met: the second is more. Criterion: .v\['b'\] > v\['a'\].$"
like "a table" "$page" '^\| 4 \| 16 \|$'
is "a table of medians" "$(printf '%s\n' "$page" | grep -A1 '^| x | 3')" "| x | 3.5 | 228.6 |
| y | 5 | 0 |"
like "the command" "$page" '^origin run -m origin200 --model=off -s \. -- '"'echo sum 7'"'$'
like "an answer is no verdict" "$page" "^\* Is the second even\? \*No\.\* Yes would be: .v\['b'\] % 2 == 0.$"
like "machine, options, kernel, commit of the build" "$page" \
    "^Machine origin200, options .--model=off., Linux 6\.[0-9.]*, commit $(cat "$root/build/commit")\.$"
like "the index" "$(cat "$tmp/docs/README.md")" '^\| \[A sum\]\(sum\.md\) \| test \| 2 \| 1 \| second \|$'
like "an experiment without results" "$(cat "$tmp/docs/README.md")" '^\| A status \| test \| +\| +\| not measured \|$'
is "a chart has the rows that it wants" "$(sed -n 's/.*<text><tspan[^>]*>\([0-9]*\)<.*/\1/p' "$tmp/docs/sum-1.svg" | sort -n | tail -1)" 4
like "the picture is in the page" "$(cat "$tmp/docs/index.html")" '<svg role="img" aria-label="squares"'
like "a question that was not measured" "$(cat "$tmp/docs/README.md")" '^\| What is open \| test \| not measured \| +\|$'

# The program, and with it what a guest does, is the same wherever it was compiled.
for place in "$tmp/place" "$tmp/another/place"; do
    ORIGIN="$tmp/origin" ok "a program is compiled in $place" "$root/scripts/reproduce" --table "$tmp/program.toml" --docs "$tmp/docs.program" --work "$place"
done
is "it is the same in both" "$(cat "$tmp/another/place/program/bytes/out")" "$(cat "$tmp/place/program/bytes/out")"
strings -a "$tmp/place/program/bytes/share/references" >"$tmp/strings"
like "it has debug information" "$(cat "$tmp/strings")" '^references\.c$'
unlike "without the names of this clone" "$(cat "$tmp/strings")" "$root|$tmp"
try open
like "answers do not count as criteria" "$out" '^reproduce: 2 criteria met, 2 failed; '
like "the answers in the index" "$(cat "$tmp/docs/README.md")" \
    '^\| \[What is open\]\(open\.md\) \| test \| Is the first 6\? Yes\. Is the second 6\? No\. \| both are 6 \|$'
rm -r "$tmp/docs"
try sum
is "quotes and variables of a command are the guest's" "$(cat "$tmp/work/sum/quotes/out")" 'a  b c'
cp -r "$tmp/docs" "$tmp/first"
try sum
like "what is done is not repeated" "$out" '^reproduce: 3 runs, 3 of them done before$'
ok "and the pages are the same" diff -r "$tmp/first" "$tmp/docs"
rm "$tmp/work/sum/two/done"
try sum
like "an interrupted run is repeated" "$out" '^reproduce: 3 runs, 2 of them done before$'
ok "and gives the same bytes" diff -r "$tmp/first" "$tmp/docs"
sed -i 's/echo sum 7/echo sum 6/' "$tmp/table.toml"
try sum
like "a changed experiment is repeated" "$out" '^reproduce: 1 criteria met, 1 failed; |^reproduce: 2 criteria met, 1 failed; '
unlike "and its verdict is new" "$(cat "$tmp/docs/sum.md")" '^\| second .*FAILED'
try
is "a program that fails: status" "$status" 1
is "and what it was" "$err" "reproduce: status/bad: 'origin run -m origin200 --model=off -s . -- 'echo all went wrong >&2; exit 3'' ended with status 3
all went wrong"
sed "s/is = \"number('one'/is = \"number('none'/" "$tmp/table.toml" >"$tmp/other.toml"
try --table "$tmp/other.toml" sum
is "an expression that fails: status, and what it was" "$status $err" "1 reproduce: sum: its results cannot be evaluated: KeyError: 'none'"
try nothing
is "no such experiment" "$status $err" "1 reproduce: no experiment has a name with nothing: sum status open"
cat >"$tmp/other.toml" <<'END'
[[experiment]]
name = "before"
title = "Recorded"
source = "test"
paper = "A licence."
machine = "none"
[[experiment.run]]
name = "text"
command = "exit 1"
recorded = "LICENSE"
[[experiment.value]]
id = "version"
what = "version"
is = "number('text', r'[Vv]ersion ([0-9])')"
paper = 2
points = 0
END
try --table "$tmp/other.toml" before
is "a run that was recorded before is read, not run" "$status $(grep -c '| version |.*| met |' "$tmp/docs/before.md") $(grep -c '^Recorded in .LICENSE.' "$tmp/docs/before.md")" "0 1 1"
sed -i 's/LICENSE/no-such-file/' "$tmp/other.toml"
try --table "$tmp/other.toml" before
is "a recording that is not there" "$status $err" \
    "1 reproduce: $tmp/other.toml: a run of before was recorded in no-such-file, which is not there"
sed -i '/^title = "A status"/d' "$tmp/table.toml"
try
is "a table with something missing" "$status $err" "1 reproduce: $tmp/table.toml: experiment status has no 'title'"
echo '[' >"$tmp/table.toml"
try
like "a table that is none" "$status $err" '^1 reproduce: .*table.toml: '

git init -q "$tmp/tree"
mkdir "$tmp/tree/tools" "$tmp/tree/docs"
named() { (cd "$tmp/tree" && "$root/scripts/write-commit" build/commit && cat build/commit); }
is "the build's commit without a history" "$(named)" unknown
change() { echo "$2" >"$tmp/tree/$1" && git -C "$tmp/tree" add "$1"; }
commit() { git -C "$tmp/tree" -c user.name=test -c user.email=test@example.org commit -q -m "$1"; }
change tools/a 1 && commit one
first=$(git -C "$tmp/tree" rev-parse --short=10 HEAD)
is "the build's commit" "$(named)" "$first"
change tools/a 2
is "with sources that differ from it" "$(named)" "$first-dirty"
commit two
second=$(git -C "$tmp/tree" rev-parse --short=10 HEAD)
change docs/b 1 && commit three
is "commits of documents do not change it" "$(named)" "$second"

"$root/scripts/reproduce" --list >"$tmp/list"
for page in "$root"/docs/reproduction/[a-z]*.md; do
    name=$(basename "$page" .md)
    [ "$name" = README ] || ok "$name is an experiment" grep -q "^$name: " "$tmp/list"
done
finish

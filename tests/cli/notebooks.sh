#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/notebooks.md: its commands make what the two notebooks read, all cells run, and the frames hold what the files hold.
# timeout: 1800
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 99
# The page's commands, with fewer variants; the packages are there, as those of all tests.
sed -n '/^```$/,/^```$/p' "$root/docs/notebooks.md" | grep -v '^```' | sed '/^make notebooks/d' >commands
is 'the page has the commands' "$(wc -l <commands)" 5
ln -s "$root/docs" "$root/examples" .
sed -i 's|^origin sweep|sed -i -e "s/^procs.*/procs = [1, 4]/" -e "s/^seed.*/seed = [1, 2]/" sweep.toml; &|' commands
PATH=$root:$PATH bash -e commands >said 2>&1
is 'its commands run' "$?" 0 || tail -n 20 said
cat >sweep.check <<'END'
import csv
with open("sweep.sweep/results.csv", newline="") as f:
    rows = list(csv.DictReader(f))
assert len(runs) == len(rows) and list(runs.columns) == list(rows[0]), "rows and columns"
assert runs["ns"].tolist() == [int(r["ns"]) for r in rows], "numbers"
assert runs["region"].tolist() == [r["region"] for r in rows], "texts"
assert len(fft) == 8 and len(pictures) == 3, (len(fft), len(pictures))
# A line for each of two models, each with two numbers of processors, whose values are the means of two seeds.
lines = pictures[0].get_lines()
assert [line.get_label() for line in lines] == ["time=full", "time=unloaded"], "lines"
want = [sum(int(r["ns"]) for r in rows if (r["region"], r["time"], r["procs"]) == ("fft", "full", p)) / 2000 for p in ("1", "4")]
assert all(abs(a - b) < 1e-6 * b for a, b in zip(lines[0].get_ydata(), want)), (lines[0].get_ydata(), want)
assert list(pictures[1].get_lines()[0].get_ydata())[0] == 1, "speed-up of the least x"
END
cat >profile.check <<'END'
# The laws of docs/profile-format.md hold on the frames.
for _, cpu in run["cpus"].iterrows():
    assert cpu["busy_ticks"] + cpu["stall_ticks"] + cpu["idle_ticks"] == cpu["ticks"], cpu
    stalls = run["stalls"]
    assert stalls[stalls["cpu"] == cpu["cpu"]]["ticks"].sum() == cpu["stall_ticks"], cpu
table = run["misses"]
assert table["address"].max() >= 1 << 63, "addresses of the kernel"
for kind, there in run["truth"]["cpus"][0]["transactions"].items():
    if isinstance(there, dict) and {"local", "remote"} <= set(there):
        got = table[(table["cpu"] == 0) & (table["tx"] == kind)]["count"].sum()
        assert got == there["local"] + there["remote"], (kind, got, there)
assert len(pictures) == 5, len(pictures)
bars = sum(bar.get_height() for bar in pictures[2].patches)
assert bars == named["count"].sum() > 0, (bars, named["count"].sum())
assert set(trace["loc"]) == {"n0", "n1", "n2", "n3"} and trace["mem"].between(0, 100).all(), trace
END
for name in sweep profile; do
    said=$(PATH=$root:$PATH python3 "$root/tests/notebook.py" "nb/$name.ipynb" "$name.check" 2>&1)
    is "$name.ipynb runs, and its frames are right" "$? $said" '0 '
done
# The module stands alone, so it lists again which columns are text.
is 'columns of text are those of profile.h' "$(PYTHONPATH=$root/docs/notebooks /usr/bin/python3 - "$root/include/profile/profile.h" 2>&1 <<'END'
import re, sys, origin2000
header = open(sys.argv[1]).read()
for name, table in re.findall(r'X\((\w+), *"(\w+)\.csv"\)', header):
    columns = re.search(r"#define SN_PROFILE_COLUMNS_%s\(C\).*?\n\n" % name, header, re.S)[0]
    missing = set(re.findall(r"C\((\w+), *STR", columns)) - set(origin2000.TEXT.get(table, ()))
    print(*(f"{table}.{c}" for c in sorted(missing)), end="")
END
)" ''
# What is wrong is said in one line.
cp -r nb/profile broken && rm broken/meta.csv
refuse() { PYTHONPATH=$root/docs/notebooks /usr/bin/python3 -c "import sys, origin2000; $1" 2>&1 | tail -n 1; }
is 'a directory without a profile' "$(refuse 'origin2000.profile("broken")')" 'FileNotFoundError: broken: there is no profile (meta.csv)'
printf 'key,value\nformat,2\n' >broken/meta.csv
is 'another format' "$(refuse 'origin2000.profile("broken")')" 'ValueError: broken: format 2 of profiles is not known here'
is 'a trace that is none' "$(PATH=$root:$PATH refuse 'origin2000.trace("said")' | sed 's/: .*//')" RuntimeError
printf "variant,region,n\na,'=x,1\nb,-1,\n" >own.csv
is 'texts and numbers of a table' "$(refuse 'f = origin2000.sweep("own.csv"); print(f["region"].tolist(), f["n"].tolist())')" "['=x', '-1'] [1.0, nan]"
finish

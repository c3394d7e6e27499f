#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# origin sweep without a machine: what it refuses before a job runs, and what it says of jobs that failed. tests/guest/t_sweep.sh has machines.
. "$(dirname "$0")/../lib.sh"
sweep() { "$origin" sweep "$@" >"$tmp/out" 2>"$tmp/err"; status=$?; }
refused() { # NAME MESSAGE FILE: one line, exit status 2, and no place for results
    printf '%b\n' "$3" >"$tmp/bad.toml"
    sweep "$tmp/bad.toml" -o "$tmp/bad"
    is "$1" "$status $(cat "$tmp/err")$([ ! -e "$tmp/bad" ] || echo ' and a directory')" "2 origin: sweep: $tmp/bad.toml: $2"
}

# --- a name that means something is no parameter ---
options=$("$root/build/launcher" --options | awk -F'\t' '$1 == "option" && $2 ~ /^run/ && $4 == "" && $10 != "" { print substr($3, 3) }')
like 'origin run has options' "$options" '^threads$'
taken() { # NAME MEANING [WHERE LINE]
    printf '[base]\n%s\n[axes]\n"%s" = [1]\n' "${4:-command = \"./fft -p {$1\}\"}" "$1" >"$tmp/taken.toml"
    sweep "$tmp/taken.toml" -o "$tmp/bad"
    [ "$status $(cat "$tmp/err")" = "2 origin: sweep: $tmp/taken.toml: ${3:-command}: {$1} cannot be a parameter, because '$1' is $2: choose another name, such as my-$1" ] ||
        wrong="$wrong $1: $status $(cat "$tmp/err")"
}
wrong=
for name in $options; do taken "$name" "the option --$name of origin run"; done
taken machine 'the option -m of origin run'
taken share 'the option -s of origin run'
taken kernel 'the option -k of origin run'
taken kernel-args 'the option -a of origin run'
taken timeout 'the option -t of origin run'
for name in roi-time roi-seed roi-model roi-sh; do taken $name 'a setting of sweeps'; done
taken name 'the name of a [[variant]]'
for name in variant status exit error region ns local host_mb commit; do taken $name 'a column of results.csv'; done
taken threads 'the option --threads of origin run' env.T 'command = "true"
env = { T = "{threads}" }'
taken threads 'the option --threads of origin run' roi-env.T 'command = "true"
roi-env = { T = "{threads}" }'
taken threads 'the option --threads of origin run' roi-sh 'command = "true"
roi-sh = "echo {threads}"'
is 'each option, setting and column is refused as a parameter' "$wrong" ''
refused 'a base setting, too' "command: {seed} cannot be a parameter, because 'seed' is the option --seed of origin run: choose another name, such as my-seed" \
    '[base]\nseed = 1\ncommand = "echo {seed}"'
refused 'and a key of a variant' "command: {seed} cannot be a parameter, because 'seed' is the option --seed of origin run: choose another name, such as my-seed" \
    '[base]\ncommand = "echo {seed}"\n[[variant]]\nseed = 1'
for name in command env roi-env; do
    refused "an axis $name" "axes.$name: an axis is an option or a parameter: write {my-$name} there, and call the axis my-$name" "[base]\ncommand = \"true\"\n[axes]\n$name = [\"a\"]"
done
refused 'a metric with the name of a column' 'metrics.error: the table has a column of this name already' '[base]\ncommand = "true"\n[metrics]\nerror = "(.)"'
refused 'a metric with the name of a setting' 'metrics.n: the table has a column of this name already' '[base]\ncommand = "echo {n}"\nn = 1\n[metrics]\nn = "(.)"'

# --- what cannot run ---
refused 'a misspelt option' "'time-model' is neither an option of origin run nor a {time-model} of the command or its environment" \
    '[base]\ncommand = "true"\ntime-model = "full"'
for name in rows view regions split; do
    refused "an option that a sweep cannot set: $name" "'$name': the option --$name of origin run cannot be set in a sweep" "[base]\ncommand = \"true\"\n$name = 1024"
done
refused 'options that exclude each other' 'until-roi=off: --until-roi does not go with --model=off: it switches the model on' '[base]\ncommand = "true"\nmodel = "off"\n[axes]\nuntil-roi = ["off", "unloaded"]'
refused 'a wrong value of an option' "bad: --time is unloaded or full, not 'slow' (origin --help)" '[base]\ncommand = "true"\ntime = "slow"'
refused 'a wrong value from the region on' "bad: --set time is unloaded or full, not 'slow' (origin --help)" '[base]\ncommand = "true"\nroi-time = "slow"'
refused 'later settings of a machine that cannot split' 'bad: settings from the region on make futures: --split does not go with --quantum=off: regions need machine time' \
    '[base]\ncommand = "true"\nquantum = "off"\nroi-sh = "true"'
mkdir "$tmp/share"
ln -s share "$tmp/alias"
for share in . share alias; do
    printf '[base]\ncommand = "true"\nshare = "%s"\n' "$share" >"$tmp/bad.toml"
    place=$tmp/share/results
    sweep "$tmp/bad.toml" -o "$place"
    is "results in the share $share" "$status $(cat "$tmp/err")$([ ! -e "$place" ] || echo ' and a directory')" \
        "2 origin: sweep: $tmp/bad.toml: $place lies in the share $(realpath "$tmp/$share"), where guests can write: choose a place outside (-o)"
done
refused 'no command' 'no command' '[base]\ncommand = []'
for part in base axes metrics; do
    refused "$part that is no table" "$part: a table of names and values is wanted" "$part = 1"
done
refused 'env that is no table' 'env: a table of names and values is wanted' '[base]\ncommand = "true"\nenv = "A=1"'
refused 'a variant that is no table' 'variant is a list of tables ([[variant]])' 'variant = [1]\n[base]\ncommand = "true"'
refused 'a variant whose name is no text' 'name: a number, a text, true or false is wanted, not [1]' '[base]\ncommand = "true"\n[[variant]]\nname = [1]'

# --- why a job failed ---
# Instead of machines, a program says on standard error what is in the file CASE, and ends with the status that CASE.exit has.
mkdir "$tmp/fake"
cd "$tmp/fake" || exit 99
echo 1 >commit
cat >origin <<E2
#!/bin/sh
case \$1 in
sweep) shift; ORIGIN_BUILD=$tmp/fake/commit exec "$root/launcher/sweep" "\$@" ;;
esac
case \$2 in
--check-options) exit 0 ;;
esac
for case; do :; done
cat "$tmp/fake/\$case" >&2
exit "\$(cat "$tmp/fake/\$case.exit")"
E2
chmod +x origin
says() { # CASE EXIT_STATUS, standard input: what it says
    cat >"$1"
    echo "$2" >"$1.exit"
}
# The launcher's own words for what is no error.
cat >remarks.c <<'E2'
#include <stdio.h>
#include "messages.h"
#include "what/what.h"
int main(void)
{
    printf("origin: " MSG_MODEL "\n", 0.5, "a region began", "full", "off", MSG_COLD);
    printf("origin: " MSG_REGION "\n", "work", 0.5, "full", 7ull, 7ull, 385.0, 7ull);
    printf("origin: " MSG_WHAT_IS "\n", "memory=x2");
    printf("origin: " MSG_REGION_OFF "\n", "work", 0.5, 7ull);
    printf("origin: " MSG_NO_START "\n", " ", "work", "off");
    printf("origin: " MSG_NO_START "\n", "", "", "unloaded");
    printf("origin: " MSG_ORDER "\n", 500.0, 7ull, 7ull);
    printf("origin: " MSG_NO_MODULES "\n", "snpc");
    printf("origin: " MSG_KERNEL_MODULES "\n", "/vmlinux", 4u, 16u);
    return 0;
}
E2
gcc -I"$root/launcher" -I"$root/qemu-origin/engine" -I"$root/include" -o remarks remarks.c || exit 99
is 'remarks of the launcher' "$(./remarks | wc -l)" 9
echo 'a warning' | says fine 0
{ ./remarks; echo 'origin: the kernel panicked'; echo 'origin: its memory was lost'; echo '[ 1.0] Kernel panic'; } | says panic 125
echo 'origin: --threads does not go with --quantum=off' | says usage 2
{ ./remarks; printf '\n \t fft: -m is\teven\nusage: fft\n'; } | says complains 1
./remarks | says silent 3
echo 'half way' | says late 124
printf '\033[31mred\a "x", <b>\xff \xe2\x80\xae\r\n' | says bytes 1
printf '%01000000d' 0 | says long 1
printf '[base]\ncommand = ["{case}"]\n[axes]\ncase = ["fine", "panic", "usage", "complains", "silent", "late", "bytes", "long"]\n' >fake.toml
# As ./origin starts the sweep, but for the program that its jobs run
(set -a; . "$root/build/env"; ORIGIN_LAUNCH=$tmp/fake/origin exec "$root/launcher/sweep" fake.toml) >"$tmp/out" 2>"$tmp/err"
status=$?
is 'seven of eight fail' "$status $(cat "$tmp/out")" "1 $tmp/fake/fake.sweep/results.csv: 8 rows of 8 variants, 7 not ok"
printf -v long '%0297d...' 0
said=(
    'machine: origin: the kernel panicked'
    'failed: origin: --threads does not go with --quantum=off'
    'failed: command: fft: -m is even'
    'failed: exit status 3'
    'timeout: exit status 124'
    'failed: command: ?[31mred? "x", <b>� ?'
    "failed: command: $long"
)
cases=(panic usage complains silent late bytes long)
is 'a line for each says why' "$(sed -n "s|^origin: sweep: case=\(.*\) ($tmp/fake/fake.sweep/runs/case=.*)\$|\1|p" "$tmp/err")" \
    "$(for i in "${!said[@]}"; do echo "${cases[i]}: ${said[i]}"; done)" || cat "$tmp/err"
python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1], encoding="utf-8", newline="")):
    print(r["case"] + ": " + r["status"] + ": " + r["error"])' fake.sweep/results.csv >"$tmp/table"
is 'the table says it' "$(cat "$tmp/table")" "fine: ok: 
$(for i in "${!said[@]}"; do echo "${cases[i]}: ${said[i]}"; done)"
like 'the report says it' "$(cat fake.sweep/report.html)" 'case=bytes: failed: command: \?\[31mred\? &quot;x&quot;, &lt;b&gt;� \? \(runs/case=bytes-'
# --- Slurm's jobs are ended by a name that no other sweep has ---
mkdir "$tmp/slurm"
cat >"$tmp/slurm/sbatch" <<'END'
#!/bin/sh
for word; do case $word in --job-name=*) echo "${word#*=}" >>"$SAID/names" ;; esac; done
exec sleep 100
END
cat >"$tmp/slurm/scancel" <<'END'
#!/bin/sh
echo "$@" >>"$SAID/ended"
END
chmod +x "$tmp/slurm"/*
printf '[base]\ncommand = "true"\n' >"$tmp/one.toml"
for i in 1 2; do
    (export SAID=$tmp PATH=$tmp/slurm:$PATH; exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])' "$origin" sweep "$tmp/one.toml" -o "$tmp/one" --slurm) >"$tmp/out" 2>"$tmp/err" &
    until [ "$(wc -l 2>/dev/null <"$tmp/names")" = $i ] || ! kill -0 $!; do sleep 0.1; done
    kill -INT $!
    wait $!
    is "interrupted $i: status" $? 130
done
is 'each ends the jobs of its own name' "$(cat "$tmp/ended")" "$(sed 's/.*/--name=& --me/' "$tmp/names")"
is 'and the names are two' "$(sort -u "$tmp/names" | grep -c '^origin-sweep-[0-9a-f]\{16\}$')" 2
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# origin sweep without a machine: what it says of jobs that failed. tests/guest/t_sweep.sh has machines.
. "$(dirname "$0")/../lib.sh"
# --- why a job failed ---
# Instead of machines, a program says on standard error what is in the file CASE, and ends with the status that CASE.exit has.
mkdir "$tmp/fake"
cd "$tmp/fake" || exit 99
echo 1 >commit
cat >origin <<E2
#!/bin/sh
case \$1 in
sweep) shift; exec "$root/launcher/sweep" "\$@" ;;
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
int main(void)
{
    printf("origin: " MSG_MODEL "\n", 0.5, "a region began", "full", "off", MSG_COLD);
    printf("origin: " MSG_REGION "\n", "work", 0.5, "full", 7ull, 7ull, 385.0, 7ull);
    printf("origin: " MSG_REGION_OFF "\n", "work", 0.5, 7ull);
    printf("origin: " MSG_NO_START "\n", " ", "work", "off");
    printf("origin: " MSG_NO_START "\n", "", "", "unloaded");
    printf("origin: " MSG_ORDER "\n", 500.0, 7ull, 7ull);
    printf("origin: " MSG_NO_MODULES "\n", "snpc");
    printf("origin: " MSG_KERNEL_MODULES "\n", "/vmlinux", 4u, 16u);
    return 0;
}
E2
gcc -I"$root/launcher" -o remarks remarks.c || exit 99
is 'remarks of the launcher' "$(./remarks | wc -l)" 8
echo 'a warning' | says fine 0
{ ./remarks; echo 'origin: the kernel panicked'; echo 'origin: its memory was lost'; echo '[ 1.0] Kernel panic'; } | says panic 125
echo 'origin: --threads does not go with --regions' | says usage 2
{ ./remarks; printf '\n \t fft: -m is\teven\nusage: fft\n'; } | says complains 1
./remarks | says silent 3
echo 'half way' | says late 124
printf '\033[31mred\a "x", <b>\xff \xe2\x80\xae\r\n' | says bytes 1
printf '%01000000d' 0 | says long 1
printf '[base]\ncommand = ["{case}"]\n[axes]\ncase = ["fine", "panic", "usage", "complains", "silent", "late", "bytes", "long"]\n' >fake.toml
ORIGIN_LAUNCH=$tmp/fake/origin "$root/launcher/sweep" fake.toml >"$tmp/out" 2>"$tmp/err"
status=$?
is 'seven of eight fail' "$status $(cat "$tmp/out")" "1 $tmp/fake/fake.sweep/results.csv: 8 rows of 8 variants, 7 not ok"
printf -v long '%0297d...' 0
said=(
    'machine: origin: the kernel panicked'
    'failed: origin: --threads does not go with --regions'
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
finish

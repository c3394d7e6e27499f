#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a viewer costs the host: CPU seconds of a run on arctic that nobody looks at, and of the same with a viewer that reads four pictures a second,
# QEMU's and the view's together, by turns. Prints how many pictures there were.
. "$(dirname "$0")/../lib.sh"
m=${M:-arctic} rounds=${ROUNDS:-3}
job=${JOB:-'for i in $(seq 24); do md5sum /usr/bin/snbench & done; wait'}
cpu() { # FILE COMMAND...: CPU seconds of it and its children, to FILE
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(u.ru_utime + u.ru_stime, file=open(sys.argv[1], "w"))' "$@"
}
for ((i = 0; i < rounds; i++)); do
    cpu "$tmp/alone" "$origin" run -m "$m" -- "$job" || exit 1
    cpu "$tmp/watched" "$origin" run --view -m "$m" -- "$job" 2>"$tmp/err" &
    run=$!
    "$root/tests/guest/view.py" read "$tmp/err" 1 >"$tmp/pictures"
    wait $run || exit 1
    echo "$(cat "$tmp/alone") $(cat "$tmp/watched") $(cat "$tmp/pictures")"
done >"$tmp/rounds"
read -r alone watched ms pictures rate share < <(medians '$1' '$2' '($2 - $1) / $3 * 1000' '$3' '$4' '($2 - $1) / $3 * 4')
printf '%-32s %9s %9s %9s %9s %9s\n' "viewers of $m, medians of $rounds" 'alone, s' 'watched' 'pictures' 'a second' 'ms each' \
    "md5sum on 24 processors" "$alone" "$watched" "$pictures" "$rate" "$ms"
aim "CPU seconds of four pictures a second, $m" "$share" most 0.05

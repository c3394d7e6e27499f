#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# snrun, sninfo, sndump: figures 5.4 and 5.5 on their machine; local access ratios of known placement; threads, fork, exec, crashes, daemons,
# kills; exit status; a full disk; the cost of sampling; every refusal; traces that read the same on guest and host.
. "$(dirname "$0")/../lib.sh"
"$origin" cc -O2 -Wall -o "$tmp/snload" "$root/tests/guest/snload.c" -lnuma -lpthread || exit 99
host=$root/build/host

# A case has two parts. "guest NAME" adds what the guest runs, in the empty directory /tmp/t, to the script of the next boot. The function
# want_NAME below it says what is expected of $out, which the guest then printed. "boot MACHINE" runs all cases so far, and asks for each.
cases=
guest() {
    cases="$cases $1"
    { echo "echo '== $1'; cd /tmp/t; rm -rf ./*"; cat; } >>"$tmp/cases.sh"
}
boot() {
    {
        cat <<'END'
L=/share/snload
mkdir -p /tmp/t
e() { echo "\$ $*"; "$@" 2>&1; echo "= $?"; }
END
        cat "$tmp/cases.sh"
    } >"$tmp/boot.sh"
    rm "$tmp/cases.sh"
    run "$@" -s "$tmp" -- sh boot.sh </dev/null
    is "$*: status" "$status" 0
    mv "$tmp/out" "$tmp/log"
    for case in $cases; do
        out=$(sed -n "/^== $case\$/,/^== /p" "$tmp/log" | grep -v '^== ')
        "want_$case"
    done
    cases=
}
# apart NAME MS TEXT [LOST]: in each of its lines "[BEGIN,END]: N ticks", N is the number of periods of MS in that time. Some may be shorter: the first and
# the last, because a thread begins and ends at any time, and one after each wait for the other thread, because a thread that waits is sampled by another
# clock than one that runs. There are eight waits or fewer that are longer than what is left of a period. BEGIN and END are rounded to milliseconds.
# LOST: so many periods at most have no tick, beside the one that the thread's end cuts off.
apart() {
    is "$1" "$(printf '%s\n' "$3" | sed -n 's/.*\[\([0-9.]*\),\([0-9.]*\)\]: \([0-9]*\) ticks.*/\1 \2 \3/p' |
        awk -v p="$2" -v lost="${4:-0}" '{ d = ($2 - $1) * 1000 - p * $3; print (-10 * p - 1 < d && d < (1 + lost) * p + 1 ? "good" : $0) }' | sort -u)" good
}

# --- figures 5.4 and 5.5, and local ratios, on their machine ----------------------------------------------------------------------------
# The first work on all processors makes kthreadd create a thread for each, one after the other. It does so on the sampler's processor.
guest kthreadd <<'END'
mask=$(taskset -p 2 | sed 's/.*: //'); taskset -p 2 2 >/dev/null
snrun -r1 -s10 -n1-2 --mem -o k cat /proc/sys/vm/stat_refresh 2>&1 | grep dropped
taskset -p $mask 2 >/dev/null
END
want_kthreadd() { is "the creation of kernel threads does not delay the sampler" "$out" ""; }

guest figure_5_4 <<'END'
snrun -r1 -s50 -n1 -n2 --alocal snbench -i40 -h1 -l3 -l5 bw-read 2>summary
echo "status $?"; cat summary
echo SNINFO; sninfo snbench.out*
echo TOTAL; sndump --total -t1 --alocal snbench.out* 2>&1
END
want_figure_5_4() {
    printf '%s\n' "$out" >"$tmp/figures"
    table=$(sed -n '1,/^status/p' "$tmp/figures" | sed -E 's/^(bw-read +UOWN +[0-9]+)( +[0-9.e-]+){5} +MB/\1 N N N N N MB/; s/ +/ /g')
    is "figure 5.4: the program's output and status" "$table" "EXPERIMENT STAT TID MIN MAX MED AVG STDEV UNIT
bw-read UOWN 3 N N N N N MB/s
bw-read UOWN 5 N N N N N MB/s
status 0"
    mask='s/[0-9]+\.[0-9]{3},[0-9]+\.[0-9]{3}\]: [0-9]+ ticks, [0-9]+\.[0-9]{2} ms\/tick/T]: N ticks, N ms\/tick/; s/, [0-9]+\.[0-9]{2} us\/sample/, N us\/sample/; s/(snp\.[ep])[0-9]+/\1PID/'
    sed '1,/^status/d; /^SNINFO/,$d' "$tmp/figures" >"$tmp/summary"
    is "figure 5.4: summary" "$(sed -E "$mask" "$tmp/summary")" "snbench.out.snp.pPID[T]: N ticks, N ms/tick, N us/sample
snbench.out.snp.pPID[T]: N ticks, N ms/tick, N us/sample
snbench.out.snp.ePID[T]: N ticks, N ms/tick, N us/sample
snbench.out[T]: N ticks, N ms/tick, N us/sample"
    apart "figure 5.4: threads are sampled each 50 ms" 50 "$(grep snp "$tmp/summary")"
    # A Hub's counters wrap after 2^20 cycles of 10 ns. Twice as often would be too often.
    within "figure 5.4: nodes before a counter wraps" 5.243 "$(sed -n 's/^snbench.out\[.* \([0-9.]*\) ms\/tick.*/\1/p' "$tmp/summary")" 10.485
    info=$(sed '1,/^SNINFO/d; /^TOTAL/,$d' "$tmp/figures" |
        sed -E -e 's/^Linux rapture 6\.12\.[0-9]+ .* mips64  (Mon|Tue|Wed|Thu|Fri|Sat|Sun) .* 20[0-9]{2}$/SYSTEM/' -e 's/snbench:[0-9]+/snbench:PID/' -e "$mask")
    is "figure 5.5" "$info" "SYSTEM
n1 = /hw/module/11/slot/n2/node
n2 = /hw/module/11/slot/n3/node
t0 = snbench:PID
t1 = snbench:PID
t2 = snbench:PID

lp0      = total requests by local processor 0
lp1      = total requests by local processor 1
lio      = total requests by local I/O
lp0read  = read requests by local processor 0
lp0wback = writeback requests by local processor 0
lp1read  = read requests by local processor 1
lp1wback = writeback requests by local processor 1
lioread  = read requests by local I/O
liowinv  = write invalidate requests by local I/O
pc       = thread location
cpuid    = cpu where thread was running
local    = fraction of local read requests
alocal   = fraction of local read+wback requests
tread    = thread READ requests
twback   = thread WB requests
sysad    = fraction of SysAD bandwidth used
tsysad   = total thread SysAD traffic (bytes)
rsmisss  = R10K secondary data cache misses
rsqwwb   = R10K quadwords written back (scache)

snbench.out[T]: N ticks, N ms/tick
snbench.out.snp.ePID[T]: N ticks, N ms/tick
snbench.out.snp.pPID[T]: N ticks, N ms/tick
snbench.out.snp.pPID[T]: N ticks, N ms/tick"
    sed '1,/^TOTAL/d' "$tmp/figures" >"$tmp/total"
    # All of it is local. The samples of a node and of a thread are not of the same moment: at both ends a node's interval of 10.5 ms is missing or too much,
    # and where the thread came to the sampled node another one.
    off=$(sed -n 's/^snbench.out.snp.p.*\[\([0-9.]*\),\([0-9.]*\)\].*/\1 \2/p' "$tmp/summary" | awk '!n++ || $2 - $1 < least { least = $2 - $1 } END { print 3 * 1.05 / least }')
    within "the manual page's total, although the thread began on a node that was not sampled" "$(echo "100 - $off" | bc)" "$(awk '$2 == "t1" && NF == 3 { print $3 }' "$tmp/total")" "$(echo "100 + $off" | bc)"
    like "what the total leaves out, and where the thread was then" "$(cat "$tmp/total")" '^sndump: t1: local metrics leave out 0\.[0-9]+ of [0-9]\.[0-9]+ s, without samples of its nodes; it ran on n[0-9, n]*, not sampled \(snrun --node\)$'
}

guest searches <<'END'
cat /sys/bus/w1/devices/w1_bus_master*/w1_master_search
END
want_searches() { is "no 1-wire bus will be searched: a search takes a CPU from samplers" "$(echo "$out" | sort -u)" 0; }

# Counts only the intervals within reads(): neither the start of the program nor the kernel's filling of memory.
guest local_ratios <<'END'
for p in 100 75 50 25 0; do
    snrun -q -u -n1 --alocal -o l$p $L local 3 2 $p 6
    sndump --csv -t0 --pc --local --tread l$p* 2>/dev/null | sed "s/^/$p,/"
done
END
want_local_ratios() {
    # Page tables, and data of the kernel, are where they are; they are less than a line in a hundred.
    for p in 100 75 50 25 0; do
        got=$(printf '%s\n' "$out" | awk -F, -v p=$p '$1 != p { next } { in_ = $5 ~ /^reads\+/; if (in_ && was && $6 != "") { n += $7; l += $6 * $7 } was = in_ } END { if (n > 100000) print l / n }')
        within "local access ratio of $p % local data" $((p - 1)) "$got" $((p + 1))
    done
}

# 16 threads on CPUs 2-17, the sampler on CPU 1, as figure 5.4 has it.
guest cost <<'END'
for i in 1 2 3 4 5 6 7 8 9; do
    echo "alone $($L threads 16 12000000)"
    echo "with $(snrun -q -r1 -s10 -n1-8 --alocal -o cost $L threads 16 12000000)"
done
END
want_cost() {
    # The median of nine against the slowest alone: where the pages of the threads lie makes a run up to 7 % slower or not, whether it is sampled or not.
    of_nine() { printf '%s\n' "$out" | awk -v what="$1" '$1 == what { print $2 }' | sort -n | sed -n "$2p"; }
    less "16 threads at 10 ms: slowed by less than 1 %" "$(of_nine with 5)" "$(of_nine alone 9 | awk '{ print $1 * 1.01 }')"
}

boot -m rapture
is "no complaint" "$err" ""

# --- everything else, on eight nodes ---------------------------------------------------------------------------------------------------
guest status <<'END'
e snrun -q $L exit 7; e snrun -q $L signal 11; e snrun -q $L signal 9; e snrun -q $L signal 15
e snrun -q ./nothing; e snrun -q /etc
END
want_status() {
    is "status: passed through, 128 + signal, 127, 126" "$(printf '%s\n' "$out" | grep '^=' | tr '\n' ' ')" "= 7 = 139 = 137 = 143 = 127 = 126 "
    like "a program that is not there" "$out" '^snrun: \./nothing: No such file or directory$'
}

guest crash <<'END'
snrun -q $L signal 11; sninfo snload.out* 2>&1 | tail -n 1
END
want_crash() { like "a crash leaves a whole trace" "$out" '^snload.out.snp.e[0-9]+\[.*: [0-9]+ ticks'; }

guest tree <<'END'
snrun -q $L tree
ls | sed 's/[0-9]*$//' | sort | uniq -c | sed 's/^ *//'; sninfo snload.out* 2>&1 | grep '^t[0-9] =' | sed 's/:.*//'
END
want_tree() {
    is "threads, fork and exec are followed" "$out" "1 snload.out
2 snload.out.snp.e
1 snload.out.snp.f
2 snload.out.snp.p
t0 = snload
t1 = snload
t2 = snload
t3 = snload
t4 = snload"
}

guest clear <<'END'
snrun -q $L clear; ls | sed 's/\(snp.e\)[0-9]*/\1N/'; sndump --profile snload.out.snp.e*.2 | grep -c ' user .* hot$'
END
want_clear() { is "an exec without environment is followed" "$(echo "$out" | tr '\n' ' ')" "snload.out snload.out.snp.eN snload.out.snp.eN.2 1 "; }

guest descriptors <<'END'
$L descriptors; snrun -q $L descriptors
END
want_descriptors() { is "the program's descriptors are its own" "$(echo "$out" | sort -u)" "0 1 2 "; }

# All of hot() comes before all of warm(), so each has as many samples as it has periods, rounded down or up.
guest profile <<'END'
snrun -q -s2 $L split; sndump --profile snload.out*
END
want_profile() {
    hot=$(printf '%s\n' "$out" | awk '$6 == "hot" { n += $2 } END { print n }') warm=$(printf '%s\n' "$out" | awk '$6 == "warm" { n += $2 } END { print n }')
    within "profile: three times the work is three times the samples, of $warm" $((3 * warm - 3)) "$hot" $((3 * warm + 3))
}

guest turns <<'END'
snrun -q --rgrad -o a $L split; sndump --total --rgrad a* | tail -n 1
snrun -q --rgrad --rpmiss --rsimiss --rtlb --rsmisss -o b $L split; sndump --total --rgrad b* | tail -n 1
END
want_turns() {
    exact=$(printf '%s\n' "$out" | awk 'NR == 1 { print $3 }') turns=$(printf '%s\n' "$out" | awk 'NR == 2 { print $3 }')
    # The program does the same all the time, but for its first milliseconds, which are less than a twentieth.
    within "events taking turns give the same count" "$(awk "BEGIN { print $exact * 0.95 }")" "$turns" "$(awk "BEGIN { print $exact * 1.05 }")"
}

guest unturned <<'END'
snrun -q --rgrad --rpmiss --rsimiss --rtlb --rsmisss -o u true; sndump --total --rgrad --rtlb --rsmisss u* 2>/tmp/e | tail -n 1; cat /tmp/e
sndump --csv --total --rgrad --rsimiss u* 2>/dev/null | tail -n 1
END
want_unturned() {
    # `true` ends in its first turn or its second, and two events are counted in each.
    unknown=$(printf '%s\n' "$out" | awk 'BEGIN { split("- - rgrad rtlb rsmisss", name) } NR == 1 { for (i = 3; i <= NF; i++) if ($i == "-") printf " --%s", name[i] }')
    within "an event that had no turn is not known, another is" 1 "$(echo "$unknown" | wc -w)" 2
    is "and a line says why, once" "$(printf '%s\n' "$out" | sed -n 2p)" "sndump: t0: not known before its event's first turn:$unknown (events take turns on the processor's counters)"
    is "the same for another program" "$(printf '%s\n' "$out" | sed -n 3p | cut -d, -f4)" "$(printf '%s\n' "$out" | awk 'NR == 1 { print $3 == "-" ? "" : $3 }')"
}

guest daemon <<'END'
e snrun -q $L daemon 300; sninfo snload.out* 2>&1 | grep -c 'has no end'; sleep 1; sninfo snload.out* 2>&1 | grep -c 'has no end'
sninfo snload.out* | grep 'snp.f.* ticks'
e snrun -q --wait $L daemon 50; sninfo snload.out* 2>&1 | grep -c 'has no end'
END
want_daemon() {
    is "a daemon is left to run, its trace goes on" "$(printf '%s\n' "$out" | grep -v '^\$\|ticks' | sed 's/process [0-9]*/process N/' | tr '\n' ' ')" \
        "snrun: 1 thread left by the program runs on; sampling goes on in the background (process N) = 0 2 0 = 0 0 "
    # When the program ends, snrun leaves the daemon to a process in the background. The tick of that moment may be lost.
    apart "a daemon's samples are 10 ms apart" 10 "$(printf '%s\n' "$out" | grep ticks)" 1
}

guest collector_killed <<'END'
(sleep 0.2; kill -9 $(pgrep snrun | tail -n 1)) & e snrun -q $L threads 2 40000000; wait; sninfo snload.out* | grep -c snp
END
want_collector_killed() {
    is "the sampling process is killed: the program does not notice" "$(printf '%s\n' "$out" | grep -v '^[0-9$]' | tr '\n' ' ')" \
        "snrun: the sampling process was killed; the trace files end there = 0 "
    is "its trace files can be read: the program's and those of its two threads" "$(printf '%s\n' "$out" | tail -n 1)" 3
}

guest snrun_killed <<'END'
snrun -q $L forever & sleep 0.3; kill -9 $!; sleep 0.1; pgrep snload | wc -l; pkill snload; sleep 0.5; pgrep snrun | wc -l; sninfo snload.out* 2>&1 | grep -c 'ticks'
END
want_snrun_killed() { is "snrun is killed: program and trace go on" "$(echo "$out" | tr '\n' ' ')" "1 0 1 "; }

guest kills <<'END'
for i in 1 2 3 4 5 6 7 8 9 10; do
    rm -f ./*; snrun -q -s1 -n1 --mem $L forever & until ls snload.out* >/dev/null 2>&1; do usleep 5000; done
    usleep $((i * 17300)); kill -9 $(pgrep snrun) $(pgrep snload) 2>/dev/null; wait 2>/dev/null
    while pgrep snrun >/dev/null; do usleep 10000; done # it holds the counters until it is gone
    sninfo snload.out* >o 2>&1; echo "round $? $(grep -c 'damaged\|not a trace' o)"
done | sort | uniq -c | sed 's/^ *//'
END
want_kills() { is "killed at ten moments: every file reads" "$out" "10 round 0 0"; }

guest busy <<'END'
for p in 1 0; do
    snrun -s1 -n all --mem --rtprio=$p -o busy $L threads 32 3000000 2>&1 | grep '^snrun: '; sninfo busy 2>&1 | grep '^sninfo'
done
chmod 777 .; su guest -c "snrun -s1 -n0 --mem -o busy.guest sh -c \"exit 3\""; echo "= $?"
END
want_busy() {
    busy='samples dropped, [0-9]+ with possible overflow: the sampler came too late; sample less often \(--sample\), name fewer objects, or keep a processor free for it \(--runon\); it had no realtime priority \(--rtprio\)'
    is "all processors are busy: no sample is dropped; without realtime priority, what helps" \
        "$(printf '%s\n' "$out" | sed -E -e "s/$busy/samples dropped, ADVICE/" -e 's/: [0-9]+ samples/: N samples/' | grep -v snp)" "snrun: N samples dropped, ADVICE
sninfo: busy: N samples dropped
= 3"
    is "all processors are busy: snrun and sninfo tell the same number" "$(printf '%s\n' "$out" | sed -n 's/.*: \([0-9]*\) samples.*/\1/p' | sort -u | wc -l)" 1
}

guest runs <<'END'
echo word >in; P="$L local 3 2 100 6"
e snrun -r1 --runs -n1 --mdidle --mdbusy --lp1read -o r sh -c "cat; $P >/dev/null" <in
ls | sed 's/[0-9]*$//' | sort -u
sndump --csv --total -n1 --mdidle --mdbusy --lp1read r 2>&1 | tail -n 1
snrun -q -r1 -n1 --lp1read -o s sh -c "cat; $P" <in >/dev/null; sndump --csv --total -n1 --lp1read s | tail -n 1
e snrun -q --runs -n1 --mem --lp1read -o t sh -c 'test -e /tmp/once && exit 3; touch /tmp/once'; ls t*
END
want_runs() {
    like "--runs: two runs, their lengths" "$out" '^snrun: r has the counters of 2 runs: [0-9.]+ s with --mdidle, [0-9.]+ s with --lp1read; the threads. are those of the first$'
    is "--runs: the program's output once, its input each time; no other files" "$(printf '%s\n' "$out" | grep -c '^word$') $(printf '%s\n' "$out" | grep '^[inr][.a-z]*$' | tr '\n' ' ')" "1 in r r.snp.e r.snp.f "
    row=$(printf '%s\n' "$out" | grep '^[0-9.]*,[0-9.]*,n1,' | sed -n 1p)
    alone=$(printf '%s\n' "$out" | grep '^[0-9.]*,[0-9.]*,n1,' | sed -n 2p | cut -d, -f4)
    # A sample takes less than 31 us of the 0.6 s, and the first and the last may be late by so much.
    within "--runs: the first run's counters are whole" 0.9999 "$(echo "$row" | awk -F, '{ print ($4 + $5) / ($2 - $1) / 9e7 }')" 1.0001
    # The program asks for 786432 lines; what the kernel does besides is less than a hundredth of that.
    within "--runs: the second run's counters are what a run alone gives" 0.99 "$(echo "$row" | awk -F, "{ print \$6 / $alone }")" 1.01
    like "--runs: a run that ends in another way" "$out" '^snrun: run 2 of 2 ended with status 3, not as the first: nothing is merged$'
}

guest multiplex <<'END'
snrun -q -r1 --multiplex -n1 --mdidle --mdbusy --lp1read -o m $L local 3 2 100 6; sndump --csv --total -n1 --mdidle --mdbusy m | tail -n 1
snrun -r1 --multiplex -n1 --mdidle --lp1read -o m true 2>&1 | grep turns
END
want_multiplex() {
    # A turn is 10 ms of 0.56 s; which counter has one more makes a fiftieth.
    within "--multiplex: counts of a half of the time stand for all of it" 0.98 "$(printf '%s\n' "$out" | awk -F, '$3 == "n1" { print ($4 + $5) / ($2 - $1) / 9e7 }')" 1.02
    like "--multiplex: shares" "$out" '^snrun: Hub MD modes took turns: 0 counted [0-9.]+ %, 5 counted [0-9.]+ % of the time; counts are scaled$'
}

guest full <<'END'
mkdir /tmp/small; mount -t tmpfs -o size=48k none /tmp/small; cd /tmp/small
e snrun -q -s1 $L threads 1 40000000; sninfo snload.out* >/tmp/o 2>&1; echo "= $?"; grep -c 'damaged\|no whole' /tmp/o; cd /tmp/t; umount /tmp/small
END
want_full() {
    is "a full disk is told; the program's status stays; the traces read" "$(printf '%s\n' "$out" | grep -v '^[0-9]\{4,\}$\|^\$' | sed 's/snp.p[0-9]*/snp.pN/' | tr '\n' ' ')" \
        "snrun: snload.out.snp.pN: No space left on device = 0 = 0 0 "
}

guest alike <<'END'
snrun -q -n0-3 --alocal $L tree; cp snload.out* /share; cd /share
sninfo snload.out* >info.guest; sndump --raw-pc snload.out* >dump.guest; sndump --csv --raw-pc snload.out* >csv.guest
END
want_alike() {
    cd "$tmp" || exit 99
    "$host/sninfo" snload.out* >info.host
    "$host/sndump" --raw-pc snload.out* >dump.host
    "$host/sndump" --csv --raw-pc snload.out* >csv.host
    for f in info dump csv; do ok "guest and host read alike: $f" cmp "$f.guest" "$f.host"; done
    ok "sndump --json is JSON" sh -c "'$host/sndump' --json snload.out* | python3 -m json.tool >/dev/null"
    ok "sndump --chrome is JSON with samples" sh -c "'$host/sndump' --chrome snload.out* | python3 -c 'import json, sys; t = json.load(sys.stdin)[\"traceEvents\"]; sys.exit(not any(e[\"ph\"] == \"X\" for e in t) or not any(e[\"ph\"] == \"C\" for e in t))'"
    ok "sninfo --json is JSON" sh -c "'$host/sninfo' --json snload.out* | python3 -m json.tool >/dev/null"
}

guest refused <<'END'
snrun -q -n0-3 --alocal $L tree; cp snload.out good
e snrun; e snrun --foo x; e snrun -s0 $L exit 0; e snrun --alocal $L exit 0; e snrun -n99 --mem $L exit 0; e snrun -n1 --mem --alocal $L exit 0; e snrun -n1 --mem --nack --runs --multiplex $L exit 0
e snrun --rdecoded $L exit 0
e snrun -n1 $L exit 0; e snrun --mem $L exit 0; e snrun -o /nonexistent/x $L exit 0; e snrun -r99 $L exit 0
echo x >text; : >empty; head -c 40 good >cut; cp good v; printf '\011' | dd of=v bs=1 seek=13 conv=notrunc 2>/dev/null
e sninfo; e sninfo nofile; e sninfo text; e sninfo empty; e sninfo cut; e sninfo v; e sninfo /tmp; e sninfo --foo x
e sndump; e sndump text; e sndump --mem good; e sndump -n77 good; e sndump -t9 good; e sndump --csv --json good; e sndump --from x good
e snrun --range table $L exit 0
mount -t tmpfs none /sys/bus/event_source; e snrun --tread $L exit 0; umount /sys/bus/event_source
END
want_refused() {
    is "refused: one line and a status each" "$(printf '%s\n' "$out" | sed 's/ (see sn[a-z]* --help)$//' | grep -v '^\$')" "snrun: no command to run
= 2
snrun: unknown option '--foo'
= 2
snrun: --sample: '0' is not a number from 0.01 to 3600000
= 2
snrun: --alocal needs the counters of the nodes that the program runs on: add --node
= 2
snrun: node 99: this machine has nodes 0 to 7
= 1
snrun: --alocal needs Hub MD counter mode 5 and --mem 0: a Hub has one at a time; --multiplex lets them take turns, --runs runs the program once for each
= 2
snrun: --multiplex and --runs exclude each other
= 2
snrun: --rdecoded: the R10000 does not count 'Decoded instructions'; its event 1 is 'Issued instructions' (--rissued; INSN_ISSUED of perf and PAPI)
= 1
snrun: nodes or ports are named, but no metric of theirs
= 2
snrun: --mem is a metric of nodes and none is named
= 2
snrun: /nonexistent/x: No such file or directory
= 1
snrun: cpu 99: this machine has processors 0 to 15
= 1
sninfo: no trace file named
= 2
sninfo: nofile: No such file or directory
= 1
sninfo: text: not a trace file
= 1
sninfo: empty: cut short: no whole header
= 1
sninfo: cut: cut short: no whole header
= 1
sninfo: v: is of format 9.1 and this program reads 1
= 1
sninfo: /tmp: is a directory
= 1
sninfo: unknown option '--foo'
= 2
sndump: no trace file named
= 2
sndump: text: not a trace file
= 1
sndump: --mem cannot be computed for these objects from these files
= 1
sndump: --node: the files have no '77'
= 1
sndump: --thread: the files have no '9'
= 1
sndump: more than one form of output
= 2
sndump: --from: 'x' is not a number from -1000000000 to 1000000000
= 2
snrun: --range: the processors have no range monitor (origin run --range-monitor)
= 1
snrun: the kernel has no R10000 counters (/sys/bus/event_source/devices/r10k/type: No such file or directory); is the module r10k_perf loaded?
= 1"
}

boot -m ricotta

# --- an R12000 ----------------------------------------------------------------------------------------------------------------------------
guest r12000 <<'END'
for e in rgrad1 rcycles1 rissued rvcoh; do snrun --$e true; echo "= $?"; done 2>&1
snrun -q --rgrad --rgradld -o x true; echo "= $?"; sndump --total --rgrad x* | awk '{ n = $3 } END { print (n > 1000) }'
snrun -q -u --rdecoded --rdecld --rdecst --rgradst -o y true; echo "= $?"
sndump --csv --total --rdecoded --rdecld --rdecst --rgradst y* | tail -n 1 | awk -F, '{ print ($4 > $5 && $5 > $6 && $6 > 100) }'
END
want_r12000() {
    is "an R12000: events that it does not have are refused, the others are counted" "$out" "snrun: --rgrad1: the R12000 does not count 'Graduated instructions'; its event 17 is 'Prefetch primary data cache misses' (PREFETCH_L1D_MISS of perf and PAPI)
= 1
snrun: --rcycles1: the R12000 does not count 'Cycles'; its event 16 is 'Executed prefetch instructions' (--rpref; PREFETCH_EXECUTED of perf and PAPI)
= 1
snrun: --rissued: the R12000 does not count 'Issued instructions'; its event 1 is 'Decoded instructions' (--rdecoded; INSN_DECODED of perf and PAPI)
= 1
snrun: --rvcoh: the R12000 does not count 'Virtual coherency conditions'; its event 14 is 'ALU/FPU forward progress cycles' (PROGRESS_CYCLES of perf and PAPI)
= 1
= 0
1
= 0
1"
}

boot -m bwana --model=off

# --- --range ------------------------------------------------------------------------------------------------------------------------------
"$origin" cc -O2 -Wall -no-pie -o "$tmp/snload.fixed" "$root/tests/guest/snload.c" -lnuma -lpthread || exit 99
"$origin" cc -O2 -Wall -fPIE -pie -o "$tmp/snload.moved" "$root/tests/guest/snload.c" -lnuma -lpthread || exit 99
table=$(nm "$tmp/snload.fixed" | awk '$3 == "table" { print $1 }')
for p in fixed moved; do
    guest "variable_$p" <<END
snrun --range table /share/snload.$p touch 100 2>&1 | grep '^snrun:'
for f in *.snp.*; do sndump --total --rissld --rgradst \$f | tail -n 1 | awk '{ print \$(NF - 1), \$NF }'; done
sninfo snload.$p.out* | grep '^t. ='
END
    guest "function_$p" <<END
snrun --range touch --rissld --rgradst /share/snload.$p touch 100 2>&1 | grep '^snrun: touch'
for f in *.snp.*; do sndump --total --rissld --rgradst \$f | tail -n 1 | awk '{ print \$(NF - 1), \$NF }'; done
END
done
variable() {
    like "--range of a variable: $1 says where" "$out" '^snrun: table: 0x[0-9a-f]+000 to 0x[0-9a-f]+000, 4096 bytes; counted with 0 before and 0 after$'
    is "--range of a variable: $1, loads and stores of each thread" "$(printf '%s\n' "$out" | grep -v '[a-z]')" "102400 102400
307200 307200"
    is "--range of a variable: sninfo tells" "$(printf '%s\n' "$out" | grep '^t.* = ' | sed 's/:[0-9]*//')" "t0 = $1, events of table
t1 = $1, events of table"
}
function_() {
    like "--range of a function: $1 says where" "$out" '^snrun: touch: .* counted with 0 before and 0 after$'
    # The function also loads the address of the variable once.
    is "--range of a function: $1, loads and stores within" "$(printf '%s\n' "$out" | grep -v '[a-z]')" "102401 102400
307201 307200"
}
want_variable_fixed() { variable snload.fixed; }
want_variable_moved() { variable snload.moved; }
want_function_fixed() { function_ snload.fixed; }
want_function_moved() { function_ snload.moved; }

guest address <<END
snrun -q --range 0x$table:1024 /share/snload.fixed touch 100
for f in *.snp.*; do sndump --total --rissld --rgradst \$f | tail -n 1 | awk '{ print \$(NF - 1), \$NF }'; done
END
want_address() {
    is "--range of an address: a quarter of the variable" "$out" "25600 25600
76800 76800"
}

guest elsewhere <<'END'
snrun --range hot /share/snload.fixed tree 2>&1 | grep -c '^snrun: hot: '
END
want_elsewhere() { is "--range of a symbol is for its image, each time it is executed" "$out" 2; }

guest refused_range <<'END'
P=/share/snload.fixed
e snrun -q --range nosuch $P exit 0; e snrun -q --range 0x10000:0 $P exit 0; e snrun -q --range x:5 $P exit 0; e snrun -q --range table --rcycles $P exit 0
e snrun -q --range 0xffffffffff000000:8 $P exit 0; e snrun -q --range 0xffffffffffffffff:8 $P exit 0; e snrun -q --range x /share/boot.sh
e snrun -q --range table sh -c 'exit 3'
END
want_refused_range() {
    is "--range: what is refused" "$(printf '%s\n' "$out" | sed -e "s,$tmp,,; s/ (see snrun --help)//" | grep -v '^\$')" "snrun: --range: /share/snload.fixed: nosuch: no such function or variable
= 1
snrun: --range: 0x10000:0 is empty
= 1
snrun: --range: 'x:5' is neither a symbol nor ADDR:LEN
= 2
snrun: --range: table: not of the program's memory, or nothing for event 0
= 1
snrun: --range: 0xffffffffff000000:8: not of the program's memory, or nothing for event 2
= 1
snrun: --range: 0xffffffffffffffff:8: the range wraps
= 1
snrun: --range: /share/boot.sh: x: not an ELF file
= 1
snrun: --range: /bin/busybox: table: no such function or variable
= 1"
}

boot -m origin200 --range-monitor
finish

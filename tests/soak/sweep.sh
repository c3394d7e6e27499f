#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep of 60 variants on real slurmctld and slurmd, which this test starts on the loopback address and stops, and by GNU parallel: the same
# table, row for row. Meanwhile a node is drained and a job is killed; the same command again makes both good. So it does where the job is a run
# that was split into futures.
# Needs root (munged, slurmd) and Debian's slurmctld, slurmd, slurm-client and munge.
#   VARIANTS   number of variants (60)
# timeout: 3600
. "$(dirname "$0")/../lib.sh"
variants=${VARIANTS:-60}
[ "$(id -u)" = 0 ] || skip_all 'only root can run munged and slurmd'
for p in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v $p >/dev/null || skip_all "$p is not installed: apt-get install --no-install-recommends slurmctld slurmd slurm-client munge"
done
PATH=$PATH:/usr/sbin
place=$tmp/cluster
mkdir -p "$place/state" "$place/log"
chmod 755 "$tmp" "$place"
port=$((20000 + $$ % 20000))
host=$(hostname -s)
dd if=/dev/urandom of="$place/key" bs=1k count=1 2>/dev/null
chmod 400 "$place/key"
cat >"$place/slurm.conf" <<END
ClusterName=origin
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$place/munge
CredType=cred/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool.%n
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.%n.pid
SlurmctldLogFile=$place/log/slurmctld
SlurmdLogFile=$place/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$place/slurm.conf
pids=()
stop() {
    scancel --me 2>/dev/null
    kill "${pids[@]}" 2>/dev/null
    wait "${pids[@]}" 2>/dev/null
    [ ! -s "$place/munged.pid" ] || kill "$(cat "$place/munged.pid")" 2>/dev/null
    rm -rf "$tmp"
}
trap stop EXIT
munged --force --key-file="$place/key" --socket="$place/munge" --pid-file="$place/munged.pid" --log-file="$place/log/munged" --seed-file="$place/seed" 2>"$place/log/munged.err"
slurmctld -D -f "$SLURM_CONF" >"$place/log/slurmctld.out" 2>&1 &
pids+=($!)
for n in n1 n2; do
    mkdir -p "$place/spool.$n"
    slurmd -D -N $n -f "$SLURM_CONF" >"$place/log/slurmd.$n.out" 2>&1 &
    pids+=($!)
done
for ((i = 0; i < 120; i++)); do
    [ "$(sinfo -h -o '%D %t' 2>/dev/null)" != '2 idle' ] || break
    sleep 0.5
done
is 'two nodes of Slurm are up' "$(sinfo -h -o '%D %t' 2>&1)" '2 idle' || { tail -n 5 "$place"/log/*; finish; exit 1; }

cat >"$tmp/sweep.toml" <<END
name = "sixty"
[base]
machine = "origin200"
model = "off"
command = "snroi work sh -c 'i=0; while [ \$i -lt {n} ]; do i=\$((i+1)); done; echo count: {n}'"
[axes]
n = [$(seq -s , 1 "$variants")]
[metrics]
count = 'count: ([0-9]+)'
END
done_jobs() { find "$tmp/slurm/runs" -name result.json 2>/dev/null | wc -l; }
cat >"$tmp/columns.py" <<'END'
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    print([v for k, v in r.items() if k not in ("host_seconds", "cpu_seconds", "host_mb")])
END
rows() { python3 "$tmp/columns.py" "$1/results.csv"; }

"$origin" sweep "$tmp/sweep.toml" -o "$tmp/slurm" --slurm >"$tmp/said" 2>&1 &
sweep=$!
until [ "$(done_jobs)" -ge $((variants / 6)) ] || ! kill -0 $sweep 2>/dev/null; do sleep 0.5; done
is 'n2 is drained in the middle' "$(scontrol update nodename=n2 state=drain reason=test 2>&1)" ''
victim=
for ((i = 0; i < 100 && ${#victim} == 0; i++)); do
    victim=$(squeue -h -r -t running -o '%A %i' 2>/dev/null | head -n 1 | cut -d' ' -f2)
    sleep 0.1
done
is 'a running job is killed' "$(scancel --signal=KILL "$victim" 2>&1; scancel "$victim" 2>&1)" ''
wait $sweep
is 'the sweep says that something is missing' "$? $(grep -c ': missing: ' "$tmp/said")" '1 1' || cat "$tmp/said"
is 'all others are done' "$(done_jobs)" $((variants - 1))
scontrol update nodename=n2 state=resume
"$origin" sweep "$tmp/sweep.toml" -o "$tmp/slurm" --slurm >"$tmp/said" 2>&1
is 'the same command again makes it good' "$? $(sed -n 's/^origin: sweep: \(.*\) are done already/\1/p' "$tmp/said")" "0 $((variants - 1)) of $variants variants" || cat "$tmp/said"
"$origin" sweep "$tmp/sweep.toml" -o "$tmp/parallel" >"$tmp/said" 2>&1
is 'GNU parallel does it, too' "$?" 0 || cat "$tmp/said"
is 'all rows are there: a region and the run of each variant' "$(rows "$tmp/slurm" | wc -l)" $((2 * variants))
is 'both tables are the same, row for row' "$(rows "$tmp/slurm")" "$(rows "$tmp/parallel")"

# Six variants are futures of one run. Its job is killed when some have ended.
cat >"$tmp/start.toml" <<'END'
name = "start"
[base]
machine = "origin200"
until-roi = "off"
command = "snroi work sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done'"
[axes]
time = ["unloaded", "full"]
seed = [1, 2, 3]
END
"$origin" sweep "$tmp/start.toml" -o "$tmp/start" --slurm >"$tmp/said" 2>&1 &
sweep=$!
ended() { cat "$tmp"/start/starts/*/futures.csv 2>/dev/null | grep -c '^v'; }
until [ "$(ended)" -ge 2 ] || ! kill -0 $sweep 2>/dev/null; do sleep 0.2; done
victim=$(squeue -h -r -t running -o %i | head -n 1)
scancel --signal=KILL --full "$victim"
scancel "$victim"
wait $sweep
is 'the job of futures is killed: nothing of it is a result yet' "$? $(grep -c ': missing: ' "$tmp/said")" '1 6' || cat "$tmp/said"
kept=$(ended)
ok 'but some futures have ended' [ "$kept" -ge 2 ] && [ "$kept" -lt 6 ]
is 'no process is left' "$(pgrep -fc "launcher.*$tmp/start")" 0
"$origin" sweep "$tmp/start.toml" -o "$tmp/start" --slurm >"$tmp/said" 2>&1
is 'the same command again makes it good' "$?" 0 || cat "$tmp/said"
"$origin" sweep "$tmp/start.toml" -o "$tmp/alone" --no-futures >"$tmp/said" 2>&1
is 'the table is that of six runs' "$(rows "$tmp/start")" "$(rows "$tmp/alone")"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checkpoints (docs/checkpoints.md): a run that is saved at a region and restored elsewhere prints and counts what the run does that was never saved,
# with an open file on the share and a network; what does not fit and what cannot be saved is refused with one line.
. "$(dirname "$0")/../lib.sh"
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -I"$root/launcher" -o "$tmp/seal" "$root"/{tests/guest/seal,launcher/sum,launcher/messages}.c || exit 99
cat >"$tmp/work.c" <<'E2'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sn_roi.h>
int main(int argc, char **argv)
{
    FILE *f = fopen("kept", "w");
    volatile char *p = malloc(4 << 20);
    int n = 0;
    fprintf(f, "before\n");
    fflush(f);
    puts("start");
    fflush(stdout);
    if (argc > 1)
        remove("kept");
    sn_roi_begin("work");
    for (int i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4u << 20; j += 64)
            n += p[j]++;
    sn_roi_end();
    fprintf(f, "after\n");
    fclose(f);
    printf("%d\n", n);
    fprintf(stderr, "done\n");
    return 7;
}
E2
mkdir "$tmp/alone" "$tmp/share"
"$origin" cc -O1 -o "$tmp/share/work" "$tmp/work.c" -lsnpc || { echo 'Bail out! work.c does not compile'; exit 99; }
cp "$tmp/share/work" "$tmp/alone"
job='ping -c 1 10.0.2.2 >/dev/null; ./work; s=$?; ping -c 1 -s 4000 10.0.2.2; cat /proc/uptime /proc/interrupts /proc/net/dev kept; ls; exit $s'

run -m origin200 --net=user -s "$tmp/alone" --regions="$tmp/alone.csv" -- "$job"
is 'the run that is not saved' "$status $(sed -n 2p "$tmp/out")" '7 393216'
like 'whose network answers' "$out" '^4008 bytes from 10.0.2.2: '
cp "$tmp/out" "$tmp/out.alone"
run -m origin200 --net=user -s "$tmp/share" --regions="$tmp/saved.csv" --save "$tmp/ckpt" --roi=work -- "$job"
is 'saving ends the run, at the region' "$status $(cat "$tmp/err")" "0 origin: saved $tmp/ckpt: origin run --restore goes on from there"
cp "$tmp/out" "$tmp/out.saved"
is 'the file is about as large as what the guest uses' "$(($(stat -c %s "$tmp/ckpt") >> 20 < 60))" 1
is 'and nothing is left beside it' "$(cd "$tmp" && ls -d ckpt*)" ckpt
rm -r "$tmp/share"
mkdir -p "$tmp/elsewhere/new"
folder=$(stat -c %i "$tmp/elsewhere/new")
(cd "$tmp/elsewhere" && "$origin" run --restore ../ckpt --net=user -s new --regions=rest.csv </dev/null >out 2>err; echo $? >status)
is 'restored: exit status and stderr' "$(cat "$tmp/elsewhere/status") $(grep -v region "$tmp/elsewhere/err")" '7 done'
is 'an empty folder is used as it is' "$(stat -c %i "$tmp/elsewhere/new")" "$folder"
is 'the two outputs together are that of the run that was not saved' "$(cat "$tmp/out.saved" "$tmp/elsewhere/out")" "$(cat "$tmp/out.alone")"
is 'and so are the tables of regions, to the nanosecond and the transaction' \
    "$(grep -v ,run, "$tmp/saved.csv"; tail -n +2 "$tmp/elsewhere/rest.csv")" "$(cat "$tmp/alone.csv")"
is 'the file that was open went on' "$(tr '\n' ' ' <"$tmp/elsewhere/new/kept")" 'before after '

# A network without traffic knows no address yet; a disk's name may begin with a dot.
(cd "$tmp" && "$origin" run -m origin200 --net=user --disk .disk --save quiet -- 'echo kept >/disk/file; sync; snroi work true; cat /disk/file; ping -c 1 10.0.2.2 | grep -c "1 packets received"' </dev/null >out 2>err; echo $? >status)
is 'a network without traffic, and a disk with a dot, are saved' "$(cat "$tmp/status" "$tmp/err" | tr '\n' ' ')" '0 origin: saved quiet: origin run --restore goes on from there '
run --restore "$tmp/quiet" --net=user --disk "$tmp/.other"
is 'and restored' "$status $out $(ls -d "$tmp"/.other*)" "0 kept
1 $tmp/.other"

# What does not fit
refused() { run "${@:2}"; is "$1" "$status $(sed "s|$tmp|TMP|g" "$tmp/err")" "$want"; }
want='125 origin: share TMP/elsewhere/new: Directory not empty: a checkpoint brings its files along, choose a new one'
refused 'a share that has files' --restore "$tmp/ckpt" --net=user -s "$tmp/elsewhere/new"
want='125 origin: --restore TMP/ckpt: the machine description differs'
refused 'another machine' --restore "$tmp/ckpt" --net=user -m ricotta -s "$tmp/share"
want='2 origin: --restore: the saved machine has a share: say where its files shall go (-s HOSTDIR, which must be new)'
refused 'no share' --restore "$tmp/ckpt" --net=user
cp "$tmp/ckpt" "$tmp/short"; truncate -s -1000 "$tmp/short"
want='125 origin: --restore TMP/short: it is damaged or not complete: its checksum differs'
refused 'half a file' --restore "$tmp/short" -s "$tmp/share"
# A size of the last processor's TLB that QEMU would believe: its 64 entries stand there twice.
python3 - "$tmp/ckpt" "$tmp/spoilt" <<'END' || exit 99
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.rindex(struct.pack("=II", 64, 64))
data[at:at + 4] = struct.pack("=I", 1 << 30)
open(sys.argv[2], "wb").write(data)
END
"$tmp/seal" "$tmp/spoilt" || exit 99
want='125 origin: --restore TMP/spoilt: it is damaged'
refused 'a file whose makers gave it the right checksum' --restore "$tmp/spoilt" --net=user -s "$tmp/spoilt.share"
# A two-bit counter of a branch that is 4: the last processor's 2048 counters are the last so many bytes up to 3 of which some are not 0.
python3 - "$tmp/ckpt" "$tmp/spoilt" <<'END' || exit 99
import re, sys
data = bytearray(open(sys.argv[1], "rb").read())
run = [m for m in re.finditer(rb"[\0-\3]{2048,}", data) if len(m[0]) - m[0].count(0) > 100][-1]
data[run.start() + len(run[0]) // 2] = 4
open(sys.argv[2], "wb").write(data)
END
"$tmp/seal" "$tmp/spoilt" || exit 99
refused 'a branch counter of more than two bits' --restore "$tmp/spoilt" --net=user -s "$tmp/counter.share"
sed '1s/checkpoint 3/checkpoint 1/' "$tmp/ckpt" >"$tmp/short"
want='125 origin: --restore TMP/short: its version is not the one of this build'
refused 'another version' --restore "$tmp/short" -s "$tmp/share"
sed '3s/ ..../ 0000/' "$tmp/ckpt" >"$tmp/short"; "$tmp/seal" "$tmp/short" || exit 99
want='125 origin: --restore TMP/short: it was made by another build: the emulator (board, engine, QEMU) differs'
refused 'another build' --restore "$tmp/short" --net=user -s "$tmp/share"
sed 's/--net=user/--seed=777/' "$tmp/ckpt" >"$tmp/short"; "$tmp/seal" "$tmp/short" || exit 99
want='2 origin: --restore: the saved machine has no network (--net)'
refused 'a network that it had not' --restore "$tmp/short" -s "$tmp/share" --net=user
want='125 origin: --restore TMP/work.c: it is no checkpoint'
refused 'something else' --restore "$tmp/work.c" -s "$tmp/share"
rm "$tmp/short"

# What cannot be saved
want='2 origin: --save does not go with a shell on the console: a checkpoint does not have the terminal'
refused 'a shell' --save "$tmp/no"
want='125 origin: --save /nowhere/file: No such file or directory'
refused 'no such folder' --save /nowhere/file -- true
mkdir "$tmp/share"; cp "$tmp/alone/work" "$tmp/share"
# The server's line in the guest's file proves that both ends are connected. The host decides when it comes.
python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
c = s.accept()[0]; c.sendall(b"connected\n"); time.sleep(100)' >"$tmp/port" &
server=$!
while [ ! -s "$tmp/port" ]; do sleep 0.1; done
port=$(cat "$tmp/port")
run -m origin200 --net=user --save "$tmp/no" -- "sleep 100000 | nc 10.0.2.2 $port >/tmp/got &
    n=0
    until grep -qs connected /tmp/got; do
        sleep 0.1
        n=\$((n + 1))
        [ \$n -lt 600 ] || { echo 'the server sent no line' >&2; exit 1; }
    done
    snroi rest sleep 3"
like 'a connection to the outside' "$status $(cat "$tmp/err")" \
    "^125 origin: --save .*/no: a connection to the outside is open \(TCP, 10.0.2.15 port [0-9]+ to 10.0.2.2 port $port, ESTABLISHED\)$"
kill $server
want="125 origin: --save TMP/no: the share's ./kept is open and deleted"
refused 'a file that is open and deleted' -m origin200 -s "$tmp/share" --save "$tmp/no" -- ./work deleted
is 'none of these left a file' "$(ls -d "$tmp"/no* 2>&1 | grep -c -v 'No such')" 0
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --disk and --net: what the guest finds, what is left on the host, and what is refused.
. "$(dirname "$0")/../lib.sh"
m=origin200
PATH=/usr/local/bin:/usr/bin:/bin # a user's, in which the launcher does not find mke2fs

# --- disks ------------------------------------------------------------------------
job='mount | grep " /disk"; df -m /disk | awk "NR == 2 { print (\$2 > 900) }"; mkdir /disk/d && head -c 3000000 /bin/busybox >/disk/d/f
    seq 20000 >/disk2/g; sync; cat /proc/diskstats; cat /proc/uptime'
run -m $m --disk "$tmp/a,1" --disk "$tmp/b" -- "$job"
like 'a new disk is mounted' "$out" '^/dev/vda on /disk type ext4 \(rw'
like 'and so is a second one' "$out" '^/dev/vdb on /disk2 type ext4 \(rw'
like 'a new disk has a gigabyte' "$out" '^1$'
is 'which is sparse' "$(find "$tmp/a,1" -size +1048575k | wc -l) $(($(du -k "$tmp/a,1" | cut -f1) < 100000))" '1 1'
is 'no other file is left' "$(ls "$tmp" | tr '\n' ' ')" 'a,1 b err out '
ok 'its file system is whole' /sbin/e2fsck -fn "$tmp/a,1"
cp "$tmp/out" "$tmp/first"
run -m $m --disk "$tmp/c" --disk "$tmp/e" -- "$job"
ok 'the same job on a new disk says the same, to the microsecond' cmp "$tmp/first" "$tmp/out"
ok 'and leaves the same bytes' cmp "$tmp/a,1" "$tmp/c"
run -m $m --disk "$tmp/c" -- 'cksum </disk/d/f; head -c 3000000 /bin/busybox | cksum'
is 'files stay' "$(printf '%s\n' "$out" | uniq | wc -l) $status" '1 0'
truncate -s 8M "$tmp/ext2"
/sbin/mke2fs -q -F -t ext2 "$tmp/ext2"
run -m $m --disk "$tmp/ext2" -- 'echo x >/disk/x && ls /disk'
like 'an ext2 disk' "$out" '^x$'
# More disks than a Bridge has slots, beside everything else that takes one.
mkdir "$tmp/share"
for i in 1 2 3 4 5 6 7 8; do cp "$tmp/ext2" "$tmp/e$i"; done
# shellcheck disable=SC2046
run -m $m $(printf -- "--disk $tmp/e%s " 1 2 3 4 5 6 7 8) -s "$tmp/share" --net=user -- \
    'for d in /disk /disk2 /disk3 /disk4 /disk5 /disk6 /disk7 /disk8; do echo $d >$d/y; done; sync; cat /disk*/y | tr "\n" " "; touch here'
is 'eight disks, a share and a network' "$out $(ls "$tmp/share")" '/disk /disk2 /disk3 /disk4 /disk5 /disk6 /disk7 /disk8  here'
is 'each has its own file' "$(for i in 1 2 3 4 5 6 7 8; do /sbin/debugfs -R 'cat /y' "$tmp/e$i" 2>/dev/null; done | tr '\n' ' ')" \
    '/disk /disk2 /disk3 /disk4 /disk5 /disk6 /disk7 /disk8 '
run -m $m --disk "$tmp/c" -t 100 -- 'sleep 1; sync; halt -f' # no unmount
run -m $m --disk "$tmp/c" -- 'ls /disk/d'
is 'a disk that was not unmounted' "$out $status" 'f 0'
mkfifo "$tmp/go"
"$origin" run -m $m --disk "$tmp/b" -- 'echo up; cat' <"$tmp/go" >"$tmp/up" &
exec 3>"$tmp/go"
until [ -s "$tmp/up" ]; do sleep 0.1; done
run -m $m --disk "$tmp/b" -- true
is 'a disk in use: status' "$status" 125
like 'a disk in use: says so' "$err" 'Failed to get .* lock'
exec 3>&-
wait

# --- network ----------------------------------------------------------------------
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
python3 - "$port" "$tmp/listens" >"$tmp/heard" <<'END' &
import socket, sys, time

for _ in range(600):
    try:
        with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
            got = s.makefile().readline()
            if got:
                here = "%04X" % int(sys.argv[1])
                lines = [l.split() for l in open("/proc/net/tcp")]
                print([l[1] for l in lines if l[1].endswith(":" + here) and l[3] == "0A"], file=open(sys.argv[2], "w"))
                s.sendall(b"from the host\n")
                print(got, end="")
                break
    except OSError:
        pass
    time.sleep(0.1)
END
run -m $m -t 100 "--net=user,hostfwd=tcp::$port-:80" -- 'ip -4 addr show eth0 | grep -o "inet [0-9./]*"; ip route | head -n 1; cat /etc/resolv.conf
    ping -c 1 10.0.2.2 | grep -c "1 packets received"; echo from the guest | nc -l -p 80'
wait
is 'eth0 has its address, the route, the name server' "$(printf '%s\n' "$out" | head -n 4)" 'inet 10.0.2.15/24
default via 10.0.2.2 dev eth0 
nameserver 10.0.2.3
1'
is 'the host reaches the guest' "$(cat "$tmp/heard")" 'from the guest'
like 'and the guest the host' "$out" '^from the host$'
is "without an address, the port is open to this host only" "$(cat "$tmp/listens")" "$(printf "['0100007F:%04X']" "$port")"
run -m $m -- 'ip -4 addr show eth0'
unlike 'without --net eth0 has no address' "$out" inet
finish

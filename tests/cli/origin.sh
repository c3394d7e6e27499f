#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The launcher without a machine: options, refusals, presets.
. "$(dirname "$0")/../lib.sh"

# refuses NAME STATUS PATTERN ARGS...: expects one line on stderr that matches, and nothing on stdout
refuses() {
    r_name=$1 r_status=$2 r_pattern=$3
    shift 3
    "$origin" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    r_got=$?
    is "$r_name: status" "$r_got" "$r_status"
    like "$r_name: says why" "$(cat "$tmp/err")" "$r_pattern"
    is "$r_name: one line" "$(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" "1 0"
}

refuses 'unknown command' 2 "^origin: no command 'frobnicate'" frobnicate
refuses 'unknown short option' 2 '^origin: unknown option -z' run -z -- true
refuses 'unknown long option' 2 '^origin: unknown option --frob' run --frob -- true
refuses 'option without its value' 2 '^origin: no value after -m' run -m
refuses 'long option without its value' 2 '^origin: no value after --console' run --console
refuses 'model neither on nor off' 2 "^origin: --model is on or off, not 'maybe'" run --model=maybe -- true
refuses 'r2 neither on nor off' 2 "^origin: --r2 is on or off, not '1'" run --r2=1 -- true
for t in 0 -1 soon 5x nan inf ''; do
    refuses "-t '$t'" 2 '^origin: -t wants a positive number of seconds' run -t "$t" -- true
done
refuses 'quantum 0' 2 "^origin: --quantum is a number from 1 on or off, not '0'" run --quantum=0 -- true
refuses 'threads 0' 2 "^origin: --threads is a number from 1 to 64, not '0'" run --threads=0 -- true
refuses '--threads and --quantum=off' 2 '^origin: --threads does not go with --quantum=off: ' run --threads=2 --quantum=off -- true
ORIGIN_THREADS=many refuses 'ORIGIN_THREADS' 2 '^origin: ORIGIN_THREADS is a number from 1 to 64' run -- true
refuses 'unknown preset' 125 "^origin: no machine 'onyx'" run -m onyx -- true
refuses 'no such description' 125 '^origin: machine /nonexistent.dts: No such file' run -m /nonexistent.dts -- true
refuses 'no such kernel' 125 '^origin: kernel /nonexistent: No such file' run -k /nonexistent -- true
refuses 'no such share' 125 '^origin: share /nonexistent: No such file' run -s /nonexistent -- true
refuses 'share that is a file' 125 '^origin: share /etc/passwd: Not a directory' run -s /etc/passwd -- true
refuses 'console log that cannot be' 125 '^origin: --console /nonexistent/x: No such file' \
    run --console /nonexistent/x -- true
refuses 'machines with a word that is none' 2 '^origin: machines: give nothing, or -v' machines x
for net in tap user,hostfwd=tcp::80 user,restrict=on 'user,hostfwd=sctp::1-:2' ''; do
    refuses "--net=$net" 2 "^origin: --net is user\\[,hostfwd=.*\\.\\.\\., not '$net'" run --net="$net" -- true
done
refuses 'a disk that cannot be created' 125 '^origin: disk /nonexistent/d: No such file' run --disk /nonexistent/d -- true
head -c 4096 "$origin" >"$tmp/script"
refuses 'a disk without a file system' 125 "^origin: disk $tmp/script: holds no ext2, ext3 or ext4 file system" run --disk "$tmp/script" -- true
refuses 'a disk that is a directory' 125 '^origin: disk /etc: Is a directory' run --disk /etc -- true
refuses 'too many disks' 2 '^origin: a machine has at most 8 disks' \
    run --disk a --disk b --disk c --disk d --disk e --disk f --disk g --disk h --disk i -- true
refuses 'an unknown image' 2 "^origin: no image 'toys'" run --image toys -- true
refuses 'two images' 2 '^origin: --image can be given once' run --image tools --image tools -- true
# The image `tools` is built when it is first asked for. Here the tree has another Makefile, and what that makes is no file system.
mkdir "$tmp/tree" "$tmp/images"
first() {
    printf 'tools:\n\t@%s\n' "$1" >"$tmp/tree/Makefile"
    (set -a; . "$root/build/env"; ORIGIN_IMAGES=$tmp/images ORIGIN_TREE=$tmp/tree; exec "$ORIGIN_LAUNCHER" run --image tools -- true) 2>&1
}
now='origin: the image is built now, once; this takes some minutes'
is 'an image that cannot be built' "$(MAKEFLAGS=n first 'echo perf; false' | grep -v '^make: ')" "$now
perf
origin: the image could not be built"
is 'an image is built, and then used' "$(first "echo none >$tmp/images/tools.ext2"; echo $?)" "$now
origin: disk $tmp/images/tools.ext2: holds no ext2, ext3 or ext4 file system
125"
is 'once' "$(first false; echo $?)" "origin: disk $tmp/images/tools.ext2: holds no ext2, ext3 or ext4 file system
125"
refuses '--gdb of something else' 2 "^origin: --gdb is kernel or process, not 'bios'" run --gdb=bios -- true
refuses '--gdb without gdb' 2 '^origin: --gdb is for gdb' run --gdb=kernel -- true
refuses '--break-at without gdb' 2 '^origin: --break-at needs --gdb=kernel: origin gdb' run --break-at=5 -- true
refuses '--break-at without a tick' 2 "^origin: --break-at is a number from 1 on, not 'soon'" run --break-at=soon -- true
refuses 'gdb without a program' 2 '^origin: gdb wants a program, or --kernel' gdb
refuses 'gdb with a program that is not there' 125 '^origin: ./no-such: no such program' gdb -- no-such
refuses 'gdb --ex without a command' 2 '^origin: no value after --ex' gdb --ex
refuses 'images with arguments' 2 '^origin: images takes no arguments' images x
refuses 'env with an unknown name' 2 "^origin: env has no 'LD_PRELOAD'" env LD_PRELOAD
refuses 'env with an unknown option' 2 '^origin: unknown option --hosts' env --hosts
refuses 'env with two names' 2 '^origin: env takes at most one name' env CC CXX

echo 'not a description' >"$tmp/bad.dtb"
refuses 'description that is none' 125 "^origin: $tmp/bad.dtb: " run -m "$tmp/bad.dtb" -- true
: >"$tmp/empty.dtb"
refuses 'empty description' 125 "^origin: $tmp/empty.dtb: empty" run -m "$tmp/empty.dtb" -- true
echo '/dts-v1/; / { model = ' >"$tmp/syntax.dts"
"$origin" run -m "$tmp/syntax.dts" -- true >"$tmp/out" 2>"$tmp/err"
is 'description that dtc refuses: status' $? 125
like 'description that dtc refuses: says why' "$(cat "$tmp/err")" "^origin: $tmp/syntax.dts: dtc does not accept"
# A mistake in a real description is reported in the board's own words.
sed 's/memory-mb = <128 128>/memory-mb = <128 129>/' "$root/qemu-origin/machines/ricotta.dts" >"$tmp/bank.dts"
refuses 'wrong bank size' 125 "^origin: $tmp/bank.dts: .*memory-mb" run -m "$tmp/bank.dts" -- true

(cd "$tmp" && cp bank.dts ./-x.dts && "$origin" run -m -x.dts -- true >"$tmp/out" 2>"$tmp/err")
like 'a description whose name begins with a dash' "$(cat "$tmp/err")" '^origin: \./-x\.dts: .*memory-mb'
mkfifo "$tmp/fifo.dtb" "$tmp/fifo.dts" "$tmp/fifo"
for args in "-m $tmp/fifo.dtb" "-m $tmp/fifo.dts" "-k $tmp/fifo" "--console $tmp/fifo"; do
    begin=$(seconds)
    # shellcheck disable=SC2086
    timeout -s KILL 60 "$origin" run $args -t 1 -- true >"$tmp/out" 2>"$tmp/err" </dev/null
    is "-t ends a wait for a FIFO: ${args%% *}: status" $? 124
    within "-t ends a wait for a FIFO: ${args%% *}: on time" 1 "$(echo "$begin $(seconds)" | awk '{ print $2 - $1 }')" 20
done

# An earlier guest can have put a link where the host writes.
echo precious >"$tmp/victim"
mkdir "$tmp/share"
ln -s "$tmp/victim" "$tmp/share/link"
truncate -s 4M "$tmp/image"
mke2fs -q -F "$tmp/image" || PATH=$PATH:/sbin:/usr/sbin mke2fs -q -F "$tmp/image" || exit 99
ln -s "$tmp/image" "$tmp/share/disk"
for option in console regions; do
    refuses "--$option through a link" 125 "^origin: --$option $tmp/share/link: a link stands in its place\$" run --$option="$tmp/share/link" -- true
done
is 'what the links lead to' "$(cat "$tmp/victim")" precious
refuses 'a disk that is a link in the share' 125 "^origin: disk $tmp/share/disk: it is a link in the share, where a guest can make links\$" \
    run -s "$tmp/share" --disk "$tmp/share/disk" -- true

# What runs in the machine can say anything in the agent's place.
python3 - "$tmp/door" <<'END' &
import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
for answer in b"X\0\0\0\x03256", b"X\0\0\0\x02-1", b"X\0\0\0\0", b"1\xff\xff\xff\xff":
    c, _ = s.accept()
    name = c.recv(65536)[5:9]
    c.sendall(b"B\0\0\0\4" + name + answer)
    c.recv(1)
END
until [ -S "$tmp/door" ]; do sleep 0.1; done
for answer in 'a status of 256' 'a status of -1' 'no status' 'a frame of 4 GB'; do
    refuses "exec: $answer" 125 '^origin: what the machine says is not of its agent: ' exec "$tmp/door" true
done
wait

"$origin" >"$tmp/out" 2>"$tmp/err"
is 'no arguments: status' $? 2
like 'no arguments: usage on stderr' "$(cat "$tmp/err")" '^usage: origin run'
out=$("$origin" --help)
is 'help: status' $? 0
like 'help: usage on stdout' "$out" '^usage: origin run'
out=$("$origin" run --help)
like 'run --help' "$out" '^usage: origin run'
like 'version' "$("$origin" --version)" '^origin [0-9]'

list=$("$origin" machines)
is 'machines: status' $? 0
for dts in "$root"/qemu-origin/machines/*.dts; do
    name=$(basename "$dts" .dts)
    like "machines lists $name" "$list" "^$name  *[0-9]+ nodes?  *[0-9]+ CPUs?  *[0-9]+ MB  *[^ ]"
done
is 'machines: a line each' "$(printf '%s\n' "$list" | wc -l)" "$(ls "$root"/qemu-origin/machines/*.dts | wc -l)"
like 'machines: ricotta' "$list" '^ricotta +8 nodes +16 CPUs +2048 MB'
like 'machines: stinger' "$list" '^stinger +64 nodes +128 CPUs'

ln -s "$origin" "$tmp/link"
like 'through a link' "$("$tmp/link" machines)" '^ricotta '
mkdir "$tmp/clone"
cp "$origin" "$tmp/clone/"
"$tmp/clone/origin" run -- true >"$tmp/out" 2>"$tmp/err"
is 'not built: status' $? 125
like 'not built: says what to do' "$(cat "$tmp/err")" "^origin: not built yet: run 'make'"
finish

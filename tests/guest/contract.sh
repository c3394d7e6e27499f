#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the launcher promises about COMMAND: its arguments, its streams, its exit status.
. "$(dirname "$0")/../lib.sh"
m=origin200

# --- status --------------------------------------------------------------------
run -m $m -- true
is 'true' "$status" 0
is 'nothing on stdout and stderr' "$(wc -c <"$tmp/out") $(wc -c <"$tmp/err")" '0 0'
run -m $m -- sh -c 'exit 42'
is 'exit status' "$status" 42
run -m $m -- 'kill -TERM $$'
is 'death by a signal' "$status" 143
run -m $m -- no-such-program
is 'unknown command: status' "$status" 127
like 'unknown command: stderr' "$err" 'no-such-program: not found'
run -m $m -- /etc/passwd
is 'not executable: status' "$status" 126

# --- how it is called ------------------------------------------------------------
run -m $m -- 'echo one; echo two >&2; id -u; exit 3'
is 'one word with blanks goes to the shell' "$out / $err / $status" 'one
0 / two / 3'
# shellcheck disable=SC2016
run -m $m -- printf '<%s>\n' 'a b' '$HOME `id`' "it's" '"q"' '*' '' '\n' "$(printf 'x\ty\nz')" "$(printf '\303\274\377')"
printf '<%s>\n' 'a b' '$HOME `id`' "it's" '"q"' '*' '' '\n' "$(printf 'x\ty\nz')" "$(printf '\303\274\377')" >"$tmp/want"
ok 'arguments arrive byte for byte' cmp "$tmp/out" "$tmp/want"
long=$(head -c 100000 /dev/zero | tr '\0' x)
run -m $m -- sh -c 'echo $# ${#1} ${#2}' sh "$long" "$long"
is 'two arguments of 100000 bytes' "$out" '2 100000 100000'
run -m $m -- 'ls -d /sys/class/net/eth0; pwd'
is 'eth0 is there when it begins, and it works in /root without a share' "$out" '/sys/class/net/eth0
/root'
run -m $m -- -c
is 'a command may begin with -' "$status" 127

# --- files of the image ------------------------------------------------------------
# The kernel takes pages of the initrd over instead of copying large files (kernel patch 0041).
awk '$1 == "file" { print $3, $2 }' "$root/build/initramfs.list" | while read -r source path; do
    echo "$(md5sum <"$source" | cut -d ' ' -f 1)  $path"
done >"$tmp/sums"
run -m $m -- md5sum -c - <"$tmp/sums"
is 'all files have the bytes of their sources: status' "$status" 0
is 'and all were compared' "$(grep -c ': OK$' "$tmp/out")" "$(wc -l <"$tmp/sums")"
run -m $m -- sh -c 'dmesg | sed -n "s/.*Freeing initrd memory: \\([0-9]*\\)K/\\1/p"'
ok 'most of the initrd was not copied: less than a quarter of it is freed' \
    test "$out" -gt 0 -a $((out * 4)) -lt $(($(stat -c %s "$root/build/initramfs.cpio") / 1024))
run -m $m -- sh -c 'cd /lib; free() { awk "/^MemFree/ { f = \$2 } /count:/ { f += \$2 * 16 } END { print f }" /proc/meminfo /proc/zoneinfo; }
    f=libstdc++.so.6; cp $f /tmp/copy; echo more >>$f; echo more >>/tmp/copy; cmp $f /tmp/copy && echo same; rm /tmp/copy
    set libgfortran.so.5 libgomp.so.1 $f; size=$(du -ck $* | tail -n 1 | cut -f 1); a=$(free); rm $*; b=$(free); echo $size $((b - a))'
is 'such a file can be written to' "${out%%
*}" same
read -r size freed <<E2
${out##*
}
E2
ok 'the memory of such files is free when they are removed' test "$freed" -gt $((size - 500)) -a "$freed" -lt $((size + 500))

# --- streams ----------------------------------------------------------------------
# All byte values pass in both directions, from a file and from a pipe.
awk 'BEGIN { for (i = 0; i < 256; i++) printf "%02x\n", i }' >/dev/null
i=0
while [ $i -lt 256 ]; do
    printf "\\$(printf %o $i)"
    i=$((i + 1))
done >"$tmp/bytes"
is 'the test has all byte values' "$(wc -c <"$tmp/bytes")" 256
"$origin" run -m $m -- cat <"$tmp/bytes" >"$tmp/out"
ok 'binary data through cat, stdin a file' cmp "$tmp/bytes" "$tmp/out"
cat "$tmp/bytes" | "$origin" run -m $m -- sh -c 'cat >&2' 2>"$tmp/err"
ok 'binary data through cat, stdin a pipe, to stderr' cmp "$tmp/bytes" "$tmp/err"
head -c 3000000 /dev/urandom >"$tmp/random"
sum=$(cksum <"$tmp/random")
is 'three random MB from a pipe' "$(cat "$tmp/random" | "$origin" run -m $m -- cksum)" "$sum"
is 'and from a file' "$("$origin" run -m $m -- cksum <"$tmp/random")" "$sum"
is 'and back' "$("$origin" run -m $m -- cat <"$tmp/random" | cksum)" "$sum"
# 100 MB of known bytes go to a reader that stops now and then.
run -m $m -- sh -c 'yes 0123456789abcde | head -c 104857600'
is '100 MB: status' "$status" 0
is '100 MB: every byte' "$(cksum <"$tmp/out")" "$(yes 0123456789abcde | head -c 104857600 | cksum)"
n=$("$origin" run -m $m -- sh -c 'yes | head -c 20000000' | { sleep 4; wc -c; })
is 'a slow reader loses nothing' "$n" 20000000
run -m $m -- sh -c 'for i in 1 2 3; do echo out$i; echo err$i >&2; done'
is 'stdout apart' "$out" 'out1
out2
out3'
is 'stderr apart' "$err" 'err1
err2
err3'
run -m $m -- sh -c 'echo to stdout >/dev/stdout; echo to stderr >/dev/stderr'
is '/dev/stdout and /dev/stderr can be opened' "$out/$err" 'to stdout/to stderr'
run -m $m -- wc -c </dev/null
is 'stdin of /dev/null' "$out" 0
run -m $m -- wc -c <&-
is 'closed stdin' "$out" 0
is 'stdin that ends at once' "$(printf '' | "$origin" run -m $m -- wc -c)" 0
begin=$(date +%s)
run -m $m -t 100 -- sh -c 'sleep 100000 & echo started'
is 'a background process does not hold the launcher' "$status $out" '0 started'
within 'nor for long' 0 $(($(date +%s) - begin)) 60
mkfifo "$tmp/open"
sleep 300 >"$tmp/open" &
sleeper=$!
"$origin" run -m $m -t 100 -- echo done <"$tmp/open" >"$tmp/out"
is 'an open stdin that nobody reads does not hold it either' "$? $(cat "$tmp/out")" '0 done'
kill $sleeper

# A file of /proc has the size 0 and content. The same run has more arguments for QEMU than a list of 256 holds.
names=$(for _ in $(seq 150); do printf ' --qemu-arg -name --qemu-arg x'; done)
# shellcheck disable=SC2086
is 'stdin of /proc has content; 300 arguments for QEMU; the root directory is root'"'"'s' \
    "$("$origin" run -m $m $names -- sh -c 'cat; stat -c %a /' </proc/version 2>"$tmp/err")" "$(cat /proc/version; echo 755)"
"$origin" run -m $m -- echo lost 2>"$tmp/err" >/dev/full
is 'output lost to a full disk: status' $? 125
is 'output lost to a full disk: said' "$(cat "$tmp/err")" 'origin: stdout: No space left on device'
"$origin" run -m $m -- 'echo lost; exit 3' 2>/dev/null >/dev/full
is 'output lost to a full disk: a failed command'"'"'s own status' $? 3
truncate -s 60M "$tmp/large"
(ulimit -f $((50 << 10)) && exec "$origin" run -m $m -s "$tmp" -- 'echo share >>large; sync; echo lost') 2>"$tmp/err" >>"$tmp/large"
is 'output beyond the limit of files: status' $? 125
is 'output beyond the limit of files: said, and QEMU survives its own' "$(cat "$tmp/err")" 'origin: stdout: File too large'

# If stdin is a file, its offset moves exactly as far as the command read.
printf 'first\nsecond\nthird\n' >"$tmp/lines"
{
    "$origin" run -m $m -- true
    read -r line
    echo "$line"
} <"$tmp/lines" >"$tmp/out"
is 'a command that does not read leaves stdin alone' "$(cat "$tmp/out")" first
{
    "$origin" run -m $m -- sh -c 'read -r x; echo "guest $x"'
    read -r line
    echo "host $line"
} <"$tmp/lines" >"$tmp/out"
is 'and one that reads a line leaves the rest' "$(cat "$tmp/out")" 'guest first
host second'

# If the reader goes away, the command gets SIGPIPE, as in any pipeline.
{
    "$origin" run -m $m -t 100 -- sh -c 'yes; echo status $? >&2' 2>"$tmp/err"
    echo "$?" >"$tmp/status"
} | head -n 1 >"$tmp/out"
is 'a reader that goes away' "$(cat "$tmp/out") $(cat "$tmp/status") $(cat "$tmp/err")" 'y 0 status 141'
run -m $m -- sh -c 'echo "$HOME $USER $PATH"; hostname'
like 'environment' "$out" '^/root root .*/usr/bin.*$'
like 'the machine knows its name' "$out" "^$m$"
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A checkpoint that is damaged, or that somebody has made to do harm (docs/checkpoints.md): one line says what is wrong, no machine starts, and nothing
# of the host is opened or written that the user has not named.
. "$(dirname "$0")/../lib.sh"
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -I"$root/launcher" -o "$tmp/seal" "$root"/{tests/guest/seal,launcher/sum,launcher/messages}.c || exit 99
mkdir "$tmp/share" "$tmp/share/folder"
echo text >"$tmp/share/folder/file"
ln "$tmp/share/folder/file" "$tmp/share/second"
ln -s /etc/passwd "$tmp/share/link"
truncate -s 1M "$tmp/share/sparse"; for at in 1 3 5 7 9 11; do echo "$at" | dd of="$tmp/share/sparse" bs=64k seek=$at conv=notrunc status=none; done
long=$(printf 'n%.0s' {1..150})
echo long >"$tmp/share/$long"
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print("%05d" % s.getsockname()[1])')
dtc -q -q -I dtb -O dtb -o "$tmp/own.dtb" "$ORIGIN_MACHINES/origin200.dtb" || exit 99
(umask 0; "$origin" run -m "$tmp/own.dtb" -k "$ORIGIN_VMLINUX" --net=user,hostfwd=tcp::$port-:22 --exec "$tmp/socket" -s "$tmp/share" --disk "$tmp/disk" --console="$tmp/console" \
    --save "$tmp/ckpt" -- \
    'ping -c 1 10.0.2.2 >/dev/null; snroi work true; echo on' </dev/null >"$tmp/out" 2>"$tmp/err"; echo $? >"$tmp/status")
is 'saved' "$(cat "$tmp/status" "$tmp/err" | tr '\n' ' ')" "0 origin: saved $tmp/ckpt: origin run --restore goes on from there "
rm "$tmp/console"
is 'for its owner alone, with a umask that forbids nothing' "$(stat -c %a "$tmp/ckpt")" 600

given=(-m "$tmp/own.dtb" -k "$ORIGIN_VMLINUX" --net=user --exec "$tmp/socket" -s "$tmp/new" --disk "$tmp/new.disk")
restore() { rm -rf "$tmp/new" "$tmp/new.disk"; run --restore "$1" "${@:2}"; }
files() { (cd "$1" && find . -printf '%p %y %s %l\n' | sort); }
restore "$tmp/ckpt" "${given[@]}"
is 'restored' "$status $out" '0 on'
is 'with the same files: names, kinds, sizes, links' "$(files "$tmp/new" | grep -v '^\. ')" "$(files "$tmp/share" | grep -v '^\. ')"
is 'the second name of a file is still one' "$(stat -c %h "$tmp/new/second") $(cat "$tmp/new/second")" '2 text'
is 'and the sparse file has its bytes' "$(md5sum <"$tmp/new/sparse")" "$(md5sum <"$tmp/share/sparse")"

# --- damage: one bit, 25 times in header, words, state and archives
python3 - "$tmp/ckpt" "$origin" "$tmp" >"$tmp/flips" <<'END' || exit 99
import os, re, subprocess, sys
path, origin, tmp = sys.argv[1:]
with open(path, "r+b") as f:
    head = f.read(4096).decode().rstrip("\0")
    part = {name: int(at) for name, at in re.findall(r"(\w+) (\d+)$", head, re.M)}
    size = os.path.getsize(path)
    def spread(low, high, n):
        return [low + (high - low - 1) * i // (n - 1) for i in range(n)]
    places = (spread(0, len(head), 5) + [head.index("sum ") + 1, head.index("sum ") + 5, len(head), 4095] + spread(4096, part["machine"], 4) +
              spread(part["machine"], part["share"], 6) + spread(part["share"], part["disk"], 3) + spread(part["disk"], size, 3))
    assert len(set(places)) == 25, places
    for i, at in enumerate(places):
        f.seek(at); byte = f.read(1)[0]
        f.seek(at); f.write(bytes([byte ^ 1 << i % 8])); f.flush()
        r = subprocess.run([origin, "run", "--restore", path, "--trust", "-s", tmp + "/flipped", "--disk", tmp + "/flipped.disk"],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL)
        f.seek(at); f.write(bytes([byte])); f.flush()
        wrong = {0: "it is no checkpoint", 1: "its version is not the one of this build"}.get((at >= 22) + (at >= 24), "it is damaged or not complete: its checksum differs")
        if (r.returncode, r.stdout, r.stderr) != (125, "", f"origin: --restore {path}: {wrong}\n"):
            print("byte", at, r.returncode, r.stdout, r.stderr)
    print(len(places))
END
is 'each flipped bit is refused' "$(cat "$tmp/flips")" 25
is 'and nothing was unpacked' "$(ls -d "$tmp"/flipped* 2>&1 | grep -c -v 'No such')" 0

# --- what reaches the host
# Numbers of bytes stand in $want as N.
refused() { restore "${@:2}"; is "$1" "$status $out$(sed "s|$tmp|TMP|g; s|byte [0-9]* is|byte N is|" "$tmp/err")" "$want"; }
reach() { want="2 origin: --restore TMP/ckpt: it was saved with $1, which reaches files, ports or programs of this host: give it again, or --trust the file (docs/checkpoints.md)"; }
reach "--machine=TMP/own.dtb --kernel=$ORIGIN_VMLINUX --net=user,hostfwd=tcp::$port-:22 --exec=TMP/socket"
refused 'options of the host that are not given' "$tmp/ckpt" -s "$tmp/new" --disk "$tmp/new.disk"
reach --exec=TMP/socket
refused 'one of them' "$tmp/ckpt" -m "$tmp/own.dtb" -k "$ORIGIN_VMLINUX" --net=user -s "$tmp/new" --disk "$tmp/new.disk"
restore "$tmp/ckpt" --trust -s "$tmp/new" --disk "$tmp/new.disk"
is 'with --trust the file may have them' "$status $out" '0 on'
is 'but not write what was of the other run' "$(ls "$tmp/console" 2>/dev/null)" ''
# edit NAME OLD NEW: a copy whose command line has another word, with blanks behind it if it is shorter; \e is ESC
edit() {
    python3 - "$tmp/ckpt" "$tmp/$1" "$2" "$3" <<'END' && "$tmp/seal" "$tmp/$1" || exit 99
import sys
path, to, old, new = sys.argv[1:]
data = open(path, "rb").read()
old, new = old.encode(), new.encode().replace(b"\\e", b"\x1b")
assert len(new) <= len(old) and data.count(old + b"\0", 4096, 8192) == 1
at = data.index(old + b"\0", 4096)
open(to, "wb").write(data[:at] + new.ljust(len(old), b" ") + data[at + len(old):])
END
}
hostile=$tmp/hostile
edit hostile --net=user,hostfwd=tcp::$port-:22 '--qemu-arg=-readconfig=/x'
want='2 origin: --save does not go with --qemu-arg: a checkpoint cannot know what it adds'
refused 'an argument for QEMU' "$hostile" --trust -s "$tmp/new" --disk "$tmp/new.disk"
edit hostile --net=user,hostfwd=tcp::$port-:22 '--net=\e[2J'
want="2 origin: --net is user[,hostfwd=PROTOCOL:[ADDRESS]:PORT-[ADDRESS]:PORT]..., not '?[2J                       ' (origin --help)"
refused 'what would clear the terminal' "$hostile" --trust -s "$tmp/new" --disk "$tmp/new.disk"
edit hostile --save -a
want="125 origin: --restore TMP/hostile: its command line has no --save"
refused 'a command line that made no checkpoint' "$hostile" -s "$tmp/new"

# --- archives
# archive NAME SCRIPT: a copy whose share is an archive that Python's tarfile makes; member(NAME, TYPE, LINK) adds to it.
archive() {
    python3 - "$tmp/ckpt" "$tmp/$1" "$2" <<'END' && "$tmp/seal" "$tmp/$1" || exit 99
import io, re, sys, tarfile
path, to, script = sys.argv[1:]
data = open(path, "rb").read()
head = data[:4096].decode().rstrip("\0")
part = {name: int(at) for name, at in re.findall(r"(\w+) (\d+)$", head, re.M)}
f = io.BytesIO()
tar = tarfile.open(fileobj=f, mode="w", format=tarfile.GNU_FORMAT)
def member(name, kind, link="", content=b"harm"):
    m = tarfile.TarInfo(name)
    m.type, m.linkname, m.size = kind, link, len(content) if kind == tarfile.REGTYPE else 0
    tar.addfile(m, io.BytesIO(content))
FILE, DIR, LINK, SECOND, FIFO, DEVICE = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE
member("./", DIR)
edit = lambda archive: archive
exec(script)
tar.close()
new = edit(f.getvalue())
old = part["disk"] - part["share"]
head = re.sub(r"(disk|end) (\d+)", lambda m: f"{m[1]} {int(m[2]) + len(new) - old}", head)
open(to, "wb").write(head.encode().ljust(4096, b"\0") + data[4096:part["share"]] + new + data[part["disk"]:])
END
}
bad() {
    archive hostile "$2"
    want="125 origin: --restore TMP/hostile: $3"
    refused "$1" "$hostile" "${given[@]}"
    is "$1: nothing is unpacked" "$(ls -d "$tmp"/new* "$tmp/outside" 2>&1 | grep -c -v 'No such')" 0
}
archive hostile 'member("./file", FILE); member("./sub", DIR); member("./sub/link", LINK, "/etc")'
restore "$hostile" "${given[@]}"
is 'the archives of this test can be unpacked' "$(files "$tmp/new" | sed 1d | tr '\n' ';')" './file f 4 ;./sub d 4096 ;./sub/link l 4 /etc;'
bad 'a FIFO' 'member("./file", FILE); member("./pipe", FIFO)' 'its member ./pipe is a FIFO'
bad 'a device' 'member("./null", DEVICE)' 'its member ./null is a device'
bad 'a hard link to a file of the host' 'member("./a", SECOND, "/etc/passwd")' 'its member ./a is a hard link to what is no file of the archive'
bad 'a hard link out of the folder' 'member("./a", SECOND, "./../ckpt")' 'its member ./a is a hard link to what is no file of the archive'
bad 'an absolute name' "member('$tmp/outside', FILE)" 'its member TMP/outside has a name that could lead out of its folder'
bad '..' 'member("./../outside", FILE)' 'its member ./../outside has a name that could lead out of its folder'
bad '.. behind a long name' 'member("./" + "x" * 200 + "/../../outside", FILE)' "its member ./$(printf 'x%.0s' {1..200})/../../outside has a name that could lead out of its folder"
bad 'a member behind a symbolic link' "member('./l', LINK, '$tmp'); member('./l/outside', FILE)" 'its member ./l/outside would be written through a symbolic link'
bad 'a member in place of a symbolic link' "member('./l', LINK, '$tmp/outside'); member('./l', FILE)" 'its member ./l is there twice'
bad 'a second name of a symbolic link' "member('./l', LINK, '$tmp'); member('./m', SECOND, './l'); member('./m/outside', FILE)" 'its member ./m/outside would be written through a symbolic link'
bad 'a kind that tar does not make for us' 'member("./a", tarfile.CONTTYPE)' 'its member ./a is no plain file, directory or symbolic link'
# Parts of a sparse file that are longer than what the header says: tar would take the members behind it for its bytes, and its bytes for members.
bad 'a sparse file that hides members' '
member("./s", FILE)
def edit(archive):
    h = bytearray(archive[512:1024])
    h[156:157] = b"S"
    h[386:410] = b"%011o\0%011o\0" % (0, 2048)
    h[483:495] = b"%011o\0" % 2048
    h[148:156] = b" " * 8
    h[148:156] = b"%06o\0 " % sum(h)
    return archive[:512] + bytes(h) + archive[1024:]' 'byte N is not of an archive that --save writes'
bad 'no archive' 'edit = lambda archive: b"\xff" * 10240' 'byte N is not of an archive that --save writes'
archive hostile ''
python3 - "$hostile" <<'END' && "$tmp/seal" "$hostile" || exit 99
import re, sys
data = open(sys.argv[1], "rb").read()
at = int(re.search(rb"disk (\d+)", data)[1])
h = bytearray(data[at:at + 512])
h[156:157], h[157:168], h[124:136] = b"2", b"/etc/passwd", b"%011o\0" % 0
h[148:156] = b" " * 8
h[148:156] = b"%06o\0 " % sum(h)
open(sys.argv[1], "wb").write(data[:at] + bytes(h) + data[at + 512:])
END
want='125 origin: --restore TMP/hostile: its member disk is not one plain file'
refused 'a disk that is a symbolic link' "$hostile" "${given[@]}"

# --- what the guest has put into its share
for kind in FIFO socket; do
    rm -rf "$tmp/own"; mkdir -p "$tmp/own/sub"
    if [ $kind = FIFO ]; then mkfifo "$tmp/own/sub/it"; else python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$tmp/own/sub/it"; fi
    run -m origin200 -s "$tmp/own" --save "$tmp/no" -- snroi work true
    is "a $kind in the share is named and nothing is saved" "$status $(sed "s|$tmp|TMP|g" "$tmp/err") $(ls "$tmp/no" 2>/dev/null)" \
        "125 origin: --save TMP/no: the share's ./sub/it is a $kind: no archive holds such "
done
finish

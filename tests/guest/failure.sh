#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The launcher when things go wrong: time limits, kernels that fail, oopses, launchers and QEMUs that die.
. "$(dirname "$0")/../lib.sh"
m=origin200

# Finds this test's QEMUs that still run: those whose initramfs memfd one of our children holds.
leftover() {
    pgrep -f -- "-append .*$1" | wc -l
}

# --- 124 -----------------------------------------------------------------------------
# The limit leaves time to boot, even on a busy host.
begin=$(seconds)
run -m $m -- true
limit=$(echo "$begin $(seconds)" | awk '{ printf "%d", 6 + 4 * ($2 - $1) }')
begin=$(seconds)
run -m $m -t "$limit" -a "mark=$$a" -- 'echo before; while :; do :; done'
took=$(echo "$begin $(seconds)" | awk '{ print $2 - $1 }')
is 'out of time: status' "$status" 124
is 'out of time: what was said before arrives' "$out" before
within 'out of time: on time' "$limit" "$took" $((limit + 10))
is 'out of time: nothing left' "$(leftover "mark=$$a")" 0
# A machine that begins with a kept boot may be at its end by then; no host boots 128 processors in a fifth of a second.
run -m stinger --boot=cold -t 0.2 -- true
is 'out of time while booting' "$status" 124
yes | head -c 2000000 >"$tmp/lot"
(
    "$origin" run -m $m -t "$limit" -- sh -c 'yes | head -c 4000000; sleep 1000000000' 2>/dev/null
    echo $? >"$tmp/status"
) | sleep $((limit * 2 + 30)) &
pipeline=$!
for _ in $(seq $((limit * 20 + 200))); do
    [ -s "$tmp/status" ] && break
    sleep 0.1
done
is 'out of time with a reader that never reads' "$(cat "$tmp/status" 2>/dev/null)" 124
kill $pipeline 2>/dev/null
wait $pipeline 2>/dev/null

# --- 125: no machine, no user space -----------------------------------------------------
head -c 100000 /dev/urandom >"$tmp/random"
run -m $m -t 100 -k "$tmp/random" -- true
is 'kernel that is no ELF: status' "$status" 125
like 'kernel that is no ELF: says why' "$err" 'origin: |qemu|kernel'
head -c 1000000 "$ORIGIN_VMLINUX" >"$tmp/cut"
run -m $m -t 100 -k "$tmp/cut" -- true
is 'kernel cut short: status' "$status" 125
run -m $m -t 100 -k /bin/true -- true
is 'program of this host as kernel: status' "$status" 125
run -m $m -t 100 -a rdinit=/nonexistent -- true
is 'no init: status' "$status" 125
like 'no init: the panic on stderr' "$err" 'Kernel panic - not syncing: (VFS|No working init)'
run -m $m -t 100 -a 'rdinit=/nonexistent panic=0' -- true
is 'a panic that stays: status' "$status" 125
like 'a panic that stays: on stderr' "$err" 'Kernel panic - not syncing'
run -m $m -a 'rdinit=/bin/sleep -- 1000000' --boot-timeout 4 -- true
is 'user space that never reports: status' "$status" 125
like 'user space that never reports: says so' "$err" 'origin: the machine did not reach user space'

run -m $m -a module_blacklist=snpc,refcnt -- echo runs
is 'modules that are not loaded: named once, and the command runs' "$status $out $err" \
    '0 runs origin: the kernel did not load refcnt snpc: it needs CONFIG_MODULES, and modules built for it (docs/kernel.md)'

# --- an R10000 without R2 instructions -----------------------------------------------------
cat >"$tmp/mips4.c" <<'END'
void __start(void)
{
    register long number __asm__("$2") = 5058, status __asm__("$4") = 7; /* exit(7) */

    __asm__ volatile("syscall" : : "r"(number), "r"(status));
}
END
"$origin" cc -mips4 -static -nostdlib -O2 -o "$tmp/mips4" "$tmp/mips4.c"
run -m $m --r2=off -s "$tmp" -- ./mips4
is '--r2=off: a MIPS IV program runs' "$status $err" "7 "
run -m $m --r2=off -- true
is '--r2=off: a program of R2 dies: status' "$status" 132
is '--r2=off: and a line says why' "$(printf '%s\n' "$err" | grep -c '^origin: the command used an instruction that the R10000 does not have: with --r2=off')" 1

# A kernel that dies before it has a console: its first instruction traps.
cp "$ORIGIN_VMLINUX" "$tmp/broken"
entry=$("${ORIGIN_CROSS}readelf" -h "$tmp/broken" | sed -n 's/.*Entry point address: *//p')
"${ORIGIN_CROSS}readelf" -lW "$tmp/broken" | awk '$1 == "LOAD" { print $2, $3; exit }' >"$tmp/load"
read -r offset vaddr <"$tmp/load"
# Addresses of the kernel differ in their low 32 bits only.
at=$((offset + 0x$(echo "$entry" | sed 's/.*\(........\)$/\1/') - 0x$(echo "$vaddr" | sed 's/.*\(........\)$/\1/')))
i=0
while [ $i -lt 64 ]; do
    printf '\000\000\000\015' # break
    i=$((i + 1))
done | dd of="$tmp/broken" bs=1 seek="$at" conv=notrunc 2>/dev/null
run -m $m -t 100 --boot-timeout 5 -k "$tmp/broken" -- true
is 'kernel that traps at once: status' "$status" 125
like 'kernel that traps at once: says so' "$err" 'origin: the machine did not reach user space'

# --- oops and panic during the command -------------------------------------------------
# Process 1 copies the output of the command to the port, so it must have run once before the panic: hence the sleep.
run -m $m -t 100 -- 'echo before; sleep 1; echo c >/proc/sysrq-trigger; echo after'
is 'panic during the command: status' "$status" 125
like 'panic during the command: on stderr' "$err" 'Kernel panic - not syncing: sysrq triggered crash'
like 'panic during the command: what was said before' "$out" before
run -m $m -t 100 -- 'echo "<3>the disk is on fire" >/dev/kmsg; echo c >/proc/sysrq-trigger; sleep 100'
like 'panic during the command: what the kernel said before' "$err" 'the disk is on fire'
# With panic_on_oops off, the command goes on and may succeed; the launcher must still fail.
mkdir -p "$tmp/oops"
cp "$root/tests/guest/oops.c" "$tmp/oops/"
echo 'obj-m := oops.o' >"$tmp/oops/Kbuild"
make -C "$root/build/kernel" M="$tmp/oops" ARCH=mips CROSS_COMPILE="$ORIGIN_CROSS" modules >"$tmp/make.log" 2>&1
ok 'the module that oopses compiles' test -e "$tmp/oops/oops.ko"
for kind in oops bug; do
    run -m $m -t 100 -s "$tmp/oops" -- "echo 0 >/proc/sys/kernel/panic_on_oops; insmod oops.ko kind=$kind; echo went on; exit 0"
    is "$kind during a command that succeeds: status" "$status" 125
    like "$kind during a command that succeeds: the command went on" "$out" 'went on'
    like "$kind during a command that succeeds: on stderr" "$err" 'Oops|Kernel bug detected'
    run -m $m -t 100 -s "$tmp/oops" -- "insmod oops.ko kind=$kind; exit 0"
    is "$kind that panics: status" "$status" 125
    like "$kind that panics: on stderr" "$err" 'Kernel panic - not syncing: Fatal exception'
done
run -m $m -t 100 -s "$tmp/oops" -- 'insmod oops.ko kind=warn; exit 3'
is 'a warning of the kernel is no oops' "$status" 3

# --- the launcher dies --------------------------------------------------------------------
gone() { # gone MARK: within two seconds
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(leftover "$1")" = 0 ] && return 0
        sleep 0.1
    done
    return 1
}
mkdir "$tmp/t" "$tmp/t/cwd"
TMPDIR=$tmp/t
export TMPDIR
cd "$tmp/t/cwd" || exit 99
for sig in KILL TERM INT HUP; do
    rm -f "$tmp/out" # or the last one's might be looked at
    "$origin" run -m $m -t 300 -a "mark=$$$sig" -- 'echo up; sleep 1000000000; while :; do :; done' >"$tmp/out" 2>/dev/null &
    pid=$!
    for _ in $(seq 900); do
        grep -q up "$tmp/out" 2>/dev/null && break
        sleep 0.1
    done
    is "before SIG$sig: one machine" "$(leftover "mark=$$$sig")" 1
    # A shell starts background children with SIGINT ignored; a launcher started that way must keep ignoring it.
    if [ $sig = INT ]; then
        kill -INT $pid
        sleep 0.5
        is 'SIGINT ignored by who started it stays ignored' "$(leftover "mark=$$$sig")" 1
        kill -TERM $pid
        sig=TERM
        mark=$$INT
    else
        kill -$sig $pid
        mark=$$$sig
    fi
    wait $pid 2>/dev/null
    got=$?
    case $sig in
    KILL) want=137 ;;
    TERM) want=143 ;;
    HUP) want=129 ;;
    esac
    is "after SIG$sig: status" $got $want
    ok "after SIG$sig: no machine" gone "mark=$mark"
done
is 'no file is left, in $TMPDIR or here' "$(find "$tmp/t" -mindepth 1)" "$tmp/t/cwd"
cd "$root" || exit 99

# QEMU dies under a running command.
rm -f "$tmp/out"
"$origin" run -m $m -t 300 -a "mark=$$q" -- 'echo up; while :; do :; done' >"$tmp/out" 2>"$tmp/err" &
pid=$!
for _ in $(seq 900); do
    grep -q up "$tmp/out" 2>/dev/null && break
    sleep 0.1
done
kill -KILL "$(pgrep -f -- "-append .*mark=$$q" | head -n 1)"
wait $pid
is 'QEMU dies: status' $? 125
like 'QEMU dies: says so' "$(cat "$tmp/err")" '^origin: the machine stopped before the command ended'
run -m $m -t 100 -- 'reboot -f; sleep 100'
is 'the command stops the machine: status' "$status" 125
run -m $m -t 100 -- 'poweroff -f; sleep 1000'
is 'poweroff -f stops the machine: status' "$status" 125
# With -action reboot=reset, QEMU boots again from the files of kernel and initramfs. The second boot finds the mark of the first.
mkdir "$tmp/share"
run -m $m -t 200 -s "$tmp/share" --console "$tmp/console" --qemu-arg=-action --qemu-arg=reboot=reset -- '[ -e mark ] && halt -f; touch mark; reboot -f; sleep 100'
is 'a reboot reaches user space again' "$status $(grep -c '^Linux version' "$tmp/console") $(grep -c 'System halted' "$tmp/console")" '125 2 1'
run -m $m -t 100 -- poweroff
is 'poweroff as the command' "$status" 0
run -m $m -t 100 --qemu-arg -frobnicate -- true
is 'QEMU that refuses its options: status' "$status" 125
like 'QEMU that refuses its options: its words' "$err" 'frobnicate'
finish

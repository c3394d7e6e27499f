#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# I/O as the guest sees it: PCI behind the Bridge, the disk, the network, IOC3's own Ethernet, serial
# ports and clock, interrupts moved between nodes.
. "$(dirname "$0")/../lib.sh"
m=ricotta

# A disk with known contents.
head -c 8388608 /dev/urandom >"$tmp/disk"
disk_sum=$(cksum <"$tmp/disk")
# The second serial port is a pair of fifos. When the guest has written a line, it gets an answer.
mkfifo "$tmp/ttyS1.in" "$tmp/ttyS1.out"
{
    exec <"$tmp/ttyS1.out"
    IFS= read -r line
    printf 'from the host to %s\n' "$line" >"$tmp/ttyS1.in"
    cat >"$tmp/ttyS1.text"
} &

# --- one boot with a device of each kind, everything tested at once -------------------------------
cat >"$tmp/guest.sh" <<'END'
section() { echo "== $1"; }

# The command may start before the last device has been probed.
while [ ! -b /dev/vda ] || [ ! -c /dev/hwrng ] || ! grep -q '^1: uart:16550A' /proc/tty/driver/serial; do
    usleep 10000
done

section devices
for d in /sys/bus/pci/devices/*; do
    echo "${d##*/} $(cat $d/vendor) $(cat $d/device) $(readlink $d/driver | sed 's,.*/,,') $(sed -n 1p $d/resource)"
done
section bars
for d in /sys/bus/pci/devices/*; do
    awk -v d="${d##*/}" '$1 !~ /^0x0+$/ { print d, $1, $2 }' $d/resource
done
section disk
cksum </dev/vda
dd if=/dev/vda bs=4096 skip=513 count=3 2>/dev/null | cksum
# Write every other 64 KB block, then read everything back without the page cache.
i=0
while [ $i -lt 128 ]; do
    dd if=/bin/busybox of=/dev/vda bs=65536 seek=$i skip=$((i % 16)) count=1 conv=notrunc 2>/dev/null
    i=$((i + 2))
done
sync
echo 3 >/proc/sys/vm/drop_caches
cksum </dev/vda

section affinity
virtio=$(basename /sys/bus/pci/devices/0000:00:03.0/virtio*)
irq=$(awk -F: -v v=$virtio '$0 ~ v "$" { print $1 + 0 }' /proc/interrupts)
where() { awk -v i="$irq:" '$1 == i { for (c = 2; c <= 17; c++) printf "%s ", $c }' /proc/interrupts; }
for cpu in 0 5 15 2 0; do
    printf '%x' $((1 << cpu)) >/proc/irq/$irq/smp_affinity
    before=$(where)
    dd if=/dev/vda of=/dev/null bs=65536 count=16 iflag=direct 2>/dev/null
    after=$(where)
    echo "$before/ $after" | awk -v want=$cpu '{
        for (c = 1; c <= 16; c++) { n = $(c + 17) - $c; if (c - 1 == want) here = n; else others += n }
        print want, (here > 0), others + 0 }'
done

# Finds the network interface of a driver: the driver is bound to its device or to the parent of that device.
interface() {
    for n in /sys/class/net/*; do
        case $(readlink $n/device/driver) in
        */$1) echo ${n##*/} ;;
        esac
    done
}
net() {
    section "$1"
    if=$(interface $2)
    cat /sys/class/net/$if/address
    ip link set $if up
    ip addr add $3.15/24 dev $if
    ping -c 3 -W 5 $3.2 | grep received
    head -c 300000 /bin/busybox | nc -w 5 $3.100 7 | cksum
}
section sum
head -c 300000 /bin/busybox | cksum
net network virtio_net 10.0.2
net ioc3-eth ioc3-eth 10.0.3

section serial
stty -F /dev/ttyS1 raw -echo 115200
cat /proc/tty/driver/serial | cut -d' ' -f1-5
exec 3<>/dev/ttyS1
echo ready >&3
head -n 1 <&3
echo 'from the guest' >&3
seq 1 2000 >&3
exec 3>&-

section clock
dmesg | grep -o 'm48t35.*' | head -n 2
date -u +%Y-%m-%dT%H
hwclock -u -r >/dev/null && echo hwclock works
t=$(cut -d. -f1 /sys/class/rtc/rtc0/since_epoch); u=$(date +%s)
echo $((t - u))
cat /sys/class/rtc/rtc0/name
sleep 7
echo $(($(cat /sys/class/rtc/rtc0/since_epoch) - t))
date -u -s '2031-05-06 07:08:09' >/dev/null
hwclock -u -w
cat /sys/class/rtc/rtc0/date

section random
head -c 64 /dev/hwrng | wc -c
cat /sys/class/misc/hw_random/rng_current

section interrupts
grep -E 'ttyS|virtio' /proc/interrupts | awk '{ print $NF }'
section log
dmesg
END

mkdir "$tmp/share"
cp "$tmp/guest.sh" "$tmp/share/"
# run_with QEMU-ARGS... -- ARGS...: origin run ARGS, with --qemu-arg before each of QEMU-ARGS
run_with() {
    n=0
    for arg; do
        [ "$arg" = -- ] && break
        n=$((n + 1))
    done
    i=0
    while [ $i -lt $n ]; do
        set -- "$@" --qemu-arg "$1"
        shift
        i=$((i + 1))
    done
    shift
    # ARGS now come first: put them last.
    k=$(($# - 2 * n))
    i=0
    while [ $i -lt $k ]; do
        set -- "$@" "$1"
        shift
        i=$((i + 1))
    done
    run "$@"
}

run_with -drive "file=$tmp/disk,format=raw,if=none,id=d" -device virtio-blk-pci,drive=d,addr=3 \
    -netdev 'user,id=n,restrict=on,guestfwd=tcp:10.0.2.100:7-cmd:cat' \
    -device virtio-net-pci,netdev=n,mac=08:00:69:02:12:34,addr=5 \
    -nic 'user,net=10.0.3.0/24,restrict=on,mac=08:00:69:02:12:35,guestfwd=tcp:10.0.3.100:7-cmd:cat' \
    -device virtio-rng-pci,addr=7 \
    -chardev "pipe,id=s1,path=$tmp/ttyS1" -serial chardev:s1 \
    -- -m $m -s "$tmp/share" -- sh guest.sh
is 'the guest script ends well' "$status" 0

section() {
    printf '%s\n' "$out" | awk -v s="== $1" '/^== / { on = $0 == s; next } on'
}

devices=$(section devices)
like 'IOC3 in slot 2 with its driver' "$devices" '^0000:00:02.0 0x10a9 0x0003 IOC3 0x0*f600000 0x0*f6fffff'
like 'disk in slot 3' "$devices" '^0000:00:03.0 0x1af4 0x1042 virtio-pci'
like 'network in slot 5' "$devices" '^0000:00:05.0 0x1af4 0x1041 virtio-pci'
like 'random numbers in slot 7' "$devices" '^0000:00:07.0 0x1af4 0x1044 virtio-pci'
is 'every BAR lies in the Bridge windows' "$(section bars | awk '
    { n++ } $2 !~ /^0x0+f[2-9ab].....$/ || $3 !~ /^0x0+f[2-9ab].....$/ { bad++ } END { print (n >= 4), bad + 0 }')" '1 0'

disk=$(section disk)
is 'disk: the guest reads what the host wrote' "$(printf '%s\n' "$disk" | sed -n 1p)" "$disk_sum"
is 'disk: and what it wrote itself' "$(printf '%s\n' "$disk" | sed -n 3p)" "$(cksum <"$tmp/disk")"
ok 'disk: which is not the same' test "$(cksum <"$tmp/disk")" != "$disk_sum"

is 'interrupts follow smp_affinity, to other nodes too' "$(section affinity)" '0 1 0
5 1 0
15 1 0
2 1 0
0 1 0'

network() {
    net=$(section "$1")
    is "$1: address" "$(printf '%s\n' "$net" | sed -n 1p)" "$2"
    like "$1: ping" "$net" '3 packets received'
    is "$1: 300 KB there and back" "$(printf '%s\n' "$net" | sed -n 3p)" "$sum"
}
sum=$(section sum)
network network 08:00:69:02:12:34
network ioc3-eth 08:00:69:02:12:35

serial=$(section serial)
like 'serial: ttyS0 is a 16550A' "$serial" '^0: uart:16550A'
like 'serial: ttyS1 too' "$serial" '^1: uart:16550A'
like 'serial: input arrives' "$serial" '^from the host to ready$'
wait
is 'serial: output arrives, all of it' "$(tr -d '\r' <"$tmp/ttyS1.text")" "from the guest
$(seq 1 2000)"

clock=$(section clock)
like 'clock: the kernel sets its time from it' "$clock" 'm48t35.* setting system clock to 20[0-9][0-9]-'
like 'clock: hwclock' "$clock" '^hwclock works$'
like 'clock: agrees with system time' "$clock" '^(-1|0|1)$'
like 'clock: runs' "$clock" '^[78]$'
is 'clock: can be set' "$(printf '%s\n' "$clock" | tail -n 1)" 2031-05-06

is 'random: bytes arrive' "$(section random | sed -n 1p)" 64
like 'random: from virtio' "$(section random)" '^virtio_rng'
unlike 'no complaint about PCI, serial or clock in the log' "$(section log)" \
    'pci.*(fail|error|invalid|conflict|no compatible)|can.t claim|spurious|nobody cared|unable to read the hardware clock|too much work'

# --- disk I/O is part of machine time: the same job twice has the same clocks and interrupts -----------
cat >"$tmp/disk.sh" <<'END'
while [ ! -b /dev/vda ]; do usleep 10000; done
cksum </dev/vda
dd if=/dev/zero of=/dev/vda bs=65536 count=8 seek=2 conv=notrunc 2>/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
cksum </dev/vda
cat /proc/interrupts /proc/uptime /proc/stat
END
for turn in 1 2; do
    head -c 1048576 "$tmp/disk" >"$tmp/disk.$turn"
    run_with -drive "file=$tmp/disk.$turn,format=raw,if=none,id=d" -device virtio-blk-pci,drive=d,addr=3 \
        -- -m $m -- sh -c "$(cat "$tmp/disk.sh")"
    cp "$tmp/out" "$tmp/twice.$turn"
done
is 'a job that uses the disk ends well' "$status" 0
ok 'and is the same twice, to the last interrupt' cmp "$tmp/twice.1" "$tmp/twice.2"

# --- devices that do not fit are refused in one line ---------------------------------------------------------
run_with -device virtio-rng-pci,addr=2 -- -m origin200 -- true
is 'slot 2 is taken: status' "$status" 125
like 'slot 2 is taken: why' "$err" 'PCI: slot 2 function 0 not available for virtio-rng-pci, in use by origin-ioc3'
run_with -device virtio-rng-pci,addr=4 -- -m origin200 -- true
is 'slot 4 is reserved: status' "$status" 125
like 'slot 4 is reserved: why' "$err" 'PCI: slot 4 function 0 not available for virtio-rng-pci, reserved'

finish

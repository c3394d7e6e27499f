#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin doctor on this host, and on hosts that lack something: a tree without a build, a control group with limits, no room, no package, a QEMU of
# other sources.
. "$(dirname "$0")/../lib.sh"
tree=$tmp/tree proc=$tmp/proc group=$tmp/cgroup
mkdir -p "$tree/build/stamps" "$tree/launcher" "$tree/scripts" "$proc/self" "$proc/sys/vm" "$group/a/b"
cp "$root/launcher/doctor" "$tree/launcher/doctor"
cp "$root/origin" "$tree/origin"
cp "$root/scripts/host.sh" "$tree/scripts"
echo dpkg >"$tree/scripts/packages.txt"
: >"$tree/scripts/packages-guest.txt"
: >"$tree/Makefile"
echo 'MemAvailable:   8000000 kB' >"$proc/meminfo"
echo 0 >"$proc/sys/vm/overcommit_memory"
echo 0::/a/b >"$proc/self/cgroup"

# What it says of the tree and host above. Free space is this host's, so a test that does not ask for it wants none.
doctor() {
    DOCTOR_PROC=$proc DOCTOR_CGROUP=$group DOCTOR_TMP_MB=${room-0} CACHE=${cache-$tmp} TMPDIR=${dir-$tmp} "$tree/origin" doctor 2>&1
    echo "status $?"
}

is 'a tree without a build' "$(doctor | grep -v '12000. Set CACHE')" "$tree: not built yet: make
status 1"
mkdir "$tree/qemu"
for part in qemu/qemu vmlinux initrd launch; do printf '#!/bin/sh\necho a program\n' >"$tree/$part"; chmod +x "$tree/$part"; done
cat >"$tree/build/env" <<END
ORIGIN_QEMU=$tree/qemu/qemu ORIGIN_VMLINUX=$tree/vmlinux ORIGIN_INITRD=$tree/initrd ORIGIN_LAUNCHER=$tree/launch
END
printf 'qemu-key:\n\t@echo 1234\n' >"$tree/Makefile"
echo 1234 >"$tree/build/stamps/qemu"
is 'a host and a build as they should be' "$(doctor)" 'nothing is missing
status 0'
is 'where its cache cannot be' "$(cache=/proc/none doctor | grep free)" '/proc: 0 MB free, and the build may need 500. Set CACHE, or try make cache-gc'
echo 5678 >"$tree/build/stamps/qemu"
like 'a QEMU of other sources' "$(doctor)" "^$tree/qemu/qemu: built from other sources than those in the tree: make$"
echo 1234 >"$tree/build/stamps/qemu"
printf '#!/bin/sh\necho libfoo.so is missing >&2\nexit 127\n' >"$tree/qemu/qemu"
like 'a QEMU that does not run' "$(doctor)" "^$tree/qemu/qemu: does not run: libfoo.so is missing. Build it on this host: make clean; make$"
rm "$tree/vmlinux"
like 'a part that is missing' "$(doctor)" "^$tree/vmlinux: missing: make$"
echo nosuchpackage >>"$tree/scripts/packages.txt"
like 'a package that is missing' "$(doctor)" '^packages: these are missing, .*: nosuchpackage$'
echo '50000 100000' >"$group/a/cpu.max"
echo max >"$group/a/b/memory.max"
echo 1073741824 >"$group/a/memory.max"
like 'processors of a control group above ours' "$(doctor)" "^processors: the cgroup grants 0.5 of $(nproc)\\."
like 'memory of a control group above ours' "$(doctor)" '^memory: 1024 MB may be used'
echo 2 >"$proc/sys/vm/overcommit_memory"
like 'a host that does not overcommit' "$(doctor)" '^memory: vm.overcommit_memory is 2'
like 'no room for temporary files' "$(room=1000000000 doctor)" "^$tmp: [0-9]* MB free"
like 'no directory for temporary files' "$(dir=$tmp/none doctor)" "^$tmp/none: no directory can be made there"
like 'too few open files' "$(ulimit -n 100; doctor)" '^open files: ulimit -n is 100'
like 'little address space' "$(ulimit -v 4000000; doctor)" '^memory: ulimit -v is 4000000 kB'
is 'an argument' "$("$tree/origin" doctor now 2>&1; echo $?)" 'origin: doctor takes no arguments (origin --help)
2'
unset room cache dir
is 'this tree: QEMU is of its sources' "$("$origin" doctor | grep -c 'other sources\|missing: make\|not built')" 0
finish

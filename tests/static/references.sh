#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every file, manual page, function and heading that a comment, a document or a manual page names exists: in this repository, or in the list below
# of names from elsewhere.
cd "$(dirname "$0")/../.." || exit 99
exec python3 -B tests/static/references.py <<'END'
# Placeholders in examples.
FILE.dts NAME.dts X.dts UNIT.h.inc X.sh test_X.c NAME.csv OUT.h machine.dts prog.c program.c
# Linux: headers of SGI's machines. Two names have a directory, because we have a file of the same name.
addrs.h bridge.h gda.h maple_tree.h mm_types.h thread_info.h maple_tree.c hub*.h hubio.h hubmd.h hubni.h hubpi.h intr.h ioc3.h kldir.h launch.h nmi.h xbow.h xwidget.h
asm-ia64/sn/router.h asm-ia64/sn/hwcntrs.h
# Linux: sources.
8250_ioc3.c d_path.c file.c ioc3-eth.c ip27-irq.c ip27-memory.c ip27-nmi.c ip27-timer.c mempolicy.h mfd/ioc3.c pci-xtalk-bridge.c perf_event_mipsxx.c
rtc-m48t35.c sgi_w1.c w1_ds250x.c w1_io.c
# Linux: functions.
__up_read __update_tlb ioc3eth_get_mac_addr pci_set_master queued_spin_lock_slowpath quiet_vmstat set_mempolicy udelay vmalloc_user w1_ds2502_read_page w1_ds2505_read_page w1_search
# QEMU.
9p.c cache.c cpu-exec.c cpu.h cputlb.c registerfields.h system/qtest.c translate.c translator.c
cpu_exec cpu_exec_start probe_access qpf_hash qemu_timedate_diff
# IRIX.
acreate dplace.5 migr_range_migrate.3 migration.5 mmci.5 refcnt.5 syssgi.2 sysmp.2
# Files that users or other programs make: refcnt(5), PAPI, snsuite.
memory_config.csv run_tests_exclude.txt curve.csv out/backoff.csv
# Files of a profile.
run.csv hops.csv meta.csv truth.json cpus.csv threads.csv maps.csv paths.csv heap.csv regions.csv misses.csv stalls.csv computing.csv blocked.csv locks.csv followed.csv follow.csv accesses.csv recorded/accesses.csv inc/trace_instruction.h
# Files of sweeps and futures.
results.csv result.json jobs.json futures.csv
# Manual pages of Linux, besides those of the C library's functions.
chown.1 cpuset.7 exec.3 head.1 move_pages.2 numactl.8 objdump.1 perf_event_open.2 rseq.2 unix.7
END

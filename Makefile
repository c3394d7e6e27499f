# SPDX-License-Identifier: GPL-2.0-or-later
# Origin 2000: builds the machine (QEMU), the guest (kernel, modules, tools, initramfs) and runs the tests. `make help` lists the targets.
#
# The big parts (QEMU, kernel, busybox, numactl, PAPI) are built by scripts/build-*, which keep finished products in a cache under the hash of all
# they are made of and rewrite build/stamps/NAME only when that hash changes. The rest are ordinary rules below and in the fragments
# launcher/module.mk, lib/module.mk and tools/module.mk, which add to these lists:
#   GUEST_FILES   /path/in/guest=file[=mode]   into the initramfs (mode 755 unless given)
#   SDK_FILES     path/in/sdk=file             into build/sdk, what `origin cc` compiles and links with
# and may use $(call guest_program,NAME,SOURCES,LIBRARIES) and $(call guest_library,NAME,VERSION,SOURCES).

include config.mk
-include config.local.mk

B := build
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory
export ORIGIN_T0 := $(or $(ORIGIN_T0),$(shell date +%s))
export VERSION QEMU_SERIES LINUX_SERIES BUSYBOX_SERIES NUMACTL_SERIES PAPI_SERIES MESON_SERIES PYCOTAP_SERIES DEBIAN_SUITES DEBIAN_MIRROR DEBIAN_PUBLIC DEBIAN_OLD CROSS CACHE CACHE_KEEP JOBS
CACHE_DIR := $(or $(CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/origin2000)
export CCACHE_DIR ?= $(CACHE_DIR)/ccache
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

help:
	@echo 'make               build everything'
	@echo 'make run [M=NAME]  build and boot a machine ($(M)) to a root shell; poweroff or Ctrl-A x leaves'
	@echo 'make check         run all tests; the last line is "N passed, N failed, N skipped"'
	@echo 'make unit | qtest | cpu | baremetal | time | cli | guest-check | static | checkpatch    parts of it; T=PATTERN picks test programs by name'
	@echo 'make soak          longer runs of some of them'
	@echo 'make fingerprint   does the machine do the same as when tests/fingerprint/expected was recorded? (fingerprint-record records it,'
	@echo '                   fingerprint-guest makes the guest anew that it runs)'
	@echo 'make accuracy [MACHINES=...]  the time model against the tables of the thesis, on the engine alone (accuracy-rig, a minute) and in the'
	@echo '                   guests (accuracy-guest, half an hour, arctic and stinger most of it), into docs/fidelity; accuracy-core: what instructions take'
	@echo 'make bench         boot times, speed, memory, determinism, protocol on a quiet host, about an hour, into docs/bench.md; T=PATTERN picks some,'
	@echo '                   ROUNDS=N repeats each N times; fails if a figure misses its aim (tests/bench/aims)'
	@echo 'make docs-status   which pages of figures are older than their sources'
	@echo 'make qemu | kernel | modules | sdk | initramfs | machines      parts of the build'
	@echo 'make debug-check   the guest modules on a second kernel with lock and memory checkers (make debug-kernel builds it)'
	@echo 'make machines-list the presets'
	@echo 'make gallery       make the pictures of docs/gallery.md anew; T=NAME makes one run'"'"'s'
	@echo 'make reproduce     the experiments of the papers, in the guests, into docs/reproduction; T="NAME..." picks; continues where it stopped'
	@echo 'make docs          renew the pages of docs/ that programs write (make machine-page: docs/machine.html alone, in build/machine)'
	@echo 'make format        apply clang-format to the C sources'
	@echo 'make qemu-edit | kernel-edit            build/NAME-edit: a git branch with the patches of QEMU or Linux as commits'
	@echo 'make qemu-edit-save | kernel-edit-save  write the commits of that branch back as patches'
	@echo 'make patches-out   the patches as mails to the maintainers of QEMU, Linux and PAPI, a folder for each series, in build/patches-out'
	@echo 'make install [PREFIX=/usr/local]        launcher, machine, guest, compilers'"'"' settings and manual pages; uninstall removes them'
	@echo 'make deb           the same as a Debian package in build/'
	@echo 'make image         that package and what it needs as an OCI image in build/, for podman, docker, apptainer'
	@echo 'make notebooks     install what the notebooks need (docs/notebooks.md)'
	@echo 'make update        take the newest sources of the archive, and write scripts/sources.txt with them'
	@echo 'make reproducible  build the guest twice, at two places, and compare it byte for byte'
	@echo 'make clean         remove this tree'"'"'s build directory'
	@echo 'make distclean     and the cache shared by all trees ($(CACHE_DIR))'
	@echo 'make cache-gc      remove old products from the cache'

# --- one make at a time builds in a tree; tests and the shell run outside the lock ------------------------------------------------------
BUILD_GOALS := all packages test-packages sources qemu kernel debug-kernel busybox numactl papi tools machines modules sdk initramfs test-programs machine-page update
ifndef ORIGIN_LOCKED
.PHONY: $(BUILD_GOALS)
# A build uses all processors. Tests and machines, which come after it, do so themselves.
.NOTPARALLEL:
$(BUILD_GOALS):
	@mkdir -p $(B)
	+@flock -F $(B)/.lock scripts/build '$(MAKE)' $@ $(LISTS)
# Who only runs machines needs no package of the tests, which execute the notebooks and all commands, too.
test-packages test-programs machine-page: LISTS := commands notebooks tests
else
include scripts/rules.mk
endif

.PHONY: help run check unit qtest cpu baremetal time cli guest-check soak fingerprint fingerprint-record fingerprint-guest gallery reproduce debug-check static checkpatch accuracy accuracy-rig accuracy-guest accuracy-core bench format machines-list qemu-edit kernel-edit qemu-edit-save kernel-edit-save patches-out docs docs-status clean distclean cache-gc install uninstall deb image notebooks reproducible
run: all
	@exec ./origin run -m $(M)

machines-list: all
	@./origin machines

docs: all machine-page
	@scripts/docs .
	@scripts/measured.py --mark
docs-status:
	@scripts/measured.py --status

TAP := python3 scripts/tap-sum --jobs $(JOBS) --timeout $(TEST_TIMEOUT) --times $(CACHE_DIR)/test-times $(if $(T),--match '$(T)')
check: all tools test-programs machine-page
	@$(TAP) static unit qtest cpu baremetal time cli guest fingerprint
unit qtest cpu baremetal time static: all test-programs machine-page
	@$(TAP) $@
cli: all tools test-programs machine-page
	@$(TAP) cli
guest-check: all tools test-packages
	@$(TAP) guest
# Longer runs of what check tests in short.
soak: all tools test-packages test-programs
	@$(TAP) soak
# docs/gallery.md and its pictures, from runs in guests; T names some of them.
gallery: all test-packages
	@scripts/gallery $(T)
# docs/reproduction: the experiments of the papers against what the papers say. A run that is done is kept in build/reproduce.
reproduce: all test-packages
	@JOBS=$(JOBS) scripts/reproduce $(T)
# All runs of the machine's fingerprint; `make check` does the quick ones.
fingerprint: all
	@tests/fingerprint/run.sh --set all
fingerprint-record: all
	@tests/fingerprint/run.sh --set all --record
fingerprint-guest: all test-packages
	@tests/fingerprint/guest.sh
# The modules on a kernel that checks itself.
debug-check: all test-packages debug-kernel
	@$(TAP) debug
checkpatch: all test-packages
	@$(TAP) --match checkpatch static

# The full time model against the tables of the thesis: on the engine alone, then in the guests. MACHINES chooses the machines of the guests; results
# of other machines stay as they are.
accuracy: accuracy-rig accuracy-guest accuracy-core
accuracy-core: all
	@tests/accuracy/core.sh $(B)/accuracy/core && tests/accuracy/core.py $(B)/accuracy/core >docs/fidelity/core.md; ran=$$?; cat docs/fidelity/core.md; exit $$ran
accuracy-guest: all
	@tests/accuracy/guest.sh $(B)/accuracy/guest $(MACHINES); ran=$$?; \
	tests/accuracy/guest.py $(B)/accuracy/guest >docs/fidelity/guest.md; near=$$?; cat docs/fidelity/guest.md; exit $$((ran | near))
accuracy-rig: machines test-packages
	@tests/accuracy/run.sh >docs/fidelity/README.md && tests/accuracy/figures.sh && cat docs/fidelity/README.md
	@{ tests/accuracy/run.sh --cross && echo && scripts/measured.py --stamp config.mk include qemu-origin/engine qemu-origin/machines tests/accuracy && \
	echo "The engine alone computes this table, so it is the same on any host. Commit $$(git log -1 --format=%h -- config.mk include qemu-origin/engine qemu-origin/machines tests/accuracy), $$(date +%F)."; } >docs/fidelity/cross.md && \
	cat docs/fidelity/cross.md

# Each program of tests/bench prints its figures, which go to docs/bench.md; T=PATTERN picks some.
bench: all tools test-packages
	@scripts/bench $(T)

format: test-packages
	@scripts/format

# What docs/notebooks.md needs beside Python.
notebooks:
	@mkdir -p $(B)
	@flock -F $(B)/.lock scripts/install-packages notebooks

# The products outside this tree (DESTDIR is honoured), and as a Debian package.
PREFIX ?= /usr/local
install: all tools
	@scripts/install '$(PREFIX)'
uninstall:
	@scripts/install --remove '$(PREFIX)'
deb: all tools
	@scripts/build-deb
image: deb test-packages
	@scripts/build-image

# Is the guest the same wherever it is built?
reproducible: sources
	@scripts/reproducible

# The patches as commits of a git branch, and back.
qemu-edit kernel-edit: sources
	@scripts/patch-series edit $(@:-edit=)
qemu-edit-save kernel-edit-save:
	@scripts/patch-series save $(@:-edit-save=)
patches-out: sources
	@scripts/patches-out

clean:
	rm -rf $(B)

distclean: clean
	rm -rf '$(CACHE_DIR)'

cache-gc:
	@scripts/cache-gc

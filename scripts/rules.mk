# SPDX-License-Identifier: GPL-2.0-or-later
# The build itself. Included by the Makefile while it holds the tree's lock; paths are relative to the repository's root.

S := $(B)/stamps
GCC := ccache $(CROSS)gcc
SDK := $(B)/sdk
GUEST_CFLAGS := -O2 -std=gnu11 -Wall -Wextra -Iinclude -Iinclude/abi -I$(SDK)/include -ffile-prefix-map=$(CURDIR)/=
GUEST_LDFLAGS := -Wl,-z,noexecstack -L$(B)/guest -L$(SDK)/lib -Wl,-rpath-link,$(B)/guest:$(SDK)/lib
GUEST_FILES :=
SDK_FILES := lib/libnuma.so.1=$(B)/numactl/lib/libnuma.so.1 lib/libnuma.so=$(B)/numactl/lib/libnuma.so.1 \
	$(foreach h,numa.h numaif.h numacompat1.h,include/$(h)=$(B)/numactl/include/$(h)) \
	lib/libpapi.so.$(PAPI_SERIES)=$(B)/papi/lib/libpapi.so.$(PAPI_SERIES) lib/libpapi.so=$(B)/papi/lib/libpapi.so.$(PAPI_SERIES) \
	$(foreach h,papi.h papiStdEventDefs.h,include/$(h)=$(B)/papi/include/$(h)) \
	$(foreach h,$(shell cd include/abi 2>/dev/null && find . -name '*.h' | sort),include/$(h:./%=%)=include/abi/$(h:./%=%))

# $(call guest_program,NAME,SOURCES,LIBRARIES): /usr/bin/NAME from C files, linked with -lLIBRARY each. Libraries of ours must be known by
# then (lib/module.mk comes first).
define guest_program
$(B)/guest/$(1): $(2) $(wildcard include/regs/* include/abi/* include/abi/*/* include/abi/*/*/* tools/*.h) $$(SDK_READY) $(foreach l,$(3),$(GUEST_LIB_$(l)))
	@mkdir -p $$(@D)
	@$(GCC) $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -o $$@ $(2) $(addprefix -l,$(3))
GUEST_FILES += /usr/bin/$(1)=$(B)/guest/$(1)
endef

# $(call guest_library,NAME,VERSION,SOURCES,LIBRARIES): libNAME.so.VERSION into the guest and the SDK.
define guest_library
$(B)/guest/lib$(1).so.$(2): $(3) $(wildcard include/regs/* include/abi/* include/abi/*/* include/abi/*/*/* lib/*.h lib/*/*.h) $(foreach l,$(4),$(GUEST_LIB_$(l)))
	@mkdir -p $$(@D)
	@$(GCC) $(GUEST_CFLAGS) -fPIC -shared -Wl,-soname,lib$(1).so.$(2) -o $$@ $(3) $(GUEST_LDFLAGS) $(addprefix -l,$(4))
	@ln -sf lib$(1).so.$(2) $(B)/guest/lib$(1).so
GUEST_LIB_$(1) := $(B)/guest/lib$(1).so.$(2)
GUEST_FILES += /usr/lib/lib$(1).so.$(2)=$(B)/guest/lib$(1).so.$(2)
SDK_FILES += lib/lib$(1).so.$(2)=$(B)/guest/lib$(1).so.$(2) lib/lib$(1).so=$(B)/guest/lib$(1).so.$(2)
endef

# Process 1: no C library, pure MIPS IV (see kernel/init/sys.h).
$(B)/guest/init: $(wildcard kernel/init/*.[chS])
	@mkdir -p $(@D)
	@$(GCC) -march=r10000 -mabi=64 -O2 -std=gnu11 -Wall -Wextra -ffreestanding -fno-pic -mno-abicalls -fno-stack-protector \
		-ffile-prefix-map=$(CURDIR)/= -nostdlib -static -s -Wl,--build-id=none -Wl,-z,noexecstack -o $@ $(filter %.c %.S,$^)
GUEST_FILES += /init=$(B)/guest/init

# Programs are compiled against the SDK as users have it.
SDK_READY := $(S)/sdk
-include launcher/module.mk
-include lib/module.mk
-include tools/module.mk
-include $(wildcard tests/*/module.mk)

.PHONY: all packages sources qemu kernel debug-kernel busybox numactl papi machines modules sdk initramfs test-programs update FORCE
all: sources qemu kernel busybox numactl papi machines sdk modules initramfs $(B)/env $(B)/dtinfo

packages:
	@:
sources:
	@scripts/fetch-sources
update:
	@scripts/fetch-sources --update

# Each script decides for itself; the stamp is newer only when the product is another one.
$(S)/qemu: FORCE | sources
	@scripts/build-qemu
$(S)/kernel: FORCE | sources
	@scripts/build-kernel
$(S)/busybox: FORCE | sources
	@scripts/build-busybox
$(S)/numactl: FORCE | sources
	@scripts/build-numactl
$(S)/papi: FORCE $(GUEST_LIB_snpc) $(GUEST_LIB_sn) | sources
	@scripts/build-papi
qemu: $(S)/qemu
kernel: $(S)/kernel
busybox: $(S)/busybox
numactl: $(S)/numactl
papi: $(S)/papi
debug-kernel: | sources
	@scripts/build-kernel debug-kernel kernel/debug.config
	@scripts/build-modules debug-modules debug-kernel

# --- machine presets --------------------------------------------------------------------------------------------------------------------
PRESETS := $(notdir $(basename $(wildcard qemu-origin/machines/*.dts)))
machines: $(PRESETS:%=$(B)/machines/%.dtb)
$(B)/machines/%.dtb: qemu-origin/machines/%.dts $(wildcard qemu-origin/machines/*.dtsi)
	@mkdir -p $(@D)
	@dtc -q -I dts -O dtb -i qemu-origin/machines -o $@ $<

# Host program that reads and checks a description as the board does.
$(B)/dtinfo: qemu-origin/board/dtinfo.c qemu-origin/board/dt.c qemu-origin/engine/topo.c $(wildcard qemu-origin/board/dt*.h qemu-origin/engine/*.h)
	@mkdir -p $(@D)
	@ccache gcc -std=c11 -O2 -Wall -Wextra -Iqemu-origin/engine -Iqemu-origin/board -Iinclude -o $@ $(filter %.c,$^) -lfdt

# --- guest modules ----------------------------------------------------------------------------------------------------------------------
modules: $(S)/modules
$(S)/modules: FORCE $(S)/kernel
	@scripts/build-modules

# --- SDK, initramfs, environment --------------------------------------------------------------------------------------------------------
sdk: $(S)/sdk
$(S)/sdk: $(S)/numactl $(S)/papi lib/module.mk tools/module.mk $(foreach f,$(SDK_FILES),$(if $(findstring /numactl/,$(f))$(findstring /papi/,$(f)),,$(lastword $(subst =, ,$(f)))))
	@scripts/install-files $(SDK) $(SDK_FILES)
	@mkdir -p $(@D) && touch $@

initramfs: $(B)/initramfs.cpio
$(B)/initramfs.cpio: $(S)/kernel $(S)/busybox $(S)/numactl $(S)/papi $(S)/modules $(foreach f,$(GUEST_FILES),$(word 2,$(subst =, ,$(f)))) \
		$(shell find kernel/rootfs -type f 2>/dev/null) scripts/build-initramfs
	@scripts/build-initramfs $@ $(GUEST_FILES)

$(B)/env: FORCE
	@scripts/write-env $@

test-programs: machines
	@$(MAKE) -j $(JOBS) -f scripts/unit.mk

FORCE:

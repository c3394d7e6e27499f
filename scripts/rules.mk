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

# Each source is an object of its own, because the compiler cache keeps no more than one source a call. The objects say what they include.
GUEST_CC := $(GCC) $(GUEST_CFLAGS) -Ilib/trace -Ilib/snpc -Ilib/json -MMD -MP
guest_objects = $(patsubst %.c,$(B)/guest/obj/%.o,$(1))
guest_pic_objects = $(patsubst %.c,$(B)/guest/pic/%.o,$(1))
$(B)/guest/obj/%.o: %.c | $(S)/sdk
	@mkdir -p $(@D)
	@$(GUEST_CC) -c -o $@ $<
$(B)/guest/pic/%.o: %.c
	@mkdir -p $(@D)
	@$(GUEST_CC) -fPIC -c -o $@ $<
-include $(shell find $(B)/guest/obj $(B)/guest/pic -name '*.d' 2>/dev/null)

# $(call guest_program,NAME,SOURCES,LIBRARIES): /usr/bin/NAME from C files, linked with -lLIBRARY each. Libraries of ours must be known by
# then (lib/module.mk comes first). Headers of lib/trace and lib/snpc are found by name.
define guest_program
$(B)/guest/$(1): $(call guest_objects,$(2)) $(foreach l,$(3),$(GUEST_LIB_$(l)))
	@$(GCC) $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -o $$@ $(call guest_objects,$(2)) $(addprefix -l,$(3))
GUEST_FILES += /usr/bin/$(1)=$(B)/guest/$(1)
endef

# $(call guest_library,NAME,VERSION,SOURCES,LIBRARIES): libNAME.so.VERSION into the guest and the SDK.
define guest_library
$(B)/guest/lib$(1).so.$(2): $(call guest_pic_objects,$(3)) $(foreach l,$(4),$(GUEST_LIB_$(l)))
	@$(GCC) $(GUEST_CFLAGS) -fPIC -shared -Wl,-soname,lib$(1).so.$(2) -o $$@ $(call guest_pic_objects,$(3)) $(GUEST_LDFLAGS) $(addprefix -l,$(4))
	@ln -sf lib$(1).so.$(2) $(B)/guest/lib$(1).so
GUEST_LIB_$(1) := $(B)/guest/lib$(1).so.$(2)
GUEST_FILES += /usr/lib/lib$(1).so.$(2)=$(B)/guest/lib$(1).so.$(2)
SDK_FILES += lib/lib$(1).so.$(2)=$(B)/guest/lib$(1).so.$(2) lib/lib$(1).so=$(B)/guest/lib$(1).so.$(2)
endef

# Process 1: no C library, pure MIPS IV (see kernel/init/sys.h).
$(B)/guest/init: $(wildcard kernel/init/*.[chS]) include/guest/protocol.h
	@mkdir -p $(@D)
	@$(GCC) -march=r10000 -mabi=64 -O2 -std=gnu11 -Wall -Wextra -Iinclude -ffreestanding -fno-pic -mno-abicalls -fno-stack-protector \
		-ffile-prefix-map=$(CURDIR)/= -nostdlib -static -s -Wl,--build-id=none -Wl,-z,noexecstack -o $@ $(filter %.c %.S,$^)
GUEST_FILES += /init=$(B)/guest/init

# The longest part first: what runs beside it then ends before it does.
all: sources kernel

# Programs are compiled against the SDK as users have it.
-include launcher/module.mk
-include lib/module.mk
-include tools/module.mk

.PHONY: all packages test-packages sources qemu kernel debug-kernel busybox numactl papi tools machines modules sdk initramfs test-programs machine-page update FORCE
all: qemu busybox numactl papi machines sdk modules initramfs $(B)/env $(B)/dtinfo $(B)/commit

# The image `tools` takes as long as all the rest: the first that asks for it builds it (origin run --image tools, the tests). Then it is kept new.
ifneq ($(wildcard $(B)/images/tools.list),)
all: tools
endif

packages test-packages:
	@:
# scripts/build may have fetched them.
sources:
ifndef ORIGIN_SOURCES
	@scripts/fetch-sources
endif
update:
	@scripts/fetch-sources --update

# What `origin doctor` asks.
.PHONY: qemu-key
qemu-key:
	@scripts/build-qemu --key

# Each script decides whether it has anything to do. It renews its stamp only when its product has changed. (+: the makes that they call share the jobs of
# this one. Ninja cannot.)
$(S)/qemu: FORCE | sources
	+@scripts/build-qemu
$(S)/kernel: FORCE | sources
	+@scripts/build-kernel
$(S)/busybox: FORCE | sources
	+@scripts/build-busybox
$(S)/numactl: FORCE | sources
	+@scripts/build-numactl
$(S)/papi: FORCE $(GUEST_LIB_snpc) $(GUEST_LIB_sn) | sources
	+@scripts/build-papi
qemu: $(S)/qemu
kernel: $(S)/kernel
busybox: $(S)/busybox
numactl: $(S)/numactl
papi: $(S)/papi
$(S)/tools: FORCE | sources
	+@scripts/build-tools
tools: $(S)/tools
debug-kernel: | sources
	+@scripts/build-kernel debug-kernel kernel/debug.config
	+@scripts/build-modules debug-modules debug-kernel

# --- machine presets --------------------------------------------------------------------------------------------------------------------
PRESETS := $(notdir $(basename $(wildcard qemu-origin/machines/*.dts)))
machines: $(PRESETS:%=$(B)/machines/%.dtb) $(PRESETS:%=$(B)/machines/%.json) $(PRESETS:%=$(B)/machines/%.dts)
# A description that is gone is no preset any more.
$(foreach d,$(wildcard $(B)/machines/*.dtb $(B)/machines/*.json $(B)/machines/*.dts),$(if $(filter $(notdir $(basename $(d))),$(PRESETS)),,$(shell rm -f $(d))))
$(B)/machines/%.dtb: qemu-origin/machines/%.dts $(wildcard qemu-origin/machines/*.dtsi)
	@mkdir -p $(@D)
	@dtc -q -I dts -O dtb -i qemu-origin/machines -o $@ $<

# What pages draw of a machine, and its description without includes.
$(B)/machines/%.json: $(B)/machines/%.dtb $(B)/dtinfo
	@$(B)/dtinfo -j $< >$@
$(B)/machines/%.dts: $(B)/machines/%.dtb
	@dtc -q -I dtb -O dts -o $@ $<

# A host program that reads and checks a description with the board's own code.
$(B)/dtinfo: qemu-origin/board/dt/dtinfo.c qemu-origin/board/dt/dt.c $(addprefix qemu-origin/engine/,fabric/topo.c parts/timing.c what/what.c) $(wildcard include/text/*.h qemu-origin/board/dt/dt*.h $(addprefix qemu-origin/engine/,fabric/*.h parts/*.h parts/*.inc what/*))
	@mkdir -p $(@D)
	@ccache gcc -std=c11 -O2 -Wall -Wextra -Iqemu-origin/engine -Iqemu-origin/board -Iinclude -o $@ $(filter %.c,$^) -lfdt

# --- guest modules ----------------------------------------------------------------------------------------------------------------------
modules: $(S)/modules
$(S)/modules: FORCE $(S)/kernel
	+@scripts/build-modules

# --- SDK, initramfs, environment --------------------------------------------------------------------------------------------------------
sdk: $(S)/sdk
$(S)/sdk: $(S)/numactl $(S)/papi lib/module.mk tools/module.mk launcher/module.mk $(foreach f,$(SDK_FILES),$(if $(findstring /numactl/,$(f))$(findstring /papi/,$(f)),,$(lastword $(subst =, ,$(f)))))
	@scripts/install-files $(SDK) $(SDK_FILES)
	@mkdir -p $(@D) && touch $@

initramfs: $(B)/initramfs.cpio
$(B)/initramfs.cpio: $(S)/kernel $(S)/busybox $(S)/numactl $(S)/papi $(S)/modules $(foreach f,$(GUEST_FILES),$(word 2,$(subst =, ,$(f)))) \
		$(shell find kernel/rootfs -type f 2>/dev/null) scripts/build-initramfs
	@scripts/build-initramfs $@ $(GUEST_FILES)

$(B)/env: FORCE
	@scripts/write-env $@

# What recorded results say that they are of.
$(B)/guest.id: $(S)/kernel $(B)/initramfs.cpio
	@cat $(B)/kernel/vmlinux $(B)/initramfs.cpio | sha256sum | cut -c1-12 >$@
$(B)/commit: FORCE $(B)/guest.id
	@scripts/write-commit $@

test-programs: machines
	@$(MAKE) -f scripts/unit.mk

FORCE:

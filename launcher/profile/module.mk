# SPDX-License-Identifier: GPL-2.0-or-later
# origin report and origin annotate.
PROFILE_SOURCES := $(wildcard launcher/profile/*.c lib/image/*.c) lib/json/json.c lib/mapping/mapping.c lib/trace/reader.c lib/trace/crc32c.c
$(B)/profile-report: $(filter-out %/allocators_find.c,$(PROFILE_SOURCES)) $(wildcard launcher/profile/*.h include/profile/*.h lib/image/*.h lib/json/*.h lib/mapping/*.h lib/progress/*.h lib/trace/*.h) qemu-origin/engine/fabric/desc.h
	@mkdir -p $(@D)
	@ccache gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Ilauncher/profile -Iinclude -Iqemu-origin/engine -Ilib/image -Ilib/json -Ilib/mapping -Ilib/progress -Ilib/trace $$(pkg-config --cflags glib-2.0) -o $@ \
		$(filter %.c,$^) $$(pkg-config --libs glib-2.0) -ldw -lelf -liberty -lz -lm
all: $(B)/profile-report
# Our kernel's structures, for the model. With -k, the launcher reads those of that kernel.
$(B)/kernel.layout: $(B)/profile-report $(S)/kernel
	@$(B)/profile-report layout $(B)/kernel/vmlinux >$@
all: $(B)/kernel.layout

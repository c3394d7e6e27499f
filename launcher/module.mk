# SPDX-License-Identifier: GPL-2.0-or-later
# The host side of ./origin. It reads machine descriptions with the board's own code.
LAUNCHER_SOURCES := $(wildcard launcher/*.c launcher/view/*.c) qemu-origin/board/dt/dt.c $(addprefix qemu-origin/engine/,fabric/topo.c parts/timing.c what/what.c) \
	$(addprefix launcher/profile/,kernel_layout.c allocators_find.c) $(wildcard lib/image/*.c)
$(B)/launcher: $(LAUNCHER_SOURCES) $(wildcard launcher/*.h launcher/*.inc launcher/profile/*.h launcher/view/*.h lib/image/*.h include/regs/*.inc include/profile/*.h include/guest/*.h include/text/*.h qemu-origin/board/dt/dt*.h qemu-origin/engine/fabric/*.h qemu-origin/engine/parts/*.h qemu-origin/engine/parts/*.inc qemu-origin/engine/what/*.h qemu-origin/engine/what/*.inc qemu-origin/engine/sn_time.h qemu-origin/engine/remedy/kinds.h qemu-origin/engine/observe/lines.h)
	@mkdir -p $(@D)
	@ccache gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -Ilauncher -Ilib/image -Iqemu-origin/engine -Iqemu-origin/board -Iinclude -o $@ \
		$(LAUNCHER_SOURCES) -lfdt -lm -ldw -lelf -liberty -lmicrohttpd -ljansson -lpthread
all: $(B)/launcher

# What rejects or accepts a row of the protocol that a student wrote (origin grade).
EXPLORE_SOURCES := $(addprefix tests/model/,explore.c mutants.c rows.c) $(addprefix qemu-origin/engine/proto/,proto.c types.c)
$(B)/explore: $(EXPLORE_SOURCES) $(wildcard tests/model/*.h qemu-origin/engine/*.h qemu-origin/engine/proto/*.h qemu-origin/engine/proto/*.inc include/regs/*.h)
	@mkdir -p $(@D)
	@ccache gcc -std=gnu11 -O2 -Wall -Wextra -DSN_TABLE= -Iqemu-origin/engine -Iinclude -Itests/model -o $@ $(EXPLORE_SOURCES)
all: $(B)/explore
SDK_FILES += origin.specs=launcher/origin.specs
SDK_FILES += share/origin.config=kernel/origin.config share/board.config=kernel/board.config
SDK_FILES += lib/libirix.so=launcher/libirix.ld lib/libirix.a=launcher/libirix.ld

# What compiles for the guest: `origin cc`, `origin env` and the build systems call these.
SDK_FILES += $(foreach n,cc c++ fortran ar ranlib nm strip objcopy objdump readelf pkg-config,bin/origin-$(n)=launcher/compiler)
SDK_FILES += bin/origin-env=launcher/environment bin/origin-exec=launcher/exec bin/origin-gdb=launcher/gdb share/origin.gdb=launcher/origin.gdb share/origin.cmake=launcher/origin.cmake
SDK_FILES += share/origin.meson=$(B)/origin.meson $(foreach p,numa papi,lib/pkgconfig/$(p).pc=$(B)/pkgconfig/$(p).pc)
$(B)/origin.meson: launcher/origin.meson
	@sed 's|@SDK@|$(CURDIR)/$(SDK)|' $< >$@
$(B)/pkgconfig/%.pc: launcher/pkgconfig/%.pc config.mk
	@mkdir -p $(@D)
	@sed 's/@NUMACTL_SERIES@/$(NUMACTL_SERIES)/; s/@PAPI_SERIES@/$(PAPI_SERIES)/' $< >$@
-include launcher/profile/module.mk

# origin core
CORE_SOURCES := launcher/schedule/schedule.c $(addprefix qemu-origin/core/,decode.c form.c schedule.c) $(wildcard lib/image/*.c)
$(B)/host/core-schedule: $(CORE_SOURCES) $(wildcard qemu-origin/core/*.h qemu-origin/core/*.inc lib/image/*.h)
	@mkdir -p $(@D)
	@ccache gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -Iqemu-origin -Ilib/image -o $@ $(CORE_SOURCES) -ldw -lelf -liberty
all: $(B)/host/core-schedule

# SPDX-License-Identifier: GPL-2.0-or-later
# The host side of ./origin. It reads machine descriptions with the board's own code.
LAUNCHER_SOURCES := $(wildcard launcher/*.c) qemu-origin/board/dt/dt.c qemu-origin/engine/fabric/topo.c
$(B)/launcher: $(LAUNCHER_SOURCES) $(wildcard launcher/*.h qemu-origin/board/dt/dt*.h qemu-origin/engine/fabric/*.h)
	@mkdir -p $(@D)
	@ccache gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -Ilauncher -Iqemu-origin/engine -Iqemu-origin/board -Iinclude -o $@ \
		$(LAUNCHER_SOURCES) -lfdt -lm
all: $(B)/launcher
SDK_FILES += origin.specs=launcher/origin.specs
SDK_FILES += lib/libirix.so=launcher/libirix.ld lib/libirix.a=launcher/libirix.ld

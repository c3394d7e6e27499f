# SPDX-License-Identifier: GPL-2.0-or-later
# The page docs/machine.html: the engine in a browser. The programs in it are WebAssembly (scripts/build-wasm); build/machine/native gives the same answers to
# the same calls on the host, for tests. None of it is part of `all`: `make docs` and the tests ask for it.
MACHINE_JS := $(addprefix tools/machine/page/,engine.js life.js history.js words.js races.js programs.js scenarios.js) tools/read/page/racks.js \
	$(addprefix tools/machine/page/,picture.js lanes.js link.js start.js)
MACHINE_C := $(addprefix tools/machine/,machine.c races.c store.c tables.c text.c)

machine-page: $(B)/machine/machine.html $(B)/machine/native
$(S)/wasm: FORCE | sources
	@scripts/build-wasm
$(B)/machine/machine.html: tools/machine/page/page.html tools/read/page/page.css tools/machine/page/page.css $(MACHINE_JS) $(S)/wasm scripts/join-page \
		tools/machine/data.py qemu-origin/engine/proto/proto.h.inc $(wildcard qemu-origin/machines/*) tools/machine/module.mk
	@mkdir -p $(@D)
	@cat $(MACHINE_JS) >$(@D)/page.js
	@cat tools/read/page/page.css tools/machine/page/page.css >$(@D)/page.css
	@tools/machine/data.py >$(@D)/data.json
	@scripts/join-page $< CSS=$(@D)/page.css DATA=$(@D)/data.json JS=$(@D)/page.js >$@
$(B)/machine/native: tools/machine/native.c $(MACHINE_C) qemu-origin/board/dt/dt.c $(addprefix qemu-origin/engine/,$(shell cat qemu-origin/engine/SOURCES)) \
		$(wildcard tools/machine/*.h qemu-origin/engine/*.h qemu-origin/engine/*/*.h qemu-origin/engine/*/*.inc qemu-origin/board/dt/*.h include/regs/*)
	@mkdir -p $(@D)
	@gcc -O2 -std=gnu11 -Wall -Wextra -Iinclude -Iqemu-origin/engine -Iqemu-origin/board -o $@ $(filter %.c,$^) -lfdt

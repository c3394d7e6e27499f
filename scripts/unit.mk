# SPDX-License-Identifier: GPL-2.0-or-later
# Unit test programs, built in parallel by a make of their own. See scripts/tests.mk.
include config.mk
B := build
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
	-Iinclude -Iinclude/abi -Iqemu-origin/engine -Iqemu-origin/board -Itests/unit -MMD -MP
LIB_SRC := $(addprefix qemu-origin/engine/,$(shell cat qemu-origin/engine/SOURCES)) qemu-origin/board/dt.c
LIB_OBJ := $(LIB_SRC:%.c=$(B)/unit/obj/%.o)
NAMES := $(notdir $(basename $(wildcard tests/unit/test_*.c)))
# Files that test $(1) names in its line "/* sources: PATH... */".
extra = $(shell sed -n 's,^/\* sources: \(.*\) \*/$$,\1,p' tests/unit/$(1).c)

all: $(NAMES:%=$(B)/unit/%)

$(B)/unit/obj/%.o: %.c
	@mkdir -p $(@D)
	@ccache gcc $(CFLAGS) -c -o $@ $<
$(B)/unit/libengine.a: $(LIB_OBJ) qemu-origin/engine/SOURCES
	@rm -f $@ && ar rcs $@ $(LIB_OBJ)
define program
$(B)/unit/$(1): $(B)/unit/obj/tests/unit/$(1).o $(patsubst %.c,$(B)/unit/obj/%.o,$(call extra,$(1))) $(B)/unit/libengine.a
	@gcc -fsanitize=address,undefined -o $$@ $$^ -lcmocka -lfdt -lm
endef
$(foreach n,$(NAMES),$(eval $(call program,$(n))))
-include $(shell find $(B)/unit/obj -name '*.d' 2>/dev/null)

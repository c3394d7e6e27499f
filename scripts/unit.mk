# SPDX-License-Identifier: GPL-2.0-or-later
# The host's test programs, built in parallel by a make of their own.
#
#   tests/unit/test_*.c    cmocka programs under ASan and UBSan. Each may use the engine (qemu-origin/engine/SOURCES), the rounds, the board files that know
#                          nothing of QEMU, and libfdt. A line "/* sources: PATH... */" in a test adds files to its program, a line
#                          "/* libraries: NAME... */" the host's libraries.
#                          With a line "/* sanitizer: thread */" the program and its engine are compiled for ThreadSanitizer instead.
#   tests/unit/target/     a program for the guest, compiled in several ways for tests that read such files
#   tests/qtest/test_*.c   programs that drive the machine's registers through QEMU's qtest protocol, each with tests/qtest/qt.c
include config.mk
B := build
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
SANITIZE := -fsanitize=address,undefined
CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra $(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer \
	-Iinclude -Iinclude/abi -Ilib/trace -Ilib/snpc -Ilib/image -Iqemu-origin -Iqemu-origin/engine -Iqemu-origin/board -Itests/unit -MMD -MP
LIB_SRC := $(addprefix qemu-origin/engine/,$(shell cat qemu-origin/engine/SOURCES)) qemu-origin/rounds/rounds.c $(wildcard qemu-origin/board/dt/dt.c qemu-origin/board/xio/w1.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/unit/obj/%.o)
TSAN_OBJ := $(LIB_SRC:%.c=$(B)/unit/tsan/%.o)
NAMES := $(notdir $(basename $(wildcard tests/unit/test_*.c)))
TSAN_NAMES := $(notdir $(basename $(shell grep -l '^/\* sanitizer: thread \*/' tests/unit/test_*.c)))
# Files that test $(1) names in its line "/* sources: PATH... */".
extra = $(shell sed -n 's,^/\* sources: \(.*\) \*/$$,\1,p' tests/unit/$(1).c)
libraries = $(addprefix -l,$(shell sed -n 's,^/\* libraries: \(.*\) \*/$$,\1,p' tests/unit/$(1).c))

# Files of the guest that tests read.
TARGETS := $(addprefix $(B)/unit/targets/,target target-below target-plain target-stripped target.o libtarget.so)
# Without ccache, whose objects may name the directory of another clone.
target_cc = mkdir -p $(@D) && CCACHE_DISABLE=1 ./origin cc -O1
$(B)/unit/targets/target: tests/unit/target/target.c
	@$(target_cc) -g -o $@ $<
$(B)/unit/targets/target-below: tests/unit/target/target.c
	@mkdir -p $(@D) && cd tests/unit && CCACHE_DISABLE=1 ../../origin cc -O1 -g -o $(abspath $@) -I../cli/. .//../unit/target/target.c
$(B)/unit/targets/target-plain: tests/unit/target/target.c
	@$(target_cc) -o $@ $<
$(B)/unit/targets/target-stripped: tests/unit/target/target.c
	@$(target_cc) -s -o $@ $<
$(B)/unit/targets/target.o: tests/unit/target/target.c
	@$(target_cc) -g -c -o $@ $<
$(B)/unit/targets/libtarget.so: tests/unit/target/target.c
	@$(target_cc) -g -fPIC -shared -o $@ $<

QTESTS := $(notdir $(basename $(wildcard tests/qtest/test_*.c)))
QTEST_COMMON := $(filter-out tests/qtest/test_%,$(wildcard tests/qtest/*.c))

all: $(TARGETS) $(NAMES:%=$(B)/unit/%) $(QTESTS:%=$(B)/qtest/%)

# Programs whose source is gone are removed, so that they do not run any more.
$(foreach d,unit qtest,$(foreach p,$(wildcard $(B)/$(d)/test_*),$(if $(wildcard tests/$(d)/$(notdir $(p)).c),,$(shell rm -f $(p)))))

$(B)/qtest/%: tests/qtest/%.c $(QTEST_COMMON) $(wildcard tests/qtest/*.h include/regs/*)
	@mkdir -p $(@D)
	@ccache gcc -std=gnu11 -O1 -g -Wall -Wextra -Iinclude -Iqemu-origin/engine -Itests/qtest -c -o $@.o $<
	@gcc -std=gnu11 -O1 -g -Wall -Wextra -Iinclude -Iqemu-origin/engine -Itests/qtest -o $@ $@.o $(QTEST_COMMON) && rm -f $@.o

$(B)/unit/obj/%.o: %.c
	@mkdir -p $(@D)
	@ccache gcc $(CFLAGS) -c -o $@ $<
$(B)/unit/libengine.a: $(LIB_OBJ) qemu-origin/engine/SOURCES
	@rm -f $@ && ar rcs $@ $(LIB_OBJ)
$(B)/unit/tsan/%.o: SANITIZE := -fsanitize=thread
$(B)/unit/tsan/%.o: %.c
	@mkdir -p $(@D)
	@ccache gcc $(CFLAGS) -c -o $@ $<
$(TSAN_NAMES:%=$(B)/unit/%): $(B)/unit/%: $(B)/unit/tsan/tests/unit/%.o $(TSAN_OBJ)
	@gcc -fsanitize=thread -o $@ $^ -lcmocka -lfdt -lm
define program
$(B)/unit/$(1): $(B)/unit/obj/tests/unit/$(1).o $(patsubst %.c,$(B)/unit/obj/%.o,$(call extra,$(1))) $(B)/unit/libengine.a
	@gcc $(SANITIZE) -o $$@ $$^ -lcmocka -lfdt -lm $(call libraries,$(1))
endef
$(foreach n,$(filter-out $(TSAN_NAMES),$(NAMES)),$(eval $(call program,$(n))))
-include $(shell find $(B)/unit/obj $(B)/unit/tsan -name '*.d' 2>/dev/null)

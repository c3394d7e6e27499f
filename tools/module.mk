# SPDX-License-Identifier: GPL-2.0-or-later
# Guest programs: a folder for each family of tools. What several of them share is in tools/common. See scripts/rules.mk for guest_program.
#
#   memory      refcnt sn nstats dplace     reference counters, migration, placement
#   inventory   hinv topology               what the machine is made of
#   record      snrun                       samples a program's threads into trace files
#               snroi                       runs a program as a region of interest
#   read        sninfo sndump               read trace files, in the guest and on the host
#               snreport                    trace files as data of a page for a browser, on the host only
#   watch       snsar                       counters of nodes and router ports, live
#   net         snroute linkstat            routes, errors of links
#   range       data_range                  counts accesses by address
#   snbench     snsuite                     microbenchmarks of thesis chapter 4, and their tables
COMMON := tools/common
OPTIONS := $(COMMON)/options.c
JSON := lib/json/json.c

# --- memory and inventory ---
NODE_OPTIONS := $(COMMON)/nodearg.c $(OPTIONS)
$(eval $(call guest_program,refcnt,tools/memory/refcnt.c $(NODE_OPTIONS),sn))
$(eval $(call guest_program,nstats,tools/memory/nstats.c $(NODE_OPTIONS),sn))
$(eval $(call guest_program,sn,tools/memory/sn.c $(NODE_OPTIONS),sn))
$(eval $(call guest_program,dplace,tools/memory/dplace.c $(OPTIONS)))
$(eval $(call guest_program,hinv,tools/inventory/hinv.c $(OPTIONS)))
GUEST_FILES += /usr/bin/topology=tools/inventory/topology /usr/share/topology.awk=tools/inventory/topology.awk=644

# --- record ---
$(eval $(call guest_program,snroi,tools/record/snroi.c $(OPTIONS),snpc))
TRACE_TEXT := lib/trace/reader.c lib/trace/crc32c.c $(COMMON)/tracetext.c
SAMPLING := $(COMMON)/tracefile.c $(COMMON)/sampling.c $(OPTIONS) lib/trace/writer.c
RECORD := $(filter-out %/snwrap.c %/snroi.c,$(wildcard tools/record/*.c))
$(eval $(call guest_program,snrun,$(RECORD) $(COMMON)/symbols.c $(SAMPLING) $(TRACE_TEXT),snpc sn m))
# The thread wrapper: snrun preloads it, no program is linked with it.
$(B)/guest/libsnrun.so: tools/record/snwrap.c lib/snpc/cover.c tools/record/wrapper.h lib/trace/trace.h lib/snpc/pmu.h lib/snpc/sn_range.h
	@mkdir -p $(@D)
	@$(GCC) $(GUEST_CFLAGS) -Ilib/snpc -Ilib/trace -fPIC -shared -Wl,-soname,libsnrun.so -o $@ $(filter %.c,$^) $(GUEST_LDFLAGS)
GUEST_FILES += /usr/lib/libsnrun.so=$(B)/guest/libsnrun.so

# --- read: the same sources for the guest and for the host (build/host) ---
TRACE_READER := tools/read/collate.c lib/mapping/mapping.c $(JSON) $(COMMON)/symbols.c $(OPTIONS) $(TRACE_TEXT) lib/snpc/metric.c
define trace_reader_host
$(B)/host/$(1): tools/read/$(1).c $(2) $(3) $(TRACE_READER) $(wildcard include/regs/* lib/image/*.h lib/json/*.h lib/mapping/*.h lib/progress/*.h lib/trace/*.h lib/snpc/*.h lib/snpc/*.inc tools/*/*.h)
	@mkdir -p $$(@D)
	@ccache gcc -O2 -std=gnu11 -Wall -Wextra -Iinclude -Iinclude/abi -Ilib/trace -Ilib/snpc -Ilib/json -Ilib/progress '-DBINUTILS="$(GUEST_TOOLCHAIN:%=%/bin/)$(CROSS)"' \
		'-DSYSROOT="$(GUEST_TOOLCHAIN)/usr/$(CROSS:-=)"' $(4) -o $$@ $$(filter %.c,$$^) -lm $(5)
all: $(B)/host/$(1)
endef
define trace_reader
$(eval $(call guest_program,$(1),tools/read/$(1).c $(2) $(TRACE_READER),m))
$(eval $(call trace_reader_host,$(1),$(2),$(3),$(4),$(5)))
endef
$(eval $(call trace_reader,sninfo))
# Debian has a library for protocol buffers for the host, not for the guest; lib/image needs libdw, which the initramfs has not.
$(B)/generated/perfetto.pb-c.c: tools/read/perfetto.proto
	@mkdir -p $(@D)
	@protoc-c --proto_path=$(<D) --c_out=$(@D) $<
$(eval $(call trace_reader,sndump,tools/read/profile.c,tools/read/perfetto.c $(B)/generated/perfetto.pb-c.c $(wildcard lib/image/*.c),-D_GNU_SOURCE= -DSN_IMAGE -DSN_PERFETTO -Ilib/image -I$(B)/generated -Itools/read,-lprotobuf-c -ldw -lelf -liberty))

# --- report: data of a page for a browser, and the page (D3 is Debian's package node-d3). launcher/report joins them. ---
D3 := /usr/share/nodejs/d3/dist/d3.min.js
# What all views use, the views in the order in which the page has them, and what starts it.
PAGE_JS := tools/read/page/data.js $(B)/report/events.js $(patsubst %,tools/read/page/%.js,table bars racks recording profile difference problems machine causes cycles time blocked locks mix \
	matrix pages contended types follow whatif source overview lines counts intervals other start)
$(B)/report/page.html: tools/read/page/page.html tools/read/page/page.css $(PAGE_JS) scripts/join-page tools/module.mk
	@mkdir -p $(@D)
	@cat $(PAGE_JS) >$(@D)/page.js
	@scripts/join-page $< CSS=tools/read/page/page.css D3=$(D3) JS=$(@D)/page.js >$@
all: $(B)/report/page.html
$(B)/report/events.js: tools/read/page/events.js.in $(wildcard include/regs/ev_*.h.inc)
	@mkdir -p $(@D)
	@gcc -E -P -xc -Iinclude -o $@ $<
$(eval $(call trace_reader_host,snreport))
# The same page, live (origin run --view), which may ask the server that it came from.
$(B)/report/view.html: tools/read/page/live.js tools/read/page/live.css $(B)/report/page.html
	@cat tools/read/page/page.css tools/read/page/live.css >$(@D)/view.css
	@cat $(PAGE_JS) tools/read/page/live.js >$(@D)/view.js
	@scripts/join-page tools/read/page/page.html CSS=$(@D)/view.css D3=$(D3) JS=$(@D)/view.js | sed "s/default-src 'none';/& connect-src 'self';/" >$@
all: $(B)/report/view.html

# --- watch, net, range ---
$(eval $(call guest_program,snsar,$(wildcard tools/watch/*.c) $(JSON) $(SAMPLING) lib/trace/crc32c.c,snpc sn m))
$(eval $(call guest_program,snroute,tools/net/snroute.c tools/net/hwlink.c $(OPTIONS),snpc sn))
$(eval $(call guest_program,linkstat,tools/net/linkstat.c $(OPTIONS),snpc sn))
$(eval $(call guest_program,data_range,tools/range/data_range.c $(OPTIONS),papi snpc))
$(B)/guest/data_range: $(S)/papi

# --- microbenchmarks ---
$(eval $(call guest_program,snbench,$(wildcard tools/snbench/*.c) $(OPTIONS),numa m))
$(eval $(call guest_program,snsuite,$(wildcard tools/snsuite/*.c) $(OPTIONS),sn m))

# --- docs/machine.html ---
include tools/machine/module.mk

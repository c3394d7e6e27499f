# SPDX-License-Identifier: GPL-2.0-or-later
# Guest programs; see the Makefile for the lists.
GUEST_FILES += /usr/bin/topology=tools/topology

# Memory and its placement.
$(eval $(call guest_program,refcnt,tools/refcnt.c tools/nodearg.c tools/options.c,sn))
$(eval $(call guest_program,nstats,tools/nstats.c tools/nodearg.c tools/options.c,sn))
$(eval $(call guest_program,sn,tools/sn.c tools/nodearg.c tools/options.c,sn))
$(eval $(call guest_program,hinv,tools/hinv.c tools/options.c))
$(eval $(call guest_program,dplace,tools/dplace.c tools/options.c))

# The microbenchmarks of thesis chapter 4.
SNBENCH := $(wildcard tools/snbench/*.c)
$(eval $(call guest_program,snbench,$(SNBENCH) tools/options.c,numa m))
$(B)/guest/snbench: $(wildcard tools/snbench/*.h)
$(eval $(call guest_program,snsuite,$(wildcard tools/snsuite/*.c) tools/options.c,sn m))
$(B)/guest/snsuite: $(wildcard tools/snsuite/*.h)

# The application profiler.
# $(call profiler_program,NAME,SOURCES,LIBRARIES): a guest program that may use the trace and sampling libraries' headers.
define profiler_program
$(B)/guest/$(1): $(2) $(wildcard lib/trace/*.h lib/snpc/*.h lib/snpc/*.inc tools/*.h include/abi/*.h) $$(SDK_READY) $(foreach l,$(3),$(GUEST_LIB_$(l)))
	@mkdir -p $$(@D)
	@$(GCC) $(GUEST_CFLAGS) -Ilib/trace -Ilib/snpc -Itools $(GUEST_LDFLAGS) -o $$@ $(2) $(addprefix -l,$(3))
GUEST_FILES += /usr/bin/$(1)=$(B)/guest/$(1)
endef
TRACE_SRC := lib/trace/writer.c lib/trace/reader.c lib/trace/crc32c.c tools/tracetext.c
$(eval $(call profiler_program,snrun,tools/snrun.c tools/symbols.c tools/collector.c tools/tracefile.c tools/sampling.c tools/options.c $(TRACE_SRC),snpc sn m))
# The thread wrapper: preloaded by snrun, linked with by nobody.
$(B)/guest/libsnrun.so: tools/snwrap.c lib/snpc/cover.c tools/snrun.h lib/snpc/pmu.h lib/snpc/sn_range.h
	@mkdir -p $(@D)
	@$(GCC) $(GUEST_CFLAGS) -Ilib/snpc -fPIC -shared -Wl,-soname,libsnrun.so -o $@ $(filter %.c,$^) $(GUEST_LDFLAGS)
GUEST_FILES += /usr/lib/libsnrun.so=$(B)/guest/libsnrun.so

# Readers of trace files, the same for the guest and the host (build/host).
TRACE_READER := tools/collate.c tools/symbols.c tools/options.c tools/tracetext.c lib/trace/reader.c lib/trace/crc32c.c lib/snpc/metric.c
define trace_reader
$(eval $(call profiler_program,$(1),tools/$(1).c $(TRACE_READER),m))
$(B)/host/$(1): tools/$(1).c $(TRACE_READER) $(wildcard lib/trace/*.h lib/snpc/*.h lib/snpc/*.inc tools/*.h)
	@mkdir -p $$(@D)
	@ccache gcc -O2 -std=gnu11 -Wall -Wextra -Iinclude -Iinclude/abi -Ilib/trace -Ilib/snpc -o $$@ $$(filter %.c,$$^) -lm
all: $(B)/host/$(1)
endef
$(eval $(call trace_reader,sninfo))
$(eval $(call trace_reader,sndump))

# The system activity monitor, routes, links.
$(eval $(call profiler_program,snsar,tools/snsar.c tools/snsartop.c tools/sampling.c tools/tracefile.c tools/options.c lib/trace/writer.c lib/trace/crc32c.c,snpc sn m))
$(eval $(call profiler_program,snroute,tools/snroute.c tools/hwlink.c tools/options.c,snpc sn))
$(eval $(call profiler_program,linkstat,tools/linkstat.c tools/options.c,snpc sn))
$(eval $(call profiler_program,data_range,tools/data_range.c tools/options.c,papi snpc))
$(B)/guest/data_range: $(S)/papi
# End of the application profiler.

# SPDX-License-Identifier: GPL-2.0-or-later
# Guest libraries; see the Makefile for the lists. What programs link without -l stands in launcher/libirix.ld too.
$(eval $(call guest_library,sn,1,$(wildcard lib/libsn/*.c)))
$(eval $(call guest_library,pmo,1,$(wildcard lib/libpmo/*.c),sn))
$(eval $(call guest_library,dplace,1,$(wildcard lib/libdplace/*.c),pmo sn))

# $(call guest_archive,NAME,SOURCES): the same for programs linked with -static.
define guest_archive
$(B)/guest/lib$(1).a: $(2) $(wildcard include/abi/* include/abi/*/*) $(wildcard lib/*/*.h)
	@mkdir -p $$(@D)
	@$(GCC) $(GUEST_CFLAGS) -r -nostdlib -o $$(@:.a=.o) $(2) && rm -f $$@ && $(CROSS)ar rcsD $$@ $$(@:.a=.o)
SDK_FILES += lib/lib$(1).a=$(B)/guest/lib$(1).a
endef
$(eval $(call guest_archive,sn,$(wildcard lib/libsn/*.c)))
$(eval $(call guest_archive,pmo,$(wildcard lib/libpmo/*.c)))

# The sampling library; metric.c and virt.c also go into host programs that read traces.
$(eval $(call guest_library,snpc,1,$(wildcard lib/snpc/*.c),sn m))
SDK_FILES += $(foreach h,sn_metric.h sn_metrics.h.inc sn_sample.h sn_range.h sn_roi.h perfex.h,include/$(h)=lib/snpc/$(h))
SDK_FILES += $(foreach h,$(wildcard include/regs/ev_*.h.inc),include/regs/$(notdir $(h))=$(h))
$(B)/guest/libsnpc.so.1: lib/snpc/sn_metrics.h.inc

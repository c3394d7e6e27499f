# SPDX-License-Identifier: GPL-2.0-or-later
# Guest programs; see the Makefile for the lists.
GUEST_FILES += /usr/bin/topology=tools/topology

# The microbenchmarks of thesis chapter 4.
SNBENCH := $(wildcard tools/snbench/*.c)
$(eval $(call guest_program,snbench,$(SNBENCH) tools/options.c,numa m))
$(B)/guest/snbench: $(wildcard tools/snbench/*.h)

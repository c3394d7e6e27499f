# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that the tests need besides the product.

unit-programs:
	@$(MAKE) -j $(JOBS) -f scripts/unit.mk

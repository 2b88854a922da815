# SPDX-License-Identifier: GPL-2.0-only
# The table of destinations: the module's own file, with the kernel's headers stood in for.

$(UNIT)/test-table: kmod/table.c
$(UNIT)/test-table: USER_CPPFLAGS += -Iselftests/unit/kernel
# What chooses keys by a seed computes the module's own hash.
$(B)/selftests/kernel/flood: USER_CPPFLAGS += -Iselftests/unit/kernel

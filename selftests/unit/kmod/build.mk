# SPDX-License-Identifier: GPL-2.0-only
# The table of destinations: the module's own file, with the kernel's headers stood in for.

$(UNIT)/kmod/test-table: kmod/table.c
$(UNIT)/kmod/test-table: USER_CPPFLAGS += -Iselftests/unit/kmod
# What chooses keys by a seed computes the module's own hash.
$(B)/selftests/tools/flood: USER_CPPFLAGS += -Iselftests/unit/kmod

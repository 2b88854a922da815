# SPDX-License-Identifier: GPL-2.0-only
# The table of destinations: the module's own file.

$(UNIT)/kmod/test-table: $(call unit_obj,kmod/table)

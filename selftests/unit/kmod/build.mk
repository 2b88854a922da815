# SPDX-License-Identifier: GPL-2.0-only
# The table of destinations: the module's own file.

$(UNIT)/kmod/test-table: $(call unit_obj,kmod/packets/table)

# No test by itself: selftests/host/house/processors.sh compares what it prints.
$(UNIT)/kmod/alike: $(call unit_obj,selftests/unit/kmod/alike)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ASAN) $^ -o $@

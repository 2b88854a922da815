# SPDX-License-Identifier: GPL-2.0-only
# Unit tests: every selftests/unit/test-*.c is a TAP program, built with ASan and UBSan.

UNIT_SRC := $(wildcard selftests/unit/test-*.c)
UNIT_TESTS := $(UNIT_SRC:selftests/unit/%.c=$(B)/selftests/unit/%)

$(B)/selftests/unit/test-%: selftests/unit/test-%.c selftests/unit/tap.h $(B)/libliquid-asan.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) -Iselftests/unit -Ikmod $(USER_CFLAGS) $(ASAN) -O1 -g $(filter %.c,$^) \
		$(B)/libliquid-asan.a $(ENGINE_LIBS) -o $@

unit: $(UNIT_TESTS)
.PHONY: unit

# SPDX-License-Identifier: GPL-2.0-only
# Tests: every selftests/unit/test-*.c is a TAP program, built with ASan and UBSan; every
# selftests/kernel/*.c is a helper of the tests in the guest.

UNIT_SRC := $(wildcard selftests/unit/test-*.c)
UNIT_TESTS := $(UNIT_SRC:selftests/unit/%.c=$(B)/selftests/unit/%)
GUEST_SRC := $(wildcard selftests/kernel/*.c)
GUEST_PROGRAMS := $(GUEST_SRC:%.c=$(B)/%)

$(B)/selftests/unit/test-%: selftests/unit/test-%.c selftests/unit/tap.h $(B)/libliquid-asan.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) -Iselftests/unit -Ikmod $(USER_CFLAGS) $(ASAN) -O1 -g -MMD -MP \
		$(filter %.c,$^) $(B)/libliquid-asan.a $(ENGINE_LIBS) -o $@

$(B)/selftests/kernel/%: selftests/kernel/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) -Ikmod $(USER_CFLAGS) -O2 -MMD -MP -MF $@.d -pthread $< \
		$(TOOL_LIBS) -o $@

# The pure parts of the tool, which is no library: their tests are built of its files.
NL := user/liquid-nl
NL_WIRE := $(NL)/attrs.c $(NL)/gate-attrs.c $(NL)/gate-encode.c $(NL)/gate-decode.c \
	   $(NL)/addr-map.c $(NL)/units.c
$(B)/selftests/unit/test-nl-%: ENGINE_LIBS += $(TOOL_LIBS)
$(B)/selftests/unit/test-nl-units: $(NL)/units.c
$(B)/selftests/unit/test-nl-addr-map: $(NL)/addr-map.c $(NL)/units.c
$(B)/selftests/unit/test-nl-guard: $(NL)/guard.c $(NL)/base-time.c
$(B)/selftests/unit/test-nl-plan: $(NL)/push-fold.c $(NL)/dest-ids.c $(NL)/nearest.c $(NL_WIRE)
$(B)/selftests/unit/test-nl-encode: $(NL)/gate-rules.c $(NL_WIRE)

unit: $(UNIT_TESTS)
guest-programs: $(GUEST_PROGRAMS)
.PHONY: unit guest-programs

-include $(wildcard $(B)/selftests/unit/*.d $(B)/selftests/kernel/*.d)

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

UNIT := $(B)/selftests/unit
NL := user/liquid-nl
$(UNIT)/test-nl-%: ENGINE_LIBS += $(TOOL_LIBS)
$(UNIT)/test-nl-%: USER_CPPFLAGS += -I$(NL)
include selftests/unit/nl.mk
include selftests/unit/fabric.mk
include selftests/unit/table.mk

# Random tests, with more rounds than `make check` has time for.
check-random: unit
	$(Q)$(UNIT)/test-forge 10
.PHONY: check-random

unit: $(UNIT_TESTS)
guest-programs: $(GUEST_PROGRAMS)
.PHONY: unit guest-programs

# Fuzzers: every selftests/fuzz/fuzz-*.c, by clang's libFuzzer, with the library built for it.
FUZZ_SRC := $(wildcard selftests/fuzz/fuzz-*.c)
FUZZERS := $(FUZZ_SRC:selftests/fuzz/%.c=$(B)/fuzz/%)
FUZZ_SECONDS ?= 60
FUZZ_CFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g

$(B)/fuzz/user/%.o: user/%.c
	$(call say,CLANG,$@)
	@mkdir -p $(@D)
	$(Q)clang $(USER_CPPFLAGS) -std=gnu11 -fsanitize=fuzzer-no-link $(FUZZ_CFLAGS) -MMD -MP -c $< -o $@

# The tool is no library: what a reader of its needs.
$(B)/fuzz/fuzz-conf: USER_CPPFLAGS += -I$(NL)
$(B)/fuzz/fuzz-conf: $(patsubst %,$(B)/fuzz/$(NL)/%.o,job/conf util/units gate/select gate/rules gate/attrs net/attrs)
$(B)/fuzz/fuzz-conf: ENGINE_LIBS += $(TOOL_LIBS)
$(B)/fuzz/fuzz-job: USER_CPPFLAGS += -I$(NL)
$(B)/fuzz/fuzz-job: ENGINE_LIBS += $(TOOL_LIBS)
$(B)/fuzz/fuzz-job: $(TOOL_SRC:%.c=$(B)/fuzz/%.o)
$(B)/fuzz/$(NL)/main.o: USER_CPPFLAGS += -Dmain=tool_main

$(B)/fuzz/fuzz-%: selftests/fuzz/fuzz-%.c $(ENGINE_SRC:%.c=$(B)/fuzz/%.o)
	$(call say,CLANG,$@)
	@mkdir -p $(@D)
	$(Q)clang $(USER_CPPFLAGS) -Iselftests/fuzz -std=gnu11 -fsanitize=fuzzer $(FUZZ_CFLAGS) $^ \
		$(ENGINE_LIBS) -o $@

# The seeds of fuzz-NAME are the files of selftests/fuzz/NAME; what is found stays in $(B).
fuzz: $(FUZZERS)	## fuzz each reader for FUZZ_SECONDS
	$(Q)for fuzzer in $(FUZZERS); do \
		name=$${fuzzer##*/fuzz-}; mkdir -p $(B)/fuzz/found-$$name; \
		echo "  FUZZ     $$name"; \
		$$fuzzer -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(B)/fuzz/crash-$$name- $(B)/fuzz/found-$$name \
			$$(ls -d selftests/fuzz/$$name selftests/fuzz/corpus/$$name 2>/dev/null) || exit; \
	done
.PHONY: fuzz

-include $(shell find $(B)/fuzz -name '*.d' 2>/dev/null)
-include $(wildcard $(B)/selftests/unit/*.d $(B)/selftests/kernel/*.d)

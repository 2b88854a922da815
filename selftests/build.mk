# SPDX-License-Identifier: GPL-2.0-only
# Tests: every selftests/unit/*/test-*.c is a TAP program, built with ASan and UBSan; every
# selftests/tools/*.c is an instrument of the tests in the guest. The lab's are in its house.

LAB_TESTS := tools/lab/selftests
UNIT_SRC := $(wildcard selftests/unit/*/test-*.c $(LAB_TESTS)/unit/test-*.c)
UNIT_TESTS := $(UNIT_SRC:%.c=$(B)/%)
UNIT_FIXTURES := $(patsubst %,$(B)/asan/selftests/unit/%.o,\
	fixtures run/sim-fixtures run/plan-fixtures engine/route-fixtures \
	solve/family-fixtures)
GUEST_SRC := $(wildcard selftests/tools/*.c)
GUEST_PROGRAMS := $(GUEST_SRC:%.c=$(B)/%)

# The library's own files have their own rule (user/build.mk).
UNIT_CPPFLAGS := $(addprefix -I,selftests/unit $(addprefix selftests/unit/,engine solve run) kmod)
$(B)/asan/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(UNIT_CPPFLAGS) $(USER_CFLAGS) $(ASAN) -O1 -g -MMD -MP \
		-c $< -o $@

# The module's files, with replacements for the kernel's headers.
STAND_INS := $(patsubst %,$(B)/asan/%.o,selftests/unit/kmod/% kmod/% tools/lab/%)
$(STAND_INS): private UNIT_CPPFLAGS += -Itools/lab/kmod -Iselftests/unit/kmod

$(B)/unit-fixtures.a: $(UNIT_FIXTURES)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^

# Linked statically: the tests look at what the shared library hides.
$(UNIT_TESTS): $(B)/%: $(B)/asan/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ASAN) $(filter %.o,$^) $(filter %.a,$^) $(UNIT_LIBS) -o $@

# The module's tests need no library.
LIBRARY_TESTS := $(filter-out $(B)/selftests/unit/kmod/%,$(UNIT_TESTS))
$(LIBRARY_TESTS): $(B)/unit-fixtures.a $(B)/libliquidsched-asan.a

# Static, because tests start them thousands of times.
GUEST_LIBS := -static
$(GUEST_PROGRAMS): $(B)/%: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) -Ikmod -Iselftests/tools $(USER_CFLAGS) -O2 -MMD -MP -MF $@.d \
		-pthread $< $(GUEST_LIBS) -o $@

# A client by libnl, which is not built where that library is not.
LIBNL := $(B)/selftests/tools/libnl
ifneq ($(shell pkg-config --exists libnl-genl-3.0 2>/dev/null || echo missing),)
GUEST_PROGRAMS := $(filter-out $(LIBNL),$(GUEST_PROGRAMS))
endif
$(LIBNL): USER_CPPFLAGS += $(shell pkg-config --cflags libnl-genl-3.0 2>/dev/null)
$(LIBNL): GUEST_LIBS = $(shell pkg-config --libs libnl-genl-3.0 jansson)

UNIT := $(B)/selftests/unit
unit_obj = $(patsubst %,$(B)/asan/%.o,$(1))
UNIT_LIBS := $(ENGINE_LIBS) $(TOOL_LIBS)
include selftests/unit/tool/build.mk
include selftests/unit/kmod/build.mk
include selftests/unit/mpi/build.mk
include selftests/unit/sfio/build.mk
include selftests/mpi/build.mk
include selftests/sfio/build.mk
include selftests/mpiio/build.mk
include selftests/host/job/build.mk
include $(LAB_TESTS)/unit/build.mk

# flood chooses keys by a seed, and computes the module's own hash for it.
$(B)/selftests/tools/flood: USER_CPPFLAGS += -Iselftests/unit/kmod

# Random tests, with more rounds than `make check` has time for.
DRAWN_SRC = $(filter-out %/test-forge-orbits.c,$(UNIT_SRC))
check-random: unit user mpi mpi-tests sfio sfio-tests sfio-asan	## random tests, with more rounds
	$(Q)LIQUID_TEST_DRAWS=10000 $(UNIT)/engine/test-forge-orbits
	$(Q)for test in $$(grep -l '[^a-z_]draws(' $(DRAWN_SRC)); do \
		LIQUID_TEST_DRAWS=1000 $(B)/$${test%.c} || exit; \
	done
	$(Q)$(UNIT)/mpi/test-way $$(date +%s) 4000
	$(Q)B=$(abspath $(B)) selftests/host/tool/cli-advise.sh
	$(Q)B=$(abspath $(B)) selftests/host/library/mpi.sh $$(date +%s) 10000
	$(Q)B=$(abspath $(B)) selftests/host/library/sfio.sh $$(date +%s) 20
.PHONY: check-random

check-engines: user	## routes beside those of OpenSM's engines, on many drawn fabrics
	$(Q)B=$(abspath $(B)) selftests/host/tool/opensm-engines.sh 20 leaf-spine narrow pods tall \
		lost lost-pods torus random
.PHONY: check-engines

unit: $(UNIT_TESTS)	## build the unit tests (`make test T=unit` runs them)
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
	$(Q)clang $(USER_CPPFLAGS) -std=gnu11 -fsanitize=fuzzer-no-link $(FUZZ_CFLAGS) -MMD -MP \
		-c $< -o $@

# The tool is not a library, so a fuzzer of one of its readers names the objects that it needs.
fuzz_obj = $(patsubst %.c,$(B)/fuzz/%.o,$(wildcard $(foreach part,$(1),user/*/$(part).c)))
$(B)/fuzz/fuzz-conf: $(call fuzz_obj,job/conf util/units util/opt gate/select gate/rules \
				     gate/attrs net/attrs)
$(B)/fuzz/fuzz-flows: $(call fuzz_obj,flows/flows flows/conntrack flows/pcap util/addr-map \
				      util/units)
FUZZ_NL := $(addprefix $(B)/fuzz/fuzz-,job trial service)
$(FUZZ_NL): $(NL_SRC:%.c=$(B)/fuzz/%.o) $(TOOL_SRC:%.c=$(B)/fuzz/%.o)
$(FUZZ_NL) $(B)/fuzz/fuzz-conf: ENGINE_LIBS += $(TOOL_LIBS)
$(B)/fuzz/user/liquid-nl/main.o: USER_CPPFLAGS += -Dmain=tool_main

$(B)/fuzz/fuzz-%: selftests/fuzz/fuzz-%.c $(ENGINE_SRC:%.c=$(B)/fuzz/%.o)
	$(call say,CLANG,$@)
	@mkdir -p $(@D)
	$(Q)clang $(USER_CPPFLAGS) -Iselftests/fuzz -std=gnu11 -fsanitize=fuzzer $(FUZZ_CFLAGS) $^ \
		$(ENGINE_LIBS) -o $@

# The seeds of fuzz-NAME are the files of selftests/fuzz/NAME, and those made of what the tree has;
# findings are kept in $(B).
FUZZ_SEEDS := $(B)/fuzz/seeds
fuzz-seeds: $(B)/liquid
	$(Q)mkdir -p $(FUZZ_SEEDS)/topo $(FUZZ_SEEDS)/fabric $(FUZZ_SEEDS)/conf
	$(Q)for lft in fts lfts; do \
		(cd selftests/data && cat ports.topo && echo %% && cat ports.$$lft) \
			>$(FUZZ_SEEDS)/topo/$$lft || exit; \
	done
	$(Q)$(B)/liquid fabric make torus size=3x2 -o $(FUZZ_SEEDS)/fabric/torus
	$(Q)$(B)/liquid fabric make papers-5x5 -o $(FUZZ_SEEDS)/fabric/papers
	$(Q)cp tools/slurm/liquid.conf $(FUZZ_SEEDS)/conf/sample
.PHONY: fuzz-seeds

fuzz: $(FUZZERS) fuzz-seeds	## fuzz each reader for FUZZ_SECONDS
	$(Q)for fuzzer in $(FUZZERS); do \
		name=$${fuzzer##*/fuzz-}; mkdir -p $(B)/fuzz/found-$$name; \
		echo "  FUZZ     $$name"; \
		$$fuzzer -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(B)/fuzz/crash-$$name- $(B)/fuzz/found-$$name \
			$$(ls -d selftests/fuzz/$$name $(FUZZ_SEEDS)/$$name 2>/dev/null) || exit; \
	done
.PHONY: fuzz

# static.sh: they are not built by other targets.
fuzz-compiles:
	$(Q)for source in $(FUZZ_SRC); do \
		$(CC) $(USER_CPPFLAGS) -Iselftests/fuzz -std=gnu11 -Werror -fsyntax-only \
			$$source || exit; \
	done
.PHONY: fuzz-compiles

-include $(shell find $(B)/fuzz -name '*.d' 2>/dev/null)
-include $(wildcard $(GUEST_PROGRAMS:%=%.d))

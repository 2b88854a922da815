# SPDX-License-Identifier: GPL-2.0-only
# Targets of the guest (a virtual machine with Debian's kernel), the benchmarks and the experiments.

GUEST_IMAGES := $(GUEST_KERNELS:%=$(B)/guest/base-%.cpio)

# The programs of tools/guest/programs that the host has; the image is made again if this changes.
$(B)/guest/programs: FORCE
	@mkdir -p $(@D)
	$(Q)sed 's/#.*//' tools/guest/programs | while read -r name rest; do \
		PATH=$$PATH:/usr/sbin:/sbin command -v "$$name" || :; done >$@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@
FORCE:
.PHONY: FORCE

$(B)/guest/base-%.cpio: tools/guest/make-image tools/guest/copy-program tools/guest/init \
			tools/guest/modules tools/guest/programs \
			$(B)/guest/programs | $(B)/kernels/%
	$(call say,IMAGE,$@)
	@mkdir -p $(@D)
	$(Q)tools/guest/make-image $$(readlink $(B)/kernels/$*) $@

$(B)/kernels/6.1-debug $(B)/kernels/6.1-kcsan: $(B)/kernels/6.1-%: tools/guest/machine.config \
		tools/guest/%.config | tools/guest/build-debug-kernel
	@mkdir -p $(@D)
	$(Q)kernel=$$(tools/guest/build-debug-kernel 6.1-$*) && ln -sfn "$$kernel" $@

# Two processors for concurrency; one for the tests of time, with wider limits; an hour of random
# requests beside both. debug-kernel tests that such a kernel reports faults.
check-debug: deps	## the guest's tests under a debug kernel (KASAN, lockdep, ...), built once
	+$(Q)$(MAKE) --no-print-directory $(JOBS) GUEST_KERNELS=6.1-debug guest
	$(Q)B=$(B) GUEST_KERNELS=6.1-debug selftests/run.sh 6.1-debug-normal 6.1-debug-icount \
		6.1-debug-long debug-kernel
.PHONY: check-debug

# Two processors that change the same memory with nothing between them (KCSAN)
check-races: deps	## the guest's tests under a kernel that looks for data races, built once
	+$(Q)$(MAKE) --no-print-directory $(JOBS) GUEST_KERNELS=6.1-kcsan guest
	$(Q)B=$(B) GUEST_KERNELS=6.1-kcsan selftests/run.sh 6.1-kcsan-normal debug-kernel
.PHONY: check-races

# Kernels of other releases, and with PREEMPT_RT. selftests/host/house/kernels.sh reports those that
# no archive gives; modules that do not build for one that is there end it at once.
OTHER_KERNELS := 5.10 newest 6.1-rt
check-kernels: deps	## build the modules for other kernels, and test them there
	+$(Q)$(MAKE) --no-print-directory $(JOBS) user $(UNIT)/kmod/alike
	$(Q)tools/deps/install processors
	+$(Q)runs="static kernels kernel-tree processors"; \
	$(MAKE) --no-print-directory $(B)/kernels/6.1-arm64; \
	for kernel in $(OTHER_KERNELS) $(CROSS_KERNELS); do \
		$(MAKE) --no-print-directory $(B)/kernels/$$kernel || continue; \
		runs="$$runs $$kernel-icount"; \
		case " $(OTHER_KERNELS) " in \
		*" $$kernel "*) target="GUEST_KERNELS=$$kernel guest" ;; \
		*) target=cross-guest-$$kernel ;; \
		esac; \
		$(MAKE) --no-print-directory $(JOBS) $$target || exit; \
	done; B=$(B) FETCH_KERNELS=1 SPARSE_KERNELS=6.12 \
		GUEST_KERNELS="$(OTHER_KERNELS) $(CROSS_KERNELS)" selftests/run.sh $$runs
.PHONY: check-kernels

# Exchanges that take minutes each
check-exchanges: deps	## the guest's long tests
	+$(Q)$(MAKE) --no-print-directory $(JOBS) GUEST_KERNELS=6.1 check-build
	$(Q)B=$(B) GUEST_KERNELS=6.1 selftests/run.sh 6.1-long guest-runner
.PHONY: check-exchanges

# A browser, of 300 MB
check-page: deps user	## pages, in a browser
	$(Q)tools/deps/install page
	$(Q)B=$(B) CHECK_PAGE=1 selftests/run-one cli-report
	$(Q)B=$(B) CHECK_PAGE=1 selftests/run-one cli-page
.PHONY: check-page

# Other processors: their kernels get their own programs, in $(B)/KERNEL. The tool and the
# library need a compiler with integers of 128 bits, which 32-bit processors lack.
CROSS_TOOL_6.1-s390x = $(addprefix $(B)/6.1-s390x/,liquid liquid-nl)
CROSS_KERNELS := 6.1-i386 6.1-s390x
$(CROSS_KERNELS:%=cross-guest-%): cross-guest-%: $(B)/guest/base-%.cpio $(B)/kmod-%/liquid.ko
	+$(Q)PKG_CONFIG_LIBDIR=/none $(MAKE) --no-print-directory B=$(B)/$* GUEST_KERNELS= \
		CC='tools/guest/cross-cc $(B)/kernels/$*' guest-programs $(CROSS_TOOL_$*)
.PHONY: $(CROSS_KERNELS:%=cross-guest-%)

# A device of IPoIB's shape, for kernel/gate/ipoib.sh
IPOIB := $(wildcard selftests/kernel/ipoib/*)
$(B)/kmod-%/ipoib_like.ko: $(IPOIB) $(B)/kernels/%
	$(call say,KBUILD,$@)
	$(Q)mkdir -p $(B)/ipoib-$* $(@D) && cp $(IPOIB) $(B)/ipoib-$*
	$(call kbuild,MAKE='$(MAKE)' tools/guest/kernel-make \
		$(B)/kernels/$*,$(B)/ipoib-$*,KCFLAGS=-Werror)
	$(Q)cp $(B)/ipoib-$*/$(@F) $@

GUEST_FILES := $(GUEST_IMAGES) $(GUEST_MODULES) $(GUEST_MODULES:%liquid.ko=%ipoib_like.ko) \
	$(PROGRAMS)
guest: $(GUEST_FILES) guest-programs	## build what the guest needs (tools/guest/run)
.PHONY: guest

bench-gate: guest $(B)/bench/burst	## cost of the gate per packet, and of other qdiscs (guest)
	$(Q)B=$(B) tools/bench/gate $(if $(KERNEL),--kernel $(KERNEL))
.PHONY: bench-gate

# The engine's benchmarks; swiss-t1, peers and search-space use internals of the library.
BENCH := $(B)/bench
BENCH_PROGRAMS := $(addprefix $(BENCH)/,solve-fabric plan-fabric swiss-t1 peers \
					  search-space change sweep)

$(BENCH)/%.o: tools/bench/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# burst runs in the guest and needs no library.
$(BENCH)/burst: $(BENCH)/burst.o
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -o $@

# The families of fabrics are those of the tests.
$(BENCH)/%.o: selftests/unit/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BENCH)/sweep.o $(BENCH)/fixtures.o $(BENCH)/solve/family-fixtures.o: \
	private USER_CPPFLAGS += -Iselftests/unit -Iselftests/unit/solve
$(BENCH)/sweep: $(BENCH)/fixtures.o $(BENCH)/solve/family-fixtures.o

$(BENCH)/swiss-t1 $(BENCH)/peers $(BENCH)/search-space: $(BENCH)/swiss.o
$(BENCH)/swiss-t1: $(BENCH)/method-igraph.o
$(BENCH)/swiss-t1: ENGINE_LIBS += -ligraph
$(BENCH_PROGRAMS): $(BENCH)/%: $(BENCH)/%.o $(B)/libliquidsched.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(ENGINE_LIBS) -o $@

# The experiments of Documentation/results.rst, with the patterns of the benchmarks.
programs := tools/experiments/programs
EXPERIMENT_PROGRAMS := $(addprefix $(B)/experiments/,patterns exchange shuffle gate-run manet)
$(B)/experiments/gate-run: $(programs)/gate-run.c $(B)/liquid-nl.a $(B)/libliquidsched.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -MF $@.d \
		$(filter %.c %.a,$^) $(ENGINE_LIBS) $(TOOL_LIBS) -o $@

$(B)/experiments/patterns.o: $(programs)/patterns.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) -Itools/bench $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP \
		-c $< -o $@

$(B)/experiments/patterns: $(B)/experiments/patterns.o $(BENCH)/swiss.o $(B)/libliquidsched.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(ENGINE_LIBS) -o $@

$(B)/experiments/manet: $(programs)/manet.c $(B)/libliquidsched.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -MF $@.d \
		$(filter %.c %.a,$^) $(ENGINE_LIBS) -o $@

$(addprefix $(B)/experiments/,exchange shuffle): $(B)/experiments/%: $(programs)/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) -Iselftests/tools $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) \
		-MMD -MP -MF $@.d $< -o $@

# Without Open MPI, the tests and experiments that need it are skipped.
ifneq ($(shell pkg-config --exists ompi-c 2>/dev/null && echo yes),)
EXPERIMENT_PROGRAMS += $(addprefix $(B)/experiments/,mpi-alltoall mpiio-bench sfio-bench)
endif

$(B)/experiments/mpi-alltoall $(B)/experiments/mpiio-bench: $(B)/experiments/%: $(programs)/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $$(pkg-config --cflags ompi-c | sed 's/-I/-isystem /g') \
		$(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -MF $@.d $< \
		$$(pkg-config --libs ompi-c) -o $@

$(B)/experiments/sfio-bench: $(programs)/sfio-bench.c $(programs)/mpi-bench.h \
			     $(B)/libliquid-sfio-openmpi.so \
			     | $(B)/libliquid-sfio-openmpi.so.$(SOVERSION)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(sfio_program) $(call mpi_flags,$(OPENMPI_CC) --showme)
$(B)/experiments/sfio-bench: sfio_up = ..

experiment-programs: $(EXPERIMENT_PROGRAMS)
# A test runs them.
check-build: experiment-programs
EXPERIMENTS ?= chapter-3 chapter-4 fabrics shuffle

experiments: deps	## measurements of the papers and more (QUICK=1, EXPERIMENTS="NAME...")
	+$(Q)$(MAKE) --no-print-directory $(JOBS) user guest experiment-programs bench-programs
	$(Q)set -e; for name in $(EXPERIMENTS); do \
		B=$(B) tools/experiments/$$name $(if $(QUICK),--quick); \
	done

pictures: deps	## those of the experiments that need no guest, into $(B)/experiments (QUICK=1)
	+$(Q)$(MAKE) --no-print-directory $(JOBS) user experiment-programs bench-programs
	$(Q)set -e; for name in 'chapter-3 congestion dsatur simulator' chapter-4 fabrics; do \
		B=$(B) tools/experiments/$$name $(if $(QUICK),--quick); \
	done
.PHONY: experiments pictures experiment-programs

-include $(wildcard $(B)/experiments/*.d)

bench-programs: $(BENCH_PROGRAMS) $(BENCH)/burst	## programs of the benchmarks
# A test counts their instructions.
check-build: bench-programs

bench: deps	## compare the engine with other solvers (QUICK=1: one run; ROWS="'peers*'")
	+$(Q)$(MAKE) --no-print-directory $(JOBS) user bench-programs
	$(Q)B=$(B) tools/bench/run $(if $(QUICK),--runs 1) $(if $(DRAW),--draw $(DRAW)) $(ROWS)
	$(Q)$(if $(ROWS),,B=$(B) tools/bench/simulate $(if $(QUICK),--quick))

search-space: $(BENCH)/search-space	## nodes that each step of the papers' search saves
	$(Q)$<
	$(Q)$< --scarcest | tail -n 1
.PHONY: bench-programs bench search-space

-include $(wildcard $(BENCH)/*.d)

netlink:	## write what follows from the netlink specification (needs python3-yaml)
	$(Q)tools/netlink/make
.PHONY: netlink

check-fresh:	## run `make demo` and `make check` on a clean clone in a fresh Debian 12 root
	$(Q)tools/check-fresh
.PHONY: check-fresh

# SPDX-License-Identifier: GPL-2.0-only
# The wire by RDMA, where libibverbs is; its test program, which needs no MPI but its header; and
# the example of RDMA, for the same test in the guest.

ifneq ($(shell pkg-config --exists libibverbs 2>/dev/null && echo yes),)
VERBS_SRC := $(wildcard user/mpi/wire/verbs/*.c)
VERBS_CPPFLAGS := -DLIQUID_MPI_VERBS
VERBS_LIBS := -libverbs
guest-programs: $(B)/mpi/event-builder-rdma
# Registrations are kept where libucm reports memory that is unmapped.
ifneq ($(wildcard /usr/include/ucm/api/ucm.h),)
VERBS_CPPFLAGS += -DLIQUID_HAVE_UCM
endif
endif

VERBS_TEST := $(B)/mpi/verbs-wires
ifneq ($(and $(VERBS_SRC),$(shell pkg-config --exists ompi-c 2>/dev/null && echo yes)),)
guest-programs: $(VERBS_TEST)
endif

$(VERBS_TEST): selftests/mpi/verbs/verbs-wires.c $(VERBS_SRC) $(B)/libliquidsched.a \
	       $(wildcard user/mpi/*/*.h user/mpi/wire/verbs/*.h)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ENGINE_CPPFLAGS) -Iuser/mpi $(VERBS_CPPFLAGS) \
		$$(pkg-config --cflags ompi-c | sed 's/-I/-isystem /g') $(CPPFLAGS) \
		$(USER_CFLAGS) $(CFLAGS) $(filter %.c %.a,$^) $(ENGINE_LIBS) $(VERBS_LIBS) -o $@

$(B)/mpi/event-builder-rdma: user/examples/event-builder-rdma.c user/examples/event-builder.c \
			     $(B)/libliquidsched.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -Iuser/engine $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) $< $(filter %.a,$^) \
		$(ENGINE_LIBS) $(VERBS_LIBS) -o $@

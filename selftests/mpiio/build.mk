# SPDX-License-Identifier: GPL-2.0-only
# Programs that judge user/mpiio: each selftests/mpiio/mpiio-*.c, for each MPI that is there.

MPIIO_TEST_SRC := $(wildcard selftests/mpiio/mpiio-*.c)
OPENMPI_MPIIO_TESTS := $(MPIIO_TEST_SRC:selftests/mpiio/%.c=$(B)/selftests/mpiio/openmpi/%)
MPICH_MPIIO_TESTS := $(MPIIO_TEST_SRC:selftests/mpiio/%.c=$(B)/selftests/mpiio/mpich/%)
mpiio_program = $(CC) -D_GNU_SOURCE -Iuser/mpiio $(USER_CFLAGS) $(CFLAGS) $(filter %.c %.o,$^) -o $@
mpiio_flat = $(patsubst %,$(B)/$(1)/user/mpiio/%.o,flat flatten)

$(OPENMPI_MPIIO_TESTS): $(B)/selftests/mpiio/openmpi/%: selftests/mpiio/%.c \
		selftests/mpiio/random-type.c $(call mpiio_flat,openmpi)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(mpiio_program) $(call mpi_flags,$(OPENMPI_CC) --showme)

$(MPICH_MPIIO_TESTS): $(B)/selftests/mpiio/mpich/%: selftests/mpiio/%.c \
		selftests/mpiio/random-type.c $(call mpiio_flat,mpich)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(mpiio_program) -Wno-stringop-overflow $(call mpi_flags,$(MPICH_CC) -show)

mpiio-tests: $(if $(have_openmpi),$(OPENMPI_MPIIO_TESTS)) $(if $(have_mpich),$(MPICH_MPIIO_TESTS))
check-build: mpiio mpiio-tests
.PHONY: mpiio-tests

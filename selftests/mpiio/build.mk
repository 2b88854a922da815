# SPDX-License-Identifier: GPL-2.0-only
# Programs that judge user/mpiio: each selftests/mpiio/mpiio-*.c, and one in Fortran, for each MPI
# that is there.

MPIIO_TEST_SRC := $(wildcard selftests/mpiio/mpiio-*.c)
OPENMPI_MPIIO_TESTS := $(MPIIO_TEST_SRC:selftests/mpiio/%.c=$(B)/selftests/mpiio/openmpi/%)
MPICH_MPIIO_TESTS := $(MPIIO_TEST_SRC:selftests/mpiio/%.c=$(B)/selftests/mpiio/mpich/%)
OPENMPI_MPIIO_FORTRAN := $(if $(call have,$(OPENMPI_FC)),$(B)/selftests/mpiio/openmpi/mpiio-fortran)
MPICH_MPIIO_FORTRAN := $(if $(call have,$(MPICH_FC)),$(B)/selftests/mpiio/mpich/mpiio-fortran)
mpiio_program = $(CC) -D_GNU_SOURCE -Iuser/mpiio $(USER_CFLAGS) $(CFLAGS) $(filter %.c %.o,$^) -o $@
mpiio_flat = $(patsubst %,$(B)/$(1)/user/mpiio/%.o,types/flat types/flatten)

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

$(OPENMPI_MPIIO_FORTRAN): $(B)/selftests/mpiio/openmpi/%: selftests/mpiio/%.f90
	$(call say,FC,$@)
	@mkdir -p $(@D)
	$(Q)$(OPENMPI_FC) -Wall -Werror -O2 $< -o $@

# MPICH's wrapper hands on options that GCC warns of.
$(MPICH_MPIIO_FORTRAN): $(B)/selftests/mpiio/mpich/%: selftests/mpiio/%.f90
	$(call say,FC,$@)
	@mkdir -p $(@D)
	$(Q)$(MPICH_FC) -O2 $< -o $@

mpiio-tests: $(if $(have_openmpi),$(OPENMPI_MPIIO_TESTS) $(OPENMPI_MPIIO_FORTRAN)) \
	     $(if $(have_mpich),$(MPICH_MPIIO_TESTS) $(MPICH_MPIIO_FORTRAN))
check-build: mpiio mpiio-tests
.PHONY: mpiio-tests

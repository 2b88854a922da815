# SPDX-License-Identifier: GPL-2.0-only
# Programs that call MPI: each selftests/mpi/*.c, and one in Fortran, for each MPI that is there.

MPI_TEST_SRC := $(wildcard selftests/mpi/*.c)
OPENMPI_TESTS := $(patsubst selftests/mpi/%.c,$(B)/selftests/mpi/openmpi/%,$(MPI_TEST_SRC))
MPICH_TESTS := $(patsubst selftests/mpi/%.c,$(B)/selftests/mpi/mpich/%,$(MPI_TEST_SRC))
OPENMPI_FC ?= mpifort.openmpi
MPICH_FC ?= mpifort.mpich
OPENMPI_TESTS += $(if $(call have,$(OPENMPI_FC)),$(B)/selftests/mpi/openmpi/mpi-fortran)
MPICH_TESTS += $(if $(call have,$(MPICH_FC)),$(B)/selftests/mpi/mpich/mpi-fortran)

# Compilers are asked what they would do, so that the headers of an MPI give no warnings.
mpi_flags = $(patsubst -I%,-isystem %,$(filter -I% -L% -l% -Wl%,$(shell $(1))))

$(B)/selftests/mpi/openmpi/%: selftests/mpi/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE $(USER_CFLAGS) $(CFLAGS) $< -o $@ \
		$(call mpi_flags,$(OPENMPI_CC) --showme)

# GCC takes MPICH's MPI_STATUSES_IGNORE for an array that is too short.
$(B)/selftests/mpi/mpich/%: selftests/mpi/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE $(USER_CFLAGS) -Wno-stringop-overflow $(CFLAGS) $< -o $@ \
		$(call mpi_flags,$(MPICH_CC) -show)

$(B)/selftests/mpi/openmpi/%: selftests/mpi/%.f90
	$(call say,FC,$@)
	@mkdir -p $(@D)
	$(Q)$(OPENMPI_FC) -Wall -Werror -O2 $< -o $@

$(B)/selftests/mpi/mpich/%: selftests/mpi/%.f90
	$(call say,FC,$@)
	@mkdir -p $(@D)
	$(Q)$(MPICH_FC) -O2 $< -o $@

# A device for the wire by RDMA, which hosts without one load in its place; memory that is short
VERBS_MOCK := $(B)/selftests/mpi/verbs-mock.so
MPI_SHORT := $(B)/selftests/mpi/short.so
$(VERBS_MOCK): selftests/mpi/verbs/mock.c
$(MPI_SHORT): selftests/mpi/faults/short.c
$(VERBS_MOCK) $(MPI_SHORT):
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE $(USER_CFLAGS) $(CFLAGS) -shared -fPIC $< -o $@

mpi-tests: $(if $(VERBS_SRC),$(VERBS_MOCK)) $(MPI_SHORT)
mpi-tests: $(if $(call have,$(OPENMPI_CC)),$(OPENMPI_TESTS)) \
	   $(if $(call have,$(MPICH_CC)),$(MPICH_TESTS))
check-build: mpi mpi-tests
.PHONY: mpi-tests

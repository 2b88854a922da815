# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the MPI adapters' parts without MPI are made of; see selftests/unit/tool.

mpi_obj = $(call unit_obj,$(addprefix user/mpi/,$(1)))
$(B)/asan/selftests/unit/mpi/%.o: private UNIT_CPPFLAGS += -Iuser/mpi

$(UNIT)/mpi/test-environment: $(call mpi_obj,environment notice)
$(UNIT)/mpi/test-notice: $(call mpi_obj,notice)
$(UNIT)/mpi/test-place: $(call mpi_obj,place map environment notice)
$(UNIT)/mpi/test-report: $(call mpi_obj,report)
$(UNIT)/mpi/test-way: $(call mpi_obj,way)

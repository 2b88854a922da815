# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the MPI adapters' parts without MPI are made of; see selftests/unit/tool.

mpi_obj = $(call unit_obj,$(addprefix user/mpi/,$(1)))
$(B)/asan/selftests/unit/mpi/%.o: private UNIT_CPPFLAGS += -Iuser/mpi
$(B)/asan/user/mpi/%.o: private USER_CPPFLAGS += -Iuser/mpi

$(UNIT)/mpi/test-environment: $(call mpi_obj,settings/environment settings/notice)
$(UNIT)/mpi/test-notice: $(call mpi_obj,settings/notice)
$(UNIT)/mpi/test-place: $(call mpi_obj,node/place node/map settings/environment \
					settings/notice)
$(UNIT)/mpi/test-prepared: $(call mpi_obj,plan/prepared node/map node/place settings/environment \
					settings/notice)
$(UNIT)/mpi/test-report: $(call mpi_obj,settings/report)
$(UNIT)/mpi/test-turns: $(call mpi_obj,plan/turns node/map node/place settings/environment \
					settings/notice)
$(UNIT)/mpi/test-way: $(call mpi_obj,plan/way)

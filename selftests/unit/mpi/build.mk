# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the MPI adapters' parts without MPI are made of; see selftests/unit/tool.

mpi_obj = $(call unit_obj,$(addprefix user/mpi/,$(1)))
$(B)/asan/selftests/unit/mpi/%.o: private UNIT_CPPFLAGS += -Iuser/mpi
$(B)/asan/user/mpi/%.o: private USER_CPPFLAGS += -Iuser/mpi

# CUDA as it looks from outside: the test loads it when it is to be there.
$(UNIT)/mpi/libcuda.so.1: selftests/unit/mpi/cuda.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) -shared -fPIC -Wl,-soname,$(@F) $< -o $@

$(UNIT)/mpi/test-device: $(call mpi_obj,plan/device) | $(UNIT)/mpi/libcuda.so.1
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

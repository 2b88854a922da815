# SPDX-License-Identifier: GPL-2.0-only
# Programs that use libliquid-sfio: each selftests/sfio/*.c, for each MPI that is there.

SFIO_TEST_SRC := $(wildcard selftests/sfio/*.c)
OPENMPI_SFIO_TESTS := $(patsubst selftests/sfio/%.c,$(B)/selftests/sfio/openmpi/%,$(SFIO_TEST_SRC))
MPICH_SFIO_TESTS := $(patsubst selftests/sfio/%.c,$(B)/selftests/sfio/mpich/%,$(SFIO_TEST_SRC))
sfio_up = ../../..
sfio_program = $(CC) -D_GNU_SOURCE -Iuser/sfio/api $(USER_CFLAGS) $(CFLAGS) $< -o $@ \
	       $(filter %.so,$^) -Wl,-rpath,'$$ORIGIN/$(sfio_up)'

# The library's own name is that of its version, which is there once it is installed.
$(B)/libliquid-sfio-%.so.$(SOVERSION): $(B)/libliquid-sfio-%.so
	$(Q)ln -sf $(<F) $@

$(OPENMPI_SFIO_TESTS): $(B)/selftests/sfio/openmpi/%: selftests/sfio/%.c \
		$(B)/libliquid-sfio-openmpi.so | $(B)/libliquid-sfio-openmpi.so.$(SOVERSION)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(sfio_program) $(call mpi_flags,$(OPENMPI_CC) --showme)

$(MPICH_SFIO_TESTS): $(B)/selftests/sfio/mpich/%: selftests/sfio/%.c \
		$(B)/libliquid-sfio-mpich.so | $(B)/libliquid-sfio-mpich.so.$(SOVERSION)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(sfio_program) -Wno-stringop-overflow $(call mpi_flags,$(MPICH_CC) -show)

# The library and the same programs with sanitizers, for Open MPI.
ASAN_SFIO_OBJ := $(SFIO_SRC:%.c=$(B)/asan-openmpi/%.o)
ASAN_SFIO_TESTS := $(patsubst selftests/sfio/%.c,$(B)/selftests/sfio/asan/%,$(SFIO_TEST_SRC))

$(B)/asan-openmpi/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(cppflags_of_sfio) $(OPENMPI_INCLUDE) $(CPPFLAGS) $(USER_CFLAGS) $(ASAN) -O1 -g \
		-MMD -MP -c $< -o $@

$(ASAN_SFIO_TESTS): $(B)/selftests/sfio/asan/%: $(B)/asan-openmpi/selftests/sfio/%.o \
		$(ASAN_SFIO_OBJ) $(B)/libliquidsched-asan.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ASAN) $^ $(OPENMPI_LIBS) $(ENGINE_LIBS) -lpthread -o $@

-include $(shell find $(B)/asan-openmpi -name '*.d' 2>/dev/null)

sfio-tests: $(if $(have_openmpi),$(OPENMPI_SFIO_TESTS)) $(if $(have_mpich),$(MPICH_SFIO_TESTS))
sfio-asan: $(if $(have_openmpi),$(ASAN_SFIO_TESTS))
check-build: sfio sfio-tests
.PHONY: sfio-tests sfio-asan

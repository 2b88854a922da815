# SPDX-License-Identifier: GPL-2.0-only
# MPI adapters: one source, compiled once for each MPI whose compiler wrapper is there.

MPI_SRC := $(filter-out user/mpi/openmpi.c user/mpi/mpich.c,$(wildcard user/mpi/*.c))
MPI_LIBS := $(ENGINE_LIBS) -lpthread
ifneq ($(wildcard user/mpi/verbs/*.c),)
MPI_SRC += $(wildcard user/mpi/verbs/*.c)
MPI_VERBS := -DLIQUID_MPI_VERBS
MPI_LIBS += -libverbs
endif
MPI_CPPFLAGS = $(ENGINE_CPPFLAGS) -Iuser/mpi $(MPI_VERBS)

OPENMPI_CC ?= mpicc.openmpi
MPICH_CC ?= mpicc.mpich
have = $(shell command -v $(1) 2>/dev/null)
MPI_OBJECTS := $(if $(call have,$(OPENMPI_CC)),$(B)/mca_coll_liquid.so) \
	       $(if $(call have,$(MPICH_CC)),$(if $(wildcard user/mpi/mpich.c),$(B)/libliquid-mpich.so))

# Its headers are the MPI's business: no warnings about those.
OPENMPI_DIR = $(shell $(OPENMPI_CC) --showme:incdirs)
OPENMPI_INCLUDE = $(foreach dir,$(OPENMPI_DIR),-isystem $(dir) -isystem $(dir)/openmpi)
OPENMPI_OBJ := $(patsubst %.c,$(B)/openmpi/%.o,$(MPI_SRC) user/mpi/openmpi.c)

mpi: $(MPI_OBJECTS)	## build what makes MPI programs gain: Open MPI's component, MPICH's preload
	$(if $(call have,$(OPENMPI_CC)),,@echo "  no $(OPENMPI_CC): mca_coll_liquid.so is not built (libopenmpi-dev)")
	$(if $(call have,$(MPICH_CC)),,@echo "  no $(MPICH_CC): libliquid-mpich.so is not built (libmpich-dev)")
.PHONY: mpi

$(B)/openmpi/user/mpi/%.o: user/mpi/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(MPI_CPPFLAGS) $(OPENMPI_INCLUDE) $(CPPFLAGS) $(USER_CFLAGS) -fPIC \
		-fvisibility=hidden $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/mca_coll_liquid.so: $(OPENMPI_OBJ) $(B)/libliquidsched.a user/mpi/openmpi.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,--version-script=user/mpi/openmpi.map $(LDFLAGS) $(OPENMPI_OBJ) \
		$(B)/libliquidsched.a $(foreach dir,$(shell $(OPENMPI_CC) --showme:libdirs),-L$(dir)) \
		-lmpi -lopen-pal $(MPI_LIBS) -o $@

-include $(shell find $(B)/openmpi $(B)/mpich -name '*.d' 2>/dev/null)

# SPDX-License-Identifier: GPL-2.0-only
# MPI adapters: one source, compiled once for each MPI whose compiler wrapper is there.

OPENMPI_CC ?= mpicc.openmpi
MPICH_CC ?= mpicc.mpich
have = $(shell command -v $(1) 2>/dev/null)
have_openmpi := $(call have,$(OPENMPI_CC))
have_mpich := $(call have,$(MPICH_CC))

# The wire by RDMA says itself whether it can be built: VERBS_SRC, VERBS_CPPFLAGS, VERBS_LIBS.
-include user/mpi/wire/verbs/build.mk
MPI_OPENMPI := $(wildcard user/mpi/openmpi*.c)
MPI_SRC := user/mpi/shared.c $(wildcard user/mpi/*/*.c) $(VERBS_SRC)
cppflags_of_mpi := $(ENGINE_CPPFLAGS) -Iuser/mpi $(VERBS_CPPFLAGS)
MPI_LIBS := $(ENGINE_LIBS) $(VERBS_LIBS) -lpthread
MPI_OBJECTS := $(if $(have_openmpi),$(B)/mca_coll_liquid.so) \
	       $(if $(have_mpich),$(if $(wildcard user/mpi/mpich.c),$(B)/libliquid-mpich.so))

mpi: $(MPI_OBJECTS)	## build what MPI programs gain by: Open MPI's component, MPICH's preload
	$(if $(have_openmpi),,@echo "  no $(OPENMPI_CC) (libopenmpi-dev): no mca_coll_liquid.so")
	$(if $(have_mpich),,@echo "  no $(MPICH_CC) (libmpich-dev): no libliquid-mpich.so")
.PHONY: mpi

# The headers are the MPI's business, not its warnings.
OPENMPI_DIRS = $(shell $(OPENMPI_CC) --showme:incdirs)
OPENMPI_INCLUDE = $(foreach dir,$(OPENMPI_DIRS),-isystem $(dir) -isystem $(dir)/openmpi)
OPENMPI_LIBS = $(addprefix -L,$(shell $(OPENMPI_CC) --showme:libdirs)) -lmpi -lopen-pal
OPENMPI_OBJ := $(patsubst %.c,$(B)/openmpi/%.o,$(MPI_SRC) $(MPI_OPENMPI))

# All that is compiled once for each MPI is in user/NAME, and has its options in cppflags_of_NAME.
own_cppflags = $(cppflags_of_$(firstword $(subst /, ,$*)))

$(B)/openmpi/user/%.o: user/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(own_cppflags) $(OPENMPI_INCLUDE) $(CPPFLAGS) $(USER_CFLAGS) -fPIC \
		-fvisibility=hidden $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/mca_coll_liquid.so: $(OPENMPI_OBJ) $(B)/libliquidsched.a user/mpi/openmpi.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,--version-script=user/mpi/openmpi.map $(LDFLAGS) $(OPENMPI_OBJ) \
		$(B)/libliquidsched.a $(OPENMPI_LIBS) $(MPI_LIBS) -o $@

MPICH_INCLUDE = $(patsubst -I%,-isystem %,$(filter -I%,$(shell $(MPICH_CC) -show)))
MPICH_LIBS = $(filter -L% -l%,$(shell $(MPICH_CC) -show))
MPICH_OBJ := $(patsubst %.c,$(B)/mpich/%.o,$(MPI_SRC) $(addprefix user/mpi/,mpich.c series.c))

# GCC takes MPICH's MPI_STATUSES_IGNORE for an array that is too short.
$(B)/mpich/user/%.o: user/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(own_cppflags) $(MPICH_INCLUDE) $(CPPFLAGS) $(USER_CFLAGS) -fPIC \
		-Wno-stringop-overflow -fvisibility=hidden $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/libliquid-mpich.so: $(MPICH_OBJ) $(B)/libliquidsched.a
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libliquid-mpich.so -Wl,--exclude-libs,ALL $(LDFLAGS) \
		$(MPICH_OBJ) $(B)/libliquidsched.a $(MPICH_LIBS) $(MPI_LIBS) -o $@

# Open MPI has a directory for components; there it finds this one in every job.
OPENMPI_COMPONENTS ?= $(lastword $(subst :, ,$(shell ompi_info --path pkglibdir --parsable \
		      2>/dev/null)))
MPI_PLACES = $(patsubst $(B)/mca_%,$(OPENMPI_COMPONENTS)/mca_%,\
	     $(patsubst $(B)/lib%,$(LIBDIR)/lib%,$(MPI_OBJECTS)))

install-mpi: mpi	## install what `make mpi` builds (DESTDIR, PREFIX, OPENMPI_COMPONENTS)
	$(call say,INSTALL,$(addprefix $(DESTDIR),$(MPI_PLACES)))
	$(Q)$(foreach place,$(MPI_PLACES),install -D -m 644 $(B)/$(notdir $(place)) \
		$(DESTDIR)$(place) &&) :

uninstall-mpi:	## remove what install-mpi has put in place
	$(Q)rm -f $(addprefix $(DESTDIR),$(MPI_PLACES))
.PHONY: install-mpi uninstall-mpi

-include $(shell find $(B)/openmpi $(B)/mpich -name '*.d' 2>/dev/null)

# SPDX-License-Identifier: GPL-2.0-only
# libliquid-mpiio-*.so: collective files of MPI programs, compiled once for each MPI that is there.

# The choice between two ways and the name of the running MPI are as in the MPI adapters.
MPIIO_SRC := $(sort $(wildcard user/mpiio/*.c user/mpiio/*/*.c)) \
	     $(addprefix user/mpi/,plan/way.c series.c)
cppflags_of_mpiio := $(ENGINE_CPPFLAGS) -Iuser/mpiio -Iuser/mpi
MPIIO_OBJECTS := $(if $(have_openmpi),$(B)/libliquid-mpiio-openmpi.so) \
		 $(if $(have_mpich),$(B)/libliquid-mpiio-mpich.so)
MPIIO_MAP := user/mpiio/mpiio.map

mpiio: $(MPIIO_OBJECTS)	## build what serves MPI programs' collective calls on files
	$(if $(have_openmpi),,@echo "  no $(OPENMPI_CC) (libopenmpi-dev): no object for Open MPI")
	$(if $(have_mpich),,@echo "  no $(MPICH_CC) (libmpich-dev): no object for MPICH")
.PHONY: mpiio

mpiio_link = $(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(MPIIO_MAP) $(LDFLAGS) \
	     $(filter %.o,$^) $(1) -lpthread -o $@

$(B)/libliquid-mpiio-openmpi.so: $(MPIIO_SRC:%.c=$(B)/openmpi/%.o) $(MPIIO_MAP)
	$(call say,LD,$@)
	$(Q)$(call mpiio_link,$(OPENMPI_LIBS))

$(B)/libliquid-mpiio-mpich.so: $(MPIIO_SRC:%.c=$(B)/mpich/%.o) $(MPIIO_MAP)
	$(call say,LD,$@)
	$(Q)$(call mpiio_link,$(MPICH_LIBS))

MPIIO_PLACES = $(patsubst $(B)/%,$(DESTDIR)$(LIBDIR)/%,$(MPIIO_OBJECTS))

install-mpiio: mpiio	## install what `make mpiio` builds (DESTDIR, PREFIX)
	$(call say,INSTALL,$(MPIIO_PLACES))
	$(Q)$(foreach place,$(MPIIO_PLACES),install -D -m 644 $(B)/$(notdir $(place)) $(place) &&) :

uninstall-mpiio:	## remove what install-mpiio has put in place
	$(Q)rm -f $(MPIIO_PLACES)
.PHONY: install-mpiio uninstall-mpiio

-include $(shell find $(B)/openmpi/user/mpiio $(B)/mpich/user/mpiio -name '*.d' 2>/dev/null)

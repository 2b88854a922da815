# SPDX-License-Identifier: GPL-2.0-only
# libliquid-sfio: striped files for MPI programs, compiled once for each MPI that is there.

SFIO_SRC := $(shell find user/sfio -name '*.c' | LC_ALL=C sort)
cppflags_of_sfio := $(ENGINE_CPPFLAGS) -Iuser/sfio -Iuser/sfio/api
SFIO_LIBRARIES := $(if $(have_openmpi),$(B)/libliquid-sfio-openmpi.so) \
		  $(if $(have_mpich),$(B)/libliquid-sfio-mpich.so)
OPENMPI_SFIO_OBJ := $(SFIO_SRC:%.c=$(B)/openmpi/%.o)
MPICH_SFIO_OBJ := $(SFIO_SRC:%.c=$(B)/mpich/%.o)
SFIO_MAP := user/sfio/sfio.map

sfio: $(SFIO_LIBRARIES)	## build libliquid-sfio, striped files for MPI programs
	$(if $(have_openmpi),,@echo "  no $(OPENMPI_CC) (libopenmpi-dev): no library for Open MPI")
	$(if $(have_mpich),,@echo "  no $(MPICH_CC) (libmpich-dev): no library for MPICH")
.PHONY: sfio

sfio_link = $(CC) -shared -Wl,-soname,$(@F).$(SOVERSION) -Wl,--version-script=$(SFIO_MAP) \
	    $(LDFLAGS) $(filter %.o,$^) $(B)/libliquidsched.a $(1) $(ENGINE_LIBS) -lpthread -o $@

$(B)/libliquid-sfio-openmpi.so: $(OPENMPI_SFIO_OBJ) $(B)/libliquidsched.a $(SFIO_MAP)
	$(call say,LD,$@)
	$(Q)$(call sfio_link,$(OPENMPI_LIBS))

$(B)/libliquid-sfio-mpich.so: $(MPICH_SFIO_OBJ) $(B)/libliquidsched.a $(SFIO_MAP)
	$(call say,LD,$@)
	$(Q)$(call sfio_link,$(MPICH_LIBS))

# Programs find the library of their MPI by its name: -lliquid-sfio-openmpi, -lliquid-sfio-mpich.
SFIO_HEADERS := user/sfio/api/mio.h user/sfio/api/liquid-sfio.h

install-sfio: sfio	## install what `make sfio` builds (DESTDIR, PREFIX)
	$(call say,INSTALL,libliquid-sfio in $(DESTDIR)$(PREFIX))
	$(Q)$(foreach header,$(SFIO_HEADERS),install -D -m 644 $(header) \
		$(DESTDIR)$(INCLUDEDIR)/$(notdir $(header)) &&) :
	$(Q)$(foreach lib,$(notdir $(SFIO_LIBRARIES)),install -D -m 755 $(B)/$(lib) \
		$(DESTDIR)$(LIBDIR)/$(lib).$(VERSION) && \
		ln -sf $(lib).$(VERSION) $(DESTDIR)$(LIBDIR)/$(lib).$(SOVERSION) && \
		ln -sf $(lib).$(SOVERSION) $(DESTDIR)$(LIBDIR)/$(lib) &&) :
	$(if $(DESTDIR),,$(Q)ldconfig)

uninstall-sfio:	## remove what install-sfio has put in place
	$(Q)rm -f $(foreach header,$(SFIO_HEADERS),$(DESTDIR)$(INCLUDEDIR)/$(notdir $(header))) \
		$(DESTDIR)$(LIBDIR)/libliquid-sfio-*.so*
.PHONY: install-sfio uninstall-sfio

-include $(shell find $(B)/openmpi/user/sfio $(B)/mpich/user/sfio -name '*.d' 2>/dev/null)

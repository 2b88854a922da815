# SPDX-License-Identifier: GPL-2.0-only
# Packages, and what is installed for them: units of systemd, and the modules' sources for DKMS.

PACKAGING := tools/packaging
UNITS := tools/slurm/liquid-job.service $(wildcard $(PACKAGING)/systemd/*.service) \
	 $(wildcard $(PACKAGING)/systemd/*.timer)
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERS = $(DESTDIR)$(PREFIX)/lib/sysusers.d/liquid.conf

# None is enabled: see Documentation/operations.rst.
install-units:
	$(Q)install -d $(DESTDIR)$(UNITDIR) && for unit in $(UNITS); do \
		place=$(DESTDIR)$(UNITDIR)/$${unit##*/} && \
		sed -e 's|/usr/local/bin/|$(BINDIR)/|' \
			-e 's|/etc/liquid/|$(SYSCONFDIR)/liquid/|' $$unit >$$place && \
			chmod 644 $$place || exit; done
	$(Q)install -D -m 644 $(PACKAGING)/systemd/liquid.sysusers $(SYSUSERS)

uninstall-units:
	$(Q)rm -f $(patsubst %,$(DESTDIR)$(UNITDIR)/%,$(notdir $(UNITS))) $(SYSUSERS)
.PHONY: install-units uninstall-units

# $(1): name of the package, $(2): directories that it is built of
define install_sources
	$(call say,INSTALL,$(DESTDIR)/usr/src/$(1)-$(VERSION))
	$(Q)place=$(DESTDIR)/usr/src/$(1)-$(VERSION) && find Kbuild $(2) -type f ! -name '.*' \
		! -name '*.mk' -exec sh -c 'place=$$1 && shift && for file; do \
		install -D -m 644 "$$file" "$$place/$$file" || exit; done' sh "$$place" {} + && \
		sed 's/#MODULE_VERSION#/$(VERSION)/' $(PACKAGING)/dkms/$(1).conf \
		>"$$place/dkms.conf" && chmod 644 "$$place/dkms.conf"
endef

install-dkms:	## install the module's source for DKMS (DESTDIR)
	$(call install_sources,liquid,kmod uapi)
install-lab-dkms:
	$(call install_sources,liquid-lab,kmod uapi tools/lab/kmod tools/lab/uapi)
uninstall-dkms:
	$(Q)rm -rf $(DESTDIR)/usr/src/liquid-$(VERSION) $(DESTDIR)/usr/src/liquid-lab-$(VERSION)
.PHONY: install-dkms install-lab-dkms uninstall-dkms

deb:	## Debian packages of the last commit, source and binary
	$(Q)B=$(B) $(PACKAGING)/deb
rpm:	## RPM packages of the last commit (on Debian RPMBUILD=--nodeps)
	$(Q)B=$(B) $(PACKAGING)/rpm $(RPMBUILD)
.PHONY: deb rpm

check-packages: deps	## the packages, in fresh roots and guests (with check-long)
	$(Q)tools/deps/install packages
	+$(Q)$(MAKE) --no-print-directory $(JOBS) GUEST_KERNELS=6.1 guest
	$(Q)B=$(B) $(PACKAGING)/deb
	$(Q)B=$(B) PACKAGES=$(abspath $(B))/deb GUEST_KERNELS=6.1 \
		selftests/run.sh packages-root packages-boot packages-slurm
.PHONY: check-packages

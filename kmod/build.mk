# SPDX-License-Identifier: GPL-2.0-only
# liquid.ko and the lab's liquid_lab.ko, for the kernels of the guest, and for the running kernel if
# its headers are installed.
#
# Kbuild builds in place, so each kernel gets a mirror of the sources: links in $(B)/kmod-KERNEL.

# The kernels of the guest; `make GUEST_KERNELS=` builds for the running one alone.
GUEST_KERNELS ?= $(if $(shell command -v apt-get),6.1 6.12)
# The headers of the kernel to build and install for.
KDIR ?= /lib/modules/$(shell uname -r)/build

KMOD_SRC := $(wildcard Kbuild) $(shell find kmod uapi tools/lab/kmod tools/lab/uapi -type f \
	! -name '.*' ! -name '*.mk')
HOST_MODULE := $(if $(wildcard $(KDIR)/Makefile),$(B)/kmod-host/liquid.ko)
GUEST_MODULES := $(GUEST_KERNELS:%=$(B)/kmod-%/liquid.ko)
# Both come out of one run of Kbuild; the rules name the first.
BUILT_MODULES := kmod/liquid.ko tools/lab/kmod/liquid_lab.ko

modules: $(HOST_MODULE) $(GUEST_MODULES)	## build the modules for this kernel and the guest's
	$(if $(HOST_MODULE),,@echo "  note: no headers in $(KDIR):" \
		"no module is built for the running kernel")
.PHONY: modules

$(B)/kernels/%: | tools/guest/fetch-kernel
	$(call say,KERNEL,$@)
	@mkdir -p $(@D)
	$(Q)kernel=$$(tools/guest/fetch-kernel $*) && ln -sfn "$$kernel" $@

.PRECIOUS: $(B)/kernels/%

# $(1): directory of the mirror. Sources that are gone must go from the mirror too.
define mirror
	$(Q)mkdir -p $(1)
	$(Q)find $(1) -type l -delete
	$(Q)for file in $(KMOD_SRC); do \
		mkdir -p $(1)/$$(dirname $$file) && \
		ln -s "$(CURDIR)/$$file" $(1)/$$file || exit; done
endef

# Module BTF needs pahole and a vmlinux next to the headers; no part of this module uses it.
# $(1): `make -C KERNEL-HEADERS`, $(2): mirror, $(3): more arguments
kbuild = +$(Q)$(1) --no-print-directory $(if $(V),V=1,-s) M=$(abspath $(2)) W=1 \
	CONFIG_DEBUG_INFO_BTF_MODULES= $(3) modules

$(B)/kmod-host/liquid.ko: $(KMOD_SRC)
	$(call say,KBUILD,$@)
	$(call mirror,$(@D))
	$(call kbuild,$(MAKE) -C $(KDIR),$(@D))
	$(Q)cp $(BUILT_MODULES:%=$(@D)/%) $(@D)

# The guest's compiler is known, so there a warning is an error.
$(B)/kmod-%/liquid.ko: $(KMOD_SRC) $(B)/kernels/%
	$(call say,KBUILD,$@)
	$(call mirror,$(@D))
	$(call kbuild,MAKE='$(MAKE)' tools/guest/kernel-make $(B)/kernels/$*,$(@D),KCFLAGS=-Werror)
	$(Q)cp $(BUILT_MODULES:%=$(@D)/%) $(@D)

# The release that KDIR builds for; Debian's kernel.release says the upstream version instead.
HOST_RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h)
MODULE_PLACE = $(DESTDIR)/lib/modules/$(HOST_RELEASE)/updates

# Where the kernel refuses the module the rest is installed nevertheless: it may want a signature.
LOADED ?= /sys/module
define load_module
	if [ "$$(uname -r)" != $(HOST_RELEASE) ]; then :; \
	elif [ -e $(LOADED)/liquid ]; then \
		echo "  note: another liquid.ko is loaded, and stays so until" \
			"'modprobe -r liquid; modprobe liquid'"; \
	else \
		modprobe liquid || echo "  note: liquid.ko is installed, but this kernel" \
			"does not load it (above)"; \
	fi
endef
# $(1): a module
define unload_module
	[ ! -e $(LOADED)/$(1) ] || modprobe -r $(1) || \
		echo "  note: $(1).ko is in use, and stays loaded until it is not and" \
			"'modprobe -r $(1)'"
endef

ifneq ($(HOST_MODULE),)
define install_module
	$(call say,INSTALL,$(MODULE_PLACE)/$(1).ko)
	$(Q)install -D -m 644 $(dir $(HOST_MODULE))$(1).ko $(MODULE_PLACE)/$(1).ko
	$(Q)depmod $(if $(DESTDIR),-b $(DESTDIR)) $(HOST_RELEASE)
endef
define uninstall_module
	$(if $(DESTDIR),,$(Q)$(call unload_module,$(1)))
	$(Q)rm -f $(MODULE_PLACE)/$(1).ko
	$(Q)depmod $(if $(DESTDIR),-b $(DESTDIR)) $(HOST_RELEASE)
endef
else
define install_module
	@echo "install: no kernel headers in $(KDIR): install linux-headers-$$(uname -r)," \
		"or state KDIR=; 'make install-user' installs the userspace alone" >&2
	@exit 1
endef
endif

install-module: $(HOST_MODULE)
	$(call install_module,liquid)
	$(if $(DESTDIR),,$(Q)$(load_module))
uninstall-module:
	$(call uninstall_module,liquid)
.PHONY: install-module uninstall-module

# sparse's findings in the module's own files; the kernel's headers have findings too. It looks
# where the module was built, with the same options, so nothing is compiled again.
sparse: $(GUEST_KERNELS:%=sparse-%)	## look for address space, endian and lock faults
sparse-%: $(B)/kmod-%/liquid.ko
	$(call say,SPARSE,kmod for $*)
	$(call kbuild,MAKE='$(MAKE)' tools/guest/kernel-make $(B)/kernels/$*,$(B)/kmod-$*,\
		KCFLAGS=-Werror C=2 CF="-D__CHECK_ENDIAN__") >$(B)/sparse-$*.log 2>&1 || \
		{ cat $(B)/sparse-$*.log >&2; exit 1; }
	$(Q)! grep -E 'kmod/[^:]*:[0-9:]+ *(warning|error)' $(B)/sparse-$*.log >&2
.PHONY: sparse

# Left out: names of the kernel's own (struct Qdisc), texts for users that are split behind their
# first half where a line would be too long, and the layout of the kernel's own trace headers.
CHECKPATCH_IGNORE := --ignore CAMELCASE,SPLIT_STRING
CHECKPATCH_TRACE_IGNORE := --ignore OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT
checkpatch_files = "$$checkpatch" --no-tree --strict --terse --show-types \
	$(CHECKPATCH_IGNORE) $(1) --file

checkpatch:	## the kernel's style check over the module, from Debian's linux-source
	$(Q)checkpatch=$$(tools/deps/fetch-checkpatch) && \
	$(call checkpatch_files,) $(filter-out %/trace.h,$(filter %.c %.h,$(KMOD_SRC))) && \
	$(call checkpatch_files,$(CHECKPATCH_TRACE_IGNORE)) $(filter %/trace.h,$(KMOD_SRC))
.PHONY: checkpatch

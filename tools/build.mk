# SPDX-License-Identifier: GPL-2.0-only
# The guest: a machine of qemu's with Debian's kernel, in which the module is tried.

GUEST_IMAGES := $(GUEST_KERNELS:%=$(B)/guest/base-%.cpio)

$(B)/guest/base-%.cpio: tools/guest/make-image tools/guest/copy-program tools/guest/init \
			tools/guest/modules tools/guest/programs | $(B)/kernels/%
	$(call say,IMAGE,$@)
	@mkdir -p $(@D)
	$(Q)tools/guest/make-image $$(readlink $(B)/kernels/$*) $@

guest: $(GUEST_IMAGES) $(GUEST_MODULES) $(B)/liquid-nl guest-programs	## build what the guest needs (tools/guest/run)
.PHONY: guest

bench-gate: guest	## what the gate costs a packet, beside other qdiscs (deterministic guest)
	$(Q)B=$(B) tools/bench/gate $(if $(KERNEL),--kernel $(KERNEL))
.PHONY: bench-gate

check-fresh:	## run `make demo` and `make check` on a clean clone in a fresh Debian 12 root
	$(Q)tools/check-fresh
.PHONY: check-fresh

# SPDX-License-Identifier: GPL-2.0-only
# The lab: liquid-lab and its installation. Its module is built by kmod/build.mk, beside liquid.ko.

LAB := tools/lab
LAB_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard $(LAB)/tool/*.c))
ROUTE_CFLAGS := $(shell pkg-config --cflags libnl-route-3.0 2>/dev/null || \
	echo -I/usr/include/libnl3)
ROUTE_LIBS := $(shell pkg-config --libs libnl-route-3.0 2>/dev/null || echo -lnl-route-3 -lnl-3)
LAB_PAGE = $(call man_place,$(LAB)/liquid-lab.8)

lab: $(B)/liquid-lab	## build liquid-lab, the fabric without hardware
.PHONY: lab

$(B)/$(LAB)/tool/%.o: $(LAB)/tool/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# What liquid-nl is made of, of which the linker takes what liquid-lab calls.
$(B)/liquid-nl.a: $(filter-out %/main.o,$(NL_OBJ)) $(TOOL_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^

$(B)/$(LAB)/tool/net.o: USER_CPPFLAGS += $(ROUTE_CFLAGS)
$(B)/liquid-lab: $(LAB_OBJ) $(B)/liquid-nl.a $(B)/libliquidsched.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(ENGINE_LIBS) $(TOOL_LIBS) $(ROUTE_LIBS) -o $@

guest: $(B)/liquid-lab

install-lab: install-lab-module install-lab-tool	## install the lab: module, tool, man page

install-lab-tool: $(B)/liquid-lab
	$(call say,INSTALL,liquid-lab in $(DESTDIR)$(PREFIX))
	$(Q)install -D -m 755 $< $(DESTDIR)$(BINDIR)/liquid-lab
	$(Q)install -D -m 644 $(LAB)/liquid-lab.8 $(LAB_PAGE)
	$(Q)install -D -m 644 tools/completion/liquid.bash $(DESTDIR)$(COMPLETION)/liquid-lab

uninstall-lab:	## remove what install-lab has put in place
	$(call uninstall_module,liquid_lab)
	$(Q)rm -f $(DESTDIR)$(BINDIR)/liquid-lab $(LAB_PAGE) $(DESTDIR)$(COMPLETION)/liquid-lab

install-lab-module: $(HOST_MODULE)
	$(call install_module,liquid_lab)
.PHONY: install-lab install-lab-tool install-lab-module uninstall-lab

-include $(wildcard $(B)/$(LAB)/tool/*.d)

# SPDX-License-Identifier: GPL-2.0-only
# libliquidsched, liquid and liquid-nl: every .c file of user/engine, user/liquid and
# user/liquid-nl. Both programs are linked with what is in user/tool.

CC ?= gcc
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
	    -Wpointer-arith -Wwrite-strings -Wvla
ENGINE_CPPFLAGS := -D_GNU_SOURCE -DLIQUID_VERSION='"$(VERSION)"' -Iuser/engine -Iuser -I$(B)/gen
# Tests and instruments see all headers, a program its own, those of both and liquidsched.h.
PROGRAM_CPPFLAGS := $(filter-out -I%,$(ENGINE_CPPFLAGS)) -Iuser/tool -Iuser/base -Iuapi \
		    -Iuser/engine
USER_CPPFLAGS := $(ENGINE_CPPFLAGS) -Iuapi -Itools/lab/uapi -Iuser/tool -Iuser/base \
		 -Iuser/liquid-nl -Iuser/liquid
# Without contraction: a processor with fused multiply-add computes the same to the last bit.
# And without the x87, whose numbers have more bits than a double.
X86_32 := $(filter i386-% i486-% i586-% i686-%,$(shell $(CC) -dumpmachine))
USER_CFLAGS := -std=gnu11 -ffp-contract=off $(if $(X86_32),-msse2 -mfpmath=sse) $(WARNINGS)
ENGINE_LIBS := $(shell pkg-config --libs jansson nettle 2>/dev/null || \
	echo -ljansson -lnettle) -lm -pthread
TOOL_LIBS := $(shell pkg-config --libs libmnl 2>/dev/null || echo -lmnl)

# What all programs and the library need: errors, names, lists of hosts
BASE_SRC := $(shell find user/base -name '*.c' | LC_ALL=C sort)
ENGINE_SRC := $(BASE_SRC) $(shell find user/engine -name '*.c' | LC_ALL=C sort)
TOOL_SRC := $(shell find user/tool -name '*.c' | LC_ALL=C sort)
LIQUID_SRC := $(shell find user/liquid -name '*.c' | LC_ALL=C sort)
NL_SRC := $(shell find user/liquid-nl -name '*.c' | LC_ALL=C sort)
BASE_OBJ := $(BASE_SRC:%.c=$(B)/%.o)
ENGINE_OBJ := $(ENGINE_SRC:%.c=$(B)/%.o)
ENGINE_ASAN_OBJ := $(ENGINE_SRC:%.c=$(B)/asan/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/%.o)
LIQUID_OBJ := $(LIQUID_SRC:%.c=$(B)/%.o)
NL_OBJ := $(NL_SRC:%.c=$(B)/%.o)
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# The engine includes no header of the tool or the kernel, and exports what liquidsched.h declares.
ENGINE_PATTERNS := $(B)/user/base/%.o $(B)/user/engine/%.o \
	$(B)/asan/user/engine/%.o $(B)/fuzz/user/engine/%.o
$(ENGINE_PATTERNS): USER_CPPFLAGS := $(ENGINE_CPPFLAGS)
$(B)/user/base/%.o $(B)/user/engine/%.o: USER_CFLAGS += -fvisibility=hidden
objects_of = $(foreach kind,/ /asan/ /fuzz/,$(B)$(kind)user/$(1)/%.o)
$(call objects_of,tool): USER_CPPFLAGS := $(PROGRAM_CPPFLAGS)
$(call objects_of,liquid): USER_CPPFLAGS := -Iuser/liquid $(PROGRAM_CPPFLAGS)
$(call objects_of,liquid-nl): USER_CPPFLAGS := -Iuser/liquid-nl $(PROGRAM_CPPFLAGS)

# The script and the style of a page, as strings of C
$(B)/gen/page/%.inc: user/engine/page/%
	$(call say,INC,$@)
	@mkdir -p $(@D)
	$(Q)sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $< >$@
$(foreach kind,/ /asan/ /fuzz/,$(B)$(kind)user/engine/page/html.o): $(B)/gen/page/page.js.inc \
	$(B)/gen/page/page.css.inc

LIBRARY := $(B)/libliquidsched.so $(B)/libliquidsched.a
PROGRAMS := $(B)/liquid $(B)/liquid-nl
user: $(PROGRAMS) $(LIBRARY)	## build liquid, liquid-nl and libliquidsched
.PHONY: user

$(B)/user/%.o: user/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) -fPIC $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/asan/user/%.o: user/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(ASAN) -O1 -g -MMD -MP -c $< -o $@

$(B)/libliquidsched.a: $(ENGINE_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^

$(B)/libliquidsched-asan.a: $(ENGINE_ASAN_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^

$(B)/libliquidsched.so: $(ENGINE_OBJ) user/liquidsched.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libliquidsched.so.$(SOVERSION) \
		-Wl,--version-script=user/liquidsched.map -Wl,--no-undefined $(LDFLAGS) \
		$(ENGINE_OBJ) $(ENGINE_LIBS) -o $@

$(B)/liquid-tool.a: $(TOOL_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^

# liquid-nl has nothing of the engine: it asks liquid, which runs without privileges.
$(B)/liquid: $(LIQUID_OBJ) $(B)/liquid-tool.a $(B)/libliquidsched.a
$(B)/liquid-nl: $(NL_OBJ) $(BASE_OBJ) $(B)/liquid-tool.a
$(B)/liquid-nl: ENGINE_LIBS := $(filter-out -pthread,$(ENGINE_LIBS)) $(TOOL_LIBS)
$(PROGRAMS):
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(ENGINE_LIBS) -o $@

# Directories of `make install`, below DESTDIR.
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
COMPLETION ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETION ?= $(PREFIX)/share/fish/vendor_completions.d
# In a PREFIX within the user's home: nothing outside of it is written.
IN_HOME := $(and $(filter-out /,$(HOME)),$(filter $(HOME)/%,$(PREFIX)))
# The tool reads /etc/liquid/liquid.conf; a sample is installed beside it.
SYSCONFDIR ?= $(if $(IN_HOME),$(PREFIX)/etc,/etc)
LIBEXECDIR ?= $(PREFIX)/libexec
SLURM_SCRIPTS := prolog epilog prolog-slurmctld epilog-slurmctld taskprolog health-check \
	restore-gate
SLURM_PLACE = $(DESTDIR)$(LIBEXECDIR)/liquid/slurm
# The uapi header is not installed in include/linux, which belongs to the kernel.
WIRE_HEADER = $(DESTDIR)$(INCLUDEDIR)/liquid/netlink.h
SAMPLE = $(DESTDIR)$(SYSCONFDIR)/liquid/liquid.conf.sample
# Alert rules and a dashboard, which are copied to where Prometheus and Grafana read them
METRICS := liquid-alerts.yml liquid-dashboard.json
METRICS_PLACE = $(DESTDIR)$(PREFIX)/share/liquid/metrics
EXAMPLES_PLACE = $(DESTDIR)$(PREFIX)/share/doc/liquid/examples
SOVERSION := 0
PC_PLACE = $(DESTDIR)$(LIBDIR)/pkgconfig
# Directories below PREFIX are written relative to it, so that pkg-config can replace the prefix.
below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
MAN_PAGES := $(wildcard Documentation/man/*.[1-8])
COMMAND_PAGES = $(DESTDIR)$(MANDIR)/man
man_place = $(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))

# Pages of the commands, from the tables of their options
$(B)/man/made: $(PROGRAMS)
	$(call say,MAN,$(@D))
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && \
		for program in $(PROGRAMS); do $$program pages $(@D) || exit; done && touch $@

install-user: user $(B)/man/made install-scripts install-units
	$(call say,INSTALL,liquid liquid-nl libliquidsched in $(DESTDIR)$(PREFIX))
	$(Q)install -D -m 755 -t $(DESTDIR)$(BINDIR) $(PROGRAMS)
	$(Q)install -D -m 755 $(B)/libliquidsched.so \
		$(DESTDIR)$(LIBDIR)/libliquidsched.so.$(VERSION)
	$(Q)ln -sf libliquidsched.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libliquidsched.so.$(SOVERSION)
	$(Q)ln -sf libliquidsched.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libliquidsched.so
	$(Q)install -D -m 644 $(B)/libliquidsched.a $(DESTDIR)$(LIBDIR)/libliquidsched.a
	$(Q)install -d $(PC_PLACE) && sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@LIBDIR@|$(call below_prefix,$(LIBDIR))|' \
		-e 's|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' user/liquidsched.pc.in \
		>$(PC_PLACE)/liquidsched.pc && chmod 644 $(PC_PLACE)/liquidsched.pc
	$(Q)install -D -m 644 user/engine/liquidsched.h $(DESTDIR)$(INCLUDEDIR)/liquidsched.h
	$(Q)install -D -m 644 uapi/linux/liquid.h $(WIRE_HEADER)
	$(Q)$(foreach name,liquid liquid-nl,install -D -m 644 tools/completion/liquid.bash \
		$(DESTDIR)$(COMPLETION)/$(name) && install -D -m 644 \
		tools/completion/liquid.fish $(DESTDIR)$(FISH_COMPLETION)/$(name).fish &&) :
	$(Q)install -D -m 644 -t $(DESTDIR)$(ZSH_COMPLETION) tools/completion/_liquid
	$(Q)$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) $(call man_place,$(page)) &&) :
	$(Q)install -D -m 644 -t $(COMMAND_PAGES)1 $(B)/man/*.1
	$(Q)install -D -m 644 -t $(COMMAND_PAGES)8 $(B)/man/*.8
	$(Q)install -D -m 644 tools/slurm/liquid.conf $(SAMPLE)
	$(Q)install -D -m 644 -t $(METRICS_PLACE) $(METRICS:%=tools/metrics/%)
	$(Q)install -D -m 644 -t $(EXAMPLES_PLACE) user/examples/*
	$(if $(DESTDIR)$(IN_HOME),,$(Q)[ "$$(id -u)" != 0 ] || ldconfig)

# The scripts for Slurm call the tool and read the configuration that are installed with them.
# liquid-sbatch is for users: it lies beside the tool.
install-scripts:
	$(Q)install -d $(DESTDIR)$(BINDIR) && sed 's|:-/etc/liquid/|:-$(SYSCONFDIR)/liquid/|' \
		tools/slurm/liquid-sbatch >$(DESTDIR)$(BINDIR)/liquid-sbatch && \
		chmod 755 $(DESTDIR)$(BINDIR)/liquid-sbatch
	$(Q)install -d $(SLURM_PLACE) && for script in $(SLURM_SCRIPTS); do \
		sed -e 's|^export PATH=|&$(BINDIR):|' \
			-e 's|:-/etc/liquid/|:-$(SYSCONFDIR)/liquid/|' \
			tools/slurm/$$script >$(SLURM_PLACE)/$$script && \
			chmod 755 $(SLURM_PLACE)/$$script || exit; done
.PHONY: install-user install-scripts

uninstall-user: uninstall-units
	$(Q)rm -f $(addprefix $(DESTDIR)$(BINDIR)/,liquid liquid-nl liquid-sbatch) \
		$(DESTDIR)$(LIBDIR)/libliquidsched.so* \
		$(DESTDIR)$(LIBDIR)/libliquidsched.a $(PC_PLACE)/liquidsched.pc \
		$(DESTDIR)$(INCLUDEDIR)/liquidsched.h $(WIRE_HEADER) \
		$(addprefix $(DESTDIR)$(COMPLETION)/,liquid liquid-nl) \
		$(addprefix $(DESTDIR)$(FISH_COMPLETION)/,liquid.fish liquid-nl.fish) \
		$(DESTDIR)$(ZSH_COMPLETION)/_liquid \
		$(foreach page,$(MAN_PAGES),$(call man_place,$(page))) \
		$(COMMAND_PAGES)1/liquid.1 \
		$(COMMAND_PAGES)1/liquid-*.1 $(COMMAND_PAGES)8/liquid-nl-*.8 \
		$(SLURM_SCRIPTS:%=$(SLURM_PLACE)/%) $(SAMPLE) \
		$(METRICS:%=$(METRICS_PLACE)/%) \
		$(addprefix $(EXAMPLES_PLACE)/,$(notdir $(wildcard user/examples/*)))
.PHONY: uninstall-user

-include $(shell find $(B)/user $(B)/asan -name '*.d' 2>/dev/null)

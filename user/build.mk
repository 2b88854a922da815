# SPDX-License-Identifier: GPL-2.0-only
# libliquid and liquid-nl. Every .c file of user/engine and user/liquid-nl belongs to them.

CC ?= gcc
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith \
	    -Wwrite-strings -Wvla
USER_CPPFLAGS := -D_GNU_SOURCE -DLIQUID_VERSION='"$(VERSION)"' -Iuapi -Iuser/engine
USER_CFLAGS := -std=gnu11 $(WARNINGS)
ENGINE_LIBS := $(shell pkg-config --libs jansson nettle 2>/dev/null || echo -ljansson -lnettle) -lm
TOOL_LIBS := $(shell pkg-config --libs libmnl 2>/dev/null || echo -lmnl)

ENGINE_SRC := $(wildcard user/engine/*.c)
TOOL_SRC := $(wildcard user/liquid-nl/*.c)
ENGINE_OBJ := $(ENGINE_SRC:%.c=$(B)/%.o)
ENGINE_ASAN_OBJ := $(ENGINE_SRC:%.c=$(B)/asan/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/%.o)
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

user: $(B)/liquid-nl $(B)/libliquid.so $(B)/libliquid.a $(B)/libliquid.pc	## build liquid-nl and libliquid
.PHONY: user

$(B)/user/%.o: user/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) -fPIC $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/asan/user/%.o: user/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(CPPFLAGS) $(USER_CFLAGS) $(ASAN) -O1 -g -MMD -MP -c $< -o $@

$(B)/libliquid.a: $(ENGINE_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/libliquid-asan.a: $(ENGINE_ASAN_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/libliquid.so: $(ENGINE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libliquid.so.0 $(LDFLAGS) $^ $(ENGINE_LIBS) -o $@

$(B)/liquid-nl: $(TOOL_OBJ) $(B)/libliquid.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(ENGINE_LIBS) $(TOOL_LIBS) -o $@

$(B)/libliquid.pc: user/libliquid.pc.in
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

-include $(shell find $(B)/user $(B)/asan -name '*.d' 2>/dev/null)

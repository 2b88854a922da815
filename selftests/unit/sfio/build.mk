# SPDX-License-Identifier: GPL-2.0-only
# What the tests of libliquid-sfio's parts without MPI are made of; see selftests/unit/tool.

sfio_obj = $(call unit_obj,$(addprefix user/sfio/,$(1)))
SFIO_TEST_OBJ := $(patsubst %,$(B)/asan/%.o,user/sfio/% selftests/unit/sfio/%)
$(SFIO_TEST_OBJ): private UNIT_CPPFLAGS += -Iuser/sfio
$(SFIO_TEST_OBJ): private USER_CPPFLAGS += -Iuser/sfio

$(UNIT)/sfio/test-sfio-layout: $(call sfio_obj,layout/layout layout/name)
$(UNIT)/sfio/test-sfio-merge: $(call sfio_obj,layout/layout cache/piece cache/merge cache/cache)
$(UNIT)/sfio/test-sfio-gather: $(call sfio_obj,listener/serve listener/gather listener/access \
	listener/files wire/patience)

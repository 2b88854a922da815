# SPDX-License-Identifier: GPL-2.0-only
# The tests of the fabric's model: the module's own files, with the kernel's headers stood in for.

FABRIC_TESTS := $(B)/$(LAB_TESTS)/unit/test-fabric-model $(B)/$(LAB_TESTS)/unit/test-simulate-driver
$(FABRIC_TESTS): $(addprefix tools/lab/kmod/,model.c wormhole.c buffered.c deadlock.c event.c)
$(FABRIC_TESTS): USER_CPPFLAGS += -Itools/lab/kmod -Iselftests/unit/kmod -Iselftests/unit/engine

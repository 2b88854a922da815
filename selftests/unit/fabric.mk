# SPDX-License-Identifier: GPL-2.0-only
# The test of the fabric's model: the module's own files, with the kernel's headers stood in for.

$(UNIT)/test-fabric-model: $(addprefix kmod/fabric/,model.c wormhole.c buffered.c deadlock.c event.c)
$(UNIT)/test-fabric-model: USER_CPPFLAGS += -Iselftests/unit/kernel

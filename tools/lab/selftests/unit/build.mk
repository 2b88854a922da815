# SPDX-License-Identifier: GPL-2.0-only
# The tests of the fabric's model: the module's own files, with the kernel's headers stood in for.

LAB_UNIT := $(B)/$(LAB_TESTS)/unit/test-lab-model $(B)/$(LAB_TESTS)/unit/test-simulate-driver
$(LAB_UNIT): $(call unit_obj,$(addprefix tools/lab/kmod/,model wormhole buffered deadlock event))

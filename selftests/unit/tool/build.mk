# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the tool's pure parts are made of: the tool is not a library.
# $(UNIT): where the tests are built; $(call unit_obj,FILE...): objects of sources without `.c`.

nl = $(call unit_obj,$(patsubst %.c,%,$(wildcard $(foreach part,$(1),user/*/$(part).c))))
NL_WIRE := $(call nl,net/attrs gate/attrs gate/encode gate/decode util/addr-map util/units)

$(UNIT)/tool/test-units: $(call nl,util/units)
$(UNIT)/tool/test-addr-map: $(call nl,util/addr-map util/units)
$(UNIT)/tool/test-guard: $(call nl,gate/guard push/base-time)
$(UNIT)/tool/test-plan: $(call nl,push/take util/gate-frames push/dest-ids) $(NL_WIRE)
$(UNIT)/tool/test-encode: $(call nl,gate/select gate/rules) $(NL_WIRE)
$(UNIT)/tool/test-netlink: $(call nl,net/netlink gate/client gate/events) $(NL_WIRE)
$(UNIT)/tool/test-clock: $(call nl,$(addprefix clock/,kernel ptp chrony judge phc) util/units)
$(UNIT)/tool/test-say: $(call nl,util/say)
$(UNIT)/tool/test-prometheus: \
	$(call nl,show/stats-prometheus show/prometheus show/stats-rate gate/times \
	gate/label) $(NL_WIRE)
$(UNIT)/tool/test-times: $(call nl,gate/times util/units)
NL_OPT := $(call nl,util/opt)
$(UNIT)/tool/test-opt: $(NL_OPT) $(call nl,util/units)
$(UNIT)/tool/test-conf: $(call nl,job/conf gate/select gate/rules) $(NL_OPT) $(NL_WIRE)
$(UNIT)/tool/test-trial: $(call nl,trial/plan gate/guard util/units)
$(UNIT)/tool/test-ask: $(call nl,ask/ask util/open)

# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the tool's pure parts are made of: the tool is no library.
# $(UNIT): where the tests are built; $(NL): the tool's sources.

NL_WIRE := $(NL)/net/attrs.c $(NL)/gate/attrs.c $(NL)/gate/encode.c $(NL)/gate/decode.c \
	   $(NL)/net/addr-map.c $(NL)/util/units.c

$(UNIT)/tool/test-units: $(NL)/util/units.c
$(UNIT)/tool/test-addr-map: $(NL)/net/addr-map.c $(NL)/util/units.c
$(UNIT)/tool/test-guard: $(NL)/gate/guard.c $(NL)/clock/base-time.c
$(UNIT)/tool/test-plan: $(NL)/push/fold.c $(NL)/gate/dest-ids.c $(NL)/util/nearest.c $(NL_WIRE)
$(UNIT)/tool/test-encode: $(NL)/gate/select.c $(NL)/gate/rules.c $(NL_WIRE)
$(UNIT)/tool/test-netlink: $(NL)/net/netlink.c $(NL)/gate/client.c $(NL)/gate/events.c $(NL_WIRE)
$(UNIT)/tool/test-clock: $(NL)/clock/kernel.c $(NL)/clock/ptp.c $(NL)/clock/chrony.c $(NL)/clock/judge.c \
			$(NL)/clock/phc.c $(NL)/util/units.c
$(UNIT)/tool/test-say: $(NL)/util/say.c
$(UNIT)/tool/test-prometheus: $(NL)/show/stats-prometheus.c $(NL)/show/stats-rate.c $(NL)/gate/times.c $(NL_WIRE)
$(UNIT)/tool/test-times: $(NL)/gate/times.c $(NL)/util/units.c
NL_OPT := $(NL)/util/opt.c $(NL)/util/nearest.c

$(UNIT)/tool/test-opt: $(NL_OPT) $(NL)/util/units.c
$(UNIT)/tool/test-conf: $(NL)/job/conf.c $(NL)/gate/select.c $(NL)/gate/rules.c $(NL_OPT) $(NL_WIRE)

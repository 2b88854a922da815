# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the tool's pure parts are made of: the tool is no library.
# $(UNIT): where the tests are built; $(NL): the tool's sources.

NL_WIRE := $(NL)/attrs.c $(NL)/gate-attrs.c $(NL)/gate-encode.c $(NL)/gate-decode.c \
	   $(NL)/addr-map.c $(NL)/units.c

$(UNIT)/test-nl-units: $(NL)/units.c
$(UNIT)/test-nl-addr-map: $(NL)/addr-map.c $(NL)/units.c
$(UNIT)/test-nl-guard: $(NL)/guard.c $(NL)/base-time.c
$(UNIT)/test-nl-plan: $(NL)/push-fold.c $(NL)/dest-ids.c $(NL)/nearest.c $(NL_WIRE)
$(UNIT)/test-nl-encode: $(NL)/gate-select.c $(NL)/gate-rules.c $(NL_WIRE)
$(UNIT)/test-nl-netlink: $(NL)/netlink.c $(NL)/gate-client.c $(NL)/gate-events.c $(NL_WIRE)
$(UNIT)/test-nl-clock: $(NL)/clock-kernel.c $(NL)/clock-ptp.c $(NL)/clock-chrony.c $(NL)/clock-judge.c \
			$(NL)/clock-phc.c $(NL)/units.c
$(UNIT)/test-nl-say: $(NL)/say.c
$(UNIT)/test-nl-prometheus: $(NL)/stats-prometheus.c $(NL)/stats-rate.c $(NL)/times.c $(NL_WIRE)
$(UNIT)/test-nl-times: $(NL)/times.c $(NL)/units.c
$(UNIT)/test-nl-conf: $(NL)/conf.c $(NL)/gate-select.c $(NL)/gate-rules.c $(NL_WIRE)

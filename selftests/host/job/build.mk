# SPDX-License-Identifier: GPL-2.0-only
# Many nodes of the service of jobs in one process, for selftests/host/job/serve-load.sh.

JOB_TESTS := $(B)/selftests/host/job/nodes
$(JOB_TESTS): selftests/host/job/nodes.c $(B)/liquid-nl.a $(B)/libliquidsched.a
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(USER_CPPFLAGS) $(USER_CFLAGS) -O2 -MMD -MP -MF $@.d \
		$(filter %.c %.a,$^) $(ENGINE_LIBS) $(TOOL_LIBS) -o $@

job-tests: $(JOB_TESTS)
check-build: job-tests
check-jobs: user job-tests	## as many nodes as a service of jobs takes, 4,096
	$(Q)B=$(abspath $(B)) selftests/host/job/serve-load.sh 4096
.PHONY: job-tests check-jobs
-include $(JOB_TESTS:%=%.d)

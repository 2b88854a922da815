// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl doctor: all possible faults in the requirements of jobs, and how to fix them. */
#include "cmd/cmd.h"
#include "doctor/doctor.h"

struct doctor_args {
	struct doctor doctor;
	bool json;
};

#define MEMBER(member) OPT_MEMBER(struct doctor_args, member)
#define LIMIT_NS UINT64_C(5000000000)

static const struct opt doctor_opts[] = {
	{ "node", 0, KIND_TEXT, MEMBER(doctor.job.node), .value = "NAME",
	  .help = "this machine is the node NAME: check its gate and clock too" },
	{ "job-user", 0, KIND_TEXT, MEMBER(doctor.user), .value = "USER",
	  .help = "and what jobs of this user can read there" },
	{ "time-limit", 0, KIND_TIME, MEMBER(doctor.limit_ns), .min = 10000000,
	  .max = 600000000000, .value = "TIME",
	  .help = "of each check, 5s by default; all but the first run at once" },
	OPT_JSON(struct doctor_args),
	{ "config", 0, KIND_TEXT, MEMBER(doctor.job.conf_path), .value = "FILE",
	  .help = "by default " CONF_PATH },
	{ 0 }
};

static int run_doctor(int argc, char **argv)
{
	struct doctor_args args = { .doctor = {
		.job = { .conf_path = CONF_PATH, .store = { .fd = -1 }, .user = JOB_NO_USER,
			 .clock = CLOCK_ASKER_CLOSED },
		.limit_ns = LIMIT_NS,
	} };
	struct findings *findings[CHECKS_MAX];
	int code = take_options(argc, argv, doctor_opts, &args);

	if (!code && args.doctor.job.node && !job_name_fits(args.doctor.job.node))
		code = usage_error(argv[0], "--node: expected a node's name, got '%s'",
				   args.doctor.job.node);
	if (!code)
		code = doctor_examine(&args.doctor, findings);
	return code ? code : doctor_print(&args.doctor, findings, args.json);
}

const struct command cmd_doctor = {
	"doctor", "check the requirements of jobs, and show fixes", doctor_opts, run_doctor,
	NULL, NULL
};

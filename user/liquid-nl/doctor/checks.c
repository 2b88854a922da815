// SPDX-License-Identifier: GPL-2.0-only
/* The table of checks, and their common parts. */
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "doctor/doctor.h"

#define FILES_HANG "the file system does not answer: its server, or the network to it"

const struct check checks[] = {
	{ "user database", check_user_database, .users = false },
	{ "configuration", check_configuration, .users = true, .else_fix = FILES_HANG },
	{ "fabric", check_fabric, .users = true, .else_fix = FILES_HANG },
	{ "routes", check_routes, .users = true, .else_fix = FILES_HANG },
	{ "addresses", check_addresses, .users = true, .else_fix = FILES_HANG },
	{ "store", check_store, .users = true,
	  .else_fix = FILES_HANG ". Meanwhile no job is gated" },
	{ "slurm", check_slurm, .users = true, .else_fix = "does slurmctld answer?" },
	{ "module", check_module, .of_node = true },
	{ "gate", check_gate, .of_node = true },
	{ "guard", check_guard, .of_node = true, .users = true, .else_fix = FILES_HANG },
	{ "clock", check_clock, .of_node = true, .users = true,
	  .else_fix = "restart ptp4l or chronyd" },
	{ "processor", check_processor, .of_node = true },
	{ "user", check_job_user, .of_node = true, .of_user = true, .users = true,
	  .else_fix = FILES_HANG },
	{ 0 }
};

void find(struct doctor *doctor, enum verdict verdict, const char *fix, const char *format, ...)
{
	struct findings *findings = doctor->findings;
	struct finding *finding = &findings->finding[findings->count];
	va_list args;

	if (findings->count == FINDINGS_MAX)
		return;
	finding->verdict = verdict;
	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
	snprintf(finding->fix, sizeof(finding->fix), "%s", fix);
	findings->count++;
}

void find_said(struct doctor *doctor, enum verdict verdict, const char *fix, const char *otherwise)
{
	char line[sizeof(doctor->findings->finding[0].text)];

	find(doctor, verdict, fix, "%s", job_said_since(0, line, sizeof(line)) ? line : otherwise);
}

bool become_keeper(struct doctor *doctor, bool gates)
{
	const struct job_needs needs = { .writes = true, .gates = gates };
	struct job_keeper keeper;

	if (job_find_user(doctor->job.conf.user, &keeper) == JOB_USER_FOUND && geteuid() &&
	    geteuid() != keeper.uid) {
		find(doctor, VERDICT_UNCHECKED, "", "needs root, or user '%s' of liquid.conf",
		     doctor->job.conf.user);
		return false;
	}
	if (!job_become_keeper(&doctor->job, &needs)) {
		/* The change of user has reset it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		return true;
	}
	find_said(doctor, VERDICT_UNCHECKED, "", "cannot become the store's user");
	return false;
}

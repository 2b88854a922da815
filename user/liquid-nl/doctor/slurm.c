// SPDX-License-Identifier: GPL-2.0-only
/* What Slurm has configured, by `scontrol show config` */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <libgen.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "util/units.h"

#define FILE_MAX (64 << 10)		/* bytes of a script that are read */

/* A script of tools/slurm, and the key of slurm.conf that names it */
struct script {
	const char *key, *name;
	const char *calls;		/* what its text has, and no other's */
	bool of_node;			/* slurmd calls it, not slurmctld */
};

static const struct script scripts[] = {
	{ "PrologSlurmctld", "prolog-slurmctld", "liquid-nl job start", false },
	{ "EpilogSlurmctld", "epilog-slurmctld", "liquid-nl job end", false },
	{ "Prolog", "prolog", "liquid-nl job ready", true },
	{ "Epilog", "epilog", "liquid-nl job end", true },
};

/* ---- scripts ---- */

/* The text of a file; "" if it cannot be read. To be freed */
static char *read_text(const char *path)
{
	char *text = calloc(1, FILE_MAX + 1);
	FILE *in = fopen(path, "re");

	if (text && in)
		text[fread(text, 1, FILE_MAX, in)] = '\0';
	if (in)
		fclose(in);
	return text;
}

/* `make install` puts the scripts into libexec, near the tool; false: they are not there. */
static bool installed_path(const char *name, char *path, size_t size)
{
	char own[4096] = "";

	if (readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0)
		return false;
	dirname(own);
	return (size_t)snprintf(path, size, "%s/libexec/liquid/slurm/%s", dirname(own), name) <
	       size && !access(path, R_OK);
}

enum kinship { KIN_NONE, KIN_SAME, KIN_OTHER };

/* A script of the project's as installed, another version, or one that calls such a script */
static enum kinship kinship_of(const char *path, const struct script *script)
{
	char installed[4200], *text = read_text(path), *own = NULL;
	bool known = installed_path(script->name, installed, sizeof(installed));
	enum kinship kin = KIN_NONE;
	char called[64];

	snprintf(called, sizeof(called), "liquid/slurm/%s", script->name);
	if (text && strstr(text, script->calls)) {
		own = known ? read_text(installed) : NULL;
		kin = own && strcmp(own, text) ? KIN_OTHER : KIN_SAME;
	} else if (text && strstr(text, called)) {
		kin = KIN_SAME;
	}
	free(own);
	free(text);
	return kin;
}

/* The best of the files that @pattern names; *@there: there is one. */
static enum kinship kinship_of_all(const char *pattern, const struct script *script, bool *there)
{
	enum kinship kin = KIN_NONE;
	glob_t files;

	if (!glob(pattern, 0, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc && kin != KIN_SAME; i++) {
			enum kinship one = kinship_of(files.gl_pathv[i], script);

			*there = true;
			if (one != KIN_NONE)
				kin = one;
		}
	globfree(&files);
	return kin;
}

/* ---- the configuration ---- */

/* The lines "Key = value" of scontrol */
struct slurm_conf {
	char **line;
	size_t count;
};

/* Newer versions number the scripts of a key: "Prolog[0]". NULL: no line after *@at has the key */
static const char *next_value(const struct slurm_conf *conf, const char *key, size_t *at)
{
	size_t length = strlen(key);

	while (*at < conf->count) {
		const char *line = conf->line[(*at)++], *value = strchr(line, '=');

		if (strncmp(line, key, length) || !value ||
		    (line[length] != '[' && !isspace((unsigned char)line[length]) &&
		     line[length] != '='))
			continue;
		value += 1 + strspn(value + 1, " ");
		return strcmp(value, "(null)") ? value : "";
	}
	return NULL;
}

static const char *value_of(const struct slurm_conf *conf, const char *key)
{
	size_t at = 0;
	const char *value = next_value(conf, key, &at);

	return value ? value : "";
}

static void check_script(struct doctor *doctor, const struct slurm_conf *conf,
			 const struct script *script)
{
	enum kinship kin = KIN_NONE;
	bool there = false, named = false;
	const char *value;
	char fix[128];
	size_t at = 0;

	snprintf(fix, sizeof(fix), "%s=.../libexec/liquid/slurm/%s in slurm.conf, or a script "
		 "that calls it", script->key, script->name);
	while (kin != KIN_SAME && (value = next_value(conf, script->key, &at))) {
		enum kinship one = kinship_of_all(value, script, &there);

		named |= *value;
		kin = one == KIN_NONE ? kin : one;
	}
	if (!named)
		find(doctor, VERDICT_WRONG, fix, "slurm.conf has no %s", script->key);
	else if (!there)
		find(doctor, VERDICT_WRONG, "install the scripts on this machine too",
		     "%s: there is no %s here", script->key, value_of(conf, script->key));
	else if (kin == KIN_NONE)
		find(doctor, VERDICT_WRONG, fix, "%s: %s calls nothing of liquid's", script->key,
		     value_of(conf, script->key));
	else if (kin == KIN_OTHER)
		find(doctor, VERDICT_WARN, "name the installed script itself in slurm.conf",
		     "%s: %s differs from the script that is installed with the tool", script->key,
		     value_of(conf, script->key));
}

static void check_user_key(struct doctor *doctor, const struct slurm_conf *conf)
{
	struct job_keeper keeper;
	const char *value = value_of(conf, "SlurmUser"), *number = strchr(value, '(');

	/* "slurm(64030)" */
	if (number && job_find_user(doctor->job.conf.user, &keeper) == JOB_USER_FOUND &&
	    strtoull(number + 1, NULL, 10) != keeper.uid)
		find(doctor, VERDICT_WRONG, "the same user in both, and the store is that user's",
		     "slurmctld runs as %s, and `user` of liquid.conf is %s", value,
		     doctor->job.conf.user);
}

#define NO_LIMIT 65534			/* as scontrol shows that there is none */
#define TELL_NS UINT64_C(8000000000)	/* in which the prologue asks and informs the controller */

static void check_timeout(struct doctor *doctor, const struct slurm_conf *conf)
{
	uint64_t needed = doctor->job.conf.deadline_ns + doctor->job.conf.lead_ns +
			  TELL_NS;
	uint64_t limit = strtoull(value_of(conf, "PrologEpilogTimeout"), NULL, 10);
	char text[UNIT_TEXT];

	format_time(needed, text);
	if (!limit || limit == NO_LIMIT)
		find(doctor, VERDICT_WARN, "PrologEpilogTimeout=120 in slurm.conf, the last resort",
		     "Slurm sets prologues no limit, and one may take %s", text);
	else if (limit * 1000000000 <= needed)
		find(doctor, VERDICT_WRONG, "PrologEpilogTimeout well above that in slurm.conf",
		     "PrologEpilogTimeout is %" PRIu64 " s, and a prologue may take %s: then Slurm "
		     "drains the node", limit, text);
}

static void check_keys(struct doctor *doctor, const struct slurm_conf *conf)
{
	if (!strcasestr(value_of(conf, "PrologFlags"), "Alloc") &&
	    !strcasestr(value_of(conf, "PrologFlags"), "Contain"))
		find(doctor, VERDICT_WRONG, "PrologFlags=Alloc in slurm.conf", "PrologFlags lacks "
		     "Alloc: prologues do not run on all nodes at once, so that none gates");
	check_user_key(doctor, conf);
	check_timeout(doctor, conf);
	/*
	 * The controller's scripts need not be on nodes, nor the others on the controller. With
	 * `agree first` there are only the nodes' scripts.
	 */
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (scripts[i].of_node == (doctor->job.node != NULL) &&
		    (scripts[i].of_node || !doctor->job.conf.first))
			check_script(doctor, conf, &scripts[i]);
	if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "SlurmUser, PrologFlags, PrologEpilogTimeout and the "
		     "scripts of %s", doctor->job.node ? "nodes" : "the controller");
}

/* ---- scontrol ---- */

static void read_lines(FILE *in, struct slurm_conf *conf)
{
	size_t room = 0, size = 0;
	char *line = NULL;

	while (getline(&line, &room, in) >= 0) {
		char **larger = reallocarray(conf->line, conf->count + 1, sizeof(*larger));

		if (!larger)
			break;
		conf->line = larger;
		line[strcspn(line, "\n")] = '\0';
		size = strlen(line);
		while (size && line[size - 1] == ' ')
			line[--size] = '\0';
		conf->line[conf->count++] = line;
		line = NULL;
		room = 0;
	}
	free(line);
}

static void free_lines(struct slurm_conf *conf)
{
	while (conf->count)
		free(conf->line[--conf->count]);
	free(conf->line);
}

/* The limit is the check's: children are killed with its process. */
void check_slurm(struct doctor *doctor)
{
	FILE *pipe = popen("scontrol show config 2>&1", "r");
	struct slurm_conf conf = { 0 };
	int status;

	if (!pipe) {
		find(doctor, VERDICT_UNCHECKED, "", "scontrol: %s", strerror(errno));
		return;
	}
	read_lines(pipe, &conf);
	status = pclose(pipe);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		find(doctor, VERDICT_UNCHECKED, "", "there is no scontrol here");
	else if (status || !conf.count)
		find(doctor, VERDICT_WRONG, "does slurmctld answer, and munge?", "scontrol show "
		     "config: %s", conf.count ? conf.line[conf.count - 1] : "no answer");
	else
		check_keys(doctor, &conf);
	free_lines(&conf);
}

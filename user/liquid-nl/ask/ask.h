/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to the program `liquid`, which reads fabrics and schedules, and solves
 *
 * It runs as a child without privileges: as nobody where this process may change its user, without
 * capabilities, with no descriptors except for the question's, and with bounds of its time
 * and memory. Its answer is input from outside: the caller checks all of it.
 */
#ifndef LIQUID_NL_ASK_H
#define LIQUID_NL_ASK_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "liquidsched.h"

#define ASK_NS INT64_C(600000000000)	/* for an answer */

struct ask {
	json_t *question;
	int status;			/* of the question's own: it could not be composed */
	struct liquid_error err;
	int *fd;			/* descriptors that the child gets */
	size_t count;
	bool writes;			/* some of them are files that it writes */
	bool prints;			/* to stdout, so there is no answer to return */
	int64_t limit_ns;
};

/* Begin a question, which ask_end() clears. */
/* The program `liquid` in the directory of this one; false with errno if that is not known */
bool ask_program(char path[PATH_MAX]);

void ask_begin(struct ask *ask, const char *question);
void ask_end(struct ask *ask);

/* Add a member to @to, which is the question or a part of it. ask_answer() reports failures. */
void ask_set(struct ask *ask, json_t *to, const char *key, json_t *value);
void ask_set_number(struct ask *ask, const char *key, uint64_t value);
void ask_set_text(struct ask *ask, const char *key, const char *text);	/* NULL: not at all */
/* The file @path is opened here, as this user may. @label: its name in messages, or NULL */
void ask_set_file(struct ask *ask, json_t *to, const char *key, const char *path,
		  const char *label);
/* A descriptor to be written to */
void ask_set_out(struct ask *ask, const char *key, int fd);

/*
 * Run the child. Its messages are passed on, and after a failure the last of them is in @err. A
 * status of the library. *@answer is an object, to be freed; NULL if ask->prints.
 */
int ask_answer(struct ask *ask, json_t **answer, struct liquid_error *err);
/* For unexpected members */
int ask_malformed(struct liquid_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The label of a schedule without a job
 *
 * Jobs compare their schedules before they gate. Nodes without jobs do not speak with each other,
 * so the label shows a watcher of all of them which schedule each has.
 */
#ifndef LIQUID_NL_LABEL_H
#define LIQUID_NL_LABEL_H

/* It ends in the first digits of the SHA-256 of the schedule's file, ... */
#define LABEL_DIGEST "digest="
#define LABEL_DIGEST_HEX 12
/* ... before which its purpose may be, in at most these characters, and a blank. */
#define LABEL_TEXT_MAX (LIQUID_LABEL_MAX - 1 - 7 - LABEL_DIGEST_HEX)

/* @text: its purpose, or ""; @label has LIQUID_LABEL_MAX + 1 bytes. */
void label_with_digest(char *label, const char *text, const char *digest);
/* Where LABEL_DIGEST begins in @label, or NULL: it has none */
const char *label_digest(const char *label);

#endif

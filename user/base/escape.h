/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text from outside, such that it stays text: on a terminal, and in a page */
#ifndef LIQUID_ESCAPE_H
#define LIQUID_ESCAPE_H

#include <stdio.h>

/*
 * Print @text with \xNN for bytes that act on a terminal or would begin another line of a log:
 * control characters of ASCII and Unicode, marks that change the direction of writing, invalid
 * UTF-8.
 */
void put_escaped(FILE *out, const char *text);
/* The same as text of HTML or of an attribute in quotes */
void html_text(FILE *out, const char *text);
/* The same as a string of JSON with its quotes, which may be within a script */
void html_json(FILE *out, const char *text);
/*
 * The beginning of a page, up to its title's text, which follows: it may load nothing, and run only
 * the script of which @script is the digest, "sha256-...", or NULL.
 */
void html_head(FILE *out, const char *style, const char *script);

#endif

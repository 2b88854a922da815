// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compares the series of the MPI that runs with that of the build, by its version's text. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"

/* How MPI_Get_library_version() begins, and the version that follows it after blanks */
#ifdef OPEN_MPI
#define NAME "Open MPI"
#define TITLE "Open MPI v"
#define TEXT(number) #number
#define VERSION(major, minor) TEXT(major) "." TEXT(minor)
#define BUILT VERSION(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION)
#else
#define NAME "MPICH"
#define TITLE "MPICH Version:"
#define BUILT MPICH_VERSION
#endif

/* mpirun gives the ranks their numbers in one of these; before MPI_Init() there is no other. */
static bool is_first_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
					     "SLURM_PROCID", NULL };
	const char *rank = NULL;

	for (int i = 0; names[i] && !rank; i++)
		rank = getenv(names[i]);
	return !rank || !strcmp(rank, "0");
}

/* "MPICH Version:\t4.0.2\n...", "Open MPI v4.1.4, ...": the first two numbers name a series. */
static bool is_built(const char *text)
{
	static const char built[] = BUILT;
	size_t series = strcspn(built, ".") + 1;

	series += strcspn(built + series, ".ab");
	if (strncmp(text, TITLE, strlen(TITLE)))
		return false;
	text += strlen(TITLE);
	text += strspn(text, " \t");
	return !strncmp(text, built, series) && strchr(".ab,\n", text[series]);
}

/* The text of another MPI may be longer than this one's ever is: MPICH's has up to 8,192 bytes. */
bool series_is_own(const char *object)
{
	char text[2 * 8192] = "";
	int length;
	bool own;

	PMPI_Get_library_version(text, &length);
	own = is_built(text);
	if (!own && is_first_rank())
		fprintf(stderr, "liquid: %s was built for %s %s and does nothing in %.*s\n", object,
			NAME, BUILT, (int)strcspn(text, ",\n"), text);
	return own;
}

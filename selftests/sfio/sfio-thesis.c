// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two programs of the thesis, section 2.5
 *
 * usage: sfio-thesis hello|three DIRECTORY
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define SFIO_MAIN
#include <mio.h>

static int hello(const char *dir)
{
	char name[256];
	MFILE *f;

	snprintf(name, sizeof(name), "p1%s/a1.dat;p2%s/a2.dat;", dir, dir);
	f = mopen(name, 5);
	if (!f)
		return 1;
	mwritec(f, 0, "Hello World", 11);
	return mclose(f) != 0;
}

static int three(const char *dir)
{
	char name[256];
	int rank;
	MFILE *f;

	MPI_Comm_rank(sfio_compute(), &rank);
	snprintf(name, sizeof(name), "p1%s/a.dat;p2%s/b.dat;", dir, dir);
	f = mopen(name, 5);
	if (!f)
		return 1;
	if (rank == 0)
		mwritec(f, 0, "Good*morning!", 13);
	if (rank == 1)
		mwritec(f, 13, "Bonjour!", 8);
	if (rank == 2)
		mwritec(f, 21, "Buona*mattina!", 14);
	return mclose(f) != 0;
}

int _main(int argc, char *argv[])
{
	if (argc != 3)
		return 2;
	return strcmp(argv[1], "hello") ? three(argv[2]) : hello(argv[2]);
}

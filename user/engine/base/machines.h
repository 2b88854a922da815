/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops over vectors of the compiler, for the present machine: the results are the same on all. */
#ifndef LIQUID_MACHINES_H
#define LIQUID_MACHINES_H

/* Before a function that is compiled once more for processors with wider vectors */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#define FOR_EACH_MACHINE __attribute__((target_clones("avx2", "default")))
#define VECTOR_BYTES 32
#else
#define FOR_EACH_MACHINE
#define VECTOR_BYTES 16		/* wider ones are compared lane by lane */
#endif

#endif

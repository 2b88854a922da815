// SPDX-License-Identifier: LGPL-2.1-or-later
/* A library with the one function of CUDA that is asked: odd addresses are a GPU's. */
#include <stdint.h>

int cuPointerGetAttribute(unsigned int *type, int what, uintptr_t at);

int cuPointerGetAttribute(unsigned int *type, int what, uintptr_t at)
{
	*type = what == 2 && at & 1 ? 2 : 1;
	return 0;
}

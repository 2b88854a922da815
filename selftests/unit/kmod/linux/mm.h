/* SPDX-License-Identifier: GPL-2.0-only */
/* Nothing of it is needed on the host, see slab.h. */

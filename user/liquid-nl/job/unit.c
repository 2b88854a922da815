// SPDX-License-Identifier: GPL-2.0-only
/* The rate of the unit in which a job is scheduled: from the fabric, or else from liquid.conf. */
#include "job/fabric.h"
#include "job/job.h"
#include "util/units.h"

int job_unit_rate(const struct conf *conf, const struct job_fabric *fabric, uint64_t *bps,
		  struct liquid_error *err)
{
	uint64_t unit = fabric->unit_bps, stated = conf->link_rate_bps;
	char one[UNIT_TEXT], other[UNIT_TEXT];

	if (unit && stated && unit != stated)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "liquid.conf has link-rate %s, but a unit of fabric %s is %s",
				   format_rate(stated, one), fabric->name,
				   format_rate(unit, other));
	*bps = unit ? unit : stated;
	if (*bps)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "fabric %s does not say the rate of a unit, which gates are compared "
			   "with: import it again, or state link-rate in liquid.conf",
			   fabric->name);
}

// SPDX-License-Identifier: GPL-2.0-only
/* nla_strlcpy() has got another result and name. */
#include <net/netlink.h>

ssize_t probe(char *to, const struct nlattr *attr, size_t size);
ssize_t probe(char *to, const struct nlattr *attr, size_t size)
{
	return nla_strscpy(to, attr, size);
}

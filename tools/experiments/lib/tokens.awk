# SPDX-License-Identifier: GPL-2.0-only
# Fabrics for tools/experiments/tokens.
#
# usage: awk -f THIS kind=random seed=N switches=N degree=N hosts=PER-SWITCH
#        awk -f THIS kind=ibsim leaves=N spines=N hosts=PER-LEAF
#
# random: a fabric file. Switches joined by random rings, degree / 2 of them, that each visit all;
# routes are shortest paths, and of several the choice is random for each switch and destination.
# ibsim: a leaf-spine network in ibnetdiscover's format.

function shuffle(n,	i, j, t)
{
	for (i = 1; i <= n; i++)
		order[i] = i
	for (i = n; i > 1; i--) {
		j = 1 + int(rand() * i)
		t = order[i]
		order[i] = order[j]
		order[j] = t
	}
}

function join_rings(	ring, i, a, b)
{
	for (ring = 0; ring < degree / 2; ring++) {
		shuffle(switches)
		for (i = 1; i <= switches; i++) {
			a = order[i]
			b = order[i % switches + 1]
			near[a, b] = near[b, a] = 1
		}
	}
}

# Hops from each switch to @to, in far[]
function measure(to,	queue, head, tail, a, b)
{
	split("", far)
	far[to] = 0
	queue[tail++] = to
	while (head < tail) {
		a = queue[head++]
		for (b = 1; b <= switches; b++)
			if ((a, b) in near && !(b in far)) {
				far[b] = far[a] + 1
				queue[tail++] = b
			}
	}
}

function route_to(sw, host,	a, b, ways, way)
{
	for (a = 1; a <= switches; a++) {
		ways = 0
		for (b = 1; b <= switches; b++)
			if ((a, b) in near && far[b] == far[a] - 1)
				way[++ways] = b
		if (a != sw) {
			b = way[1 + int(rand() * ways)]
			to[a, b] = to[a, b] (to[a, b] == "" ? "" : ",") host
		}
	}
}

function random_fabric(	sw, i, b, host)
{
	srand(seed)
	join_rings()
	printf "liquid-fabric 1\nname random:seed=%d\nhosts h[1-%d]\nswitches s[1-%d]\n", seed,
		switches * hosts, switches
	for (sw = 1; sw <= switches; sw++) {
		measure(sw)
		for (i = 1; i <= hosts; i++) {
			host = (sw - 1) * hosts + i
			route_to(sw, host)
			printf "link h%d s%d 1\nlink s%d h%d 1\n  to h%d\n", host, sw, sw, host, host
		}
	}
	for (sw = 1; sw <= switches; sw++)
		for (b = 1; b <= switches; b++)
			if ((sw, b) in near)
				printf "link s%d s%d 1\n%s", sw, b,
					to[sw, b] == "" ? "" : "  to h[" to[sw, b] "]\n"
	print "end"
}

# ---- ibsim ----

function guid(host, n)
{
	return sprintf("%s0002c9000000%04x", host ? "H-" : "S-", (host ? 4096 : 0) + n)
}

function node(host, n, ports, name)
{
	printf "%sguid=0x%s\n%s %d \"%s\" # \"%s\"\n", host ? "ca" : "switch",
		substr(guid(host, n), 3), host ? "Ca" : "Switch", ports, guid(host, n), name
}

function port(own, host, n, far)
{
	printf "[%d] \"%s\"[%d]\n", own, guid(host, n), far
}

function ibsim_network(	h, l, s, i)
{
	for (h = 0; h < leaves * hosts; h++) {
		node(1, 4 * (h + 1), 1, sprintf("node%03d HCA-1", h + 1))
		port(1, 0, int(h / hosts) + 1, h % hosts + 1)
		print ""
	}
	for (l = 1; l <= leaves; l++) {
		node(0, l, hosts + spines, "leaf" l)
		for (i = 1; i <= hosts; i++)
			port(i, 1, 4 * ((l - 1) * hosts + i), 1)
		for (s = 1; s <= spines; s++)
			port(hosts + s, 0, leaves + s, l)
		print ""
	}
	for (s = 1; s <= spines; s++) {
		node(0, leaves + s, leaves, "spine" s)
		for (l = 1; l <= leaves; l++)
			port(l, 0, l, hosts + s)
		print ""
	}
}

BEGIN {
	for (i = 1; i < ARGC; i++) {
		split(ARGV[i], word, "=")
		value[word[1]] = word[2]
	}
	kind = value["kind"]
	seed = value["seed"]
	switches = value["switches"]
	degree = value["degree"]
	leaves = value["leaves"]
	spines = value["spines"]
	hosts = value["hosts"]
	if (kind == "random")
		random_fabric()
	else
		ibsim_network()
}

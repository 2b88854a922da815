#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Graphs without tables as fabrics: five forms of one graph, and what is wrong in a file.

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
# shellcheck disable=SC2034,SC2154 # of cli.bash
liquid_nl=$liquid

# Two leaves with two hosts each, two spines, of which one has cables of capacity 2
cat >edges <<'END'
# the graph
h1 leaf1
h2,leaf1
h10 leaf2 {}
h4;leaf2;1
leaf1 spine1
leaf2 spine1 {'weight': 3}
leaf1 spine2 2
leaf2 spine2 {'capacity': 2}
END
cat >dot <<'END'
strict graph "a network" {	// with a subgraph, and chains
	rankdir=BT; node [shape=box]
	/* two
	   lines */
	subgraph cluster_1 { h1 -- leaf1; h2--leaf1 [color="red"] }
	"h10":eth0 -- leaf2:p1:n -- h4;
	leaf1 -- spine1 -- leaf2
	leaf1 -- spine2 -- leaf2 [capacity=2, label="100\"G"]
}
END
cat >graphml <<'END'
<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d1" for="edge" attr.name="capacity" attr.type="long"/>
  <key id="d2" for="edge" attr.name="label" attr.type="string"/>
  <graph edgedefault="undirected"><!-- a <node> in a comment -->
    <node id="h1"/> <node id='h2'></node>
    <edge source="h1" target="leaf1"/>
    <edge source="h2" target="leaf1"><data key="d2">capacity</data></edge>
    <edge source="h10" target="leaf2"/>
    <edge target="leaf2" source="h4"/>
    <edge source="leaf1" target="spine1"/>
    <edge source="spine1" target="leaf2"/>
    <edge source="leaf1" target="spine2"><data key="d1">2</data></edge>
    <edge source="spine2" target="leaf2"><data key="d1"> 2
</data></edge>
  </graph>
</graphml>
END
cat >networkx <<'END'
{"directed": false, "multigraph": false, "graph": {},
 "nodes": [{"id": "h1", "pos": [0, 1]}, {"id": "h2"}, {"id": "h10"}, {"id": "h4"}],
 "links": [{"source": "h1", "target": "leaf1"}, {"source": "h2", "target": "leaf1"},
  {"source": "h10", "target": "leaf2"}, {"source": "h4", "target": "leaf2", "weight": 0.5},
  {"source": "leaf1", "target": "spine1"}, {"source": "spine1", "target": "leaf2"},
  {"source": "leaf1", "target": "spine2", "capacity": 2},
  {"source": "spine2", "target": "leaf2", "capacity": 2.0}]}
END
# cables FABRIC: without the numbers of ports
cables()
{
	sed -n "s/^link //p" "$1" | sed "s/\[[0-9]*]//g" | sort
}

for form in edges dot graphml networkx; do
	prints 0 "*note: no forwarding tables: \`liquid route\` makes them" \
		fabric import --from $form $form -o $form.fabric
	cables $form.fabric >$form.cables
	[ "$(sed -n 's/^hosts //p' $form.fabric)" = "h[1-2,4,10]" ] &&
		[ "$(wc -l <$form.cables)" = 16 ] && cmp edges.cables $form.cables
	ok "$form: the hosts and cables"
done
prints 1 "*no route from h1 to h2: it ends at switch leaf1; the fabric has no tables: \`liquid \
route FABRIC -o NEW\` makes them*" solve edges.fabric
prints 0 "load         3*" route edges.fabric -o routed
prints 0 "*certificate  liquid*" solve routed
prints 0 "*" fabric import --from edges --topo edges --unit-rate 25G -o fabric
grep -q '^unit 25000000000$' fabric
ok "--unit-rate is the rate of a unit"

# Directed graphs, and names that are numbers
echo '{"directed": true, "nodes": [{"id": 1, "kind": "host"}, {"id": 2}, {"id": 3}],
 "edges": [{"source": 1, "target": 2}, {"source": 2, "target": 1}, {"source": 2, "target": 3},
  {"source": 3, "target": 2}]}' \
	>directed
prints 0 "*hosts \[1,3]*switches 2*link 1* 2*link 2* 1*link 2* 3*" \
	fabric import --from networkx directed
printf 'digraph { a->2; 2->b; 2->a }' >bad
prints 1 "liquid: bad: host b needs a link in both directions" fabric import --from dot bad

# wrong TEXT FORM CONTENTS: refused with the line and the reason
wrong()
{
	printf '%b' "$3" >bad
	prints 1 "liquid: bad$1" fabric import --from "$2" bad
}
wrong ":2: expected the two ends of a link, A B \[CAPACITY]" edges 'a b\nc\n'
wrong ":1: more than A B \[CAPACITY]" edges 'a b 1 2\n'
wrong ":1: a link from a to itself" edges 'a a\n'
wrong ":2: the capacity '0' is not a whole number of 1 to 65535*" edges 'a b\na c 0\n'
wrong ":1: *name has a byte 0x5b*" edges 'a[1] b\n'
wrong ": no host: each node has several links, and none says kind=host" edges 'a b\nb c\nc a\n'
wrong ": a zero byte: not a text file" edges 'a b\0'
wrong ":1: expected 'graph' or 'digraph', not 'h1'" dot 'h1 h2\n'
wrong ":3: expected a node, an edge or '}', not '': the file ends" dot 'graph {\na -- b\n'
wrong ":1: expected a node (subgraphs are no ends of edges), not '{'" dot 'graph { a -- { b c } }'
wrong ":2: node a: its kind is 'host' or 'switch', not 'router'" dot 'graph {\na [kind=router] }'
wrong ":1: a comment has no end" dot 'graph { /* }'
wrong ":2: a quote has no end in its line" dot 'graph {\n"a\n}'
wrong ":1: expected a value (HTML is not read), not '<'" dot 'graph { a [label=<b>] }'
wrong ":2: an edge without source or target" graphml '<graphml><graph>\n<edge source="a"/>'
wrong ":1: a document type or CDATA is not read" graphml '<!DOCTYPE graphml SYSTEM "http://x">'
wrong ":1: a tag has no end" graphml '<graphml><node id="a"'
wrong ":1: no <graphml>: not GraphML" graphml ''
wrong ":1: no <graphml>: not GraphML" graphml '<html></html>'
wrong ":2: *" networkx '{\n"nodes": ]'
wrong ": no 'nodes' and 'links' (or 'edges'): is it of networkx.node_link_data()?" networkx '[]'
wrong ": links\[0]: no 'target' that is a string or a number" networkx \
	'{"nodes": [], "links": [{"source": "a"}]}'
prints 1 "*import from edges: it reads lines A B \[CAPACITY], all of that and nothing else" \
	fabric import --from edges edges --rail 1

# ibnetdiscover's output alone, and ibsim's net file
"$here/tools/ibsim-net" k44 >net
prints 0 "*no forwarding tables*" fabric import --topo net -o net.fabric
prints 0 "*no forwarding tables*" fabric import --topo "$data/k44.topo" -o k44.fabric
[ "$(grep -c '^link' net.fabric)" = 96 ] && [ "$(grep -c '^link' k44.fabric)" = 96 ]
ok "the topology of InfiniBand without tables"
prints 0 "load *" route net.fabric -o routed
prints 0 "routed: valid*" verify routed --circles

# Slurm's files: pods under cores are a tree, what is joined at one level is one switch
prints 0 "SwitchName=leaf1 Nodes=h[[]1-2]
SwitchName=leaf2 Nodes=h[[]4,10]
SwitchName=spine1 Switches=leaf[[]1-2]" fabric show edges.fabric --slurm topology.conf
prints 0 "---
- topology: liquid
  cluster_default: true
  tree:
    switches:
      - switch: leaf1
        nodes: h[[]1-2]
*      - switch: spine1
        children: leaf[[]1-2]" fabric show edges.fabric --slurm topology.yaml
"$liquid" fabric make fat-tree k=4 -o tree
prints 0 "*SwitchName=* Nodes=h[[]1-2]
*SwitchName=agg1 Switches=*
*SwitchName=core1 Switches=agg[[]1,3,5,7]" fabric show tree --slurm topology.conf
"$liquid" fabric make torus size=3x3 -o torus
prints 0 "*SwitchName=all-switches Switches=*" fabric show torus --slurm topology.conf
finish

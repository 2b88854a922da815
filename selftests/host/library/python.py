# SPDX-License-Identifier: GPL-2.0-only
"""The Python package: doctests, each struct against the header, and what a user may do wrong.

usage: python.py [COUNT], of results before these; by python.sh
"""
import ctypes
import doctest
import importlib
import os
import signal
import subprocess
import sys
import tempfile

import numpy as np

import liquidsched
from liquidsched import Fabric, InputError, InvalidError, Plan, Schedule
from liquidsched import _library as lib

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
count = int(sys.argv[1]) if len(sys.argv) > 1 else 0


def ok(right, name):
    global count
    count += 1
    print(f"{'ok' if right else 'not ok'} {count} - {name}", flush=True)


def refused(kind, text, call, *args, **more):
    """Is it refused by an exception of this kind with this text?"""
    try:
        call(*args, **more)
    except kind as error:
        if text in str(error) and "{" not in str(error):
            return True
        print(f"# {error}")
    return False


def structs_of_header():
    """A C program that compiles only if all members lie where Python has them."""
    lines = ["#include <liquidsched.h>"]
    header = open(f"{TOP}/user/engine/liquidsched.h", encoding="utf-8").read()
    for name, struct in lib.STRUCTS.items():
        lines.append(f"_Static_assert(sizeof(struct liquid_{name}) == {ctypes.sizeof(struct)}, "
                     f'"liquid_{name}");')
        body = header.split(f"struct liquid_{name} {{")[1].split("\n};")[0]
        for member, _ in struct._fields_:
            at = getattr(struct, member)
            if member.startswith(("dropped_", "kind_")) or \
                    name == "sim_options" and member == "lane_by":
                continue            # members of an array
            assert member in body, f"{name} {member}"
            lines.append(f"_Static_assert(offsetof(struct liquid_{name}, {member}) == {at.offset} "
                         f"&& sizeof(((struct liquid_{name} *)0)->{member}) == {at.size}, "
                         f'"{name}.{member}");')
    return "\n".join(lines)


def calls_of(hosts):
    """How often the library is called for an exchange of so many hosts, as a matrix and frames."""
    calls, real = [], lib.call
    fabric = Fabric.make("leaf-spine", leaves=hosts // 8, hosts=8, spines=8)
    names, nodes = fabric.nodes, Fabric.nodes
    Fabric.nodes = property(lambda self: names)     # names are asked for one by one
    lib.call = lambda *args: (calls.append(args[0]), real(*args))[1]
    try:
        schedule = fabric.solve(np.ones((hosts, hosts)), method="round-robin")
        assert len(schedule.transfers_of_frames) == hosts * (hosts - 1)
    finally:
        lib.call, Fabric.nodes = real, nodes
    return len(calls)


for module in ("", ".fabric", ".schedule", ".plan"):
    result = doctest.testmod(importlib.import_module("liquidsched" + module))
    ok(result.attempted and not result.failed,
       f"the {result.attempted} examples of liquidsched{module}")
for page, least in ("python", 16), ("predictions", 8):
    result = doctest.testfile(f"{TOP}/Documentation/{page}.rst", module_relative=False)
    ok(result.attempted >= least and not result.failed, f"the examples of {page}.rst")
child = subprocess.run(["gcc", f"-I{TOP}/user/engine", "-fsyntax-only", "-xc", "-"], text=True,
                       input=structs_of_header(), check=False)
ok(not child.returncode, "structs are those of liquidsched.h")

fabric = Fabric.make("leaf-spine leaves=4 hosts=4 spines=2")
schedule = fabric.solve()
with tempfile.TemporaryDirectory() as place:
    fabric.write(f"{place}/fabric")
    schedule.write(f"{place}/schedule")
    subprocess.run(["gzip", "-k", f"{place}/fabric"], check=True)
    ok(Fabric.read(f"{place}/fabric").digest == Fabric.read(f"{place}/fabric.gz").digest
       == fabric.digest, "a fabric is written and read, also compressed")
    read = Schedule.read(f"{place}/schedule", fabric)
    read.verify()
    ok((read.transfers_of_frames == schedule.transfers_of_frames).all()
       and (read.loads == schedule.loads).all(), "and a schedule")
    other = Fabric.make("leaf-spine leaves=4 hosts=4 spines=2 routes=hash")
    ok(refused(InvalidError, "digest", Schedule.read(f"{place}/schedule", other).verify),
       "a schedule of other routes")
    with open(f"{place}/broken", "w", encoding="utf-8") as file:
        file.write("liquid-fabric 1\nname f\nhosts a,b\nlink a c 1\nend\n")
    ok(refused(InputError, "broken:4: ", Fabric.read, f"{place}/broken"),
       "an error names file and line")
    ok(refused(OSError, "No such file", Fabric.read, f"{place}/missing"), "a missing file")
    ok(refused(OSError, "", fabric.write, f"{place}/no/where"), "a file that cannot be written")
ok(refused(OSError, "No space left", fabric.write, "/dev/full"), "a device that is full")

matrix = np.zeros((16, 16))
matrix[0, 5] = 3 << 20
matrix[5, 5] = 1 << 20
solved = fabric.solve(matrix, unit=1 << 20)
ok((solved.transfers_of_frames == [[0, 0, 5], [1, 0, 5], [2, 0, 5]]).all(),
   "a matrix of bytes, in units; what stays on a host is left out")
ok(solved.loads.sum() == 3 * len(fabric.path("h1", "h6")), "loads by link")
ok((fabric.solve([[0, 1], [0, 0]], hosts=["h6", "h1"]).frames[0] == [[5, 0]]).all(),
   "a matrix of some hosts, in their order")
ok(refused(InputError, "no host 'h99'", fabric.solve, hosts=["h99"]), "an unknown host")
ok(refused(InputError, "(2, 2), for 16 hosts", fabric.solve, np.ones((2, 2))), "a matrix too small")
ok(refused(InputError, "not whole", fabric.solve, matrix + 0.5), "a number that is not whole")
ok(refused(InputError, "negative", fabric.solve, matrix - 1), "a negative one")
ok(refused(TypeError, "no option 'sead'", fabric.solve, sead=1), "an option that there is not")
ok(refused(InputError, "is not one of", schedule.simulate, sync="wishes"), "a word unknown")

tree = Fabric.from_ib(f"{TOP}/selftests/data/fat-tree.topo", f"{TOP}/selftests/data/fat-tree.fts")
ok(len(tree.hosts) == 32 and tree.solve().length == 31, "dumps of InfiniBand")
again = Fabric.from_networkx(tree.to_networkx())
ok(sorted(again.hosts) == sorted(tree.hosts) and len(again.links) == len(tree.links)
   and again.route().load <= tree.solve().fluid_bound, "to networkx and back; route makes tables")

plan = schedule.plan(cyclic=True)
runs = [Plan.read(plan.slice(rank)).run() for rank in range(plan.ranks)]
for _ in range(3):
    for run in runs:
        run.begin()
    busy = runs
    while busy:
        steps = [(run, run.next(0)) for run in busy]
        for run, step in steps:
            if step.step == "send":
                for rank, slot in run.left(step.piece).tolist():
                    runs[rank].token(slot, run.stats["epoch"])
        busy = [run for run, step in steps if step.step != "done"]
ok([run.stats["sent"] for run in runs] == [3 * 15] * 16
   and not any(run.stats["unsynchronised"] for run in runs), "three epochs of a plan, by slices")
ok(sum(plan.cut(0, piece, 1000)[1] for piece in range(15)) == 15000, "pieces are cut")
ok(refused(InputError, "", Plan.read, plan.slice(0)[:-1]), "a slice cut short")

few, many = calls_of(64), calls_of(1024)
ok(few == many, f"a million transfers need as many calls of the library as 4,032 do: {many}")
advice = fabric.advise("--message", "64Ki")
ok(advice["format"] == "liquid-advice" and "<" in advice._repr_html_(), "advice, and its page")
ok(refused(InputError, "--mesage", fabric.advise, "--mesage", "1"), "advice is refused")
ok(all("srcdoc" in thing._repr_html_() for thing in (fabric, schedule, schedule.simulate())),
   "pages of others")

places = np.zeros((3, 3))
places[0, 1:] = 5
chosen = fabric.choose(3, matrix=places)
ok(len({(int(host[1:]) - 1) // 4 for host in chosen.hosts}) == 1 and chosen.transfers == 10,
   "hosts for a matrix by place")

hard = Fabric.make("dragonfly")
seen = []
early = hard.solve(progress=lambda now: seen.append(now) or now["best_length"])
ok(seen and early.length == seen[-1]["best_length"], "progress ends with the best so far")


def interrupt(_):
    """Ctrl-C while the search runs"""
    os.kill(os.getpid(), signal.SIGINT)


ok(refused(KeyboardInterrupt, "", hard.solve, progress=interrupt), "Ctrl-C ends a search")

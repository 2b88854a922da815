# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fabrics, and what can be asked of one: a schedule, routes, nodes, a simulation, advice."""
from __future__ import annotations

import ctypes as C
import gzip
import os
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _library as lib
from .page import Advice, page
from .plan import Plan
from .schedule import Schedule, Simulation, simulate

Path = Union[str, "os.PathLike[str]"]
Hosts = Sequence[Union[str, int]]


def _input(path: Path) -> lib.Stream:
    """A file to read, also one that gzip has compressed"""
    if str(path).endswith(".gz"):
        with gzip.open(path) as file:
            return lib.Stream(data=file.read())
    return lib.Stream(path)


class _Traffic(lib.Object):
    _free = "traffic_free"


class Fabric(lib.Object):
    """Hosts, switches, links with a capacity, and forwarding tables.

    >>> Fabric.make("leaf-spine leaves=2 hosts=2 spines=1")
    <Fabric leaf-spine:leaves=2:hosts=2:spines=1: 4 hosts, 3 switches, 12 links>
    """

    _free = "fabric_free"

    @classmethod
    def make(cls, generator: str, **parameters: Any) -> Fabric:
        """A fabric of a generator, in the words of ``liquid fabric make``.

        >>> len(Fabric.make("fat-tree k=6").hosts)
        54
        >>> len(Fabric.make("torus", size="4x4").hosts)
        16
        """
        name, *words = generator.split()
        words += [f"{key}={value}" for key, value in parameters.items()]
        texts = (C.c_char_p * len(words))(*[word.encode() for word in words])
        return cls(lib.make("fabric_make", name.encode(), texts, C.c_size_t(len(words))))

    @classmethod
    def read(cls, path: Path, threads: int = 0) -> Fabric:
        """A fabric file (Documentation/formats.rst), which may be compressed by gzip."""
        with _input(path) as stream:
            return cls(lib.make("fabric_read_by", stream.file, os.fsencode(path), threads))

    @classmethod
    def from_text(cls, text: str) -> Fabric:
        """A fabric file that is in memory."""
        with lib.Stream(data=text.encode()) as stream:
            return cls(lib.make("fabric_read_by", stream.file, b"text", 0))

    @classmethod
    def from_ib(cls, topo: Path, lft: Path, **options: Any) -> Fabric:
        """What ``ibnetdiscover`` and ``dump_fts`` (or OpenSM) show of an InfiniBand network.

        Options are the members of ``struct liquid_import``: rail, unit_bps, leave_out,
        allow_unreachable, unknown_bps, name, strip_domain ...
        """
        with _input(topo) as topology, _input(lft) as tables:
            given = lib.fill(lib.Import, dict(
                options, topo=topology.file.value, topo_label=str(topo), lft=tables.file.value,
                lft_label=str(lft)))
            return cls(lib.make("fabric_import", C.byref(given)))

    @classmethod
    def from_networkx(cls, graph: Any, name: str = "graph") -> Fabric:
        """A graph of networkx. It has no tables: :meth:`route` makes them.

        A node is a host if its attribute ``kind`` is "host", and a switch if that is something
        else. Without the attribute, it is a host if it has one neighbour. ``capacity`` is an
        attribute of edges, 1 by default. An edge that has no direction is a link each way.

        >>> import networkx
        >>> fabric = Fabric.from_networkx(networkx.star_graph(4)).route().fabric
        >>> fabric.hosts, fabric.solve().length
        (['1', '2', '3', '4'], 3)
        """
        def is_host(node: Any) -> bool:
            kind = graph.nodes[node].get("kind")
            ends = set(graph.adj[node]) | set(graph.pred[node] if graph.is_directed() else ())
            return kind == "host" if kind is not None else len(ends) == 1

        ports: dict = {}
        one_way: dict = {}          # ports of links whose other direction has not come yet

        def link(a: Any, b: Any, data: dict) -> str:
            ends = data.get("ports")
            if not ends and one_way.get((b, a)):
                ends = one_way[b, a].pop()[::-1]
            elif not ends:
                for node in (a, b):
                    ports[node] = ports.get(node, 0) + 1
                ends = (ports[a], ports[b])
                one_way.setdefault((a, b), []).append(ends)
            a_port, b_port = (f"[{port}]" if port else "" for port in ends)
            return f"link {a}{a_port} {b}{b_port} {data.get('capacity', 1)}"

        kind = {node: "hosts" if is_host(node) else "switches" for node in graph}
        lines = ["liquid-fabric 2", f"name {name}"]
        lines += sorted(f"{kind[node]} {node}" for node in graph)
        for a, b, data in graph.edges(data=True):
            lines.append(link(a, b, data))
            if not graph.is_directed():
                lines.append(link(b, a, dict(data, ports=data.get("ports", ())[::-1])))
        return cls.from_text("\n".join(lines + ["end", ""]))

    def write(self, path: Path) -> None:
        """Write a fabric file."""
        with lib.Stream(path, mode="w") as stream:
            lib.call("fabric_write", self, stream.file)

    def to_text(self) -> str:
        """The fabric file as text."""
        with lib.Stream(mode="w") as stream:
            lib.call("fabric_write", self, stream.file)
        return stream.take().decode()

    def to_networkx(self) -> Any:
        """A MultiDiGraph: nodes have a ``kind``, edges a ``capacity``, ``ports``, ``link``."""
        import networkx

        graph = networkx.MultiDiGraph(name=self.name)
        names, hosts = self.nodes, len(self.hosts)
        graph.add_nodes_from(names[:hosts], kind="host")
        graph.add_nodes_from(self.switches, kind="switch")
        for number, link in enumerate(self.links.tolist()):
            graph.add_edge(names[link[0]], names[link[1]], capacity=link[4],
                           ports=link[2:4], link=number)
        return graph

    @property
    def name(self) -> str:
        return lib.call("fabric_name", self).decode()

    @property
    def nodes(self) -> list[str]:
        """Names by number: hosts, aliases of hosts, switches."""
        count = lib.call("fabric_host_count", self) + lib.call("fabric_switch_count", self)
        return [lib.call("fabric_node_name", self, node).decode() for node in range(count)]

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts, by number."""
        return self.nodes[:lib.call("fabric_host_count", self) -
                          lib.call("fabric_alias_count", self)]

    @property
    def switches(self) -> list[str]:
        return self.nodes[lib.call("fabric_host_count", self):]

    @property
    def links(self) -> np.ndarray:
        """A structured array: from, to (numbers of nodes), from_port, to_port, capacity."""
        return lib.array(lib.call("fabric_link", self, 0), lib.Link,
                         lib.call("fabric_link_count", self))

    @property
    def notes(self) -> list[str]:
        """What the import says to its user."""
        found: list[str] = []
        while (note := lib.call("fabric_note", self, C.c_size_t(len(found)))) is not None:
            found.append(note.decode())
        return found

    @property
    def digest(self) -> str:
        """SHA-256 of links, capacities and routes."""
        text = C.create_string_buffer(65)
        lib.call("fabric_digest", self, text)
        return text.value.decode()

    def path(self, src: Union[str, int], dst: Union[str, int]) -> list[int]:
        """The links from a host to another by the tables, in order: indices of :attr:`links`.

        >>> fabric = Fabric.make("leaf-spine leaves=2 hosts=2 spines=1")
        >>> len(fabric.path("h1", "h2")), len(fabric.path("h1", "h3"))
        (2, 4)
        """
        links = (C.c_uint32 * 64)()
        a, b = self._numbers([src, dst])
        return links[:lib.call("fabric_route", self, C.c_uint32(a), C.c_uint32(b), links)]

    # ---- traffic ----

    def _numbers(self, hosts: Optional[Hosts]) -> np.ndarray:
        """Numbers of hosts, all of them for None"""
        if hosts is None:
            return np.arange(len(self.hosts), dtype=np.uint32)
        number = {name: host for host, name in enumerate(self.hosts)}
        number.update((host, host) for host in list(number.values()))
        for host in hosts:
            if host not in number:
                raise lib.InputError(f"the fabric '{self.name}' has no host '{host}'")
        return np.array([number[host] for host in hosts], np.uint32)

    def _matrix(self, matrix: Any, hosts: Optional[Hosts]) -> tuple[np.ndarray, np.ndarray]:
        """A matrix of whole numbers, and the hosts of its rows and columns"""
        if hosts is None and hasattr(matrix, "columns"):        # of pandas, with names
            hosts = list(matrix.columns)
            matrix = matrix.loc[hosts]
        numbers, cells = self._numbers(hosts), np.asarray(matrix)
        if cells.shape != (len(numbers), len(numbers)):
            raise lib.InputError(f"a matrix of {cells.shape}, for {len(numbers)} hosts")
        if cells.dtype.kind not in "iub":
            whole = cells.astype(np.int64)
            if not (whole == cells).all():
                raise lib.InputError("the matrix has a number that is not whole")
            cells = whole
        if cells.size and cells.min() < 0:
            raise lib.InputError("the matrix has a negative number")
        return cells, numbers

    def _traffic(self, matrix: Any, hosts: Optional[Hosts], unit: Optional[int]) -> _Traffic:
        if matrix is None:
            numbers, pointer = lib.address(self._numbers(hosts))
            return _Traffic(lib.make("traffic_alltoall", pointer, C.c_size_t(len(numbers))))
        cells, numbers = self._matrix(matrix, hosts)
        if unit:
            cells = -(-cells // unit)
        if cells.size and cells.max() >= 1 << 32:
            raise lib.InputError("a number of units exceeds 32 bits: give a larger unit")
        triples = np.empty(cells.shape + (3,), np.uint32)
        triples[..., 0], triples[..., 1], triples[..., 2] = numbers[:, None], numbers, cells
        wanted = cells != 0
        np.fill_diagonal(wanted, False)     # what a host sends to itself uses no link
        pairs = triples.view(np.dtype((np.void, 12))).reshape(-1)[wanted.ravel()]
        traffic = _Traffic(lib.make("traffic_new"))
        lib.call("traffic_add_pairs", traffic, pairs.ctypes.data_as(C.c_void_p),
                 C.c_size_t(len(pairs)))
        return traffic

    def loads(self, matrix: Any = None, hosts: Optional[Hosts] = None,
              unit: Optional[int] = None) -> np.ndarray:
        """Transfers of a traffic on each link, as :meth:`solve` takes it."""
        return self._loads(self._traffic(matrix, hosts, unit))

    def _loads(self, traffic: _Traffic) -> np.ndarray:
        load = np.empty(lib.call("fabric_link_count", self), np.uint64)
        lib.call("traffic_loads", self, traffic, load.ctypes.data_as(C.c_void_p))
        return load

    # ---- questions ----

    def solve(self, matrix: Any = None, hosts: Optional[Hosts] = None, unit: Optional[int] = None,
              seed: int = 0, work: int = 0,
              progress: Optional[Callable[[dict], Any]] = None, **options: Any) -> Schedule:
        """A schedule of an exchange: verified, with a certificate.

        matrix: a row for each sender, of numpy, pandas or lists: bytes, where ``unit`` says how
        many a transfer has, else transfers; None: an all-to-all of one each. hosts: those of its
        rows and columns, names or numbers; None: all, or the columns' names of pandas. work: the
        limit in operations. progress is called now and then with the members of ``struct
        liquid_progress``; what it finds true ends the search with the best so far. More options
        are members of ``struct liquid_solve_options``: method, parts, time_limit, threads.

        >>> import numpy
        >>> fabric = Fabric.make("leaf-spine leaves=2 hosts=2 spines=1")
        >>> matrix = numpy.full((4, 4), 1 << 20)
        >>> fabric.solve(matrix, unit=1 << 19).length
        8
        """
        traffic = self._traffic(matrix, hosts, unit)
        watch = lib.Watch(progress)
        given = lib.fill(lib.SolveOptions, dict(options, seed=seed, work=work, unit_bytes=unit,
                                                progress=watch.pointer))
        schedule = Schedule(watch.call("solve", self, traffic, C.byref(given)), self, traffic)
        schedule.verify()
        return schedule

    def simulate(self, matrix: Any = None, hosts: Optional[Hosts] = None,
                 unit: Optional[int] = None, **options: Any) -> Simulation:
        """An exchange without a schedule, simulated. See :meth:`Schedule.simulate`.

        >>> fabric = Fabric.make("fat-tree k=4 routes=hash")
        >>> voq = dict(switching="cut-through", queues="voq")
        >>> free = fabric.simulate(order="pairwise", **voq)
        >>> free.time_ns > fabric.solve().simulate(sync="tokens", **voq).time_ns
        True
        """
        if unit:
            options["message_bytes"] = unit
        return simulate(self, self._traffic(matrix, hosts, unit), None, options)

    def route(self, matrix: Any = None, hosts: Optional[Hosts] = None, unit: Optional[int] = None,
              **options: Any) -> Routing:
        """Forwarding tables that make the greatest load of a traffic small.

        Options are members of ``struct liquid_route_options``: lanes, circles, seed, work, lmc.
        """
        traffic = None if matrix is None and hosts is None else self._traffic(matrix, hosts, unit)
        given = lib.fill(lib.RouteOptions, dict(
            options, traffic=traffic and traffic._pointer.value))
        return Routing(lib.make("route", self, C.byref(given)), self)

    def choose(self, count: int, hosts: Optional[Hosts] = None, matrix: Any = None,
               unit: Optional[int] = None, seed: int = 0, work: int = 0) -> Choice:
        """Which ``count`` of the hosts exchange fastest: an all-to-all, or a matrix by place.

        >>> choice = Fabric.make("leaf-spine leaves=4 hosts=4 spines=1").choose(4)
        >>> len(choice.hosts), choice.lambda_ <= choice.random_lambda
        (4, True)
        """
        numbers, pointer = lib.address(self._numbers(hosts))
        traffic = None if matrix is None else self._traffic(matrix, range(count), unit)
        given = lib.ChooseOptions(senders=pointer, candidates=len(numbers), count=count,
                                  traffic=traffic and traffic._as_parameter_, seed=seed,
                                  work=work)
        return Choice(lib.make("choose", self, C.byref(given)), self)

    def plan(self, matrix: Any, hosts: Optional[Hosts] = None, unit: Optional[int] = None,
             cyclic: bool = False, piece_bytes: int = 0, **options: Any) -> Plan:
        """A plan of messages of these bytes; rank r is on the r-th of the hosts.

        >>> fabric = Fabric.make("leaf-spine leaves=2 hosts=2 spines=1")
        >>> fabric.plan([[4096] * 4] * 4)
        <Plan of 4 ranks: 4 frames, 12 pieces, 12 tokens>
        """
        cells, numbers = self._matrix(matrix, hosts)
        numbers, places = lib.address(numbers)
        cells, pointer = lib.address(cells, np.uint64)
        how = lib.PlanOptions(places, len(numbers), cyclic, piece_bytes)
        given = lib.fill(lib.SolveOptions, dict(options, unit_bytes=unit))
        return Plan(lib.make("plan_make_matrix", self, pointer, C.byref(how), C.byref(given)))

    def advise(self, *options: str) -> Advice:
        """What ``liquid advise`` says, with its options: losses, and what to do about them."""
        return Advice(self.to_text(), options)

    def __repr__(self) -> str:
        return (f"<Fabric {self.name}: {len(self.hosts)} hosts, {len(self.switches)} switches, "
                f"{lib.call('fabric_link_count', self)} links>")

    def _repr_html_(self) -> str:
        return page(self.to_text(), self.name, [
            ("hosts", len(self.hosts)), ("switches", len(self.switches)),
            ("links", lib.call("fabric_link_count", self))])


class Routing(lib.Object):
    """Tables that were found: ``fabric`` has them; load, bound, least, lanes, hops ..."""

    _free = "routing_free"

    def __init__(self, pointer: C.c_void_p, before: Fabric):
        super().__init__(pointer, before)
        self._struct = lib.Routing.from_address(pointer.value)
        self.__dict__.update(lib.figures(self._struct))
        self.fabric = _Routed(C.c_void_p(self._struct.fabric), self)
        hosts = lib.call("fabric_host_count", self.fabric)
        self.lane = lib.array(self._struct.lane, np.uint8, hosts)

    def write(self, path: Path, topo: Optional[Path] = None, file: str = "tables") -> None:
        """Write a file of OpenSM: its "tables", "qos-policy" or "options".

        topo: the output of ibnetdiscover that the fabric was imported from.
        """
        kind = lib.ENUMS["opensm"].index(file)
        with lib.Stream(path, mode="w") as out, \
             (_input(topo) if topo else lib.Stream(data=b"")) as source:
            given = lib.fill(lib.Import, dict(topo=source.file.value, topo_label=str(topo)))
            lib.call("routing_write", self, kind, C.byref(given), out.file)

    def __repr__(self) -> str:
        return f"<Routing: load {self.load:g}, at least {self.least:g}; {self.lanes} lanes>"


class _Routed(Fabric):
    _free = ""              # it is a part of its routing, which _keep keeps


class Choice(lib.Object):
    """Hosts that were chosen, ``lambda_`` of their all-to-all, and that of other choices."""

    _free = "choice_free"

    def __init__(self, pointer: C.c_void_p, fabric: Fabric):
        super().__init__(pointer)
        struct = lib.Choice.from_address(pointer.value)
        self.__dict__.update(lib.figures(struct))
        self.lambda_ = self.__dict__.pop("lambda")
        names = fabric.hosts
        self.hosts = [names[host] for host in
                      lib.array(struct.senders, np.uint32, struct.count)]

    def __repr__(self) -> str:
        return (f"<Choice of {self.count}: lambda {self.lambda_:g}, at random "
                f"{self.random_lambda:g}, at least {self.bound:g}>")

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Schedules, and simulations of them."""
from __future__ import annotations

import ctypes as C
import os
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _library as lib
from .page import draw
from .plan import Plan

if TYPE_CHECKING:
    from .fabric import Fabric, Hosts, Path


class Schedule(lib.Object):
    """Frames of transfers, such that no two of a frame share a link.

    Figures are attributes: length, lower_bound, certificate, duration, fluid_bound, transfers,
    unit_bytes, method, seed, parts ... (``struct liquid_schedule_info``).

    >>> from liquidsched import Fabric
    >>> schedule = Fabric.make("leaf-spine leaves=2 hosts=2 spines=1").solve()
    >>> schedule
    <Schedule of 4 frames, 12 transfers: liquid>
    >>> [len(frame) for frame in schedule.frames]
    [4, 4, 2, 2]
    """

    _free = "schedule_free"

    def __init__(self, pointer: C.c_void_p, fabric: Fabric, traffic: Any = None):
        super().__init__(pointer)
        self.fabric = fabric
        self._traffic = traffic
        info = lib.call("schedule_info", pointer)
        self.__dict__.update(lib.figures(lib.ScheduleInfo.from_address(info)))

    @classmethod
    def read(cls, path: Path, fabric: Fabric) -> Schedule:
        """A schedule of a file, as ``liquid solve -o`` writes it; not verified."""
        from .fabric import _input
        with _input(path) as stream:
            return cls(lib.make("schedule_read_json", stream.file, os.fsencode(path), fabric),
                       fabric)

    def write(self, path: Path) -> None:
        """Write JSON (Documentation/formats-schedule.rst)."""
        with lib.Stream(path, mode="w") as stream:
            lib.call("schedule_write_json", self, self.fabric, stream.file)

    def verify(self) -> None:
        """Raise InvalidError unless schedule, figures and certificate are true on the fabric.

        Of one that was solved, also that it carries the traffic that was asked for.
        """
        lib.call("verify", self.fabric, self._traffic, self, None, None)

    def _list(self) -> tuple[np.ndarray, np.ndarray]:
        found = lib.Transfers()
        lib.call("schedule_list", self, C.byref(found))
        first = lib.array(found.first, np.uint32, self.length + 1)
        transfers = lib.array(found.transfer, np.uint32, 2 * int(first[-1])).reshape(-1, 2)
        return transfers, first

    @property
    def transfers_of_frames(self) -> np.ndarray:
        """All transfers, in the order of frames: rows of frame, source, destination."""
        transfers, first = self._list()
        frame = np.repeat(np.arange(self.length, dtype=np.uint32), np.diff(first))
        return np.column_stack((frame, transfers))

    @property
    def frames(self) -> list[np.ndarray]:
        """By frame, an array of its transfers: rows of source and destination."""
        transfers, first = self._list()
        return np.split(transfers, first[1:-1])

    @property
    def loads(self) -> np.ndarray:
        """Transfers on each link of the fabric (with parts: messages)."""
        if self._traffic is not None:
            return self.fabric._loads(self._traffic)
        count = len(self.fabric.hosts)
        transfers, _ = self._list()
        cells = np.bincount(transfers[:, 0] * np.int64(count) + transfers[:, 1],
                            minlength=count * count)
        return self.fabric.loads(-(-cells.reshape(count, count) // self.parts))

    def simulate(self, **options: Any) -> Simulation:
        """The exchange by this schedule, simulated.

        Options are the members of ``struct liquid_sim_options``, words as in ``liquid simulate``:
        sync ("gates", "tokens", "clock", "order"), switching, queues ("voq", "fifo"), rate_bps,
        message_bytes, jitter, seed ...
        """
        return simulate(self.fabric, None, self, options)

    def plan(self, hosts: Optional[Hosts] = None, cyclic: bool = False) -> Plan:
        """The schedule as each rank lives it; rank r is on the r-th of the hosts."""
        numbers, pointer = lib.address(self.fabric._numbers(hosts))
        given = lib.PlanOptions(pointer, len(numbers), cyclic)
        return Plan(lib.make("plan_make", self.fabric, self, C.byref(given)))

    def __repr__(self) -> str:
        return f"<Schedule of {self.length} frames, {self.transfers} transfers: {self.certificate}>"

    def _repr_html_(self) -> str:
        return draw(f"{self.fabric_name}: a schedule of {self.length} frames",
                    f"{self.transfers} transfers; no schedule has fewer than {self.lower_bound} "
                    f"frames ({self.certificate}, by the method {self.method}).",
                    self.fabric, self.loads, "messages", self._traffic, self)


class Simulation(lib.Object):
    """What was simulated: time_ns, throughput (bytes/s), tokens ... ; by host and by link.

    Figures are attributes, those of ``struct liquid_sim_result``. ``hosts`` and ``links`` are
    structured arrays, such as ``simulation.hosts["end_ns"]``.
    """

    _free = "sim_free"

    def __init__(self, pointer: C.c_void_p, fabric: Fabric):
        super().__init__(pointer)
        self.fabric = fabric
        struct = lib.SimResult.from_address(pointer.value)
        self.__dict__.update(lib.figures(struct))
        self.hosts = lib.array(struct.host, lib.SimHost, struct.host_count)
        self.links = lib.array(struct.link, lib.SimLink, struct.link_count)

    @property
    def share(self) -> float:
        """Of the throughput of a liquid schedule"""
        return self.throughput / self.liquid_throughput

    def __repr__(self) -> str:
        return f"<Simulation: {self.time_ns} ns, {self.throughput * 8e-9:.2f} Gbit/s>"

    def _repr_html_(self) -> str:
        return draw(f"{self.fabric.name}: simulated", f"{self.transfers} messages in "
                    f"{self.time_ns / 1000:.1f} us, {100 * self.share:.1f} % of the liquid "
                    "throughput.", self.fabric, self.links["bytes"], "bytes")


def simulate(fabric: Fabric, traffic: Any, schedule: Optional[Schedule],
             options: dict) -> Simulation:
    """A traffic, or a schedule. Times for which 0 is a value have their default."""
    default = dict.fromkeys(("frame_ns", "guard_ns", "token_ns", "tail_bytes"), (1 << 64) - 1)
    given = lib.fill(lib.SimOptions, {**default, **options})
    return Simulation(lib.make("simulate", fabric, traffic, schedule, C.byref(given)), fabric)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plans and runs: a schedule as each rank of a program goes through it."""
from __future__ import annotations

import ctypes as C
from typing import NamedTuple, Optional, Sequence

import numpy as np

from . import _library as lib


class Plan(lib.Object):
    """For each rank the pieces that it sends, and the tokens that it gives and waits for.

    Figures are attributes: id, ranks, rank, length, cyclic, tokens, unit_bytes ...
    """

    _free = "plan_free"

    def __init__(self, pointer: C.c_void_p):
        super().__init__(pointer)
        self.__dict__.update(lib.figures(lib.PlanInfo.from_address(lib.call("plan_info", pointer))))
        self.piece_count = self.__dict__.pop("pieces")
        self.token_count = self.__dict__.pop("tokens")

    @classmethod
    def read(cls, data: bytes, numbers: Optional[Sequence[int]] = None) -> Plan:
        """The plan of one rank, from its slice; numbers: the ranks' own by those of the plan."""
        numbers, pointer = lib.address(numbers)
        count = 0 if numbers is None else len(numbers)
        return cls(lib.make("plan_read", data, C.c_size_t(len(data)), pointer, count))

    def slice(self, rank: int) -> bytes:
        """What a rank needs, for :meth:`read` on its machine."""
        data, size = C.c_void_p(), C.c_size_t()
        lib.call("plan_slice", self, rank, C.byref(data), C.byref(size))
        found = C.string_at(data, size.value)
        lib._libc.free(data)
        return found

    def _of_rank(self, what: str, kind: type, *args: int) -> np.ndarray:
        count = C.c_uint32()
        found = lib.call("plan_" + what, self, *args, C.byref(count))
        return lib.array(found, kind, count.value)

    def pieces(self, rank: int) -> np.ndarray:
        """A structured array: peer, part, units, parts, frame, frames, lane, slot, waits ..."""
        return self._of_rank("pieces", lib.Piece, rank)

    def tokens(self, rank: int, piece: int) -> np.ndarray:
        """What a rank gives when its piece has left: rank and slot."""
        return self._of_rank("tokens", lib.Token, rank, piece)

    def incoming(self, rank: int) -> np.ndarray:
        """A row for each rank that sends here: peer, pieces, parts, frame."""
        return self._of_rank("incoming", lib.Incoming, rank)

    def givers(self, rank: int) -> np.ndarray:
        """By slot of a rank, who fills it."""
        return self._of_rank("givers", np.uint32, rank)

    def cut(self, rank: int, piece: int, message: int, tail: int = 0) -> tuple[int, int, int]:
        """Where in a message of so many bytes a piece lies: offset, main, tail."""
        cut = lib.Cut()
        one = self.pieces(rank)[piece:piece + 1]
        lib.call("piece_cut", one.ctypes.data_as(C.c_void_p), C.c_uint64(message),
                 C.c_uint64(tail), C.byref(cut))
        return cut.offset, cut.main, cut.tail

    def run(self, rank: Optional[int] = None, sync: str = "tokens", timeout_ns: int = 10**9,
            **options: int) -> Run:
        """A rank's way through the plan; options: timeouts, frame_ns, first_epoch."""
        given = lib.fill(lib.RunOptions, dict(options, sync=sync, timeout_ns=timeout_ns))
        rank = self.rank if rank is None else rank
        return Run(lib.make("run_new", self, C.c_uint32(rank), C.byref(given)), self)

    def __repr__(self) -> str:
        return (f"<Plan of {self.ranks} ranks: {self.length} frames, {self.piece_count} pieces, "
                f"{self.token_count} tokens>")


class Next(NamedTuple):
    """What a run says is to be done: "done", "send", "wait_left", "wait_token", "wait_until"."""

    step: str
    piece: int
    slot: int
    until_ns: int


class Run(lib.Object):
    """A state machine: ask :meth:`next`, do it, and say what has happened.

    >>> from liquidsched import Fabric
    >>> plan = Fabric.make("leaf-spine leaves=2 hosts=1 spines=1").plan([[0, 8], [8, 0]])
    >>> run = plan.run(0)
    >>> run.begin()
    >>> run.next(0).step
    'send'
    >>> run.left(0).size, run.next(0).step, run.stats["sent"]
    (0, 'done', 1)
    """

    _free = "run_free"

    def begin(self, base_ns: int = 0) -> None:
        """Begin an epoch; the one before must be done."""
        lib.call("run_begin", self, C.c_int64(base_ns))

    def next(self, now_ns: int) -> Next:
        found = lib.Next()
        lib.call("run_next", self, C.c_int64(now_ns), C.byref(found))
        return Next(lib.ENUMS["step"][found.step], found.piece, found.slot, found.until_ns)

    def _left(self, what: str, piece: int) -> np.ndarray:
        count = C.c_uint32()
        found = lib.call("run_" + what, self, piece, C.byref(count))
        return lib.array(found, lib.Token, count.value)

    def main_left(self, piece: int) -> np.ndarray:
        """All but the tail of a piece has left: the tokens to give, rank and slot."""
        return self._left("main_left", piece)

    def left(self, piece: int) -> np.ndarray:
        """All of a piece has left: the tokens to give, where main_left() has not had them."""
        return self._left("left", piece)

    def token(self, slot: int, epoch: int) -> None:
        """A token has come."""
        lib.call("run_token", self, slot, C.c_uint64(epoch))

    def clock_lost(self) -> None:
        lib.call("run_clock_lost", self)

    @property
    def stats(self) -> dict[str, int]:
        """epochs, epoch, sent, waits, wait_ns, timeouts, unsynchronised ..."""
        return lib.figures(lib.RunStats.from_address(lib.call("run_stats", self)))

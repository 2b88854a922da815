#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""event-builder.c in Python: ranks of both kinds exchange with each other.

usage: event-builder.py FABRIC RANK BYTES EVENTS ADDRESS:PORT...
"""
import fcntl
import select
import socket
import struct
import sys
import termios
import time

import numpy as np

from liquidsched import Fabric, LiquidError

PATIENCE_S = 10             # for others to start and to go on
LOOK_S = 50e-6              # between looks whether a piece has left
TIMEOUT_NS = 5 * 10**9      # for a token; then a piece goes without


def connect(address, me):
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            to = socket.create_connection(address, PATIENCE_S)
            break
        except OSError as error:
            if time.monotonic() > until:
                raise TimeoutError(f"{address} does not answer: {error}") from error
            time.sleep(0.02)
    to.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    to.sendall(struct.pack("!I", me))
    to.setblocking(False)
    return to


def connect_all(addresses, me):
    """The sockets to send by and to receive from, by rank, and that of tokens"""
    with socket.create_server(addresses[me], backlog=len(addresses)) as listener:
        listener.settimeout(PATIENCE_S)
        tokens = socket.socket(type=socket.SOCK_DGRAM)
        tokens.bind(addresses[me])
        tokens.setblocking(False)
        others = [rank for rank in range(len(addresses)) if rank != me]
        out = {rank: connect(addresses[rank], me) for rank in others}
        into = {}
        while len(into) < len(others):
            one, _ = listener.accept()
            one.settimeout(PATIENCE_S)
            rank, = struct.unpack("!I", one.recv(4, socket.MSG_WAITALL))
            if rank not in others or rank in into:
                raise ConnectionError(f"a stranger has come as rank {rank}")
            one.setblocking(False)
            into[rank] = one
    return out, into, tokens


class Builder:
    def __init__(self, plan, me, size, events, addresses):
        self.plan, self.me, self.size, self.events = plan, me, size, events
        self.addresses = addresses
        self.peers = plan.pieces(me)["peer"]
        self.run = plan.run(me, timeout_ns=TIMEOUT_NS)
        self.out, self.into, self.tokens = connect_all(addresses, me)
        self.got = dict.fromkeys(self.into, 0)
        self.moved = time.monotonic()       # when bytes last went or came

    def fragments(self, src, at, count):
        where = np.arange(at, at + count)
        return (src * 31 + where // self.size * 7 + where % self.size).astype(np.uint8).tobytes()

    def receive(self, rank):
        try:
            data = self.into[rank].recv(1 << 20)
        except BlockingIOError:
            return
        if not data or data != self.fragments(rank, self.got[rank], len(data)):
            raise ConnectionError(f"rank {rank} " + ("sends wrong data" if data else "has ended"))
        self.got[rank] += len(data)
        self.moved = time.monotonic()

    def take_tokens(self):
        try:
            while True:
                slot, _, epoch = struct.unpack("!IIQ", self.tokens.recv(16))
                self.run.token(slot, epoch)
        except BlockingIOError:
            pass

    def send(self, to, rest):
        """Send what the socket takes; what is left of the piece, None when it has left."""
        while rest:
            try:
                rest = rest[to.send(rest):]
                self.moved = time.monotonic()
            except BlockingIOError:
                return rest
        # It has left when the peer's kernel has acknowledged all of it.
        queued, = struct.unpack("i", fcntl.ioctl(to, termios.TIOCOUTQ, bytes(4)))
        return rest if queued else None

    def event(self, number):
        self.run.begin()
        message = memoryview(self.fragments(self.me, number * self.size, self.size))
        rest = step = None
        while True:
            if time.monotonic() > self.moved + PATIENCE_S:
                raise TimeoutError(f"event {number} does not go on: {self.got}")
            waiting = {one: rank for rank, one in self.into.items()
                       if self.got[rank] < self.events * self.size}
            self.take_tokens()
            if rest is None:
                step = self.run.next(time.monotonic_ns())
                if step.step == "send":
                    offset, main, _ = self.plan.cut(self.me, step.piece, self.size)
                    rest, to = message[offset:offset + main], self.out[self.peers[step.piece]]
            patience = 0.1
            if rest is not None:
                rest = self.send(to, rest)
                patience = LOOK_S
                if rest is None:
                    for rank, slot in self.run.left(step.piece).tolist():
                        token = struct.pack("!IIQ", slot, 0, self.run.stats["epoch"])
                        self.tokens.sendto(token, self.addresses[rank])
                    continue
            elif step.step == "done" and all(
                    got >= (number + 1) * self.size for got in self.got.values()):
                return
            ready = select.select([*waiting, self.tokens], [to] if rest else [], [], patience)[0]
            for one in ready:
                if one is not self.tokens:
                    self.receive(waiting[one])


def main(fabric, me, size, events, *addresses):
    me, size, events = int(me), int(size), int(events)
    addresses = [(host, int(port)) for host, port in (text.split(":") for text in addresses)]
    # The same input gives the same plan on every machine.
    ranks = len(addresses)
    plan = Fabric.read(fabric).plan(np.full((ranks, ranks), size), cyclic=True)
    builder = Builder(plan, me, size, events, addresses)
    begun = time.monotonic()
    for number in range(events):
        builder.event(number)
    stats = builder.run.stats
    print(f"rank {me}: {events} events in {(time.monotonic() - begun) * 1e3:.0f} ms, "
          f"{stats['sent']} pieces sent, {stats['unsynchronised']} without a token")


if __name__ == "__main__":
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError, LiquidError) as error:
        sys.exit(f"event-builder: rank {sys.argv[2]}: {error}")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What advise says of remedies, beside a packet simulator that shares no code with the engine's.

usage: [CARRIED=FABRIC] judge-advice.py LIQUID FABRIC OPTION...

All remedies that can be carried out here: other tables and a schedule as its command finds them,
the order of a library. With CARRIED, which has the tables that were carried out, the first one, and
the first with other tables. Cut-through in packets of 4 KiB; a link takes a packet
when there is a credit for it, one of 16 for each buffer and lane; outputs serve their inputs in
turn; a FIFO is read by one packet at a time. Hosts start up to 10 us late; the median of five
starts.
"""
import collections
import heapq
import json
import os
import random
import re
import statistics
import subprocess
import sys

PACKET, HOP, TOKEN, LATE, CREDITS, STARTS, POINTS = 4096, 130, 2000, 10000, 16, 5, 8
WINDOW = {"pairwise": 1, "all-at-once": 10**6, "few-at-once": 8, "tokens": 1}


def liquid(*words):
    return subprocess.run([sys.argv[1], *words], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


class Fabric:
    """Routes as tuples of links by (source, destination), ns of a packet by link, lanes."""

    def __init__(self, path, gigabits):
        self.routes, self.ns = {}, {}
        for line in open(path, encoding="utf-8"):
            if line.startswith("link "):
                _, begin, end, capacity = line.split()
                self.ns[f"{begin}>{end}"] = PACKET * 8 / gigabits / int(capacity)
        for line in liquid("fabric", "show", path, "--routes").splitlines():
            match = re.match(r"(\S+) (\S+): (\S+>.*)", line)
            if match:
                self.routes[match[1], match[2]] = tuple(match[3].split())
        self.hosts = list(dict.fromkeys(src for src, _ in self.routes))
        self.lanes = self.find_lanes()

    def find_lanes(self):
        """A destination goes in the first lane where no links wait for each other in a circle."""
        waits, lanes = collections.defaultdict(set), {}
        for dst in self.hosts:
            edges = {edge for src in self.hosts if src != dst
                     for edge in zip(self.routes[src, dst], self.routes[src, dst][1:])}
            lane = 0
            while has_circle(waits[lane] | edges):
                lane += 1
            waits[lane] |= edges
            lanes[dst] = lane
        return lanes


def has_circle(edges):
    after, before = collections.defaultdict(list), collections.Counter()
    for begin, end in edges:
        after[begin].append(end)
        before[end] += 1
    free = [link for link in after if not before[link]]
    while free:
        for end in after.pop(free.pop(), ()):
            before[end] -= 1
            if not before[end]:
                free.append(end)
    return bool(after)


class Message:
    def __init__(self, fabric, src, dst, packets):
        self.src, self.dst, self.path = src, dst, fabric.routes[src, dst]
        self.lane, self.unsent, self.missing = fabric.lanes[dst], packets, packets
        self.waits, self.then = 0, []


class Run:
    """Of messages by host, in the order of sending"""

    def __init__(self, fabric, queues, messages, window, seed):
        self.ns, self.fifo, self.window = fabric.ns, queues == "fifo", window
        self.now, self.events, self.number = 0, [], 0
        self.ready = {host: collections.deque(some) for host, some in messages.items()}
        self.active = {host: collections.deque() for host in messages}
        self.source = {}
        self.busy, self.read, self.turn = set(), set(), collections.Counter()
        self.credit = collections.defaultdict(lambda: CREDITS)
        self.queue = collections.defaultdict(collections.deque)
        self.inputs = collections.defaultdict(list)
        draw = random.Random(seed)
        for host, some in messages.items():
            self.source[some[0].path[0]] = None
            self.put(draw.uniform(0, LATE), self.begin, host, some[0].path[0])
        for some in messages.values():
            for message in some:
                for link, after in zip(message.path, message.path[1:]):
                    key = (link, message.lane, "" if self.fifo else after)
                    if key not in self.inputs[after]:
                        self.inputs[after].append(key)
        while self.events:
            self.now, _, call, *words = heapq.heappop(self.events)
            call(*words)
        if any(self.ready.values()) or any(self.active.values()):
            raise RuntimeError("messages that have not arrived")

    def put(self, after, call, *words):
        self.number += 1
        heapq.heappush(self.events, (self.now + after, self.number, call, *words))

    def begin(self, host, link):
        self.source[link] = host
        self.serve(link)

    def send(self, link, host):
        ready, active = self.ready[host], self.active[host]
        while ready and len(active) < self.window and not ready[0].waits:
            active.append(ready.popleft())
        for _ in range(len(active)):
            message = active[0]
            if message.unsent:
                if not self.credit[link, message.lane]:
                    return
                message.unsent -= 1
                active.rotate(-1)
                if message.unsent == int(0.8 * TOKEN / self.ns[link]):
                    self.put(TOKEN, self.give, message)
                self.start(link, None, message, 0)
                return
            active.rotate(-1)

    def give(self, message):
        for other in message.then:
            other.waits -= 1
            self.serve(other.path[0])

    def start(self, link, key, message, hop):
        self.busy.add(link)
        if key and self.fifo:
            self.read.add(key)
        self.put(self.ns[link], self.end, link, key, message, hop)
        if hop + 1 < len(message.path):
            after = message.path[hop + 1]
            self.credit[link, message.lane] -= 1
            packet = [message, hop + 1, False]
            self.queue[link, message.lane, "" if self.fifo else after].append(packet)
            self.put(HOP + max(0, self.ns[link] - self.ns[after]), self.come, packet, after)

    def come(self, packet, link):
        packet[2] = True
        self.serve(link)

    def serve(self, link):
        if link in self.busy:
            return
        if link in self.source:
            if self.source[link] is not None:
                self.send(link, self.source[link])
            return
        inputs = self.inputs[link]
        for i in range(len(inputs)):
            at = (self.turn[link] + i) % len(inputs)
            key, queue = inputs[at], self.queue[inputs[at]]
            if queue and queue[0][2] and key not in self.read:
                message, hop, _ = queue[0]
                last = hop + 1 == len(message.path)
                if message.path[hop] == link and (last or self.credit[link, message.lane]):
                    self.turn[link] = at + 1
                    queue.popleft()
                    self.start(link, key, message, hop)
                    return

    def end(self, link, key, message, hop):
        self.busy.discard(link)
        if hop + 1 == len(message.path):
            message.missing -= 1
            if not message.missing:
                self.active[message.src].remove(message)
                self.serve(message.path[0])
        self.serve(link)
        if key:
            self.credit[key[:2]] += 1
            self.read.discard(key)
            self.serve(key[0])
            if self.fifo and self.queue[key]:
                self.serve(self.queue[key][0][0].path[self.queue[key][0][1]])


def messages_of(fabric, packets, frames):
    """Pairwise: in step k to the k-th next host. Or by frames, with the tokens of their links."""
    hosts, users, lists = fabric.hosts, collections.defaultdict(list), {}
    if not frames:
        return {src: [Message(fabric, src, hosts[(i + k) % len(hosts)], packets)
                      for k in range(1, len(hosts))] for i, src in enumerate(hosts)}
    for src, dst in (pair for frame in frames for pair in frame):
        message = Message(fabric, src, dst, packets)
        lists.setdefault(src, []).append(message)
        for link in message.path:
            width = round(max(fabric.ns.values()) / fabric.ns[link])
            if len(users[link]) >= width:
                before = users[link][-width]
                if before.src != src and message not in before.then:
                    before.then.append(message)
                    message.waits += 1
            users[link].append(message)
    return lists


def microseconds(fabric, order, queues, packets, frames):
    return statistics.median(
        Run(fabric, queues, messages_of(fabric, packets, frames), WINDOW[order], seed).now / 1000
        for seed in range(STARTS))


def frames_of(path):
    liquid("solve", path, "--work", "400000000", "-o", path + ".schedule")
    with open(path + ".schedule", encoding="utf-8") as file:
        return json.load(file)["frames"]


def main():
    path, options = sys.argv[2], sys.argv[3:]
    advice = json.loads(liquid("advise", path, "--json", *options))
    packets = advice["pair_bytes"] // PACKET
    gigabits = advice["pair_bytes"] * 8 / advice["pair_ns"]
    remedies = [r for r in advice["remedies"] if r["order"] in WINDOW and not r["other_nodes"]]
    lanes = ["--lanes", "4"] if " --lanes 4" in str([r["command"] for r in remedies]) else []
    other = os.environ.get("CARRIED")
    if other:
        tables = [r for r in remedies if r["routes"] == "other"][0]
        remedies = remedies[:1] if remedies[0] == tables else [remedies[0], tables]
    else:
        other = path + ".other"
        liquid("route", path, "--work", "400000", "-o", other, *lanes)
    places = {"present": Fabric(path, gigabits), "other": Fabric(other, gigabits)}
    frames = {"present": frames_of(path), "other": frames_of(other)}
    print(f"# {path}: points that advise and the judge say are gained")
    times, bad = {}, []
    for remedy in [advice["today"]] + remedies:
        place, best = remedy["routes"], advice["at_best_us"]
        for queues in ("fifo", "voq"):
            us = microseconds(places[place], remedy["order"], queues, packets,
                              frames[place] if remedy["order"] == "tokens" else None)
            times[remedy["name"], queues] = us
            says = 100 * (best / remedy["us"][queues] - best / advice["today"]["us"][queues])
            judges = 100 * (best / us - best / times[advice["today"]["name"], queues])
            print(f"# {remedy['name']:36} {queues:4} {remedy['us'][queues]:8.1f} {us:8.1f} us,"
                  f" {says:+6.1f} {judges:+6.1f}{' *' if remedy['recommended'] else ''}")
            if remedy["recommended"] and queues == "voq" and (abs(says - judges) > POINTS or
                                                              judges <= 0):
                bad.append(remedy["name"])
    least = min(us for (_, queues), us in times.items() if queues == "voq")
    print("not ok" if bad else "ok",
          f"- {path}: remedies gain what is said, within {POINTS} points", *bad)
    first = times[remedies[0]["name"], "voq"]
    right = first <= 1.07 * least
    print("ok" if right else "not ok", f"- {path}: the first remedy is among the best",
          "" if right else f"({first:.1f} us, another one {least:.1f})")
    sys.exit(bool(bad) or not right)


main()

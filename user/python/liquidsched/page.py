# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the program ``liquid`` says and draws: it runs as a child, found by LIQUID or PATH."""
from __future__ import annotations

import ctypes as C
import html
import json
import os
import subprocess
import tempfile
from typing import Any, Iterable, Sequence

from . import _library as lib


def _liquid(fabric: str, arguments: Sequence[str]) -> str:
    """What ``liquid`` prints, of a fabric on its stdin"""
    program = os.environ.get("LIQUID") or "liquid"
    try:
        child = subprocess.run([program, *arguments], input=fabric, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise lib.FileError(f"the program liquid does not run: {error}") from error
    if child.returncode:
        raise lib.InputError(_messages(child.stderr) or
                             f"liquid has ended with {child.returncode}")
    return child.stdout


def _messages(text: str) -> str:
    """The text of messages, which are an object a line where the program prints JSON"""
    said = []
    for line in text.splitlines():
        try:
            line = json.loads(line)["text"]
        except (ValueError, KeyError, TypeError):
            pass
        said.append(line)
    return "\n".join(said)


def table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """A plain table of HTML"""
    cells = "".join(f"<tr><th>{html.escape(key)}</th><td>{html.escape(str(value))}</td></tr>"
                    for key, value in rows)
    return f"<table><caption>{html.escape(title)}</caption>{cells}</table>"


def frame(text: str) -> str:
    """A page in a frame of a notebook"""
    return (f'<iframe srcdoc="{html.escape(text)}" width="100%" height="800" '
            'style="border:0"></iframe>')


def draw(title: str, text: str, fabric: Any, load: Any, unit: str, traffic: Any = None,
         schedule: Any = None) -> str:
    """The page of the library: a fabric with a load by link, and the frames of a schedule"""
    _, load = lib.address(load, "u8")
    pointers = [getattr(thing, "_as_parameter_", None) for thing in (fabric, traffic, schedule)]
    fabric, traffic, schedule = pointers
    view = lib.View(b"the tables", fabric, C.cast(load, C.c_void_p), unit.encode(), traffic,
                    schedule)
    given = lib.Page(title.encode(), text.encode(), C.cast(C.byref(view), C.c_void_p), 1)
    with lib.Stream(mode="w") as stream:
        lib.call("page_write", C.byref(given), stream.file)
    return frame(stream.take().decode())


def page(fabric: str, title: str, rows: Iterable[tuple[str, Any]],
         options: Sequence[str] = ()) -> str:
    """The page of ``liquid advise --html`` in a frame, or a table where liquid makes none."""
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "page.html")
        try:
            _liquid(fabric, ["advise", "-", "--html", path, *options])
            with open(path, encoding="utf-8") as file:
                return frame(file.read())
        except (lib.LiquidError, OSError):
            return table(title, rows)


class Advice(dict):
    """The JSON of ``liquid advise``; in a notebook, its page."""

    def __init__(self, fabric: str, options: Sequence[str] = ()):
        super().__init__(json.loads(_liquid(fabric, ["advise", "-", "--json", *options])))
        self._asked = fabric, options

    def _repr_html_(self) -> str:
        fabric, options = self._asked
        rows = [(key, value) for key, value in self.items() if not isinstance(value, (list, dict))]
        return page(fabric, self["fabric"], rows, options)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fabrics, liquid schedules, routes, plans and simulations, by libliquidsched.

>>> import liquidsched
>>> fabric = liquidsched.Fabric.make("fat-tree k=4")
>>> schedule = fabric.solve()
>>> schedule.length, schedule.lower_bound, schedule.certificate
(15, 15, 'liquid')

Documentation/python.rst is a first reading. Words are those of liquid(7).
"""
from ._library import FileError, InputError, InvalidError, LiquidError
from .fabric import Choice, Fabric, Routing
from .page import Advice
from .plan import Next, Plan, Run
from .schedule import Schedule, Simulation

__all__ = ["Advice", "Choice", "Fabric", "FileError", "InputError", "InvalidError", "LiquidError",
           "Next", "Plan", "Routing", "Run", "Schedule", "Simulation"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions of the profiler: trees of names with the times of what ran under them."""

from __future__ import annotations

import threading
from time import perf_counter_ns

from eft import _runtime


class Node:
    """A scope or a kernel in a tree.

    Attributes:
        metrics: the numbers that were added under its name.
        children: the nodes within, by name.
        marks: the pairs of events around its launches that are not read yet.
    """

    def __init__(self, name: str):
        self.name = name
        self.metrics = {}
        self.children = {}
        self.marks = []

    def child(self, name: str) -> Node:
        return self.children.setdefault(name, Node(name))

    def add(self, metrics: dict):
        for name, value in metrics.items():
            self.metrics[name] = self.metrics.get(name, 0) + value

    def read_marks(self):
        """Adds the times between events, for which this waits."""
        for start, end in self.marks:
            end.synchronize()
            self.add({"time (ns)": end.elapsed_ms(start) * 1e6})
        self.marks.clear()
        for each in self.children.values():
            each.read_marks()

    def as_tree(self) -> dict:
        return {
            "frame": {"name": self.name, "type": "function"},
            "metrics": self.metrics,
            "children": [each.as_tree() for each in self.children.values()],
        }


class Session:
    """One profile.

    Attributes:
        name: the name of its file, without the suffix.
        is_active: whether it takes what happens.
        root: its tree.
    """

    def __init__(self, name: str):
        self.name = name
        self.is_active = True
        self.root = Node("ROOT")

    def node(self) -> Node:
        """Where the thread is now: in its scopes."""
        node = self.root
        for name in scopes():
            node = node.child(name)
        return node


sessions: dict[int, Session] = {}
_thread = threading.local()


def active() -> list[Session]:
    return [each for each in sessions.values() if each.is_active]


def scopes() -> list[str]:
    """The names of the scopes that this thread is in, outermost first."""
    if not hasattr(_thread, "scopes"):
        _thread.scopes = []
    return _thread.scopes


def before_launch(metadata):
    """Begins to time a launch."""
    device = metadata.data["function"].device
    if device < 0:
        _thread.start = perf_counter_ns()
    else:
        _thread.start = _runtime.CudaEvent(device)
        _thread.start.record(metadata.data["stream"])


def after_launch(metadata):
    """Notes the time of a launch, with the metrics that the kernel's `launch_metadata` gives."""
    facts = dict(metadata.get())
    device = facts.pop("function").device
    stream, name = facts.pop("stream"), facts.pop("name")
    elapsed, marks = {}, []
    if device < 0:
        elapsed = {"time (ns)": perf_counter_ns() - _thread.start}
    else:
        end = _runtime.CudaEvent(device)
        end.record(stream)
        marks = [(_thread.start, end)]
    numbers = {key: value for key, value in facts.items() if isinstance(value, int | float)}
    for session in active():
        node = session.node().child(str(name))
        node.add({"count": 1, **elapsed, **numbers})
        node.marks += marks

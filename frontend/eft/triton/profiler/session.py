# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions of the profiler. A session is a tree of scopes and kernels with their metrics, such
as the times of launches."""

from __future__ import annotations

import threading
from time import perf_counter_ns

from eft import _runtime


class Node:
    """A scope or a kernel in the tree of a session.

    Attributes:
        name: the name of the scope or the kernel.
        metrics: the sums of the numbers that were added, by the name of the metric.
        children: the scopes and kernels inside this scope, by name.
        marks: the pairs of events around the kernel's launches whose times are not added yet.
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
        """Waits for the events in `marks` of this node and all nodes below it, and adds the times
        between them to the metrics."""
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
    """A session of the profiler.

    Attributes:
        name: the name of the file that `finalize` writes, without its suffix.
        is_active: whether the session records launches and metrics.
        root: the root of its tree.
    """

    def __init__(self, name: str):
        self.name = name
        self.is_active = True
        self.root = Node("ROOT")

    def node(self) -> Node:
        """Returns the node of the scope that the calling thread is in. Creates the node if
        necessary."""
        node = self.root
        for name in scopes():
            node = node.child(name)
        return node


sessions: dict[int, Session] = {}
_thread = threading.local()


def active() -> list[Session]:
    return [each for each in sessions.values() if each.is_active]


def scopes() -> list[str]:
    """Returns the names of the scopes that this thread is in, the outermost first."""
    if not hasattr(_thread, "scopes"):
        _thread.scopes = []
    return _thread.scopes


def before_launch(metadata):
    """The hook before launches: takes the start time, or records the start event on a GPU."""
    device = metadata.data["function"].device
    if device < 0:
        _thread.start = perf_counter_ns()
    else:
        _thread.start = _runtime.CudaEvent(device)
        _thread.start.record(metadata.data["stream"])


def after_launch(metadata):
    """The hook after launches: adds the time of the launch, and the metrics that the kernel's
    `launch_metadata` returns, to all active sessions."""
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

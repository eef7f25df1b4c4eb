"""What a model is given: events, and the setup that it is built from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Task = Literal["nc", "lp"]
FeatureUse = Literal["ignored", "optional", "required"]

LARGEST = 1e15
"""Features and times beyond this are refused before a model is called."""

UNLABELLED = -1
"""The label of an event whose class is unknown."""


class Refused(ValueError):
    """An input that cannot be answered. The model has not been called, or has not changed."""


@dataclass(frozen=True)
class Events:
    """Consecutive events of the stream, one row an event.

    The arrays are copies: a model may keep them and write to them.
    """

    number: NDArray[np.int64]
    """In the whole stream, ascending. No answer may depend on it but for the order. Shape (n,)."""
    source: NDArray[np.int64]
    """Nodes, 0 to num_nodes - 1. Shape (n,)."""
    destination: NDArray[np.int64]
    """Nodes. Shape (n,)."""
    time: NDArray[np.float64]
    """Seconds since the first event of the dataset; never decreasing. Shape (n,)."""
    features: NDArray[np.float32]
    """Shape (n, num_features)."""
    label: NDArray[np.int8] | None = None
    """0, 1, or -1 where unknown. Shape (n,); None in all calls but train and learn."""

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Events:
        """The events of a slice, or of an array of rows or booleans."""
        label = None if self.label is None else self.label[rows]
        return Events(self.number[rows], self.source[rows], self.destination[rows], self.time[rows], self.features[rows], label)

    def without_labels(self) -> Events:
        return replace(self, label=None)

    def last(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Each node of the events once, the other node of its last event, and that event's row. Shape (k,) each."""
        nodes = np.column_stack([self.source, self.destination]).ravel()
        others = np.column_stack([self.destination, self.source]).ravel()
        node, from_end = np.unique(nodes[::-1], return_index=True)
        at = len(nodes) - 1 - from_end
        return node, others[at], at // 2

    @staticmethod
    def concatenate(parts: list[Events], num_features: int) -> Events:
        """All events of the parts, without labels."""
        none = np.zeros(0, np.int64)
        parts = [Events(none, none, none, np.zeros(0), np.zeros((0, num_features), np.float32)), *parts]
        columns = ([getattr(part, name) for part in parts] for name in ("number", "source", "destination", "time", "features"))
        return Events(*map(np.concatenate, columns))


@dataclass(frozen=True)
class Setup:
    """What a model is built from."""

    task: Task
    """ "nc" for node classification, "lp" for link prediction."""
    num_nodes: int
    num_users: int
    """Sources are below it and destinations are not; 0 if any node may be either."""
    num_features: int
    columns: list[str]
    """Names of the features; empty where they have none."""
    max_batch: int
    """Events that a batch has at most."""
    seed: int
    threads: int
    """Processor threads that the model may use."""
    options: dict[str, Any]
    """What stands under options.model in the specification."""
    train: Events
    """The training part, without labels, for what is fixed before training."""

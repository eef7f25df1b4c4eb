"""Random streams for checks of mechanics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..events import Events

USERS, ITEMS, FEATURES = 12, 7, 3
NODES = USERS + ITEMS
BATCH = 10
EVENTS = 16 * BATCH
EVERYONE: NDArray[np.int64] = np.arange(NODES)


def random(seed: int, n: int = EVENTS) -> Events:
    """A bipartite stream without structure: repeated pairs, equal times, some events without label."""
    rng = np.random.default_rng(seed)
    return Events(
        number=np.arange(n),
        source=rng.integers(0, USERS, n),
        destination=rng.integers(USERS, NODES, n),
        time=rng.integers(0, 3, n).cumsum().astype(np.float64),
        features=rng.standard_normal((n, FEATURES)).astype(np.float32),
        label=rng.integers(-1, 2, n).astype(np.int8),
    )


def batches(stream: Events, size: int = BATCH) -> list[Events]:
    return [stream[lo : lo + size] for lo in range(0, len(stream), size)]


def redrawn(batch: Events, but: int, keep: tuple[str, ...]) -> Events:
    """The batch with all drawn anew but the times, and of one event the columns of keep. Many events get a node of that one."""
    other = random(99, len(batch))
    columns = {name: getattr(other, name).copy() for name in ("source", "destination", "features", "label")}
    columns["source"][::3] = batch.source[but]
    columns["destination"][1::3] = batch.destination[but]
    columns["destination"][but] = USERS + (batch.destination[but] - USERS + 1) % ITEMS
    for name in keep:
        columns[name][but] = getattr(batch, name)[but]
    return replace(batch, **columns)


def negatives(batch: Events) -> NDArray[np.int64]:
    """A destination for every event."""
    return USERS + (3 * np.arange(len(batch)) + batch.source) % ITEMS

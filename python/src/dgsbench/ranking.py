"""Ranks from scores: how many negatives score above and level with the true destination."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .events import Events

Counts = NDArray[np.int32]
Scores = NDArray[np.float32]
Score = Callable[[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]], Scores]

PER_CALL = 1 << 24
"""Scores that a model is asked for at once."""


def matrix(score: Score, events: Events, candidates: NDArray[np.int64]) -> Scores:
    """The score of each event's destination, in the first column, and those of the candidates, ascending.

    All scores of an event come from one call, so that equal ones are equal to the last bit. The
    call does not tell which node is the true destination.
    """
    nodes = np.union1d(candidates, events.destination)
    true, columns = np.searchsorted(nodes, events.destination), np.searchsorted(nodes, candidates)
    out = np.empty((len(events), 1 + len(candidates)), np.float32)
    step = max(1, PER_CALL // max(1, len(nodes)))
    for lo in range(0, len(events), step):
        rows = slice(lo, lo + step)
        block = score(events.source[rows], events.time[rows], nodes)
        out[rows, 0] = block[np.arange(len(block)), true[rows]]
        out[rows, 1:] = block if len(columns) == len(nodes) else block[:, columns]
    return out


def counts(scores: Scores, destination: NDArray[np.int64], candidates: NDArray[np.int64], without: list[list[int]] | None) -> tuple[Counts, Counts]:
    """Negatives above and level with the true destination, whose scores are the first column.

    Negatives are the candidates but the event's destination and the nodes that without lists.
    """
    true = scores[:, :1]
    greater = (scores[:, 1:] > true).sum(1, dtype=np.int32)
    equal = (scores[:, 1:] == true).sum(1, dtype=np.int32)
    left = [np.union1d(own, [] if without is None else without[k]).astype(np.int64) for k, own in enumerate(destination)]
    rows, nodes = np.repeat(np.arange(len(left)), [len(row) for row in left]), np.concatenate([*left, np.empty(0, np.int64)])
    place = np.searchsorted(candidates, nodes)
    found = np.append(candidates, -1)[place] == nodes
    rows, place = rows[found], place[found]
    at = scores[rows, 1 + place]
    np.subtract.at(greater, rows, at > true[rows, 0])
    np.subtract.at(equal, rows, at == true[rows, 0])
    return greater, equal

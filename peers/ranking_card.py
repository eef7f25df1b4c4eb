"""Ranking of a test part against all nodes by PyTorch on a card: eager and compiled, in batches of 200 events.

usage: python ranking_card.py STREAM.csv [-tiny]

Wikipedia's size, whatever the stream: 23,621 events, 9,227 nodes, 100 hidden
units, random numbers. The scores of all events at once would be 87 GB on
their way, so PyTorch has no one question.
"""

import time

import torch
from common_card import DEVICE, TINY, alternate, each, warmed, wait

EVENTS, NODES, UNITS, BATCH = (50, 130, 20, 20) if TINY else (23_621, 9_227, 100, 200)


def rank(u, p, w, true):
    """Candidates above and level with the true one, itself left out."""
    scores = (u[:, None] + p[None]).relu() @ w
    return count(scores, true)


def rank_in_one_pass(u, p, w, true):
    """For torch.compile, which fuses the sum; a product with a vector it would leave to a library."""
    return count(((u[:, None] + p[None]).relu() * w).sum(-1), true)


def count(scores, true):
    truth = scores.gather(1, true[:, None])
    return torch.stack([(scores > truth).sum(1), (scores == truth).sum(1) - 1])


class Ranking:
    """A way to rank all events: counts are in out."""

    def __init__(self, way, step, numbers):
        self.way, self.step, self.numbers, self.times = way, step, numbers, []
        self.out = torch.full((2, EVENTS), -1, device=DEVICE)

    def timed(self):
        u, p, w, true = self.numbers
        wait()
        begin = time.perf_counter()
        for lo in range(0, EVENTS, BATCH):
            self.out[:, lo : lo + BATCH] = self.step(u[lo : lo + BATCH], p, w, true[lo : lo + BATCH])
        wait()
        return time.perf_counter() - begin


@torch.inference_mode()
def measure(model):
    shapes = (EVENTS, UNITS), (NODES, UNITS), (UNITS,)
    numbers = [torch.randn(*shape, device=DEVICE) for shape in shapes] + [torch.randint(NODES, (EVENTS,), device=DEVICE)]
    sides = [Ranking("PyTorch, eager", rank, numbers)]
    if not TINY:
        sides.append(Ranking("PyTorch, compiled", torch.compile(rank_in_one_pass), numbers))
    sides = [side for side in sides if warmed(side)]
    for side in sides:
        # Scores that are level but for rounding may change sides.
        apart = (side.out - sides[0].out).abs()
        if apart.max() > 2 or (apart > 0).float().mean() > 0.02:
            raise ValueError(f"{side.way}: other counts than eager")
    alternate("ranking", model, sides)


each(["all nodes"], measure)

"""Inference of Deep-Graph-Sprints by PyTorch on a card: eager, compiled, and one CUDA graph of all batches.

usage: python dgs_card.py STREAM.csv [-tiny]

The last 200 batches of 200 events of a stream (see common_card.py) with random
states, all of it on the card; ten rounds, the three in turns.
"""

import sys

import torch
from common_card import BATCH, DEVICE, FEATURES, HIDDEN, TINY, Stream, alternate, each, last_rows, padded, sides_of

SIZES = {"dgs": (12, 4) if TINY else (100, 50), "dgs+size-250": (250, 50)}  # s, m


class DGS:
    """Equation 2 of the paper with a head, as in dgs_inference.py."""

    def __init__(self, s, m):
        self.s, self.m = s, m
        self.W = torch.randn(FEATURES, s, device=DEVICE) / FEATURES**0.5
        self.alpha, self.beta = torch.rand(s, device=DEVICE), torch.rand(s, device=DEVICE)
        self.head = torch.nn.Sequential(torch.nn.Linear(s, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)).to(DEVICE)

    def step(self, S, u, v, nodes, last, x):
        """Logits of a batch, which is folded into S: of several writes to a node the last one stays."""
        a, b = self.alpha, self.beta
        e = torch.softmax((x @ self.W).view(-1, self.m, self.s // self.m), -1).view(-1, self.s)
        su, sv = S[u], S[v]
        base = (1 - a) * e
        nu, nv = b * su + (1 - b) * (base + a * sv), b * sv + (1 - b) * (base + a * su)
        S[nodes] = torch.cat([nu, nv])[last]
        return self.head(nu).squeeze(1)


def batches(stream):
    """(u, v, nodes, last, x) of every batch; last are the rows of [u, v] that stay, by node."""
    windows = stream.measured()
    last = padded([last_rows(stream, w) for w in windows])
    out = []
    for w, rows in zip(windows, last):
        u, v = stream.src[w], stream.dst[w]
        out.append([t.to(DEVICE) for t in (u, v, torch.cat([u, v])[rows], rows, stream.x[w])])
    return out


@torch.inference_mode()
def main(path):
    stream = Stream(path)
    todo = batches(stream)

    def measure(name):
        s, m = SIZES[name]
        state = [torch.rand(stream.nodes, s, device=DEVICE)]
        alternate("inference", name, sides_of(DGS(s, m).step, todo, state))

    each(SIZES, measure)


main(sys.argv[1])

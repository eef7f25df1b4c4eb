"""Epochs of Deep-Graph-Sprints' exact training by PyTorch on a card, for link prediction and classification.

usage: python dgs_training_card.py STREAM.csv [-tiny]

Real-time recurrent learning of alpha, beta and W with full Jacobians:
PyTorch's autograd cannot reach the start of the stream. dgs_training.py
compares the losses with ours.
"""

import sys
from typing import NamedTuple

import torch
from common_card import DEVICE, FEATURES, HIDDEN, TINY, Stream, each, last_rows
from torch import Tensor, nn
from training_card import cross_entropy, epochs, link_targets, on_card, training_part

HEAD_RATE, RATE = 1e-3, 30.0  # of Adam for the head, of SGD for the rest


class Batch(NamedTuple):
    ends: Tensor  # sources, destinations and, for links, negatives
    nodes: Tensor  # each of them once
    rows: Tensor  # of the ends among the nodes
    selves: Tensor  # each node of an event once, with the
    others: Tensor  # node that it met last, and the
    events: Tensor  # row of that event
    x: Tensor
    targets: Tensor


class DGS:
    """The states S with their derivatives by alpha (A), beta (B) and W (J), all at once for a batch."""

    def __init__(self, nodes, s, m, temperature=2, rate=RATE, dropout=0.1):
        self.s, self.m, self.h, self.temperature = s, m, s // m, temperature
        self.W = ((torch.rand(s, FEATURES, device=DEVICE) * 2 - 1) / FEATURES**0.5).requires_grad_()
        self.la, self.lb = (torch.randn(s, device=DEVICE, requires_grad=True) for _ in range(2))
        layers = nn.Linear(self.head_states * s, HIDDEN), nn.ReLU(), nn.Dropout(dropout), nn.Linear(HIDDEN, 1)
        self.head = nn.Sequential(*layers).to(DEVICE)
        self.adam = torch.optim.Adam(self.head.parameters(), lr=HEAD_RATE, fused=DEVICE == "cuda")
        self.sgd = torch.optim.SGD([self.la, self.lb, self.W], lr=rate, fused=DEVICE == "cuda")
        self.S, self.A, self.B = (torch.zeros(nodes, s, device=DEVICE) for _ in range(3))
        self.J = torch.zeros(m, nodes, self.h, self.h, FEATURES, device=DEVICE)  # block by block, as contract needs them
        self.eye = torch.eye(self.h, device=DEVICE)

    def reset(self):
        for table in self.S, self.A, self.B, self.J:
            table.zero_()

    def step(self, batch):
        """Trains on a batch and folds it in, with the parameters that scored; gives the loss."""
        a, b, e = self.la.sigmoid(), self.lb.sigmoid(), self.embed(batch.x)
        states = self.S[batch.ends].requires_grad_()
        loss = self.loss(states, a, b, e, batch.targets)
        loss.backward()
        with torch.no_grad():
            self.contract(batch, states.grad, a, b)
            self.advance(batch, a, b, e)
        for optimiser in self.adam, self.sgd:
            optimiser.step()
            optimiser.zero_grad()
        return loss.detach()

    def embed(self, x):
        """E of events, block by block."""
        return torch.softmax((x @ self.W.T).view(-1, self.m, self.h) / self.temperature, -1)

    def contract(self, batch, g, a, b):
        """Adds to the gradients what the loss owes to the states from before the batch, whose own are g."""
        c = torch.zeros(len(batch.nodes), self.s, device=DEVICE).index_add_(0, batch.rows, g)
        ga, gb = (c * self.A[batch.nodes]).sum(0) * a * (1 - a), (c * self.B[batch.nodes]).sum(0) * b * (1 - b)
        gW = torch.einsum("nmi,mnijf->mjf", c.view(-1, self.m, self.h), self.J[:, batch.nodes]).reshape(self.s, -1)
        for p, past in (self.la, ga), (self.lb, gb), (self.W, gW):
            p.grad = past if p.grad is None else p.grad + past

    def advance(self, batch, a, b, e):
        """Folds the batch into states and derivatives."""
        selves, others, e, x = batch.selves, batch.others, e[batch.events], batch.x[batch.events]
        E, S, So = e.view(-1, self.s), self.S[selves], self.S[others]
        new = (1 - a) * E + a * So
        nA = torch.lerp(So - E + a * self.A[others], self.A[selves], b)
        nB = S - new + torch.lerp(a * self.B[others], self.B[selves], b)
        e, aa, bb = e.transpose(0, 1), a.view(self.m, 1, self.h, 1, 1), b.view(self.m, 1, self.h, 1, 1)
        drive = (1 - aa) / self.temperature * (e[..., None] * (self.eye - e[:, :, None, :]))[..., None]
        nJ = torch.lerp(torch.addcmul(aa * self.J[:, others], drive, x[:, None, None, :]), self.J[:, selves], bb)
        self.S[selves], self.A[selves], self.B[selves], self.J[:, selves] = torch.lerp(new, S, b), nA, nB, nJ


class Links(DGS):
    """The head sees the states of source and destination from before the batch."""

    task, head_states = "link prediction", 2

    @staticmethod
    def ends_and_targets(stream, w):
        return [stream.src[w], stream.dst[w], stream.negative[w]], link_targets(w.stop - w.start)

    def loss(self, states, a, b, e, targets):
        n = len(targets) // 2
        logits = self.head(torch.cat([states[:n].repeat(2, 1), states[n:]], 1)).squeeze(1)
        return 2 * cross_entropy(logits, targets)  # the sum of the means of both halves


class Labels(DGS):
    """The head sees the source's state after the event."""

    task, head_states = "node classification", 1

    @staticmethod
    def ends_and_targets(stream, w):
        return [stream.src[w], stream.dst[w]], stream.label[w].float()

    def loss(self, states, a, b, e, targets):
        u, v = states.chunk(2)
        after = torch.lerp((1 - a) * e.view(-1, self.s) + a * v, u, b)
        return cross_entropy(self.head(after).squeeze(1), targets)


def batches(stream, windows, kind):
    """What is known beforehand of the batches for Links or Labels."""
    return [on_card(batch_of(stream, w, kind)) for w in windows]


def batch_of(stream, w, kind):
    ends, targets = kind.ends_and_targets(stream, w)
    nodes, rows = torch.cat(ends).unique(return_inverse=True)
    u, v, *_ = ends
    keep = torch.tensor(last_rows(stream, w))
    selves, others = torch.cat([u, v])[keep], torch.cat([v, u])[keep]
    return Batch(torch.cat(ends), nodes, rows, selves, others, keep % len(u), stream.x[w], targets)


SIZES = {"dgs": (12, 4)} if TINY else {"dgs+size-250": (250, 50), "dgs": (100, 50)}  # s, m
KINDS = {"dgs+size-250": [Links], "dgs": [Links, Labels]}


def main(path):
    stream = Stream(path)

    def measure(name):
        for kind in KINDS[name]:
            todo = batches(stream, training_part(stream), kind)
            epochs(kind.task, name, kind(stream.nodes, *SIZES[name]), todo)

    each(SIZES, measure)


if __name__ == "__main__":
    main(sys.argv[1])

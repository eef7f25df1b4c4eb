"""Epochs of TGN-ID's, Jodie's and TGN-attn's training for link prediction by PyTorch on a card.

usage: python tgn_training_card.py STREAM.csv [-tiny]

The mathematics of PyTorch Geometric's module: a memory is read with its
node's last message applied, which is as far as the gradient reaches, and what
was read of a batch's own nodes is kept. tgn_training.py compares the losses of
all three models with those of PyTorch Geometric and ours.
"""

import sys
from typing import NamedTuple

import torch
from common_card import DEVICE, Stream, each, last_rows
from tgn_card import NEIGHBOURS, SIZE, Conv, Memory, Rings
from torch import Tensor, nn
from training_card import EVENTS, cross_entropy, epochs, link_targets, on_card, training_part

RATE = 1e-3  # of Adam


class Batch(NamedTuple):
    nodes: Tensor  # whose memories are read: those of the batch's events, its negatives, then neighbours of both
    own: Tensor  # those of the events, the first of them
    others: Tensor  # of each node's last message: the sender,
    events: Tensor  # the event,
    since: Tensor  # the time from the update before to there,
    heard: Tensor  # and whether there is one
    ends: Tensor  # rows of sources, destinations and negatives among the nodes
    targets: Tensor
    elapsed: Tensor  # for Jodie: scaled times since the ends' last updates
    near: Tensor  # for TGN-attn, of each node that is not only a neighbour: rows of its last neighbours,
    edges: Tensor  # the events with them,
    ages: Tensor  # the times from there to the neighbour's update,
    there: Tensor  # and which of them there are


class Past:
    """What the stream so far says of its nodes: last messages, times and neighbours. It needs no model."""

    def __init__(self, stream, reach):
        self.stream, n = stream, stream.nodes
        self.other, self.event = torch.zeros(n, dtype=torch.long), torch.full((n,), -1)
        self.updated, self.place = torch.zeros(n, dtype=torch.long), torch.zeros(n, dtype=torch.long)
        self.rings = Rings(stream) if reach else None
        self.mean, self.deviation = time_scales(stream, EVENTS)

    def take(self, w):
        """What is known beforehand of a batch, which is then past."""
        s = self.stream
        u, v, ends = s.src[w], s.dst[w], torch.cat([s.src[w], s.dst[w], s.negative[w]])
        own = torch.cat([u, v]).unique()
        centres = torch.cat([own, without(s.negative[w], own)])
        neighbours, edges = self.around(centres)
        nodes = torch.cat([centres, without(neighbours[edges >= 0], centres)])
        self.place[nodes] = torch.arange(len(nodes))
        event, before = self.event[nodes], self.updated[nodes]
        now = torch.where(event < 0, 0, s.t[event])  # when each was updated, after its message
        rows, near = self.place[ends], torch.where(edges < 0, 0, self.place[neighbours])
        elapsed = (s.t[w].repeat(3) - now[rows] - self.mean[ends]) / self.deviation[ends]
        batch = Batch(
            nodes=nodes,
            own=own,
            others=self.other[nodes],
            events=event.clamp(min=0),
            since=(now - before).float(),
            heard=(event >= 0).float()[:, None],
            ends=rows,
            targets=link_targets(len(u)),
            elapsed=elapsed.float()[:, None],
            near=near,
            edges=edges.clamp(min=0),
            ages=(now[near] - s.t[edges]).float(),
            there=edges >= 0,
        )
        self.updated[own] = now[: len(own)]
        self.fold(w, u, v)
        return on_card(batch)

    def around(self, centres):
        """Neighbours of nodes, and the events that they are from, -1 where there are none."""
        if self.rings is None:
            return torch.empty(2, len(centres), 0, dtype=torch.long)
        return self.rings.N[centres], self.rings.E[centres]

    def fold(self, w, u, v):
        """Takes the batch's messages: of each node the last one counts."""
        keep = torch.tensor(last_rows(self.stream, w))
        selves = torch.cat([u, v])[keep]
        self.other[selves], self.event[selves] = torch.cat([v, u])[keep], w.start + keep % len(u)
        if self.rings:
            self.rings.insert(w)


def without(nodes, known):
    """Each of the nodes once, but for those that are known."""
    nodes = nodes.unique()
    return nodes[~torch.isin(nodes, known)]


def time_scales(stream, fitted):
    """Mean and deviation, for each node that of its side, of the time since a node's previous event."""
    mean, deviation = torch.zeros(stream.nodes, dtype=torch.double), torch.ones(stream.nodes, dtype=torch.double)
    for side, of in (stream.src, slice(0, stream.users)), (stream.dst, slice(stream.users, None)):
        order = side[:fitted].sort(stable=True).indices  # each node's events one after the other
        gaps = stream.t[order].diff()[side[order].diff() == 0].double()
        mean[of], deviation[of] = gaps.mean(), gaps.std(correction=0)
    return mean, deviation


class Identity(nn.Module):
    """TGN-ID: a memory is its node's embedding."""

    reach = False  # whether neighbours are read, too

    def __init__(self, stream, rate=RATE, dropout=0.1):
        super().__init__()
        self.memory, self.left, self.right, self.out = Memory(), nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE), nn.Linear(SIZE, 1)
        self.extend(dropout)
        self.to(DEVICE)
        self.x, self.M = stream.x.to(DEVICE), torch.zeros(stream.nodes, SIZE, device=DEVICE)
        self.adam = torch.optim.Adam(self.parameters(), lr=rate, fused=DEVICE == "cuda")

    def extend(self, dropout):
        """Adds the parameters of a model's own."""

    def reset(self):
        self.M.zero_()

    def step(self, b):
        """Trains on a batch and folds it in, with the parameters that scored; gives the loss."""
        z = self.read(b)
        loss = 2 * cross_entropy(self.score(self.embed(z, b)), b.targets)  # the sum of the means of both halves
        self.M[b.own] = z.detach()[: len(b.own)]
        loss.backward()
        self.adam.step()
        self.adam.zero_grad()
        return loss.detach()

    def read(self, b):
        """Memories with the nodes' messages applied. Who has none passes the cell with zeros."""
        old = self.M[b.nodes]
        message = torch.cat([old, self.M[b.others], self.x[b.events], self.memory.encode(b.since)], 1)
        return self.memory.cell(message * b.heard, old)

    def embed(self, z, b):
        """Embeddings of sources, destinations and negatives."""
        return z.index_select(0, b.ends)

    def score(self, embedded):
        """Logits of each source with its destination, then with its negative."""
        n = len(embedded) // 3
        hidden = self.left(embedded[:n]).repeat(2, 1) + self.right(embedded[n:])
        return self.out(hidden.relu()).squeeze(1)


class Jodie(Identity):
    """A memory is projected to the event's time."""

    def extend(self, dropout):
        self.project = nn.Linear(1, SIZE)

    def embed(self, z, b):
        return super().embed(z, b) * (1 + self.project(b.elapsed))


class Attention(Identity):
    """TGN-attn: attention to the last neighbours."""

    reach = True

    def extend(self, dropout):
        self.conv = Conv(dropout)

    def embed(self, z, b):
        centres = z[: len(b.near)]
        around = z.index_select(0, b.near.flatten()).view(-1, NEIGHBOURS, SIZE)
        edges = torch.cat([self.memory.encode(b.ages), self.x[b.edges]], -1)
        return super().embed(self.conv(centres, around, edges, b.there), b)


MODELS = {"tgn-id": Identity, "jodie": Jodie, "tgn-attn": Attention}


def batches(stream, windows, reach):
    past = Past(stream, reach)
    return [past.take(w) for w in windows]


def main(path):
    stream = Stream(path)

    def measure(name):
        kind = MODELS[name]
        epochs("link prediction", name, kind(stream), batches(stream, training_part(stream), kind.reach))

    each(MODELS, measure)


if __name__ == "__main__":
    main(sys.argv[1])

"""Inference of TGN-ID, Jodie and TGN-attn by PyTorch on a card: eager, compiled, and one CUDA graph of all batches.

usage: python tgn_card.py STREAM.csv [-tiny]

The last 200 batches of 200 events of a stream (see common_card.py), with
random memories and the neighbours that nodes really have; ten rounds, the
three in turns. The models are those of PyTorch Geometric in tgn_inference.py,
written for one card: a batch updates the memory of each of its nodes with the
node's last event, and is classified afterwards.
"""

import sys

import torch
from common_card import BATCH, DEVICE, FEATURES, HIDDEN, Stream, alternate, each, last_rows, padded, sides_of
from torch import nn

SIZE, NEIGHBOURS, HEADS = 100, 10, 2
MODELS = ["tgn-id", "jodie", "tgn-attn"]


class Memory(nn.Module):
    """A GRU of messages: both memories, features, and the time since the node's last event."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3 * SIZE + FEATURES, SIZE)
        self.clock = nn.Linear(1, SIZE)

    def encode(self, since):
        return self.clock(since[..., None]).cos()

    def fold(self, M, L, nodes, others, t, x):
        """Updates memories M and times L of the last events."""
        old = M[nodes]
        message = torch.cat([old, M[others], x, self.encode(t - L[nodes])], 1)
        M[nodes] = self.cell(message, old)
        L[nodes] = t


class Identity(nn.Module):
    """TGN-ID: a memory is its node's embedding."""

    def __init__(self):
        super().__init__()
        self.memory, self.head = Memory(), nn.Sequential(nn.Linear(SIZE, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def forward(self, M, L, u, t, nodes, others, last_t, last_x):
        self.memory.fold(M, L, nodes, others, last_t, last_x)
        return self.head(self.embed(M, L, u, t)).squeeze(1)

    def embed(self, M, L, u, t):
        return M[u]


class Jodie(Identity):
    """A memory is projected to the event's time."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(1, SIZE)

    def embed(self, M, L, u, t):
        return M[u] * (1 + self.project(((t - L[u]) / 86400)[:, None]))


class Conv(nn.Module):
    """Attention of nodes to neighbours, as PyTorch Geometric's TransformerConv."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.query, self.key, self.value, self.skip = (nn.Linear(SIZE, SIZE) for _ in range(4))
        self.edge = nn.Linear(SIZE + FEATURES, SIZE, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, centres, around, edges, there):
        """For each centre a row of neighbours, of edges to them, and whether they are there."""
        edge = self.edge(edges)
        split = lambda z: z.view(*z.shape[:-1], HEADS, SIZE // HEADS)
        query, key, value = split(self.query(centres)), split(self.key(around) + edge), split(self.value(around) + edge)
        weight = (query[:, None] * key).sum(-1) / (SIZE // HEADS) ** 0.5
        weight = self.dropout(weight.masked_fill(~there[..., None], -1e9).softmax(1) * there[..., None])
        return (weight[..., None] * value).sum(1).reshape(-1, SIZE) + self.skip(centres)


class Attention(Identity):
    """TGN-attn: attention to the last neighbours, of whom the batch's are not yet."""

    def __init__(self, stream):
        super().__init__()
        self.t, self.x = stream.t.float().to(DEVICE), stream.x.to(DEVICE)
        self.conv = Conv()

    def forward(self, M, L, N, E, users, rows, nodes, others, last_t, last_x, slots, met, events):
        self.memory.fold(M, L, nodes, others, last_t, last_x)
        z = self.attend(M, L, users, N[users], E[users])
        N.view(-1)[slots], E.view(-1)[slots] = met, events
        return self.head(z[rows]).squeeze(1)

    def attend(self, M, L, users, neighbours, events):
        there = events >= 0
        neighbours, events = neighbours.clamp(min=0), events.clamp(min=0)
        since = L[neighbours] - self.t[events]
        edges = torch.cat([self.memory.encode(since), self.x[events]], -1)
        return self.conv(M[users], M[neighbours], edges, there)


class Rings:
    """The last neighbours of each node (N) and its events with them (E), -1 where there are none: known without a model."""

    def __init__(self, stream):
        self.stream, self.count = stream, [0] * stream.nodes
        self.N, self.E = (torch.full((stream.nodes, NEIGHBOURS), -1) for _ in range(2))

    def insert(self, window):
        """Inserts a batch: (slots, neighbours, events) that it writes, each slot once."""
        written = {}
        s = self.stream
        for e, (u, v) in enumerate(zip(s.src[window].tolist(), s.dst[window].tolist()), window.start):
            for node, other in (u, v), (v, u):
                written[node * NEIGHBOURS + self.count[node] % NEIGHBOURS] = (other, e)
                self.count[node] += 1
        slots, met, events = list(written), *map(list, zip(*written.values()))
        self.N.view(-1)[slots], self.E.view(-1)[slots] = torch.tensor(met), torch.tensor(events)
        return slots, met, events


def memory_batches(stream):
    """(u, t, nodes, others, times, features) of every batch: those but u and t of each node's last event."""
    windows = stream.measured()
    last = padded([last_rows(stream, w) for w in windows])
    out = []
    for w, rows in zip(windows, last):
        u, v, t = stream.src[w], stream.dst[w], stream.t[w].float()
        event = rows % BATCH
        nodes, others = torch.cat([u, v])[rows], torch.cat([v, u])[rows]
        out.append([b.to(DEVICE) for b in (u, t, nodes, others, t[event], stream.x[w][event])])
    return out


def attention_batches(stream, rings):
    """The same with users once instead of u and t, and with what is written to the rings."""
    windows = stream.measured()
    users, rows = [], []
    for w in windows:
        unique, inverse = stream.src[w].unique(return_inverse=True)
        users.append(unique.tolist())
        rows.append(inverse)
    written = [padded(list(kind)) for kind in zip(*(rings.insert(w) for w in windows))]
    out = []
    for i, (_, _, *rest) in enumerate(memory_batches(stream)):
        of_batch = [padded(users)[i], rows[i]], [kind[i] for kind in written]
        out.append([t.to(DEVICE) for t in of_batch[0]] + rest + [t.to(DEVICE) for t in of_batch[1]])
    return out


@torch.inference_mode()
def main(path):
    stream = Stream(path)
    before = slice(0, stream.measured()[0].start)

    def measure(name):
        L = torch.full((stream.nodes,), float(stream.t[before.stop - 1]), device=DEVICE)
        state = [torch.randn(stream.nodes, SIZE, device=DEVICE), L]
        if name == "tgn-attn":
            rings = Rings(stream)
            rings.insert(before)
            state += [rings.N.to(DEVICE, copy=True), rings.E.to(DEVICE, copy=True)]
            model, todo = Attention(stream), attention_batches(stream, rings)
        else:
            model, todo = {"tgn-id": Identity, "jodie": Jodie}[name](), memory_batches(stream)
        alternate("inference", f"{name}, pyg_last", sides_of(model.to(DEVICE), todo, state))

    each(MODELS, measure)


if __name__ == "__main__":
    main(sys.argv[1])

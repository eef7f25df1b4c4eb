"""Training of TGN-ID, Jodie and TGN-attn for link prediction beside PyTorch Geometric, and PyTorch as on a card.

usage: python peers/tgn_training.py WIKIPEDIA.csv [ROUNDS]

One negative an event, batches of 200 from the start of the stream, Adam,
memory of 100 numbers, random features, 172 an event. All sides start from
the same parameters; the losses of the first batches are compared without
dropout, then the sides take turns, a few batches a round if there are ROUNDS,
TGN-attn with dropout on its attention. The card's side (tgn_training_card.py) has the
mathematics of PyTorch Geometric, but knows beforehand who occurs in a batch,
and who has met whom.
"""

from itertools import islice

import torch
from common import BATCH, alternate, compare, main, report, timed
from pyg import KINDS, Decoder, Embedder, Last, decoder_params, stable_sorts
from tgn_training_card import Attention, Identity, Jodie, batches

# Batches whose losses are compared. Not more, because Adam turns the rounding
# of phases of 10^4 radians in the time encoding into steps of its own: the
# losses agree to 1e-6 at first and are 1e-2 apart after twenty batches.
FIRST = 4
CLOSE = 1e-5  # of losses
WARM = 20  # batches before the clock starts
CHUNK = 25  # batches of a round
RATE = 1e-3  # of Adam
FITTED = 110_232  # events of the training part
ON_CARD = {"TGN-ID": Identity, "Jodie": Jodie, "TGN-attn": Attention}


class Trainer:
    """A model that learns to predict links, batch by batch."""

    def __init__(self, stream, name, dropout):
        self.stream, self.todo = stream, iter(stream.windows(0, stream.events))
        self.model, self.decoder = Embedder(stream, name, Last(), FITTED, dropout), Decoder()
        params = {id(p): p for m in (self.model, self.decoder) for p in m.parameters()}  # the time encoder occurs twice
        self.adam = torch.optim.Adam(params.values(), lr=RATE)
        for p in params.values():
            p.grad = torch.zeros_like(p)  # those that the first batch does not use are stepped, too
        self.model.train()
        self.model.memory.reset_state()

    def params(self):
        return self.model.params() | decoder_params(self.decoder)

    def take(self, batches):
        """Trains so many batches and returns their losses."""
        return [self.step(next(self.todo)) for _ in range(batches)]

    def step(self, w):
        s = self.stream
        nodes, inverse = torch.unique(torch.cat([s.src[w], s.dst[w], s.negative[w]]), return_inverse=True)
        zu, zv, zn = self.embed(nodes, inverse.view(3, -1), w)
        p, q = self.decoder(zu, zv), self.decoder(zu, zn)
        bce = torch.nn.functional.binary_cross_entropy_with_logits
        loss = bce(p, torch.ones_like(p)) + bce(q, torch.zeros_like(q))
        self.model.fold(w)
        self.model.insert(w)
        loss.backward()
        self.adam.step()
        self.adam.zero_grad()
        self.model.memory.detach()
        return loss.item()

    def embed(self, nodes, rows, w):
        """Embeddings of sources, destinations and negatives."""
        if self.model.name != "Jodie":
            z = self.model.embed(nodes, None)
            return [z[r] for r in rows]
        z, last_update = self.model.memory(nodes)
        return [self.model.at(z[r], last_update[r], nodes[r], self.stream.t[w]) for r in rows]


class OnCard:
    """The model of the card's script, with the parameters of a trainer's, and the batches that it has not seen yet."""

    def __init__(self, peer, name, count, dropout):
        self.model = ON_CARD[name](peer.stream, RATE, dropout)
        for own, its in self.layers(peer):
            own.load_state_dict(its.state_dict())
        windows = peer.stream.windows(0, count * BATCH)
        self.todo = iter(batches(peer.stream, windows, self.model.reach))

    def layers(self, peer):
        """Pairs of ours and its."""
        m, its = self.model, peer.model
        yield from [(m.memory.cell, its.memory.gru), (m.memory.clock, its.memory.time_enc.lin)]
        yield from [(m.left, peer.decoder.a), (m.right, peer.decoder.b), (m.out, peer.decoder.c)]
        if its.name == "Jodie":
            yield m.project, its.project
        if its.name == "TGN-attn":
            for layer in "query", "key", "value", "skip", "edge":
                yield getattr(m.conv, layer), getattr(its.attention.conv, f"lin_{layer}")

    def take(self, count):
        """Trains so many batches and returns their losses."""
        return [self.model.step(b).item() for b in islice(self.todo, count)]


def sides(place, name, count, dropout):
    """PyTorch Geometric, PyTorch as on a card and ours, from the same parameters, for so many batches."""
    peer = Trainer(place.stream, name, dropout)
    kind, options = KINDS[name]
    options = f"{{{options}{', ' if options else ''}optimiser: {{lr: {RATE}}}"
    if name == "TGN-attn":
        options += f", attention: {{dropout: {dropout}}}"
    spec = {"kind": kind, "task": "lp", "options": options + "}", "fitted": FITTED}
    return peer, OnCard(peer, name, count, dropout), place.start("training", spec, peer.params())


def agree(place, name):
    peer, card, ours = sides(place, name, FIRST, 0)
    losses = ours.ask(FIRST)["losses"]
    with stable_sorts():
        compare(f"{name}: losses", losses, peer.take(FIRST), CLOSE)
    compare(f"{name}: losses as on a card", losses, card.take(FIRST), CLOSE)
    ours.close()


def race(place, rounds, name):
    peer, card, ours = sides(place, name, WARM + rounds * CHUNK, 0.1)
    peer.take(WARM), card.take(WARM), ours.ask(WARM)
    runs = lambda: timed(lambda: peer.take(CHUNK)), lambda: timed(lambda: card.take(CHUNK)), lambda: ours.ask(CHUNK)["seconds"]
    report(name, alternate(rounds, *runs), ["PyTorch Geometric", "PyTorch as on a card"], events_per_second)
    ours.close()


def events_per_second(seconds):
    return f"{CHUNK * BATCH / seconds:7.0f} events/s"


def script(place, rounds):
    for name in KINDS:
        agree(place, name)
        if rounds:
            race(place, rounds, name)


if __name__ == "__main__":
    main(script)

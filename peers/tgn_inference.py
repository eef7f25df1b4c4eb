"""Inference of TGN-ID, Jodie and TGN-attn beside PyTorch Geometric.

usage: python peers/tgn_inference.py WIKIPEDIA.csv [ROUNDS]

Node classification of the last 200 batches of 200 events, with the memories
warmed up on all events before. A batch updates the memory and is classified
afterwards (pyg_last: a user's last event of a batch speaks for all of them).
Features are random, 172 an event. The logits of both sides are compared
first. Ours is also timed with one memory for each event, as the paper's
setting has it; its logits are other ones.
"""

import torch
from common import MEASURED, THREADS, alternate, compare, head_params, main, report, seconds, timed
from pyg import KINDS, SIZE, Embedder, Last, stable_sorts
from torch_geometric.nn.models.tgn import LastAggregator

FITTED = 110_232  # events of the training part
CLOSE = 1e-4  # of logits
STATE = "memory", "last_update"
RING = "neighbors", "e_id"


class Classifier:
    def __init__(self, stream, name):
        self.stream, self.model = stream, Embedder(stream, name, Last(), FITTED)
        self.head = torch.nn.Sequential(torch.nn.Linear(SIZE, 100), torch.nn.ReLU(), torch.nn.Linear(100, 1))
        self.model.memory.reset_state()
        self.model.eval()  # every memory passes the GRU once, as ours does

    def logits(self, w):
        """Logits of a batch, which is folded in first."""
        s = self.stream
        u = s.src[w]
        self.model.fold(w)
        if self.model.name == "TGN-attn":  # a user's embedding is that of all events of the batch
            users, inverse = u.unique(return_inverse=True)
            z = self.model.embed(users, None)[inverse]
        else:
            z = self.model.embed(u, s.t[w])
        out = self.head(z)
        self.model.insert(w)
        return out

    def score(self, w):
        return self.logits(w).sigmoid()

    def observe(self, w):
        self.model.fold(w)
        self.model.insert(w)

    def tables(self):
        """The state that batches change."""
        out = [getattr(self.model.memory, name) for name in STATE]
        if self.model.name == "TGN-attn":
            out += [getattr(self.model.neighbours, name) for name in RING]
        return out

    def save(self):
        return [t.clone() for t in self.tables()], getattr(self.model, "neighbours", self).__dict__.get("cur_e_id")

    def restore(self, saved):
        tables, events = saved
        for table, old in zip(self.tables(), tables):
            table.copy_(old)
        if events is not None:
            self.model.neighbours.cur_e_id = events


def classifier(place, name, peer, memory):
    """Ours, with one memory an event or one a user."""
    kind, options = KINDS[name]
    options = f"{{{options}{', ' if options else ''}nc_memory: {memory}, head: {{hidden: [100]}}}}"
    return place.classifier({"kind": kind, "options": options, "fitted": FITTED}, peer.model.params() | head_params(peer.head))


def beside(place, rounds, name):
    stream = place.stream
    start = stream.events - MEASURED
    peer, measured = Classifier(stream, name), stream.windows(start, stream.events)
    torch.set_num_threads(1)  # so that PyTorch, too, keeps the last of several writes
    with stable_sorts():
        for w in stream.windows(0, start):
            peer.observe(w)
        warm = peer.save()
        theirs = torch.cat([peer.logits(w) for w in measured]).squeeze(1)
    torch.set_num_threads(THREADS)
    ours, logits = classifier(place, name, peer, "pyg_last")
    compare(f"{name}: logits", logits, theirs, CLOSE)
    peer.model.memory.aggr_module = LastAggregator()

    def eager():
        peer.restore(warm)
        return timed(lambda: [peer.score(w) for w in measured])

    for memory in "pyg_last", "per_event":
        if memory == "per_event":
            ours, _ = classifier(place, name, peer, memory)
        alternate(1, eager, ours.seconds)
        report(f"{name}, {memory}", alternate(rounds, eager, ours.seconds), ["PyTorch Geometric"], seconds)
        ours.close()


@torch.inference_mode()
def script(place, rounds):
    for name in KINDS:
        beside(place, rounds, name)


if __name__ == "__main__":
    main(script)

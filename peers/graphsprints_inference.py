"""Inference of Graph-Sprints beside PyTorch.

usage: python peers/graphsprints_inference.py WIKIPEDIA.csv [ROUNDS]

Node classification of the last 200 batches of 200 events, with the states
warmed up on all events before. Features are random, 172 an event, in 10
buckets each. Ours comes in two forms: plain, with all 1,720 numbers of a
state, and projected, where a node keeps the product of its state with the
head's first layer, which has the same recursion and gives the same scores.
The logits are compared first.
"""

import numpy as np
import torch
from common import MEASURED, THREADS, alternate, compare, head_params, main, report, seconds, timed

FITTED = 20_000  # events whose deciles are the edges of the buckets
BUCKETS = 10  # of a feature
ALPHA, BETA = 0.5, 0.8
CLOSE = 1e-4  # of logits


def edges(x):
    """Deciles of the columns (columns x 9): the least float32 not below the exact one."""
    exact = np.quantile(x.double().numpy(), np.arange(1, BUCKETS) / BUCKETS, axis=0).T
    near = exact.astype(np.float32)
    above = np.where(near < exact, np.nextafter(near, np.float32(np.inf)), near)
    return torch.tensor(above).contiguous()


class GraphSprints:
    """Equation 1 of the paper with a head, as PyTorch users write it."""

    def __init__(self, stream):
        features = stream.x.size(1)
        self.stream, self.size = stream, features * BUCKETS
        self.edges, self.offset = edges(stream.x[:FITTED]), torch.arange(features) * BUCKETS
        self.head = torch.nn.Sequential(torch.nn.Linear(self.size, 100), torch.nn.ReLU(), torch.nn.Linear(100, 1))
        self.S = torch.zeros(stream.nodes, self.size)

    def logits(self, S, w):
        """Logits of a batch, which is folded into S."""
        u, v, x = self.stream.src[w], self.stream.dst[w], self.stream.x[w]
        index = torch.searchsorted(self.edges, x.T.contiguous(), right=True).T + self.offset
        d = torch.zeros(len(u), self.size).scatter_(1, index, 1.0)
        su, sv = S[u], S[v]
        nu = BETA * su + (1 - BETA) * ((1 - ALPHA) * d + ALPHA * sv)
        nv = BETA * sv + (1 - BETA) * ((1 - ALPHA) * d + ALPHA * su)
        out = self.head(nu)
        S[u] = nu
        S[v] = nv
        return out

    def score(self, S, w):
        return self.logits(S, w).sigmoid()


@torch.inference_mode()
def script(place, rounds):
    stream = place.stream
    start = stream.events - MEASURED
    peer, measured = GraphSprints(stream), stream.windows(start, stream.events)
    torch.set_num_threads(1)  # so that PyTorch, too, keeps the last of several writes
    for w in stream.windows(0, start):
        peer.logits(peer.S, w)
    S = peer.S.clone()
    theirs = torch.cat([peer.logits(S, w) for w in measured]).squeeze(1)
    torch.set_num_threads(THREADS)

    forms = {}
    options = f"{{alpha: {ALPHA}, beta: {BETA}, buckets: {BUCKETS}, head: {{hidden: [100]}}}}"
    for form, deploy in ("plain", False), ("projected", True):
        spec = {"kind": "graphsprints", "options": options, "fitted": FITTED, "deploy": deploy}
        forms[form], logits = place.classifier(spec, head_params(peer.head))
        compare(f"Graph-Sprints, {form}: logits", logits, theirs, CLOSE)

    def eager():
        S.copy_(peer.S)
        return timed(lambda: [peer.score(S, w) for w in measured])

    for form, ours in forms.items():
        alternate(1, eager, ours.seconds)
        report(f"Graph-Sprints, {form}", alternate(rounds, eager, ours.seconds), ["eager"], seconds)
        ours.close()


if __name__ == "__main__":
    main(script)

"""Inference of Deep-Graph-Sprints beside PyTorch, eager and compiled.

usage: python peers/dgs_inference.py WIKIPEDIA.csv [ROUNDS]

Node classification of the last 200 batches of 200 events, with the states
warmed up on all events before. Features are random, 172 an event. The logits
of both sides are compared first.
"""

import torch
from common import MEASURED, THREADS, alternate, compare, head_params, main, report, seconds, timed

SIZES = [(100, 50), (250, 50)]  # s, m
CLOSE = 1e-4  # of logits


class DGS:
    """Equation 2 of the paper with a head, as PyTorch users write it."""

    def __init__(self, stream, s, m):
        features = stream.x.size(1)
        self.stream, self.s, self.m = stream, s, m
        self.W = torch.randn(features, s) / features**0.5
        self.alpha, self.beta = torch.rand(s), torch.rand(s)
        self.head = torch.nn.Sequential(torch.nn.Linear(s, 100), torch.nn.ReLU(), torch.nn.Linear(100, 1))
        self.S = torch.zeros(stream.nodes, s)

    def logits(self, S, u, v, x):
        """Logits of a batch, which is folded into S."""
        a, b = self.alpha, self.beta
        e = torch.softmax((x @ self.W).view(-1, self.m, self.s // self.m), -1).view(-1, self.s)
        su, sv = S[u], S[v]
        base = (1 - a) * e
        nu, nv = b * su + (1 - b) * (base + a * sv), b * sv + (1 - b) * (base + a * su)
        out = self.head(nu)
        S[u] = nu
        S[v] = nv
        return out

    def score(self, S, u, v, x):
        return self.logits(S, u, v, x).sigmoid()

    def passes(self, step, S, windows):
        """What step says of all batches."""
        stream = self.stream
        return [step(S, stream.src[w], stream.dst[w], stream.x[w]) for w in windows]

    def params(self):
        """Under our names."""
        return {"W": self.W, "alpha_logit": self.alpha.logit(), "beta_logit": self.beta.logit(), **head_params(self.head)}


def beside(place, rounds, s, m):
    stream = place.stream
    start = stream.events - MEASURED
    peer, measured = DGS(stream, s, m), stream.windows(start, stream.events)
    # Of several writes to a node the last one stays. PyTorch promises that of
    # no number of threads, but with one it is so.
    torch.set_num_threads(1)
    peer.passes(peer.logits, peer.S, stream.windows(0, start))
    theirs = torch.cat(peer.passes(peer.logits, peer.S.clone(), measured)).squeeze(1)
    torch.set_num_threads(THREADS)
    options = f"{{size: {s}, blocks: {m}, temperature: 1, head: {{hidden: [100]}}}}"
    ours, logits = place.classifier({"kind": "dgs", "options": options}, peer.params())
    compare(f"DGS s={s} m={m}: logits", logits, theirs, CLOSE)

    compiled = torch.compile(peer.score, dynamic=False)

    def side(step):
        def measure():
            S = peer.S.clone()
            return timed(lambda: peer.passes(step, S, measured))

        return measure

    sides = side(peer.score), side(compiled), ours.seconds
    alternate(1, *sides)
    report(f"DGS s={s} m={m}", alternate(rounds, *sides), ["eager", "compiled"], seconds)
    ours.close()


@torch.inference_mode()
def script(place, rounds):
    for s, m in SIZES:
        beside(place, rounds, s, m)


if __name__ == "__main__":
    main(script)

"""Training of Deep-Graph-Sprints for link prediction beside the same mathematics in PyTorch.

usage: python peers/dgs_training.py WIKIPEDIA.csv [ROUNDS]

Exact real-time recurrent learning of alpha, beta and W with full Jacobians,
one negative an event, batches of 200 from the start of the stream. Features
are random, 172 an event. Both sides start from the same parameters; the
losses of the first batches are compared, then the sides take turns, a few
batches a round.
"""

import torch
from common import BATCH, THREADS, alternate, compare, head_params, main, report, timed

SIZES = [(100, 50), (100, 20), (250, 50)]  # s, m
FIRST = 20  # batches whose losses are compared
CHUNK = 10  # batches of a round
CLOSE = 1e-3  # of losses
HEAD_RATE, RATE = 1e-3, 1.0  # of Adam for the head, of SGD for the rest


class DGS:
    """The states S with their derivatives by alpha (A), beta (B) and W (J), all at once for a batch."""

    def __init__(self, stream, s, m):
        n, f, h = stream.nodes, stream.x.size(1), s // m
        self.stream, self.s, self.m, self.h = stream, s, m, h
        self.W = (torch.rand(s, f) * 2 - 1) / f**0.5
        self.la, self.lb = torch.randn(s), torch.randn(s)
        self.head = torch.nn.Sequential(torch.nn.Linear(2 * s, 100), torch.nn.ReLU(), torch.nn.Linear(100, 1))
        self.adam = torch.optim.Adam(self.head.parameters(), lr=HEAD_RATE)
        self.S, self.A, self.B = torch.zeros(n, s), torch.zeros(n, s), torch.zeros(n, s)
        self.J = torch.zeros(n, m, h, h, f)
        self.eye = torch.eye(h)
        self.todo = iter(stream.windows(0, stream.events))

    def params(self):
        """A copy under our names."""
        all = {"W": self.W.T, "alpha_logit": self.la, "beta_logit": self.lb, **head_params(self.head)}
        return {name: p.detach().clone() for name, p in all.items()}

    def take(self, batches):
        """Trains so many batches and returns their losses."""
        return [self.step(next(self.todo)) for _ in range(batches)]

    def step(self, w):
        u, v, n, F = self.stream.src[w], self.stream.dst[w], self.stream.negative[w], self.stream.x[w]
        a, b = self.la.sigmoid(), self.lb.sigmoid()
        loss, g = self.loss(u, v, n)
        with torch.no_grad():
            grads = self.contract(torch.cat([u, v, n]), g, a, b)
            self.advance(u, v, F, a, b)
            self.adam.step()
            for p, d in zip((self.la, self.lb, self.W), grads):
                p -= RATE * d
        return loss.item()

    def loss(self, u, v, n):
        """The loss and its gradients for the states of u, v and n; those of the head are set."""
        su, sv, sn = [self.S[k].requires_grad_() for k in (u, v, n)]
        p, q = self.head(torch.cat([su, sv], 1)).squeeze(1), self.head(torch.cat([su, sn], 1)).squeeze(1)
        bce = torch.nn.functional.binary_cross_entropy_with_logits
        loss = bce(p, torch.ones(len(u))) + bce(q, torch.zeros(len(u)))
        gu, gv, gn, *gh = torch.autograd.grad(loss, [su, sv, sn] + list(self.head.parameters()))
        for p, g in zip(self.head.parameters(), gh):
            p.grad = g
        return loss, torch.cat([gu, gv, gn])

    def contract(self, nodes, g, a, b):
        """Gradients of the loss for the logits of alpha and beta, and for W."""
        ga, gb = (g * self.A[nodes]).sum(0) * a * (1 - a), (g * self.B[nodes]).sum(0) * b * (1 - b)
        unique, inverse = torch.unique(nodes, return_inverse=True)
        c = torch.zeros(len(unique), self.s).index_add_(0, inverse, g)
        gW = torch.einsum("nmi,nmijf->mjf", c.view(-1, self.m, self.h), self.J[unique]).reshape(self.s, -1)
        return ga, gb, gW

    def advance(self, u, v, F, a, b):
        """Folds the batch into states and derivatives."""
        e = torch.softmax((F @ self.W.T).view(-1, self.m, self.h), -1)
        E = e.reshape(-1, self.s)
        dE = e[:, :, :, None] * (self.eye - e[:, :, None, :])
        keep = self.last_writes(u, v)
        self_, other, event = torch.cat([u, v])[keep], torch.cat([v, u])[keep], keep % len(u)
        S, So, E = self.S[self_], self.S[other], E[event]
        nA = b * self.A[self_] + (1 - b) * (So - E + a * self.A[other])
        nB = S + b * self.B[self_] - ((1 - a) * E + a * So) + (1 - b) * a * self.B[other]
        bb, aa = b.view(self.m, self.h, 1, 1), a.view(self.m, self.h, 1, 1)
        drive = (1 - aa) * dE[event][..., None] * F[event][:, None, None, None, :]
        nJ = bb * self.J[self_] + (1 - bb) * (drive + aa * self.J[other])
        nS = b * S + (1 - b) * ((1 - a) * E + a * So)
        self.S[self_], self.A[self_], self.B[self_], self.J[self_] = nS, nA, nB, nJ

    def last_writes(self, u, v):
        """The last occurrence of every node, as a number in the list u, v."""
        n = len(u)
        last = torch.full((self.stream.nodes,), -1)
        order = torch.stack([torch.arange(n), torch.arange(n) + n], 1).reshape(-1)
        last[torch.cat([u, v])[order]] = order
        keep = torch.unique(last)
        return keep[keep >= 0]


def beside(place, rounds, s, m):
    peer = DGS(place.stream, s, m)
    options = (
        f"{{size: {s}, blocks: {m}, temperature: 1, optimiser: {{method: sgd, lr: {RATE}}}, "
        f"head: {{hidden: [100], dropout: 0, lr: {HEAD_RATE}}}}}"
    )
    used = (FIRST + rounds * CHUNK) * BATCH
    ours = place.start("training", {"kind": "dgs", "task": "lp", "options": options, "fitted": used}, peer.params())
    torch.set_num_threads(1)  # so that PyTorch, too, keeps the last of several writes
    compare(f"DGS s={s} m={m}: losses", ours.ask(FIRST)["losses"], peer.take(FIRST), CLOSE)
    torch.set_num_threads(THREADS)

    sides = lambda: timed(lambda: peer.take(CHUNK)), lambda: ours.ask(CHUNK)["seconds"]
    report(f"DGS s={s} m={m}", alternate(rounds, *sides), ["PyTorch"], events_per_second)
    ours.close()


def events_per_second(seconds):
    return f"{CHUNK * BATCH / seconds:7.0f} events/s"


def script(place, rounds):
    for s, m in SIZES:
        beside(place, rounds, s, m)


if __name__ == "__main__":
    main(script)

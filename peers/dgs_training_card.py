"""An epoch of Deep-Graph-Sprints' exact training for link prediction by PyTorch on a card.

usage: python dgs_training_card.py STREAM.csv [-tiny]

Real-time recurrent learning of alpha, beta and W with full Jacobians, as in
dgs_training.py, which is compared with ours there: PyTorch's autograd cannot
reach the start of the stream. Eager: what a batch needs of the Jacobians varies
in size. One epoch of the first 110,232 events, after some batches that warm up.
"""

import sys
import time

import torch
from common_card import BATCH, DEVICE, FEATURES, HIDDEN, TINY, Stream, each, last_rows, tell, wait

SIZES = {"dgs": (12, 4)} if TINY else {"dgs": (100, 50), "dgs+size-250": (250, 50)}  # s, m
EVENTS = 400 if TINY else 110_232  # of the training part
WARM = 1 if TINY else 20  # batches
HEAD_RATE, RATE = 1e-3, 1.0  # of Adam for the head, of SGD for the rest


class DGS:
    """The states S with their derivatives by alpha (A), beta (B) and W (J), all at once for a batch."""

    def __init__(self, nodes, s, m):
        self.s, self.m, self.h = s, m, s // m
        self.W = (torch.rand(s, FEATURES, device=DEVICE) * 2 - 1) / FEATURES**0.5
        self.la, self.lb = torch.randn(s, device=DEVICE), torch.randn(s, device=DEVICE)
        self.head = torch.nn.Sequential(torch.nn.Linear(2 * s, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)).to(DEVICE)
        self.adam = torch.optim.Adam(self.head.parameters(), lr=HEAD_RATE, fused=DEVICE == "cuda")
        self.S, self.A, self.B = (torch.zeros(nodes, s, device=DEVICE) for _ in range(3))
        self.J = torch.zeros(nodes, self.m, self.h, self.h, FEATURES, device=DEVICE)
        self.eye = torch.eye(self.h, device=DEVICE)

    def step(self, u, v, n, keep, F):
        """Trains on a batch and folds it in; keep are the rows of [u, v] that stay."""
        a, b = self.la.sigmoid(), self.lb.sigmoid()
        loss, g = self.loss(u, v, n)
        with torch.no_grad():
            grads = self.contract(torch.cat([u, v, n]), g, a, b)
            self.advance(u, v, keep, F, a, b)
            self.adam.step()
            for p, d in zip((self.la, self.lb, self.W), grads):
                p -= RATE * d
        return loss.detach()

    def loss(self, u, v, n):
        """The loss and its gradients for the states of u, v and n; those of the head are set."""
        su, sv, sn = [self.S[k].requires_grad_() for k in (u, v, n)]
        p, q = self.head(torch.cat([su, sv], 1)).squeeze(1), self.head(torch.cat([su, sn], 1)).squeeze(1)
        bce = torch.nn.functional.binary_cross_entropy_with_logits
        loss = bce(p, torch.ones_like(p)) + bce(q, torch.zeros_like(q))
        gu, gv, gn, *gh = torch.autograd.grad(loss, [su, sv, sn] + list(self.head.parameters()))
        for p, g in zip(self.head.parameters(), gh):
            p.grad = g
        return loss, torch.cat([gu, gv, gn])

    def contract(self, nodes, g, a, b):
        """Gradients of the loss for the logits of alpha and beta, and for W."""
        ga, gb = (g * self.A[nodes]).sum(0) * a * (1 - a), (g * self.B[nodes]).sum(0) * b * (1 - b)
        unique, inverse = torch.unique(nodes, return_inverse=True)
        c = torch.zeros(len(unique), self.s, device=DEVICE).index_add_(0, inverse, g)
        gW = torch.einsum("nmi,nmijf->mjf", c.view(-1, self.m, self.h), self.J[unique]).reshape(self.s, -1)
        return ga, gb, gW

    def advance(self, u, v, keep, F, a, b):
        """Folds the batch into states and derivatives."""
        e = torch.softmax((F @ self.W.T).view(-1, self.m, self.h), -1)
        E = e.reshape(-1, self.s)
        dE = e[:, :, :, None] * (self.eye - e[:, :, None, :])
        self_, other, event = torch.cat([u, v])[keep], torch.cat([v, u])[keep], keep % len(u)
        S, So, E = self.S[self_], self.S[other], E[event]
        nA = b * self.A[self_] + (1 - b) * (So - E + a * self.A[other])
        nB = S + b * self.B[self_] - ((1 - a) * E + a * So) + (1 - b) * a * self.B[other]
        bb, aa = b.view(self.m, self.h, 1, 1), a.view(self.m, self.h, 1, 1)
        drive = (1 - aa) * dE[event][..., None] * F[event][:, None, None, None, :]
        nJ = bb * self.J[self_] + (1 - bb) * (drive + aa * self.J[other])
        nS = b * S + (1 - b) * ((1 - a) * E + a * So)
        self.S[self_], self.A[self_], self.B[self_], self.J[self_] = nS, nA, nB, nJ


def batches(stream):
    """(u, v, negatives, keep, features) of every whole batch of the training part."""
    generator = torch.Generator().manual_seed(2)
    out = []
    for lo in range(0, min(EVENTS, stream.events) // BATCH * BATCH, BATCH):
        w = slice(lo, lo + BATCH)
        negatives = torch.randint(stream.nodes, (BATCH,), generator=generator)
        keep = torch.tensor(last_rows(stream, w))
        out.append([t.to(DEVICE) for t in (stream.src[w], stream.dst[w], negatives, keep, stream.x[w])])
    return out


def main(path):
    stream = Stream(path)
    todo = batches(stream)

    def measure(name):
        model = DGS(stream.nodes, *SIZES[name])
        for b in todo[:WARM]:
            model.step(*b)
        wait()
        begin = time.perf_counter()
        losses = [model.step(*b) for b in todo]
        wait()
        seconds = time.perf_counter() - begin
        if not torch.stack(losses).isfinite().all():
            raise ValueError("a loss is not finite")
        tell("epoch, link prediction", name, "PyTorch, eager", [seconds], f"{len(todo)} batches")

    each(SIZES, measure)


main(sys.argv[1])

"""Deep-Graph-Sprints in PyTorch, trained forward in time: every state has its derivatives by alpha, beta and W beside it.

A node's state S becomes, with another node's state S' and the features x of an event,

    beta S + (1 - beta) ((1 - alpha) softmax(W x / temperature) + alpha S')

with a softmax for each block. An MLP scores the source's state after an event, or the states of a pair before it.
"""

import torch
from torch import nn

from dgsbench import Model, Setup, serve

bce = nn.functional.binary_cross_entropy_with_logits
OPTIONS = {"size": 100, "blocks": 50, "temperature": 2, "lr": 30, "gradient": "forward", "hidden": 100, "dropout": 0.1, "head_lr": 1e-3}


class DGS(Model):
    features = "required"
    log_odds = True

    def __init__(self, setup: Setup):
        self.o = o = OPTIONS | setup.options
        self.s, self.m, self.links, f = o["size"], o["blocks"], setup.task == "lp", setup.num_features
        self.h = self.s // self.m
        self.W = ((torch.rand(self.s, f) * 2 - 1) / f**0.5).requires_grad_()
        self.la = (torch.rand(self.s) * 0.8 + 0.1).logit().requires_grad_()
        self.lb = (torch.rand(self.s) * 0.89 + 0.1).logit().requires_grad_()
        first = nn.Linear((1 + self.links) * self.s, o["hidden"])
        self.head = nn.Sequential(first, nn.ReLU(), nn.Dropout(o["dropout"]), nn.Linear(o["hidden"], 1))
        self.optimisers = torch.optim.Adam(self.head.parameters(), lr=o["head_lr"]), torch.optim.SGD([self.la, self.lb, self.W], lr=o["lr"])
        self.S, self.A, self.B = (torch.zeros(setup.num_nodes, self.s) for _ in range(3))  # A and B: derivatives by alpha and beta
        self.forward = o["gradient"] == "forward"
        self.J = torch.zeros(setup.num_nodes if self.forward else 0, self.m, self.h, self.h, f)  # by the rows of W of a block

    def train(self, batch, negatives):
        self.head.train()
        u, v, x = (torch.from_numpy(a) for a in (batch.source, batch.destination, batch.features))
        a, b, e = self.la.sigmoid(), self.lb.sigmoid(), self.embed(x)
        ends = torch.cat([u, v] + ([torch.from_numpy(negatives)] if self.links else []))
        states = self.S[ends].requires_grad_()
        if self.links:
            su, sv, sn = states.chunk(3)
            z = self.head(torch.cat([torch.cat([su, sv], 1), torch.cat([su, sn], 1)])).squeeze(1)
            loss = 2 * bce(z, torch.cat([torch.ones(len(batch)), torch.zeros(len(batch))]))
        else:
            known = torch.from_numpy(batch.label >= 0)
            z = self.head(self.after(*states.chunk(2), a, b, e)).squeeze(1)[known]
            loss = bce(z, torch.from_numpy(batch.label)[known].float()) if known.any() else z.sum()
        loss.backward()
        with torch.no_grad():
            if self.forward:
                self.add_past(ends, states.grad, a, b)
            self.fold(batch, a, b, e)
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad()
        return loss.item()

    def embed(self, x):
        return torch.softmax((x @ self.W.T).view(-1, self.m, self.h) / self.o["temperature"], -1)

    def after(self, own, other, a, b, e):
        """States with an event folded in."""
        return torch.lerp((1 - a) * e.view(-1, self.s) + a * other, own, b)

    def add_past(self, ends, g, a, b):
        """Adds to the gradients what the loss owes to the states from before the batch, whose own are g."""
        gJ = torch.einsum("nmi,nmijf->mjf", g.view(-1, self.m, self.h), self.J[ends]).reshape(self.s, -1)
        past = (g * self.A[ends]).sum(0) * a * (1 - a), (g * self.B[ends]).sum(0) * b * (1 - b), gJ
        for p, gradient in zip((self.la, self.lb, self.W), past):
            p.grad = gradient if p.grad is None else p.grad + gradient

    def fold(self, batch, a, b, e, derivatives=True):
        """Each node's last event changes its state, and the derivatives: the chain rule of the equation above."""
        node, other, row = (torch.from_numpy(i) for i in batch.last())
        e, old, met = e[row], self.S[node], self.S[other]
        if derivatives and self.forward:
            mixed = (1 - a) * e.view(-1, self.s) + a * met
            nA = torch.lerp(met - e.view(-1, self.s) + a * self.A[other], self.A[node], b)
            nB = old - mixed + torch.lerp(a * self.B[other], self.B[node], b)
            aa, bb = (p.view(self.m, self.h, 1, 1) for p in (a, b))
            softmax = e[..., None] * (torch.eye(self.h) - e[:, :, None, :]) / self.o["temperature"]
            x = torch.from_numpy(batch.features)[row]
            nJ = torch.lerp((1 - aa) * softmax[..., None] * x[:, None, None, None, :] + aa * self.J[other], self.J[node], bb)
            self.A[node], self.B[node], self.J[node] = nA, nB, nJ
        self.S[node] = self.after(old, met, a, b, e)

    @torch.inference_mode()
    def observe(self, batch):
        self.fold(batch, self.la.sigmoid(), self.lb.sigmoid(), self.embed(torch.from_numpy(batch.features)), False)

    @torch.inference_mode()
    def classify(self, batch):
        self.head.eval()
        a, b, e = self.la.sigmoid(), self.lb.sigmoid(), self.embed(torch.from_numpy(batch.features))
        z = self.head(self.after(self.S[batch.source], self.S[batch.destination], a, b, e)).squeeze(1)
        self.fold(batch, a, b, e, False)
        return z

    @torch.inference_mode()
    def score(self, source, time, destinations):
        """The head on all pairs: the two halves of its first layer are computed once a node."""
        first, last = self.head[0], self.head[-1]
        of_source, of_destination = first.weight.chunk(2, 1)
        u = nn.functional.linear(self.S[source], of_source, first.bias)
        v = self.S[destinations] @ of_destination.T
        return torch.stack([last((row + v).relu()).squeeze(1) for row in u])

    def parameters(self):
        return {"W": self.W, "alpha": self.la, "beta": self.lb} | self.head.state_dict()

    def state(self):
        return {"S": self.S}

    def load_state(self, values):
        super().load_state(values)
        for derivatives in self.A, self.B, self.J:
            derivatives.zero_()


if __name__ == "__main__":
    serve(DGS)

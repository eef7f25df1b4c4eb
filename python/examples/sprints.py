"""Graph-Sprints in PyTorch, whose states are not learned but its MLP is; and that MLP on the features alone (model: {raw: true}).

A node's state S becomes beta S + (1 - beta) ((1 - alpha) buckets + alpha S') with the state S' of an event's other
node, where buckets has a 1 for the quantile that each feature of the event is in.
"""

import numpy as np
import torch
from torch import nn

from dgsbench import Model, Setup, serve

bce = nn.functional.binary_cross_entropy_with_logits
OPTIONS = {"alpha": 0.5, "beta": 0.8, "buckets": 10, "hidden": 100, "dropout": 0.1, "lr": 1e-3, "raw": False}


class GraphSprints(Model):
    features = "required"
    training_part = True
    log_odds = True

    def __init__(self, setup: Setup):
        self.o = o = OPTIONS | setup.options
        self.links, self.buckets = setup.task == "lp", o["buckets"]
        if self.links and o["raw"]:
            raise ValueError("features of an event are unknown before it: expected task nc")
        size = setup.num_features * (1 if o["raw"] else self.buckets)
        quantiles = np.quantile(setup.train.features, np.arange(1, self.buckets) / self.buckets, axis=0).T
        self.edges = torch.from_numpy(np.ascontiguousarray(quantiles, np.float32))
        self.S = torch.zeros(0 if o["raw"] else setup.num_nodes, size)
        first = nn.Linear((1 + self.links) * size, o["hidden"])
        self.head = nn.Sequential(first, nn.ReLU(), nn.Dropout(o["dropout"]), nn.Linear(o["hidden"], 1))
        self.adam = torch.optim.Adam(self.head.parameters(), lr=o["lr"])

    def after(self, nodes, others, x):
        """States of nodes with an event folded in; of what has no states the features."""
        x = torch.from_numpy(x)
        if self.o["raw"]:
            return x
        place = torch.searchsorted(self.edges, x.T.contiguous(), right=True).T + torch.arange(x.shape[1]) * self.buckets
        hot = torch.zeros(len(x), self.S.shape[1]).scatter_(1, place, 1.0)
        a, b = self.o["alpha"], self.o["beta"]
        return b * self.S[nodes] + (1 - b) * ((1 - a) * hot + a * self.S[others])

    def observe(self, batch):
        if not self.o["raw"]:
            node, other, row = batch.last()
            self.S[node] = self.after(node, other, batch.features[row])

    def logits(self, batch):
        return self.head(self.after(batch.source, batch.destination, batch.features)).squeeze(1)

    def train(self, batch, negatives):
        self.head.train()
        if self.links:
            u, v, n = (self.S[nodes] for nodes in (batch.source, batch.destination, negatives))
            z = self.head(torch.cat([torch.cat([u, v], 1), torch.cat([u, n], 1)])).squeeze(1)
            loss = 2 * bce(z, torch.cat([torch.ones(len(batch)), torch.zeros(len(batch))]))
        else:
            known = torch.from_numpy(batch.label >= 0)
            z = self.logits(batch)[known]
            loss = bce(z, torch.from_numpy(batch.label)[known].float()) if known.any() else z.sum()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        self.observe(batch)
        return loss.item()

    @torch.inference_mode()
    def classify(self, batch):
        self.head.eval()
        z = self.logits(batch)
        self.observe(batch)
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
        return self.head.state_dict()

    def state(self):
        return {"S": self.S}


if __name__ == "__main__":
    serve(GraphSprints)

"""A GRU cell for the memory of each node, in PyTorch: the model of README.md."""

import torch
from torch import nn

from dgsbench import Events, Model, Setup, serve


class Recurrent(Model):
    log_odds = True

    def __init__(self, setup: Setup):
        size = setup.options.get("size", 64)
        self.cell = nn.GRUCell(size + setup.num_features + 1, size)
        self.head = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, 1))
        self.nets = nn.ModuleList([self.cell, self.head])
        self.adam = torch.optim.Adam(self.nets.parameters(), lr=setup.options.get("lr", 1e-3))
        self.memory = torch.zeros(setup.num_nodes, size)
        self.seen = torch.zeros(setup.num_nodes, dtype=torch.float64)  # when, in seconds

    def updated(self, nodes, others, batch: Events):
        """Memories of nodes after an event with others, in each row of the batch."""
        time, features = torch.from_numpy(batch.time), torch.from_numpy(batch.features)
        since = torch.log1p(time - self.seen[nodes]).float()
        return self.cell(torch.cat([self.memory[others], features, since[:, None]], 1), self.memory[nodes])

    @torch.no_grad()
    def observe(self, batch):
        nodes, others, rows = batch.last()  # each node once
        self.memory[nodes] = self.updated(nodes, others, batch[rows])
        self.seen[nodes] = torch.from_numpy(batch.time[rows])

    def logits(self, batch):
        return self.head(self.updated(batch.source, batch.destination, batch)).squeeze(1)

    @torch.no_grad()
    def classify(self, batch):
        out = self.logits(batch)
        self.observe(batch)
        return out

    def train(self, batch, negatives):
        known = batch[batch.label >= 0]
        loss = torch.tensor(0.0)
        if len(known):
            loss = nn.functional.binary_cross_entropy_with_logits(self.logits(known), torch.from_numpy(known.label).float())
            self.adam.zero_grad()
            loss.backward()
        self.observe(batch)
        if len(known):
            self.adam.step()
        return loss.item()

    def parameters(self):
        return self.nets.state_dict()

    def state(self):
        return {"memory": self.memory, "seen": self.seen}


if __name__ == "__main__":
    serve(Recurrent)

"""A small model that keeps every promise, unless options name a fault that is planted."""

import numpy as np

from dgsbench import Events, Model, Setup, serve


class Learner(Model):
    """A node's state is a running mean of its events' first features; w is learnt in train, and learn counts labels."""

    def __init__(self, setup: Setup):
        self.plant = setup.options.get("plant", "")
        rng = np.random.default_rng() if self.plant == "draws without the seed" else np.random
        self.w = np.array([1 + rng.random() / 8])
        self.nodes = np.zeros(setup.num_nodes)
        self.labels = np.zeros(setup.num_nodes)
        self.hidden = 0.0  # what only plants have
        self.links = setup.task == "lp"

    def after(self, nodes, x):
        return 0.75 * self.nodes[nodes] + 0.25 * x

    def fold(self, batch: Events):
        node, _, row = batch.last()
        self.nodes[node] = self.after(node, batch.features[row, 0])

    def train(self, batch, negatives):
        if self.plant == "trains on a state with the batch folded in":
            self.fold(batch)
        if self.links:
            s, y = self.nodes[np.tile(batch.source, 2)] * self.nodes[np.append(batch.destination, negatives)], np.repeat([1, 0], len(batch))
        else:
            s, y = self.after(batch.source, batch.features[:, 0]), batch.label
            s, y = s[y >= 0], y[y >= 0]
        z = self.w * s
        loss = np.logaddexp(0, z) - y * z
        self.w -= 0.1 * (s * (1 / (1 + np.exp(-z)) - y)).sum() / max(1, len(y))
        if self.plant != "trains on a state with the batch folded in":
            self.fold(batch)
        if self.plant == "prints":
            print("a line on standard output")
        if self.plant == "ends":
            raise SystemExit("no more")
        return loss.mean() if len(y) else 0.0

    def classify(self, batch):
        if self.plant == "looks ahead":
            self.fold(batch)
        scores = self.w * self.after(batch.source, batch.features[:, 0]) + self.labels[batch.source] + self.hidden
        self.fold(batch)
        if self.plant == "knows events by their numbers":
            scores = scores + batch.number
        if self.plant == "is not finite":
            scores[-1] = np.nan
        return scores[1:] if self.plant == "leaves an event out" else scores

    def observe(self, batch):
        self.fold(batch)
        if self.plant == "fails":
            raise IndexError("no such row")

    def learn(self, events):
        np.add.at(self.labels, events.source, events.label - 0.5)

    def score(self, source, time, destinations):
        if self.plant == "changes the state in score":
            self.nodes[source] += 1
        scores = np.outer(self.nodes[source], self.nodes[destinations]) * self.w
        if self.plant == "scores depend on other candidates":
            scores += np.arange(len(destinations))
        return scores

    def reset(self):
        self.nodes[:] = 0
        if self.plant != "forgets to reset its labels":
            self.labels[:] = 0

    def parameters(self):
        return {"w": self.w}

    def state(self):
        return {"nodes": self.nodes} if self.plant == "leaves labels out of snapshots" else {"nodes": self.nodes, "labels": self.labels}

    def load_state(self, values):
        if self.plant == "takes any snapshot":
            self.nodes[:] = values["nodes"] if "nodes" in values else 0
        else:
            super().load_state(values)


if __name__ == "__main__":
    serve(Learner)

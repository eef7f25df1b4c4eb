"""Logistic regression on the features of an event, by stochastic gradient descent in NumPy."""

import numpy as np

from dgsbench import Events, Model, Setup, serve


class Logistic(Model):
    features = "required"
    memory = False  # of nodes
    training_part = True
    log_odds = True
    deterministic = True

    def __init__(self, setup: Setup):
        x = setup.train.features
        self.mean, self.deviation = x.mean(0), x.std(0) + 1e-6
        self.rate = setup.options.get("lr", 0.1)
        self.weights = np.zeros(setup.num_features + 1)

    def inputs(self, batch: Events):
        x = (batch.features - self.mean) / self.deviation
        return np.column_stack([x, np.ones(len(batch))])

    def train(self, batch, negatives):
        batch = batch[batch.label >= 0]
        if len(batch) == 0:
            return 0.0
        x, y = self.inputs(batch), batch.label
        z = x @ self.weights
        self.weights -= self.rate * x.T @ (1 / (1 + np.exp(-z)) - y) / len(y)
        return np.mean(np.logaddexp(0, z) - y * z)

    def classify(self, batch):
        return self.inputs(batch) @ self.weights

    def parameters(self):
        return {"weights": self.weights}


if __name__ == "__main__":
    serve(Logistic)

"""Gradient-boosted trees (LightGBM) on the features of an event alone: what knows no state but has good features.

An epoch adds trees; the validation chooses how many epochs are tested.
"""

import lightgbm
import numpy as np

from dgsbench import Model, Setup, serve


class Boosted(Model):
    features = "required"
    memory = False
    log_odds = True
    deterministic = True

    def __init__(self, setup: Setup):
        options = {"trees": 20, "learning_rate": 0.05, "num_leaves": 31} | setup.options
        self.trees = options.pop("trees")  # of an epoch
        fixed = {"objective": "binary", "deterministic": True, "force_row_wise": True, "verbosity": -1}
        self.options = options | fixed | {"seed": setup.seed % 2**31, "num_threads": setup.threads}
        self.booster = None
        self.rows = []  # labelled events of the epoch so far

    def train(self, batch, negatives):
        """Takes note of a batch; the trees are fitted when the epoch is over."""
        batch = batch[batch.label >= 0]
        if len(batch) == 0:
            return 0.0
        self.rows.append(batch)
        z = self.raw(batch)
        return np.mean(np.logaddexp(0, z) - batch.label * z)

    def fit(self):
        if self.rows:
            x, y = (np.concatenate([getattr(b, name) for b in self.rows]) for name in ("features", "label"))
            data = lightgbm.Dataset(x, y, params=self.options)
            self.booster = lightgbm.train(self.options, data, self.trees, init_model=self.booster)
            self.rows = []

    def raw(self, batch):
        return np.zeros(len(batch)) if self.booster is None else self.booster.predict(batch.features, raw_score=True)

    def classify(self, batch):
        self.fit()
        return self.raw(batch)

    def reset(self):
        self.fit()

    def parameters(self):
        self.fit()
        text = self.booster.model_to_string() if self.booster else ""
        return {"booster": np.frombuffer(text.encode(), np.uint8)}

    def load_parameters(self, values):
        if values.keys() != {"booster"} or values["booster"].dtype != np.uint8:
            raise ValueError("no trees")
        text = values["booster"].tobytes().decode()
        self.booster, self.rows = lightgbm.Booster(model_str=text) if text else None, []


if __name__ == "__main__":
    serve(Boosted)

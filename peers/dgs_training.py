"""Training of Deep-Graph-Sprints beside the same mathematics in PyTorch.

usage: python peers/dgs_training.py WIKIPEDIA.csv [ROUNDS]

Exact real-time recurrent learning of alpha, beta and W with full Jacobians,
batches of 200 from the start of the stream: link prediction with one negative
an event, and classification. Features are random, 172 an event, labels too.
PyTorch's side is that of a card (dgs_training_card.py), which knows beforehand
who occurs in a batch. Both start from the same parameters; the losses of the
first batches are compared, then the sides take turns, a few batches a round,
if there are ROUNDS.
"""

from itertools import islice

from common import BATCH, alternate, compare, head_params, main, report, timed
from dgs_training_card import HEAD_RATE, Labels, Links, batches

CASES = [(Links, 100, 50), (Links, 100, 20), (Links, 250, 50), (Labels, 100, 50)]  # s, m
TASKS = {Links: "lp", Labels: "nc"}
FIRST = 10  # batches whose losses are compared: a rate of 30 makes much of rounding after that
CHUNK = 10  # batches of a round
CLOSE = 1e-6  # of losses
TEMPERATURE, RATE = 2, 30


class Trainer:
    """A model and the batches that it has not seen yet."""

    def __init__(self, stream, count, kind, s, m):
        self.model = kind(stream.nodes, s, m, TEMPERATURE, RATE, dropout=0)
        self.todo = iter(batches(stream, stream.windows(0, count * BATCH), kind))

    def params(self):
        """Under our names."""
        own = {"W": self.model.W.T, "alpha_logit": self.model.la, "beta_logit": self.model.lb}
        return {name: p.detach().clone() for name, p in (own | head_params(self.model.head)).items()}

    def take(self, count):
        """Trains so many batches and returns their losses."""
        return [self.model.step(b).item() for b in islice(self.todo, count)]


def beside(place, rounds, kind, s, m):
    name = f"DGS s={s} m={m}, {kind.task}"
    count = FIRST + rounds * CHUNK
    peer = Trainer(place.stream, count, kind, s, m)
    options = (
        f"{{size: {s}, blocks: {m}, temperature: {TEMPERATURE}, optimiser: {{method: sgd, lr: {RATE}}}, "
        f"head: {{hidden: [100], dropout: 0, lr: {HEAD_RATE}}}}}"
    )
    ours = place.start("training", {"kind": "dgs", "task": TASKS[kind], "options": options, "fitted": count * BATCH}, peer.params())
    compare(f"{name}: losses", ours.ask(FIRST)["losses"], peer.take(FIRST), CLOSE)

    sides = lambda: timed(lambda: peer.take(CHUNK)), lambda: ours.ask(CHUNK)["seconds"]
    report(name, alternate(rounds, *sides), ["PyTorch"], events_per_second)
    ours.close()


def events_per_second(seconds):
    return f"{CHUNK * BATCH / seconds:7.0f} events/s"


def script(place, rounds):
    for case in CASES:
        beside(place, rounds, *case)


if __name__ == "__main__":
    main(script)

"""The class that a user's model is derived from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .events import Events, FeatureUse, Setup
from .tensors import Values, put

Array = Any  # of NumPy, or a PyTorch tensor


class Model:
    """A stream model with a state for each node beside its parameters.

    Derive from it, override what the model can do, and call serve. A method that is not
    overridden is left out of the greeting, and dgsbench refuses suites that need it:
    classify for node classification, score for link prediction, train for whatever has
    something to learn, parameters and state for suites that select an epoch.

    Batches come in stream order, with at most setup.max_batch events. Within a batch no event
    may use another one: what is read is the state from before the batch; where a node
    occurs several times, its last occurrence is the one to keep.

    Inputs are checked before a method is called (finite features and times within 1e15, node
    numbers within range), answers after it (shape, finite numbers). An exception ends the
    trial; its last line and the place where it was raised stand in the message.
    """

    features: ClassVar[FeatureUse] = "optional"
    """ "ignored": features are never sent; "required": a dataset without any is refused."""
    memory: ClassVar[bool] = True
    """Whether something of a node is kept between batches. Without, state need not be overridden."""
    training_part: ClassVar[bool] = False
    """Whether __init__ needs setup.train; it is empty otherwise."""
    log_odds: ClassVar[bool] = False
    """Whether classify returns the logarithm of the odds that the label is 1, not just any score."""
    deterministic: ClassVar[bool] = False
    """Whether training draws nothing at random, so that all seeds give the same model."""

    def __init__(self, setup: Setup) -> None:
        """Builds the model. Random numbers of random, numpy.random and PyTorch are seeded before."""
        self.setup = setup

    def train(self, batch: Events, negatives: NDArray[np.int64] | None) -> float:
        """Makes a training step on a batch, then folds it into the state.

        batch has labels in node classification, some of them -1. negatives has one destination
        an event that is not the true one, shape (n,), in link prediction, and is None
        otherwise. Returns the loss of before the step, of the state from before the batch.
        """
        raise NotImplementedError

    def classify(self, batch: Events) -> Array:
        """Scores the events of a batch, higher for label 1, and folds the batch in.

        The score of an event comes from the state of before the batch with this event alone
        folded in. Returns shape (n,).
        """
        raise NotImplementedError

    def score(self, source: NDArray[np.int64], time: NDArray[np.float64], destinations: NDArray[np.int64]) -> Array:
        """Scores every destination for every source, from the present state, which stays as it is.

        Row k is about the next event of source[k], at time[k] seconds, shape (n,) each. destinations
        are distinct nodes in no order, shape (c,). Returns shape (n, c). Ranks are counted for you.
        """
        raise NotImplementedError

    def observe(self, batch: Events) -> None:
        """Folds a batch in without learning. Calls classify unless it is overridden."""
        self.classify(batch)

    def learn(self, events: Events) -> None:
        """Takes the labels (0 or 1) of earlier events, of any number, when they become known.

        What it changes is state: reset clears it.
        """
        raise NotImplementedError

    def reset(self) -> None:
        """Clears the state, not the parameters. Loads the state of after __init__ unless it is overridden."""
        raise NotImplementedError

    def parameters(self) -> Mapping[str, Array]:
        """What training changes, by name: the arrays or tensors themselves, not copies.

        For a PyTorch module: module.state_dict().
        """
        return {}

    def state(self) -> Mapping[str, Array]:
        """What events and labels change, by name: the arrays or tensors themselves, not copies."""
        return {}

    def load_parameters(self, values: Values) -> None:
        """Replaces the parameters by values that parameters once returned.

        Writes to the arrays that parameters returns. Override it where these are made for the call,
        and raise ValueError, before anything changes, for values that do not fit.
        """
        put(self.parameters(), values)

    def load_state(self, values: Values) -> None:
        """Replaces the state, as load_parameters does the parameters."""
        put(self.state(), values)

    def num_parameters(self) -> int:
        """How many numbers are learned: all of parameters, unless it is overridden."""
        return sum(int(np.prod(tuple(a.shape))) for a in self.parameters().values())


def offers(model: type[Model], method: str) -> bool:
    """Whether the class overrides a method."""
    return getattr(model, method) is not getattr(Model, method)

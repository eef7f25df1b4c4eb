"""The process's side of the protocol: requests in, calls of a model, answers out."""

from __future__ import annotations

import os
import random
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from . import ranking, tensors, wire
from .events import LARGEST, Events, Refused, Setup
from .model import Model, offers

Answer = tuple[wire.Message, bytes]


def serve(model: type[Model]) -> None:
    """Answers the harness with a model until standard input ends.

    Meanwhile prints go to standard error, because standard output is the protocol's.
    Exits with a message if the class lacks a method that its others need.
    """
    answers = greeting(model)
    requests, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    sys.stdout.flush()
    os.dup2(2, 1)
    wire.write(out, answers)
    Server(model, out).run(requests)


def greeting(model: type[Model]) -> wire.Message:
    """What the model can do, by the methods that are overridden."""
    tasks = [task for task, verb in (("nc", "classify"), ("lp", "score")) if offers(model, verb)]
    if not tasks:
        sys.exit(f"{model.__name__}: expected a method classify (node classification) or score (link prediction)")
    if "lp" in tasks and not offers(model, "observe"):
        sys.exit(f"{model.__name__}: expected a method observe, which folds a batch in, beside score")
    verbs = [verb for verb in ("train", "classify", "learn") if offers(model, verb)] + ["observe", "reset"]
    if "lp" in tasks:
        verbs += ["rank", "score"]
    if (offers(model, "parameters") or not offers(model, "train")) and (offers(model, "state") or not model.memory):
        verbs += ["snapshot", "restore"]
    return {
        "dgsbench": wire.VERSION,
        "tasks": tasks,
        "features": model.features,
        "class": "learned" if offers(model, "train") else "zero-parameter",
        "memory": model.memory,
        "log_odds": model.log_odds,
        "deterministic": model.deterministic,
        "training": model.training_part,
        "verbs": verbs,
    }


class Server:
    """One model, and the answers to requests."""

    def __init__(self, kind: type[Model], out: BinaryIO) -> None:
        self.kind, self.out = kind, out
        self.model: Model = None  # type: ignore[assignment]  # until it is built
        self.setup: Setup = None  # type: ignore[assignment]
        self.initial: tensors.Values = {}  # state of before the first event
        self.training_part: list[Events] = []
        self.candidates: dict[int, NDArray[np.int64]] = {}
        self.numbers = np.empty(0, np.int64)  # of the events that were asked about last
        self.seconds = 0.0
        self.verbs: dict[str, Callable[[wire.Message, bytes], Answer]] = {
            "build": self.build, "reset": self.reset, "snapshot": self.snapshot, "restore": self.restore,
            "train": self.train, "classify": self.classify, "observe": self.observe, "learn": self.learn,
        }
        if offers(kind, "score"):
            self.verbs |= {"candidates": self.name_candidates, "rank": self.rank, "score": self.score}
        if kind.training_part:
            self.verbs["training"] = self.training

    def run(self, requests: BinaryIO) -> None:
        """Answers until the requests end. What a method raises is an answer, too."""
        while (request := wire.read(requests)) is not None:
            message, payload = request
            self.seconds = 0.0
            try:
                answer, out = self.answer(message, payload)
                answer = {"ok": True, "seconds": self.seconds, **answer}
            except Exception as error:
                if not isinstance(error, Refused):
                    traceback.print_exc()
                answer, out = {"error": describe(error)}, b""
            wire.write(self.out, {"id": message["id"], **answer}, out)

    def answer(self, message: wire.Message, payload: bytes) -> Answer:
        verb = message["verb"]
        if verb not in self.verbs:
            raise Refused(f"no verb {verb!r}, expected one of {', '.join(self.verbs)}")
        if (self.model is None) != (verb in ("training", "build")):
            raise Refused(f"{verb} {'before' if self.model is None else 'after'} build")
        return self.verbs[verb](message, payload)

    def timed(self, call: Callable[..., Any], *given: Any) -> Any:
        """Calls the model and notes the seconds that it takes."""
        start = time.perf_counter()
        try:
            return call(*given)
        finally:
            self.seconds += time.perf_counter() - start

    def training(self, _: wire.Message, payload: bytes) -> Answer:
        self.training_part.append(wire.events(wire.decode(payload)))
        return {}, b""

    def build(self, message: wire.Message, _: bytes) -> Answer:
        setup = Setup(
            task=message["task"],
            num_nodes=message["nodes"],
            num_users=message["users"],
            num_features=message["features"],
            columns=message.get("columns") or [],
            max_batch=message["max_batch"],
            seed=message["seed"],
            threads=message["threads"],
            options=message.get("options") or {},
            train=Events.concatenate(self.training_part, message["features"]),
        )
        self.training_part = []
        random.seed(setup.seed)
        np.random.seed([setup.seed & 0xFFFFFFFF, setup.seed >> 32])
        if torch := sys.modules.get("torch"):
            torch.manual_seed(setup.seed)
        model = self.timed(self.kind, setup)
        self.initial = tensors.take(model.state())
        if offers(self.kind, "reset"):
            model.reset()  # what state has changed, if it does
        self.setup, self.model = setup, model
        per_node = [a for a in self.initial.values() if a.ndim and len(a) == setup.num_nodes]
        return {"parameters": model.num_parameters(), "state": sum(a.size for a in per_node) // max(1, setup.num_nodes)}, b""

    def events(self, columns: dict[str, Any], features: int) -> Events:
        """The events of a request, if a model may be given them."""
        events, nodes = wire.events(columns), self.setup.num_nodes
        if events.features.shape[1] != features:
            raise Refused(f"{events.features.shape[1]} features an event, expected {features}")
        for what, column, low, high in (
            ("source", events.source, 0, nodes - 1),
            ("destination", events.destination, 0, nodes - 1),
            ("time", events.time, -LARGEST, LARGEST),
            ("feature", events.features, -LARGEST, LARGEST),
        ):
            good = (column >= low) & (column <= high)
            if not good.all():
                at = np.argwhere(~good)[0]
                raise Refused(f"{what} of event {events.number[at[0]]} is {column[tuple(at)]}, expected {low} to {high}")
        self.numbers = events.number
        return events

    def folded(self, payload: bytes) -> Events:
        return self.events(wire.decode(payload), self.setup.num_features)

    def train(self, _: wire.Message, payload: bytes) -> Answer:
        columns = wire.decode(payload)
        events = self.events(columns, self.setup.num_features)
        negatives = wire.integers(columns["negative"]) if "negative" in columns else None
        loss = float(self.timed(self.model.train, events, negatives))
        if not np.isfinite(loss):
            raise FloatingPointError(f"train returned the loss {loss}")
        return {"loss": loss}, b""

    def classify(self, _: wire.Message, payload: bytes) -> Answer:
        events = self.folded(payload)
        return {}, wire.encode({"score": self.scores(self.model.classify, (len(events),), events)})

    def observe(self, _: wire.Message, payload: bytes) -> Answer:
        self.timed(self.model.observe, self.folded(payload))
        return {}, b""

    def learn(self, _: wire.Message, payload: bytes) -> Answer:
        self.timed(self.model.learn, self.folded(payload))
        return {}, b""

    def scores(self, call: Callable[..., Any], shape: tuple[int, ...], *given: Any) -> NDArray[np.float32]:
        """The scores that a method returns, which must have the shape and be finite."""
        scores: NDArray[np.float32] = self.timed(lambda: np.asarray(tensors.array(call(*given)), np.float32))
        if scores.shape != shape:
            raise ValueError(f"{call.__name__} returned scores of shape {scores.shape}, expected {shape}")
        if not np.isfinite(scores).all():
            at = np.argwhere(~np.isfinite(scores))[0]
            raise FloatingPointError(f"{call.__name__} returned the score {scores[tuple(at)]} for event {self.numbers[at[0]]}")
        return scores

    def name_candidates(self, message: wire.Message, payload: bytes) -> Answer:
        self.candidates[message["candidates"]] = wire.integers(wire.decode(payload)["node"])
        return {}, b""

    def matrix(self, message: wire.Message, columns: dict[str, Any]) -> NDArray[np.float32]:
        """Scores of the events' destinations, in the first column, and of the candidates."""

        def score(source: Any, time: Any, nodes: Any) -> NDArray[np.float32]:
            scores = self.scores(self.model.score, (len(source), len(nodes)), source, time, nodes)
            self.numbers = self.numbers[len(source) :]
            return scores

        return ranking.matrix(score, self.events(columns, 0), self.candidates[message["candidates"]])

    def score(self, message: wire.Message, payload: bytes) -> Answer:
        scores = self.matrix(message, wire.decode(payload))
        return {"first": 0, "columns": scores.shape[1]}, wire.encode({"scores": scores})

    def rank(self, message: wire.Message, payload: bytes) -> Answer:
        columns = wire.decode(payload)
        scores, candidates = self.matrix(message, columns), self.candidates[message["candidates"]]
        without = columns["without"].to_pylist() if "without" in columns else None
        greater, equal = ranking.counts(scores, wire.integers(columns["dst"]), candidates, without)
        return {}, wire.encode({"greater": greater, "equal": equal})

    def reset(self, _: wire.Message, __: bytes) -> Answer:
        if offers(self.kind, "reset"):
            self.timed(self.model.reset)
        else:
            self.timed(self.model.load_state, tensors.take(self.initial))
        return {}, b""

    def snapshot(self, message: wire.Message, _: bytes) -> Answer:
        parameters = tensors.pack(tensors.take(self.model.parameters()))
        if message["part"] == "parameters":
            return {"parameters": len(parameters)}, parameters
        state = tensors.pack(tensors.take(self.model.state()))
        return {"parameters": len(parameters), "state": len(state)}, parameters + state

    def restore(self, message: wire.Message, payload: bytes) -> Answer:
        size = message["parameters"]
        loads = [(self.model.load_parameters, self.model.parameters, payload[:size])]
        if "state" in message:
            loads.append((self.model.load_state, self.model.state, payload[size:]))
        new, old = [tensors.unpack(data) for _, _, data in loads], [tensors.take(of()) for _, of, _ in loads]
        try:
            for (load, _, _), values in zip(loads, new):
                load(values)
        except Exception:
            for (load, _, _), values in zip(loads, old):
                load(values)
            raise
        return {}, b""


def describe(error: Exception) -> str:
    """The last line of the traceback, and where the error was raised."""
    text = str(error) if isinstance(error, Refused) else "".join(traceback.format_exception_only(error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, Refused) or not frames:
        return text
    last = frames[-1]
    return f"{text} ({os.path.basename(last.filename)}, line {last.lineno}, in {last.name})"

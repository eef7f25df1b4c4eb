"""The harness's side of the protocol: starts a process, asks it, and checks the form of its answers."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import wire
from ..events import Events

GREETING_LIMIT, LIMIT, END_LIMIT = 120.0, 60.0, 20.0  # seconds; the harness ends a process after 5, which harms nobody
VERBS = {"train", "classify", "observe", "learn", "rank", "score", "reset", "snapshot", "restore"}
ALL = 0  # name of a list of candidates


class Fault(Exception):
    """The process does not keep to the protocol."""


class ErrorAnswer(Exception):
    """The process answers with an error."""


Snapshot = tuple[dict[str, int], bytes]  # lengths of its parts, and its bytes


class Process:
    """A process of a model."""

    def __init__(self, command: Sequence[str], threads: int = 1) -> None:
        variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        self.log = tempfile.TemporaryFile()
        try:
            self.child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=os.environ | dict.fromkeys(variables, str(threads))
            )
        except OSError as error:
            raise Fault(f"it cannot be started: {error}") from None
        self.id, self.features, self.threads = 0, 0, threads
        self.lists: dict[int, NDArray[np.int64]] = {}

    def greet(self) -> wire.Message:
        """The greeting, checked."""
        greeting, payload = self.read(GREETING_LIMIT)
        tasks, verbs = greeting.get("tasks"), greeting.get("verbs")
        for good, expected in (
            (greeting.get("dgsbench") == wire.VERSION, f"dgsbench: {wire.VERSION}"),
            (isinstance(tasks, list) and tasks and set(tasks) <= {"nc", "lp"}, "tasks of nc and lp"),
            (greeting.get("features") in ("ignored", "optional", "required"), "features: ignored, optional or required"),
            (greeting.get("class", "learned") in ("learned", "zero-parameter"), "class: learned or zero-parameter"),
            (isinstance(verbs, list) and set(verbs) <= VERBS, f"verbs of {', '.join(sorted(VERBS))}"),
            (isinstance(verbs, list) and {"observe", "reset"} <= set(verbs), "verbs with observe and reset"),
            (greeting.get("class") == "zero-parameter" or "train" in (verbs or []), "the verb train, or class: zero-parameter"),
            ("nc" not in (tasks or []) or "classify" in (verbs or []), "the verb classify for task nc"),
            ("lp" not in (tasks or []) or {"rank", "score"} & set(verbs or []), "the verb rank or score for task lp"),
            (not payload, "no payload"),
        ):
            if not good:
                raise Fault(f"its greeting is {greeting}, expected {expected}")
        return greeting

    def read(self, limit: float = LIMIT) -> tuple[wire.Message, bytes]:
        """The next message. The process is killed where there is none in time."""
        assert self.child.stdout
        timer = threading.Timer(limit, self.child.kill)
        timer.start()
        try:
            message = wire.read(self.child.stdout)
        except wire.BrokenStream as error:
            raise Fault(self.told(f"{error}: does something print to standard output?")) from None
        finally:
            late = not timer.is_alive()
            timer.cancel()
        if message is None:
            raise Fault(self.told(f"no message within {limit:g} s" if late else f"it ended with exit status {self.child.wait()}"))
        return message

    def told(self, what: str) -> str:
        """what, and the last lines of standard error."""
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").splitlines()[-5:]
        return "\n".join([what, *("      " + line for line in lines)])

    def ask(self, verb: str, payload: bytes = b"", **keys: Any) -> tuple[wire.Message, bytes]:
        assert self.child.stdin
        self.id += 1
        try:
            wire.write(self.child.stdin, {"id": self.id, "verb": verb, **keys}, payload)
        except BrokenPipeError:
            raise Fault(self.told(f"it ended with exit status {self.child.wait()}")) from None
        answer, out = self.read()
        if answer.get("id") != self.id:
            raise Fault(f"{verb}: an answer to request {answer.get('id')}, expected {self.id}")
        if "error" in answer:
            raise ErrorAnswer(f"{verb}: {answer['error']}")
        if answer.get("ok") is not True:
            raise Fault(f"{verb}: the answer {answer}, expected ok: true or an error")
        return answer, out

    def columns(self, verb: str, payload: bytes, rows: int, names: Sequence[str], **keys: Any) -> list[NDArray[Any]]:
        """The answer's columns."""
        _, out = self.ask(verb, payload, **keys)
        columns = wire.decode(out)
        if list(columns) != list(names):
            raise Fault(f"{verb}: columns {list(columns)}, expected {list(names)}")
        arrays = [wire.numbers(c) for c in columns.values()]
        for array in arrays:
            if len(array) != rows:
                raise Fault(f"{verb}: {len(array)} rows, expected {rows}")
        return arrays

    def build(self, task: str, stream: Events, *, nodes: int, users: int, seed: int, max_batch: int, features: bool, training: bool, options: Any) -> wire.Message:
        self.features = stream.features.shape[1] if features else 0
        half = stream[: len(stream) // 2]
        if training:
            self.ask("training", self.encode(half.without_labels()), features=self.features)
        answer, _ = self.ask(
            "build", task=task, nodes=nodes, users=users, features=self.features, max_batch=max_batch,
            events=len(stream), seed=seed, threads=self.threads, options=options,
        )
        return answer

    def encode(self, events: Events, **more: NDArray[Any]) -> bytes:
        features = events.features[:, : self.features]
        return wire.encode_events(replace(events, features=features), **more)

    def train(self, batch: Events, negatives: NDArray[np.int64] | None) -> float:
        if negatives is None:
            answer, _ = self.ask("train", self.encode(batch))
        else:
            answer, _ = self.ask("train", self.encode(batch.without_labels(), negative=negatives.astype(np.int32)))
        loss = answer.get("loss")
        if not isinstance(loss, (int, float)) or not np.isfinite(loss):
            raise Fault(f"train: the loss {loss}, expected a finite number")
        return float(loss)

    def classify(self, batch: Events) -> NDArray[np.float32]:
        (scores,) = self.columns("classify", self.encode(batch.without_labels()), len(batch), ["score"])
        if scores.dtype != np.float32 or scores.ndim != 1 or not np.isfinite(scores).all():
            raise Fault(f"classify: scores {scores} of {scores.dtype}, expected finite float32")
        return scores

    def observe(self, batch: Events) -> None:
        self.ask("observe", self.encode(batch.without_labels()))

    def learn(self, events: Events) -> None:
        self.ask("learn", self.encode(events))

    def candidates(self, number: int, nodes: NDArray[np.int64]) -> None:
        self.ask("candidates", wire.encode({"node": nodes.astype(np.int32)}), candidates=number)
        self.lists[number] = nodes

    def score(self, batch: Events, number: int = ALL) -> NDArray[np.float32]:
        """Scores of the destinations, then of the candidates."""
        width, blocks, first = 1 + len(self.lists[number]), [], 0
        answer, out = self.ask("score", self.encode_question(batch), candidates=number)
        while True:
            if (answer.get("first"), answer.get("id")) != (first, self.id) or "columns" not in answer:
                raise Fault(f"score: the block {answer}, expected one from column {first}")
            block = wire.numbers(wire.decode(out)["scores"])
            if block.shape != (len(batch), answer["columns"]) or block.dtype != np.float32 or not np.isfinite(block).all():
                raise Fault(f"score: a block of shape {block.shape} of {block.dtype}, expected finite float32, {len(batch)} x {answer['columns']}")
            blocks.append(block)
            first += block.shape[1]
            if first >= width:
                break
            answer, out = self.read()
        if first > width:
            raise Fault(f"score: {first} columns, expected {width}")
        return np.concatenate(blocks, 1)

    def rank(self, batch: Events, number: int = ALL, without: list[list[int]] | None = None) -> NDArray[np.int32]:
        """Counts above and level, in two columns."""
        keys: dict[str, Any] = {"candidates": number} if without is None else {"candidates": number, "without": True}
        more = {} if without is None else {"without": wire.lists(without)}
        greater, equal = self.columns("rank", self.encode_question(batch, **more), len(batch), ["greater", "equal"], **keys)
        return np.column_stack([greater, equal])

    def encode_question(self, batch: Events, **more: Any) -> bytes:
        return wire.encode_events(replace(batch, features=np.zeros((len(batch), 0), np.float32), label=None), **more)

    def reset(self) -> None:
        self.ask("reset")

    def snapshot(self, part: str = "everything") -> Snapshot:
        answer, out = self.ask("snapshot", part=part)
        lengths = {key: answer[key] for key in ("parameters", "state") if key in answer}
        if list(lengths) != (["parameters", "state"] if part == "everything" else ["parameters"]) or sum(lengths.values()) != len(out):
            raise Fault(f"snapshot of {part}: {len(out)} bytes with the lengths {lengths}")
        return lengths, out

    def restore(self, snapshot: Snapshot) -> None:
        lengths, data = snapshot
        self.ask("restore", data, **lengths)

    def end(self) -> int | None:
        """Closes standard input and returns the exit status; None if the process had to be killed."""
        assert self.child.stdin
        try:
            self.child.stdin.close()
        except BrokenPipeError:
            pass
        try:
            status: int | None = self.child.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            status = None
        assert self.child.stdout
        self.child.stdout.close()
        self.log.close()
        return status

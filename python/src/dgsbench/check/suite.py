"""The checks. Each is about one task, and returns what is wrong, or an empty text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import ranking, wire
from ..events import Events
from . import streams
from .process import ALL, END_LIMIT, ErrorAnswer, Process, Snapshot
from .streams import BATCH, EVENTS, EVERYONE, ITEMS, NODES, USERS

CLOSE = 2e-5  # of the largest score, where the number of candidates differs
Check = Callable[[], str]
Answers = NDArray[Any]


class Suite:
    """Checks of the processes of one command."""

    def __init__(self, command: Sequence[str], greeting: wire.Message, task: str, options: Any) -> None:
        self.command, self.greeting, self.task, self.options = command, greeting, task, options
        self.verbs, self.links = set(greeting["verbs"]), task == "lp"
        self.stream = streams.random(1)
        self.started: list[Process] = []
        self.half, self.rest = self.stream[: EVENTS // 2], self.stream[EVENTS // 2 :]

    def checks(self) -> Iterator[tuple[str, Check]]:
        """Names and checks, of those that apply. Those that train twins alike come first."""
        snapshots = {"snapshot", "restore"} <= self.verbs
        for name, applies, check in (
            ("the same seed gives the same bits", True, self.same_bits),
            ("what is refused changes nothing", True, self.refused),
            ("no look-ahead in training", "train" in self.verbs, self.look_ahead_in_training),
            ("no look-ahead", True, self.look_ahead),
            ("batches of one event are answered", True, self.single_events),
            ("reset is complete", True, self.reset),
            ("a snapshot brings back answers and state", snapshots, self.snapshot),
            ("a foreign snapshot is an error that changes nothing", snapshots, self.foreign_snapshot),
            ("event numbers mean nothing", True, self.event_numbers),
            ("labels may be late", not self.links and "learn" in self.verbs, self.late_labels),
            ("other candidates change no score", self.links and "score" in self.verbs, self.candidates),
            ("rank agrees with score", self.links and {"rank", "score"} <= self.verbs, self.rank_agrees),
            ("rank and score change nothing", self.links, self.questions_change_nothing),
            ("it ends with its input", True, self.end),
        ):
            if applies:
                yield name, self.careful(check)

    def careful(self, check: Check) -> Check:
        """The check, with models that were reset. The next one gets new ones if this one fails."""

        def run() -> str:
            try:
                if not self.started:
                    self.start()
                for process in self.started:
                    process.reset()
                wrong = check()
            except BaseException:
                self.stop()
                raise
            if wrong:
                self.stop()
            return wrong

        return run

    def stop(self) -> None:
        """Ends all models."""
        for process in self.started:
            process.end()
        self.started = []

    def start(self) -> None:
        """Starts twins of one seed and a model of another, and trains them."""
        self.started = [Process(self.command) for _ in range(3)]
        for process, seed in zip(self.started, (1, 1, 2)):
            process.greet()
            process.build(
                self.task, self.stream, nodes=NODES, users=USERS, seed=seed, max_batch=BATCH, options=self.options,
                features=self.greeting["features"] != "ignored", training=self.greeting.get("training", False),
            )
            if self.links:
                process.candidates(ALL, EVERYONE)
        self.model, self.twin, self.other = self.started
        self.losses = [self.train(process, self.stream) for process in self.started]

    def train(self, process: Process, stream: Events) -> list[float]:
        if "train" not in self.verbs:
            return []
        return [process.train(b, streams.negatives(b) if self.links else None) for b in streams.batches(stream)]

    def answer(self, process: Process, batch: Events) -> Answers:
        """Scores of a batch, or counts where there are none. Classification folds the batch in."""
        if not self.links:
            return process.classify(batch)
        return process.score(batch) if "score" in self.verbs else process.rank(batch)

    def evaluate(self, process: Process, stream: Events, size: int = BATCH) -> Answers:
        """All answers of a pass as the harness makes it. Labels become known after their batch."""
        out = []
        for batch in streams.batches(stream, size):
            out.append(self.answer(process, batch))
            if self.links:
                process.observe(batch)
            self.learn(process, batch)
        return np.concatenate(out)

    def learn(self, process: Process, events: Events) -> None:
        """Gives the labels of those events that have one, if the process wants any."""
        assert events.label is not None
        if not self.links and "learn" in self.verbs and (events.label >= 0).any():
            process.learn(events[events.label >= 0])

    def observe(self, process: Process, stream: Events) -> None:
        """Folds a stream in. Labels become known after their batch."""
        for batch in streams.batches(stream):
            process.observe(batch)
            self.learn(process, batch)

    def same_bits(self) -> str:
        """The same seed gives the same losses and answers; another one others, unless the greeting says deterministic."""

        one, again, other = (np.append(losses, self.evaluate(m, self.stream)) for losses, m in zip(self.losses, self.started))
        if wrong := different("a second process", again, one):
            return wrong
        deterministic = self.greeting.get("deterministic", False)
        if self.greeting.get("class") != "zero-parameter" and np.array_equal(other, one) != deterministic:
            return f"another seed gives {'other' if deterministic else 'the same'} numbers, and the greeting says deterministic: {str(deterministic).lower()}"
        return ""

    def look_ahead(self) -> str:
        """A score of links depends on no event of its batch or later, a classification on its own event and earlier batches."""
        model = self.model
        first = self.stream[: EVENTS - BATCH]
        last = self.stream[EVENTS - BATCH :]

        def after_first(batch: Events) -> Answers:
            model.reset()
            self.observe(model, first)
            return self.answer(model, batch)

        want = after_first(last)
        if self.links and "score" in self.verbs:
            want = want[:, 1:]
        for k in range(BATCH):
            keep = ("source",) if self.links and "score" in self.verbs else ("source", "destination")
            got = after_first(streams.redrawn(last, k, keep if self.links else (*keep, "features")))
            if self.links and "score" in self.verbs:
                got = got[:, 1:]
            if wrong := different(f"event {k} of a batch, all others redrawn", got[k], want[k]):
                return wrong
        return ""

    def look_ahead_in_training(self) -> str:
        """The loss is that of states from before the batch: no features, and no other event's, matter to it."""
        one, other = self.model, self.twin
        batch = streams.redrawn(self.rest[:BATCH], 0, ("source", "destination", "features"))
        changed = replace(batch, features=streams.random(7, BATCH).features)
        if self.links:
            losses = [m.train(b, streams.negatives(batch)) for m, b in ((one, batch), (other, changed))]
            return different("the loss of a batch, its features redrawn", losses[1], losses[0])
        label = np.full(BATCH, -1, np.int8)
        label[0] = 1
        changed.features[0] = batch.features[0]
        losses = [m.train(replace(b, label=label), None) for m, b in ((one, batch), (other, changed))]
        return different("the loss of one labelled event, the features of all others redrawn", losses[1], losses[0])

    def single_events(self) -> str:
        """Batches of one event and of max_batch events are answered, also in turns."""
        model = self.model
        for size in (1, BATCH):
            model.reset()
            self.evaluate(model, self.rest[: 2 * BATCH], size)
        return ""

    def reset(self) -> str:
        """After reset the model is a new one with these parameters: one of another seed that is given them answers alike."""
        model, fresh = self.model, self.other
        first = self.evaluate(model, self.stream)
        model.reset()
        if wrong := different("the second pass after reset", self.evaluate(model, self.stream), first):
            return wrong
        if not {"snapshot", "restore"} <= self.verbs:
            return ""
        fresh.restore(model.snapshot("parameters"))
        return different("another model with these parameters", self.evaluate(fresh, self.stream), first)

    def snapshot(self) -> str:
        """Restore brings back answers, in place and in another process; parameters with a replayed stream do, too."""
        model, other = self.model, self.other
        self.observe(model, self.half)
        everything, parameters = model.snapshot(), model.snapshot("parameters")
        want = self.evaluate(model, self.rest)
        model.reset()
        self.train(model, self.stream)
        model.restore(everything)
        if wrong := different("restored in place", self.evaluate(model, self.rest), want):
            return wrong
        self.observe(other, self.stream)
        other.restore(everything)
        if wrong := different("restored in another process", self.evaluate(other, self.rest), want):
            return wrong
        model.reset()
        self.train(model, self.stream)
        model.restore(parameters)
        model.reset()
        self.observe(model, self.half)
        return different("parameters restored, events replayed", self.evaluate(model, self.rest), want)

    def foreign_snapshot(self) -> str:
        """Bytes that are no snapshot, or a part of one, are an error; the model goes on as before."""
        model = self.model
        lengths, data = good = model.snapshot()
        want = self.evaluate(model, self.rest)
        cut = len(data) // 2
        foreign: list[tuple[str, Snapshot]] = [
            ("no bytes", ({"parameters": 0, "state": 0}, b"")),
            ("noise", ({"parameters": 64, "state": 64}, bytes(range(128)))),
            ("half of a snapshot", ({"parameters": min(cut, lengths["parameters"]), "state": max(0, cut - lengths["parameters"])}, data[:cut])),
        ]
        for what, snapshot in foreign:
            model.restore(good)
            try:
                model.restore(snapshot)
                if len(data):
                    return f"{what} is accepted"
            except ErrorAnswer:
                if wrong := different(f"after {what}", self.evaluate(model, self.rest), want):
                    return wrong
        return ""

    def refused(self) -> str:
        """Numbers that are not finite and nodes that do not exist are an error; the model goes on as before."""
        calls: list[Callable[[Process, Events], Any]] = [Process.observe]
        calls.append(Process.score if self.links and "score" in self.verbs else Process.rank if self.links else Process.classify)
        if "train" in self.verbs:
            calls.append(lambda m, b: m.train(b, streams.negatives(b) if self.links else None))
        model, undisturbed = self.model, self.twin
        for what, bad in self.bad_batches():
            for call in calls:
                if call in (Process.score, Process.rank) and "feature" in what:
                    continue
                try:
                    call(model, bad)
                    return f"{what} is accepted"
                except ErrorAnswer:
                    pass
        try:
            model.ask("no such verb")
            return "a request of an unknown verb is accepted"
        except ErrorAnswer:
            pass
        answers = [self.evaluate(m, self.rest) for m in (model, undisturbed)]
        model.reset()
        undisturbed.reset()
        return different("answers after errors", *answers) or different("losses after errors", *(self.train(m, self.rest) for m in (model, undisturbed)))

    def bad_batches(self) -> list[tuple[str, Events]]:
        """Batches of which one number is wrong."""
        batch, out = self.rest[:BATCH], []
        for what, name, value in (
            ("a feature that is NaN", "features", np.nan),
            ("an infinite feature", "features", np.inf),
            ("a source below 0", "source", -1),
            ("a source beyond the last node", "source", NODES),
            ("a destination beyond the last node", "destination", NODES),
        ):
            if name == "features" and self.greeting["features"] == "ignored":
                continue
            column = getattr(batch, name).copy()
            column[BATCH // 2] = value
            out.append((what, replace(batch, **{name: column})))
        return out

    def event_numbers(self) -> str:
        """Events with other numbers in the same order are answered alike."""
        first = self.evaluate(self.model, self.stream)
        self.model.reset()
        return different("events with other numbers", self.evaluate(self.model, replace(self.stream, number=3 * self.stream.number + 5)), first)

    def late_labels(self) -> str:
        """Labels of more events than a batch has, long after these, leave a model that can be restored elsewhere."""
        model, other = self.model, self.other
        for batch in streams.batches(self.stream):
            model.observe(batch)
        self.learn(model, self.half)
        if {"snapshot", "restore"} <= self.verbs:
            other.restore(model.snapshot())
            return different("restored after labels that come late", self.evaluate(other, self.rest), self.evaluate(model, self.rest))
        self.evaluate(model, self.rest)
        return ""

    def candidates(self) -> str:
        """The score of a node depends on no other candidate."""
        model = self.model
        for number, nodes in ((1, EVERYONE[USERS:]), (2, EVERYONE[::3])):
            model.candidates(number, nodes)
            everyone, some = model.score(self.rest[:BATCH], ALL), model.score(self.rest[:BATCH], number)
            if np.abs(everyone[:, 1 + nodes] - some[:, 1:]).max() > CLOSE * np.abs(everyone).max():
                return f"scores among {len(nodes)} candidates are not those among {NODES}"
            true = everyone[np.arange(BATCH), 1 + self.rest.destination[:BATCH]]
            if np.abs(true - some[:, 0]).max() > CLOSE * np.abs(everyone).max():
                return "the first column is not the score of the event's destination"
        return ""

    def rank_agrees(self) -> str:
        """Rank counts the scores of score, and leaves out what it is told to."""
        model = self.model
        for i, batch in enumerate(streams.batches(self.rest)):
            nodes = EVERYONE[i % 5 :]
            without = [[k % 4, USERS + k % ITEMS] for k in range(BATCH)] if i % 2 else None
            model.candidates(3, nodes)
            greater, equal = ranking.counts(model.score(batch, 3), batch.destination, nodes, without)
            if wrong := different(f"counts of batch {i}", model.rank(batch, 3, without), np.column_stack([greater, equal])):
                return wrong
            model.observe(batch)
        return ""

    def questions_change_nothing(self) -> str:
        want = self.evaluate(self.model, self.rest)
        self.model.reset()
        for verb, ask in (("score", Process.score), ("rank", Process.rank)):
            if verb in self.verbs:
                ask(self.model, self.rest[:BATCH])
        return different("answers of one that was asked before", self.evaluate(self.model, self.rest), want)

    def end(self) -> str:
        status = self.model.end()
        self.started.remove(self.model)
        self.stop()
        if status is None:
            return f"it does not end within {END_LIMIT:g} s"
        return f"exit status {status}, expected 0" if status else ""


def different(what: str, got: Any, want: Any) -> str:
    """Says where numbers differ; empty if they are the same."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"{what}: {got.size} numbers, expected {want.size}"
    at = np.flatnonzero(got.ravel() != want.ravel())
    if len(at) == 0:
        return ""
    return f"{what}: number {at[0]} is {got.ravel()[at[0]]}, expected {want.ravel()[at[0]]}"

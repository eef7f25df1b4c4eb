"""Counting ranks, packing arrays, last events of nodes, and what a process says about bad requests."""

import sys
import unittest
from pathlib import Path

import numpy as np

from dgsbench import Events, put, ranking, tensors, wire
from dgsbench.check.process import ErrorAnswer, Process

LEARNER = [sys.executable, str(Path(__file__).with_name("learner.py"))]


def events(source, destination):
    n = len(source)
    return Events(np.arange(n), np.array(source), np.array(destination), np.arange(n, dtype=float), np.zeros((n, 2), np.float32))


class Ranking(unittest.TestCase):
    def test_counts_are_those_of_the_definition(self):
        rng = np.random.default_rng(1)
        for _ in range(50):
            n, nodes = rng.integers(1, 6), np.arange(12)
            candidates = np.flatnonzero(rng.random(12) < 0.6)
            batch = events(rng.integers(0, 12, n), rng.integers(0, 12, n))
            table = rng.integers(0, 4, (12, 12)).astype(np.float32)
            without = [np.flatnonzero(rng.random(12) < 0.3).tolist() for _ in range(n)] if rng.random() < 0.5 else None
            scores = ranking.matrix(lambda u, t, v: table[np.ix_(u, v)], batch, candidates)
            greater, equal = ranking.counts(scores, batch.destination, candidates, without)
            for k, (u, true) in enumerate(zip(batch.source, batch.destination)):
                left = {true, *(without[k] if without else ())}
                others = [table[u, v] for v in nodes if v in candidates and v not in left]
                self.assertEqual(greater[k], sum(x > table[u, true] for x in others))
                self.assertEqual(equal[k], sum(x == table[u, true] for x in others))

    def test_large_questions_are_asked_in_parts(self):
        asked = []

        def score(source, time, nodes):
            asked.append(len(source) * len(nodes))
            return np.zeros((len(source), len(nodes)), np.float32)

        before, ranking.PER_CALL = ranking.PER_CALL, 20
        try:
            ranking.matrix(score, events([0] * 10, [1] * 10), np.arange(7))
        finally:
            ranking.PER_CALL = before
        self.assertEqual(asked, [14] * 5)


class Tensors(unittest.TestCase):
    def test_packed_arrays_come_back(self):
        values = {"a": np.arange(3.0), "b/c": np.zeros((0, 2), np.int8), "d": np.array(7)}
        back = tensors.unpack(tensors.pack(values))
        self.assertEqual(list(back), list(values))
        for name, array in values.items():
            np.testing.assert_array_equal(back[name], array)
            self.assertEqual(back[name].dtype, array.dtype)

    def test_other_bytes_are_refused(self):
        pickled = tensors.io.BytesIO()
        np.savez(pickled, a=np.array([object()]))
        for data in (b"", b"noise", tensors.pack({"a": np.arange(3)})[:-30], pickled.getvalue()):
            with self.assertRaisesRegex(ValueError, "no snapshot"):
                tensors.unpack(data)

    def test_what_does_not_fit_changes_nothing(self):
        arrays = {"a": np.zeros(2), "b": np.zeros(2)}
        for values in (
            {"a": np.ones(2)},
            {"a": np.ones(2), "b": np.ones(3)},
            {"a": np.ones(2), "b": np.ones(2, np.float32)},
        ):
            with self.assertRaises(ValueError):
                put(arrays, values)
            self.assertFalse(arrays["a"].any())


class OfEvents(unittest.TestCase):
    def test_last_events_of_nodes(self):
        node, other, row = events([0, 1, 0, 4], [2, 2, 3, 4]).last()
        self.assertEqual(list(zip(node, other, row)), [(0, 3, 2), (1, 2, 1), (2, 1, 1), (3, 0, 2), (4, 4, 3)])

    def test_survive_the_wire(self):
        for n in (0, 3):
            sent = Events(np.arange(n) + 7, np.arange(n), np.arange(n) + 1, np.arange(n) / 2, np.ones((n, 2), np.float32), np.ones(n, np.int8))
            got = wire.events(wire.decode(bytes(wire.encode_events(sent))))
            for name in ("number", "source", "destination", "time", "features", "label"):
                np.testing.assert_array_equal(getattr(got, name), getattr(sent, name))


class Requests(unittest.TestCase):
    def setUp(self):
        self.process = Process(LEARNER)
        self.addCleanup(self.process.end)
        self.process.greet()

    def refused(self, says, ask):
        with self.assertRaises(ErrorAnswer) as caught:
            ask()
        self.assertIn(says, str(caught.exception))

    def test_out_of_order(self):
        self.refused("observe before build", lambda: self.process.observe(events([0], [1])))
        build = {"nodes": 3, "users": 0, "features": 2, "columns": None, "max_batch": 4, "events": 9, "seed": 2**64 - 1, "threads": 1, "options": None}
        answer, _ = self.process.ask("build", task="nc", **build)
        self.assertEqual((answer["parameters"], answer["state"]), (1, 2))
        self.refused("build after build", lambda: self.process.ask("build", task="nc", **build))
        self.refused("no verb 'think', expected one of build, reset", lambda: self.process.ask("think"))
        self.process.features = 2
        self.refused("source of event 1 is 3, expected 0 to 2", lambda: self.process.observe(events([0, 3], [1, 1])))
        self.process.features = 1
        self.refused("1 features an event, expected 2", lambda: self.process.observe(events([0], [1])))


if __name__ == "__main__":
    unittest.main()

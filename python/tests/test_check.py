"""The conformance suite passes a model that keeps every promise, and finds each fault that is planted in one."""

import contextlib
import io
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dgsbench.check.__main__ import main
from dgsbench.check.process import ErrorAnswer, Fault, Process
from dgsbench.check.suite import Suite

LEARNER = [sys.executable, str(Path(__file__).with_name("learner.py"))]

SAME = "the same seed gives the same bits"
PLANTS = [  # task, plant, the check that finds it, a part of what it says
    ("nc", "draws without the seed", SAME, "a second process"),
    ("nc", "is not finite", SAME, "classify returned the score nan for event 9"),
    ("nc", "leaves an event out", SAME, "classify returned scores of shape (9,), expected (10,)"),
    ("nc", "ends", SAME, "it ended with exit status 1\n      no more"),
    ("nc", "looks ahead", "no look-ahead", "event 0 of a batch, all others redrawn"),
    ("nc", "fails", "no look-ahead", "observe: IndexError: no such row (learner.py, line"),
    ("nc", "trains on a state with the batch folded in", "no look-ahead in training", "the features of all others redrawn"),
    ("lp", "trains on a state with the batch folded in", "no look-ahead in training", "its features redrawn"),
    ("nc", "forgets to reset its labels", "reset is complete", "the second pass after reset"),
    ("nc", "leaves labels out of snapshots", "a snapshot brings back answers and state", "restored in place"),
    ("nc", "knows events by their numbers", "event numbers mean nothing", "events with other numbers"),
    ("nc", "leaves labels out of snapshots", "labels may be late", "restored after labels that come late"),
    ("nc", "takes any snapshot", "a foreign snapshot is an error that changes nothing", "no bytes"),
    ("lp", "scores depend on other candidates", "other candidates change no score", "scores among 7 candidates"),
    ("lp", "changes the state in score", "rank and score change nothing", "answers of one that was asked before"),
]


class Plants(unittest.TestCase):
    def test_each_is_found(self):
        first = Process(LEARNER)
        greeting = first.greet()
        first.end()

        def reason(case):
            task, plant, check, _ = case
            suite = Suite(LEARNER, greeting, task, {"plant": plant})
            try:
                return dict(suite.checks())[check]()
            except (Fault, ErrorAnswer) as fault:
                return str(fault)
            finally:
                suite.stop()

        with ThreadPoolExecutor(4) as pool:
            for (task, plant, _, says), found in zip(PLANTS, pool.map(reason, PLANTS)):
                with self.subTest(f"{task}: {plant}"):
                    self.assertIn(says, found)


class Command(unittest.TestCase):
    def run_main(self, *arguments):
        """Exit status and both outputs of the command."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def test_passes(self):
        status, out, err = self.run_main("--options", '{"plant": "prints"}', "--", *LEARNER)
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("ok    lp: rank agrees with score\n", out)
        self.assertTrue(out.endswith("24 passed, 0 failed\n"), out)

    def test_fails(self):
        status, out, _ = self.run_main("--task", "nc", "--options", '{"plant": "looks ahead"}', "--", *LEARNER)
        self.assertEqual(status, 1)
        self.assertIn("FAIL  nc: no look-ahead: event 0", out)
        self.assertTrue(out.endswith("10 passed, 1 failed\n"), out)

    def test_is_no_model(self):
        for code, says in (
            ("print('hello')", "no message: b'hello\\n': does something print to standard output?"),
            ("raise ImportError('no torch')", "it ended with exit status 1\n      "),
            ("print('{\"dgsbench\": 2}')", "expected dgsbench: 1"),
            ("import dgsbench; dgsbench.serve(type('M', (dgsbench.Model,), {}))", "M: expected a method classify (node classification) or score (link prediction)"),
            ("import dgsbench; dgsbench.serve(type('M', (dgsbench.Model,), {'score': 1}))", "M: expected a method observe"),
        ):
            with self.subTest(code):
                status, out, err = self.run_main("--", sys.executable, "-c", code)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(says, err)

    def test_unknown_task(self):
        module = "import dgsbench; dgsbench.serve(type('M', (dgsbench.Model,), {'classify': lambda *_: 0}))"
        status, _, err = self.run_main("--task", "lp", "--", sys.executable, "-c", module)
        self.assertEqual(status, 2)
        self.assertIn("no task lp; it has nc", err)


if __name__ == "__main__":
    unittest.main()

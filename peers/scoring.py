"""Deep-Graph-Sprints, one event a call, beside ONNX Runtime.

usage: python peers/scoring.py [ROUNDS]

s = 100, 172 features, a head of 100 units, 10,000 nodes. Ours is serve.Scorer
(BenchmarkScorer in serve); ONNX Runtime runs what `bench export` writes of the
same model, with bound buffers. Both sides take turns, on one core. Prints the
medians over ROUNDS (9) of p50 and p99, and the ratios: how many times as fast
we are. The first row of ONNX Runtime is the run alone; for the second one, as
for ours, states are taken from the table and put back.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
NODES, FEATURES, SIZE = 10_000, 172, 100
EVENTS, OURS = 20_000, 200_000  # of a measurement
QUANTILES = ("p50", "p99")


class Step:
    """A session with bound buffers."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        self.features, self.source, self.destination = (self.bound(name, n) for name, n in
                                                        (("features", FEATURES), ("source_state", SIZE), ("destination_state", SIZE)))
        self.logit, self.new_source, self.new_destination = (self.bound(name, *shape) for name, shape in
                                                             (("logit", ()), ("new_source_state", (SIZE,)), ("new_destination_state", (SIZE,))))

    def bound(self, name, *shape):
        """An array of one event in whose memory the session reads or writes."""
        array = np.zeros((1, *shape), np.float32)
        bind = self.binding.bind_output if name == "logit" or name.startswith("new_") else self.binding.bind_input
        bind(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        return array

    def run(self):
        self.session.run_with_iobinding(self.binding)


def theirs(step, states, src, dst, x):
    """Microseconds of each event: of the run, and with the states."""
    alone, whole = [], []
    now = time.perf_counter_ns
    for u, v, features in zip(src.tolist(), dst.tolist(), x):
        first = now()
        step.features[0] = features
        step.source[0] = states[u]
        step.destination[0] = states[v]
        start = now()
        step.run()
        end = now()
        states[u] = step.new_source[0]
        states[v] = step.new_destination[0]
        whole.append(now() - first)
        alone.append(end - start)
    return [np.percentile(times, (50, 99)) / 1e3 for times in (alone, whole)]


def ours(program, model):
    """Microseconds of the same quantiles."""
    text = subprocess.run([program, "-test.run=^$", "-test.bench=Scorer", f"-test.benchtime={OURS}x"], check=True, text=True,
                          stdout=subprocess.PIPE, cwd=ROOT / "serve", env={**os.environ, "DGSBENCH_SCORER_MODEL": str(model)}).stdout
    return [float(re.search(rf"([\d.]+) {q}-us", text)[1]) for q in QUANTILES]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    rng = np.random.default_rng(0)
    src, dst = rng.integers(NODES, size=(2, EVENTS))
    x = rng.standard_normal((EVENTS, FEATURES), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        program, model, graph = (Path(folder) / name for name in ("serve.test", "model.safetensors", "model.onnx"))
        subprocess.run(["go", "test", "-c", "-o", program, "./serve"], cwd=ROOT, check=True)
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # of what is started from here, too
        ours(program, model)
        subprocess.run(["go", "run", "./cmd/bench", "export", model, graph], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        step, states = Step(graph), np.zeros((NODES, SIZE), np.float32)
        theirs(step, states, src, dst, x)
        rows = [(ours(program, model), *theirs(step, states, src, dst, x)) for _ in range(rounds)]
    print(f"ONNX Runtime {onnxruntime.__version__}, one core, load {os.getloadavg()[0]:.2f}, medians of {rounds} rounds, in us")
    for side, name in enumerate(("ours", "ONNX Runtime, the run", "ONNX Runtime, with states")):
        line = f"{name:26}"
        for q, quantile in enumerate(QUANTILES):
            line += f"  {quantile} {statistics.median(row[side][q] for row in rows):6.2f}"
            if side > 0:
                line += f", ratio {statistics.median(row[side][q] / row[0][q] for row in rows):5.2f}"
        print(line)


if __name__ == "__main__":
    main()

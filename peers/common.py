"""What the scripts share that set a model of ours beside PyTorch."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # ours runs on the processor, and so do its peers, those of a card too
ROOT = Path(__file__).resolve().parent.parent
THREADS = 2
BATCH = 200
MEASURED = 200 * BATCH  # the last events of the stream: an inference test
PAUSE = 0.05  # seconds between two sides, in which the threads of one fall asleep


class Stream:
    """Interactions in the JODIE layout (only user, item and time are read) with random features, negatives and labels."""

    def __init__(self, path, features, seed=0):
        table = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1, 2))
        self.src = torch.tensor(table[:, 0]).long()
        self.dst = torch.tensor(table[:, 1]).long()
        if self.dst.min() == 0:
            self.dst += self.src.max() + 1
        self.t = torch.tensor(table[:, 2]).long()
        self.events, self.users, self.nodes = len(self.src), int(self.dst.min()), int(self.dst.max()) + 1
        generator = torch.Generator().manual_seed(seed)
        self.x = torch.randn(self.events, features, generator=generator)
        self.negative = torch.randint(self.users, self.nodes, (self.events,), generator=generator)
        self.label = torch.randint(2, (self.events,), generator=generator)

    def windows(self, first, last):
        """The batches of a span of events, as slices."""
        return [slice(lo, min(lo + BATCH, last)) for lo in range(first, last, BATCH)]

    def columns(self):
        return {name: getattr(self, name) for name in ("src", "dst", "t", "negative", "label", "x")}


class Workplace:
    """A folder with our program and the stream, in which models are put beside PyTorch."""

    def __init__(self, folder, stream):
        self.folder, self.stream, self.models = Path(folder), stream, 0
        subprocess.run(["go", "build", "-o", self.folder / "ours", "./peers/ours"], cwd=ROOT, check=True)
        save_file(stream.columns(), self.folder / "stream")

    def start(self, command, spec, params, *more):
        """Our program with a model (see peers/ours), whose parameters are given under our names."""
        self.models += 1
        model = self.folder / f"model{self.models}"
        spec = {"batch": BATCH, "threads": THREADS, **spec}
        save_file({k: p.detach().contiguous() for k, p in params.items()}, model, {"spec": json.dumps(spec)})
        return Ours([self.folder / "ours", command, self.folder / "stream", model, *more])

    def classifier(self, spec, params):
        """A warmed up classifier of ours, and its logits of the events that are measured."""
        logits = self.folder / "logits"
        spec = {"task": "nc", "from": self.stream.events - MEASURED, **spec}
        ours = self.start("latency", spec, params, logits)
        ours.answer()
        return ours, load_file(logits)["logits"]


class Ours:
    """Our program, which answers line by line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, question=""):
        print(question, file=self.process.stdin, flush=True)
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("our side ended early")
        return json.loads(line)

    def seconds(self):
        return self.ask()["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(run):
    """Seconds that run() takes on PyTorch's threads."""
    wake()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def wake():
    """Keeps PyTorch's threads busy for a while: while our side runs they fall asleep, and are slow to get up."""
    x, start = torch.ones(1 << 20), time.perf_counter()
    while time.perf_counter() - start < PAUSE:
        x.add_(1)


def alternate(rounds, *sides):
    """Seconds of every side, a row for each round; sides are functions that measure themselves."""
    rows = []
    for _ in range(rounds):
        row = []
        for side in sides:
            time.sleep(PAUSE)
            row.append(side())
        rows.append(row)
    return rows


def report(name, rows, peers, show):
    """Prints a comparison. Ours are the last of each row, the peers before; show writes seconds.

    Ratios are medians over the rounds, with that of the best rounds: how many times as fast we are.
    Without rounds there is nothing to print.
    """
    if not rows:
        return
    ours = [row[-1] for row in rows]
    print(f"{name:32} ours {show(statistics.median(ours))}", end="")
    for i, peer in enumerate(peers):
        theirs = [row[i] for row in rows]
        ratio = statistics.median(t / o for t, o in zip(theirs, ours))
        print(f"   {peer} {show(statistics.median(theirs))}, ratio {ratio:.2f} (best {min(theirs) / min(ours):.2f})", end="")
    print(flush=True)


def seconds(x):
    return f"{x:.4f} s"


def compare(what, ours, theirs, tolerance):
    """Ends the script where two lists of numbers differ."""
    difference = (torch.as_tensor(ours).double() - torch.as_tensor(theirs).double()).abs().max().item()
    if not difference <= tolerance:
        sys.exit(f"{what} differ by {difference:.2g}, allowed is {tolerance:g}")
    print(f"{what} agree to {difference:.1g}", flush=True)


def head_params(head):
    """A perceptron of PyTorch's under our names: weights are in x out here."""
    out = {}
    for i, layer in enumerate(m for m in head if isinstance(m, torch.nn.Linear)):
        out[f"head.W{i + 1}"], out[f"head.b{i + 1}"] = layer.weight.T, layer.bias
    return out


def main(script, features=172):
    """Runs script(workplace, rounds) on the file and the number of rounds in the command line."""
    if len(sys.argv) < 2:
        sys.exit(sys.modules["__main__"].__doc__)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    medians = f", medians of {rounds} rounds" if rounds else ""
    print(f"PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}, {THREADS} threads{medians}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        script(Workplace(folder, Stream(sys.argv[1], features)), rounds)

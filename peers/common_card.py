"""What the scripts share that time PyTorch on a card, for scripts/gpu-check.

Each prints a line of JSON for each of its times, named as our own ones are.
Without a card they run on the processor, and there are no graphs.
"""

import contextlib
import json
import signal
import statistics
import sys
import time

import torch

TINY = "-tiny" in sys.argv
BATCH, BATCHES = 200, 2 if TINY else 200
FEATURES, HIDDEN = 172, 100
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CLOSE = 1e-4  # of logits
ROUNDS = 2 if TINY else 10
PER_ROUND = 0 if TINY else 0.2  # seconds of a side: a round is the median of its replays
MOST_REPLAYS = 50
WARM = 0 if TINY else 0.5  # seconds of work before the clock starts: an idle card has low clocks
COMPILING = 25  # seconds that compiling may take

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


class Stream:
    """A file with the columns src, dst and t; features, negatives and labels are random."""

    def __init__(self, path):
        with open(path) as file:
            rows = [line.split(",") for line in file.read().split("\n")[1:] if line]
        self.src, self.dst, self.t = (torch.tensor([int(row[i]) for row in rows]) for i in range(3))
        self.events, self.nodes = len(rows), int(torch.maximum(self.src.max(), self.dst.max())) + 1
        self.users = int(self.dst.min())  # destinations come after them
        generator = torch.Generator().manual_seed(1)
        self.x = torch.randn(self.events, FEATURES, generator=generator)
        self.negative = torch.randint(self.nodes, (self.events,), generator=generator)
        self.label = torch.randint(2, (self.events,), generator=generator)

    def measured(self):
        """The last batches, as slices."""
        first = self.events - BATCH * BATCHES
        return [slice(lo, lo + BATCH) for lo in range(first, self.events, BATCH)]


def padded(lists):
    """One tensor of lists: shorter ones repeat their last number, so that shapes do not vary."""
    longest = max(map(len, lists))
    return torch.tensor([row + row[-1:] * (longest - len(row)) for row in lists])


def last_rows(stream, window):
    """For each node of a batch the row of its last occurrence in [src, dst]."""
    last, events = {}, window.stop - window.start
    for i, (u, v) in enumerate(zip(stream.src[window].tolist(), stream.dst[window].tolist())):
        last[u], last[v] = i, i + events
    return list(last.values())


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


class Side:
    """A way to run all batches on a state: run() leaves the logits in out."""

    def __init__(self, way, step, batches, state):
        self.way, self.step, self.batches = way, step, batches
        self.start, self.state, self.times = state, [s.clone() for s in state], []
        self.out = torch.full((BATCHES, BATCH), float("nan"), device=DEVICE)

    def run(self):
        for i, b in enumerate(self.batches):
            self.out[i] = self.step(*self.state, *b)

    def timed(self):
        """Seconds of a run from the state of the start, which is put back before."""
        for s, start in zip(self.state, self.start):
            s.copy_(start)
        self.out.fill_(float("nan"))
        wait()
        begin = time.perf_counter()
        self.run()
        wait()
        return time.perf_counter() - begin

    def capture(self):
        """Makes run() a replay of one graph."""
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            self.run()
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.run()
        self.run = graph.replay


@contextlib.contextmanager
def limit(seconds):
    """Ends what takes longer with a TimeoutError."""

    def end(*_):
        raise TimeoutError(f"over {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def warmed(side):
    """Warms a side up. What compiles may lack a compiler, or time: the others are timed without it."""
    try:
        with limit(COMPILING):
            side.timed()
    except Exception as e:
        if "compiled" not in side.way:
            raise
        print(f"{side.way}: left out: {type(e).__name__}: {e}", file=sys.stderr)
        return False
    return True


def sides_of(step, batches, state):
    """Eager, compiled, and one graph of all batches, warmed up, with equal logits."""
    sides = [Side("PyTorch, eager", step, batches, state)]
    if not TINY:
        sides.append(Side("PyTorch, compiled", torch.compile(step, dynamic=False), batches, state))
    if DEVICE == "cuda":
        sides.append(Side("PyTorch, CUDA graph", step, batches, state))
        sides[-1].capture()
    sides = [side for side in sides if warmed(side)]
    for side in sides:
        side.timed()
        compare(side.way, side.out, sides[0].out)
    return sides


def compare(what, got, want):
    difference = (got - want).abs().max().item()
    if not difference <= CLOSE:
        raise ValueError(f"{what}: differs by {difference:g}, allowed is {CLOSE:g}")


def alternate(task, model, sides):
    """Times the sides in turns and prints them."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM:
        sides[0].timed()
    replays = [max(1, min(MOST_REPLAYS, int(PER_ROUND / side.timed()))) for side in sides]
    for _ in range(ROUNDS):
        for side, n in zip(sides, replays):
            side.times.append(statistics.median(side.timed() for _ in range(n)))
    for side in sides:
        tell(task, model, side.way, side.times)


def tell(task, model, way, seconds, *notes):
    line = {"task": task, "model": model, "way": way, "seconds": seconds}
    if DEVICE == "cpu":
        notes += ("on the processor",)
    if notes:
        line["notes"] = notes
    print(json.dumps(line), flush=True)


def each(models, measure):
    """Measures models one by one. One that fails does not stop the others; the script says so at its end."""
    failed = []
    for model in models:
        try:
            measure(model)
        except Exception as e:
            failed.append(f"{model}: {type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}")
    if failed:
        sys.exit("; ".join(failed))

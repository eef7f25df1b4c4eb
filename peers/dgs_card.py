"""Inference of Deep-Graph-Sprints by PyTorch on a card: eager, compiled, and one CUDA graph of all batches.

usage: python dgs_card.py [--tiny]

A stream of Wikipedia's size with random nodes and features, all of it on the
card; the last 200 batches of 200 events are timed, ten iterations of each,
the three in turns. Prints a line of JSON for each. Without a card it runs on
the processor, and has no graph.
"""

import json
import statistics
import sys
import time

import torch

TINY = "--tiny" in sys.argv
BATCH, BATCHES = 200, 3 if TINY else 200
NODES, FEATURES, HIDDEN = 9227, 172, 100
SIZES = [(10, 5)] if TINY else [(100, 50), (250, 50)]  # s, m
ITERATIONS, REPLAYS = 10, 1 if TINY else 20  # an iteration is the median of its replays
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CLOSE = 1e-4


class DGS:
    """Equation 2 of the paper with a head, as in dgs_inference.py."""

    def __init__(self, s, m):
        self.s, self.m = s, m
        self.W = torch.randn(FEATURES, s, device=DEVICE) / FEATURES**0.5
        self.alpha, self.beta = torch.rand(s, device=DEVICE), torch.rand(s, device=DEVICE)
        self.head = torch.nn.Sequential(torch.nn.Linear(s, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)).to(DEVICE)

    def step(self, S, u, v, nodes, last, x):
        """Logits of a batch, which is folded into S: of several writes to a node the last one stays."""
        a, b = self.alpha, self.beta
        e = torch.softmax((x @ self.W).view(-1, self.m, self.s // self.m), -1).view(-1, self.s)
        su, sv = S[u], S[v]
        base = (1 - a) * e
        nu, nv = b * su + (1 - b) * (base + a * sv), b * sv + (1 - b) * (base + a * su)
        S[nodes] = torch.cat([nu, nv])[last]
        return self.head(nu).squeeze(1)


def batches():
    """(u, v, nodes, last, x) of every batch; last are the rows of [u, v] that stay, by node."""
    generator = torch.Generator().manual_seed(1)
    out = []
    for _ in range(BATCHES):
        u = torch.randint(0, 8227, (BATCH,), generator=generator)
        v = torch.randint(8227, NODES, (BATCH,), generator=generator)
        ids = torch.cat([u, v])
        row = {int(n): i for i, n in enumerate(ids)}
        # Padded to one size with repetitions of a row, which write the same again: shapes do not vary.
        last = list(row.values())
        last += last[-1:] * (2 * BATCH - len(last))
        last = torch.tensor(last)
        x = torch.randn(BATCH, FEATURES, generator=generator)
        out.append([t.to(DEVICE) for t in (u, v, ids[last], last, x)])
    return out


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


class Side:
    """A way to run all batches: run() leaves the logits in out."""

    def __init__(self, name, step, stream, state):
        self.name, self.step, self.stream, self.state, self.times = name, step, stream, state, []
        self.start = state.clone()
        self.out = torch.full((BATCHES, BATCH), float("nan"), device=DEVICE)

    def run(self):
        for i, b in enumerate(self.stream):
            self.out[i] = self.step(self.state, *b)

    def timed(self):
        self.state.copy_(self.start)
        self.out.fill_(float("nan"))
        wait()
        begin = time.perf_counter()
        self.run()
        wait()
        return time.perf_counter() - begin

    def capture(self):
        """Makes run() a replay of one graph."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.run()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.run()
        self.run = graph.replay


def works(side):
    """Warms a side up. What compiles may lack a compiler: the others are timed without it."""
    try:
        side.timed()
    except Exception as e:
        if "compiled" not in side.name:
            raise
        print(f"{side.name}: left out: {type(e).__name__}", file=sys.stderr)
        return False
    return True


@torch.inference_mode()
def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    stream = batches()
    for s, m in SIZES:
        model, state = DGS(s, m), torch.rand(NODES, s, device=DEVICE)
        name = f"PyTorch DGS s={s}"
        sides = [Side(f"{name}, eager", model.step, stream, state.clone())]
        if not TINY:
            sides.append(Side(f"{name}, compiled", torch.compile(model.step, dynamic=False), stream, state.clone()))
        if DEVICE == "cuda":
            sides.append(Side(f"{name}, one CUDA graph", model.step, stream, state.clone()))
            sides[-1].capture()
        sides = [side for side in sides if works(side)]
        for side in sides:
            difference = (side.out - sides[0].out).abs().max().item()
            if not difference <= CLOSE:
                sys.exit(f"{side.name}: logits differ by {difference}")
        for _ in range(ITERATIONS):
            for side in sides:
                side.times.append(statistics.median(side.timed() for _ in range(REPLAYS)))
        for side in sides:
            print(json.dumps({"name": side.name, "iterations": side.times}), flush=True)


main()

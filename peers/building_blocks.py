"""The building blocks of the kernels beside PyTorch, in one run.

usage: python peers/building_blocks.py [ROUNDS]

Runs our benchmarks and PyTorch's on the same sizes in turn, ROUNDS times (9),
and prints the medians and the ratio. A ratio above 1 means that ours is
faster. Needs Go, a C++ compiler (for torch.compile) and requirements.txt.
"""

import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 0.1  # of one measurement

PRODUCTS = [(200, 172, 100), (200, 344, 100), (400, 472, 300)]  # m, k, n
FORMS = ["NN", "NT", "TN"]
EVENTS, NODES, DIM = 200, 9227, 100
STEP = (200, 344, 100)  # rows, inputs, hidden units


def measure(f):
    """Seconds a call of f."""
    calls, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < SECONDS:
        f()
        calls += 1
    return passed / calls


def product(m, k, n, form):
    """C = op(A) op(B) into a matrix that is there already, on one thread."""
    a = torch.randn(m, k) if form[0] == "N" else torch.randn(k, m).t()
    b = torch.randn(k, n) if form[1] == "N" else torch.randn(n, k).t()
    c = torch.empty(m, n)

    def run():
        torch.mm(a, b, out=c)

    return run


def rank_in_loop(u, p, w, true):
    """One event at a time, as a PyTorch user writes it without compiling."""
    scores = torch.stack([(e + p).relu() @ w for e in u])
    return count(scores, true)


def rank_at_once(u, p, w, true):
    """For torch.compile, which fuses the sum into one pass."""
    return count(((u[:, None] + p[None]).relu() * w).sum(-1), true)


def count(scores, true):
    truth = scores.gather(1, true[:, None])
    return (scores > truth).sum(1), (scores == truth).sum(1) - 1


def rankings():
    u, p, w = torch.randn(EVENTS, DIM), torch.randn(NODES, DIM), torch.randn(DIM)
    true = torch.randint(NODES, (EVENTS,))
    compiled = torch.compile(rank_at_once)
    return {
        "eager": lambda: rank_in_loop(u, p, w, true),
        "compiled": lambda: compiled(u, p, w, true),
    }


def training_step():
    """Forward, backward and Adam of 344 -> 100 -> 1 on 200 rows, with dropout."""
    rows, inputs, hidden = STEP
    net = torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(hidden, 1)
    )
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    x, y = torch.randn(rows, inputs), torch.randint(2, (rows, 1)).float()

    def run():
        with torch.inference_mode(False), torch.enable_grad():
            adam.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(net(x), y).backward()
            adam.step()

    return run


def rows():
    """Each row: name, package and name of our benchmark, threads, operations, peer."""
    for m, k, n in PRODUCTS:
        for form in FORMS:
            name = f"{m}x{k}x{n}/{form}"
            yield f"sgemm {name}, 1 thread", ("kernels/cpu", f"BenchmarkGemm/{name}/LEVEL"), 1, 2 * m * k * n, product(m, k, n, form)
    size = "x".join(map(str, STEP[:2])) + "-100-1"
    with torch.inference_mode(False):
        step = training_step()
    yield f"training step {size}, 1 thread", ("nn", f"BenchmarkStep/{size}/threads=1/LEVEL"), 1, None, step
    size = f"{EVENTS}x{NODES}x{DIM}"
    for way, run in rankings().items():
        yield f"rank {size}, 2 threads, {way}", ("kernels/cpu", f"BenchmarkRank/{size}/LEVEL/threads=2"), 2, None, run


def ours(folder, package, benchmark):
    """Nanoseconds of our benchmark at the widest level, which comes last."""
    pattern = "/".join(f"^{part}$" for part in benchmark.replace("LEVEL", "avx.*").split("/"))
    command = [binary_of(folder, package), "-test.run=^$", f"-test.bench={pattern}", f"-test.benchtime={SECONDS}s"]
    out = subprocess.run(command, cwd=ROOT / package, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^Benchmark.*?/(avx\w+)\S*\s+\d+\s+([\d.]+) ns/op", out, re.MULTILINE)
    if not found:
        sys.exit(f"no benchmark matches {pattern}:\n{out}")
    level, nanoseconds = found[-1]
    return level, float(nanoseconds) / 1e9


def binary_of(folder, package):
    """The package's compiled tests, made once."""
    binary = f"{folder}/{package.replace('/', '-')}.test"
    if not Path(binary).exists():
        subprocess.run(["go", "test", "-c", "-o", binary, f"./{package}"], cwd=ROOT, check=True)
    return binary


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print(f"PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}, medians of {rounds} rounds", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, benchmark, threads, operations, peer in rows():
            torch.set_num_threads(threads)
            for _ in range(3):
                peer()
            pairs = [(ours(folder, *benchmark), measure(peer)) for _ in range(rounds)]
            level = pairs[0][0][0]
            mine = statistics.median(p[0][1] for p in pairs)
            theirs = statistics.median(p[1] for p in pairs)
            ratio = statistics.median(p[1] / p[0][1] for p in pairs)
            print(f"{name:40} {level} {show(mine, operations)}  PyTorch {show(theirs, operations)}  ratio {ratio:.2f}", flush=True)


def show(seconds, operations):
    if operations:
        return f"{operations / seconds / 1e9:6.1f} GFLOP/s"
    return f"{seconds * 1e3:6.2f} ms"


if __name__ == "__main__":
    with torch.inference_mode():
        main()

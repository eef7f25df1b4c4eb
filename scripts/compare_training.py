#!/usr/bin/env python3
"""Compares how fast two builds of bench train: pairs of runs, in random order within a pair.

usage: python3 scripts/compare_training.py OLD NEW

Exits with status 1 if the new build is slower, by the rule of bench latency --compare.
"""

import json
import math
import random
import statistics
import subprocess
import sys
import tempfile

PAIRS, SLOWER, LEVEL = 20, 1.15, 0.01
EVENTS = {"dgs": "4e4", "tgn-attn": "2e4"}


def microseconds(build, model, out):
    """The time of an event of training, the median over chunks of the stream."""
    command = [build, "scale", model, "--mode", "training", "--length", EVENTS[model], "--sweep", "batch=200", "--threads", "2", "--json", "--quiet", "--out", out]
    run = subprocess.run(command, stdout=subprocess.PIPE)
    if not run.stdout:
        sys.exit(f"{' '.join(command)}: exit status {run.returncode}")
    point = json.loads(run.stdout)["points"][0]
    if "error" in point:
        sys.exit(f"{' '.join(command)}: {point['error']}")
    return point["us_per_event"]


def pairs(model, builds, out):
    """Times of the old build and the new one, in pairs."""
    for _ in range(PAIRS):
        took = {which: microseconds(builds[which], model, out) for which in random.sample((0, 1), 2)}
        yield took[0], took[1]


def verdict(model, builds, out):
    """Whether the new build is slower."""
    ratios = [new / old for old, new in pairs(model, builds, out)]
    ratio, slower, differ = statistics.median(ratios), sum(r > 1 for r in ratios), sum(r != 1 for r in ratios)
    p = sum(math.comb(differ, k) for k in range(slower, differ + 1)) / 2**differ
    print(f"training of {model}: {ratio:.3f} of the old build's time, p {p:.2g}", flush=True)
    return ratio >= SLOWER and p < LEVEL


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    random.seed(1)
    with tempfile.TemporaryDirectory() as out:
        sys.exit(any([verdict(model, sys.argv[1:], out) for model in EVENTS]))

#!/usr/bin/env python3
"""Compares how fast two builds of bench train: pairs of runs, in random order within a pair.

usage: scripts/compare_training.py OLD NEW

Ends with 1 if the new build is slower, by the rule of bench latency --compare.
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
    command = [build, "scale", model, "--mode", "training", "--length", EVENTS[model], "--sweep", "batch=200", "--json", "--quiet", "--out", out]
    point = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["points"][0]
    if "error" in point:
        sys.exit(f"{build}: {model}: {point['error']}")
    return point["us_per_event"]


def verdict(model, builds, out):
    """Whether the new build is slower."""
    ratios = []
    for _ in range(PAIRS):
        took = {build: microseconds(build, model, out) for build in random.sample(builds, 2)}
        ratios.append(took[builds[1]] / took[builds[0]])
    ratio, slower, differ = statistics.median(ratios), sum(r > 1 for r in ratios), sum(r != 1 for r in ratios)
    p = sum(math.comb(differ, k) for k in range(slower, differ + 1)) / 2**differ
    print(f"training of {model}: {ratio:.3f} of the old build's time, p {p:.2g}", flush=True)
    return ratio >= SLOWER and p < LEVEL


if len(sys.argv) != 3:
    sys.exit(__doc__)
random.seed(1)
with tempfile.TemporaryDirectory() as out:
    sys.exit(any([verdict(model, sys.argv[1:], out) for model in EVENTS]))

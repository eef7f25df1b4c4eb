#!/usr/bin/env python3
"""Adds to a history how many times as fast as a reference a commit is: batches, single events, training.

usage: python3 scripts/speed_history.py HISTORY.csv [COMMIT [REFERENCE]]

COMMIT is HEAD, and REFERENCE that of the file, if they are not given. Both are built, and alternate 20 times on two
threads; a row has the median of the ratios and an interval that covers the true median with 96% probability. A commit
that the file has is measured again. It takes ten minutes. "go run ./results/speed HISTORY.csv > HISTORY.svg" draws the file.
"""

import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

from compare_training import EVENTS, pairs

COLUMNS = ["date", "commit", "reference", "machine", "test", "model", "speed", "low", "high"]
SUITE = """
name: speed
title: speed over time
protocol:
  batch: 200
  latency: {batches: 50, iterations: 5, warmups: 1, lead: 2000, sweep: [1], sweep_batches: 2000, sweep_iterations: 3}
runs:
  - {task: nc, datasets: [wikipedia-sim@0.1], models: [dgs, dgs+size-250, graph-sprints, tgn-id, jodie, tgn-attn]}
"""


def git(*words):
    return subprocess.run(["git", *words], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def build(commit, folder):
    """The program of a commit."""
    tree, program = os.path.join(folder, "tree"), os.path.join(folder, "bench-" + commit)
    git("worktree", "add", "--quiet", "--detach", tree, commit)
    try:
        subprocess.run(["go", "build", "-o", program, "./cmd/bench"], cwd=tree, check=True)
    finally:
        git("worktree", "remove", "--force", tree)
    return program


def latencies(old, new, folder):
    """Times by test and model, in pairs."""
    suite = os.path.join(folder, "speed.yaml")
    with open(suite, "w") as f:
        f.write(SUITE)
    command = [new, "latency", suite, "--compare", old, "--threads", "2", "--json", "--quiet"]
    verdicts = json.loads(subprocess.run(command, stdout=subprocess.PIPE).stdout)  # status 1: the new one is slower
    for v in verdicts:
        yield "single events" if v.get("batch") == 1 else "batches of 200", v["model"], v["old"], v["new"], v["new_machine"]


def trainings(old, new, folder):
    for model in EVENTS:
        yield "training", model, *zip(*pairs(model, (old, new), folder)), None


def main(history, commit="HEAD", reference=None):
    rows = []
    if os.path.exists(history):
        with open(history) as f:
            rows = list(csv.DictReader(f))
    if not rows and not reference:
        sys.exit(f"{history} has no rows yet: which commit is the reference?")
    commit, reference = (git("rev-parse", "--short=8", name + "^{commit}") for name in (commit, reference or rows[0]["reference"]))
    if commit == reference or rows and rows[0]["reference"] != reference:
        sys.exit(f"{history}: {commit} cannot be compared with {reference}: expected another commit, and one reference in a file")
    rows = [r for r in rows if r["commit"] != commit]
    date = git("show", "--no-patch", "--format=%cs", commit)
    with tempfile.TemporaryDirectory() as folder:
        old, new, machine = build(reference, folder), build(commit, folder), None
        for test, model, before, now, on in [*latencies(old, new, folder), *trainings(old, new, folder)]:
            machine = on or machine
            ratios = sorted(b / n for b, n in zip(before, now))
            numbers = [statistics.median(ratios), ratios[5], ratios[-6]]
            rows.append(dict(zip(COLUMNS, [date, commit, reference, machine, test, model, *(f"{x:.3f}" for x in numbers)])))
    with open(history + ".new", "w") as f:
        table = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        f.flush()
        os.fsync(f.fileno())
    os.replace(history + ".new", history)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    random.seed(1)
    main(*sys.argv[1:])

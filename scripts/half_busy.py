#!/usr/bin/env python3
"""Runs a command beside a load that keeps one core half busy: seeded spells of work and rest, 5 ms each on average.

usage: python3 scripts/half_busy.py SEED COMMAND...
"""

import multiprocessing
import random
import subprocess
import sys
import time


def load(seed):
    rng = random.Random(seed)
    while True:
        end = time.perf_counter() + rng.expovariate(200)
        while time.perf_counter() < end:
            pass
        time.sleep(rng.expovariate(200))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    multiprocessing.Process(target=load, args=[int(sys.argv[1])], daemon=True).start()
    sys.exit(subprocess.run(sys.argv[2:]).returncode)

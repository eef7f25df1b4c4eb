#!/usr/bin/env python3
"""Runs a command beside a load that asks for half of one core: seeded spells of work and rest, 5 ms each on average.

usage: python3 scripts/half_busy.py SEED COMMAND...
"""

import multiprocessing
import os
import random
import subprocess
import sys
import time


def load(seed, parent):
    rng = random.Random(seed)
    while os.getppid() == parent:
        end = time.thread_time() + rng.expovariate(200)
        while time.thread_time() < end:
            pass
        time.sleep(rng.expovariate(200))


if __name__ == "__main__":
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    multiprocessing.Process(target=load, args=[int(sys.argv[1]), os.getpid()], daemon=True).start()
    try:
        status = subprocess.run(sys.argv[2:]).returncode
    except OSError as error:
        sys.exit(str(error))
    sys.exit(status if status >= 0 else 128 - status)

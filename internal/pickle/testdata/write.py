"""Writes what pickle_test.go reads: dictionaries of arrays as TGB keeps its
negatives, each as a pickle and as lines of text.

    python3 write.py FOLDER
"""
import pathlib
import pickle
import sys

import numpy as np


def dictionaries():
    destinations = np.arange(5, 25)
    events = [(0, 5, 36), (1, 6, 77), (1, 7, 77), (2**40, 9, -3)]
    yield "scalars", {tuple(np.int64(x) for x in e): np.setdiff1d(destinations, [e[1]]) for e in events}
    yield "plain", {e: np.setdiff1d(destinations, [e[1]]) for e in events}
    yield "floats", {tuple(np.float64(x) for x in e): destinations.astype(np.float64) for e in events}
    yield "reversed", {e: destinations[::-1] for e in events}  # not contiguous
    yield "read-only", {e: np.frombuffer(destinations.tobytes(), dtype=np.int64) for e in events}
    for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]:
        yield name, {(1, 2): np.array([0, 1, 100], dtype=name), (300, 70000): np.array([], dtype=name), (-1, 1 << 62): np.array([7], dtype=name)}
    yield "many", {(i, i + 1, 2 * i): destinations[: i % 3 + 1] for i in range(2500)}
    yield "empty", {}


folder = pathlib.Path(sys.argv[1])
for name, d in dictionaries():
    text = "".join(f"{[int(x) for x in k]} {[int(x) for x in v]}\n" for k, v in d.items())
    (folder / f"{name}.txt").write_text(text.replace(",", ""))
    for protocol in range(2, 6):
        (folder / f"{name}-{protocol}.pkl").write_bytes(pickle.dumps(d, protocol=protocol))
print("numpy", np.__version__)

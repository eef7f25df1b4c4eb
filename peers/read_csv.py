"""How fast pandas' C parser reads a file in the JODIE layout, in MB/s.

usage: python peers/read_csv.py FILE [REPEATS]

Beside it, on the same file (which the benchmark makes if it is not there):
    DGSBENCH_READ_FILE=FILE go test -run xxx -bench Read ./datasets
Both read all columns; features become float32. pandas uses one core.
"""

import os
import sys
import time

import pandas as pd


def main():
    path = sys.argv[1]
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    size = os.path.getsize(path)
    # The header has one name for all features, so columns go by number.
    columns = len(pd.read_csv(path, header=None, skiprows=1, nrows=1).columns)
    dtypes = {c: "float32" for c in range(4, columns)}
    print(f"pandas {pd.__version__}, {size / 1e6:.0f} MB, {columns} columns")
    rates = []
    for _ in range(repeats):
        start = time.perf_counter()
        table = pd.read_csv(path, header=None, skiprows=1, engine="c", dtype=dtypes)
        rates.append(size / (time.perf_counter() - start) / 1e6)
    print(f"{len(table)} rows: " + " ".join(f"{r:.0f}" for r in sorted(rates)) + " MB/s")


if __name__ == "__main__":
    main()

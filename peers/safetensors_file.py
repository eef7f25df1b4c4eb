"""Exchanges files with the library of the safetensors format.

usage: python peers/safetensors_file.py      (pip install safetensors numpy)

Reads what the Go package wrote (internal/safetensors/testdata/go.safetensors)
and compares every number, then writes python.safetensors beside it, which the
Go package's test reads.
"""

from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

FOLDER = Path(__file__).parent.parent / "internal" / "safetensors" / "testdata"
TENSORS = {  # as in internal/safetensors/safetensors_test.go
    "state/last": np.array([-1, 0, 1 << 40], dtype=np.int64),
    "head.W1": np.array([[-1, -0.5, 0], [0.5, 1, np.inf]], dtype=np.float32),
    "state/S": np.zeros((0, 4), dtype=np.float32),
    "state/now": np.array(0.1, dtype=np.float32),
}
METADATA = {"spec": '{"model":"raw","lr":"<1e-3>"}'}


def main():
    path = FOLDER / "go.safetensors"
    found = load_file(path)
    assert found.keys() == TENSORS.keys(), found.keys()
    for name, want in TENSORS.items():
        got = found[name]
        assert got.dtype == want.dtype and got.shape == want.shape, (name, got.dtype, got.shape)
        assert got.tobytes() == want.tobytes(), (name, got)
        print(f"{name}: {got.dtype} {got.shape}, equal")
    with safe_open(path, framework="numpy") as f:
        assert f.metadata() == METADATA, f.metadata()
    print(f"{path.name}: every number and the metadata are as expected")
    save_file(TENSORS, FOLDER / "python.safetensors", METADATA)
    print("wrote python.safetensors")


if __name__ == "__main__":
    main()

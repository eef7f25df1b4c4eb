"""Runs the steps of models in ONNX Runtime, and prints how far its answers are from ours.

usage: python steps.py FOLDER BATCH...

Each folder in FOLDER has model.onnx; features, start (states), logits-BATCH and
states-BATCH (of the end) in float32, src and dst in int32, as bytes alone.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime


def furthest(got, want):
    """The largest difference, of numbers beyond 1 as a share of them."""
    return float((np.abs(got.astype(np.float64) - want) / np.maximum(1, np.abs(want))).max(initial=0))


def answers(folder, batch):
    """How far logits and states are."""

    def read(name, kind=np.float32):
        return np.fromfile(folder / name, kind)

    session = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    inputs = {i.name: i.shape for i in session.get_inputs()}
    x, src, dst = read("features").reshape(-1, inputs["features"][1]), read("src", np.int32), read("dst", np.int32)
    has_states = "source_state" in inputs
    states = read("start").reshape(-1, inputs["source_state"][1] if has_states else 1)
    logits = []
    for first in range(0, len(x), batch):
        at = slice(first, first + batch)
        given = {"features": x[at]}
        if has_states:
            given.update(source_state=states[src[at]], destination_state=states[dst[at]])
        out = dict(zip((o.name for o in session.get_outputs()), session.run(None, given)))
        logits.append(out["logit"])
        if has_states:
            ends = np.stack([src[at], dst[at]], 1)
            states[ends] = np.stack([out["new_source_state"], out["new_destination_state"]], 1)
    return {
        "Logits": furthest(np.concatenate(logits), read(f"logits-{batch}")),
        "States": furthest(states.ravel(), read(f"states-{batch}")),
    }


def main():
    folders = sorted(Path(sys.argv[1]).iterdir())
    print(json.dumps({f.name: {batch: answers(f, int(batch)) for batch in sys.argv[2:]} for f in folders}))


if __name__ == "__main__":
    main()

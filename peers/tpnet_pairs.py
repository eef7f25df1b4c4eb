"""Pair features of TPNet by PyTorch, for the tests of models/tpnet.

usage: python peers/tpnet_pairs.py > models/tpnet/testdata/pairs.json

Temporal walk matrices by the equations of the paper (section 4.1, and algorithm 1 for
a batch), each kept as it is at the present time: all decay when it passes, in double
precision. A fixed projection stands in the place of a drawn one, so that anybody has
the same. Needs requirements.txt.
"""

import json
import math

import torch

torch.set_default_dtype(torch.float64)
NODES, DIMENSION, ORDERS, DECAY, BATCH = 7, 5, 3, 2e-5, 4
generator = torch.Generator().manual_seed(1)


def decay_to(walks, seconds):
    """Order k has k steps, each older by so much."""
    return [w * math.exp(-DECAY * k * seconds) for k, w in enumerate(walks)]


def update(walks, now, src, dst, time):
    """All events of a batch, from the walks before it."""
    walks = decay_to(walks, time[-1] - now)
    age = torch.exp(-DECAY * (time[-1] - time))[:, None]
    after = [w.clone() for w in walks]
    for k in range(1, ORDERS + 1):
        after[k].index_add_(0, src, age * walks[k - 1][dst])
        after[k].index_add_(0, dst, age * walks[k - 1][src])
    return after, time[-1]


def features(walks, u, v):
    """All products of the rows of both nodes, of which each pair of rows occurs twice."""
    rows = torch.stack([w[n] for n in (u, v) for w in walks])
    return torch.log(torch.relu(rows @ rows.T) + 1)


src = torch.randint(NODES, (5 * BATCH,), generator=generator)
dst = torch.randint(NODES, (5 * BATCH,), generator=generator)
time = 1e6 + torch.cumsum(torch.randint(4000, (5 * BATCH,), generator=generator), 0).double()
projection = torch.randn((NODES, DIMENSION), generator=generator) / DIMENSION**0.5
walks, now = [projection.float().double()] + [torch.zeros(NODES, DIMENSION)] * ORDERS, time[0]
for at in range(0, len(src), BATCH):
    part = slice(at, at + BATCH)
    walks, now = update(walks, now, src[part], dst[part], time[part])
print(
    json.dumps(
        {
            "options": {"orders": ORDERS, "dimension": DIMENSION, "decay": DECAY},
            "nodes": NODES,
            "batch": BATCH,
            "projection": projection.float().flatten().tolist(),
            "src": src.tolist(),
            "dst": dst.tolist(),
            "time": time.tolist(),
            "features": [[features(walks, u, v).tolist() for v in range(NODES)] for u in range(NODES)],
        }
    )
)

"""Pair features and scores of TPNet by PyTorch, for the tests of models/tpnet.

usage: python peers/tpnet_pairs.py > models/tpnet/testdata/pairs.json

Temporal walk matrices by the equations of the paper (section 4.1, and algorithm 1 for
a batch), each kept as it is at the present time: all decay when it passes, in double
precision. A fixed projection and fixed parameters stand in the place of drawn ones, so
that anybody has the same. The encoder is that of section 4.2. Needs requirements.txt.
"""

import json
import math

import torch
import torch.nn.functional as F

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


def each_once(products, orders=ORDERS + 1):
    """Of the products of two nodes: of the first with itself, of both, of the second."""
    own = torch.triu_indices(orders, orders)
    first, across, second = products[:orders, :orders], products[:orders, orders:], products[orders:, orders:]
    return first[own[0], own[1]], across.flatten(), second[own[0], own[1]]


def token(walks, w, u, v, neighbour):
    """Columns of w, a neighbour of u or v: relative encodings with both, time, features."""
    own, with_u, of_u = each_once(features(walks, w, u))
    _, with_v, of_v = each_once(features(walks, w, v))
    return torch.cat([own, with_u, with_v, of_u, of_v]), neighbour["time"], neighbour["features"]


def linear(name, x):
    return x @ parameters[name % "W"] + parameters[name % "b"]


def mixed(name, x):
    """A perceptron on normalised columns."""
    x = F.layer_norm(x, x.shape[-1:], parameters[name + "scale"], parameters[name + "shift"])
    return linear(name + "%s2", F.gelu(linear(name + "%s1", x), approximate="tanh"))


def embedding(walks, node, u, v, now):
    """The mean of the tokens of a node's last neighbours, mixed; u or v is that node."""
    rows = torch.zeros(NEIGHBOURS, 3 * 10 + 2 * 16)
    ages, of_events = torch.zeros(NEIGHBOURS, 1), torch.zeros(NEIGHBOURS, FEATURES)
    last = met[node][-NEIGHBOURS:]
    for i, neighbour in enumerate(last, NEIGHBOURS - len(last)):
        rows[i], at, of_events[i] = token(walks, neighbour["node"], u, v, neighbour)
        ages[i] = torch.log(now - at + 1)
    encoding = torch.cos(ages * parameters["encoder.time.w"] + parameters["encoder.time.b"])
    x = linear("encoder.%s2", torch.relu(linear("encoder.%s1", torch.cat([rows, encoding, of_events], 1))))
    for layer in range(1, LAYERS + 1):
        x = x + mixed(f"encoder.tokens{layer}.", x.T).T
        x = x + mixed(f"encoder.channels{layer}.", x)
    return x.mean(0)


def score(walks, u, v, now):
    of_u, across, of_v = each_once(features(walks, u, v))
    x = torch.cat([embedding(walks, u, u, v, now), embedding(walks, v, u, v, now), across, of_v, of_u])
    return linear("head.%s2", torch.relu(linear("head.%s1", x)))[0]


# Sizes of the encoder, and its parameters as the tests name them.
NEIGHBOURS, CHANNELS, TIME, LAYERS, FEATURES, HIDDEN = 3, 4, 3, 2, 2, 5
shapes = {
    "encoder.time.w": (TIME,),
    "encoder.time.b": (TIME,),
    "encoder.W1": (62 + TIME + FEATURES, 2 * CHANNELS),
    "encoder.b1": (2 * CHANNELS,),
    "encoder.W2": (2 * CHANNELS, CHANNELS),
    "encoder.b2": (CHANNELS,),
    "head.W1": (2 * CHANNELS + 36, HIDDEN),
    "head.b1": (HIDDEN,),
    "head.W2": (HIDDEN, 1),
    "head.b2": (1,),
}
for layer in range(1, LAYERS + 1):
    for part, cols, units in ("tokens", NEIGHBOURS, NEIGHBOURS // 2), ("channels", CHANNELS, 4 * CHANNELS):
        name = f"encoder.{part}{layer}."
        shapes |= {name + "scale": (cols,), name + "shift": (cols,)}
        shapes |= {name + "W1": (cols, units), name + "b1": (units,), name + "W2": (units, cols), name + "b2": (cols,)}
src = torch.randint(NODES, (5 * BATCH,), generator=generator)
dst = torch.randint(NODES, (5 * BATCH,), generator=generator)
time = 1e6 + torch.cumsum(torch.randint(4000, (5 * BATCH,), generator=generator), 0).double()
projection = torch.randn((NODES, DIMENSION), generator=generator) / DIMENSION**0.5
parameters = {name: torch.randn(shape, generator=generator).float().double() / 2 for name, shape in shapes.items()}
event_features = torch.randn((len(src), FEATURES), generator=generator).float().double()
met = [[] for _ in range(NODES)]  # what each node has met, a self-loop twice
for k, (u, v) in enumerate(zip(src.tolist(), dst.tolist())):
    for node, other in (u, v), (v, u):
        met[node].append({"node": other, "time": time[k], "features": event_features[k]})
walks, now = [projection.float().double()] + [torch.zeros(NODES, DIMENSION)] * ORDERS, time[0]
ASKED = time[-1].item() + 500
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
            "event_features": event_features.flatten().tolist(),
            "encoder": {"neighbours": NEIGHBOURS, "channels": CHANNELS, "time": TIME, "layers": LAYERS},
            "hidden": [HIDDEN],
            "parameters": {name: p.flatten().tolist() for name, p in parameters.items()},
            "asked": ASKED,
            "scores": [[score(walks, u, v, ASKED).item() for v in range(NODES)] for u in range(NODES)],
            "features": [[features(walks, u, v).tolist() for v in range(NODES)] for u in range(NODES)],
        }
    )
)

"""Initial values of PyTorch's modules, for the tests of models/standard.

usage: python peers/initial_values.py > models/standard/testdata/initial.json

Builds each model of PyTorch and PyTorch Geometric many times and writes the
range, the moments and the quantiles of what its parameters were drawn as,
under the names that ours have. Needs
requirements.txt. What no library has is written out here: Jodie's projection
(NormalLinear of claws-lab/jodie), and the factors of Deep-Graph-Sprints, which
the paper leaves open (docs/models/dgs.md).
"""

import json
import sys

import torch
import torch_geometric
from torch import nn
from torch_geometric.nn import TGNMemory, TransformerConv
from torch_geometric.nn.models.tgn import IdentityMessage, LastAggregator

MODELS_DRAWN = 5_000
QUANTILES = [i / 10 for i in range(1, 10)]

FEATURES = 3
BUCKETS = 30  # three features with ten each
SIZE = 8  # of a state of Deep-Graph-Sprints
MEMORY, TIME, ATTENTION, HEADS = 9, 7, 16, 2


def head(inputs, *hidden, norm=None):
    """Our head: layers named from 1."""
    out, sizes = {}, [inputs, *hidden, 1]
    for i, (a, b) in enumerate(zip(sizes, sizes[1:]), start=1):
        layer = nn.Linear(a, b)
        out[f"head.W{i}"], out[f"head.b{i}"] = layer.weight, layer.bias
        if norm and i <= len(hidden):
            layer = norm(b)
            out[f"head.scale{i}"], out[f"head.shift{i}"] = layer.weight, layer.bias
    return out


def factors(size, logits=True):
    """Alpha and beta of Deep-Graph-Sprints."""
    alpha, beta = torch.empty(size).uniform_(0.1, 0.9), torch.empty(size).uniform_(0.1, 0.99)
    if logits:
        return {"alpha_logit": alpha.logit(), "beta_logit": beta.logit()}
    return {"alpha": alpha, "beta": beta}


def embedding():
    return {"W": nn.Linear(FEATURES, SIZE, bias=False).weight}


def memory(rnn=False):
    m = TGNMemory(4, FEATURES, MEMORY, TIME, IdentityMessage(FEATURES, MEMORY, TIME), LastAggregator())
    cell, name = (nn.RNNCell(m.gru.input_size, MEMORY), "rnn.") if rnn else (m.gru, "gru.")
    out = {name + key: p for key, p in cell.named_parameters()}
    return out | {"time_enc.w": m.time_enc.lin.weight, "time_enc.b": m.time_enc.lin.bias}


def attention(layers):
    out, inputs = {}, MEMORY
    for i in range(layers):
        conv = TransformerConv(inputs, ATTENTION // HEADS, heads=HEADS, dropout=0.1, edge_dim=TIME + FEATURES)
        out |= {f"conv{i + 1 if i else ''}.{name}": p for name, p in conv.named_parameters()}
        inputs = ATTENTION
    return out


def predictor(width):
    """The link predictor of PyTorch Geometric's example."""
    layers = {"lin_src": nn.Linear(width, width), "lin_dst": nn.Linear(width, width), "lin_final": nn.Linear(width, 1)}
    return {f"pred.{name}.{key}": p for name, l in layers.items() for key, p in l.named_parameters()}


class NormalLinear(nn.Linear):
    def reset_parameters(self):
        deviation = 1 / self.weight.size(1) ** 0.5
        self.weight.data.normal_(0, deviation)
        self.bias.data.normal_(0, deviation)


def projection():
    layer = NormalLinear(1, MEMORY)
    return {"proj.w": layer.weight, "proj.b": layer.bias}


TGN = f"memory: {{size: {MEMORY}, time: {TIME}}}"
MODELS = [
    ("raw", "nc", "{head: {hidden: [20, 11]}}", lambda: head(FEATURES, 20, 11)),
    ("graphsprints", "nc", "{head: {hidden: [20]}}", lambda: head(BUCKETS, 20)),
    ("graphsprints", "lp", "{head: {hidden: [20]}}", lambda: head(2 * BUCKETS, 20)),
    ("dgs", "nc", f"{{size: {SIZE}, blocks: 4, head: {{hidden: [20]}}}}",
     lambda: embedding() | factors(SIZE) | head(SIZE, 20)),
    ("dgs", "lp", f"{{size: {SIZE}, blocks: 4, range: clamp, head: {{hidden: [20], norm: layer}}}}",
     lambda: embedding() | factors(SIZE, logits=False) | head(2 * SIZE, 20, norm=nn.LayerNorm)),
    ("dgs", "nc", "{embedding: buckets, factors: scalar, head: {hidden: [20]}}",
     lambda: factors(1) | head(BUCKETS, 20)),
    ("tgn", "nc", f"{{embedding: identity, {TGN}, head: {{hidden: [20]}}}}", lambda: memory() | head(MEMORY, 20)),
    ("tgn", "nc", f"{{{TGN}, attention: {{size: {ATTENTION}, heads: {HEADS}}}, head: {{hidden: [20]}}}}",
     lambda: memory() | attention(1) | head(ATTENTION, 20)),
    ("tgn", "lp", f"{{{TGN}, attention: {{size: {ATTENTION}, heads: {HEADS}, layers: 2}}}}",
     lambda: memory() | attention(2) | predictor(ATTENTION)),
    ("tgn", "lp", f"{{embedding: identity, {TGN}}}", lambda: memory() | predictor(MEMORY)),
    ("jodie", "nc", f"{{{TGN}, head: {{hidden: [20]}}}}", lambda: memory() | projection() | head(MEMORY, 20)),
    ("jodie", "lp", f"{{memory: {{size: {MEMORY}, time: {TIME}, cell: rnn}}}}",
     lambda: memory(rnn=True) | projection() | predictor(MEMORY)),
]


def drawn(build):
    """All that each parameter was drawn as in so many models."""
    pools = {}
    for _ in range(MODELS_DRAWN):
        for name, p in build().items():
            pools.setdefault(name, []).append(p.detach().flatten().double())
    return {name: torch.cat(pool) for name, pool in pools.items()}


def summary(x):
    numbers = {"min": x.min(), "max": x.max(), "mean": x.mean(), "deviation": x.std(unbiased=False)}
    out = {name: round(v.item(), 5) for name, v in numbers.items()}
    quantiles = x.quantile(torch.tensor(QUANTILES, dtype=torch.double))
    return out | {"quantiles": [round(q, 5) for q in quantiles.tolist()]}


def main():
    torch.manual_seed(1)
    models = []
    for model, task, options, build in MODELS:
        print(model, task, options, file=sys.stderr)
        parameters = {name: summary(x) for name, x in drawn(build).items()}
        models.append({"model": model, "task": task, "options": options, "parameters": parameters})
    origin = f"peers/initial_values.py, PyTorch {torch.__version__.partition('+')[0]}, PyTorch Geometric {torch_geometric.__version__}"
    lines = []
    for m in models:
        parameters = ",\n".join(f"      {json.dumps(k)}: {json.dumps(v)}" for k, v in m["parameters"].items())
        fields = ",\n".join(f"     {json.dumps(k)}: {json.dumps(m[k])}" for k in ("model", "task", "options"))
        lines.append(f'    {{{fields.lstrip()},\n     "parameters": {{\n{parameters}\n    }}}}')
    print(f'{{\n  "origin": {json.dumps(origin)},\n  "models": [\n' + ",\n".join(lines) + "\n  ]\n}")


main()

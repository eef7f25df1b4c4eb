"""TGN-ID, TGN-attn and Jodie of PyTorch Geometric, as its examples wire them."""

import functools
from unittest.mock import patch

import torch
from tgn_training_card import time_scales
from torch import nn
from torch_geometric.nn import TGNMemory, TransformerConv
from torch_geometric.nn.models.tgn import IdentityMessage, LastNeighborLoader

SIZE = 100  # of memory, time encoding and embedding
NEIGHBOURS, HEADS = 10, 2
KINDS = {  # spec of ours for each model, but for further options
    "TGN-ID": ("tgn", "embedding: identity"),
    "Jodie": ("jodie", ""),
    "TGN-attn": ("tgn", "embedding: attention"),
}


def stable_sorts():
    """A context in which events of one node keep their order.

    PyTorch Geometric sorts a batch by node without asking for that, so which
    of equal times is the last, and which neighbours stay of a node with many
    in one batch, is left open. What is compared needs it; what is timed does not.
    """
    return patch.object(torch.Tensor, "sort", functools.partialmethod(torch.Tensor.sort, stable=True))


class Last(nn.Module):
    """The last message of each node in stream order.

    PyTorch Geometric's own takes any of equal times, and without torch_scatter
    it gives nodes without messages those of others.
    """

    def forward(self, message, index, t, dim_size):
        out = message.new_zeros(dim_size, message.size(-1))
        if message.size(0) == 0:
            return out
        order = torch.argsort(t, stable=True)
        at = torch.full((dim_size,), -1, dtype=torch.long)
        at[index[order]] = order
        found = at >= 0
        out[found] = message[at[found]]
        return out


class Attention(nn.Module):
    def __init__(self, features, time_enc, dropout):
        super().__init__()
        self.time_enc = time_enc
        self.conv = TransformerConv(SIZE, SIZE // HEADS, heads=HEADS, dropout=dropout, edge_dim=features + time_enc.out_channels)

    def forward(self, z, last_update, edges, t, x):
        since = (last_update[edges[0]] - t).to(z.dtype)
        return self.conv(z, edges, torch.cat([self.time_enc(since), x], -1))


class Decoder(nn.Module):
    """Scores of pairs."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE), nn.Linear(SIZE, 1)

    def forward(self, u, v):
        return self.c((self.a(u) + self.b(v)).relu()).squeeze(-1)


class Embedder(nn.Module):
    """Memory and embedding of one of the models. fitted events give Jodie its time scale."""

    def __init__(self, stream, name, aggregator, fitted, dropout=0.1):
        super().__init__()
        self.stream, self.name, features = stream, name, stream.x.size(1)
        message = IdentityMessage(features, SIZE, SIZE)
        self.memory = TGNMemory(stream.nodes, features, SIZE, SIZE, message, aggregator)
        if name == "TGN-attn":
            self.attention = Attention(features, self.memory.time_enc, dropout)
            self.neighbours = LastNeighborLoader(stream.nodes, size=NEIGHBOURS)
            self.place = torch.empty(stream.nodes, dtype=torch.long)
        if name == "Jodie":
            self.project = nn.Linear(1, SIZE)
            nn.init.normal_(self.project.weight)
            nn.init.normal_(self.project.bias)
            self.mean, self.deviation = (scale.float() for scale in time_scales(stream, fitted))

    def embed(self, nodes, t):
        """Embeddings of nodes, for Jodie at the times t."""
        if self.name == "TGN-attn":
            around, edges, events = self.neighbours(nodes)
            self.place[around] = torch.arange(around.size(0))
            z, last_update = self.memory(around)
            return self.attention(z, last_update, edges, self.stream.t[events], self.stream.x[events])[self.place[nodes]]
        z, last_update = self.memory(nodes)
        if self.name == "Jodie":
            return self.at(z, last_update, nodes, t)
        return z

    def at(self, z, last_update, nodes, t):
        """Jodie's projection to the times t."""
        since = ((t - last_update).float() - self.mean[nodes]) / self.deviation[nodes]
        return z * (1 + self.project(since[:, None]))

    def fold(self, w):
        """Takes the messages of a batch; its neighbours are inserted by insert."""
        s = self.stream
        self.memory.update_state(s.src[w], s.dst[w], s.t[w], s.x[w])

    def insert(self, w):
        if self.name == "TGN-attn":
            self.neighbours.insert(self.stream.src[w], self.stream.dst[w])

    def params(self):
        """A copy under our names, whose matrices are in x out."""
        cell, clock = self.memory.gru, self.memory.time_enc.lin
        out = {
            "gru.weight_ih": cell.weight_ih.T, "gru.weight_hh": cell.weight_hh.T,
            "gru.bias_ih": cell.bias_ih, "gru.bias_hh": cell.bias_hh,
            "time_enc.w": clock.weight[:, 0], "time_enc.b": clock.bias,
        }
        if self.name == "Jodie":
            out |= {"proj.w": self.project.weight[:, 0], "proj.b": self.project.bias}
        if self.name == "TGN-attn":
            for name, p in self.attention.conv.named_parameters():
                out[f"conv.{name}"] = p.T if p.dim() == 2 else p
        return {name: p.detach().clone() for name, p in out.items()}


def decoder_params(d):
    out = {}
    for name, layer in ("pred.lin_src", d.a), ("pred.lin_dst", d.b), ("pred.lin_final", d.c):
        out |= {f"{name}.weight": layer.weight.T.detach().clone(), f"{name}.bias": layer.bias.detach().clone()}
    return out

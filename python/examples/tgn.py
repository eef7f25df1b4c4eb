"""TGN of PyTorch Geometric: link prediction as in its own example (examples/tgn.py there), and node classification.

embedding: attention is TGN-attn, identity TGN-ID, and projection Jodie: the memory, projected by the time since its last update.

In node classification the event's own message is applied to the memory of its source, as of before the batch, before
that is classified; PyTorch Geometric's module alone would know the last event of the batch there.
"""

import numpy as np
import torch
from torch import nn
from torch_geometric.nn import TGNMemory, TransformerConv
from torch_geometric.nn.models.tgn import IdentityMessage, LastNeighborLoader

from dgsbench import Model, Setup, put, serve

bce = nn.functional.binary_cross_entropy_with_logits
OPTIONS = {"embedding": "attention", "size": 100, "neighbours": 10, "lr": 1e-4, "hidden": 100, "dropout": 0.1}


class Last(nn.Module):
    """The last message of each node. PyTorch Geometric's own gives nodes without messages those of others where torch_scatter is missing."""

    def forward(self, message, index, t, dim_size):
        out = message.new_zeros(dim_size, message.size(-1))
        at = torch.full((dim_size,), -1)
        order = torch.argsort(t, stable=True)
        at[index[order]] = order
        out[at >= 0] = message[at[at >= 0]]
        return out


class Attention(nn.Module):
    """Embeds nodes by attention to the memories of their last neighbours."""

    def __init__(self, size, message, clock):
        super().__init__()
        self.clock = clock
        self.conv = TransformerConv(size, size // 2, heads=2, dropout=0.1, edge_dim=message + clock.out_channels)

    def forward(self, memory, last_update, edges, t, message):
        since = (last_update[edges[0]] - t).float()
        return self.conv(memory, edges, torch.cat([self.clock(since), message], -1))


class Predictor(nn.Module):
    """Scores pairs."""

    def __init__(self, size):
        super().__init__()
        self.source, self.destination, self.last = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, 1)

    def forward(self, u, v):
        return self.last((self.source(u) + self.destination(v)).relu()).squeeze(-1)


class Projection(nn.Module):
    """Projects memories by the seconds since their last updates, which are scaled by those between two events of a node."""

    def __init__(self, size, train):
        super().__init__()
        self.net = nn.Linear(1, size)
        nn.init.normal_(self.net.weight)
        nn.init.normal_(self.net.bias)
        self.scales = [intervals(nodes, train.time) for nodes in (train.source, train.destination)]

    def forward(self, z, seconds, side):
        mean, deviation = self.scales[side]
        return z * (1 + self.net((seconds[..., None].float() - mean) / deviation))


def intervals(nodes, time):
    """Mean and deviation of the seconds from one event of a node to its next one."""
    order = np.argsort(nodes, kind="stable")
    gaps = np.diff(time[order])[np.diff(nodes[order]) == 0]
    return (gaps.mean(), gaps.std() or 1.0) if len(gaps) else (0.0, 1.0)


class TGN(Model):
    log_odds = True
    training_part = True

    def __init__(self, setup: Setup):
        o = OPTIONS | setup.options
        n, size, self.width = setup.num_nodes, o["size"], max(1, setup.num_features)  # a column of zeros where there are no features
        self.memory = TGNMemory(n, self.width, size, size, IdentityMessage(self.width, size, size), Last())
        self.attention = Attention(size, self.width, self.memory.time_enc) if o["embedding"] == "attention" else None
        self.projection = Projection(size, setup.train) if o["embedding"] == "projection" else None
        hidden = o["hidden"]
        layers = nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(o["dropout"]), nn.Linear(hidden, 1)
        self.head = nn.Sequential(*layers) if setup.task == "nc" else Predictor(size)
        self.nets = nn.ModuleList(net for net in (self.memory, self.attention, self.projection, self.head) if net is not None)
        self.adam = torch.optim.Adam(self.nets.parameters(), lr=o["lr"])
        self.neighbours = LastNeighborLoader(n, size=o["neighbours"])
        self.neighbours.neighbors.zero_()
        self.place = torch.zeros(n, dtype=torch.long)
        self.t, self.x = torch.zeros(0, dtype=torch.long), torch.zeros(0, self.width)  # of all events so far, and room for more
        self.links = setup.task == "lp"

    def tensors(self, batch):
        x = batch.features if batch.features.shape[1] else np.zeros((len(batch), 1), np.float32)
        return torch.from_numpy(batch.source), torch.from_numpy(batch.destination), torch.from_numpy(batch.time).long(), torch.from_numpy(x)

    def embed(self, nodes):
        """Embeddings of distinct nodes, and the times of their last updates."""
        if self.attention is None:
            return self.memory(nodes)
        around, edges, events = self.neighbours(nodes)
        self.place[around] = torch.arange(len(around))
        z, last_update = self.memory(around)
        z = self.attention(z, last_update, edges, self.t[events], self.x[events])
        return z[self.place[nodes]], last_update[self.place[nodes]]

    def at(self, z, last_update, t, side):
        """Embeddings at times t, of nodes as sources (side 0) or destinations."""
        return self.projection(z, t - last_update, side) if self.projection else z

    def after_event(self, u, v, t, x):
        """Embeddings of sources with the memory that their own event makes."""
        met, events = self.neighbours.neighbors[u], self.neighbours.e_id[u]
        there = events >= 0 if self.attention else torch.zeros_like(events, dtype=torch.bool)
        nodes = torch.cat([u, v, met[there]]).unique()
        self.place[nodes] = torch.arange(len(nodes))
        z, last_update = self.memory(nodes)
        pu, pv = self.place[u], self.place[v]
        clock = self.memory.time_enc((t - last_update[pu]).float())
        own = self.memory.gru(self.memory.msg_s_module(z[pu], z[pv], x, clock), z[pu])
        if self.attention is None:
            return self.at(own, last_update[pu], t, 0)
        centres = torch.arange(len(u))[:, None].expand_as(met)
        edges = torch.stack([self.place[met[there]], centres[there]])
        return self.attention((z, own), last_update, edges, self.t[events[there]], self.x[events[there]])

    def train(self, batch, negatives):
        self.nets.train()
        self.adam.zero_grad()
        u, v, t, x = self.tensors(batch)
        if self.links:
            nodes, rows = torch.cat([u, v, torch.from_numpy(negatives)]).unique(return_inverse=True)
            (zu, zv, zn), (tu, tv, tn) = (values[rows].chunk(3) for values in self.embed(nodes))
            zu = self.at(zu, tu, t, 0)
            p, q = self.head(zu, self.at(zv, tv, t, 1)), self.head(zu, self.at(zn, tn, t, 1))
            loss = bce(p, torch.ones_like(p)) + bce(q, torch.zeros_like(q))
        else:
            known = torch.from_numpy(batch.label >= 0)
            z = self.head(self.after_event(u, v, t, x)).squeeze(1)[known]
            loss = bce(z, torch.from_numpy(batch.label)[known].float()) if known.any() else z.sum()
        self.fold(u, v, t, x)
        loss.backward()
        self.adam.step()
        self.memory.detach()
        return loss.item()

    @torch.no_grad()
    def classify(self, batch):
        self.nets.eval()
        events = self.tensors(batch)
        z = self.head(self.after_event(*events)).squeeze(1)
        self.fold(*events)
        return z

    @torch.no_grad()
    def score(self, source, time, destinations):
        self.nets.eval()
        n, t = len(source), torch.from_numpy(time).long()
        nodes, rows = torch.from_numpy(np.concatenate([source, destinations])).unique(return_inverse=True)
        z, last_update = (values[rows] for values in self.embed(nodes))
        zu = self.at(z[:n], last_update[:n], t, 0)[:, None]
        return torch.cat([self.head(u, self.at(z[n:], last_update[n:], at, 1)) for u, at in zip(zu.split(8), t[:, None].split(8))])

    @torch.no_grad()
    def observe(self, batch):
        self.nets.eval()
        self.fold(*self.tensors(batch))

    def fold(self, u, v, t, x):
        """Updates memories, and the neighbours with the events that they had in common."""
        self.memory.update_state(u, v, t, x)
        first, n = self.neighbours.cur_e_id, len(u)
        if first + n > len(self.t):
            room = max(n, len(self.t))
            self.t, self.x = torch.cat([self.t, self.t.new_zeros(room)]), torch.cat([self.x, self.x.new_zeros(room, self.width)])
        self.t[first : first + n], self.x[first : first + n] = t, x
        self.neighbours.insert(u, v)

    def parameters(self):
        return dict(self.nets.named_parameters())

    @torch.no_grad()
    def state(self):
        self.nets.eval()  # applies the messages that wait
        known = self.neighbours.cur_e_id
        return self.tables() | {"t": self.t[:known], "x": self.x[:known]} | self.messages()

    def messages(self):
        """Those that nodes had last as source and as destination: they count once more among events of one time."""
        values = {}
        for side, store in enumerate((self.memory.msg_s_store, self.memory.msg_d_store)):
            events = [store[n] for n in range(len(store))]
            values[f"messages.{side}.counts"] = torch.tensor([len(e[0]) for e in events])
            values |= {f"messages.{side}.{i}": torch.cat([e[i] for e in events]) for i in range(4)}
        return values

    def tables(self):
        return {
            "memory": self.memory.memory, "last_update": self.memory.last_update,
            "neighbours": self.neighbours.neighbors, "events": self.neighbours.e_id,
        }

    def load_state(self, values):
        t, x = (torch.from_numpy(values.pop(name)) for name in ("t", "x"))
        stores = []
        for side in range(2):
            counts = values.pop(f"messages.{side}.counts").tolist()
            columns = [torch.from_numpy(values.pop(f"messages.{side}.{i}")).split(counts) for i in range(4)]
            stores.append(dict(enumerate(zip(*columns))))
        self.nets.eval()
        put(self.tables(), values)
        self.memory.msg_s_store, self.memory.msg_d_store = stores
        self.t, self.x, self.neighbours.cur_e_id = t, x, len(t)

    def reset(self):
        self.nets.train()  # as the next evaluation applies zero messages to nodes without any, PyTorch Geometric's way
        self.memory.reset_state()
        self.neighbours.reset_state()


if __name__ == "__main__":
    serve(TGN)

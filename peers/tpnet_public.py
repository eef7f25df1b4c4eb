"""Times of TPNet's public code (github.com/lxd99/TPNet) on the processor.

usage: python peers/tpnet_public.py CODE STREAM.csv

CODE is a checkout of it, at commit 7dd0cf4; STREAM.csv is wikipedia-nofeat. Near the
end of the stream, at the code's own sizes: the mean step of 200 events, each with a
negative, and the median of queries against all destinations, each with its event
folded in. One thread. Needs requirements.txt, pandas, scikit-learn and tqdm.
"""

import statistics
import sys
import time

import numpy as np
import torch

code, stream = sys.argv[1:]
sys.path.insert(0, code)
from models.modules import LinkPredictor_v1  # noqa: E402
from models.TPNet import RandomProjectionModule, TPNet  # noqa: E402
from utils.utils import NeighborSampler  # noqa: E402

STEPS, BATCH, ASKED = 10, 200, 11
torch.set_num_threads(1)
torch.manual_seed(0)
table = np.genfromtxt(stream, delimiter=",", skip_header=1, usecols=(0, 1, 2))
src = table[:, 0].astype(int) + 1  # number 0 is padding
dst = table[:, 1].astype(int) + 1 + src.max()
times, events = table[:, 2], len(table)
nodes = dst.max()
destinations = np.unique(dst)
met = [[] for _ in range(nodes + 1)]
for k in range(events):
    met[src[k]].append((dst[k], k + 1, times[k]))
    met[dst[k]].append((src[k], k + 1, times[k]))
walks = RandomProjectionModule(
    node_num=nodes + 1,
    edge_num=events,
    dim_factor=10,
    num_layer=3,
    time_decay_weight=1e-6,
    device="cpu",
    use_matrix=False,
    beginning_time=times[0],
    not_scale=False,
    enforce_dim=-1,
)
model = TPNet(
    node_raw_features=np.zeros((nodes + 1, 172)),
    edge_raw_features=np.zeros((events + 1, 172)),
    neighbor_sampler=NeighborSampler(met, "recent"),
    time_feat_dim=100,
    dropout=0.1,
    random_projections=walks,
    num_layers=2,
    num_neighbors=20,
    device="cpu",
)
decoder = LinkPredictor_v1(172, 172, 172, 1, walks, False)
optimiser = torch.optim.Adam([*model.parameters(), *decoder.parameters()], lr=1e-4)


def score(u, v, at):
    return decoder(u, v, *model.compute_src_dst_node_temporal_embeddings(u, v, at)).squeeze(1)


def fold(part):
    walks.update(src[part], dst[part], times[part])


first = events - STEPS * BATCH - ASKED
for lo in range(0, first, BATCH):
    fold(slice(lo, min(lo + BATCH, first)))
rng, start = np.random.default_rng(1), time.perf_counter()
for lo in range(first, events - ASKED, BATCH):
    part = slice(lo, lo + BATCH)
    true = score(src[part], dst[part], times[part])
    drawn = score(src[part], rng.choice(destinations, BATCH), times[part])
    fold(part)
    z, y = torch.cat([true, drawn]), torch.cat([torch.ones(BATCH), torch.zeros(BATCH)])
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
print(f"step {(time.perf_counter() - start) / STEPS * 1e3:.0f} ms")
model.eval()
queries = []
with torch.no_grad():
    for k in range(events - ASKED, events):
        start = time.perf_counter()
        n = len(destinations)
        score(np.full(n, src[k]), destinations, np.full(n, times[k]))
        fold(slice(k, k + 1))
        queries.append(time.perf_counter() - start)
print(f"query {statistics.median(queries) * 1e3:.0f} ms")

"""Node classification trained to the end by PyTorch and by us: test AUC and processor time.

usage: python peers/classification_training.py amlsim-20k.csv [MODEL,MODEL...] [SEEDS]

The stream, the four features and all settings are those of the suite
torch-nc: 25 epochs of batches of 200, after each the training part folded in
again and the validation part classified; the test part is classified once, by
the model and states of the best epoch. A row is the mean over the seeds. Both sides have one thread, and
the seconds are the processor's, which other work on the machine makes longer
by its use of caches alone. PyTorch's leave out imports, the reading of the
file and what follows from the stream alone (features, who occurs in a batch);
ours are those of `bench run`, from start to end, with all of these.
"""

import copy
import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import common_card
import numpy as np
import torch
from common_card import BATCH, last_rows
from sklearn.metrics import roc_auc_score
from torch import nn

common_card.FEATURES = 4
from dgs_training_card import Labels, batch_of  # noqa: E402, which read it

ROOT = Path(__file__).resolve().parent.parent
EPOCHS, RATE = 25, 1e-3
ONE_THREAD = {**os.environ, "GOMAXPROCS": "1"}
cross_entropy = nn.functional.binary_cross_entropy_with_logits


class Stream:
    """Transfers with src, dst, ts, label, amount, cut 60-10-30 by row."""

    def __init__(self, path):
        src, dst, t, label, amount = np.loadtxt(path, delimiter=",", skiprows=1).T
        self.src, self.dst, self.t = torch.tensor(src).long(), torch.tensor(dst).long(), torch.tensor(t).float()
        self.label, self.events = torch.tensor(label).float(), len(src)
        self.nodes = int(max(src.max(), dst.max())) + 1
        self.train, self.validation = int(0.6 * self.events), int(0.7 * self.events)
        x = self.features(amount)
        x = (x - x[: self.train].mean(0)) / x[: self.train].std(0)
        self.x = torch.tensor(x, dtype=torch.float32)

    def features(self, amount):
        """The amount, the time since each end's last event, and the source's earlier events as source, as log1p."""
        last, sent, rows = {}, {}, []
        for u, v, t, a in zip(self.src.tolist(), self.dst.tolist(), self.t.tolist(), amount):
            rows.append((a, t - last.get(u, t), t - last.get(v, t), sent.get(u, 0)))
            last[u] = last[v] = t
            sent[u] = sent.get(u, 0) + 1
        return np.log1p(np.array(rows))

    def windows(self, first, last):
        return [slice(lo, min(lo + BATCH, last)) for lo in range(first, last, BATCH)]


class DGS(Labels):
    """Deep-Graph-Sprints, with the exact training of dgs_training_card.py."""

    prepare = staticmethod(lambda stream, w: batch_of(stream, w, Labels))

    def __init__(self, stream):
        super().__init__(stream.nodes, 100, 50)
        for logits, high in (self.la, 0.9), (self.lb, 0.99):
            logits.data.copy_((torch.rand(100) * (high - 0.1) + 0.1).logit())

    def replay(self):
        self.S.zero_()  # derivatives are of no use in an evaluation

    def fold(self, batch):
        """Logits of a batch, which is folded into the states."""
        a, b, e = self.la.sigmoid(), self.lb.sigmoid(), self.embed(batch.x).view(-1, self.s)
        u, v = self.S[batch.ends].chunk(2)
        logits = self.head(torch.lerp((1 - a) * e + a * v, u, b))
        new = torch.lerp((1 - a) * e[batch.events] + a * self.S[batch.others], self.S[batch.selves], b)
        self.S[batch.selves] = new
        return logits.squeeze(1)


class Memory:
    """A model whose states no gradient crosses a batch of; batches are (ends, partners, rows to keep, window)."""

    def __init__(self, stream, size, *parts):
        self.stream, self.S, self.last = stream, torch.zeros(stream.nodes, size), torch.zeros(stream.nodes)
        self.head = nn.Sequential(nn.Linear(size, 100), nn.ReLU(), nn.Dropout(0.1), nn.Linear(100, 1))
        self.adam = torch.optim.Adam([p for part in (self.head, *parts) for p in part.parameters()], lr=RATE)

    @staticmethod
    def prepare(stream, w):
        u, v = stream.src[w], stream.dst[w]
        return torch.cat([u, v]), torch.cat([v, u]), torch.tensor(last_rows(stream, w)), w

    def reset(self):
        self.S.zero_()
        self.last.zero_()

    replay = reset

    def fold(self, batch):
        ends, partners, keep, w = batch
        t = self.stream.t[w].repeat(2)
        new = self.updated(ends, partners, w, t)
        self.S[ends[keep]], self.last[ends[keep]] = new.detach()[keep], t[keep]
        return self.head(new[: len(ends) // 2]).squeeze(1)

    def step(self, batch):
        self.adam.zero_grad()
        cross_entropy(self.fold(batch), self.stream.label[batch[-1]]).backward()
        self.adam.step()


class GraphSprints(Memory):
    """Deciles of the features, alpha .5 and beta .8."""

    def __init__(self, stream):
        super().__init__(stream, 40)
        x = stream.x[: stream.train]
        edges = torch.quantile(x, torch.linspace(0.1, 0.9, 9), dim=0).T.contiguous()
        place = torch.searchsorted(edges, stream.x.T.contiguous(), right=True).T + torch.arange(4) * 10
        self.buckets = torch.zeros(stream.events, 40).scatter_(1, place, 1.0)

    def updated(self, ends, partners, w, _):
        return 0.8 * self.S[ends] + 0.1 * (self.buckets[w].repeat(2, 1) + self.S[partners])


class TGN(Memory):
    """TGN-ID with a memory for each occurrence of a node."""

    def __init__(self, stream):
        self.clock, self.cell = nn.Linear(1, 100), nn.GRUCell(304, 100)
        super().__init__(stream, 100, self.clock, self.cell)

    def updated(self, ends, partners, w, t):
        own, x = self.S[ends], self.stream.x[w].repeat(2, 1)
        gap = self.clock((t - self.last[ends])[:, None]).cos()
        return self.cell(torch.cat([own, self.S[partners], x, gap], 1), own)


MODELS = {"graph-sprints": GraphSprints, "dgs": DGS, "tgn-id": TGN}


def classified(model, stream, batches, span):
    """AUC of a part that is folded in."""
    return roc_auc_score(stream.label[slice(*span)], torch.cat([model.fold(b) for b in batches]))


def theirs(stream, name, seed):
    """Test AUC and seconds of PyTorch."""
    torch.manual_seed(seed)
    kind = MODELS[name]
    spans = (0, stream.train), (stream.train, stream.validation), (stream.validation, stream.events)
    parts = [[kind.prepare(stream, w) for w in stream.windows(*span)] for span in spans]
    start = time.process_time()
    model, best, kept = kind(stream), 0, None
    for _ in range(EPOCHS):
        model.reset()
        model.head.train()
        for batch in parts[0]:
            model.step(batch)
        model.head.eval()
        model.replay()
        with torch.inference_mode():
            for batch in parts[0]:
                model.fold(batch)
            auc = classified(model, stream, parts[1], spans[1])
            if auc > best:
                best, kept = auc, copy.deepcopy(model, {id(stream): stream})
    with torch.inference_mode():
        auc = classified(kept, stream, parts[2], spans[2])
    return auc, time.process_time() - start


def children():
    """Processor seconds of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(folder, path, name, seeds):
    """The same of `bench run`: the mean AUC over the seeds, and the seconds of one."""
    where = ["--suite", "torch-nc", "--models", name, "--seeds", str(seeds), "--data", str(path.parent), "--out", folder / name]
    start = children()
    subprocess.run([folder / "bench", "run", *where, "--workers", "1"], env=ONE_THREAD, check=True, capture_output=True)
    seconds = (children() - start) / seeds
    table = subprocess.run([folder / "bench", "results", *where], check=True, capture_output=True, text=True).stdout
    row = next(r for r in csv.DictReader(table.splitlines()) if r["split"] == "test" and r["metric"] == "auc")
    return float(row["mean"]), seconds


def main(path, names, seeds):
    torch.set_num_threads(1)
    stream = Stream(path)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run(["go", "build", "-o", folder / "bench", "./cmd/bench"], cwd=ROOT, check=True)
        print(f"PyTorch {torch.__version__}, one thread, seeds {seeds}; test AUC, processor seconds of a training; load {os.getloadavg()[0]:.1f}", flush=True)
        for name in names:
            our_auc, our_seconds = ours(folder, path, name, seeds)
            rows = [theirs(stream, name, seed) for seed in range(seeds)]
            auc, seconds = (statistics.mean(column) for column in zip(*rows))
            print(f"{name:14} PyTorch {auc:.4f} {seconds:7.1f} s   ours {our_auc:.4f} {our_seconds:7.1f} s   ratio {seconds / our_seconds:5.1f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), sys.argv[2].split(",") if len(sys.argv) > 2 else list(MODELS), int(sys.argv[3]) if len(sys.argv) > 3 else 1)

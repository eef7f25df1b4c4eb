"""What the scripts share that time epochs of training by PyTorch on a card.

An epoch is a step for every batch of the training part, the last and shorter
one too, from states that are zero; parameters and optimisers go on from the
epoch before. What follows from the stream alone, such as who occurs in a
batch and which occurrence is the last, is on the card before the clock starts.
"""

import time

import torch
from common_card import BATCH, DEVICE, TINY, tell, wait

EVENTS = 400 if TINY else 110_232  # of the training part
EPOCHS = 1 if TINY else 3  # timed, after one that warms up
ENOUGH = 12  # seconds of a model, after which no further epoch starts

cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits


def training_part(stream):
    """Its batches, as slices."""
    end = min(EVENTS, stream.events)
    return [slice(lo, min(lo + BATCH, end)) for lo in range(0, end, BATCH)]


def on_card(batch):
    """The same tuple of tensors on the card."""
    return type(batch)(*(t.to(DEVICE) for t in batch))


def link_targets(events):
    """One for each event, then zero for the negative of each."""
    return torch.cat([torch.ones(events), torch.zeros(events)])


def epochs(task, name, model, batches):
    """Times and prints epochs of a model, which has reset() and step(batch): the loss."""
    begin, seconds = time.perf_counter(), []
    while len(seconds) <= EPOCHS and (len(seconds) < 2 or time.perf_counter() - begin < ENOUGH):
        seconds.append(epoch(model, batches))
    tell(f"epoch, {task}", name, "PyTorch, eager", seconds[1:], f"{len(batches)} batches")


def epoch(model, batches):
    """Seconds of one."""
    model.reset()
    wait()
    begin = time.perf_counter()
    losses = [model.step(b) for b in batches]
    wait()
    seconds = time.perf_counter() - begin
    if not torch.stack(losses).isfinite().all():
        raise ValueError("a loss is not finite")
    return seconds

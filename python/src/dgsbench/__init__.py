"""Models in Python for dgsbench: derive from Model, call serve."""

from .events import UNLABELLED, Events, Refused, Setup
from .model import Model
from .serving import serve
from .tensors import put

__all__ = ["UNLABELLED", "Events", "Model", "Refused", "Setup", "put", "serve"]

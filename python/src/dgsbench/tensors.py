"""Named arrays of NumPy or PyTorch: copies of them, as bytes without pickles, and how they are written back."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = dict[str, NDArray[Any]]


def array(values: Any) -> NDArray[Any]:
    """The numbers of a NumPy array or of a PyTorch tensor on any device. Shares memory where it can."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


def take(arrays: Mapping[str, Any]) -> Values:
    """Copies of the arrays."""
    return {name: array(a).copy() for name, a in arrays.items()}


def put(arrays: Mapping[str, Any], values: Values) -> None:
    """Writes values to the arrays. Raises ValueError, before it changes anything, unless all have the same names, shapes and types."""
    if arrays.keys() != values.keys():
        raise ValueError(f"arrays {', '.join(values) or 'none'}; expected {', '.join(arrays) or 'none'}")
    for name, old in arrays.items():
        have, want = values[name], array(old)
        if (have.shape, have.dtype) != (want.shape, want.dtype):
            raise ValueError(f"{name} has shape {have.shape} of {have.dtype}, expected {want.shape} of {want.dtype}")
    for name, old in arrays.items():
        if hasattr(old, "detach"):
            import torch

            old.detach().copy_(torch.from_numpy(values[name].copy()))
        else:
            old[...] = values[name]


def pack(values: Values) -> bytes:
    """Arrays as the bytes of an .npz file."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **values)
    return file.getvalue()


def unpack(data: bytes) -> Values:
    """The arrays that pack was given. Raises ValueError for other bytes; nothing is unpickled."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"no snapshot: {error}") from None

"""Messages: a line of JSON and a payload, which is an Arrow IPC stream of at most one record batch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .events import Events

VERSION = 1
LONGEST = 1 << 20
"""Bytes of a line."""

END = b"\xff\xff\xff\xff\0\0\0\0"
"""Of an Arrow stream."""

Message = dict[str, Any]
schemas: dict[bytes, Any] = {}  # by the bytes that streams begin with


class BrokenStream(ConnectionError):
    """What was read is no message."""


def read(stream: IO[bytes]) -> tuple[Message, bytes] | None:
    """The next message, or None at the end of the stream."""
    line = stream.readline(LONGEST)
    if not line:
        return None
    try:
        message = json.loads(line)
        size = int(message.get("bytes", 0))
    except (ValueError, AttributeError):
        raise BrokenStream(f"no message: {line[:200]!r}") from None
    payload = stream.read(size) if size else b""
    if len(payload) < size:
        raise BrokenStream(f"the stream ends after {len(payload)} bytes of a payload of {size}")
    return message, payload


def write(stream: IO[bytes], message: Message, payload: bytes = b"") -> None:
    """Writes a message, whose key bytes is that of the payload."""
    if payload:
        message = {**message, "bytes": len(payload)}
    stream.write(json.dumps(message, allow_nan=False).encode() + b"\n")
    stream.write(payload)
    stream.flush()


def encode(columns: Mapping[str, Any]) -> bytes:
    """An Arrow stream of columns, which are arrays of one dimension, of two (lists of fixed size), or Arrow's."""
    arrays = [c if isinstance(c, pa.Array) else arrow(c) for c in columns.values()]
    batch = pa.record_batch(arrays, names=list(columns))
    return b"".join((batch.schema.serialize(), batch.serialize() if batch.num_rows else b"", END))


def arrow(values: NDArray[Any]) -> Any:
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    return flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def encode_events(events: Events, **more: Any) -> bytes:
    """Events, and further columns behind them."""
    columns: dict[str, Any] = {name: nodes.astype(np.int32) for name, nodes in (("event", events.number), ("src", events.source), ("dst", events.destination))}
    columns["t"] = events.time
    if events.features.shape[1]:
        columns["features"] = events.features
    if events.label is not None:
        columns["label"] = events.label
    return encode(columns | more)


def decode(payload: bytes) -> dict[str, Any]:
    """The columns of an Arrow stream, as Arrow's arrays.

    Reading a schema takes longer than reading a batch, and the streams of a verb begin with the same one.
    """
    size = 8 + int.from_bytes(payload[4:8], "little")
    head, rest = payload[:size], pa.py_buffer(payload).slice(size)
    schema = schemas.get(head)
    if schema is None:
        schema = schemas[head] = pa.ipc.read_schema(pa.py_buffer(head))
    if payload[size:] == END:
        return {field.name: pa.array([], field.type) for field in schema}
    return dict(zip(schema.names, pa.ipc.read_record_batch(rest, schema).columns))


def numbers(array: Any) -> NDArray[Any]:
    """A copy of the numbers of an Arrow array; of lists of fixed size a matrix."""
    if pa.types.is_fixed_size_list(array.type):
        return numbers(array.flatten()).reshape(len(array), array.type.list_size)
    return np.array(array.to_numpy(zero_copy_only=False))


def integers(array: Any) -> NDArray[np.int64]:
    return numbers(array).astype(np.int64)


def events(columns: Mapping[str, Any]) -> Events:
    """The events of a message."""
    number = integers(columns["event"])
    return Events(
        number=number,
        source=integers(columns["src"]),
        destination=integers(columns["dst"]),
        time=numbers(columns["t"]),
        features=numbers(columns["features"]) if "features" in columns else np.zeros((len(number), 0), np.float32),
        label=numbers(columns["label"]) if "label" in columns else None,
    )


def lists(rows: list[list[int]]) -> Any:
    """A column of lists of nodes."""
    return pa.array(rows, pa.list_(pa.int32()))

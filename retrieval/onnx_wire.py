"""As much of the ONNX file format as it takes to read a model's tensors and to write a graph.

The format is Protocol Buffers; field numbers and types are those of `onnx/onnx.proto`. The onnx
package would do the same, and is 17 MB with what it needs.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["Graph", "tensors"]

type Array = npt.NDArray[Any]

_VARINT: Final = 0
_BYTES: Final = 2
_FIXED32: Final = 5

# TensorProto.DataType
_TYPES: Final[Mapping[int, str]] = {1: "<f4", 3: "i1", 7: "<i8"}
_FLOAT: Final = 1

# AttributeProto.AttributeType
_IS_FLOAT: Final = 1
_IS_INT: Final = 2

_IR_VERSION: Final = 9
_OPERATORS: Final = 18  # the version of ONNX's own operators; Split has num_outputs since
_CONTRIB: Final = "com.microsoft"


def tensors(model: bytes) -> dict[str, Array]:
    """Return the constants of a model's graph by name, those of the types used here."""
    found: dict[str, Array] = {}
    for number, graph in _fields(memoryview(model)):
        if number == 7:  # noqa: PLR2004 - ModelProto.graph
            for part, value in _fields(graph):
                if part == 5:  # noqa: PLR2004 - GraphProto.initializer
                    name, array = _tensor(value)
                    if array is not None:
                        found[name] = array
    return found


@dataclass(slots=True)
class Graph:
    """A graph of float tensors in the making; the names given are those of its edges."""

    parts: list[bytes] = field(default_factory=list)

    def constant(self, name: str, array: Array) -> str:
        """Add a constant, float32 or int8; return its name."""
        kind = 3 if array.dtype == np.int8 else _FLOAT
        dims = b"".join(_number(1, size) for size in array.shape)
        raw = np.ascontiguousarray(array).tobytes()
        tensor = dims + _number(2, kind) + _text(8, name) + _message(9, raw)
        self.parts.append(_message(5, tensor))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        *outputs: str,
        contrib: bool = False,
        **attributes: float,
    ) -> str:
        """Add an operation, of ONNX or of onnxruntime's own; return its first output."""
        node = b"".join(_text(1, name) for name in inputs)
        node += b"".join(_text(2, name) for name in outputs)
        node += _text(4, operator)
        node += b"".join(_message(5, _attribute(*item)) for item in attributes.items())
        node += _text(7, _CONTRIB if contrib else "")
        self.parts.append(_message(1, node))
        return outputs[0]

    def model(self, given: str, result: str, shape: Sequence[int | str]) -> bytes:
        """Return the file: `given` and `result` are float tensors of this shape."""
        graph = b"".join(self.parts) + _text(2, "footnote")
        graph += _message(11, _value(given, shape)) + _message(12, _value(result, shape))
        own = _text(1, "") + _number(2, _OPERATORS)
        contrib = _text(1, _CONTRIB) + _number(2, 1)
        return (
            _number(1, _IR_VERSION) + _message(7, graph) + _message(8, own) + _message(8, contrib)
        )


def _value(name: str, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(
        _message(1, _number(1, size) if isinstance(size, int) else _text(2, size)) for size in shape
    )
    tensor = _number(1, _FLOAT) + _message(2, dims)
    return _text(1, name) + _message(2, _message(1, tensor))


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _IS_INT)
    return (
        _text(1, name)
        + _varint(2 << 3 | _FIXED32)
        + struct.pack("<f", value)
        + _number(20, _IS_FLOAT)
    )


def _text(number: int, text: str) -> bytes:
    return _message(number, text.encode())


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits a byte
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def _tensor(message: memoryview) -> tuple[str, Array | None]:
    name, kind, dims, raw = "", 0, list[int](), memoryview(b"")
    for number, value in _fields(message):
        match number:
            case 1:
                dims.append(value)
            case 2:
                kind = value
            case 8:
                name = bytes(value).decode()
            case 9:
                raw = value
            case _:
                pass
    if kind not in _TYPES or not len(raw):
        return name, None
    return name, np.frombuffer(raw, dtype=_TYPES[kind]).reshape(dims)


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Give the fields of a message: numbers as int, everything else as bytes."""
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        match key & 7:
            case 0:
                value, at = _read_varint(message, at)
                yield key >> 3, value
                continue
            case 1:
                size = 8
            case 2:
                size, at = _read_varint(message, at)
            case 5:
                size = 4
            case other:
                raise ValueError(f"no wire type of ONNX: {other}")
        yield key >> 3, message[at : at + size]
        at += size


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte <= 0x7F:  # noqa: PLR2004 - seven bits a byte
            return value, at
        shift += 7

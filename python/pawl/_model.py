"""Models, from whatever a caller has at hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Union

from . import _pawl
from ._errors import BadType

#: A path, serialized bytes, an onnx.ModelProto, or a model that was loaded before.
ModelLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, _pawl.Model, Any]


def to_model(model: ModelLike) -> _pawl.Model:
    """Loads what is a path, decodes what is bytes. Raises pawl.Error: IoError, BadFile, BadModel, …"""
    if isinstance(model, _pawl.Model):
        return model
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _pawl.from_bytes(bytes(model), "")
    if isinstance(model, (str, os.PathLike)):
        return _pawl.load(os.fspath(model))
    if hasattr(model, "_model") and isinstance(model._model, _pawl.Model):
        return model._model
    if hasattr(model, "SerializeToString"):
        return _pawl.from_bytes(model.SerializeToString(), "")
    raise BadType(f"a model is a path, bytes or an onnx.ModelProto, not an object of type {type(model).__name__}")


def to_extents(dims: Mapping[str, int] | None, more: Mapping[str, int] | None = None) -> list[tuple[str, int]]:
    """Extents by symbol ("T") or by input and axis ("x.0")."""
    return [(name, int(extent)) for name, extent in {**(dims or {}), **(more or {})}.items()]

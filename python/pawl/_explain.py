"""What pawl finds out about a model, and models with less in their loops."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _pawl
from ._model import ModelLike, to_extents, to_model


class Explanation:
    """What the Scans of a model are, and how they would be run; a notebook shows the picture."""

    def __init__(self, text: str, svg: str, as_json: str) -> None:
        self._text = text
        self._json = as_json
        #: A picture of the bodies.
        self.svg = svg

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The same as one object: docs/loops.md says what is in it."""
        result: dict[str, Any] = json.loads(self._json)
        return result

    def _repr_svg_(self) -> str:
        return self.svg


def explain(
    model: ModelLike,
    *,
    dims: Mapping[str, int] | None = None,
    threads: int = 1,
    exact: bool = False,
    **symbols: int,
) -> Explanation:
    """What ``pawl explain`` prints: a paragraph per Scan.

    ``symbols`` and ``dims``: numbers for symbolic extents, ``T=4096`` or ``{"x.0": 4096}``. ``threads``: plan for so
    many. ``exact``: plan for the bits of the reference. Raises BadArgument (a symbol that the model does not have),
    BadShape, and what loading the model raises.
    """
    return Explanation(*_pawl.explain(to_model(model), to_extents(dims, symbols), threads, exact))


def optimize(
    model: ModelLike,
    out: str | os.PathLike[str] | None = None,
    *,
    opset: int = 0,
    dims: Mapping[str, int] | None = None,
    parallel_scan: bool = False,
    exact: bool = False,
    notes: list[str] | None = None,
) -> bytes:
    """The model as plain ONNX with less in its loops: what ``pawl optimize`` writes.

    ``out``: a file to write. ``opset``: 0 for the smallest that will do. ``parallel_scan``: recurrences as chains of
    operators of logarithmic length. ``exact``: floats keep their bits. ``notes``: what became of the states is added
    here, a line each. Returns the serialized model. Raises Unsupported, BadArgument, BadShape, Limit.
    """
    data, lines = _pawl.optimize(to_model(model), to_extents(dims), opset, parallel_scan, exact)
    if notes is not None:
        notes.extend(lines)
    if out is not None:
        with open(out, "wb") as file:
            file.write(data)
    return data

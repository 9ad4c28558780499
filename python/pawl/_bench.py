"""How long a model takes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _pawl
from ._errors import BadArgument
from ._model import ModelLike, to_model
from ._session import InferenceSession, SessionOptions

# Without `runs`: as many as fit into this time, within these bounds.
_MEASURED_MS = 2000.0
_FEWEST, _MOST = 5, 1000


class BenchResult:
    """Times of runs, in milliseconds: ``run_ms`` in ascending order, ``median_ms``, ``min_ms``, ``spread`` (between the
    tenth and the ninetieth part, over the median), ``load_ms``, ``compile_ms``, ``first_run_ms``; ``steps`` of the
    longest Scan, and ``per_step_ns`` (None where there is none)."""

    def __init__(
        self, load_ms: float, compile_ms: float, first_run_ms: float, run_ms: list[float], steps: int, scans: list[str]
    ) -> None:
        self.load_ms = load_ms
        self.compile_ms = compile_ms
        self.first_run_ms = first_run_ms
        self.run_ms = sorted(run_ms)
        self.median_ms = float(np.median(self.run_ms))
        self.min_ms = self.run_ms[0]
        low, high = np.quantile(self.run_ms, [0.1, 0.9])
        self.spread = float(high - low) / self.median_ms if self.median_ms > 0 else 0.0
        self.steps = steps
        self.per_step_ns = 1e6 * self.median_ms / steps if steps > 0 else None
        self.scans = scans

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def __str__(self) -> str:
        text = (
            f"load {self.load_ms:.3g} ms, compile {self.compile_ms:.3g} ms, first run {self.first_run_ms:.3g} ms\n"
            f"median {self.median_ms:.4g} ms, least {self.min_ms:.4g} ms, spread {100 * self.spread:.0f} % "
            f"({len(self.run_ms)} runs)\n"
        )
        if self.per_step_ns is not None:
            text += f"{self.per_step_ns:.4g} ns per step, {self.steps} steps\n"
        return text + "".join(line + "\n" for line in self.scans)

    __repr__ = __str__


def _random(port: _pawl.Port, extents: Mapping[str, int], random: np.random.Generator) -> Any:
    name, kind, shape, _, text = port
    sizes = []
    for axis, extent in enumerate(shape):
        size = extents.get(f"{name}.{axis}", extents.get(extent, None) if isinstance(extent, str) else extent)
        if size is None:
            raise BadArgument(f'input "{name}" of type {text}: say the extent of axis {axis}: dims={{"{extent or f"{name}.{axis}"}": …}}')
        sizes.append(int(size))
    if not kind.startswith("tensor("):
        raise BadArgument(f'input "{name}" of type {text} cannot be made up: give it in inputs')
    dtype = _pawl.numpy_dtype(kind[len("tensor(") : -1])
    if dtype.kind == "f":
        return np.asarray(random.uniform(-1, 1, sizes)).astype(dtype)
    if dtype.kind in "iu" and not dtype.names:
        return np.asarray(random.integers(0, 10, sizes)).astype(dtype)
    if dtype.kind == "b":
        return np.asarray(random.integers(0, 2, sizes)).astype(dtype)
    raise BadArgument(f'input "{name}" of type {text} cannot be made up: give it in inputs')


def bench(
    model: ModelLike,
    inputs: Mapping[str, Any] | None = None,
    *,
    dims: Mapping[str, int] | None = None,
    runs: int | None = None,
    warmup: int = 3,
    seed: int = 1,
    options: SessionOptions | None = None,
) -> BenchResult:
    """Loads, compiles and runs a model again and again.

    ``inputs``: what it is run on; those that are missing are made up: floats in [-1, 1], integers 0 to 9. ``dims``:
    numbers for symbolic extents of those. ``runs``: without it, as many as fit into two seconds, 5 to 1000. Raises what
    loading and running raise, and BadArgument for inputs that cannot be made up.
    """
    begin = time.perf_counter()
    loaded = to_model(model)
    loaded_at = time.perf_counter()
    session = InferenceSession(loaded, options)
    compiled_at = time.perf_counter()
    random = np.random.default_rng(seed)
    feeds = dict(inputs or {})
    for port in loaded.inputs:
        if port[0] not in feeds and not port[3]:
            feeds[port[0]] = _random(port, dims or {}, random)

    def once() -> float:
        start = time.perf_counter()
        session.run(None, feeds)
        return 1e3 * (time.perf_counter() - start)

    first = once()
    for _ in range(warmup):
        once()
    times: list[float] = []
    while len(times) < (runs if runs is not None else _MOST):
        if runs is None and len(times) >= _FEWEST and sum(times) >= _MEASURED_MS:
            break
        times.append(once())
    if not times:
        raise BadArgument(f"runs is {runs}: expected 1 or more")
    _, _, steps = session._alive().work(feeds)
    return BenchResult(
        1e3 * (loaded_at - begin), 1e3 * (compiled_at - loaded_at), first, times, steps, session.kernel_report()
    )

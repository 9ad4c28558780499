"""Models that are fed piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _pawl
from ._errors import BadArgument

if TYPE_CHECKING:
    from ._session import InferenceSession, RunOptions


def _place(rows: list[_pawl.Port], name: str, what: str) -> int:
    for place, row in enumerate(rows):
        if row[0] == name:
            return place
    raise BadArgument(f'the model has no {what} "{name}"')


class Stream:
    """Calls of one model with states that are carried from call to call, and updated in place.

    Made by ``InferenceSession.stream``. One thread at a time calls it; several streams of one session go on at once.
    """

    def __init__(
        self, session: InferenceSession, states: Mapping[str, str], initial: Mapping[str, Any] | None = None
    ) -> None:
        inputs, outputs = session._model.inputs, session._model.outputs
        pairs = [(_place(outputs, out, "output"), _place(inputs, name, "input")) for out, name in states.items()]
        self._stream = _pawl.Stream(session._alive(), pairs)
        self._states = {inputs[place][0]: inputs[place] for _, place in pairs}
        self._others = [row for row in inputs if row[0] not in self._states]
        self._outputs = [row[0] for place, row in enumerate(outputs) if place not in {out for out, _ in pairs}]
        self._started = False
        self._initial: dict[str, Any] = {}
        self.reset(initial)

    def __call__(self, run_options: RunOptions | None = None, /, **feeds: Any) -> dict[str, Any]:
        """Runs the model on the next piece; ``feeds`` are the inputs that are no states.

        Returns the outputs that are no states, by name. After a call that failed while it ran, ``reset`` has to come
        first: the states were given away.
        """
        return self.step(feeds, run_options)

    def step(self, feeds: Mapping[str, Any], run_options: RunOptions | None = None) -> dict[str, Any]:
        """The same for names that are no identifiers of Python."""
        # What is missing is named before anything is made up.
        if not self._started and all(row[0] in feeds or row[3] for row in self._others):
            self._start(feeds)
        control = run_options._control if run_options is not None else None
        return dict(zip(self._outputs, self._stream.step(feeds, control)))

    @property
    def states(self) -> dict[str, Any]:
        """The states as they are now, by input name: views that cannot be written to."""
        return self._stream.states()

    def reset(self, initial: Mapping[str, Any] | None = None) -> None:
        """Begins anew, with the initial states given here; those that are not given are zeros."""
        for name in initial or {}:
            if name not in self._states:
                raise BadArgument(f'"{name}" is no state of this stream; it has {", ".join(self._states) or "none"}')
        self._initial = dict(initial or {})
        self._started = False

    def _start(self, feeds: Mapping[str, Any]) -> None:
        extents: dict[str, int] = {}
        for row in self._others:
            shape = getattr(feeds.get(row[0]), "shape", None)
            for symbol, extent in zip(row[2], shape if shape is not None and len(shape) == len(row[2]) else ()):
                if isinstance(symbol, str):
                    extents.setdefault(symbol, int(extent))
        values = {name: _zeros(row, extents) for name, row in self._states.items() if name not in self._initial}
        self._stream.set_states({**values, **self._initial})
        self._started = True


def _zeros(row: _pawl.Port, extents: Mapping[str, int]) -> Any:
    name, kind, shape, _, text = row
    if not kind.startswith("tensor("):
        raise BadArgument(f'state "{name}" of type {text} needs an initial value')
    sizes: list[int] = []
    for extent in shape:
        size = extents.get(extent) if isinstance(extent, str) else extent
        if size is None:
            raise BadArgument(f'state "{name}" of type {text} needs an initial value: its extents are not known')
        sizes.append(int(size))
    return np.zeros(sizes, _pawl.numpy_dtype(kind[len("tensor(") : -1]))

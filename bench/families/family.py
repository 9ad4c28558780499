"""What a benchmark family is made of: data, the body of a step, and the results by a formula of their own."""

from dataclasses import dataclass, field
from typing import Callable, Optional

import numpy as np


@dataclass
class Family:
    states: dict  # name → first value
    scanned: dict  # name → sequence
    body: Callable  # (nodes, names of states and elements) → (names of next states, names of what is stacked)
    results: Callable  # (all arrays by name) → (final states, stacked outputs)
    operations: int  # least arithmetic of a run; a product with a sum is 2
    weights: dict = field(default_factory=dict)
    fused: Optional[Callable] = None  # (nodes) → writes the same with one operator; the domains that it needs
    fused_weights: dict = field(default_factory=dict)
    exact: bool = False
    stacked_type: Optional[type] = None  # of stacked outputs, where it is not that of all else


class Draw:
    """Random arrays of one element type."""

    def __init__(self, seed, dtype):
        self.random = np.random.default_rng(seed)
        self.dtype = np.dtype(dtype)

    def normal(self, *shape, scale=1.0):
        return (self.random.standard_normal(shape) * scale).astype(self.dtype)

    def uniform(self, low, high, *shape):
        return self.random.uniform(low, high, shape).astype(self.dtype)

    def unit(self, *shape):
        """Vectors of length 1 along the last axis."""
        rows = self.random.standard_normal(shape)
        return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(self.dtype)

    def log_probabilities(self, *shape):
        """Rows whose exp sums to 1."""
        rows = self.random.standard_normal(shape)
        return (rows - np.log(np.exp(rows).sum(-1, keepdims=True))).astype(self.dtype)


def follow(first, *sequences, step):
    """All states of a recurrence: step(state, *elements) → next state. The first axis of the result is time."""
    states = np.empty((len(sequences[0]),) + np.shape(first))
    state = first
    for t, elements in enumerate(zip(*sequences)):
        state = step(state, *elements)
        states[t] = state
    return states

"""Each recurrence of examples/recurrences once more: a loop in numpy, written from its formula."""

import dataclasses
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass
class Example:
    step_by_step: Callable[..., dict]  # the model's inputs, in order, to its outputs by name
    extents: dict  # of the case
    classes: str = ""  # as `--- expect class` takes them
    ranges: dict = dataclasses.field(default_factory=dict)  # of inputs that are not drawn from [-2, 2]
    tolerance: str = ""
    explained: tuple = ()  # words that `pawl explain` says


EXAMPLES = {}


def example(extents, classes, ranges=None, tolerance="", explained=()):
    def add(function):
        sizes = {key: int(value) for key, value in (each.split("=") for each in extents.split())}
        EXAMPLES[function.__name__] = Example(function, sizes, classes, ranges or {}, tolerance, explained)
        return function

    return add


def run(step, states, sequences):
    """Steps from first to last: step(states, elements) gives next states and outputs."""
    stacked = []
    for elements in zip(*sequences):
        states, outputs = step(states, elements)
        stacked.append(outputs)
    return states, [np.array(column) for column in zip(*stacked)]


def one_state(name, step, state, *sequences):
    """A recurrence whose output is its next state."""

    def both(states, elements):
        after = step(states[0], *elements)
        return [after], [after]

    finals, outputs = run(both, [state], sequences)
    return {name: finals[0], "y": outputs[0]}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


SMALL = "T=5 C=3"
GATE = (0.5, 1)


@example(SMALL, "affine")
def exponential_average(h0, x):
    return one_state("h", lambda h, e: 0.9 * h + 0.1 * e, h0, x)


@example(SMALL, "sum", explained=("1 node, 512 flop, 2.05 kB in, 2.05 kB out, 2.05 kB of state", "deterministic: the same bits"))
def prefix_sum(s0, x):
    return {"s": s0 + x.sum(0), "y": s0 + np.cumsum(x, 0)}


@example(SMALL, "product")
def running_product(s0, x):
    return {"s": s0 * x.prod(0), "y": s0 * np.cumprod(x, 0)}


@example(SMALL, "counter")
def counter(x):
    return {"n": len(x), "y": np.arange(len(x))[:, None] * x}


@example(SMALL, "max")
def running_max(m0, x):
    y = np.maximum.accumulate(np.vstack([m0, x]), 0)[1:]
    return {"m": y[-1], "y": y}


@example(SMALL, "max counter arg-max", {"i0": (-1, 0)}, explained=("a counter recurrence, an arg-max recurrence over 256 channels, y reads p",))
def running_arg_max(m0, i0, x):
    everything = np.vstack([m0, x])
    y = np.maximum.accumulate(everything, 0)[1:]
    first = np.array([everything[: t + 2].argmax(0) - 1 for t in range(len(x))])
    at = np.where(first < 0, i0, first)
    return {"m": y[-1], "i": at[-1], "y": y, "at": at}


@example(SMALL, "affine", {"a": GATE})
def diagonal_gates(h0, a, b):
    return one_state("h", lambda h, c, e: c * h + e, h0, a, b)


@example(SMALL, "matrix", {"a1": (-0.9, 0.9), "a2": (-0.9, 0.9)})
def biquad(s10, s20, x, b0, b1, b2, a1, a2):
    # From the difference equation, direct form I, with what the initial states add to the first two outputs.
    y = np.zeros_like(x)
    for t in range(len(x)):
        past = lambda v, n: v[t - n] if t >= n else 0 * v[0]
        y[t] = b0 * x[t] + b1 * past(x, 1) + b2 * past(x, 2) - a1 * past(y, 1) - a2 * past(y, 2)
        y[t] += {0: s10, 1: s20}.get(t, 0)
    s1 = b1 * x[-1] - a1 * y[-1] + b2 * x[-2] - a2 * y[-2]
    return {"s1": s1, "s2": b2 * x[-1] - a2 * y[-1], "y": y}


@example(SMALL, "matrix", {"c": (-0.7, 0.7), "d": (-0.7, 0.7)})
def complex_rotation(u0, v0, c, d, x):
    z = u0 + 1j * v0
    out = []
    for e in x:
        z = (c + 1j * d) * z + e
        out.append(z.real)
    return {"u": z.real, "v": z.imag, "y": np.array(out)}


@example("T=5", "matrix", {"K": (0, 1)})
def kalman_constant_gain(x0, z, A, K, H):
    closed = A - K @ H @ A
    return one_state("x", lambda p, e: closed @ p + K @ e, x0, z)


@example("T=4", "matrix")
def cumulative_matrix_product(P0, M):
    return one_state("P", lambda p, e: e @ p, P0, M)


@example(
    "T=4 D=3 N=2",
    "affine",
    {"dt": (0, 1), "A": (-1, 0)},
    explained=("a diagonal affine recurrence with rank-1 updates over 768x16 channels, y reads the state; sequential in time is not",),
)
def mamba(h0, dt, B, C, x, A):
    def step(states, elements):
        d, b, c, e = elements
        h = np.exp(np.einsum("d,dn->dn", d, A)) * states[0] + np.einsum("d,n,d->dn", d, b, e)
        return [h], [h @ c]

    finals, outputs = run(step, [h0], [dt, B, C, x])
    return {"h": finals[0], "y": outputs[0]}


def attention(S0, q, k, v, decay, error=None):
    """S' = decay(t) S + k outer (v, or what error(t, k, decayed S, v) makes of it);  y = q S'."""
    S = S0
    out = []
    for t in range(len(q)):
        S = decay(t) * S
        value = v[t] if error is None else error(t, k[t], S, v[t])
        S = S + np.einsum("hk,hv->hkv", k[t], value)
        out.append(np.einsum("hk,hkv->hv", q[t], S))
    return {"S": S, "y": np.array(out)}


HEADS = "T=4 H=2 K=3 V=2"
UNIT = {"q": (-1, 1), "k": (-1, 1), "a": GATE, "b": (0, 1)}


@example(HEADS, "sum", UNIT)
def linear_attention(S0, q, k, v):
    return attention(S0, q, k, v, lambda t: 1)


@example(HEADS, "affine", UNIT)
def gated_linear_attention(S0, q, k, v, a):
    return attention(S0, q, k, v, lambda t: a[t][:, :, None])


@example(HEADS, "affine", UNIT)
def mamba2(S0, q, k, v, a):
    return attention(S0, q, k, v, lambda t: a[t][:, None, None])


@example(HEADS, "affine", UNIT)
def retention(S0, q, k, v):
    return attention(S0, q, k, v, lambda t: 0.96875)


def delta(rate):
    return lambda t, k, S, v: rate[t][:, None] * (v - np.einsum("hk,hkv->hv", k, S))


@example(HEADS, "delta", UNIT)
def delta_rule(S0, q, k, v, b):
    return attention(S0, q, k, v, lambda t: 1, delta(b))


@example(HEADS, "delta", UNIT)
def gated_delta_rule(S0, q, k, v, a, b):
    return attention(S0, q, k, v, lambda t: a[t][:, None, None], delta(b))


@example("T=3 B=1 D=4 H=2 K=2 V=2", "delta", {**UNIT, "decay": (-1, 0), "rate": (0, 1)})
def linear_attention_operator(q, k, v, S0, decay, rate):
    heads = lambda x: x[0].reshape(len(x[0]), 2, -1)
    made = attention(S0[0], heads(q), heads(k), heads(v), lambda t: np.exp(decay[0, t])[:, None, None], delta(rate[0]))
    return {"y": made["y"].reshape(v.shape), "S": made["S"][None]}


@example("T=4 H=2 K=3 V=2", "max-plus affine affine", {"f": (-1, 0)}, "rtol=1e-4 atol=1e-5")
def mlstm(C0, n0, m0, q, k, v, f, i):
    # Without the stabiliser: C and n of the model times exp(m).
    C, n, m = C0 * np.exp(m0)[:, None, None], n0 * np.exp(m0)[:, None], m0
    out = []
    for t in range(len(q)):
        C = np.exp(f[t])[:, None, None] * C + np.exp(i[t])[:, None, None] * k[t][:, :, None] * v[t][:, None, :]
        n = np.exp(f[t])[:, None] * n + np.exp(i[t])[:, None] * k[t]
        m = np.maximum(f[t] + m, i[t])
        norm = np.maximum(np.abs((q[t] * n).sum(1)), 1)
        out.append(np.einsum("hk,hkv->hv", q[t], C) / norm[:, None])
    return {"C": C * np.exp(-m)[:, None, None], "n": n * np.exp(-m)[:, None], "m": m, "y": np.array(out)}


@example(SMALL, "max-plus affine affine", {"b0": (0.5, 2), "w": (-1, 0)}, "rtol=1e-4 atol=1e-5")
def wkv4(a0, b0, p0, k, v, w, u):
    # Without the exponent that keeps the sums small: a and b of the model times exp(p).
    a, b, p = a0 * np.exp(p0), b0 * np.exp(p0), p0
    out = []
    for t in range(len(k)):
        out.append((a + np.exp(u + k[t]) * v[t]) / (b + np.exp(u + k[t])))
        a = np.exp(w) * a + np.exp(k[t]) * v[t]
        b = np.exp(w) * b + np.exp(k[t])
        p = np.maximum(w + p, k[t])
    return {"a": a * np.exp(-p), "b": b * np.exp(-p), "p": p, "y": np.array(out)}


@example("T=4 B=2 D=3 H=2", "affine")
def min_gru(h0, x, Wz, Wh):
    z = sigmoid(x @ Wz)
    return one_state("h", lambda h, z, c: h + z * (c - h), h0, z, x @ Wh)


@example(
    "T=4 B=2 D=3",
    "affine",
    {"L": (-3, 1)},
    explained=(
        "a diagonal affine recurrence over 4x256 channels, y reads the state; 4 nodes hoisted into 2 GEMMs of 2048x256x256",
        "4x256 channels side by side: axes 0, 1",
        'MatMul of \\"rx\\": one GEMM of 2048x256x256',
    ),
)
def rg_lru(h0, x, Wr, Wi, L):
    a = (1 + np.exp(L)) ** (-8 * sigmoid(x @ Wr))
    return one_state("h", lambda h, a, b: a * h + b, h0, a, np.sqrt(1 - a**2) * sigmoid(x @ Wi) * x)


@example("T=5 B=3", "affine")
def generalized_advantage(r, V, Vnext, done, A0):
    delta = r + 0.99 * np.where(done, 0, Vnext) - V
    y = np.zeros_like(r)
    after = A0
    for t in reversed(range(len(r))):
        y[t] = after = delta[t] + 0.99 * 0.95 * np.where(done[t], 0, after)
    return {"A": y[0], "y": y}


@example("T=4 B=2 D=3 H=2", "sequential")
def elman_rnn(h0, x, W, R, b):
    return one_state("h", lambda h, e: np.tanh(e @ W + h @ R + b), h0, x)


@example("T=4 B=2 D=3 H=2", "sequential")
def gru(h0, x, Wz, Wr, Wc, Rz, Rr, Rc):
    def step(h, e):
        z = sigmoid(e @ Wz + h @ Rz)
        return (1 - z) * np.tanh(e @ Wc + sigmoid(e @ Wr + h @ Rr) * (h @ Rc)) + z * h

    return one_state("h", step, h0, x)


@example(
    "T=4 B=2 D=3 H=2 G=8",
    "sequential",
    explained=("a sequential recurrence over 4 channels, y reads p, m; 1 node hoisted into one GEMM of 1024x256x1024; sequential in time",),
)
def lstm(h0, c0, x, W, R, b):
    def step(states, elements):
        i, o, f, g = np.split(elements[0] @ W + states[0] @ R + b, 4, 1)
        c = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return [h, c], [h]

    finals, outputs = run(step, [h0, c0], [x])
    return {"h": finals[0], "c": finals[1], "y": outputs[0]}


@example("T=4 K=3", "log-sum-exp")
def hmm_forward(a0, obs, logA):
    # In probabilities.
    made = one_state("a", lambda p, e: (p @ np.exp(logA)) * np.exp(e), np.exp(a0), obs)
    return {name: np.log(value) for name, value in made.items()}


@example("T=4 K=3", "max-plus")
def viterbi(d0, obs, logA):
    def step(states, elements):
        n = len(d0)
        best = [max(range(n), key=lambda i: states[0][i] + logA[i, j]) for j in range(n)]
        return [np.array([states[0][best[j]] + logA[best[j], j] + elements[0][j] for j in range(n)])], [best]

    finals, outputs = run(step, [d0], [obs])
    return {"d": finals[0], "back": outputs[0]}


@example(SMALL, "log-sum-exp")
def log_sum_exp(s0, x):
    y = np.log(np.exp(s0) + np.cumsum(np.exp(x), 0))
    return {"s": y[-1], "y": y}


@example(SMALL, "clamp-add", {"s0": (0, 10), "x": (-9, 9)})
def clamp_add(s0, x):
    return one_state("s", lambda s, e: np.clip(s + e, 0, 10), s0, x)


@example(SMALL, "max-plus", {"w0": (0, 1)})
def lindley_queue(w0, x):
    # The largest of the sums of the last steps, of none, and of all after the first wait.
    y = [np.max([x[i : t + 1].sum(0) for i in range(t + 2)] + [w0 + x[: t + 1].sum(0)], 0) for t in range(len(x))]
    return {"w": y[-1], "y": np.array(y)}


@example(SMALL, "delay delay delay", explained=("3 delay recurrences over 768 channels", "3 pieces along axis 0"))
def causal_convolution(s0, x, w):
    history = np.vstack([s0, x])
    y = np.array([[np.convolve(history[:, c], w[::-1, c], "valid")[t] for c in range(x.shape[1])] for t in range(len(x))])
    return {"s": history[-3:], "y": y}


@example(SMALL, "delay delay delay")
def delay_line(a0, b0, c0, x):
    history = np.vstack([c0, b0, a0, x])
    y = history[3:] + 0.5 * history[2:-1] - 0.25 * history[:-3]
    return {"a": history[-1], "b": history[-2], "c": history[-3], "y": y}


@example("T=5 B=3 C=2", "affine")
def masked_update(s0, x, mask):
    return one_state("s", lambda s, e, m: s + m * (e - 0.1 * s), s0, x, mask)


@example(SMALL, "sum")
def segmented_sum(s0, x, start):
    starts = [0] + [t for t in range(len(x)) if start[t, 0]]
    y = np.array([x[max(s for s in starts if s <= t) : t + 1].sum(0) for t in range(len(x))])
    before_any = np.array([not start[: t + 1].any() for t in range(len(x))])
    y = y + before_any[:, None] * s0
    return {"s": y[-1], "y": y}


@example("T=4 M=3 D=2", "", explained=("a map: no step needs another",))
def pairwise_distances(r, x):
    y = (x**2).sum(1)[:, None] - 2 * x @ r.T + (r**2).sum(1)
    return {"rest": r, "y": y}


@example(SMALL, "logical")
def running_any(s0, x):
    y = s0 | (np.cumsum(x, 0) > 0)
    return {"s": y[-1], "y": y}


@example(SMALL, "logical")
def running_parity(s0, x):
    y = (s0 + np.cumsum(x, 0)) % 2 == 1
    return {"s": y[-1], "y": y}

"""Families that work on each channel by itself: sums, averages, filters, maxima."""

import numpy as np

from family import Family, follow


def cumsum(draw, T, C):
    def body(nodes, names):
        h, x = names
        h = nodes("Add", h, x)
        return [h], [nodes("Identity", h)]

    def results(v):
        sums = v["h"] + np.cumsum(v["x"], 0)
        return [sums[-1]], [sums]

    def fused(nodes):
        nodes("CumSum", "x", nodes.constant(0), to="sums")
        last = nodes("Slice", "sums", nodes.constant([-1]), nodes.constant([2**31 - 1]), nodes.constant([0]))
        # The first state is zero: nothing has to be added to every row.
        nodes("Add", nodes("Squeeze", last, nodes.constant([0])), "h", to="h_final")
        nodes("Identity", "sums", to="y")
        return []

    return Family({"h": np.zeros(C, draw.dtype)}, {"x": draw.normal(T, C)}, body, results, T * C, fused=fused)


def affine(draw, T, C):
    def body(nodes, names):
        h, a, b = names
        h = nodes("Add", nodes("Mul", a, h), b)
        return [h], [nodes("Identity", h)]

    def results(v):
        all_h = follow(v["h"], v["a"], v["b"], step=lambda h, a, b: a * h + b)
        return [all_h[-1]], [all_h]

    scanned = {"a": draw.uniform(0.5, 0.99, T, C), "b": draw.normal(T, C)}
    return Family({"h": draw.normal(C)}, scanned, body, results, 2 * T * C)


def ema(draw, T, C):
    def body(nodes, names):
        h, x = names
        rest = nodes("Sub", nodes.constant(1, draw.dtype), "alpha")
        h = nodes("Add", nodes("Mul", h, "alpha"), nodes("Mul", x, rest))
        return [h], [nodes("Identity", h)]

    def results(v):
        all_h = follow(v["h"], v["x"] * (1 - v["alpha"]), step=lambda h, x: h * v["alpha"] + x)
        return [all_h[-1]], [all_h]

    weights = {"alpha": np.array(0.9, draw.dtype)}
    return Family({"h": draw.normal(C)}, {"x": draw.normal(T, C)}, body, results, 3 * T * C, weights)


def biquad(draw, T, C):
    def body(nodes, names):
        s1, s2, x = names
        y = nodes("Add", nodes("Mul", x, "b0"), s1)
        n1 = nodes("Add", nodes("Sub", nodes("Mul", x, "b1"), nodes("Mul", y, "a1")), s2)
        n2 = nodes("Sub", nodes("Mul", x, "b2"), nodes("Mul", y, "a2"))
        return [n1, n2], [y]

    def results(v):
        # The difference equation, from the inputs and outputs of the last two steps; both start at rest.
        x = np.concatenate([np.zeros((2, C)), v["x"]])
        driven = v["b0"] * x[2:] + v["b1"] * x[1:-1] + v["b2"] * x[:-2]
        y = np.zeros((T + 2, C))
        for t in range(T):
            y[t + 2] = driven[t] - v["a1"] * y[t + 1] - v["a2"] * y[t]
        s2 = v["b2"] * x[-1] - v["a2"] * y[-1]
        s1 = v["b1"] * x[-1] - v["a1"] * y[-1] + v["b2"] * x[-2] - v["a2"] * y[-2]
        return [s1, s2], [y[2:]]

    # Stable: poles of radius below 1, at any angle.
    radius, angle = draw.random.uniform(0.5, 0.95, C), draw.random.uniform(0.1, 3.0, C)
    weights = {name: draw.normal(C) for name in ("b0", "b1", "b2")}
    weights["a1"] = (-2 * radius * np.cos(angle)).astype(draw.dtype)
    weights["a2"] = (radius**2).astype(draw.dtype)
    states = {"s1": np.zeros(C, draw.dtype), "s2": np.zeros(C, draw.dtype)}
    return Family(states, {"x": draw.normal(T, C)}, body, results, 9 * T * C, weights)


def runmax(draw, T, C):
    def body(nodes, names):
        h = nodes("Max", *names)
        return [h], [nodes("Identity", h)]

    def results(v):
        highest = np.maximum(v["h"], np.maximum.accumulate(v["x"], 0))
        return [highest[-1]], [highest]

    states = {"h": np.full(C, -3e38, draw.dtype)}
    return Family(states, {"x": draw.normal(T, C)}, body, results, T * C, exact=True)

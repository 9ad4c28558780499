"""Families whose state is a matrix for each head or channel: Mamba's selective scan, linear attention."""

import numpy as np

from family import Family


def mamba1(draw, T, B, D, N):
    def body(nodes, names):
        h, step, b, c, x = names
        last, middle = nodes.constant([-1]), nodes.constant([1])
        decay = nodes("Exp", nodes("Mul", nodes("Unsqueeze", step, last), "A"))
        driven = nodes("Unsqueeze", nodes("Mul", step, x), last)
        h = nodes("Add", nodes("Mul", decay, h), nodes("Mul", driven, nodes("Unsqueeze", b, middle)))
        seen = nodes("Mul", h, nodes("Unsqueeze", c, middle))
        return [h], [nodes("ReduceSum", seen, last, keepdims=0)]

    def results(v):
        y = np.empty((T, B, D))
        h = v["h"]
        for t in range(T):
            step = v["step"][t][..., None]
            h = np.exp(step * v["A"]) * h + step * v["x"][t][..., None] * v["b"][t][:, None]
            y[t] = np.einsum("bdn,bn->bd", h, v["c"][t])
        return [h], [y]

    # Eigenvalues near -1, -2, …, -N, as Mamba begins with.
    rates = -np.arange(1, N + 1) * draw.random.uniform(0.8, 1.2, (D, N))
    scanned = {
        "step": draw.uniform(0.001, 0.1, T, B, D),
        "b": draw.normal(T, B, N),
        "c": draw.normal(T, B, N),
        "x": draw.normal(T, B, D),
    }
    states, weights = {"h": np.zeros((B, D, N), draw.dtype)}, {"A": rates.astype(draw.dtype)}
    return Family(states, scanned, body, results, 6 * T * B * D * N, weights)


def linattn(draw, T, B, H, Dk, Dv):
    def body(nodes, names):
        s, q, k, v = names
        last, row = nodes.constant([-1]), nodes.constant([-2])
        s = nodes("Add", s, nodes("Mul", nodes("Unsqueeze", k, last), nodes("Unsqueeze", v, row)))
        return [s], [nodes("Squeeze", nodes("MatMul", nodes("Unsqueeze", q, row), s), row)]

    def results(v):
        # As attention without a softmax: each step sees the ones up to itself. The first state is zero.
        y = np.empty((T, B, H, Dv))
        for b in range(B):
            for h in range(H):
                q, k, values = (v[name][:, b, h] for name in ("q", "k", "v"))
                y[:, b, h] = np.tril(q @ k.T) @ values
        return [np.einsum("tbhk,tbhv->bhkv", v["k"], v["v"])], [y]

    def fused(nodes):
        def by_batch(name, width):
            if B > 1:
                name = nodes("Transpose", name, perm=[1, 0, 2, 3])
            return nodes("Reshape", name, nodes.constant([B, T, H * width]))

        packed = [by_batch("q", Dk), by_batch("k", Dk), by_batch("v", Dv)]
        attributes = dict(update_rule="linear", scale=1.0, q_num_heads=H, kv_num_heads=H)
        y, final = nodes("LinearAttention", *packed, "s", results=2, domain="com.microsoft", **attributes)
        nodes("Identity", final, to="s_final")
        if B > 1:
            y = nodes("Reshape", y, nodes.constant([B, T, H, Dv]))
            nodes("Transpose", y, perm=[1, 0, 2, 3], to="y")
        else:
            nodes("Reshape", y, nodes.constant([T, B, H, Dv]), to="y")
        return ["com.microsoft"]

    scanned = {"q": draw.unit(T, B, H, Dk), "k": draw.unit(T, B, H, Dk), "v": draw.normal(T, B, H, Dv)}
    states = {"s": np.zeros((B, H, Dk, Dv), draw.dtype)}
    return Family(states, scanned, body, results, 4 * T * B * H * Dk * Dv, fused=fused)

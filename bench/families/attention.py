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


def by_head(nodes, Dk, Dv, sizes, rule, inputs):
    """ONNX Runtime's operator for a state of keys by values. `inputs` are names with their widths, 0 for a number each."""
    T, B, H = sizes

    def by_batch(name, width):
        if B > 1:
            name = nodes("Transpose", name, perm=[1, 0, 2, 3] if width else [1, 0, 2])
        return nodes("Reshape", name, nodes.constant([B, T, H * (width or 1)]))

    q, k, v, *more = [by_batch(name, width) for name, width in inputs]
    attributes = dict(update_rule=rule, scale=1.0, q_num_heads=H, kv_num_heads=H)
    y, final = nodes("LinearAttention", q, k, v, "s", *more, results=2, domain="com.microsoft", **attributes)
    nodes("Identity", final, to="s_final")
    if B > 1:
        y = nodes("Reshape", y, nodes.constant([B, T, H, Dv]))
        nodes("Transpose", y, perm=[1, 0, 2, 3], to="y")
    else:
        nodes("Reshape", y, nodes.constant([T, B, H, Dv]), to="y")
    return ["com.microsoft"]


def heads(draw, T, B, H, Dk, Dv):
    """Queries and keys of length 1, values."""
    return {"q": draw.unit(T, B, H, Dk), "k": draw.unit(T, B, H, Dk), "v": draw.normal(T, B, H, Dv)}


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
        return by_head(nodes, Dk, Dv, (T, B, H), "linear", [("q", Dk), ("k", Dk), ("v", Dv)])

    states = {"s": np.zeros((B, H, Dk, Dv), draw.dtype)}
    return Family(states, heads(draw, T, B, H, Dk, Dv), body, results, 4 * T * B * H * Dk * Dv, fused=fused)


def linattn_f16(draw, **sizes):
    """Linear attention of float16 with a state of float32."""
    made = linattn(draw, **sizes)
    inner = made.body

    def body(nodes, names):
        wide = [nodes("Cast", name, to_type=draw.dtype) for name in names[1:]]
        states, (y,) = inner(nodes, [names[0], *wide])
        return states, [nodes("Cast", y, to_type=np.dtype(np.float16))]

    made.body = body
    made.scanned = {name: array.astype(np.float16) for name, array in made.scanned.items()}
    made.stacked_type = np.float16
    return made


def deltanet(draw, T, B, H, Dk, Dv):
    """The gated delta rule: the state decays, and forgets what it had under a key before it learns the new value."""

    def body(nodes, names):
        s, q, k, v, decay, rate = names
        last, row, both = nodes.constant([-1]), nodes.constant([-2]), nodes.constant([-2, -1])
        s = nodes("Mul", s, nodes("Unsqueeze", decay, both))
        known = nodes("MatMul", nodes("Unsqueeze", k, row), s)
        missing = nodes("Sub", nodes("Unsqueeze", v, row), known)
        learnt = nodes("Mul", nodes("Unsqueeze", rate, both), missing)
        s = nodes("Add", s, nodes("Mul", nodes("Unsqueeze", k, last), learnt))
        return [s], [nodes("Squeeze", nodes("MatMul", nodes("Unsqueeze", q, row), s), row)]

    def results(v):
        s, y = v["s"], np.empty((T, B, H, Dv))
        for t in range(T):
            q, k, values, decay, rate = (v[name][t] for name in ("q", "k", "v", "decay", "rate"))
            s = decay[..., None, None] * s
            missing = values - np.einsum("bhk,bhkv->bhv", k, s)
            s = s + rate[..., None, None] * k[..., None] * missing[:, :, None]
            y[t] = np.einsum("bhk,bhkv->bhv", q, s)
        return [s], [y]

    def fused(nodes):
        inputs = [("q", Dk), ("k", Dk), ("v", Dv), (nodes("Log", "decay"), 0), ("rate", 0)]
        return by_head(nodes, Dk, Dv, (T, B, H), "gated_delta", inputs)

    scanned = heads(draw, T, B, H, Dk, Dv)
    scanned["decay"] = draw.uniform(0.9, 1, T, B, H)
    scanned["rate"] = draw.uniform(0, 1, T, B, H)
    states = {"s": np.zeros((B, H, Dk, Dv), draw.dtype)}
    return Family(states, scanned, body, results, 7 * T * B * H * Dk * Dv, fused=fused)

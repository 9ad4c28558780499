"""Families with a matrix product in the step: MinGRU, RNN, GRU, LSTM."""

import numpy as np

from family import Family, follow


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def mingru(draw, T, B, D, H):
    def body(nodes, names):
        h, x = names
        z = nodes("Sigmoid", nodes("MatMul", x, "Wz"))
        candidate = nodes("MatMul", x, "Wh")
        keep = nodes("Sub", nodes.constant(1, draw.dtype), z)
        h = nodes("Add", nodes("Mul", keep, h), nodes("Mul", z, candidate))
        return [h], [nodes("Identity", h)]

    def results(v):
        z = sigmoid(v["x"] @ v["Wz"])
        all_h = follow(v["h"], 1 - z, z * (v["x"] @ v["Wh"]), step=lambda h, keep, new: keep * h + new)
        return [all_h[-1]], [all_h]

    weights = {"Wz": draw.normal(D, H, scale=D**-0.5), "Wh": draw.normal(D, H, scale=D**-0.5)}
    work = 4 * T * B * D * H + 4 * T * B * H
    return Family({"h": draw.normal(B, H)}, {"x": draw.normal(T, B, D)}, body, results, work, weights)


def gate_weights(draw, gates, I, H):
    """One matrix for all gates of the input, one of the state, and their biases."""
    return {
        "W": draw.normal(I, gates * H, scale=I**-0.5),
        "R": draw.normal(H, gates * H, scale=0.7 * H**-0.5),
        "Wb": draw.normal(gates * H, scale=0.1),
        "Rb": draw.normal(gates * H, scale=0.1),
    }


def as_operator_weights(weights):
    """The same as the standard's GRU and LSTM want them: a direction in front, rows for columns, one vector of biases."""
    return {
        "fused_W": weights["W"].T[None],
        "fused_R": weights["R"].T[None],
        "fused_B": np.concatenate([weights["Wb"], weights["Rb"]])[None],
    }


def write_operator(nodes, operator, states, H, **attributes):
    """The operator that does the whole sequence, with the direction axis that it adds taken away again."""
    direction = nodes.constant([0])
    firsts = [nodes("Unsqueeze", state, direction) for state in states]
    inputs = ["x", "fused_W", "fused_R", "fused_B", "", *firsts]
    y, *finals = nodes(operator, *inputs, results=1 + len(states), hidden_size=H, **attributes)
    for state, final in zip(states, finals):
        nodes("Squeeze", final, direction, to=f"{state}_final")
    nodes("Squeeze", y, nodes.constant([1]), to="y")
    return []


def rnn(draw, T, B, I, H):
    weights = gate_weights(draw, 1, I, H)

    def body(nodes, names):
        h, x = names
        from_x = nodes("Add", nodes("MatMul", x, "W"), "Wb")
        from_h = nodes("Add", nodes("MatMul", h, "R"), "Rb")
        h = nodes("Tanh", nodes("Add", from_x, from_h))
        return [h], [nodes("Identity", h)]

    def results(v):
        driven = v["x"] @ v["W"] + (v["Wb"] + v["Rb"])
        all_h = follow(v["h"], driven, step=lambda h, from_x: np.tanh(from_x + h @ v["R"]))
        return [all_h[-1]], [all_h]

    return Family(
        {"h": draw.normal(B, H, scale=0.5)},
        {"x": draw.normal(T, B, I)},
        body,
        results,
        2 * T * B * (I + H) * H,
        weights,
        fused=lambda nodes: write_operator(nodes, "RNN", ["h"], H),
        fused_weights=as_operator_weights(weights),
    )


def gru(draw, T, B, I, H):
    weights = gate_weights(draw, 3, I, H)

    def body(nodes, names):
        h, x = names
        from_x = nodes("Add", nodes("MatMul", x, "W"), "Wb")
        from_h = nodes("Add", nodes("MatMul", h, "R"), "Rb")
        thirds = nodes.constant([H, H, H])
        xz, xr, xn = nodes("Split", from_x, thirds, results=3, axis=-1)
        hz, hr, hn = nodes("Split", from_h, thirds, results=3, axis=-1)
        z = nodes("Sigmoid", nodes("Add", xz, hz))
        r = nodes("Sigmoid", nodes("Add", xr, hr))
        n = nodes("Tanh", nodes("Add", xn, nodes("Mul", r, hn)))
        keep = nodes("Sub", nodes.constant(1, draw.dtype), z)
        h = nodes("Add", nodes("Mul", keep, n), nodes("Mul", z, h))
        return [h], [nodes("Identity", h)]

    def results(v):
        def step(h, from_x):
            xz, xr, xn = np.split(from_x, 3, -1)
            hz, hr, hn = np.split(h @ v["R"] + v["Rb"], 3, -1)
            z = sigmoid(xz + hz)
            return (1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * h

        all_h = follow(v["h"], v["x"] @ v["W"] + v["Wb"], step=step)
        return [all_h[-1]], [all_h]

    return Family(
        {"h": draw.normal(B, H, scale=0.5)},
        {"x": draw.normal(T, B, I)},
        body,
        results,
        2 * T * B * (I + H) * 3 * H,
        weights,
        fused=lambda nodes: write_operator(nodes, "GRU", ["h"], H, linear_before_reset=1),
        fused_weights=as_operator_weights(weights),
    )


def lstm(draw, T, B, I, H):
    weights = gate_weights(draw, 4, I, H)

    def body(nodes, names):
        h, c, x = names
        from_x = nodes("Add", nodes("MatMul", x, "W"), "Wb")
        gates = nodes("Add", nodes("Add", from_x, nodes("MatMul", h, "R")), "Rb")
        i, o, f, n = nodes("Split", gates, nodes.constant([H] * 4), results=4, axis=-1)
        kept = nodes("Mul", nodes("Sigmoid", f), c)
        c = nodes("Add", kept, nodes("Mul", nodes("Sigmoid", i), nodes("Tanh", n)))
        h = nodes("Mul", nodes("Sigmoid", o), nodes("Tanh", c))
        return [h, c], [nodes("Identity", h)]

    def results(v):
        def step(state, from_x):
            h, c = state
            i, o, f, n = np.split(from_x + h @ v["R"] + v["Rb"], 4, -1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(n)
            return np.stack([sigmoid(o) * np.tanh(c), c])

        both = follow(np.stack([v["h"], v["c"]]), v["x"] @ v["W"] + v["Wb"], step=step)
        return [both[-1, 0], both[-1, 1]], [both[:, 0]]

    return Family(
        {"h": draw.normal(B, H, scale=0.5), "c": draw.normal(B, H, scale=0.5)},
        {"x": draw.normal(T, B, I)},
        body,
        results,
        2 * T * B * (I + H) * 4 * H,
        weights,
        fused=lambda nodes: write_operator(nodes, "LSTM", ["h", "c"], H),
        fused_weights=as_operator_weights(weights),
    )

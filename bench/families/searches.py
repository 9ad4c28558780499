"""Families that compare everything with everything: the best path, distances."""

import numpy as np

from family import Family


def viterbi(draw, T, B, K):
    def body(nodes, names):
        d, o = names
        through = nodes("Add", nodes("Unsqueeze", d, nodes.constant([2])), "moves")
        best = nodes("ReduceMax", through, axes=[1], keepdims=0)
        return [nodes("Add", best, o)], [nodes("ArgMax", through, axis=1, keepdims=0)]

    def results(v):
        # Positions of maxima depend on rounding: in the element type, one sum and one maximum at a time.
        d, positions = v["d"], np.empty((T, B, K), np.int64)
        for t in range(T):
            through = d[:, :, None] + v["moves"]
            positions[t] = through.argmax(1)
            d = through.max(1) + v["o"][t]
        return [d], [positions]

    scanned = {"o": (-0.5 * draw.random.standard_normal((T, B, K)) ** 2).astype(draw.dtype)}
    states, weights = {"d": draw.log_probabilities(B, K)}, {"moves": draw.log_probabilities(K, K)}
    return Family(states, scanned, body, results, 4 * T * B * K * K, weights, exact=True)


def forward(draw, T, B, K):
    """The forward algorithm of a hidden Markov model, in logarithms."""

    def body(nodes, names):
        d, o = names
        through = nodes("Add", nodes("Unsqueeze", d, nodes.constant([2])), "moves")
        d = nodes("Add", nodes("ReduceLogSumExp", through, axes=[1], keepdims=0), o)
        return [d], [nodes("Identity", d)]

    def results(v):
        # As probabilities, whose sum is taken out in every step.
        moves, all_d, total = np.exp(v["moves"]), np.empty((T, B, K)), 0.0
        p = np.exp(v["d"])
        for t in range(T):
            p = p @ moves * np.exp(v["o"][t])
            size = p.sum(-1, keepdims=True)
            p, total = p / size, total + np.log(size)
            all_d[t] = np.log(p) + total
        return [all_d[-1]], [all_d]

    scanned = {"o": (-0.5 * draw.random.standard_normal((T, B, K)) ** 2).astype(draw.dtype)}
    states, weights = {"d": draw.log_probabilities(B, K)}, {"moves": draw.log_probabilities(K, K)}
    return Family(states, scanned, body, results, 4 * T * B * K * K, weights)


def pairwise(draw, N, M, D):
    def body(nodes, names):
        points, x = names
        distance = nodes("ReduceSumSquare", nodes("Sub", points, x), axes=[1], keepdims=0)
        return [nodes("Identity", points)], [distance]

    def results(v):
        x, points = v["x"], v["points"]
        squares = (x**2).sum(1)[:, None] + (points**2).sum(1)
        return [points], [squares - 2 * x @ points.T]

    def fused(nodes):
        nodes("CDist", "x", "points", to="y", domain="com.microsoft", metric="sqeuclidean")
        nodes("Identity", "points", to="points_final")
        return ["com.microsoft"]

    return Family({"points": draw.normal(M, D)}, {"x": draw.normal(N, D)}, body, results, 2 * N * M * D, fused=fused)

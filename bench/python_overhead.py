#!/usr/bin/env python3
"""What sess.run costs over the C interface, on the smallest model.

    PYTHONPATH=BUILD/python bench/python_overhead.py BUILD/bench/c_overhead

Prints nanoseconds of a run from Python and from C, the least of ten rounds of 20,000 each in turn, and the difference.
"""

import subprocess
import sys
import time

import numpy as np

import pawl
from pawl import _pawl

MODEL = '<ir_version: 8, opset_import: ["" : 17]> g (float[2] a, float[2] b) => (float[2] c) { c = Add(a, b) }'
RUNS = 20000


def main() -> None:
    sess = pawl.InferenceSession(_pawl.from_text(MODEL, ""))
    feeds = {"a": np.float32([1, 2]), "b": np.float32([3, 4])}
    run = sess.run
    python = c = float("inf")
    for _ in range(10):
        begin = time.perf_counter_ns()
        for _ in range(RUNS):
            run(None, feeds)
        python = min(python, (time.perf_counter_ns() - begin) / RUNS)
        c = min(c, float(subprocess.run([sys.argv[1], str(RUNS // 10)], capture_output=True, text=True, check=True).stdout))
    print(f"sess.run {python:.0f} ns, the C interface {c:.0f} ns, {python - c:.0f} ns more")


if __name__ == "__main__":
    main()

"""The same from Python."""

import sys

import numpy as np

import pawl

sess = pawl.InferenceSession(sys.argv[1])
total, _ = sess.run(None, {"start": np.float32([0, 0]), "x": np.float32([[1, 2], [3, 4], [5, 6]])})
print(f"total {total[0]:g} {total[1]:g}; {sess.kernel_report()[0]}")

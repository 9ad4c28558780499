#!/usr/bin/env python3
"""A Mamba block that torch.onnx.export wrote: what pawl sees in it, and how long it takes.

mamba_block.py [MODEL]
"""

import sys

import numpy as np

import pawl

DEFAULT = "../shared/models/torch_mamba_block/model.onnx"
path = sys.argv[1] if len(sys.argv) > 1 else DEFAULT

sess = pawl.InferenceSession(path)
(argument,) = sess.get_inputs()
print(argument)
x = np.random.default_rng(0).standard_normal(argument.shape).astype(np.float32)
(y,) = sess.run(None, {argument.name: x})
print(y.shape, y.dtype, "finite" if np.isfinite(y).all() else "not finite")

explanation = pawl.explain(path)  # in a notebook, this object is a picture
print(str(explanation).split("\n\n")[0])
print(pawl.bench(path, {argument.name: x}, runs=50), end="")

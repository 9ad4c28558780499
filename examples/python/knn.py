#!/usr/bin/env python3
"""A nearest-neighbour classifier of scikit-learn, exported by sklearn-onnx: the distances are a Scan.

knn.py [MODEL]
"""

import sys

import numpy as np

import pawl

DEFAULT = "../shared/models/skl__knn_cls_iris_euclid/model.onnx"

# Sepal length and width, petal length and width, in cm.
FLOWERS = np.float32([[5.1, 3.5, 1.4, 0.2], [6.0, 2.7, 4.2, 1.3], [6.5, 3.0, 5.8, 2.2], [6.0, 2.7, 5.1, 1.6]])
SPECIES = ["setosa", "versicolor", "virginica"]

sess = pawl.InferenceSession(sys.argv[1] if len(sys.argv) > 1 else DEFAULT)
label, probabilities = sess.run(["label", "probabilities"], {"X": FLOWERS})
for flower, species, row in zip(FLOWERS, label, probabilities):
    print(flower, SPECIES[species], row)
for line in sess.kernel_report():
    print(line)

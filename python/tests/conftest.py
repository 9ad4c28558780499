"""Models that most tests run."""

from pathlib import Path

import pytest

import pawl
from pawl import _pawl

ROOT = Path(__file__).resolve().parents[2]

PREFIX_SUM = """<ir_version: 8, opset_import: ["" : 17]>
prefix_sum (float[C] start, float[T, C] x) => (float[C] total, float[T, C] sums) {
  total, sums = Scan <num_scan_inputs = 1,
    body = step (float[C] s, float[C] v) => (float[C] next, float[C] sum) { next = Add(s, v)  sum = Identity(next) }> (start, x)
}"""

# Takes no step when `go` is false, and else goes on until it is stopped.
ENDLESS = """<ir_version: 8, opset_import: ["" : 17]>
g (bool go, float s) => (float t) {
  t = Loop <body = step (int64 i, bool c, float a) => (bool d, float b) { d = Identity(c)  b = Sin(a) }> (, go, s) }"""


def session(text, **options):
    """A session of a model in ONNX's text syntax."""
    settings = pawl.SessionOptions()
    for name, value in options.items():
        setattr(settings, name, value)
    return pawl.InferenceSession(_pawl.from_text(text, ""), settings)


@pytest.fixture(name="sums", scope="session")
def sums_fixture():
    return session(PREFIX_SUM)

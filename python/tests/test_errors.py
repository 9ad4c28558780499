"""Exceptions of one family, with the words of the command line."""

import numpy as np
import pytest
from conftest import session

import pawl

X = np.zeros((3, 2), np.float32)
START = np.zeros(2, np.float32)


def raises(code, match, call, *also):
    with pytest.raises(pawl.Error, match=match) as caught:
        call()
    assert caught.value.code == code
    for kind in also:
        assert isinstance(caught.value, kind)


def test_names(sums):
    raises("bad_argument", 'input "x" is missing', lambda: sums.run(None, {"start": START}), ValueError)
    raises("bad_argument", 'inputs "start", "x" are missing', lambda: sums.run(None, {}), ValueError)
    raises("bad_argument", 'input "x" is missing', lambda: sums.run(None, {"start": START, "x": None}), ValueError)
    raises("bad_argument", 'no input "y"', lambda: sums.run(None, {"start": START, "x": X, "y": X}), ValueError)
    raises("bad_argument", 'no output "z"', lambda: sums.run(["z"], {"start": START, "x": X}), ValueError)
    raises("bad_argument", "names of inputs are str", lambda: sums.run(None, {"start": START, "x": X, 3: X}))
    raises("bad_type", "not one str", lambda: sums.run("total", {"start": START, "x": X}))
    raises("bad_type", "inputs are a dict", lambda: sums.run(None, [START, X]), TypeError)


def test_shapes_and_types(sums):
    raises("bad_shape", r'input "x": expected float\[T,C\], found float\[3\]',
           lambda: sums.run(None, {"start": START, "x": X[:, 0]}), ValueError)  # fmt: skip
    raises("bad_type", r'input "x": expected float\[T,C\], found double\[3,2\]',
           lambda: sums.run(None, {"start": START, "x": X.astype(float)}), TypeError, ValueError)  # fmt: skip
    raises("bad_shape", "", lambda: sums.run(None, {"start": np.zeros(3, np.float32), "x": X}), ValueError)


def test_models(tmp_path):
    raises("io", "nowhere.onnx", lambda: pawl.InferenceSession("nowhere.onnx"), OSError)
    raises("bad_file", "", lambda: pawl.InferenceSession(b"\xff\xff"), ValueError)
    raises("unsupported", "Nothing", lambda: session(
        '<ir_version: 8, opset_import: ["" : 17]> g (float x) => (float y) { y = Nothing(x) }'), NotImplementedError)  # fmt: skip
    raises("bad_shape", "cannot be broadcast", lambda: session(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[2] a, float[3] b) => (float[3] y) { y = Add(a, b) }'), ValueError)  # fmt: skip
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\x08")
    raises("bad_file", "broken.onnx: ", lambda: pawl.InferenceSession(broken))


def test_what_goes_wrong_inside_of_a_run_says_where():
    sess = session(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[N] x, int64[1] at) => (float[1] y) { y = Gather(x, at) }"""
    )
    with pytest.raises(pawl.Error, match='Gather of "y"') as caught:
        sess.run(None, {"x": START, "at": np.int64([9])})
    assert isinstance(caught.value, ValueError)


def test_every_code_has_a_class():
    from pawl._errors import exception_of

    codes = "io bad_file bad_model bad_shape bad_type bad_value bad_argument unsupported limit interrupted internal"
    for code in codes.split():
        error = exception_of(code, "words")
        assert isinstance(error, pawl.Error) and error.code == code and str(error) == "words"

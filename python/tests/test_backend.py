"""ONNX's own test suite for back ends, as the package onnx has it: node and simple models; converted ones where the
conformance suite is unpacked."""

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from conftest import PREFIX_SUM, ROOT

onnx = pytest.importorskip("onnx")
backend_test = pytest.importorskip("onnx.backend.test")

import onnx.helper  # noqa: E402

import pawl.backend  # noqa: E402
from pawl import _pawl  # noqa: E402

# Cases that are left out, and why.
EXCLUDED = {
    "test_bernoulli": "draws random numbers: the standard does not say which ones",
    "test_castlike_(BFLOAT16_to_FLOAT|FLOAT_to_BFLOAT16)": "these models declare [3,4] for an input whose data is [1]",
    "test_dft_inverse": "zeros that are sums of 20 rounded floats are expected within 1e-7",
    "test_loop16_seq_none": "the suite asks for the length of scalars in sequences",
}

# Debian's package leaves the data out, and makes it with names that NumPy does not have any more.
GENERATE = """
import sys, numpy
for name, kind in {"float": float, "int": int, "bool": bool, "object": object, "str": str}.items():
    if name not in vars(numpy): setattr(numpy, name, kind)
from onnx.backend.test import cmd_tools
sys.argv = ["generate", "generate-data", "-o", sys.argv[1]]
cmd_tools.main()
"""


def data_folder():
    own = Path(onnx.__file__).parent / "backend/test/data"
    if own.is_dir():
        return own
    folder = Path(os.environ.get("PAWL_TEST_DATA", tempfile.mkdtemp(prefix="pawl-onnx-data-"))) / onnx.__version__
    if not (folder / "simple").is_dir():
        subprocess.run([sys.executable, "-c", GENERATE, folder], check=True, capture_output=True)
        for kind in ("pytorch-converted", "pytorch-operator"):
            unpacked = ROOT / "build/conformance" / kind
            (folder / kind).symlink_to(unpacked) if unpacked.is_dir() else (folder / kind).mkdir()
    return folder


# The suite's own code has one of those names, too.
if "object" not in vars(np):
    np.object = object
runner = sys.modules["onnx.backend.test.runner"]
runner.load_model_tests = functools.partial(runner.load_model_tests, data_dir=str(data_folder()))
suite = backend_test.BackendTest(pawl.backend, __name__)
for pattern in EXCLUDED:
    suite.exclude(pattern)
for name, cases in suite.test_cases.items():
    # Real models are fetched from the network.
    if name == "OnnxBackendRealModelTest":
        continue
    # Each case is there once for each device.
    for each in [each for each in dir(cases) if each.endswith("_cuda")]:
        delattr(cases, each)
    globals()[name] = cases
del cases, name


def test_prepare_and_run_model():
    a = onnx.helper.make_tensor_value_info("a", onnx.TensorProto.FLOAT, [2])
    b = onnx.helper.make_tensor_value_info("b", onnx.TensorProto.FLOAT, [2])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["a"], ["b"])], "g", [a], [b])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    x = np.float32([1, -2])
    ready = pawl.backend.prepare(model, "CPU")
    assert ready.run([x]).b.tolist() == [-1, 2]
    assert ready.run({"a": x})[0].tolist() == [-1, 2]
    assert pawl.backend.run_model(model, [x])["b"].tolist() == [-1, 2]
    assert pawl.backend.is_compatible(model)
    with pytest.raises(pawl.BadArgument, match="1 inputs, 2 were given"):
        ready.run([x, x])
    with pytest.raises(pawl.BadArgument, match="CUDA"):
        pawl.backend.prepare(model, "CUDA")
    graph.node[0].op_type = "Nothing"
    assert not pawl.backend.is_compatible(onnx.helper.make_model(graph))


def test_run_node():
    node = onnx.helper.make_node("Sub", ["a", "b"], ["c"])
    assert pawl.backend.run_node(node, [np.float32([3]), np.float32([1])]).c.tolist() == [2]
    split = onnx.helper.make_node("Split", ["a"], ["b", "c"], axis=0)
    assert [each.tolist() for each in pawl.backend.run_node(split, [np.float32([1, 2])])] == [[1], [2]]
    with pytest.raises(pawl.BadArgument):
        pawl.backend.run_node(node, [np.float32([3])])


def test_supports_device():
    assert pawl.backend.supports_device("CPU") and not pawl.backend.supports_device("CUDA:0")
    assert _pawl.from_text(PREFIX_SUM, "").inputs

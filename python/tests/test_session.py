"""What scripts that were written for ONNX Runtime's session rely on."""

import inspect
import warnings

import numpy as np
import pytest
from conftest import PREFIX_SUM, ROOT, session

import pawl

X = np.arange(6, dtype=np.float32).reshape(3, 2)
START = np.float32([1, 2])
CHARLM = ROOT / "examples/charlm_mamba/model.onnx"


def test_run_returns_all_outputs_in_the_models_order(sums):
    total, running = sums.run(None, {"x": X, "start": START})
    np.testing.assert_array_equal(total, START + X.sum(0))
    np.testing.assert_array_equal(running, START + X.cumsum(0))
    assert isinstance(total, np.ndarray) and total.dtype == np.float32 and total.shape == (2,)


def test_run_returns_a_list_of_the_outputs_that_are_named(sums):
    results = sums.run(["sums", "total"], {"start": START, "x": X})
    assert isinstance(results, list)
    assert [each.shape for each in results] == [(3, 2), (2,)]
    np.testing.assert_array_equal(results[1], START + X.sum(0))
    twice = sums.run(["total", "total"], {"start": START, "x": X})
    np.testing.assert_array_equal(twice[0], twice[1])
    assert len(sums.run([], {"start": START, "x": X})) == 2


def test_arguments_have_the_names_that_scripts_use(sums):
    results = sums.run(output_names=["total"], input_feed={"start": START, "x": X}, run_options=None)
    np.testing.assert_array_equal(results[0], START + X.sum(0))
    parameters = list(inspect.signature(pawl.InferenceSession).parameters)
    assert parameters[:4] == ["path_or_bytes", "sess_options", "providers", "provider_options"]


def test_inputs_and_outputs_say_name_type_and_shape():
    sess = pawl.InferenceSession(str(CHARLM))
    rows = [(arg.name, arg.type, arg.shape) for arg in sess.get_inputs()]
    assert rows[0] == ("tokens", "tensor(int64)", [1, "T"])
    assert rows[1] == ("conv_state", "tensor(float)", [4, 1, 320, 3])
    assert [arg.name for arg in sess.get_outputs()] == ["logits", "conv_state_out", "ssm_state_out"]
    assert sess.get_outputs()[0].type == "tensor(float)"


@pytest.mark.parametrize(
    "declared, kind, shape",
    [
        ("float[?, 3]", "tensor(float)", [None, 3]),
        ("double", "tensor(double)", []),
        ("float16[]", "tensor(float16)", []),
        ("bool[N]", "tensor(bool)", ["N"]),
        ("string[2]", "tensor(string)", [2]),
        ("bfloat16[2]", "tensor(bfloat16)", [2]),
        ("seq(int64[?])", "seq(tensor(int64))", []),
        ("optional(float[2])", "optional(tensor(float))", []),
    ],
)
def test_types_are_spelt_as_onnx_runtime_does(declared, kind, shape):
    sess = session(f'<ir_version: 8, opset_import: ["" : 18]> g ({declared} x) => ({declared} y) {{ y = Identity(x) }}')
    assert (sess.get_inputs()[0].type, sess.get_inputs()[0].shape) == (kind, shape)


def test_a_model_comes_from_a_path_bytes_or_a_proto(tmp_path):
    data = CHARLM.read_bytes()
    for model in (str(CHARLM), CHARLM, data, bytearray(data), memoryview(data)):
        assert pawl.InferenceSession(model).get_inputs()[0].name == "tokens"
    text = tmp_path / "m.onnxtxt"
    text.write_text(PREFIX_SUM)
    assert pawl.InferenceSession(text).get_outputs()[0].name == "total"
    onnx = pytest.importorskip("onnx")
    assert pawl.InferenceSession(onnx.load(str(CHARLM))).get_inputs()[0].name == "tokens"
    with pytest.raises(pawl.BadType):
        pawl.InferenceSession(3)


def test_providers_are_taken(recwarn):
    sess = pawl.InferenceSession(CHARLM, providers=["CPUExecutionProvider"])
    assert sess.get_providers() == ["CPUExecutionProvider"]
    assert sess.get_provider_options() == {"CPUExecutionProvider": {}}
    assert not recwarn.list
    with pytest.warns(UserWarning, match="CUDAExecutionProvider"):
        pawl.InferenceSession(CHARLM, providers=[("CUDAExecutionProvider", {"device_id": 0}), "CPUExecutionProvider"])
    assert "CPUExecutionProvider" in pawl.get_available_providers()
    assert pawl.get_device() == "CPU"


def test_session_options_have_the_attributes_that_scripts_set():
    options = pawl.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = pawl.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = pawl.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    sess = pawl.InferenceSession(CHARLM, options)
    assert sess.get_session_options() is options
    assert pawl.InferenceSession(CHARLM, sess_options=options).get_inputs()


def test_options_reach_the_compiler():
    assert session(PREFIX_SUM, kernels="off").kernel_report() == []
    with pytest.raises(pawl.BadArgument, match="nonsense"):
        session(PREFIX_SUM, kernels="nonsense")
    with pytest.raises(pawl.BadArgument, match="threads is -1"):
        session(PREFIX_SUM, intra_op_num_threads=-1)
    exact = session(PREFIX_SUM, exact=True)
    np.testing.assert_array_equal(exact.run(["total"], {"start": START, "x": X})[0], START + X.sum(0))


@pytest.mark.skipif(not (ROOT / "build/dev/libpawl_llvm.so").exists(), reason="there is no compiler for kernels")
def test_the_compiler_for_kernels_is_found():
    sess = session(PREFIX_SUM)
    sess.run(None, {"start": START, "x": X})
    assert sess.kernel_report() == ["step: one kernel"]


def test_inputs_with_a_default_may_be_left_out():
    sess = session(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[2] x, float weight) => (float[2] y) <float weight = {2}> { y = Mul(x, weight) }"""
    )
    assert [arg.name for arg in sess.get_inputs()] == ["x"]
    assert [arg.name for arg in sess.get_overridable_initializers()] == ["weight"]
    np.testing.assert_array_equal(sess.run(None, {"x": START})[0], [2, 4])
    np.testing.assert_array_equal(sess.run(None, {"x": START, "weight": np.float32(3)})[0], [3, 6])
    np.testing.assert_array_equal(sess.run(None, {"x": START, "weight": None})[0], [2, 4])


def test_metadata():
    meta = pawl.InferenceSession(CHARLM).get_modelmeta()
    assert meta.producer_name == "pytorch"
    assert isinstance(meta.custom_metadata_map, dict) and isinstance(meta.version, int)
    assert meta.graph_name


def test_a_closed_session_says_so():
    with session(PREFIX_SUM) as sess:
        sess.run(None, {"start": START, "x": X})
    for call in (lambda: sess.run(None, {"start": START, "x": X}), sess.kernel_report, lambda: sess.stream({})):
        with pytest.raises(pawl.BadArgument, match="closed"):
            call()
    assert sess.get_inputs()[0].name == "start"


def test_nothing_is_warned_of_while_importing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        __import__("importlib").reload(pawl)

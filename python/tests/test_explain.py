"""explain, optimize, bench."""

import subprocess
import xml.dom.minidom

import numpy as np
import pytest
from conftest import PREFIX_SUM, ROOT

import pawl

COMMAND = ROOT / "build/dev/cli/pawl"


@pytest.fixture(name="model")
def model_fixture(tmp_path):
    path = tmp_path / "sums.onnxtxt"
    path.write_text(PREFIX_SUM)
    return path


def test_explain_prints_as_the_command_does(model):
    explanation = pawl.explain(model, T=4096, C=8)
    assert str(explanation) == repr(explanation)
    assert "sum" in str(explanation)
    if COMMAND.exists():
        done = subprocess.run([COMMAND, "explain", model, "--dim", "T=4096", "C=8"], capture_output=True, text=True, check=True)
        assert done.stdout == str(explanation)
    assert isinstance(explanation.to_dict(), dict)
    assert xml.dom.minidom.parseString(explanation._repr_svg_()).documentElement.tagName == "svg"
    assert str(pawl.explain(model, dims={"x.0": 4096, "C": 8})) == str(explanation)


def test_explain_refuses_what_the_model_does_not_have(model):
    with pytest.raises(pawl.BadArgument, match="Q"):
        pawl.explain(model, Q=4)
    with pytest.raises(pawl.BadArgument, match="threads"):
        pawl.explain(model, threads=0)


def test_optimize_writes_a_model_with_the_same_results(model, tmp_path):
    out = tmp_path / "out.onnx"
    notes = []
    data = pawl.optimize(model, out, notes=notes)
    assert out.read_bytes() == data and notes
    feeds = {"start": np.float32([1, 2]), "x": np.arange(6, dtype=np.float32).reshape(3, 2)}
    for got, want in zip(pawl.InferenceSession(out).run(None, feeds), pawl.InferenceSession(model).run(None, feeds)):
        np.testing.assert_allclose(got, want, rtol=1e-6)
    with pytest.raises(pawl.BadArgument):
        pawl.optimize(model, exact=True, parallel_scan=True)


def test_bench_measures(model):
    result = pawl.bench(model, dims={"T": 64, "C": 4}, runs=7, warmup=0)
    assert len(result.run_ms) == 7 and result.run_ms == sorted(result.run_ms)
    assert 0 < result.min_ms <= result.median_ms
    assert result.steps == 64 and result.per_step_ns > 0
    assert "median" in str(result) and result.to_dict()["steps"] == 64
    with pytest.raises(pawl.BadArgument, match="extent of axis 0"):
        pawl.bench(model)

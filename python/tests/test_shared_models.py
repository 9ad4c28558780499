"""The collection of real models, run as a script for ONNX Runtime would, against the data beside them."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import pawl

onnx = pytest.importorskip("onnx")
numpy_helper = pytest.importorskip("onnx.numpy_helper")

FOLDER = Path(os.environ.get("PAWL_SHARED", ROOT.parent / "shared")) / "models"
if not (FOLDER / "MODELS.tsv").exists():
    pytest.skip(f"there is no {FOLDER}/MODELS.tsv (PAWL_SHARED says where it is)", allow_module_level=True)


def rows():
    with open(FOLDER / "MODELS.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["expect"].split() == ["run"]:
                yield pytest.param(FOLDER / row["case"], row["tolerance"], id=row["case"])


def tolerances(text):
    """(rtol, atol of each output; the last one is for all that follow)"""
    if text == "exact":
        return 0.0, [0.0]
    values = dict(word.split("=") for word in text.split() if "=" in word)
    return float(values.get("rtol", 1e-3)), [float(each) for each in values.get("atol", "1e-7").split(",")]


def read(path, kind):
    if kind.startswith("optional("):
        proto = onnx.OptionalProto.FromString(path.read_bytes())
        return numpy_helper.to_optional(proto)
    if kind.startswith("seq("):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(path.read_bytes()))
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def values(folder, prefix, arguments):
    files = sorted(folder.glob(f"{prefix}_*.pb"), key=lambda file: int(file.stem.split("_")[1]))
    return [read(file, argument.type) for file, argument in zip(files, arguments)]


def compare(got, want, rtol, atol):
    if isinstance(want, list):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            compare(one, other, rtol, atol)
    elif want is None or np.asarray(want).dtype.kind in "OSU":
        np.testing.assert_array_equal(got, want)
    else:
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("folder, tolerance", rows())
def test_gives_what_its_data_says(folder, tolerance):
    try:
        sess = pawl.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    except pawl.Unsupported as error:
        pytest.skip(str(error))
    rtol, atol = tolerances(tolerance)
    for data in sorted(folder.glob("test_data_set_*")):
        inputs = values(data, "input", sess.get_inputs())
        results = sess.run(None, {argument.name: value for argument, value in zip(sess.get_inputs(), inputs)})
        wanted = values(data, "output", sess.get_outputs())
        for i, (got, want) in enumerate(zip(results, wanted)):
            compare(got, want, rtol, atol[min(i, len(atol) - 1)])
